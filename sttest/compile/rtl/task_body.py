"""What the parts of a task's module share: the stages of a step, the counters at a stage, lanes, and text.

The stages of a step are counted from the cycle in which its first token can come: after ``interval`` cycles its
operands stand in registers, after as many more as the schedule has stages its results do.  All of it moves on when the
stage of the whole process does.
"""

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, prod

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.hls.tile_schedule import TaskPort, largest
from sttest.compile.rtl.cells import CellModule, Cells
from sttest.compile.rtl.control import Control, width_of
from sttest.compile.rtl.module import TaskTurn, delayed, unrolled
from sttest.compile.schedule.reductions import reduction_of
from sttest.compile.schedule.task_schedule import TaskSchedule
from sttest.core.errors import InputError
from sttest.sim.graph import Pipeline


class TaskBody:
    """The text of a task's module as it grows.

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
        self.text: list[str] = []
        self._wires: set[str] = set()

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

    def counters(self, stage: int) -> str:
        """Declares the counters of a stage; the prefix of their names, ``_valid`` among them."""
        prefix = f"at{stage}_"
        if prefix in self._wires:
            return prefix
        self._wires.add(prefix)
        order = [loop for loop in self.walk.order if self.walk.steps[loop] > 1]
        found = self.control.counters(stage, [self.walk.steps[loop] for loop in order])
        names = [f"t{loop}" for loop in range(self.depth, len(self.task.trip_counts))] or ["none"]
        names += [f"s{loop}" for loop in order]
        lines = [f"  logic {prefix}valid;\n  assign {prefix}valid = {found.valid};\n"]
        for name, index in zip(names, found.indices, strict=True):
            if name != "none":
                lines.append(f"  int {prefix}{name};\n  assign {prefix}{name} = int'({index});\n")
        self.text += lines
        return prefix

    def trip(self, loop: int) -> str:
        """The number of a loop's iterations in the present turn."""
        return self._of_turn([task.trip_counts[loop] for task in self.tasks])

    def last(self, loop: int) -> str:
        """The index of a loop's last iteration in the present turn."""
        return self._of_turn([task.trip_counts[loop] - 1 for task in self.tasks])

    @property
    def steps_of_sum(self) -> str:
        """The steps that a result is made of, in the present turn."""
        reduced = self.walk.reduced
        steps = prod(self.walk.steps[loop] for loop in reduced)
        return self._of_turn([steps * prod(task.trip_counts[loop] for loop in reduced) for task in self.tasks])

    def is_loop(self, loop: int) -> bool:
        """Whether some turn has several iterations of it."""
        return any(task.trip_counts[loop] > 1 for task in self.tasks)

    def _of_turn(self, values: Sequence[int]) -> str:
        return str(values[0]) if len({*values}) == 1 else f"int'({self.control.by_turn(values, width_of(max(values)))})"

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
    def result_lane(self) -> str:
        """The number of the result that a lane works on."""
        return _mixed([(f"l{loop}", self.walk.lanes[loop]) for loop in self.walk.parallel])

    @property
    def lane(self) -> str:
        """The number of a lane: lanes of one result are neighbors."""
        loops = (*self.walk.parallel, *self.walk.reduced)
        return _mixed([(f"l{loop}", self.walk.lanes[loop]) for loop in loops])

    def lane_loops(self, loops: Sequence[int] | None = None) -> list[str]:
        """Heads of the loops over all lanes, or over those of some loops."""
        every = range(len(self.walk.lanes)) if loops is None else loops
        return [
            f"for (int l{loop} = 0; l{loop} < {self.walk.lanes[loop]}; l{loop}++)"
            for loop in every
            if self.walk.lanes[loop] > 1
        ]

    def point(self, port: TaskPort) -> list[list[tuple[str, int]]]:
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

    # --- Text

    def delayed(self, name: str, bits: int, count: int, cycles: int) -> str:
        """An array, so many cycles later."""
        if not cycles:
            return name
        late = re.sub(r"\W", "_", f"{name}_late")
        text, last = delayed(late, name, bits, cycles, "advance", in_a_row=self.cells is not None)
        self.text.append(text.replace(f"logic [{bits - 1}:0]", f"logic [{count - 1}:0][{bits - 1}:0]", 1))
        return last

    def clocked_lanes(self, loops: Sequence[int], statement: str) -> list[str]:
        """A statement for each lane."""
        lines = [statement]
        for loop in loops:
            lines = [each for line in lines for each in unrolled(f"l{loop}", self.walk.lanes[loop], line)]
        return lines

    def array(self, name: str, count: int, bits: int) -> None:
        """Elements that are copied as one."""
        self.line(f"logic [{count - 1}:0][{bits - 1}:0] {name};")

    def store(self, name: str, count: int, bits: int, within: str = "") -> None:
        """Elements that are written one by one; ``within`` is the range of each in its parts."""
        element = within or f"[{bits - 1}:0]"
        self.line(
            f"logic {element} {name} [{count}];" if self.cells is None else f"logic [{count - 1}:0]{element} {name};"
        )

    def chosen(self, bits: int, options: int) -> None:
        """Notes multiplexers; a LUT chooses a bit of four (AMD UG574)."""
        self.arithmetic["choice"] += bits * ceil((options - 1) / 3)

    def instance(self, part: CellModule, lines: Sequence[str]) -> None:
        """Instances of a part."""
        self.parts[part.name] = part
        self.text.append("  generate\n" + "".join(f"    {line}\n" for line in lines) + "  endgenerate\n")

    def unfolded(self, statement: str, bounds: Mapping[str, int] | None = None, *, first: bool = False) -> list[str]:
        """A statement; for synthesis one for each value of the counters in it, so that all of its places are constants.

        Args:
            statement: assigns an element.
            bounds: values of counters besides those of steps and tiles, by name.
            first: whether that for the first values holds where no other does.
        """
        if self.cells is None:
            return [statement]
        places = " ".join(_PLACE.findall(statement))
        counters = {name: self._bound(name) for name in sorted({*_COUNTER.findall(places)})}
        counters |= {name: bound for name, bound in (bounds or {}).items() if re.search(rf"\b{name}\b", places)}
        if not counters:
            return [statement]
        # Names alternate with what stands between them.
        parts = re.split(rf"\b({'|'.join(counters)})\b", statement)
        found = []
        for values in itertools.product(*(range(bound) for bound in counters.values())):
            value_of = dict(zip(counters, map(str, values), strict=True))
            text = "".join(value_of[part] if at % 2 else part for at, part in enumerate(parts))
            when = [f"{name} == {value_of[name]}" for name, bound in counters.items() if bound > 1]
            always = first and not found
            found.append(text if always or not when else f"if ({' & '.join(when)}) {text}")
        return found

    def _bound(self, counter: str) -> int:
        """The values of the counter of a loop's steps or tiles."""
        loop = int(counter.rsplit("_", 1)[1][1:])
        return self.walk.steps[loop] if "_s" in counter else max(task.trip_counts[loop] for task in self.tasks)

    def line(self, text: str) -> None:
        """A line of the module."""
        self.text.append(f"  {text}\n")

    def always(self, lines: Sequence[str], stage: int | None = None) -> None:
        """What follows from the present values.

        Args:
            lines: statements.
            stage: stage in which it is asked for; a simulator computes it in no other. None if it is asked for always.
        """
        when = ""
        if self.cells is None and stage is not None:
            when = f" if (advance & {self.counters(stage)}valid)"
        self.text.append(f"  always_comb{when} begin\n" + "".join(f"    {line}\n" for line in lines) + "  end\n")

    def clocked(self, when: str, lines: Sequence[str]) -> None:
        """What happens at the end of a cycle, under a condition."""
        body = "".join(f"    {line}\n" for line in lines)
        self.text.append(f"  always_ff @(posedge clk) if ({when}) begin\n{body}  end\n")

    def count(self, name: str, when: str, bound: int) -> None:
        """A counter from 0 up to a bound, then from 0 again."""
        if bound == 1 and self.cells is not None:
            self.line(f"localparam int {name} = 0;")
            return
        self.line(f"logic [{width_of(bound - 1) - 1}:0] {name} = 0;" if self.cells else f"int {name} = 0;")
        last = f"{name} == {bound - 1} ? 0 : {name} + 1"
        self.line(f"always_ff @(posedge clk) if (reset) {name} <= 0; else if ({when}) {name} <= {last};")

    def table(self, name: str, values: Sequence[int]) -> None:
        """A list of constants."""
        self.line(f"localparam int {name} [{len(values)}] = '{{{', '.join(map(str, values))}}};")


_PLACE = re.compile(r"\[([^\[\]]*)")
_COUNTER = re.compile(r"\bat\d+_[st]\d+\b")


def left_loops(tasks: Sequence[df.TaskOp], pipeline: Pipeline) -> int:
    """The loops around those of the pipeline, which are passes."""
    count, dims = len(tasks[0].trip_counts), len(pipeline.loops[0].trips)
    drains = all(loop.trips == (1,) for loop in pipeline.loops) and any(task.trip_counts[-1:] != (1,) for task in tasks)
    return count if drains else max(count - dims, 0)


def at_stage(text: str, prefix: str) -> str:
    """An expression with the counters of a stage."""
    return re.sub(r"\b([st]\d+)\b", rf"{prefix}\1", text)


def _mixed(pairs: Sequence[tuple[str, int]]) -> str:
    """A number of several digits, the last one fastest.

    >>> _mixed([("l0", 2), ("l1", 1), ("l2", 4)])
    '4 * l0 + l2'
    """
    terms, stride = [], 1
    for name, count in reversed(pairs):
        if count > 1:
            terms.insert(0, f"{stride} * {name}" if stride > 1 else name)
        stride *= count
    return " + ".join(terms) or "0"
