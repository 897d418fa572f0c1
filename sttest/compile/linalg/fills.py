"""`linalg.fill` as `linalg-generalize-named-ops` leaves it, a generic that yields one constant, made a fill again."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import Rewriter


def name_fills(module: ModuleOp) -> None:
    """Replaces every generic that writes one constant scalar everywhere."""
    for op in [op for op in module.walk() if isinstance(op, GenericOp)]:
        scalar = _filled(op)
        if scalar is not None:
            Rewriter.replace_op(op, FillOp([scalar], [op.outputs[0]], [op.results[0].type]))


def _filled(op: GenericOp) -> SSAValue | None:
    """The constant that the op writes; None for any other op."""
    end = op.body.block.last_op
    if len(op.results) != 1 or not isinstance(end, YieldOp) or op.body.block.first_op is not end:
        return None
    (scalar,) = end.operands
    if isinstance(scalar, BlockArgument) and scalar.block is op.body.block:
        scalar = op.operands[scalar.index]
    is_scalar = not isinstance(scalar.type, TensorType)
    return scalar if is_scalar and isinstance(scalar.owner, arith.ConstantOp) else None
