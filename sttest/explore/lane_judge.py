"""Designs of one block that differ in their lanes, judged by compiling and simulating them: what a descent asks."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sttest.boards.operators import operators
from sttest.boards.resources import Resources, total
from sttest.compile.compiler import CompiledDesign, StagedCompiler
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import DesignResources, design_resources, die_under, refuse_ports
from sttest.compile.schedule.paced_lanes import paced_by_products
from sttest.compile.spaces.partition import any_partition
from sttest.compile.spaces.tiling import lane_choices
from sttest.core.errors import DoesNotFitError
from sttest.explore.descent import Judged, Lanes, Profile
from sttest.explore.evaluate import REFUSALS
from sttest.explore.space import resolved
from sttest.sim import simulate
from sttest.sim.critical_path import breakdown

# A product's sums over groups of weights are as wide as the product's results.
_GROUPS = "_groups"


@dataclass(frozen=True)
class _Made:
    """A compiled design with what it takes."""

    design: CompiledDesign
    taken: DesignResources

    @property
    def budget(self) -> Resources:
        """What it may take of all SLRs."""
        return total(die_under(self.design, self.taken).budgets)


class LaneJudge:
    """The designs of a block with some options, by the lanes of their engines.

    Args:
        compiler: compiler of the block.
        base: all options but the lanes.

    Raises:
        SttestError: the block cannot be tiled so, or given lanes.
    """

    def __init__(self, compiler: StagedCompiler, base: CompileOptions) -> None:
        self.base, self._compiler = base, compiler
        self._library = operators(compiler.board)
        self._tasks: dict[str, list[df.TaskOp]] = {}
        for task in all_of(compiler.tiled(base).module, df.TaskOp):
            self._tasks.setdefault(_engine(task), []).append(task)
        self._last: tuple[CompileOptions, _Made] | None = None

    @cached_property
    def start(self) -> dict[str, int]:
        """Lanes by engine as the compiler hands them out; those of the base where it names them."""
        tasks = all_of(self._compiler.laned(self.base), df.TaskOp)
        return {_engine(task): task.lane_count for task in tasks}

    @cached_property
    def choices(self) -> dict[str, tuple[int, ...]]:
        """Admissible lanes of the engines that have a choice.

        Products of one row with a weight have the lanes of the base, and with them the sums over their groups.
        """
        module = self._compiler.tiled(self.base).module
        products = (
            paced_by_products(module, self.base.gemv_lanes, self._library).products if self.base.gemv_lanes else {}
        )
        held = {*products, *(f"{name}{_GROUPS}" for name in products)}
        found = {
            engine: lane_choices(tasks[0].tile_sizes)
            for engine, tasks in self._tasks.items()
            if not any(task.sym_name.data in held for task in tasks)
        }
        return {engine: choices for engine, choices in found.items() if len(choices) > 1}

    def tasks_of(self, engine: str) -> list[str]:
        """Names of the tasks that take turns on an engine, or of the one whose own it is."""
        return [task.sym_name.data for task in self._tasks[engine]]

    def options(self, lanes: Lanes) -> CompileOptions:
        """The options from which alone the design can be made again."""
        tasks = all_of(self._compiler.tiled(self.base).module, df.TaskOp)
        return resolved(self.base, {task.sym_name.data: lanes[_engine(task)] for task in tasks})

    def judge(self, lanes: Lanes) -> Judged | None:
        """Cycles of a launch and shares of all SLRs' budgets; None where there is no such design."""
        try:
            made = self._made(lanes)
        except REFUSALS:
            return None
        run = simulate(made.design.graph)
        if run.cycles is None:
            return None
        return Judged(run.cycles, made.taken.total.shares_of(made.budget))

    def fits(self, lanes: Lanes) -> bool:
        """Whether every process has its place on an SLR."""
        made = self._made(lanes)
        try:
            refuse_ports(made.design, made.taken)
            any_partition(made.taken.processes(), made.taken.links(), die_under(made.design, made.taken))
        except DoesNotFitError:
            return False
        return True

    def profile(self, lanes: Lanes) -> Profile:
        """Shares of the engines' logic, and their cycles on the critical path."""
        made = self._made(lanes)
        shares = {node.name: node.logic.shares_of(made.budget) for node in made.taken.nodes}
        cycles = Counter(breakdown(simulate(made.design.graph, record=True)).by_process)
        return Profile(_of(self._tasks, shares), {engine: cycles[engine] for engine in self._tasks})

    def _made(self, lanes: Lanes) -> _Made:
        """The design; the last one is kept, for whoever judges a design often asks more of it."""
        options = self.options(lanes)
        if self._last is None or self._last[0] != options:
            design = self._compiler.design(options)
            self._last = (options, _Made(design, design_resources(design)))
        return self._last[1]


def _of(engines: Mapping[str, object], shares: Mapping[str, Resources]) -> dict[str, Resources]:
    return {engine: shares.get(engine, Resources()) for engine in engines}


def _engine(task: df.TaskOp) -> str:
    """What has the lanes of a task: its engine, or itself."""
    return task.sym_name.data if task.engine is None else task.engine.data
