"""Runs a timed graph in SimPy: the oracle that the other engines are held to."""

# SimPy doesn't say what its callbacks take:
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from itertools import pairwise, repeat
from typing import TypeAlias

import numpy as np
from simpy import Environment, Event
from simpy.core import EmptySchedule
from simpy.events import EventPriority

from sttest.sim.bursts import BurstPlan, ChannelClock, Taken, burst_plan
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
    """Takes a burst at a time, never idle while one waits; ports take turns within a direction, as directions do."""

    def __init__(self, env: Environment, channel: Channel) -> None:
        self.env = env
        self.clock = ChannelClock(channel)
        self._queues: dict[int, tuple[PortState, deque[int]]] = {}
        self._served = {False: -1, True: -1}  # of ports that read, and that write
        self._writes: bool | None = None  # the direction of the last burst, and how many had it
        self._in_a_row = 0
        self._deciding = self._is_held = False

    def request(self, port: "PortState", burst: int) -> None:
        """Queues a burst; the port hears when it is taken."""
        self._queues.setdefault(port.number, (port, deque()))[1].append(burst)
        self._decide_next()

    def release(self, cycle: int) -> None:
        """The data of the burst that holds it are there, and it is free from a cycle on."""
        self._is_held = False
        self.clock.hold(cycle)
        self._decide_next()

    def _decide_next(self) -> None:
        if self._deciding or self._is_held or not any(queue for _, queue in self._queues.values()):
            return
        self._deciding = True
        wake = Wake(self.env)
        wake.callbacks.append(self._decide)
        wake.fire_at(max(now_of(self.env), self.clock.next_cycle), DECIDES_LAST)

    def _decide(self, _: Event) -> None:
        self._deciding = False
        waiting = {number: port.plan.writes for number, (port, queue) in self._queues.items() if queue}
        writes = self._direction(set(waiting.values()))
        self._in_a_row = self._in_a_row + 1 if writes == self._writes else 1
        self._writes = writes
        served = self._served[writes]
        number = min((each for each in waiting if waiting[each] == writes), key=lambda each: (each <= served, each))
        self._served[writes] = number
        port, queue = self._queues[number]
        burst = queue.popleft()
        taken = self.clock.take(now_of(self.env), port.plan.occupancy_units(burst), writes=writes)
        self._is_held = port.is_taken(burst, taken)
        self._decide_next()

    def _direction(self, waiting: set[bool]) -> bool:
        if len(waiting) == 1:
            return next(iter(waiting))
        if self._writes is None:
            return False
        channel = self.clock.channel
        turns = channel.write_turns if self._writes else channel.read_turns
        return self._writes if self._in_a_row < turns else not self._writes


class PortState(ABC):
    """What read and write ports share: their bursts, and when each was requested and taken."""

    def __init__(
        self, env: Environment, number: int, plan: BurstPlan, channels: list[ChannelState], fifo: FifoState
    ) -> None:
        self.env = env
        self.number = number
        self.plan = plan
        self.fifo = fifo
        self.finish: int | None = None
        self.visits = 0
        self.requests = array("q")
        self.taken: list[Taken | None] = [None] * plan.bursts
        self.channels = channels
        self._stall_cycles = [0, 0]
        self._waiting: list[Wake] = []
        self._last_on: dict[int, int] = {}

    def is_taken(self, burst: int, taken: Taken) -> bool:
        """A channel takes a burst; whether that holds it until more data come."""
        self.taken[burst] = taken
        self._changed()
        return False

    def _requests(self) -> Generator[Event, None, None]:
        """A second SimPy process: requests one burst after the other."""
        asked = -1
        for burst in range(self.plan.bursts):
            earliest = max(asked + 1, (yield from self._asks_from(burst)))
            if len(self.channels) > 1:
                earliest = max(earliest, (yield from self._turns_from(burst)))
            if earliest > now_of(self.env):
                yield self.env.timeout(earliest - now_of(self.env))
            asked = now_of(self.env)
            self.requests.append(asked)
            self.channels[self.plan.lane(burst)].request(self, burst)

    @abstractmethod
    def _asks_from(self, burst: int) -> Generator[Event, None, int]:
        """When a burst may be requested as far as the port's own tokens go."""

    def _turns_from(self, burst: int) -> Generator[Event, None, int]:
        """When a burst may be requested as far as the channels of the bursts before it go."""
        lane = self.plan.lane(burst)
        before = self._last_on.get(lane)
        self._last_on[lane] = burst
        earliest = 0 if before is None else (yield from self._until_taken(before)).cycle
        if self.plan.one_id and burst > 0 and self.plan.lane(burst - 1) != lane:
            taken = yield from self._until_taken(burst - 1)
            ends = yield from self._end(burst - 1, taken)
            earliest = max(earliest, ends + self.plan.channel(burst - 1).turn_cycles)
        return earliest

    def _end(self, burst: int, taken: Taken) -> Generator[Event, None, int]:
        yield from ()
        return self.plan.end(burst, taken)

    def _until_taken(self, burst: int) -> Generator[Event, None, Taken]:
        while (taken := self.taken[burst]) is None:
            yield self._change()
        return taken

    def _change(self) -> Wake:
        """Fires when a burst is taken, or a token that others of the port wait for."""
        self._waiting.append(Wake(self.env))
        return self._waiting[-1]

    def _changed(self) -> None:
        waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake.fire_at(now_of(self.env))


