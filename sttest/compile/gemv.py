"""Products of one row with a weight: the nest that an engine of many lanes is given (docs/tiling.md).

Groups of the weight lie outermost, then tiles of columns, then the rest of the
sum: partial sums of all columns leave before the next group begins, so whoever
adds them up meets the same column again only after all others.  A sum in
floating point without groups lies around the columns for the same reason; one
of integers is back in a cycle, and inside them its results come one by one.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import BlockArgument

from sttest.compile.contraction import roles_of, weight_of
from sttest.compile.dialects.df import KernelOp, TaskOp
from sttest.compile.iteration import IterationSpace, shape_of
from sttest.compile.loop_nest import LoopNest, is_dense, sums_floats
from sttest.compile.spaces.gemv import gemv_tile, pace_lanes, power_of_two_in
from sttest.compile.task_facts import work


def gemv_nest(space: IterationSpace, lanes: int) -> LoopNest | None:
    """The nest of a contraction on an engine of so many lanes; None where it is no product of one row with a weight."""
    roles = roles_of(space)
    if weight_of(space) is None or roles.rows or roles.batch or not roles.columns:
        return None
    widest = max(roles.columns, key=space.extent)
    reductions = space.reductions()
    shape = gemv_tile(space.extent(widest), prod(space.extent(loop) for loop in reductions), lanes)
    tile = dict.fromkeys(space.order, 1) | {widest: shape.columns}
    left = shape.summed
    for loop in reversed(reductions):
        tile[loop] = min(left, power_of_two_in(space.extent(loop)))
        if not is_dense(space, tile):
            tile[loop] = 1
        left = left // tile[loop] if tile[loop] == space.extent(loop) else 1
    if roles.groups:
        return LoopNest(space, (*roles.groups, *roles.columns, *reductions), tile, reordered=True)
    if sums_floats(space):
        return LoopNest(space, (*reductions, *roles.columns), tile, reordered=True)
    return LoopNest(space, (*roles.columns, *reductions), tile)


def vector_tile(space: IterationSpace, lanes: int) -> int | None:
    """Points per tile of a task on one row, as wide as the widest engine's result; None for other tasks."""
    if len(space.order) != 1:
        return None
    return gemv_tile(space.extent(space.order[0]), 1 << 30, lanes).columns


def is_gemv(kernel: KernelOp, task: TaskOp) -> bool:
    """Whether a task uses every element of a weight once."""
    if not task.is_contraction:
        return False
    weights = [value for value in kernel.inputs if isinstance(value, BlockArgument)]
    return any(len(shape_of(each)) == 2 and prod(shape_of(each)) == work(task) for each in weights)


def columns_per_cycle(task: TaskOp, lanes: int) -> int:
    """Columns that a matrix-vector product on an engine completes per cycle."""
    return pace_lanes(task.reduction_points, lanes)
