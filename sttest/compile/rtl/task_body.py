"""What the parts of a task's module share: the stages of a step, the counters at a stage, lanes, and text.

The stages of a step are counted from the cycle in which its first token can come: after ``interval`` cycles its
operands stand in registers, after as many more as the schedule has stages its results do.  All of it moves on when the
stage of the whole process does.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, prod
from typing import Literal

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.rtl.cells import CellModule, Cells
from sttest.compile.rtl.control import Control, width_of
from sttest.compile.rtl.expressions import Expression, Signal, cast, replaced, sum_of, value_of, where
from sttest.compile.rtl.module import TaskTurn, delayed
from sttest.compile.rtl.task_port import TaskPort
from sttest.compile.rtl.tree import (
    Clocked,
    Combinational,
    Constants,
    Driven,
    Generated,
    Item,
    Node,
    Register,
    Role,
    Set,
    Statement,
    Unrolled,
    Wire,
    statement_names,
)
from sttest.compile.schedule.reductions import reduction_of
from sttest.compile.schedule.storage import largest
from sttest.compile.schedule.task_schedule import TaskSchedule
from sttest.compile.schedule.tile_ports import Terms
from sttest.core.errors import InputError
from sttest.sim.graph import Pipeline


class At:
    """A stage of a step: the wires of its counters."""

    def __init__(self, stage: int, names: Sequence[str]) -> None:
        self.prefix = f"at{stage}_"
        self.valid = Signal(f"{self.prefix}valid")
        self._wires: dict[str, Expression] = {name: Signal(f"{self.prefix}{name}") for name in names}

    def __getitem__(self, counter: str) -> Expression:
        return self._wires[counter]

    def of(self, expression: Expression) -> Expression:
        """An expression with the counters of the stage."""
        return replaced(expression, self._wires)


class TaskBody:
    """A task's module as it grows.

    Args:
        members: the task, or those that take turns.
        pipeline: their process in the timed graph.
        turns: member of each loop of the process.
        library: operators at the board's clock.
        cells: makes the parts of a module for synthesis; None for one that is simulated.

    Raises:
        InputError: members whose hardware differs.
    """

    def __init__(
        self,
        members: Sequence[TaskTurn],
        pipeline: Pipeline,
        turns: Sequence[int],
        library: Mapping[str, Operator],
        cells: Cells | None = None,
    ) -> None:
        self.tasks, self.pipeline, self.library = [member.task for member in members], pipeline, library
        self.task = largest(self.tasks)
        self.schedule = next(member.schedule for member in members if member.task is self.task)
        self.where, self.walk = pipeline.name, self.schedule.walk
        self.control = Control(pipeline, turns=turns)
        self.interval, self.reduction = self.schedule.interval, reduction_of(self.task)
        for member in members:
            self._check(member.schedule)
        self.depth = left_loops(self.tasks, pipeline)
        self.cells, self.parts = cells, dict[str, CellModule]()
        self.arithmetic: Counter[str] = Counter()
        self.nodes: list[Node] = []
        self._stages: dict[int, At] = {}
        self._bounds: dict[str, int] = {}  # values of the counters of all stages

    def _check(self, schedule: TaskSchedule) -> None:
        ours = self.schedule
        if (schedule.interval, schedule.ahead, schedule.stages) != (ours.interval, ours.ahead, ours.stages):
            raise InputError("no-rtl", "tasks of one engine with different stages have no RTL", where=self.where)
        if (schedule.sources, schedule.results) != (ours.sources, ours.results):
            raise InputError("no-rtl", "tasks of one engine with different tokens have no RTL", where=self.where)

    # --- Places in time

    @property
    def fetch(self) -> int:
        """The stage in which the operands of a tile's first step stand in registers."""
        return (self.schedule.ahead + 1) * self.interval

    @property
    def ready(self) -> int:
        """The stage in which its results do."""
        return self.fetch + self.schedule.stages

    def counters(self, stage: int) -> At:
        """Declares the counters of a stage when they are first asked for."""
        if stage in self._stages:
            return self._stages[stage]
        order = [loop for loop in self.walk.order if self.walk.steps[loop] > 1]
        found = self.control.counters(stage, [self.walk.steps[loop] for loop in order])
        tiles = range(self.depth, len(self.task.trip_counts))
        counted = [(f"t{loop}", max(task.trip_counts[loop] for task in self.tasks)) for loop in tiles] or [("", 1)]
        counted += [(f"s{loop}", self.walk.steps[loop]) for loop in order]
        at = self._stages[stage] = At(stage, [name for name, _ in counted])
        self.nodes += [Wire(at.valid.name), Driven(at.valid, found.valid)]
        for (name, bound), index in zip(counted, found.indices, strict=True):
            if name:
                self._bounds[f"{at.prefix}{name}"] = bound
                self.assigned(f"{at.prefix}{name}", cast("int", index), kind="int")
        return at

    def trip(self, loop: int) -> Expression:
        """The number of a loop's iterations in the present turn."""
        return self._of_turn([task.trip_counts[loop] for task in self.tasks])

    def last(self, loop: int) -> Expression:
        """The index of a loop's last iteration in the present turn."""
        return self._of_turn([task.trip_counts[loop] - 1 for task in self.tasks])

    @property
    def steps_of_sum(self) -> Expression:
        """The steps that a result is made of, in the present turn."""
        reduced = self.walk.reduced
        steps = prod(self.walk.steps[loop] for loop in reduced)
        return self._of_turn([steps * prod(task.trip_counts[loop] for loop in reduced) for task in self.tasks])

    def is_loop(self, loop: int) -> bool:
        """Whether some turn has several iterations of it."""
        return any(task.trip_counts[loop] > 1 for task in self.tasks)

    def _of_turn(self, values: Sequence[int]) -> Expression:
        if len({*values}) == 1:
            return value_of(values[0])
        return cast("int", self.control.by_turn(values, width_of(max(values))))

    # --- Lanes

    @property
    def lane_count(self) -> int:
        """Lanes of a step."""
        return prod(self.walk.lanes)

    @property
    def results_at_once(self) -> int:
        """Results that a step works on."""
        return prod(self.walk.lanes[loop] for loop in self.walk.parallel)

    @property
    def result_lane(self) -> Expression:
        """The number of the result that a lane works on."""
        return self._lane_number(self.walk.parallel)

    @property
    def lane(self) -> Expression:
        """The number of a lane: lanes of one result are neighbors."""
        return self._lane_number((*self.walk.parallel, *self.walk.reduced))

    def _lane_number(self, loops: Sequence[int]) -> Expression:
        return mixed([(f"l{loop}", self.walk.lanes[loop]) for loop in loops])

    def lane_loops(self, loops: Sequence[int] | None = None) -> list[tuple[str, int]]:
        """The loops over all lanes, or over those of some loops."""
        every = range(len(self.walk.lanes)) if loops is None else loops
        return [(f"l{loop}", self.walk.lanes[loop]) for loop in every if self.walk.lanes[loop] > 1]

    def point(self, port: TaskPort) -> list[Terms]:
        """The place of a lane's element in the tile, a sum of terms per dim."""
        steps, lanes = self.walk.steps, self.walk.lanes
        index = []
        for row in port.rows:
            terms: list[tuple[str, int]] = []
            for loop, factor in enumerate(row):
                terms += [(f"s{loop}", factor * lanes[loop])] if steps[loop] > 1 else []
                terms += [(f"l{loop}", factor)] if lanes[loop] > 1 else []
            index.append(terms)
        return index

    # --- What stands in the module

    def delayed(self, value: Expression, bits: int, count: int, cycles: int, role: Role = "delay") -> Expression:
        """An array of elements of so many bits, so many cycles later."""
        name = f"{value}_late".translate(_IN_A_NAME)
        advance, in_a_row = self.control.advance, self.cells is not None
        nodes, late = delayed(name, value, (count, bits), cycles, advance, role=role, in_a_row=in_a_row)
        self.nodes += nodes
        return late

    def wire(self, name: str, *dims: int) -> Signal:
        """A wire."""
        self.nodes.append(Wire(name, dims))
        return Signal(name)

    def array(self, name: str, count: int, bits: int) -> Signal:
        """Elements that follow from other values, and are copied as one."""
        return self.wire(name, count, bits)

    def store(self, name: str, count: int, *element: int) -> Signal:
        """Elements that follow from other values one by one, by the extents of each."""
        self.nodes.append(Wire(name, *self._stored(count, element)))
        return Signal(name)

    def kept(self, name: str, count: int, *element: int, as_one: bool = False, same_as: str = "") -> Signal:
        """Registers, by the extents of each.

        Args:
            name: name of the array.
            count: elements.
            element: extents of each.
            as_one: whether they are copied as one.
            same_as: a register that synthesis merges them with if both have as many bits.
        """
        dims, unpacked = ((count, *element), None) if as_one else self._stored(count, element)
        self.nodes.append(Register(name, dims, unpacked, same_as=same_as))
        return Signal(name)

    def _stored(self, count: int, element: tuple[int, ...]) -> tuple[tuple[int, ...], int | None]:
        return (element, count) if self.cells is None else ((count, *element), None)

    def assigned(self, name: str, value: Expression, *, kind: Literal["logic", "int"] = "logic") -> Signal:
        """A wire of one bit, or an integer, with its value."""
        self.nodes += [Wire(name, kind=kind), Driven(Signal(name), value)]
        return Signal(name)

    def give(self, wire: Expression, value: Expression) -> None:
        """A wire that is declared has a value."""
        self.nodes.append(Driven(wire, value))

    def chosen(self, bits: int, options: int) -> None:
        """Notes multiplexers; a LUT chooses a bit of four (AMD UG574)."""
        self.arithmetic["choice"] += bits * ceil((options - 1) / 3)

    def instance(
        self,
        part: CellModule,
        name: str,
        wires: Sequence[Expression],
        loops: Sequence[tuple[str, int]] = (),
        label: str = "",
    ) -> None:
        """An instance of a part, or one for all values of the variables of some loops."""
        self.parts[part.name] = part
        found: Item = part.instance(name, wires)
        for variable, count in reversed(loops):
            found = Generated(variable, count, (found,), f"{label}_{variable}")
        self.nodes.append(found)

    def unrolled(self, loops: Sequence[int], statement: Statement) -> Statement:
        """A statement for each lane, unfolded: simulators want assignments at a clock edge spelled out."""
        lanes, body = tuple(self.lane_loops(loops)), self.unfolded(statement)
        return Unrolled(lanes, body) if lanes else body

    def unfolded(
        self, statement: Statement, bounds: Mapping[str, int] | None = None, *, first: bool = False
    ) -> Statement:
        """A statement; for synthesis one for each value of the counters in it, so that all of its places are constants.

        Args:
            statement: assigns elements.
            bounds: values of counters besides those of steps and tiles, by name.
            first: whether that for the first values holds where no other does.
        """
        counters = self._counters_in(statement, bounds or {})
        return Unrolled(tuple(counters.items()), statement, True, first) if counters else statement

    def _counters_in(self, statement: Statement, bounds: Mapping[str, int]) -> dict[str, int]:
        """The counters by which a statement is unfolded, with the numbers of their values."""
        if self.cells is None:
            return {}
        places = {*statement_names(statement, in_places=True)}
        found = {name: self._bounds[name] for name in sorted(places & self._bounds.keys())}
        return found | {name: bound for name, bound in bounds.items() if name in places}

    def options(self, statement: Statement) -> int:
        """How many statements a statement is unfolded to."""
        return prod(self._counters_in(statement, {}).values())

    def always(self, statements: Sequence[Statement], stage: int | None = None) -> None:
        """What follows from the present values.

        Args:
            statements: statements.
            stage: stage in which it is asked for; a simulator computes it in no other. None if it is asked for always.
        """
        when = None
        if self.cells is None and stage is not None:
            when = self.control.advance & self.counters(stage).valid
        self.nodes.append(Combinational(tuple(statements), when))

    def clocked(self, when: Expression, *statements: Statement) -> None:
        """What happens at the end of a cycle, under a condition."""
        self.nodes.append(Clocked(statements, when))

    def count(self, name: str, when: Expression, bound: int) -> Signal:
        """A counter from 0 up to a bound, then from 0 again."""
        counter = Signal(name)
        if bound == 1 and self.cells is not None:
            self.nodes.append(Constants(name, 0))
            return counter
        dims = (width_of(bound - 1),) if self.cells else ()
        self.nodes.append(Register(name, dims, kind="logic" if self.cells else "int", initial=0))
        turn = Set(counter, where(counter.equals(bound - 1), 0, counter + 1))
        self.nodes.append(Clocked((turn,), when, (Set(counter, value_of(0)),)))
        return counter

    def table(self, name: str, values: Sequence[int]) -> Signal:
        """A list of constants."""
        self.nodes.append(Constants(name, tuple(values)))
        return Signal(name)


_IN_A_NAME = str.maketrans("[] ", "___")


def left_loops(tasks: Sequence[df.TaskOp], pipeline: Pipeline) -> int:
    """The loops around those of the pipeline, which are passes."""
    count, dims = len(tasks[0].trip_counts), len(pipeline.loops[0].trips)
    drains = all(loop.trips == (1,) for loop in pipeline.loops) and any(task.trip_counts[-1:] != (1,) for task in tasks)
    return count if drains else max(count - dims, 0)


def mixed(pairs: Sequence[tuple[str, int]]) -> Expression:
    """A number of several digits, the last one fastest.

    >>> print(mixed([("l0", 2), ("l1", 1), ("l2", 4)]))
    4 * l0 + l2
    """
    terms: list[tuple[Expression, int]] = []
    stride = 1
    for name, count in reversed(pairs):
        if count > 1:
            terms.insert(0, (Signal(name), stride))
        stride *= count
    return sum_of(terms)
