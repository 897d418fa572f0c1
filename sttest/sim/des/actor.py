"""A dataflow actor as a SimPy process, with SDF3's semantics of time."""

from __future__ import annotations

from collections.abc import Generator

from simpy import Environment, Event

from sttest.sim.des.fifo import FifoState, call_at, now_of
from sttest.sim.graph import Actor
from sttest.sim.record import Stalls


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
