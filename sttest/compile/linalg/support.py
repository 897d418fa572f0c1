"""What linalg text must look like to be streamed; everything else is refused before a pass touches it."""

from collections import Counter

from xdsl.dialects import arith, func, math, tensor
from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr, TensorType, f16, f32
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from sttest.compile.ir.module_walk import all_of, functions, how_to_generalize
from sttest.core.errors import InputError

_STRUCTURE = (
    ModuleOp,
    func.FuncOp,
    func.ReturnOp,
    FillOp,
    GenericOp,
    YieldOp,
    tensor.EmptyOp,
    tensor.ExpandShapeOp,
    tensor.CollapseShapeOp,
    tensor.ConcatOp,
)
_SCALAR_OPS = {op for dialect in (arith.Arith, math.Math) for op in dialect.operations}
# What a stream may carry (docs/reference/values.md).
_ELEMENT_TYPES = (f32, f16, *(IntegerType(bits) for bits in (1, 2, 3, 4, 8, 16, 32)))
_VIEWS = (tensor.ExpandShapeOp, tensor.CollapseShapeOp)


def refuse_unsupported(module: ModuleOp) -> None:
    """Checks ops, types and data flow of a module at the linalg level.

    Raises:
        InputError: ops outside the supported set, all named at once; a tensor that is not static or has elements
            that no stream carries; a destination or an operand that is not plain data.
    """
    _refuse_ops(module)
    for function in functions(module):
        results = [result for op in function.body.block.ops for result in op.results]
        for value in (*function.body.block.args, *results):
            _refuse_type(value, function)
        _refuse_returned_arguments(function)
    for op in all_of(module, GenericOp):
        _refuse_constants(op)
        _refuse_destination(op)
    for op in all_of(module, tensor.ConcatOp):
        _refuse_constants(op)


def place_of(op: Operation) -> str:
    """How errors name an op: by file and line and the module that it came from, else by what it returns."""
    source, line = op.attributes.get("sttest.source"), op.attributes.get("sttest.place")
    at = f" at {line.data}" if isinstance(line, StringAttr) else ""
    if isinstance(source, StringAttr) and source.data:
        return f"{op.name}{at} ({source.data})"
    if at:
        return f"{op.name}{at}"
    types = ", ".join(str(result.type) for result in op.results)
    return f"{op.name} -> {types}" if types else op.name


def place_of_function(function: func.FuncOp) -> str:
    """How errors name a function: by the module that it came from, with file and line, else by its symbol."""
    place = function.attributes.get("sttest.place")
    return place.data if isinstance(place, StringAttr) else f"func.func @{function.sym_name.data}"


def _refuse_ops(module: ModuleOp) -> None:
    counts: Counter[str] = Counter()
    for op in module.walk():
        if isinstance(op, _STRUCTURE) or type(op) in _SCALAR_OPS:
            continue
        name = getattr(op, "op_name", None)
        counts[name.data if isinstance(name, StringAttr) else op.name] += 1
    if not counts:
        return
    listed = ", ".join(f"{name} ({count}x)" for name, count in sorted(counts.items()))
    named = [name for name in counts if name.startswith("linalg.") and name != "linalg.index"]
    raise InputError(
        "unsupported-ops",
        f"{len(counts)} unsupported op{'s' if len(counts) > 1 else ''}: {listed}",
        where="linalg-to-kernels",
        hints=[
            *([how_to_generalize(named)] if named else []),
            *(["give positions as an argument, a tensor of float32"] if "linalg.index" in counts else []),
            "rewrite the model with matmul, elementwise, reduction, transpose, reshape and concat ops",
        ],
    )


def _refuse_type(value: SSAValue, function: func.FuncOp) -> None:
    kind = value.type
    if not isinstance(kind, TensorType):
        return
    where = place_of_function(function)
    if isinstance(value.owner, Operation):
        where = place_of(value.owner)
    if any(size < 1 for size in kind.get_shape()):
        raise InputError(
            "dynamic-shape",
            f"{kind} has a dim that is not known or empty",
            where=where,
            hints=["leave empty tensors out, and export the model at fixed sizes"],
        )
    if kind.get_element_type() not in _ELEMENT_TYPES:
        names = ", ".join(str(each) for each in _ELEMENT_TYPES)
        raise InputError(
            "element-type",
            f"{kind} is not a tensor of {names}",
            where=where,
            hints=["export the model in float32; quantize chooses the widths"],
        )


def _refuse_returned_arguments(function: func.FuncOp) -> None:
    """A design writes what it computes."""
    end = function.body.block.last_op
    for number, value in enumerate(end.operands if end is not None else ()):
        if isinstance(_root(value), BlockArgument):
            raise InputError(
                "returned-argument",
                f"result {number} is an argument, and nothing computes it",
                where=place_of_function(function),
                hints=["leave it out of the results"],
            )


def _refuse_constants(op: GenericOp | tensor.ConcatOp) -> None:
    """Inputs must be streamed data."""
    for value in op.inputs:
        root = _root(value)
        if not isinstance(root, BlockArgument) and not isinstance(root.owner, GenericOp | tensor.ConcatOp):
            raise InputError(
                "constant-operand",
                "a constant tensor cannot be streamed",
                where=place_of(op),
                hints=["pass it as an argument", "move the constant into the op's body"],
            )


def _refuse_destination(op: GenericOp) -> None:
    """Only a reduction may read its destination."""
    reduces = any(kind.data.value == "reduction" for kind in op.iterator_types)
    destinations = op.body.block.args[len(op.inputs) :]
    if not reduces and any(argument.uses.get_length() for argument in destinations):
        raise InputError(
            "reads-destination",
            "an op without a reduction reads its destination",
            where=place_of(op),
            hints=["pass the tensor as an input"],
        )


def _root(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, _VIEWS):
        value = value.owner.src
    return value
