"""Which linalg ops are contractions (matmuls of any rank): decided once, then kept on the task.

The payload must multiply two operands and sum; ``df.task … contracts`` says
so, and precision and cost follow.  How the loops lie is another question: only
where some loops index one factor alone is there a tile to reuse.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith
from xdsl.dialects.linalg.ops import GenericOp, YieldOp

from sttest.compile.iteration import IterationSpace

# Loops this short (the 2x2 rotations of RoPE) are stepped through, not tiled, and make no contraction.
SHORT_EXTENT = 4


def is_contraction(op: GenericOp, space: IterationSpace) -> bool:
    """Whether the op sums products of its first two inputs over more than a few points."""
    return len(op.inputs) >= 2 and _reduced_points(space) > SHORT_EXTENT and _sums_products(op)


def pairs_loops(space: IterationSpace) -> bool:
    """Whether two inputs share the reduction and some parallel loop indexes only one of them."""
    if _reduced_points(space) <= SHORT_EXTENT:
        return False
    reductions = set(space.reductions())
    factors = [access for access in space.inputs if reductions <= access.loops()]
    if len(factors) < 2:
        return False
    common = set.intersection(*(access.loops() for access in factors))
    return bool(set(space.parallel()) - common) or not space.parallel()


def _reduced_points(space: IterationSpace) -> int:
    return prod(space.extent(loop) for loop in space.reductions())


def _sums_products(op: GenericOp) -> bool:
    """Whether the body is ``accumulator + a * b``."""
    block = op.body.block
    ops = [item for item in block.ops if not isinstance(item, arith.ConstantOp)]
    if [type(item) for item in ops] != [arith.MulfOp, arith.AddfOp, YieldOp]:
        return False
    product, total, end = ops
    left, right, accumulator = block.args[0], block.args[1], block.args[len(op.inputs)]
    return (
        set(product.operands) == {left, right}
        and set(total.operands) == {product.results[0], accumulator}
        and list(end.operands) == list(total.results)
    )
