"""What the quantiser recognises in linalg text."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from sttest.compile.names import source_of
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


def writer_of(value: SSAValue) -> str:
    """The module that computes a tensor; empty for an argument."""
    owner = value.owner
    return source_of(owner) if isinstance(owner, Operation) else ""


def is_softmax_weight(value: SSAValue) -> bool:
    """Whether a tensor is ``exp(x - maximum)``: in [0, 1], without waiting for a peak."""
    op = value.owner
    if not isinstance(op, GenericOp):
        return False
    exponential = _yielded(op)
    if not isinstance(exponential, math.ExpOp):
        return False
    difference = exponential.operand.owner
    if not isinstance(difference, arith.SubfOp) or not isinstance(difference.rhs, BlockArgument):
        return False
    if difference.rhs.owner is not op.body.block or difference.rhs.index >= len(op.inputs):
        return False
    return _is_maximum(chain_of(op.inputs[difference.rhs.index])[-1])


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
