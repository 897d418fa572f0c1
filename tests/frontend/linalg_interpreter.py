"""A small evaluator of linalg text with numpy: slow, plain, and independent of every engine.

It takes a module in MLIR's generic form, parsed by xDSL, and runs its only
function.  A loop nest is evaluated over its whole iteration space at once:
each operand is read at the indices that its affine map gives, the body is
applied to the arrays, and reductions are folded in the order of the loops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, linalg, math, tensor
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.parser import Parser

Array = NDArray[Any]

_CASTS = ("arith.extsi", "arith.sitofp", "arith.fptosi", "arith.extf", "arith.truncf")
_DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "i32": np.int32,
    "i8": np.int8,
    "i4": np.int8,
    "i3": np.int8,
    "i2": np.int8,
    "i1": np.bool_,
}
_SCALAR_OPS: dict[str, Callable[..., Array]] = {
    "arith.addi": np.add,
    "arith.andi": np.bitwise_and,
    "arith.muli": np.multiply,
    "arith.maxsi": np.maximum,
    "arith.minimumf": np.minimum,
    "math.absf": np.abs,
    "math.roundeven": np.rint,
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.select": np.where,
    "math.exp": np.exp,
    "math.tanh": np.tanh,
    "math.rsqrt": lambda x: 1.0 / np.sqrt(x),
}
_COMBINERS: dict[str, np.ufunc] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.maximumf": np.maximum,
    "arith.maxsi": np.maximum,
}
_COMPARISONS: dict[int, Callable[..., Array]] = {
    2: np.greater,  # ogt
    4: np.less,  # olt
    9: lambda left, right: ~(left <= right),  # ugt
}


def parse(text: str) -> builtin.ModuleOp:
    """The text as a verified xDSL module; only the dialects that streaming needs are known."""
    context = Context()
    for dialect in (builtin.Builtin, func.Func, linalg.Linalg, arith.Arith, math.Math, tensor.Tensor):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def function_of(module: builtin.ModuleOp) -> func.FuncOp:
    """The only function of the module."""
    (function,) = (op for op in module.body.ops if isinstance(op, func.FuncOp))
    return function


def names(function: func.FuncOp, which: str) -> list[str]:
    """The names in the function attribute ``sttest.<which>``."""
    attribute = function.attributes[f"sttest.{which}"]
    assert isinstance(attribute, builtin.ArrayAttr)
    return [item.data for item in attribute if isinstance(item, builtin.StringAttr)]


def evaluate(module: builtin.ModuleOp, arguments: Mapping[str, Array]) -> dict[str, Array]:
    """Results by name for arguments by name, shapes as in the function's type."""
    function = function_of(module)
    values: dict[SSAValue, Array] = {}
    for value, name in zip(function.args, names(function, "arg_names"), strict=True):
        values[value] = np.asarray(arguments[name])
        assert list(values[value].shape) == _shape(value), f"{name}: {values[value].shape}"
        assert values[value].dtype == _dtype(value), f"{name}: {values[value].dtype}"
    returned = _run_block(function.body.block, values)
    return dict(zip(names(function, "result_names"), returned, strict=True))


def _shape(value: SSAValue) -> list[int]:
    assert isinstance(value.type, builtin.TensorType)
    return list(value.type.get_shape())


def _dtype(value: SSAValue) -> Any:
    kind = value.type
    return np.dtype(_DTYPES[str(kind.get_element_type() if isinstance(kind, builtin.TensorType) else kind)])


def _unwritten(shape: Sequence[int], dtype: Any) -> Array:
    """Whoever reads it before writing is found out."""
    return np.full(shape, np.nan if np.issubdtype(dtype, np.floating) else np.iinfo(dtype).min, dtype)


def _run_block(block: Block, values: dict[SSAValue, Array]) -> list[Array]:
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        if isinstance(op, func.ReturnOp):
            return operands
        values[op.results[0]] = _run_op(op, operands, values)
    raise AssertionError("a function without a return")


