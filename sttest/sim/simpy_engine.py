"""Runs a timed graph in SimPy: the oracle that the other engines are held to."""

# SimPy doesn't say what its callbacks take:
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from array import array
from collections import deque
from collections.abc import Callable, Generator, Iterator
from itertools import pairwise, repeat
from typing import TypeAlias

import numpy as np
from simpy import Environment, Event
from simpy.core import EmptySchedule
from simpy.events import EventPriority

from sttest.sim.bursts import BurstPlan, burst_plan
from sttest.sim.graph import Actor, Channel, Fifo, Pipeline, Process, TimedGraph, fifo_ends, joins_actors
from sttest.sim.simulation import RunRecord, Stalls
from sttest.sim.stages import StageTable, stage_table

# --- A FIFO in simulated time: its token times, and at most one process waiting on either side


BEFORE_TIME = -(1 << 62)
"""Write time of tokens that are there at the start."""


class Wake(Event):
    """An event whose time is set once it is known."""

    def fire_at(self, cycle: int, priority: int = 1) -> None:
        """Triggers the event at ``cycle``, now or later; within a cycle, after those of lower ``priority``."""
        self._ok = True
        self._value = None
        self.env.schedule(self, EventPriority(priority), cycle - self.env.now)


def now_of(env: Environment) -> int:
    """The present cycle; all delays here are whole, so that it is."""
    return int(env.now)


def call_at(env: Environment, cycle: int, action: Callable[[], None]) -> None:
    """Calls ``action`` at ``cycle``, now or later."""
    wake = Wake(env)
    wake.callbacks.append(lambda _: action())
    wake.fire_at(cycle)


class FifoState:
    """Times of all writes and reads so far (of an actor: of its ends), under the FIFO law.

    ``taken`` and ``claimed`` count what actors have taken or claimed at the start of their firings.
    """

    __slots__ = (
        "claimed",
        "claims",
        "depth",
        "env",
        "raw",
        "reader",
        "reader_floor",
        "reader_need",
        "reads",
        "taken",
        "war",
        "writer",
        "writer_floor",
        "writer_need",
        "writes",
    )

    def __init__(self, env: Environment, fifo: Fifo, depth: int, between_actors: bool) -> None:
        self.env = env
        self.depth = depth
        self.raw = 0 if between_actors else fifo.read_after_write_cycles
        self.war = 0 if between_actors else 1
        self.writes = array("q", [BEFORE_TIME]) * fifo.initial_tokens
        self.reads = array("q")
        self.claims = array("q")
        self.taken = 0
        self.claimed = fifo.initial_tokens
        self.reader: Wake | None = None
        self.writer: Wake | None = None
        self.reader_need = self.reader_floor = self.writer_need = self.writer_floor = 0

    def await_tokens(self, need: int, floor: int) -> Wake:
        """Fires when ``need`` tokens have been written and the last of them is readable, not before ``floor``."""
        self.reader = Wake(self.env)
        self.reader_need, self.reader_floor = need, floor
        return self.reader

    def await_space(self, need: int, floor: int) -> Wake:
        """Fires when ``need`` tokens have been read and their space is usable, not before ``floor``."""
        self.writer = Wake(self.env)
        self.writer_need, self.writer_floor = need, floor
        return self.writer

    def wake_reader(self, now: int) -> None:
        """Wakes a waiting reader after writes."""
        if self.reader is not None and len(self.writes) >= self.reader_need:
            self.reader.fire_at(max(now + self.raw, self.reader_floor))
            self.reader = None

    def wake_writer(self, now: int) -> None:
        """Wakes a waiting writer after reads."""
        if self.writer is not None and len(self.reads) >= self.writer_need:
            self.writer.fire_at(max(now + self.war, self.writer_floor))
            self.writer = None


# --- External memory as SimPy processes: channels that serve bursts, and ports that stream tokens through them


DECIDES_LAST = 2
"""SimPy priority below every other event of a cycle: a channel chooses among all the requests of that cycle."""


