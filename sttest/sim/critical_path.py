"""What bounds the run: the chain of binding constraints, walked back from the last finish."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from sttest.core.errors import InputError
from sttest.sim.bursts import Taken, burst_plan
from sttest.sim.graph import Actor, MemoryPort, Pipeline, TimedGraph, fifo_ends
from sttest.sim.simulation import RunRecord, Simulation
from sttest.sim.stages import StageTable, stage_table


@dataclass(frozen=True)
class Breakdown:
    """Cycles of the critical path; each of the two adds up to the cycles of the run.

    ``by_kind``: per (category of the process, kind of segment); ``by_process``: per process.
    """

    by_kind: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    by_process: dict[str, int] = field(default_factory=dict[str, int])


def critical_path(simulation: Simulation) -> "list[Segment]":
    """Segments that cover [0, cycles] in order, without gap or overlap.

    Raises:
        InputError: the run deadlocked, was not recorded, or has actors.
    """
    graph, record = simulation.graph, simulation.record
    if graph is None or record is None:
        raise InputError("not-recorded", "no access times", where=simulation.name, hints=["simulate with record=True"])
    if simulation.cycles is None:
        raise InputError("not-finished", "a run that does not finish has no critical path", where=simulation.name)
    if any(isinstance(process, Actor) for process in graph.processes):
        raise InputError("actors", "critical paths are of pipelines and memory ports only", where=simulation.name)
    walk = RunTimelines(graph, record, unbounded=simulation.unbounded)
    last = max(range(len(graph.processes)), key=lambda number: (record.finish[number] or 0, -number))
    return _merged(walk.back_from(last))


def breakdown(simulation: Simulation) -> Breakdown:
    """The critical path in sums.

    Raises:
        InputError: the same as for ``critical_path``.
    """
    graph = simulation.graph
    categories = {p.name: p.category for p in graph.processes} if graph is not None else {}
    kinds: Counter[tuple[str, str]] = Counter()
    processes: Counter[str] = Counter()
    for segment in critical_path(simulation):
        kinds[categories[segment.process], segment.kind] += segment.cycles
        processes[segment.process] += segment.cycles
    return Breakdown(dict(kinds), dict(processes))


def _merged(backwards: "list[Segment]") -> "list[Segment]":
    """Forwards, without empty segments, neighbors of one process and kind made one."""
    path: list[Segment] = []
    for segment in reversed(backwards):
        if segment.cycles == 0:
            continue
        if path and (path[-1].process, path[-1].kind) == (segment.process, segment.kind):
            path[-1] = Segment(segment.process, segment.kind, path[-1].start_cycle, segment.end_cycle)
        else:
            path.append(segment)
    return path


# --- One step back at a time along the constraints that bound a run


START = "start"
COMPUTE = "compute"
FIFO = "fifo"
STALL_OUT = "stall-out"


@dataclass(frozen=True)
class Segment:
    """Cycles [start_cycle, end_cycle) that the run spent in one process, for one kind of reason.

    ``compute``: stages, or tokens passed one per cycle; ``fifo``: a token on its way through a FIFO;
    ``stall-out``: space on its way back; ``hbm-latency``, ``hbm-transfer``: a burst; ``hbm-issue``: one
    request per cycle; ``hbm-turn``: one ID, which goes on to another channel; ``hbm-window``: too many bursts in
    flight; ``start``: before the process may begin.
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
        """Walks from the finish to the place that bound it."""
        ...

    def back(self, place: Place) -> tuple[list[Segment], Place | None]:
        """Walks from a place to an earlier one, possibly of another process."""
        ...

    def visit_of(self, op: int, token: int) -> Visit:
        """The visit in which the process made its ``token``-th access of kind ``op``."""
        ...


