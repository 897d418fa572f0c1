"""Which linalg ops are contractions (matmuls of any rank): decided once, then kept on the task.

The payload must multiply two operands, in floating point or as integers, and
sum; ``df.task … contracts`` says so.  How the loops lie is another question:
only where some loops index one factor alone is there a tile to reuse.
"""

from collections import Counter
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, func
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import BlockArgument, SSAValue

from sttest.compile.assumptions import MAX_ROWS, SHORT_EXTENT
from sttest.compile.dialects import df
from sttest.compile.linalg.iteration import IN_TURN, IterationSpace, LinalgAccess, is_view


def is_contraction(op: GenericOp, space: IterationSpace) -> bool:
    """Whether the op sums products of its first two inputs, of one point or more, and turns no planes by them.

    Sums of groups, each under its scale, are none: few terms come, one after the other.
    """
    return len(op.inputs) >= 2 and IN_TURN not in op.attributes and _sums_products(op) and not _is_rotation(space)


def pairs_loops(space: IterationSpace) -> bool:
    """Whether two inputs share the reduction and some parallel loop indexes only one of them."""
    reductions = set(space.reductions())
    factors = [access for access in space.inputs if reductions <= access.loops()]
    if len(factors) < 2 or _is_rotation(space):
        return False
    common = set.intersection(*(access.loops() for access in factors))
    return bool(set(space.parallel()) - common) or not space.parallel()


@dataclass(frozen=True)
class Roles:
    """What the parallel loops of a contraction are, each in the op's order."""

    batch: tuple[int, ...]  # index both factors, and lie before rows and columns
    # rows, columns: index the left factor alone, or not the left one
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    # index both factors: parts of the sum (`iteration.CHUNK_LOOP`), a row's one after the other.
    chunks: tuple[int, ...]
    # index both factors, behind rows and columns: parts of the sum, of a result one after the other
    groups: tuple[int, ...]


def roles_of(space: IterationSpace) -> Roles:
    """The roles of a contraction's loops; see :func:`pairs_loops`."""
    left, right = (access.loops() for access in factors_of(space))
    parallel = space.parallel()
    shared = [loop for loop in parallel if loop in left & right]
    rows = tuple(loop for loop in parallel if loop in left - right)
    columns = tuple(loop for loop in parallel if loop not in left)
    last = max((parallel.index(loop) for loop in (*rows, *columns)), default=len(parallel))
    groups = tuple(loop for loop in shared if parallel.index(loop) > last)
    chunks = tuple(loop for loop in shared if loop == space.chunk_loop and loop not in groups)
    return Roles(tuple(loop for loop in shared if loop not in (*groups, *chunks)), rows, columns, chunks, groups)


def weight_of(space: IterationSpace) -> LinalgAccess | None:
    """The right factor, [in, out], where it is a rank-2 argument of the function."""
    weight = factors_of(space)[1]
    return weight if isinstance(weight.root, BlockArgument) and len(weight.shape) == 2 else None


def factors_of(space: IterationSpace) -> list[LinalgAccess]:
    """The two inputs whose products are summed: those that all reductions index."""
    reductions = set(space.reductions())
    return [access for access in space.inputs if reductions <= access.loops()][:2]


def _is_rotation(space: IterationSpace) -> bool:
    """Whether few points are summed for each element of a shared dim behind them: RoPE's rotations of planes."""
    if _reduced_points(space) > SHORT_EXTENT:
        return False
    return len(factors_of(space)) < 2 or bool(roles_of(space).groups)


def _reduced_points(space: IterationSpace) -> int:
    return prod(space.extent(loop) for loop in space.reductions())


def _sums_products(op: GenericOp) -> bool:
    """Whether the body is ``accumulator + a * b``, in integers or not, the product perhaps scaled by another input."""
    block = op.body.block
    total = block.last_op.operands[0].owner if isinstance(block.last_op, YieldOp) else None
    accumulator = block.args[len(op.inputs)]
    if not isinstance(total, arith.AddfOp | arith.AddiOp) or accumulator not in total.operands:
        return False
    terms = [operand for operand in total.operands if operand is not accumulator]
    return len(terms) == 1 and _is_product(terms[0], {block.args[0], block.args[1]})


def _is_product(term: SSAValue, factors: set[SSAValue]) -> bool:
    op = term.owner
    if not isinstance(op, arith.MulfOp | arith.MuliOp):
        return False
    if {_unextended(operand) for operand in op.operands} == factors:
        return True
    left = op.operands[0].owner
    return isinstance(left, arith.SIToFPOp) and _is_product(left.input, factors)


def _unextended(scalar: SSAValue) -> SSAValue:
    owner = scalar.owner
    if isinstance(owner, arith.ExtSIOp | arith.SIToFPOp | arith.ExtFOp) and isinstance(owner.input, BlockArgument):
        return owner.input
    return scalar


# --- What a `df.task` says of itself: its arithmetic and its work


def operations(task: df.TaskOp) -> Counter[str]:
    """Scalar operations of one payload evaluation by short name (``mulf``, ``exp``), constants left out."""
    ops = (op for op in task.payload.block.ops if not isinstance(op, df.YieldOp | arith.ConstantOp))
    return Counter(op.name.split(".")[-1] for op in ops)


def work(task: df.TaskOp) -> int:
    """Payload evaluations of one run."""
    return task.iterations * task.tile_points


# --- Tokens that a function takes at once, where these are few: the rows of its products with weights


def token_rows(function: func.FuncOp) -> int:
    """Rows of every product of few rows with a weight; 1 where they differ, or where there is none."""
    found: set[int] = set()
    for op in function.body.block.ops:
        if not isinstance(op, GenericOp) or is_view(op):
            continue
        space = IterationSpace(op)
        if is_contraction(op, space) and pairs_loops(space) and weight_of(space) is not None:
            found.add(prod(space.extent(loop) for loop in roles_of(space).rows))
    rows = found.pop() if len(found) == 1 else 1
    return rows if rows <= MAX_ROWS else 1


def row_loop(space: IterationSpace, rows: int) -> frozenset[int]:
    """The loop over so many tokens, the outermost one; none for a single token."""
    first = space.parallel()[:1]
    return frozenset(loop for loop in first if rows > 1 and space.extent(loop) == rows)