class ChannelState:
    """Serves one burst at a time, never idle while one waits; ports take turns, each in its own order."""

    def __init__(self, env: Environment, channel: Channel) -> None:
        self.env = env
        self.channel = channel
        self._queues: dict[int, deque[tuple[int, int, Callable[[int, int], None]]]] = {}
        self._free_at = 0
        self._served = -1
        self._deciding = False

    def request(self, port: int, burst: int, beats: int, on_start: Callable[[int, int], None]) -> None:
        """Queues a burst; ``on_start(burst, cycle)`` is called when the channel takes it."""
        self._queues.setdefault(port, deque()).append((burst, beats, on_start))
        self._decide_next()

    def _decide_next(self) -> None:
        if self._deciding:
            return
        self._deciding = True
        wake = Wake(self.env)
        wake.callbacks.append(self._decide)
        wake.fire_at(max(now_of(self.env), self._free_at), DECIDES_LAST)

    def _decide(self, _: Event) -> None:
        self._deciding = False
        waiting = [port for port, queue in self._queues.items() if queue]
        port = min(waiting, key=lambda number: (number <= self._served, number))
        burst, beats, on_start = self._queues[port].popleft()
        self._served = port
        now = now_of(self.env)
        self._free_at = now + -(-beats * self.channel.beats_den // self.channel.beats_num)
        on_start(burst, now)
        if any(self._queues.values()):
            self._decide_next()


class PortState:
    """What read and write ports share: their bursts, and when each was requested and started."""

    def __init__(
        self, env: Environment, number: int, plan: BurstPlan, channels: list[ChannelState], fifo: FifoState
    ) -> None:
        self.env = env
        self.plan = plan
        self.fifo = fifo
        self.finish: int | None = None
        self.visits = 0
        self.requests = array("q")
        self.starts = array("q", [-1]) * plan.bursts
        self._number = number
        self._channels = channels
        self._stall_cycles = [0, 0]
        self._awaited = -1
        self._awaited_start: Wake | None = None

    def _request(self, burst: int) -> None:
        self.requests.append(now_of(self.env))
        channel = self._channels[burst % len(self._channels)]
        channel.request(self._number, burst, self.plan.beats(burst), self._on_start)

    def _on_start(self, burst: int, cycle: int) -> None:
        self.starts[burst] = cycle
        if burst == self._awaited and self._awaited_start is not None:
            self._awaited_start.fire_at(cycle)
            self._awaited_start = None

    def _until_started(self, burst: int) -> Generator[Event, None, int]:
        if self.starts[burst] < 0:
            self._awaited = burst
            self._awaited_start = Wake(self.env)
            yield self._awaited_start
        return self.starts[burst]


class ReadPort(PortState):
    """Streams tokens from memory into its FIFO."""

    @property
    def stalls(self) -> Stalls:
        """Cycles stalled so far."""
        return Stalls(output_cycles=self._stall_cycles[0], memory_cycles=self._stall_cycles[1])

    def run(self) -> Generator[Event, None, None]:
        """The SimPy process: requests bursts ahead, writes tokens as their bytes arrive."""
        self._drained = 0
        self._blocked_request = False
        call_at(self.env, self.plan.start, self._request_next)
        now = self.plan.start - 1
        for token in range(self.plan.tokens):
            base = now + 1
            arrived = 0
            for burst in self.plan.bursts_of(token):
                started = yield from self._until_started(burst)
                arrived = max(arrived, started + self.plan.arrival_delay(burst, token))
            there = max(base, arrived)
            now = yield from _pass(self.env, self.fifo, there, is_write=True)
            self._stall_cycles[0] += now - there
            self._stall_cycles[1] += there - base
            self.visits += 1
            self.fifo.writes.append(now)
            self.fifo.wake_reader(now)
            self._drain(self.plan.bursts_done(token + 1))
        self.finish = now + 1

    def _request_next(self) -> None:
        self._request(len(self.requests))
        issued = len(self.requests)
        if issued == self.plan.bursts:
            return
        self._blocked_request = issued - self._drained >= self.plan.window
        if not self._blocked_request:
            call_at(self.env, now_of(self.env) + 1, self._request_next)

    def _drain(self, bursts_done: int) -> None:
        self._drained = bursts_done
        if self._blocked_request and len(self.requests) - bursts_done < self.plan.window:
            self._blocked_request = False
            call_at(self.env, now_of(self.env) + 1, self._request_next)


class WritePort(PortState):
    """Streams tokens from its FIFO to memory."""

    @property
    def stalls(self) -> Stalls:
        """Cycles stalled so far."""
        return Stalls(input_cycles=self._stall_cycles[0], memory_cycles=self._stall_cycles[1])

    def run(self) -> Generator[Event, None, None]:
        """The SimPy process: takes tokens while there is a burst to put them in, waits for the last response."""
        now = self.plan.start - 1
        requested, next_request = 0, 0
        for token in range(self.plan.tokens):
            base = now + 1
            space = yield from self._space_for(token)
            place = max(base, space)
            now = yield from _pass(self.env, self.fifo, place, is_write=False)
            self._stall_cycles[0] += now - place
            self._stall_cycles[1] += place - base
            self.visits += 1
            self.fifo.reads.append(now)
            self.fifo.wake_writer(now)
            for burst in range(requested, self.plan.bursts_done(token + 1)):
                next_request = max(next_request, now)
                call_at(self.env, next_request, lambda burst=burst: self._request(burst))
                next_request += 1
            requested = self.plan.bursts_done(token + 1)
        responses: list[int] = []
        for burst in range(max(0, self.plan.bursts - self.plan.window), self.plan.bursts):
            started = yield from self._until_started(burst)
            responses.append(started + self.plan.response_delay(burst))
        finish = max(responses)
        self._stall_cycles[1] += finish - (now + 1)
        self.finish = finish

    def _space_for(self, token: int) -> Generator[Event, None, int]:
        """First cycle with a burst slot for all bytes of the token: all predecessors there have had their responses."""
        free = 0
        for burst in self.plan.bursts_of(token):
            before = burst - self.plan.window
            if before >= 0:
                started = yield from self._until_started(before)
                free = max(free, started + self.plan.response_delay(before) + 1)
        return free


def _pass(env: Environment, fifo: FifoState, base: int, *, is_write: bool) -> Generator[Event, None, int]:
    """Waits until one token may pass at ``base`` or later; gives the cycle, which is then the present one."""
    index = len(fifo.writes) - fifo.depth if is_write else len(fifo.reads)
    other, delay = (fifo.reads, fifo.war) if is_write else (fifo.writes, fifo.raw)
    if index >= len(other):
        yield fifo.await_space(index + 1, base) if is_write else fifo.await_tokens(index + 1, base)
    ready = max(base, other[index] + delay) if index >= 0 else base
    if ready > env.now:
        yield env.timeout(ready - env.now)
    return ready


# --- A stalling pipeline as a SimPy process: one resumption per stage that has accesses


Access = tuple[FifoState, int, bool]
"""A FIFO, how many tokens, and whether they are written."""


class PipelineState:
    """One gated clock: the accesses of a stage happen in one cycle, when all are possible, or not at all."""

    def __init__(self, env: Environment, start: int, table: StageTable, fifos: list[FifoState]) -> None:
        self.env = env
        self.start = start
        self.table = table
        self.finish: int | None = None
        self.visits = 0
        self._stall_cycles = [0, 0]
        self._patterns = _patterns(table, fifos)

    @property
    def stalls(self) -> Stalls:
        """Cycles stalled so far."""
        return Stalls(*self._stall_cycles)

    def run(self) -> Generator[Event, None, None]:
        """The SimPy process."""
        env, stall_cycles = self.env, self._stall_cycles
        now = self.start
        for gap_cycles, accesses in self._schedule():
            base = now + gap_cycles
            while True:
                ready, is_output, wait = _ready(base, accesses)
                if wait is None:
                    break
                yield wait
            if ready > env.now:
                yield env.timeout(ready - env.now)
            if ready > base:
                stall_cycles[is_output] += ready - base
            now = ready
            self.visits += 1
            for fifo, tokens, is_write in accesses:
                times = fifo.writes if is_write else fifo.reads
                if tokens == 1:
                    times.append(now)
                else:
                    times.extend(repeat(now, tokens))
                if is_write:
                    if fifo.reader is not None:
                        fifo.wake_reader(now)
                elif fifo.writer is not None:
                    fifo.wake_writer(now)
        self.finish = now + self.table.last_stage - self.table.last_visited_stage

    def _schedule(self) -> Iterator[tuple[int, list[Access]]]:
        """Stages since the visit before, and accesses, of every visit of every run."""
        ticks = self.table.tick.tolist()
        if not ticks:
            return
        gaps = [ticks[0]] + [after - before for before, after in pairwise(ticks)]
        for _ in range(self.table.runs):
            yield from zip(gaps, self._patterns, strict=True)
            gaps[0] = self.table.period - ticks[-1] + ticks[0]


def _ready(base: int, accesses: list[Access]) -> tuple[int, bool, Event | None]:
    """Earliest cycle ≥ ``base`` for all accesses together, whether an output held it, or an event to wait for first."""
    ready, is_output = base, False
    for fifo, tokens, is_write in accesses:
        if is_write:
            index = len(fifo.writes) + tokens - 1 - fifo.depth
            if index < 0:
                continue
            if index >= len(fifo.reads):
                return base, True, fifo.await_space(index + 1, base)
            possible = fifo.reads[index] + fifo.war
        else:
            index = len(fifo.reads) + tokens - 1
            if index >= len(fifo.writes):
                return base, False, fifo.await_tokens(index + 1, base)
            possible = fifo.writes[index] + fifo.raw
        if possible > ready:
            ready, is_output = possible, is_write
    return ready, is_output, None


def _patterns(table: StageTable, fifos: list[FifoState]) -> list[list[Access]]:
    """The accesses of each stage; equal stages share one list."""
    known: dict[bytes, list[Access]] = {}
    patterns: list[list[Access]] = []
    bounds = table.pointer.tolist()
    for first, last in pairwise(bounds):
        key = table.op[first:last].tobytes() + table.count[first:last].tobytes()
        if key not in known:
            pairs = zip(table.op[first:last].tolist(), table.count[first:last].tolist(), strict=True)
            known[key] = [(fifos[op // 2], tokens, op % 2 == 1) for op, tokens in pairs]
        patterns.append(known[key])
    return patterns


# --- A dataflow actor as a SimPy process, with SDF3's semantics of time


class ActorState:
    """Firings start in order, as soon as tokens and space allow, and may overlap."""

    def __init__(self, env: Environment, actor: Actor, fifos: dict[str, FifoState]) -> None:
        self.env = env
        self.finish: int | None = None
        self.visits = 0
        self._actor = actor
        self._stall_cycles = [0, 0]
        self._phases = [
            (
                phase.time,
                [(fifos[name], tokens) for name, tokens in phase.reads.items() if tokens],
                [(fifos[name], tokens) for name, tokens in phase.writes.items() if tokens],
            )
            for phase in actor.phases
        ]

    @property
    def stalls(self) -> Stalls:
        """Cycles stalled so far."""
        return Stalls(*self._stall_cycles)

    def run(self) -> Generator[Event, None, None]:
        """The SimPy process."""
        env = self.env
        if self._actor.start:
            yield env.timeout(self._actor.start)
        end = self._actor.start
        for firing in range(self._actor.firings or 0):
            time_cycles, inputs, outputs = self._phases[firing % len(self._phases)]
            base = now_of(env)
            for fifo, tokens in inputs:
                yield from self._until_readable(fifo, fifo.taken + tokens)
            readable = now_of(env)
            for fifo, tokens in outputs:
                yield from self._until_free(fifo, fifo.claimed + tokens - fifo.depth)
            now = now_of(env)
            self._stall_cycles[0] += readable - base
            self._stall_cycles[1] += now - readable
            for fifo, tokens in inputs:
                fifo.taken += tokens
            for fifo, tokens in outputs:
                fifo.claimed += tokens
                fifo.claims.extend([now] * tokens)
            self.visits += 1
            end = max(end, now + time_cycles)
            call_at(env, now + time_cycles, lambda inputs=inputs, outputs=outputs: self._end(inputs, outputs))
        self.finish = end

    def _until_readable(self, fifo: FifoState, need: int) -> Generator[Event, None, None]:
        if need > len(fifo.writes):
            yield fifo.await_tokens(need, now_of(self.env))
        readable = fifo.writes[need - 1] + fifo.raw
        if readable > self.env.now:
            yield self.env.timeout(readable - self.env.now)

    def _until_free(self, fifo: FifoState, need: int) -> Generator[Event, None, None]:
        if need > len(fifo.reads):
            yield fifo.await_space(need, now_of(self.env))
        free = fifo.reads[need - 1] + fifo.war if need > 0 else 0
        if free > self.env.now:
            yield self.env.timeout(free - self.env.now)

    def _end(self, inputs: list[tuple[FifoState, int]], outputs: list[tuple[FifoState, int]]) -> None:
        now = now_of(self.env)
        for fifo, tokens in inputs:
            fifo.reads.extend([now] * tokens)
            fifo.wake_writer(now)
        for fifo, tokens in outputs:
            fifo.writes.extend([now] * tokens)
            fifo.wake_reader(now)


STEPS_PER_REPORT = 100_000

Progress: TypeAlias = Callable[[int], None]
"""Called now and then with the simulated cycle."""

ProcessState: TypeAlias = PipelineState | ActorState | ReadPort | WritePort


def run(graph: TimedGraph, *, unbounded: bool = False, progress: Progress | None = None) -> RunRecord:
    """Simulates the graph until nothing can happen any more.

    Args:
        graph: pipelines, memory ports and actors with a finite number of firings.
        unbounded: FIFOs take every write; their kind stays that of their depth.
        progress: callback after every ``STEPS_PER_REPORT`` events of the kernel.
    """
    env = Environment()
    ends = fifo_ends(graph)
    fifos = [
        FifoState(env, fifo, 1 << 62 if unbounded else fifo.depth, joins_actors(graph, ends[index]))
        for index, fifo in enumerate(graph.fifos)
    ]
    channels = {channel.name: ChannelState(env, channel) for channel in graph.channels}
    states = [_state(env, graph, number, fifos, channels) for number in range(len(graph.processes))]
    for state in states:
        env.process(state.run())
    _advance(env, progress)
    return _record(graph, states, fifos)


def _state(
    env: Environment, graph: TimedGraph, number: int, fifos: list[FifoState], channels: dict[str, ChannelState]
) -> ProcessState:
    process: Process = graph.processes[number]
    if isinstance(process, Pipeline):
        return PipelineState(env, process.start, stage_table(process, graph), fifos)
    if isinstance(process, Actor):
        return ActorState(env, process, {fifo.name: state for fifo, state in zip(graph.fifos, fifos, strict=True)})
    plan = burst_plan(process, {channel.name: channel for channel in graph.channels})
    port = ReadPort if process.op == "read" else WritePort
    chosen = [channels[name] for name in process.channels]
    return port(env, number, plan, chosen, fifos[graph.fifo_index[process.fifo]])


def _advance(env: Environment, progress: Progress | None) -> None:
    if progress is None:
        env.run()
        return
    try:
        while True:
            for _ in range(STEPS_PER_REPORT):
                env.step()
            progress(now_of(env))
    except EmptySchedule:
        progress(now_of(env))


def _record(graph: TimedGraph, states: list[ProcessState], fifos: list[FifoState]) -> RunRecord:
    initial = [fifo.initial_tokens for fifo in graph.fifos]
    pairs = list(zip(graph.processes, states, strict=True))
    return RunRecord(
        finish=[state.finish for state in states],
        visits=[state.visits for state in states],
        stalls=[state.stalls for state in states],
        writes=[_times(fifo.writes)[skip:] for fifo, skip in zip(fifos, initial, strict=True)],
        reads=[_times(fifo.reads) for fifo in fifos],
        claims={index: _times(fifo.claims) for index, fifo in enumerate(fifos) if fifo.claims},
        bursts={process.name: _bursts(state) for process, state in pairs if isinstance(state, PortState)},
    )


def _times(cycles: "array[int]") -> np.ndarray:
    return np.array(cycles, np.int64)


def _bursts(port: PortState) -> np.ndarray:
    """Request and start of each burst that was requested, int64[n, 2]; a port's requests go out in order."""
    requested = len(port.requests)
    return np.stack([_times(port.requests), _times(port.starts)[:requested]], axis=1)
