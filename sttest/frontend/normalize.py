"""From torch-mlir's linalg to few, clean loop nests.

MLIR's own passes do the work, in an order and between fences that keep
work from being repeated: a value that is computed once per row must not be
fused into a loop over the row, and a matmul must not be dissolved into the
reshapes around it.
"""

from collections.abc import Iterator
from importlib import import_module
from itertools import count, pairwise
from typing import Any

# --- Read broadcast operands as they are, without the unit dims that PyTorch puts in


def drop_broadcast_dims(function: Any) -> None:
    """Let every ``linalg.generic`` that reads an expanded tensor at constant indices read it without those axes."""
    for op in list(function.regions[0].blocks[0].operations):
        if op.operation.name == "linalg.generic":
            _drop_in(op)


def _drop_in(generic: Any) -> None:
    ir = import_module("torch_mlir.ir")

    maps = [attribute.value for attribute in generic.attributes["indexing_maps"]]
    for index, old in enumerate(maps):
        operand = generic.operands[index]
        kept = [i for i, e in enumerate(old.results) if not isinstance(e, ir.AffineConstantExpr)]
        if len(kept) == len(old.results) or index >= len(maps) - len(generic.results):
            continue
        if any(operand.type.shape[i] != 1 for i in range(len(old.results)) if i not in kept):
            continue
        if not isinstance(operand.owner, ir.Block) and operand.owner.name == "tensor.expand_shape":
            generic.operands[index] = _without_dims(operand.owner, kept)
        else:
            generic.operands[index] = _collapsed(operand, kept, generic)
        maps[index] = ir.AffineMap.get(old.n_dims, 0, [old.results[i] for i in kept], context=generic.context)
    with generic.context:
        generic.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps])


def _without_dims(expand: Any, kept: list[int]) -> Any:
    """The operand of ``expand`` reshaped to the ``kept`` result dims only."""
    ir = import_module("torch_mlir.ir")
    from torch_mlir.dialects import tensor

    source, wide = expand.operands[0], expand.results[0].type
    shape = [wide.shape[i] for i in kept]
    groups = [[i.value for i in group if i.value in kept] for group in expand.attributes["reassociation"]]
    whole = [place for place, group in enumerate(groups) if group]
    if len(whole) < len(groups):  # a dim of the source itself is read at one index, as heads that all queries share
        source = _collapsed(source, whole, expand)
    if list(source.type.shape) == shape:
        return source
    places = count()
    narrow = [[next(places) for _ in group] for group in groups if group]
    with expand.context, expand.location, ir.InsertionPoint(expand):
        target = ir.RankedTensorType.get(shape, wide.element_type)
        return tensor.expand_shape(target, source, narrow, [], shape)


def _collapsed(operand: Any, kept: list[int], user: Any) -> Any:
    """A tensor without its dims of one element that are not ``kept``, collapsed before ``user``."""
    ir = import_module("torch_mlir.ir")
    from torch_mlir.dialects import tensor

    rank, shape = len(operand.type.shape), [operand.type.shape[i] for i in kept]
    # Unit dims join the kept dim before them, those in front the first one.
    starts = [0, *kept[1:], rank]
    groups = [list(range(low, high)) for low, high in pairwise(starts)] if kept else []
    with user.context, user.location, ir.InsertionPoint(user):
        return tensor.collapse_shape(ir.RankedTensorType.get(shape, operand.type.element_type), operand, groups)


_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")
_COSTLY = ("arith.divf", "math.exp", "math.rsqrt", "math.tanh")


def normalize(module: Any) -> None:
    """Rewrite the only function of an MLIR ``module`` in place."""
    _run(module, "canonicalize,cse")
    drop_broadcast_dims(function_of(module))
    _run(module, "canonicalize,cse")
    _fuse_elementwise(module)
    _run(module, "canonicalize,cse,linalg-generalize-named-ops")
    _name_fills(function_of(module))
    _run(module, "canonicalize,cse")


def function_of(module: Any) -> Any:
    """The only function of ``module``."""
    (function,) = module.body.operations
    return function


def _run(module: Any, passes: str) -> None:
    PassManager = import_module("torch_mlir.passmanager").PassManager  # noqa: N806
    PassManager.parse(f"builtin.module(func.func({passes}))", module.context).run(module.operation)


def _fuse_elementwise(module: Any) -> None:
    """Fuse with fences: MLIR fuses only what has one use, so a fenced value is returned too while it runs."""
    function = function_of(module)
    returned = list(_terminator(function).operands)
    _return(function, [*returned, *_fences(function)])
    _run(module, "linalg-fuse-elementwise-ops")
    _return(function, list(_terminator(function).operands)[: len(returned)])


def _fences(function: Any) -> Iterator[Any]:
    for op in function.regions[0].blocks[0].operations:
        if op.operation.name in _RESHAPES:
            yield op.operands[0]
            yield op.results[0]
        if op.operation.name == "linalg.generic" and _is_costly(op) and _is_broadcast(op.results[0]):
            yield op.results[0]


def _is_costly(generic: Any) -> bool:
    return any(op.operation.name in _COSTLY for op in generic.regions[0].blocks[0].operations)


def _is_broadcast(value: Any) -> bool:
    """Whether a loop nest reads the same element of ``value`` again."""
    for use in value.uses:
        if use.owner.name != "linalg.generic":
            continue
        reads = list(use.owner.attributes["indexing_maps"])[use.operand_number].value
        if reads.n_dims > len(reads.results):
            return True
    return False


def _terminator(function: Any) -> Any:
    return list(function.regions[0].blocks[0].operations)[-1]


def _return(function: Any, values: list[Any]) -> None:
    ir = import_module("torch_mlir.ir")
    from torch_mlir.dialects import func

    old = _terminator(function)
    with function.context, old.location:
        func.ReturnOp(values, ip=ir.InsertionPoint(old))
        old.erase()
        arguments = [argument.type for argument in function.arguments]
        signature = ir.FunctionType.get(arguments, [value.type for value in values])
        function.attributes["function_type"] = ir.TypeAttr.get(signature)


def _name_fills(function: Any) -> None:
    """Give a loop nest that only writes a constant its name back, ``linalg.fill``."""
    ir = import_module("torch_mlir.ir")
    from torch_mlir.dialects import linalg

    for op in list(function.regions[0].blocks[0].operations):
        if op.operation.name != "linalg.generic" or isinstance(op.operands[0].type, ir.RankedTensorType):
            continue
        with op.location, ir.InsertionPoint(op):
            filled = linalg.fill(op.operands[0], outs=[op.operands[1]])
        op.results[0].replace_all_uses_with(filled)
        op.erase()
