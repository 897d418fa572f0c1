"""Loops of a task with what the reports say of them: which of them are one pipeline, its interval and its latency.

The report decides.  Where the tool has unrolled the innermost loops of a nest, or has not flattened the outermost, its
loop has the labels of those in between, in order, and their iterations.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from sttest.core.errors import InputError
from sttest.importers.hls.cpp_model import For, Num, Statement, plain
from sttest.importers.hls.csynth_report import LoopReport
from sttest.importers.hls.loop_nests import trip_count
from sttest.importers.hls.reports import SynthesisReports
from sttest.importers.hls.schedule import EnteredLoop, PipelinedNest, ScheduleNode
from sttest.sim.graph import MAX_CYCLES, check_whole


@dataclass(frozen=True)
class TimedNest:
    """A pipeline: an iteration begins every ``interval`` cycles and takes ``latency``."""

    loops: tuple[For, ...]
    body: tuple[Statement, ...]
    interval: int
    latency: int

    @property
    def iterations(self) -> int:
        """Of all loops together."""
        count = 1
        for loop in self.loops:
            count *= trip_count(loop)[0]
        return count

    @property
    def length(self) -> int:
        """Cycles from its entry to its end."""
        return max(0, self.iterations - 1) * self.interval + self.latency


@dataclass(frozen=True)
class TimedLoop:
    """A loop whose iterations follow each other; ``iteration`` are the cycles of one, None where nothing says."""

    loop: For
    inside: "tuple[TimedNode, ...]"
    iteration: int | None


TimedNode: TypeAlias = TimedNest | TimedLoop


@dataclass
class ReportFit:
    """Finds the report of each loop of a task.

    Args:
        reports: of the synthesis.
        module: that the task became.
        place: path and line number of a line of the text.
    """

    reports: SynthesisReports
    module: str
    place: Callable[[int], tuple[Path, int]]
    unmatched: list[LoopReport] = field(init=False)

    def __post_init__(self) -> None:
        self.unmatched = self.reports.innermost(self.module)

    def timed(self, nodes: Sequence[ScheduleNode]) -> tuple[TimedNode, ...]:
        """The nodes with their times.

        Raises:
            InputError: a loop that no report fits, or that has no constant trip count.
        """
        return tuple(self._timed(node, alone=len(nodes) == 1) for node in nodes)

    def _timed(self, node: ScheduleNode, *, alone: bool) -> TimedNode:
        if isinstance(node, EnteredLoop):
            self._trips(node.loop)
            return TimedLoop(node.loop, self.timed(node.inside), self._iteration(node.loop))
        if not node.loops:
            cycles = self.reports.module(self.module).cycles
            # Where there is nothing else, the module takes a cycle more than its statements.
            return TimedNest((), node.body, 1, max(1, cycles - 1) if alone and cycles is not None else 1)
        first, last, report = self._report(node)
        body = (node.loops[last],) if last < len(node.loops) else node.body
        made: TimedNode = TimedNest(node.loops[first:last], body, *self._pace(report, node.loops[0]))
        for loop in reversed(node.loops[:first]):
            made = TimedLoop(loop, (made,), self._iteration(loop))
        return made

    def _trips(self, loop: For) -> int:
        trips, notes = trip_count(loop)
        if notes or not isinstance(loop.first, Num):
            what = f"loop '{loop.label or plain(loop.counter)}' has no constant trip count"
            hints = ["import the trace of a run, see 'sttest import'"]
            raise InputError("not-static", what, where=self._where(loop), hints=hints)
        return check_whole(trips, "trip count", self._where(loop), 0, MAX_CYCLES)

    def _iteration(self, loop: For) -> int | None:
        named = self.reports.loop_named(self._pattern((loop,)))
        return named.depth if named is not None else None

    def _pace(self, report: LoopReport, loop: For) -> tuple[int, int]:
        """Interval and iteration latency; without an interval an iteration begins where the one before it ends."""
        latency = report.depth
        if latency is None and report.interval is None and report.cycles is not None and report.trips:
            latency = report.cycles // report.trips
        if latency is None:
            raise self._unfit(f"the report says no iteration latency of loop '{report.name}'", loop)
        return max(1, report.interval or latency), max(1, latency)

    def _report(self, nest: PipelinedNest) -> tuple[int, int, LoopReport]:
        """The report of a nest, and which of its loops it is about."""
        trips = [self._trips(loop) for loop in nest.loops]
        for first, last in _parts(len(trips)):
            found = self._fitting(nest.loops[first:last], trips[first:last])
            if found is not None:
                return first, last, found
        label = "_".join(loop.label or plain(loop.counter) for loop in nest.loops)
        raise self._unfit(f"no report fits loop '{label}' with {'x'.join(map(str, trips))} iterations", nest.loops[0])

    def _fitting(self, loops: Sequence[For], trips: Sequence[int]) -> LoopReport | None:
        count = 1
        for trip in trips:
            count *= trip
        # Loops of one iteration may have been dissolved.
        several = [loop for loop, trip in zip(loops, trips, strict=True) if trip != 1]
        for pattern in map(self._pattern, [loops, several] if several else [loops]):
            named = next((each for each in self.unmatched if pattern.fullmatch(each.name)), None)
            found = named or self.reports.loop_named(pattern)
            if found is not None and found.trips == count:
                break
        else:
            return None
        if found in self.unmatched:
            self.unmatched.remove(found)
        return found

    def _pattern(self, loops: Sequence[For]) -> re.Pattern[str]:
        """What the tool calls loops that it has flattened; one without a label gets a name from its line."""
        names = (re.escape(loop.label) or rf"VITIS_LOOP_{self.place(loop.line)[1]}_\d+" for loop in loops)
        return re.compile("_".join(names))

    def _where(self, loop: For) -> str:
        path, line = self.place(loop.line)
        return f"{path.name} line {line}"

    def _unfit(self, what: str, loop: For) -> InputError:
        hints = ["give the reports of the same source"]
        return InputError("report-does-not-fit", what, where=self._where(loop), hints=hints)


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """Which of ``count`` loops, neighbors, a report may be about; as many as possible, the outermost first."""
    for length in range(count, 0, -1):
        for first in range(count - length + 1):
            yield first, first + length
