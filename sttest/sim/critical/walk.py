"""One step back at a time along the constraints that bound a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sttest.sim.graph import Memory, Pipeline, TimedGraph
from sttest.sim.record import RunRecord

START = "start"
COMPUTE = "compute"
FIFO = "fifo"
STALL_OUT = "stall-out"


@dataclass(frozen=True)
class Segment:
    """Cycles [start_cycle, end_cycle) that the run spent in one process, for one kind of reason.

    ``compute``: stages, or tokens passed one per cycle; ``fifo``: a token on its way through a FIFO;
    ``stall-out``: space on its way back; ``hbm-latency``, ``hbm-transfer``: a burst; ``hbm-issue``: one
    request per cycle; ``hbm-window``: too many bursts in flight; ``start``: before the process may begin.
    """

    process: str
    kind: str
    start_cycle: int
    end_cycle: int

    @property
    def cycles(self) -> int:
        """Length of the segment."""
        return self.end_cycle - self.start_cycle


@dataclass(frozen=True)
class Visit:
    """Visit ``index`` of a process: a stage of a pipeline, or a token of a port."""

    process: int
    index: int


@dataclass(frozen=True)
class BurstStart:
    """A channel takes burst ``index`` of a port."""

    process: int
    index: int


Place = Visit | BurstStart


class Timeline(Protocol):
    """The recorded times of a process, and what bound each."""

    def last(self) -> tuple[list[Segment], Place | None]:
        """From the finish to the place that bound it."""
        ...

    def back(self, place: Place) -> tuple[list[Segment], Place | None]:
        """From a place to an earlier one, possibly of another process."""
        ...

    def visit_of(self, op: int, token: int) -> Visit:
        """The visit in which the process made its ``token``-th access of kind ``op``."""
        ...


class Walk:
    """All timelines of a run, made when they are first needed."""

    def __init__(self, graph: TimedGraph, record: RunRecord, *, unbounded: bool) -> None:
        from sttest.sim.ends import fifo_ends

        self.graph = graph
        self.record = record
        self._unbounded = unbounded
        self.ends = fifo_ends(graph)
        self._timelines: dict[int, Timeline] = {}

    def timeline(self, number: int) -> Timeline:
        """The timeline of a process."""
        if number not in self._timelines:
            self._timelines[number] = self._make(number)
        return self._timelines[number]

    def _make(self, number: int) -> Timeline:
        from sttest.sim.critical.pipeline import PipelineTimeline
        from sttest.sim.critical.port import PortTimeline

        process = self.graph.processes[number]
        if isinstance(process, Pipeline):
            return PipelineTimeline(self, number, process)
        assert isinstance(process, Memory)
        return PortTimeline(self, number, process)

    def back_from(self, number: int) -> list[Segment]:
        """The segments from a process's finish to cycle 0, latest first."""
        segments, place = self.timeline(number).last()
        while place is not None:
            more, place = self.timeline(place.process).back(place)
            segments.extend(more)
        return segments

    def write_time(self, fifo: int, token: int) -> int:
        """Cycle of the write of a token, counted with the initial ones; before every cycle for those."""
        index = token - self.graph.fifos[fifo].initial_tokens
        return int(self.record.writes[fifo][index]) if index >= 0 else -(1 << 62)

    def bound(self, op: int, token: int) -> int:
        """The earliest cycle that the FIFO law allows for the access of kind ``op`` to ``token``."""
        fifo = op // 2
        if op % 2:
            freed = -1 if self._unbounded else token - self.graph.fifos[fifo].depth
            return int(self.record.reads[fifo][freed]) + 1 if freed >= 0 else 0
        return self.write_time(fifo, token) + self.graph.fifos[fifo].read_after_write_cycles

    def cross(self, number: int, op: int, token: int) -> tuple[list[Segment], Place]:
        """From an access that its FIFO bound to the one at the other side that it waited for."""
        fifo = op // 2
        name, until = self.graph.processes[number].name, self.bound(op, token)
        if op % 2:
            freed = token - self.graph.fifos[fifo].depth
            segment = Segment(name, STALL_OUT, until - 1, until)
            return [segment], self.timeline(self.ends[fifo].reader).visit_of(op - 1, freed)
        segment = Segment(name, FIFO, self.write_time(fifo, token), until)
        written = token - self.graph.fifos[fifo].initial_tokens
        return [segment], self.timeline(self.ends[fifo].writer).visit_of(op + 1, written)