def _run_op(op: Operation, operands: Sequence[Array], values: Mapping[SSAValue, Array]) -> Array:
    if isinstance(op, arith.ConstantOp):
        assert isinstance(op.value, builtin.FloatAttr | builtin.IntegerAttr)
        return np.asarray(op.value.value.data, _dtype(op.result))
    if isinstance(op, GenericOp):
        return _run_generic(op, operands, values)
    shape = _shape(op.results[0])
    if isinstance(op, FillOp):
        return np.full(shape, operands[0], _dtype(op.results[0]))
    if isinstance(op, tensor.EmptyOp):
        return _unwritten(shape, _dtype(op.results[0]))
    assert op.name in ("tensor.expand_shape", "tensor.collapse_shape"), op.name
    return operands[0].reshape(shape)


def _run_generic(op: GenericOp, operands: Sequence[Array], values: Mapping[SSAValue, Array]) -> Array:
    maps = [attribute.data for attribute in op.indexing_maps.data]
    extents = _extents(maps, operands)
    grid = np.indices(extents, sparse=True)
    reductions = [d for d, kind in enumerate(op.iterator_types.data) if kind.data == IteratorType.REDUCTION]
    read = [array[_places(m, grid)] for m, array in zip(maps, operands, strict=True)]
    scope = dict(values)
    scope |= dict(zip(op.body.block.args, read, strict=True))
    init = operands[-1]
    if not reductions:
        result = np.broadcast_to(_run_body(op, scope), extents)
        written = _unwritten(init.shape, init.dtype)
        written[_places(maps[-1], grid)] = result
        return written
    return _reduce(op, scope, init, extents, reductions, maps[-1])


def _reduce(op: Any, scope: dict[SSAValue, Array], init: Array, extents: Any, reductions: Any, out: Any) -> Array:
    """Fold a body of the form ``accumulator <combiner> term``, one term after the other."""
    block = op.body.block
    accumulator = block.args[-1]
    last = block.last_op.operands[0].owner
    term = next(operand for operand in last.operands if operand is not accumulator)
    assert accumulator in last.operands
    terms = np.broadcast_to(_value(term, scope), extents)
    combine = _COMBINERS[last.name]
    kept = [d for d in range(len(extents)) if d not in reductions]
    order = [expr.position for expr in out.results]
    assert sorted(order) == kept
    chains = terms.transpose([*reductions, *order]).reshape(-1, *(extents[d] for d in order))
    total = init
    for each in chains:
        total = combine(total, each)
    return total


def _run_body(op: GenericOp, scope: dict[SSAValue, Array]) -> Array:
    last = op.body.block.last_op
    assert last is not None
    return _value(last.operands[0], scope)


def _value(value: SSAValue, scope: dict[SSAValue, Array]) -> Array:
    if value not in scope:
        op = value.owner
        assert isinstance(op, Operation)
        operands = [_value(operand, scope) for operand in op.operands]
        scope[value] = _scalar_op(op, operands)
    return scope[value]


def _scalar_op(op: Operation, operands: Sequence[Array]) -> Array:
    if isinstance(op, arith.ConstantOp):
        return _run_op(op, (), {})
    if isinstance(op, arith.CmpfOp):
        return _COMPARISONS[op.predicate.value.data](*operands)
    if op.name == "arith.bitcast":
        return operands[0].view(_dtype(op.results[0]))
    if op.name in _CASTS:
        found = operands[0].astype(_dtype(op.results[0]))
        assert op.name != "arith.fptosi" or (found == operands[0]).all(), "a value does not fit"
        return found
    return _SCALAR_OPS[op.name](*operands)


def _extents(maps: Sequence[Any], operands: Sequence[Array]) -> tuple[int, ...]:
    extents: dict[int, int] = {}
    for affine_map, array in zip(maps, operands, strict=True):
        for expr, size in zip(affine_map.results, array.shape, strict=True):
            if isinstance(expr, AffineConstantExpr):
                assert (expr.value, size) == (0, 1)
                continue
            assert extents.setdefault(expr.position, size) == size, "two operands disagree on a loop's extent"
    return tuple(extents[d] for d in range(len(extents)))


def _places(affine_map: Any, grid: Sequence[Array]) -> tuple[Any, ...]:
    return tuple(0 if isinstance(expr, AffineConstantExpr) else grid[expr.position] for expr in affine_map.results)
