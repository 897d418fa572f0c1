"""The tasks of a dataflow region as pipelines: their loops laid out in stages, with what the reports say of them.

A task enters its first loop in stage 1; what follows a loop is entered 2 stages after its end.  An array that one task
fills for another is a ping-pong buffer: two FIFOs of turns, as ``docs/reference/timed-graph.md`` has them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sttest.core.errors import InputError
from sttest.importers.hls.accesses import READ, WRITE, Axis, IterationWalk, StreamStages, accesses_stream
from sttest.importers.hls.cpp_model import Expr, For, Item, Num, VariableName, in_order, names_of
from sttest.importers.hls.loop_nests import ProcessCode, substituted_statements, trip_count
from sttest.importers.hls.region import DataflowRegion, RegionTask, StreamsGiven
from sttest.importers.hls.reports import SynthesisReports
from sttest.importers.hls.schedule import EnteredLoop, ScheduleNode, schedule
from sttest.importers.hls.timing import ReportFit, TimedLoop, TimedNest, TimedNode
from sttest.sim import Fifo, Pipeline, Trace
from sttest.sim.graph import MAX_CYCLES, PING_PONG, check_whole

ENTRY = 1
"""Stages before the first loop of a task."""
GAP = 2
"""Stages from the end of a loop to the entry of the next."""


@dataclass
class TaskReader:
    """Finds when one task accesses what.

    Args:
        region: the region that it is in.
        task: the task.
        reports: of its synthesis.
        module: name of the module that it became.
    """

    region: DataflowRegion
    task: RegionTask
    reports: SynthesisReports
    module: str
    notes: list[str] = field(default_factory=list)
    placed: list[StreamStages] = field(default_factory=list)
    end: int = 0  # stage after the last

    def __post_init__(self) -> None:
        region, call = self.region, self.task.call
        self.where = f"{region.where}: {self.task.name}"
        self.given: dict[str, StreamsGiven | None]
        if call is None:
            self.code = ProcessCode(region.file, region.name, (), self.task.loops)
            self.given = {name: region.given_whole(each) for name, each in region.streams.items()}
            self.arrays = {name: name for name in region.arrays}
        else:
            self.code = ProcessCode(region.file, call.name, call.template)
            parameters = [parameter.name for parameter in self.code.function.parameters]
            # What the region passes as a number is a constant of the task, if it is its only call.
            numbers = {
                name: value for name, value in zip(parameters, call.args, strict=False)
                if isinstance(value, Num) and not self.code.settings[name]
            }  # fmt: skip
            self.code.body = substituted_statements(self.code.body, numbers, frozenset(), None)
            self.given = dict(zip(parameters, map(region.given, call.args), strict=False))
            named = zip(parameters, map(_name_of, call.args), strict=False)
            self.arrays = {own: name for own, name in named if name in region.arrays}

    def read(self) -> None:
        """Finds all accesses to streams.

        Raises:
            InputError: a loop that no report fits, or an access that the text alone does not time.
        """
        nodes = [each for each in schedule(self.code.body, self.region.locate) if self._matters(each)]
        self.end = self._lay_out(ReportFit(self.reports, self.module, self.region.source.place).timed(nodes), (), ENTRY)

    def process(self, name: str, origin: str = "") -> Pipeline:
        """The accesses as a process with a trace."""
        placed = [each for each in self.placed if each.stages.size]
        if not placed:
            nothing = Trace(np.empty(0, np.int64), np.empty(0, np.int32))
            return Pipeline(name, end=self.end, trace=nothing, origin=origin)
        ticks = np.concatenate([each.stages for each in placed])
        ops = np.repeat(
            np.array([2 * each.stream + each.op for each in placed], np.int32), [each.stages.size for each in placed]
        )
        # Of the accesses in one stage those of the older iteration come first.
        entered = np.concatenate([each.stages - each.offset for each in placed])
        order = np.lexsort((entered, ticks))
        return Pipeline(name, end=self.end, trace=Trace(ticks[order], ops[order]), origin=origin)

    def touched(self) -> Iterator[tuple[str, bool]]:
        """Arrays of the region that it names, and whether it sets elements of them."""
        names = {name for each in in_order(self.code.body) for name in names_of(each)}
        for own, name in self.arrays.items():
            if own in names:
                yield name, self.code.settings[own] > 0

    # --- Layout

    def _matters(self, node: ScheduleNode) -> bool:
        """Whether a node takes time: statements between loops that access no stream run beside what follows."""
        if isinstance(node, EnteredLoop) or node.loops:
            return True
        return any(accesses_stream(each, self.code.types) for each in node.body)

    def _lay_out(self, nodes: Sequence[TimedNode], around: tuple[Axis, ...], start: int) -> int:
        """Lays nodes out one after the other; gives the stage after the last."""
        stage = end = start
        for node in nodes:
            if isinstance(node, TimedNest):
                self._place(node, around, stage)
                end = stage + node.length
            else:
                length = _iteration(node)
                inside = self._lay_out(node.inside, (*around, _axis(node.loop, length)), stage) - stage
                if inside > length:
                    what = f"the report says that an iteration takes {length} cycles, what is in it takes {inside}"
                    raise InputError("report-does-not-fit", what, where=self.region.locate(node.loop.line))
                end = stage + trip_count(node.loop)[0] * length
            check_whole(end, "length in stages", self.where, 0, MAX_CYCLES)
            stage = end + GAP
        return end

    def _place(self, nest: TimedNest, around: tuple[Axis, ...], start: int) -> None:
        axes: list[Axis] = []
        stride = nest.interval
        for loop in reversed(nest.loops):
            axes.insert(0, _axis(loop, stride))
            stride *= axes[0].trips
        if nest.iterations:
            offsets = 0, nest.latency - 1
            walk = IterationWalk(
                (*around, *axes), start, offsets, self.code, self._stream, self.where, self.region.locate
            )
            self.placed += walk.run(nest.body)

    def _stream(self, variable: str, indices: list[int]) -> int | None:
        given = self.given.get(variable)
        if given is None:
            self.notes.append(f"{self.task.name}: '{variable}' is no stream of the region: never empty, never full")
            return None
        offset, rest = self.region.element(given.extents, indices, variable)
        if rest:
            raise InputError("bad-cpp", f"'{variable:.80}' is several streams", where=self.where)
        return given.variable.first + given.offset + offset


def _iteration(loop: TimedLoop) -> int:
    """Stages of one iteration of a loop: as reported, or what is inside of it one after the other."""
    if loop.iteration is not None:
        return loop.iteration
    lengths = [
        trip_count(each.loop)[0] * _iteration(each) if isinstance(each, TimedLoop) else each.length
        for each in loop.inside
    ]
    return sum(lengths) + GAP * len(lengths)


def _axis(loop: For, stride: int) -> Axis:
    first = int(loop.first.value) if isinstance(loop.first, Num) else 0
    return Axis(loop.counter, first, loop.stride, trip_count(loop)[0], stride)


# --- All tasks of a region


@dataclass(frozen=True)
class RegionProcesses:
    """The tasks of a region, in the order of the text, and the FIFOs of turns between those that share an array."""

    processes: tuple[Pipeline, ...]
    turns: tuple[Fifo, ...]  # numbered after the streams
    notes: tuple[str, ...]


def region_processes(
    region: DataflowRegion, reports: SynthesisReports, name: Callable[[int, RegionTask], str]
) -> RegionProcesses:
    """The tasks of a region as processes.

    Args:
        region: the region.
        reports: of its synthesis.
        name: what the process of a task, with its number, is to be called.

    Raises:
        InputError: a task whose times its text and reports do not tell.
    """
    readers = [TaskReader(region, task, reports, module) for task, module in modules_of(region.tasks, reports)]
    if not readers:
        hints = ["name the design's function with --top"]
        raise InputError("no-tasks", f"'{region.name}' calls no function of the file", where=region.where, hints=hints)
    for reader in readers:
        reader.read()
    turns = _turns(region, readers)
    notes = dict.fromkeys(note for reader in readers for note in reader.notes)
    processes = [reader.process(name(number, reader.task)) for number, reader in enumerate(readers)]
    return RegionProcesses(tuple(processes), tuple(turns), tuple(notes))


def modules_of(tasks: Sequence[RegionTask], reports: SynthesisReports) -> list[tuple[RegionTask, str]]:
    """Each task with the module that it became; loops of the region that became one module are one task.

    Raises:
        InputError: a task without a report.
    """
    found: list[tuple[RegionTask, str]] = []
    for task in tasks:
        if task.call is not None:
            found.append((task, reports.called(task.name, sum(each.name == task.name for each, _ in found))))
            continue
        pattern = re.compile(rf"Loop_{re.escape(task.name)}(_\d+)?_proc\d*")
        module = next((each for each in reports.modules if pattern.fullmatch(each)), None)
        if module is not None:
            found.append((task, module))
        elif found and found[-1][0].loops:
            before, module = found.pop()
            found.append((replace(before, loops=before.loops + task.loops), module))
        else:
            reports.module(f"Loop_{task.name}_proc")
    return found


def _turns(region: DataflowRegion, readers: Sequence[TaskReader]) -> list[Fifo]:
    """FIFOs of turns for arrays that are filled by one task and read by later ones; adds the accesses to both."""
    first = sum(each.count for each in region.streams.values())
    turns: list[Fifo] = []
    touched = [dict(reader.touched()) for reader in readers]
    for array in region.arrays:
        users = [number for number, each in enumerate(touched) if array in each]
        filler = next((number for number in users if touched[number][array]), None)
        for number in users:
            if filler is None or number <= filler:
                continue
            name = f"{array}.{readers[number].task.name}"
            full = first + len(turns)
            turns += [
                Fifo(f"{name}.full", PING_PONG, 1, "srl", origin=f"ping-pong buffer {array}"),
                Fifo(f"{name}.empty", PING_PONG, 1, "srl", PING_PONG, origin=f"ping-pong buffer {array}"),
            ]
            for reader, (takes, puts) in ((readers[filler], (full + 1, full)), (readers[number], (full, full + 1))):
                reader.placed.insert(0, StreamStages(takes, READ, np.zeros(1, np.int64), 0))
                reader.placed.append(StreamStages(puts, WRITE, np.full(1, reader.end - 1, np.int64), reader.end - 1))
    return turns


def _name_of(argument: Expr) -> str:
    while isinstance(argument, Item):
        argument = argument.base
    return argument.name if isinstance(argument, VariableName) else ""
