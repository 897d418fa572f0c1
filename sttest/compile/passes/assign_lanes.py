"""`assign-lanes`: intensity-aware unrolling, the tiling space's decision written onto the tasks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.lane_adaptation import most_of_kin
from sttest.compile.linalg.contraction import work
from sttest.compile.passes.share_engines import share
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
    shapes, so the lanes chosen at one shape hold at the others.  With ``adapt``
    they may be of a design with other tasks (:mod:`sttest.compile.lane_adaptation`).
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
    adapt: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``lanes`` on every task.

        Raises:
            DoesNotFitError: the budget does not cover the first lanes.
            InputError: ``fixed`` misses a task, or with ``adapt`` has none of them.
        """
        tasks = all_of(op, df.TaskOp)
        given = dict(map(self._entry, self.fixed))
        if not given:
            lanes = self._chosen(op, tasks)
        else:
            lanes = self._adapted(op, tasks, given) if self.adapt else self._given(tasks, given)
        for task in tasks:
            task.properties["lanes"] = df.i64_attr(lanes[task.sym_name.data])

    def _chosen(self, module: ModuleOp, tasks: Sequence[df.TaskOp]) -> dict[str, int]:
        engines, paced = _by_engine(tasks), self._paced(module)
        facts = [_settled(members, paced) or self._facts(members) for members in engines.values()]
        lanes = allocate_unroll(facts, self.cards * self.overall_unroll)
        return {task.sym_name.data: lanes[name] for name, members in engines.items() for task in members}

    def _paced(self, module: ModuleOp) -> PacedLanes:
        _, library = load_operators(OPERATORS_FILE)
        return paced_by_products(module, self.gemv_lanes, library) if self.gemv_lanes else PacedLanes()

    def _adapted(self, module: ModuleOp, tasks: Sequence[df.TaskOp], given: Mapping[str, int]) -> dict[str, int]:
        """The given lanes; tasks without share what the budget leaves."""
        own = {task.sym_name.data: task for task in tasks}
        given = {name: _in_tile(own[name], lanes) if name in own else lanes for name, lanes in given.items()}
        _part(tasks, given)
        engines, paced = _by_engine(tasks), self._paced(module)
        known = {
            name: given[task.sym_name.data]
            for name, members in engines.items()
            for task in members
            if task.sym_name.data in given
        }
        if not known:
            raise InputError(
                "no-lanes",
                f"none of the {len(given)} tasks that lanes are given for is in this design",
                where=self.name,
                hints=["take the lanes of a design of this model and phase"],
            )
        facts = [self._like_kin(engines[name], tasks, given, paced) for name in engines if name not in known]
        taken = sum(lanes for name, lanes in known.items() if engines[name][0].sym_name.data not in paced.products)
        least = math.ceil(sum(each.cost_lanes_weight * each.choices[0] for each in facts))
        lanes = known | allocate_unroll(facts, max(self.cards * self.overall_unroll - taken, least))
        return {task.sym_name.data: lanes[name] for name, members in engines.items() for task in members}

    def _like_kin(
        self, members: Sequence[df.TaskOp], tasks: Sequence[df.TaskOp], given: Mapping[str, int], paced: PacedLanes
    ) -> TilingFacts:
        """The facts of tasks that no lanes are given for."""
        beside = [
            task.sym_name.data
            for task in tasks
            if task.sym_name.data in given and task.is_contraction == members[0].is_contraction
        ]
        most = max(most_of_kin(task.sym_name.data, given, beside) for task in members)
        settled = _settled(members, paced)
        if settled is None:
            return self._facts(members, most)
        lanes = max(choice for choice in lane_choices(members[0].tile_sizes) if choice <= min(most, *settled.choices))
        return replace(settled, choices=(lanes,))

    def _facts(self, members: Sequence[df.TaskOp], bound: int | None = None) -> TilingFacts:
        """The facts of a task, or of tasks that share an engine: they are alike, and work one after the other."""
        task = members[0]
        choices = lane_choices(task.tile_sizes)
        most = min(self.most_lanes or choices[-1], bound or choices[-1])
        first = max(choice for choice in choices if choice <= min(self.first_lanes, most))
        choices = tuple(choice for choice in choices if first <= choice <= most)
        _, library = load_operators(OPERATORS_FILE)
        intervals = tuple(step_interval(task, choice, library) for choice in choices)
        # The budget counts multiply-accumulates; one in floating point takes more DSPs than two of int4 share.
        dsps = sum(library[name].area.dsp * count for name, count in payload_operators(task).items())
        weight = max(1.0, dsps) if task.is_contraction else 1.0
        return TilingFacts(_engine(task), sum(map(work, members)), choices, weight, intervals=intervals)

    def _given(self, tasks: Sequence[df.TaskOp], given: Mapping[str, int]) -> dict[str, int]:
        for task in tasks:
            name = task.sym_name.data
            if name not in given:
                raise InputError(
                    "no-lanes",
                    f"no lanes are given for task '{name}'",
                    where=self.name,
                    hints=[did_you_mean(name, given)],
                )
        lanes = {task.sym_name.data: _in_tile(task, given[task.sym_name.data]) for task in tasks}
        _refuse_unequal(tasks, lanes)
        return lanes

    def _entry(self, entry: str) -> tuple[str, int]:
        name, _, lanes = entry.rpartition(":")
        if not name or not lanes.isdecimal() or int(lanes) < 1:
            raise InputError(
                "bad-lanes", f"'{entry}' does not give a task its lanes", where=self.name, hints=["write name:lanes"]
            )
        return name, int(lanes)


def _part(tasks: Sequence[df.TaskOp], given: Mapping[str, int]) -> None:
    """Takes tasks of fewer lanes off an engine: in the design that the lanes are of they took no turns with the others.

    Tasks without lanes stay.
    """
    engines = _by_engine(tasks)
    taken = {task.sym_name.data for task in tasks} | set(engines)
    for members in engines.values():
        lanes = {task: given[task.sym_name.data] for task in members if task.sym_name.data in given}
        most = max(lanes.values(), default=0)
        for fewer in sorted({*lanes.values()} - {most}):
            _take_off([task for task in members if lanes.get(task) == fewer], taken)
        stay = [task for task in members if lanes.get(task, most) == most]
        if 1 == len(stay) < len(members):
            _take_off(stay, taken)


def _take_off(tasks: Sequence[df.TaskOp], taken: set[str]) -> None:
    """Puts tasks on an engine of their own, a single one on none."""
    for task in tasks:
        del task.properties["engine"]
    if len(tasks) > 1:
        share(tasks, taken)


def _in_tile(task: df.TaskOp, lanes: int) -> int:
    """The lanes, or the next fewer that a tile can have.

    A shape with fewer rows than the tile leaves the lanes of the missing rows idle.
    """
    if math.prod(task.tile_sizes) % lanes == 0:
        return lanes
    return max(choice for choice in lane_choices(task.tile_sizes) if choice <= lanes)


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
                "unequal-lanes",
                f"engine '{engine}' serves tasks of {', '.join(map(str, sorted(given)))} lanes",
                where=AssignLanes.name,
                hints=["give its tasks the same lanes"],
            )
