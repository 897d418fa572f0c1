"""Products of few rows with a weight: the nest that an engine of many lanes is given (docs/tiling.md).

Groups of the weight lie outermost, then tiles of columns, then the rest of the
sum: partial sums of all columns leave before the next group begins, so whoever
adds them up meets the same column again only after all others.  A sum in
floating point without groups lies around the columns for the same reason; one
of integers is back in a cycle, and inside them its results come one by one.
All rows lie in one tile, so that a weight is read once for all of them.
"""

from __future__ import annotations

from collections.abc import Set
from math import prod

from xdsl.ir import BlockArgument

from sttest.compile.dialects.df import KernelOp, TaskOp
from sttest.compile.linalg.contraction import roles_of, weight_of
from sttest.compile.linalg.iteration import IterationSpace, shape_of
from sttest.compile.linalg.task_facts import work
from sttest.compile.linalg.token_rows import MAX_ROWS
from sttest.compile.loops.loop_nest import LoopNest, is_dense, sums_floats
from sttest.compile.spaces.gemv import gemv_tile, pace_lanes, power_of_two_in


def gemv_nest(space: IterationSpace, lanes: int) -> LoopNest | None:
    """The nest of a contraction on an engine of so many lanes; None where it is none of few rows with a weight."""
    roles = roles_of(space)
    rows = prod(space.extent(loop) for loop in roles.rows)
    if weight_of(space) is None or rows > MAX_ROWS or roles.batch or not roles.columns:
        return None
    widest = max(roles.columns, key=space.extent)
    reductions = space.reductions()
    shape = gemv_tile(space.extent(widest), prod(space.extent(loop) for loop in reductions), lanes, rows)
    tile = dict.fromkeys(space.order, 1) | {loop: space.extent(loop) for loop in roles.rows} | {widest: shape.columns}
    left = shape.summed
    for loop in reversed(reductions):
        tile[loop] = min(left, power_of_two_in(space.extent(loop)))
        if not is_dense(space, tile):
            tile[loop] = 1
        left = left // tile[loop] if tile[loop] == space.extent(loop) else 1
    if roles.groups:
        return LoopNest(space, (*roles.groups, *roles.rows, *roles.columns, *reductions), tile, reordered=True)
    if sums_floats(space):
        return LoopNest(space, (*reductions, *roles.rows, *roles.columns), tile, reordered=True)
    return LoopNest(space, (*roles.rows, *roles.columns, *reductions), tile)


def vector_tile(space: IterationSpace, lanes: int, whole: Set[int]) -> int | None:
    """Points per tile of a task on vectors, as wide as the widest engine's result; None for other tasks.

    Args:
        space: its loops, one of them besides the one over the vectors.
        lanes: of the engines.
        whole: the loop over the vectors, none for a single one.
    """
    along = [loop for loop in space.order if loop not in whole]
    if len(along) != 1:
        return None
    rows = prod(space.extent(loop) for loop in whole)
    return gemv_tile(space.extent(along[0]), 1 << 30, lanes, rows).columns


def is_gemv(kernel: KernelOp, task: TaskOp) -> bool:
    """Whether a task uses every element of a weight once per row, in all of few rows at once."""
    if not task.is_contraction:
        return False
    right = kernel.inputs[1]
    if not isinstance(right, BlockArgument) or len(shape_of(right)) != 2:
        return False
    rows, left = divmod(work(task), prod(shape_of(right)))
    return not left and rows <= MAX_ROWS


def columns_per_cycle(task: TaskOp, lanes: int) -> int:
    """Results that a product on an engine completes per cycle, one for each row and column."""
    return pace_lanes(task.reduction_points, lanes)
