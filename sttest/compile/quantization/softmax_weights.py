"""What of a program is a softmax's ``exp(x - maximum)``, whose values are in [0, 1] whatever ``x`` is.

They need no peak to be measured: a constant scale holds them. That is so only where the maximum is one over ``x``, and
where each ``x`` is among those that its maximum is over.
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from sttest.compile.linalg.tensor_build import Operand
from sttest.compile.quantization.grouping import chain_of, loop_of, over_dims, yielded

# Where an operation reads a tensor: per dim an expression of the exponential's loops, or None for all of the dim.
_Read = tuple[AffineExpr | None, ...]
_GREATER = {2, 3, 9, 10}  # ogt, oge, ugt, uge
_LESS = {4, 5, 11, 12}  # olt, ole, ult, ule


def is_softmax_weight(value: SSAValue) -> bool:
    """Whether a tensor is ``exp(x - maximum)``: in [0, 1], without waiting for a peak."""
    return softmax_scores(value) is not None


def softmax_scores(value: SSAValue) -> Operand | None:
    """The ``x`` of a tensor ``exp(x - maximum)`` and how the tensor's dims index it; None of any other tensor."""
    op = value.owner
    if not isinstance(op, GenericOp):
        return None
    exponential = yielded(op)
    difference = exponential.operand.owner if isinstance(exponential, math.ExpOp) else None
    if not isinstance(difference, arith.SubfOp):
        return None
    scores, maximum = (_input_of(op, operand) for operand in difference.operands)
    if scores is None or maximum is None or not _is_maximum(maximum[0], maximum[1].results, scores):
        return None
    return scores[0], over_dims(scores[1], op.indexing_maps.data[-1].data)


def _input_of(op: GenericOp, scalar: SSAValue) -> Operand | None:
    """The input that a scalar of the body is an element of, over the op's loops; None where something computes it."""
    if not isinstance(scalar, BlockArgument) or scalar.owner is not op.body.block or scalar.index >= len(op.inputs):
        return None
    return op.inputs[scalar.index], op.indexing_maps.data[scalar.index].data


def _is_maximum(value: SSAValue, read: _Read, scores: Operand) -> bool:
    """Whether what is read of ``value`` is a maximum over elements among which the scores' own is.

    Behind a view dims are not followed: there it is enough that the maximum is of the same tensor.
    """
    *views, root = chain_of(value)
    if root is chain_of(scores[0])[-1]:
        return bool(views) or len(chain_of(scores[0])) > 1 or _is_among(read, scores[1])
    op = root.owner
    if not isinstance(op, GenericOp) or not isinstance(root, OpResult) or not _takes_the_larger(op, root.index):
        return False
    written = () if views else enumerate(op.indexing_maps.data[len(op.inputs) + root.index].data.results)
    place = {loop: read[dim] for dim, expr in written if (loop := loop_of(expr)) is not None}
    return any(
        _is_maximum(operand, tuple(_at(place, expr) for expr in access.data.results), scores)
        for operand, access in zip(op.inputs, op.indexing_maps.data, strict=False)
    )


def _at(place: dict[int, AffineExpr | None], expr: AffineExpr) -> AffineExpr | None:
    loop = loop_of(expr)
    return None if loop is None else place.get(loop)


def _is_among(read: _Read, access: AffineMap) -> bool:
    return all(found is None or found == own for found, own in zip(read, access.results, strict=True))


def _takes_the_larger(op: GenericOp, result: int) -> bool:
    """Whether the body yields the larger of two of its scalars as that result."""
    last = yielded(op, result)
    if isinstance(last, arith.MaximumfOp | arith.MaxnumfOp):
        return all(isinstance(operand, BlockArgument) for operand in last.operands)
    if not isinstance(last, arith.SelectOp) or not isinstance(last.cond.owner, arith.CmpfOp):
        return False
    compared, predicate = last.cond.owner, last.cond.owner.predicate.value.data
    chosen = (last.lhs, last.rhs)
    in_order, swapped = (compared.lhs, compared.rhs), (compared.rhs, compared.lhs)
    return (chosen == in_order and predicate in _GREATER) or (chosen == swapped and predicate in _LESS)
