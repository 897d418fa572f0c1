"""What a linalg text computes, with numpy's einsum and views: nothing of the compiler's but its parser.

Reductions are those of `linalg_programs`: a product or a term that is added to the running value, or its maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import FloatAttr, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from sttest.compile.opt import parse

Array = NDArray[Any]
_SCALAR: dict[str, Callable[..., Array]] = {
    "arith.addf": np.add,
    "arith.mulf": np.multiply,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "math.roundeven": np.round,
    "math.exp": lambda x: np.exp(np.asarray(x, np.float64)).astype(np.float32),
}


def values_of(text: str, tensors: Mapping[str, Array]) -> list[Array]:
    """The results of the text's only function, arguments by the names that they have there."""
    function = next(op for op in parse(text, "text").walk() if isinstance(op, func.FuncOp))
    known: dict[SSAValue, Array] = {
        value: tensors.get(value.name_hint or "", np.zeros(_shape(value), np.float32)) for value in function.args
    }
    for op in function.body.block.ops:
        if isinstance(op, func.ReturnOp):
            return [known[value] for value in op.operands]
        known[op.results[0]] = _value(op, known)
    raise AssertionError("a function without a return")


def _value(op: Operation, known: Mapping[SSAValue, Array]) -> Array:
    if isinstance(op, arith.ConstantOp):
        assert isinstance(op.value, FloatAttr)
        return np.float32(op.value.value.data)
    if isinstance(op, linalg.GenericOp):
        return _generic(op, known)
    if isinstance(op, linalg.FillOp):
        return np.full(_shape(op.results[0]), known[op.operands[0]], np.float32)
    if isinstance(op, tensor.EmptyOp):
        return np.full(_shape(op.tensor), np.nan, np.float32)
    if isinstance(op, tensor.ConcatOp):
        return np.concatenate([known[part] for part in op.inputs], axis=op.dim.value.data)
    return known[op.operands[0]].reshape(_shape(op.results[0]))


def _generic(op: linalg.GenericOp, known: Mapping[SSAValue, Array]) -> Array:
    """Every operand over all loops, then the body, one point of the reductions after the other; sums are pairwise."""
    maps = [[expr.position for expr in attribute.data.results] for attribute in op.indexing_maps.data]
    rank = len(op.iterator_types.data)
    extents = {
        loop: size
        for dims, value in zip(maps, op.operands, strict=True)
        for loop, size in zip(dims, known[value].shape, strict=True)
    }
    shape = [extents[loop] for loop in range(rank)]
    reduced = [loop for loop, kind in enumerate(op.iterator_types.data) if kind.data.value == "reduction"]
    kept = [loop for loop in range(rank) if loop not in reduced]
    operands = [_spread(known[value], dims, shape) for value, dims in zip(op.operands, maps, strict=True)]
    # Reductions first: one point of them is one array of all that is kept.
    points = [value.transpose(reduced + kept).reshape(-1, *(shape[loop] for loop in kept)) for value in operands]
    running = points[-1][0]
    adds = any(isinstance(each, arith.AddfOp) and op.body.block.args[-1] in each.operands for each in op.body.block.ops)
    if reduced and adds:
        nothing = np.full_like(running, -0.0)
        terms = [_body(op.body.block, [*arguments, nothing]) for arguments in zip(*points[:-1], strict=True)]
        running = _pairwise(terms)
        points = []
    for point in range(len(points[0]) if points else 0):
        running = _body(op.body.block, [*(value[point] for value in points[:-1]), running])
    return running.transpose([kept.index(loop) for loop in maps[-1]])


def _pairwise(terms: list[Array]) -> Array:
    """The sum of the last terms, as many as the largest power of two, and of those before, in the same way."""
    if len(terms) == 1:
        return terms[0]
    half = 1 << ((len(terms) - 1).bit_length() - 1)
    return _pairwise(terms[:-half]) + _pairwise(terms[-half:])


def _spread(values: Array, dims: list[int], shape: list[int]) -> Array:
    """An operand over all loops, row-major."""
    ordered = values.transpose(np.argsort(dims)) if dims else values
    sizes = [size if loop in dims else 1 for loop, size in enumerate(shape)]
    return np.broadcast_to(ordered.reshape(sizes), shape)


def _body(block: Block, arguments: list[Array]) -> Array:
    scope: dict[SSAValue, Array] = dict(zip(block.args, arguments, strict=True))
    for op in block.ops:
        if isinstance(op, linalg.YieldOp):
            return np.broadcast_to(scope[op.operands[0]], arguments[-1].shape).astype(np.float32)
        if isinstance(op, arith.ConstantOp):
            scope[op.results[0]] = _value(op, {})
        else:
            scope[op.results[0]] = _SCALAR[op.name](*(scope[operand] for operand in op.operands))
    raise AssertionError("a body without a yield")


def _shape(value: SSAValue) -> list[int]:
    assert isinstance(value.type, TensorType)
    return list(value.type.get_shape())