class ReadPort(PortState):
    """Streams tokens from memory into its FIFO."""

    @property
    def stalls(self) -> Stalls:
        """Cycles stalled so far."""
        return Stalls(output_cycles=self._stall_cycles[0], memory_cycles=self._stall_cycles[1])

    def run(self) -> Generator[Event, None, None]:
        """The SimPy process: writes tokens as their bytes arrive."""
        self._written = array("q")
        self.env.process(self._requests())
        now = self.plan.start - 1
        for token in range(self.plan.tokens):
            base = now + 1
            arrived = 0
            for burst in self.plan.bursts_of(token):
                taken = yield from self._until_taken(burst)
                arrived = max(arrived, self.plan.arrival(burst, token, taken))
            there = max(base, arrived)
            now = yield from _pass(self.env, self.fifo, there, is_write=True)
            self._stall_cycles[0] += now - there
            self._stall_cycles[1] += there - base
            self.visits += 1
            self.fifo.writes.append(now)
            self.fifo.wake_reader(now)
            self._written.append(now)
            self._changed()
        self.finish = now + 1

    def _asks_from(self, burst: int) -> Generator[Event, None, int]:
        """A burst is requested once the one a window before is drained."""
        if burst < self.plan.window:
            return self.plan.start
        last = self.plan.last_token(burst - self.plan.window)
        while len(self._written) <= last:
            yield self._change()
        return self._written[last] + 1


class WritePort(PortState):
    """Streams tokens from its FIFO to memory."""

    def __init__(
        self, env: Environment, number: int, plan: BurstPlan, channels: list[ChannelState], fifo: FifoState
    ) -> None:
        super().__init__(env, number, plan, channels, fifo)
        self._read = array("q")

    @property
    def stalls(self) -> Stalls:
        """Cycles stalled so far."""
        return Stalls(input_cycles=self._stall_cycles[0], memory_cycles=self._stall_cycles[1])

    def run(self) -> Generator[Event, None, None]:
        """The SimPy process: takes tokens while there is a burst to put them in, waits for the last response."""
        self.env.process(self._requests())
        plan = self.plan
        now = plan.start - 1
        for token in range(plan.tokens):
            base = now + 1 + plan.gap_before(token)
            space = yield from self._space_for(token)
            place = max(base, space)
            now = yield from _pass(self.env, self.fifo, place, is_write=False)
            self._stall_cycles[0] += now - place
            self._stall_cycles[1] += place - base
            self.visits += 1
            self.fifo.reads.append(now)
            self.fifo.wake_writer(now)
            self._take(token, now)
        finish = 0
        for burst in range(max(0, plan.bursts - plan.window), plan.bursts):
            finish = max(finish, (yield from self._response(burst)))
        self._stall_cycles[1] += finish - (now + 1)
        self.finish = finish

    def is_taken(self, burst: int, taken: Taken) -> bool:
        """See ``PortState``: a burst that was requested with its first byte holds its channel."""
        super().is_taken(burst, taken)
        return self.plan.last_token(burst) >= len(self._read)

    def _take(self, token: int, now: int) -> None:
        self._read.append(now)
        for burst in self.plan.bursts_of(token):
            taken = self.taken[burst]
            if taken is not None and self.plan.last_token(burst) == token:
                self.taken[burst] = replace(taken, due=max(taken.due, now + 1))
                self.channels[self.plan.lane(burst)].release(now + 1)
        self._changed()

    def _asks_from(self, burst: int) -> Generator[Event, None, int]:
        """A burst is requested with its last byte, or its first one."""
        plan = self.plan
        token = burst * plan.burst_bytes // plan.token_bytes if plan.early else plan.last_token(burst)
        while len(self._read) <= token:
            yield self._change()
        return self._read[token]

    def _space_for(self, token: int) -> Generator[Event, None, int]:
        """First cycle with a burst slot for all bytes of the token: all predecessors there have had their responses."""
        free = 0
        for burst in self.plan.bursts_of(token):
            before = burst - self.plan.window
            if before >= 0:
                free = max(free, (yield from self._response(before)) + 1)
        return free

    def _response(self, burst: int) -> Generator[Event, None, int]:
        yield from self._until_taken(burst)
        yield from self._whole(burst)
        return (yield from self._until_taken(burst)).due

    def _whole(self, burst: int) -> Generator[Event, None, int]:
        last = self.plan.last_token(burst)
        while len(self._read) <= last:
            yield self._change()
        return self._read[last]

    def _end(self, burst: int, taken: Taken) -> Generator[Event, None, int]:
        whole = yield from self._whole(burst)
        return max(self.plan.end(burst, taken), whole + 1)


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
    """Of each burst that was requested its request, start, rest, due and late, int64[n, 5]; they go out in order."""
    taken = ((-1,) * 4 if each is None else (each.cycle, each.rest, each.due, each.late) for each in port.taken)
    rows = [(request, *times) for request, times in zip(port.requests, taken, strict=False)]
    return np.array(rows, np.int64).reshape(-1, 5)
