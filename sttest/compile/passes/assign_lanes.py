"""`assign-lanes`: intensity-aware unrolling, the tiling space's decision written onto the tasks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.linalg.contraction import work
from sttest.compile.schedule.operators import payload_operators, step_interval
from sttest.compile.schedule.paced_lanes import PacedLanes, paced_by_products
from sttest.compile.spaces.tiling import TilingFacts, allocate_unroll, lane_choices
from sttest.core.errors import InputError, did_you_mean


@dataclass(frozen=True)
class AssignLanes(ModulePass):
    """Spreads ``overall_unroll`` lanes over the tasks, or takes the lanes that another shape was given.

    Every task starts with ``first_lanes`` (the documented default unroll of
    16: one row of a tile); the budget then goes to the slowest, step by step,
    up to ``most_lanes`` of one task, where that is not 0.
    ``fixed`` (``name:lanes``) sets lanes instead: one bitstream serves many
    shapes, so the lanes chosen at one shape hold at the others.
    ``gemv_lanes`` are the lanes of products of one row with a weight, which
    the budget does not cover; tasks that follow them keep their pace.
    Each of several ``cards`` has that budget.
    """

    name = "assign-lanes"

    overall_unroll: int = 4096
    first_lanes: int = 16
    fixed: tuple[str, ...] = ()
    gemv_lanes: int = 0
    most_lanes: int = 0
    cards: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``lanes`` on every task.

        Raises:
            DoesNotFitError: the budget does not cover the first lanes.
            InputError: ``fixed`` names a task that is not there, or misses one.
        """
        tasks = all_of(op, df.TaskOp)
        lanes = self._given(tasks) if self.fixed else self._chosen(op, tasks)
        for task in tasks:
            task.properties["lanes"] = df.i64_attr(lanes[task.sym_name.data])

    def _chosen(self, module: ModuleOp, tasks: Sequence[df.TaskOp]) -> dict[str, int]:
        engines = _by_engine(tasks)
        _, library = load_operators(OPERATORS_FILE)
        paced = paced_by_products(module, self.gemv_lanes, library) if self.gemv_lanes else PacedLanes()
        facts = [_settled(members, paced) or self._facts(members) for members in engines.values()]
        lanes = allocate_unroll(facts, self.cards * self.overall_unroll)
        return {task.sym_name.data: lanes[name] for name, members in engines.items() for task in members}

    def _facts(self, members: Sequence[df.TaskOp]) -> TilingFacts:
        """The facts of a task, or of tasks that share an engine: they are alike, and work one after the other."""
        task = members[0]
        choices = lane_choices(task.tile_sizes)
        most = self.most_lanes or choices[-1]
        first = max(choice for choice in choices if choice <= min(self.first_lanes, most))
        choices = tuple(choice for choice in choices if first <= choice <= most)
        _, library = load_operators(OPERATORS_FILE)
        intervals = tuple(step_interval(task, choice, library) for choice in choices)
        # The budget counts multiply-accumulates; one in floating point takes more DSPs than two of int4 share.
        dsps = sum(library[name].area.dsp * count for name, count in payload_operators(task).items())
        weight = max(1.0, dsps) if task.is_contraction else 1.0
        return TilingFacts(_engine(task), sum(map(work, members)), choices, weight, intervals=intervals)

    def _given(self, tasks: Sequence[df.TaskOp]) -> dict[str, int]:
        given = dict(self._entry(entry) for entry in self.fixed)
        for task in tasks:
            name = task.sym_name.data
            if name not in given:
                raise InputError(
                    "no-lanes", f"no lanes are given for task '{name}'", where=self.name,
                    hints=[did_you_mean(name, given)],
                )  # fmt: skip
            if math.prod(task.tile_sizes) % given[name]:
                # A shape with fewer rows than the tile leaves the lanes of the missing rows idle.
                given[name] = min(given[name], max(lane_choices(task.tile_sizes)))
        _refuse_unequal(tasks, given)
        return given

    def _entry(self, entry: str) -> tuple[str, int]:
        name, _, lanes = entry.rpartition(":")
        if not name or not lanes.isdecimal() or int(lanes) < 1:
            raise InputError(
                "bad-lanes", f"'{entry}' does not give a task its lanes", where=self.name, hints=["write name:lanes"]
            )
        return name, int(lanes)


def _settled(members: Sequence[df.TaskOp], paced: PacedLanes) -> TilingFacts | None:
    """Facts that leave no choice: all lanes of a product, which the budget does not cover, or those of its pace."""
    lanes = [paced.of(task.sym_name.data) for task in members]
    if not any(lanes):
        return None
    weight = 0.0 if members[0].sym_name.data in paced.products else 1.0
    return TilingFacts(_engine(members[0]), sum(map(work, members)), (max(lanes),), weight)


def _engine(task: df.TaskOp) -> str:
    """What has the lanes of a task: its engine, or itself."""
    return task.engine.data if task.engine is not None else task.sym_name.data


def _by_engine(tasks: Sequence[df.TaskOp]) -> dict[str, list[df.TaskOp]]:
    found: dict[str, list[df.TaskOp]] = {}
    for task in tasks:
        found.setdefault(_engine(task), []).append(task)
    return found


def _refuse_unequal(tasks: Sequence[df.TaskOp], lanes: Mapping[str, int]) -> None:
    for engine, members in _by_engine(tasks).items():
        given = {lanes[task.sym_name.data] for task in members}
        if len(given) > 1:
            raise InputError(
                "unequal-lanes", f"engine '{engine}' serves tasks of {', '.join(map(str, sorted(given)))} lanes",
                where=AssignLanes.name, hints=["give its tasks the same lanes"],
            )  # fmt: skip