class RunTimelines:
    """All timelines of a run, made when they are first needed."""

    def __init__(self, graph: TimedGraph, record: RunRecord, *, unbounded: bool) -> None:
        self.graph = graph
        self.record = record
        self._unbounded = unbounded
        self.ends = fifo_ends(graph)
        self.channels = {channel.name: channel for channel in graph.channels}
        self._timelines: dict[int, Timeline] = {}

    def timeline(self, number: int) -> Timeline:
        """The timeline of a process."""
        if number not in self._timelines:
            self._timelines[number] = self._make(number)
        return self._timelines[number]

    def port(self, number: int) -> "PortTimeline":
        """The timeline of a memory port."""
        timeline = self.timeline(number)
        assert isinstance(timeline, PortTimeline)
        return timeline

    def _make(self, number: int) -> Timeline:
        process = self.graph.processes[number]
        if isinstance(process, Pipeline):
            return PipelineTimeline(self, number, process)
        assert isinstance(process, MemoryPort)
        return PortTimeline(self, number, process)

    def back_from(self, number: int) -> list[Segment]:
        """The segments from a process's finish to cycle 0, latest first."""
        segments, place = self.timeline(number).last()
        while place is not None:
            more, place = self.timeline(place.process).back(place)
            segments.extend(more)
        return segments

    def taken_before(self, channel: str, cycle: int) -> tuple[int, int] | None:
        """The port and burst that a channel took last before a cycle; None where that would be its first."""
        starts, owners, bursts = self._taken[channel]
        before = int(np.searchsorted(starts, cycle)) - 1
        return (int(owners[before]), int(bursts[before])) if before >= 0 else None

    @cached_property
    def _taken(self) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Per channel: starts in order, and for each the port and burst that it took."""
        rows: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
        for number, process in enumerate(self.graph.processes):
            if not isinstance(process, MemoryPort):
                continue
            starts = self.record.bursts[process.name][:, 1]
            lanes = burst_plan(process, self.channels).lanes(starts.size)
            for lane, channel in enumerate(process.channels):
                bursts = np.flatnonzero(lanes == lane)
                rows.setdefault(channel, []).append((starts[bursts], np.full(bursts.size, number), bursts))
        return {channel: _sorted(parts) for channel, parts in rows.items()}

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
        """Walks from an access that its FIFO bound to the one at the other side that it waited for."""
        fifo = op // 2
        name, until = self.graph.processes[number].name, self.bound(op, token)
        if op % 2:
            freed = token - self.graph.fifos[fifo].depth
            segment = Segment(name, STALL_OUT, until - 1, until)
            return [segment], self.timeline(self.ends[fifo].reader).visit_of(op - 1, freed)
        segment = Segment(name, FIFO, self.write_time(fifo, token), until)
        written = token - self.graph.fifos[fifo].initial_tokens
        return [segment], self.timeline(self.ends[fifo].writer).visit_of(op + 1, written)


# --- What bound each stage of a pipeline


@dataclass(frozen=True)
class _Accesses:
    """All accesses of one kind in one run of the table: their stages, and the tokens up to and with each."""

    stages: np.ndarray
    tokens_until: np.ndarray

    @property
    def tokens(self) -> int:
        """Tokens in one run."""
        return int(self.tokens_until[-1])


class PipelineTimeline:
    """The cycle of each stage visit, and the visits that something other than the one before bound."""

    def __init__(self, walk: RunTimelines, number: int, pipeline: Pipeline) -> None:
        self._walk = walk
        self._number = number
        self._pipeline = pipeline
        self._table = stage_table(pipeline, walk.graph)
        self._accesses = _by_op(self._table)
        self._cycle = self._visit_cycles()
        self._base = self._visit_bases()
        self._stalled = np.flatnonzero(self._cycle > self._base)

    def last(self) -> tuple[list[Segment], Place | None]:
        """See ``Timeline``."""
        finish = self._walk.record.finish[self._number] or 0
        if not self._cycle.size:
            return [self._compute(self._pipeline.start, finish), self._before_start()], None
        return [self._compute(int(self._cycle[-1]), finish)], Visit(self._number, self._cycle.size - 1)

    def back(self, place: Place) -> tuple[list[Segment], Place | None]:
        """See ``Timeline``: over all unstalled visits at once, then through the FIFO that stalled the one before."""
        until = int(self._cycle[place.index])
        before = int(np.searchsorted(self._stalled, place.index, side="right")) - 1
        if before < 0:
            return [self._compute(self._pipeline.start, until), self._before_start()], None
        visit = int(self._stalled[before])
        cycle = int(self._cycle[visit])
        for op, tokens in self._table.accesses(visit):
            token = self._first_token(op, visit) + tokens - 1
            if self._walk.bound(op, token) == cycle:
                segments, place = self._walk.cross(self._number, op, token)
                return [self._compute(cycle, until), *segments], place
        raise AssertionError(f"nothing bound visit {visit} of {self._pipeline.name}")

    def visit_of(self, op: int, token: int) -> Visit:
        """See ``Timeline``."""
        accesses = self._accesses[op]
        run, within = divmod(token, accesses.tokens)
        index = int(np.searchsorted(accesses.tokens_until, within, side="right"))
        return Visit(self._number, run * self._table.tick.size + int(accesses.stages[index]))

    def _first_token(self, op: int, visit: int) -> int:
        """Number of the first token of a visit's access, counted with the initial ones for a write."""
        accesses = self._accesses[op]
        run, stage = divmod(visit, self._table.tick.size)
        index = int(np.searchsorted(accesses.stages, stage))
        earlier = int(accesses.tokens_until[index - 1]) if index else 0
        initial = self._walk.graph.fifos[op // 2].initial_tokens if op % 2 else 0
        return run * accesses.tokens + earlier + initial

    def _visit_cycles(self) -> np.ndarray:
        """Cycle of each visit, int64[visits], from the times of its first access."""
        table, record = self._table, self._walk.record
        cycles = np.empty((table.runs, table.tick.size), np.int64)
        first_op = table.op[table.pointer[:-1]]
        runs = np.arange(table.runs)[:, None]
        for op, accesses in self._accesses.items():
            here = first_op[accesses.stages] == op
            token = accesses.tokens_until[here] - 1
            times = (record.writes if op % 2 else record.reads)[op // 2]
            cycles[:, accesses.stages[here]] = times[runs * accesses.tokens + token]
        return cycles.ravel()

    def _visit_bases(self) -> np.ndarray:
        """Earliest cycle of each visit by the visit before it, int64[visits]."""
        table = self._table
        if not self._cycle.size:
            return self._cycle
        gap = np.tile(np.diff(table.tick, prepend=table.tick[-1] - table.period), table.runs)
        base = np.append(0, self._cycle[:-1]) + gap
        base[0] = self._pipeline.start + table.tick[0]
        return base

    def _compute(self, start: int, end: int) -> Segment:
        return Segment(self._pipeline.name, COMPUTE, start, end)

    def _before_start(self) -> Segment:
        return Segment(self._pipeline.name, START, 0, self._pipeline.start)


def _by_op(table: StageTable) -> dict[int, _Accesses]:
    stage_of = np.repeat(np.arange(table.tick.size), np.diff(table.pointer))
    result: dict[int, _Accesses] = {}
    for op in map(int, np.flatnonzero(np.bincount(table.op))):
        chosen = table.op == op
        result[op] = _Accesses(stage_of[chosen], np.cumsum(table.count[chosen], dtype=np.int64))
    return result


# --- What bound each token and each burst of a memory port


LATENCY = "hbm-latency"
TRANSFER = "hbm-transfer"
ISSUE = "hbm-issue"
TURN = "hbm-turn"
WINDOW = "hbm-window"
IN_WORDS = {
    COMPUTE: "working",
    FIFO: "a token on its way through a FIFO",
    STALL_OUT: "space on its way back through a FIFO",
    LATENCY: "latency of external memory",
    TRANSFER: "transfer of a burst",
    ISSUE: "issuing requests, one per cycle",
    TURN: "one ID that waits before it goes on to another channel",
    WINDOW: "too many bursts in flight",
    START: "waiting for its first cycle",
}
"""What a segment's cycles are spent on, by its kind."""

Step = tuple[list[Segment], Place | None]


class PortTimeline:
    """The cycles of a port's tokens and bursts."""

    def __init__(self, walk: RunTimelines, number: int, port: MemoryPort) -> None:
        self._walk = walk
        self._number = number
        self._port = port
        self._plan = burst_plan(port, walk.channels)
        self._fifo = walk.graph.fifo_index[port.fifo]
        self._reads_memory = port.op == "read"
        record = walk.record
        self._cycle = (record.writes if self._reads_memory else record.reads)[self._fifo]
        self._bursts = record.bursts[port.name]
        self._request, self._start = self._bursts[:, 0], self._bursts[:, 1]
        self._late = np.append(0, 1 + np.flatnonzero(np.diff(self._cycle) > 1))

    def last(self) -> Step:
        """See ``Timeline``."""
        finish = self._walk.record.finish[self._number] or 0
        if self._reads_memory:
            token = self._cycle.size - 1
            return [self._segment(COMPUTE, int(self._cycle[token]), finish)], Visit(self._number, token)
        return self._from_response(self._burst_with_response(finish))

    def back(self, place: Place) -> Step:
        """See ``Timeline``."""
        if isinstance(place, BurstStart):
            return self._from_start(place.index)
        token = int(self._late[np.searchsorted(self._late, place.index, side="right") - 1])
        passing = self._segment(COMPUTE, int(self._cycle[token]), int(self._cycle[place.index]))
        segments, earlier = self._from_token(token)
        return [passing, *segments], earlier

    def visit_of(self, op: int, token: int) -> Visit:
        """See ``Timeline``: the token is counted without the initial ones."""
        return Visit(self._number, token)

    def _from_token(self, token: int) -> Step:
        """Walks from a token that did not just follow the one before."""
        cycle = int(self._cycle[token])
        op = 2 * self._fifo + self._reads_memory
        number = token + (self._walk.graph.fifos[self._fifo].initial_tokens if self._reads_memory else 0)
        if self._walk.bound(op, number) == cycle:
            return self._walk.cross(self._number, op, number)
        if token > 0 and self._cycle[token - 1] + 1 + self._plan.gap_before(token) == cycle:
            return [self._segment(COMPUTE, int(self._cycle[token - 1]), cycle)], Visit(self._number, token - 1)
        if self._reads_memory:
            return self._from_arrival(token, cycle)
        if cycle == self._port.start:
            return [self._segment(START, 0, cycle)], None
        segments, place = self._from_response(self._freeing_burst(token, cycle))
        return [self._segment(WINDOW, cycle - 1, cycle), *segments], place

    def _freeing_burst(self, token: int, cycle: int) -> int:
        """The burst whose response, a cycle before, gave the last place for the token's bytes."""
        before = (burst - self._plan.window for burst in self._plan.bursts_of(token))
        return next(b for b in before if b >= 0 and self._taken(b).due + 1 == cycle)

    def _from_arrival(self, token: int, cycle: int) -> Step:
        for burst in self._plan.bursts_of(token):
            taken = self._taken(burst)
            if self._plan.arrival(burst, token, taken) == cycle:
                segments, place = self._from_due(burst)
                return [self._segment(TRANSFER, taken.due, cycle), *segments], place
        raise AssertionError(f"nothing bound token {token} of {self._port.name}")

    def _from_response(self, burst: int) -> Step:
        last = self._plan.last_token(burst)
        response, whole = self._taken(burst).due, int(self._cycle[last]) + 1
        if self._plan.early and whole == response:
            return [self._segment(TRANSFER, whole - 1, whole)], Visit(self._number, last)
        return self._from_due(burst)

    def _from_due(self, burst: int) -> Step:
        """Walks from a burst's beats or response to its start, or to when its channel was free for it."""
        taken, channel, writes = self._taken(burst), self._plan.channel(burst), self._plan.writes
        if taken.cycle + channel.delay(writes=writes) == taken.due:
            return [self._segment(LATENCY, taken.cycle, taken.due)], BurstStart(self._number, burst)
        free = taken.due - channel.busy_delay(writes=writes)
        segments, place = self._from_free(burst, free)
        return [self._segment(LATENCY, free, taken.due), *segments], place

    def _taken(self, burst: int) -> Taken:
        return Taken.of(self._bursts[burst])

    def _burst_with_response(self, cycle: int) -> int:
        bursts = range(max(0, self._plan.bursts - self._plan.window), self._plan.bursts)
        return next(b for b in bursts if self._taken(b).due == cycle)

    def _from_start(self, burst: int) -> Step:
        """Walks from a burst's start on its channel to its request, or to the burst that the channel served before."""
        start = int(self._start[burst])
        return self._from_request(burst) if start == self._request[burst] else self._from_free(burst, start)

    def _from_free(self, burst: int, cycle: int) -> Step:
        """Walks from when a burst's channel was free for it."""
        before = self._walk.taken_before(self._port.channels[self._plan.lane(burst)], int(self._start[burst]))
        assert before is not None, "a channel's first burst waits for none"
        owner, other = before
        return self._walk.port(owner).from_end(other, cycle)

    def from_end(self, burst: int, cycle: int) -> Step:
        """Walks from when a burst left its channel: to its start, or to the last byte that it held the channel for."""
        last = self._plan.last_token(burst)
        if self._plan.early and self._cycle[last] + 1 == cycle:
            return [self._segment(TRANSFER, cycle - 1, cycle)], Visit(self._number, last)
        return [self._segment(TRANSFER, int(self._start[burst]), cycle)], BurstStart(self._number, burst)

    def _from_request(self, burst: int) -> Step:
        """Walks from a burst's request, over those one cycle before each other, to what bound the first of them."""
        until = int(self._request[burst])
        while True:
            cycle = int(self._request[burst])
            issued = self._segment(ISSUE, cycle, until)
            token = self._token_before_request(burst)
            waited = 1 if self._reads_memory else 0
            if token is not None and int(self._cycle[token]) + waited == cycle:
                window = self._segment(WINDOW, cycle - waited, cycle)
                return [issued, window], Visit(self._number, token)
            if burst == 0:
                return [issued, self._segment(START, 0, cycle)], None
            if self._request[burst - 1] + 1 != cycle:
                segments, place = self._from_turn(burst, cycle)
                return [issued, *segments], place
            burst -= 1

    def _from_turn(self, burst: int, cycle: int) -> Step:
        """Walks from a request to one of several channels that waited for a burst before it, there or elsewhere."""
        lane, before = self._lanes[burst], burst - 1
        if self._plan.one_id and self._lanes[before] != lane:
            ends = cycle - self._plan.channel(before).turn_cycles
            whole = int(self._cycle[self._plan.last_token(before)]) + 1 if self._plan.early else 0
            if max(self._plan.end(before, self._taken(before)), whole) == ends:
                segments, place = self.from_end(before, ends)
                return [self._segment(TURN, ends, cycle), *segments], place
        while self._lanes[before] != lane:
            before -= 1
        assert self._start[before] == cycle, "a request waits for a token, a turn, or the request before it"
        return [], BurstStart(self._number, before)

    @cached_property
    def _lanes(self) -> np.ndarray:
        return self._plan.lanes(self._plan.bursts)

    def _token_before_request(self, burst: int) -> int | None:
        """The token whose passing let the burst be requested: it freed a place, or completed the bytes to write."""
        if self._plan.early:
            return burst * self._plan.burst_bytes // self._plan.token_bytes
        last = burst - self._plan.window if self._reads_memory else burst
        return self._plan.last_token(last) if last >= 0 else None

    def _segment(self, kind: str, start: int, end: int) -> Segment:
        return Segment(self._port.name, kind, start, end)


def _sorted(parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    starts, owners, bursts = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(starts)
    return starts[order], owners[order], bursts[order]
