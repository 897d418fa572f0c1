"""What the quantiser recognises in linalg text."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from sttest.compile.ir.names import source_of
from sttest.compile.linalg.iteration import dims_of
from sttest.compile.linalg.linalg_build import Operand
from sttest.compile.quantisation.grouping import chain_of


def loop_of(expr: AffineExpr) -> int | None:
    """The loop that walks a dim; None where the dim has one element."""
    return expr.position if isinstance(expr, AffineDimExpr) else None


def reduction_loops(op: GenericOp) -> frozenset[int]:
    """Numbers of the loops that reduce."""
    kinds = [kind.data.value for kind in op.iterator_types]
    return frozenset(loop for loop, kind in enumerate(kinds) if kind == "reduction")


def summed_dims(op: GenericOp, access: AffineMap) -> frozenset[int]:
    """The dims of an operand along which a contraction sums."""
    reductions = reduction_loops(op)
    return frozenset(dim for dim, expr in enumerate(access.results) if loop_of(expr) in reductions)


def over_dims(access: AffineMap, of: AffineMap) -> AffineMap:
    """An access over the dims of a tensor that the loops index by ``of``, instead of over the loops."""
    place = {loop: dim for dim, loop in enumerate(dims_of(of))}
    results = (
        AffineExpr.dimension(place[expr.position]) if isinstance(expr, AffineDimExpr) else expr
        for expr in access.results
    )  # fmt: skip
    return AffineMap(len(of.results), 0, tuple(results))


def writer_of(value: SSAValue) -> str:
    """The module that computes a tensor; empty for an argument."""
    owner = value.owner
    return source_of(owner) if isinstance(owner, Operation) else ""


def is_softmax_weight(value: SSAValue) -> bool:
    """Whether a tensor is ``exp(x - maximum)``: in [0, 1], without waiting for a peak."""
    return softmax_scores(value) is not None


def softmax_scores(value: SSAValue) -> Operand | None:
    """The ``x`` of a tensor ``exp(x - maximum)`` and how the tensor's dims index it; None of any other tensor."""
    op = value.owner
    if not isinstance(op, GenericOp):
        return None
    exponential = _yielded(op)
    difference = exponential.operand.owner if isinstance(exponential, math.ExpOp) else None
    if not isinstance(difference, arith.SubfOp):
        return None
    scores, maximum = (_input_of(op, operand) for operand in difference.operands)
    if scores is None or maximum is None or not _is_maximum(chain_of(maximum[0])[-1]):
        return None
    return scores[0], over_dims(scores[1], op.indexing_maps.data[-1].data)


def _input_of(op: GenericOp, scalar: SSAValue) -> Operand | None:
    """The input that a scalar of the body is an element of, over the op's loops; None where something computes it."""
    if not isinstance(scalar, BlockArgument) or scalar.owner is not op.body.block or scalar.index >= len(op.inputs):
        return None
    return op.inputs[scalar.index], op.indexing_maps.data[scalar.index].data


def _is_maximum(value: SSAValue) -> bool:
    """A maximum along a dim, or the larger of one and of something else."""
    op = value.owner
    if not isinstance(op, GenericOp):
        return False
    last = _yielded(op)
    return isinstance(last, arith.MaximumfOp) or (
        isinstance(last, arith.SelectOp) and isinstance(last.cond.owner, arith.CmpfOp)
    )


def sums_its_input(op: GenericOp) -> bool:
    """Whether an op only adds up elements of its one input, from 0."""
    last, fill = _yielded(op), op.outputs[0].owner
    if len(op.inputs) != 1 or not reduction_loops(op) or not isinstance(last, arith.AddfOp):
        return False
    if set(last.operands) != set(op.body.block.args) or not isinstance(fill, FillOp):
        return False
    start = fill.inputs[0].owner
    return isinstance(start, arith.ConstantOp) and isinstance(start.value, FloatAttr) and start.value.value.data == 0.0


def _yielded(op: GenericOp) -> Operation | None:
    """The op whose result the body yields; None where it yields an argument."""
    last = op.body.block.last_op
    owner = last.operands[0].owner if last is not None and last.operands else None
    return owner if isinstance(owner, Operation) else None
