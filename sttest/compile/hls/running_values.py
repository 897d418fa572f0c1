"""Reductions in C++: how a step joins its lanes, and where running values wait (`sttest.compile.schedule.reductions`).

A step joins the terms of its lanes to a running value.  That waits in a line of registers that moves on in every step,
where it comes back soon, else in a memory; sums of neighbors wait in levels.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import FloatAttr, IntegerAttr

from sttest.compile.dialects import df
from sttest.compile.hls.payload import PayloadCode, constant
from sttest.compile.hls.tile_schedule import TaskPort, TurnTrips
from sttest.compile.hls.types import LocalArray
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine
from sttest.compile.schedule.reductions import ADDER_CYCLES, Reduction, reduction_of, sum_distance
from sttest.compile.schedule.storage import StoredArray, TaskStorage, line_places, sum_levels
from sttest.compile.schedule.tile_walk import TileWalk

Place = Callable[[TaskPort], list[list[tuple[str, int]]]]
"""Index of the present point in a tile, as variables with factors per data dim."""
LANES = "LANES"
"""What a function calls the number of lanes that work on one result."""


@dataclass(frozen=True)
class RunningValues:
    """The running values of a task's results; none if it reduces nothing."""

    task: df.TaskOp
    walk: TileWalk
    results: Sequence[TaskPort]
    trips: TurnTrips
    reduction: Reduction | None
    stored: Mapping[int, StoredArray]  # arrays where they wait, by number of the result

    @staticmethod
    def of(
        task: df.TaskOp, walk: TileWalk, results: Sequence[TaskPort], trips: TurnTrips, storage: TaskStorage
    ) -> "RunningValues":
        """Those of a task, or of tasks that take turns."""
        return RunningValues(task, walk, results, trips, reduction_of(task), storage.running)

    # --- What a result takes more than one step for

    @property
    def first(self) -> list[str]:
        """Conditions of a result's first step; none if it takes one step."""
        tiles = [f"t{loop} == 0" for loop in self.walk.reduced if self.trips.is_loop(loop)]
        return tiles + [f"s{loop} == 0" for loop in self.walk.reduced if self.walk.steps[loop] > 1]

    @property
    def last_steps(self) -> list[str]:
        """Conditions of a tile's last step of every reduction."""
        steps = self.walk.steps
        return [f"s{loop} == {steps[loop] - 1}" for loop in self.walk.reduced if steps[loop] > 1]

    @property
    def _levels(self) -> int:
        return sum_levels(self.walk, self.trips.members)

    @property
    def _in_line(self) -> int:
        """Places of the line, 0 if there is none."""
        return line_places(self.walk, self.trips.members)

    def _kept(self) -> list[tuple[int, TaskPort]]:
        return [(number, port) for number, port in enumerate(self.results) if not port.scanned]

    # --- Declarations

    def declare(self, code: CodeWriter, kind: Callable[[StoredArray], str]) -> None:
        """The registers and memories.

        Args:
            code: tree that is appended to.
            kind: says what an array is bound to.
        """
        for number, stored in self.stored.items():
            array = self._array(self.results[number])
            array.declare(code, stored.at_once, kind(stored))
            if stored.depth > 1 or (self.reduction and self.reduction.order != "pairwise" and not self._in_line):
                self._depend(code, array)

    def _depend(self, code: CodeWriter, array: LocalArray) -> None:
        """The tool cannot see through the flattened loops when a running value comes round again."""
        if not array.dims:
            return
        members, lanes = self.trips.members, self.walk.lanes
        distance = min(sum_distance(each, lanes) for each in members) if self.walk.reduces_outside else 1
        options = f"type=inter direction=RAW distance={distance} dependent=true"
        code.pragma(f"dependence variable={array.name} {options}")

    def _array(self, port: TaskPort) -> LocalArray:
        stored = self.stored[self.results.index(port)]
        kind = "level" if stored.name.startswith("level") else "kept"
        return LocalArray(f"{kind}_{port.tile.name}", port.token.element.c_type, stored.shape)

    # --- One step of the lanes of one result

    def begin(self, code: CodeWriter, place: Place) -> None:
        """Before the terms: room for them, or the running values that a chain goes on with."""
        if self.reduction is None:
            return
        for number, port in self._kept():
            c_type = port.token.element.payload_type
            if self.reduction.order == "chain":
                code.variable(c_type, running_name(number), self._value_before(port, place))
                if self.reduction.is_float_sum:
                    code.pragma(f"bind_op variable={running_name(number)} op=fadd impl=fabric latency={ADDER_CYCLES}")
            elif self.walk.shared > 1:
                lanes = code.size(LANES, self.walk.shared)
                code.variable(c_type, "term", extents=f"[2 * {lanes} - 1]")
                code.pragma("array_partition variable=term type=complete dim=1")

    def give(self, code: CodeWriter, number: int, value: str, lane: str) -> None:
        """A term, or the next running value of a chain."""
        assert self.reduction is not None
        if self.reduction.order == "chain":
            code.assign(running_name(number), value)
        elif self.walk.shared > 1:
            code.assign(f"term[{lane}]", value)
        else:
            code.constant(self.results[number].token.element.payload_type, "term", value)

    def end(self, code: CodeWriter, place: Place, payload: PayloadCode) -> None:
        """Behind the terms: they are joined, and running values put by."""
        if self.reduction is None:
            return
        if self.reduction.order != "chain":
            port, total = self.results[0], self._joined_lanes(code, payload)
            c_type = port.token.element.payload_type
            if self.reduction.order == "pairwise":
                self._count(code, place, total)
            else:
                code.constant(c_type, "before", self._value_before(port, place))
                code.constant(c_type, running_name(0), payload.joined("before", total))
        for number, port in self._kept():
            self._put_by(code, number, port, place)

    def _joined_lanes(self, code: CodeWriter, payload: PayloadCode) -> str:
        """Neighbors, neighboring results of these and so on: what is joined stands behind the terms."""
        joins = self.walk.shared - 1
        if not joins:
            return "term"
        if payload.sums:
            return f"{payload.helpers.call('tree_sum')}<{LANES} - 1>(term)"
        with code.unrolled([CountedLoop("tree", "n", joins, f"{LANES} - 1")]):
            code.assign(f"term[{LANES} + n]", payload.joined("term[2 * n]", "term[2 * n + 1]"))
        return f"term[2 * {LANES} - 2]"

    def _count(self, code: CodeWriter, place: Place, total: str) -> None:
        """The sum of 2 ** n steps waits in level n for that of the next as many; the last step's number is all ones."""
        port = self.results[0]
        code.variable("float", running_name(0), total)
        if not self._levels:
            return
        first = self._first_number()
        code.constant("int", "step_of_sum", f"{self._step_number()}{f' + {first}' if first != '0' else ''}")
        code.variable("bool", "carries", "true")
        level = self._array(port).at(["n", *port.held, *self._index(port, place)])
        waits = [] if first == "0" else [f"step_of_sum >> n << n > {first}"]
        with code.unrolled([CountedLoop("levels", "n", self._levels)]):
            with code.scope(["(step_of_sum >> n) % 2 == 0"]):
                with code.scope(["carries"]):
                    code.assign(level, running_name(0))
                code.assign("carries", "false")
            with code.otherwise(["carries", *waits]):
                code.assign(running_name(0), f"{level} + {running_name(0)}")

    def _first_number(self) -> str:
        """The number of a result's first step."""
        most = 1 << self._levels
        steps = prod(self.walk.steps[loop] for loop in self.walk.reduced)
        trips = [self.trips.count_of(loop) for loop in self.walk.reduced if self.trips.is_loop(loop)]
        if all(each.isdecimal() for each in trips):
            return str(most - steps * prod(map(int, trips)))
        return f"({most} - {' * '.join([str(steps), *trips])})"

    def _step_number(self) -> str:
        """The number of a result's step."""
        found = ""
        for loop in self.walk.reduced:
            if self.trips.is_loop(loop):
                bound = self.trips.count_of(loop)
                found = f"({found}) * {bound} + t{loop}" if found else f"t{loop}"
        for loop in self.walk.reduced:
            if self.walk.steps[loop] > 1:
                found = f"({found}) * {self.walk.steps[loop]} + s{loop}" if found else f"s{loop}"
        return found

    def _value_before(self, port: TaskPort, place: Place) -> str:
        assert isinstance(self.task.init, FloatAttr | IntegerAttr)
        start = constant(self.task.init, port.token.element)
        if not self.first:
            return start
        return f"{' && '.join(self.first)} ? {start} : {self._kept_value(port, place)}"

    def _kept_value(self, port: TaskPort, place: Place, at: str = "") -> str:
        if self._in_line:
            lanes = [f"l{loop}" for loop in range(len(self.walk.lanes)) if loop not in self.walk.reduced]
            return self._array(port).at([at or str(self._in_line - 1), *lanes])
        return self._array(port).at((*port.held, *self._index(port, place)))

    def _index(self, port: TaskPort, place: Place) -> list[str]:
        return [affine(dim) for dim in place(port)]

    def _put_by(self, code: CodeWriter, number: int, port: TaskPort, place: Place) -> None:
        assert self.reduction is not None
        element, running = port.element(place(port)), running_name(number)
        waits = bool(self.first) and self.reduction.order != "pairwise"
        if waits and self._in_line:
            places = self._in_line
            with code.unrolled([CountedLoop("moves", "n", places - 1)] if places > 1 else []):
                if places > 1:
                    moved = [self._kept_value(port, place, at) for at in (f"{places - 1} - n", f"{places - 2} - n")]
                    code.assign(*moved)
            code.assign(self._kept_value(port, place, "0"), running)
        elif waits and (kept := self._kept_value(port, place)) != element:
            code.assign(kept, running)
        if not self.is_result(port):
            code.assign(element, running)

    def is_result(self, port: TaskPort) -> bool:
        """Whether the running value of a step is the token that the step gives."""
        lanes = prod(self.walk.lanes[loop] for loop in self.walk.parallel)
        is_token = port.motion.turns is not None and port.token.size == lanes == 1
        return self.reduction is not None and not port.scanned and is_token


def running_name(number: int) -> str:
    """The variable of a result's running value."""
    return f"acc{number or ''}"
