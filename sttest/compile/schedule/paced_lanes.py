"""Lanes of products of one row with a weight, and of tasks that keep pace with them (docs/how-it-works/tiling.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from xdsl.dialects.builtin import ModuleOp

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.linalg.loop_choices import columns_per_cycle, is_gemv
from sttest.compile.schedule.operators import step_interval
from sttest.compile.schedule.reductions import steps_of_tile
from sttest.compile.spaces.lane_matching import RateFacts, paced_lanes
from sttest.compile.spaces.tiling import lane_choices


@dataclass(frozen=True)
class PacedLanes:
    """Lanes by task: of the products, and of those that keep their pace."""

    products: Mapping[str, int] = field(default_factory=dict[str, int])
    followers: Mapping[str, int] = field(default_factory=dict[str, int])

    def of(self, task: str) -> int:
        """Lanes of a task; 0 where they are open."""
        return self.products.get(task, 0) or self.followers.get(task, 0)


def paced_by_products(module: ModuleOp, gemv_lanes: int, library: Mapping[str, Operator]) -> PacedLanes:
    """Lanes of the products of one row with a weight and of what follows them; none where there is no such product.

    Args:
        module: module at the itensor level, one task per kernel.
        gemv_lanes: lanes of a product.
        library: operators that running sums are timed with.
    """
    tasks = {task: kernel for kernel in all_of(module, df.KernelOp) for task in all_of(kernel, df.TaskOp)}
    products = {
        task.sym_name.data: max(lanes for lanes in lane_choices(task.tile_sizes) if lanes <= gemv_lanes)
        for task, kernel in tasks.items()
        if is_gemv(kernel, task)
    }
    if not products:
        return PacedLanes()
    columns = max(columns_per_cycle(task, gemv_lanes) for task in tasks if task.sym_name.data in products)
    facts = [_facts(task, kernel, columns, library) for task, kernel in tasks.items()]
    return PacedLanes(products, paced_lanes(facts, products))


def _facts(task: df.TaskOp, kernel: df.KernelOp, columns: int, library: Mapping[str, Operator]) -> RateFacts:
    lanes = lane_choices(task.tile_sizes)
    producers = [value.owner for value in kernel.inputs if isinstance(value.owner, df.KernelOp)]
    return RateFacts(
        task.sym_name.data,
        lanes,
        tuple(steps_of_tile(task, each) * step_interval(task, each, library) for each in lanes),
        task.iterations,
        task.iterations_per_result,
        max(task.writes(number) for number in range(len(task.produced))),
        tuple(dict.fromkeys(each.sym_name.data for each in producers)),
        None if task.is_contraction else Fraction(task.tile_points, columns),
    )
