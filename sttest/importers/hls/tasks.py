"""A task of a dataflow region as a pipeline: its loops laid out in stages, with what the reports say of them.

A task begins in stage 0 and enters its first loop in stage 1; what follows a loop is entered 2 stages after its end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sttest.core.errors import InputError
from sttest.importers.hls.accesses import Axis, Placed, Walk, accesses_stream
from sttest.importers.hls.cpp_model import For, Num
from sttest.importers.hls.csynth_report import LoopReport
from sttest.importers.hls.loop_nests import ProcessCode, trip_count
from sttest.importers.hls.region import DataflowRegion, Task
from sttest.importers.hls.reports import SynthesisReports
from sttest.importers.hls.schedule import EnteredLoop, PipelinedNest, ScheduleNode, schedule
from sttest.sim import Pipeline, Trace
from sttest.sim.graph import MAX_CYCLES, check_whole

ENTRY = 1
"""Stages before the first loop of a task."""
GAP = 2
"""Stages from the end of a loop to the entry of the next."""


@dataclass
class TaskReader:
    """Makes the pipeline of one task.

    Args:
        region: the region that it is in.
        task: the task.
        reports: of its synthesis.
        module: name of the module that it became.
    """

    region: DataflowRegion
    task: Task
    reports: SynthesisReports
    module: str
    notes: list[str] = field(default_factory=list)

    def pipeline(self, name: str, origin: str = "") -> Pipeline:
        """The task as a process with a trace.

        Raises:
            InputError: a loop that no report knows, or an access that the text alone does not time.
        """
        nodes = [each for each in schedule(self.code.body, self.where) if self._matters(each)]
        self.unmatched = self.reports.innermost(self.module)
        end = self._lay_out(nodes, (), ENTRY)
        placed = [each for each in self.placed if each.stages.size]
        sizes = [each.stages.size for each in placed]
        ticks = np.concatenate([each.stages for each in placed]) if placed else np.empty(0, np.int64)
        ops = np.repeat(np.array([2 * each.stream + each.op for each in placed], np.int32), sizes)
        # Of the accesses in one stage those of the older iteration come first.
        entered = np.concatenate([each.stages - each.offset for each in placed]) if placed else ticks
        order = np.lexsort((entered, ticks))
        return Pipeline(name, end=end, trace=Trace(ticks[order], ops[order]), origin=origin)

    def __post_init__(self) -> None:
        region, task = self.region, self.task
        self.where = f"{region.where}: {task.name}"
        self.placed: list[Placed] = []
        self.unmatched: list[LoopReport] = []
        part = (task.loop,) if task.loop is not None else None
        if task.call is None:
            self.code = ProcessCode(region.file, region.name, (), part)
            self.given = {name: region.given_whole(each) for name, each in region.streams.items()}
        else:
            self.code = ProcessCode(region.file, task.call.name, task.call.template)
            parameters = [parameter.name for parameter in self.code.function.parameters]
            self.given = dict(zip(parameters, map(region.given, task.call.args), strict=False))

    # --- Layout

    def _lay_out(self, nodes: Sequence[ScheduleNode], around: tuple[Axis, ...], start: int) -> int:
        """Lays nodes out one after the other; gives the stage after the last."""
        stage = end = start
        for node in nodes:
            if isinstance(node, PipelinedNest):
                end = self._pipeline(node, around, stage)
            else:
                end = self._entered(node, around, stage)
            check_whole(end, "length in stages", self.where, 0, MAX_CYCLES)
            stage = end + GAP
        return end

    def _matters(self, node: ScheduleNode) -> bool:
        """Whether a node takes time: statements between loops that access no stream run beside what follows."""
        if isinstance(node, EnteredLoop) or node.loops:
            return True
        return any(accesses_stream(each, self.code.types) for each in node.body)

    def _entered(self, node: EnteredLoop, around: tuple[Axis, ...], start: int) -> int:
        report = self.reports.by_label.get(node.loop.label) if node.loop.label else None
        trips = self._trips(node.loop)
        # The layout inside depends on how long an iteration takes only where it is not reported.
        length = report.depth if report is not None and report.depth else self._length(node.inside)
        self._lay_out(node.inside, (*around, self._axis(node.loop, trips, length)), start)
        return start + trips * length

    def _length(self, nodes: Sequence[ScheduleNode]) -> int:
        """Stages of one iteration, from what is inside of it."""
        apart = TaskReader(self.region, self.task, self.reports, self.module)
        apart.unmatched, apart.measures_only = list(self.unmatched), True
        return apart._lay_out(nodes, (), 0) + GAP

    measures_only: bool = False

    def _pipeline(self, nest: PipelinedNest, around: tuple[Axis, ...], start: int) -> int:
        trips = [self._trips(loop) for loop in nest.loops]
        interval, latency = self._timing(nest, trips)
        axes: list[Axis] = []
        stride = interval
        for loop, trip in zip(reversed(nest.loops), reversed(trips), strict=True):
            axes.insert(0, self._axis(loop, trip, stride))
            stride *= trip
        iterations = stride // interval
        if not self.measures_only and iterations:
            walk = Walk(
                (*around, *axes), start, (0, latency - 1), self.code.types, self._found, self.code.settings, self.where
            )
            self.placed += walk.run(nest.body)
        return start + max(0, iterations - 1) * interval + latency

    def _trips(self, loop: For) -> int:
        trips, notes = trip_count(loop)
        if notes or not isinstance(loop.first, Num):
            what = f"loop '{loop.label or loop.counter}' has no constant trip count"
            hints = ["give the accesses of a run with --trace"]
            raise InputError("not-static", what, where=f"{self.where} line {loop.line}", hints=hints)
        return check_whole(trips, "trip count", self.where, 0, MAX_CYCLES)

    def _axis(self, loop: For, trips: int, stride: int) -> Axis:
        first = int(loop.first.value) if isinstance(loop.first, Num) else 0
        return Axis(loop.counter, first, loop.stride, trips, stride)

    # --- What the reports say

    def _timing(self, nest: PipelinedNest, trips: Sequence[int]) -> tuple[int, int]:
        """Interval and iteration latency of a pipeline."""
        if not nest.loops:
            return 1, self._once()
        report = self._report(nest, trips)
        latency = report.depth
        if latency is None and report.interval is None and report.cycles is not None and report.trips:
            latency = report.cycles // report.trips
        if latency is None:
            raise self._unfit(f"the report says no iteration latency of loop '{report.name}'", nest)
        # Without an interval an iteration begins where the one before it ends.
        return max(1, report.interval or latency), max(1, latency)

    def _once(self) -> int:
        """Latency of what runs once: that of the module, where there is nothing else in it."""
        cycles = self.reports.module(self.module).cycles
        return max(1, cycles - ENTRY) if cycles is not None and not self.unmatched else 1

    def _report(self, nest: PipelinedNest, trips: Sequence[int]) -> LoopReport:
        """The report of a pipeline: by its labels or, without any, the next of the module with as many iterations."""
        label = "_".join(nest.labels)
        count = int(np.prod(trips, dtype=object))
        named = [each for each in self.unmatched if each.name == label]
        named += [each for each in [self.reports.by_label.get(label)] if each is not None and not named]
        alike = [each for each in self.unmatched if each.trips == count]
        found = next(iter(named or alike), None)
        if found is None or (found.trips is not None and found.trips != count):
            told = (
                f"with {count} iterations"
                if found is None
                else f"with {count} iterations, the report has {found.trips}"
            )
            raise self._unfit(f"no report fits loop '{label or nest.loops[0].counter}' {told}", nest)
        if found in self.unmatched:
            self.unmatched.remove(found)
        return found

    def _unfit(self, what: str, nest: PipelinedNest) -> InputError:
        hints = ["give the reports of the same source"]
        return InputError("report-does-not-fit", what, where=f"{self.where} line {nest.loops[0].line}", hints=hints)

    # --- Streams

    def _found(self, variable: str, indices: list[int]) -> int | None:
        given = self.given.get(variable)
        if given is None:
            self.notes.append(f"{self.task.name}: '{variable}' is no stream of the region: never empty, never full")
            return None
        offset, rest = self.region.element(given.extents, indices, variable)
        if rest:
            raise InputError("bad-cpp", f"'{variable:.80}' is several streams", where=self.where)
        return given.variable.first + given.offset + offset


def pipelines(
    region: DataflowRegion, reports: SynthesisReports, name: Callable[[int, Task], str], notes: list[str] | None = None
) -> list[Pipeline]:
    """The tasks of a region, in the order of the text.

    Args:
        region: the region.
        reports: of its synthesis.
        name: what the process of a task, with its number, is to be called.
        notes: list that gets what was assumed.

    Raises:
        InputError: a task whose times its text and reports do not tell.
    """
    found: list[Pipeline] = []
    for number, (task, module) in enumerate(modules_of(region.tasks, reports)):
        reader = TaskReader(region, task, reports, module)
        found.append(reader.pipeline(name(number, task)))
        if notes is not None:
            notes += [each for each in dict.fromkeys(reader.notes) if each not in notes]
    return found


def modules_of(tasks: Sequence[Task], reports: SynthesisReports) -> list[tuple[Task, str]]:
    """Each task with the module that it became."""
    return [(task, task.name) for task in tasks]
