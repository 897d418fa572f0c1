"""External memory as SimPy processes: channels that serve bursts, and ports that stream tokens through them."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Generator

from simpy import Environment, Event

from sttest.sim.bursts import BurstPlan
from sttest.sim.des.fifo import FifoState, Wake, call_at, now_of
from sttest.sim.graph import Channel
from sttest.sim.record import Stalls

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
        responses = []
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
