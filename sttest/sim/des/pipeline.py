"""A stalling pipeline as a SimPy process: one resumption per stage that has accesses."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import pairwise, repeat

from simpy import Environment, Event

from sttest.sim.des.fifo import FifoState
from sttest.sim.record import Stalls
from sttest.sim.stages import StageTable

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
    patterns = []
    bounds = table.pointer.tolist()
    for first, last in pairwise(bounds):
        key = table.op[first:last].tobytes() + table.count[first:last].tobytes()
        if key not in known:
            pairs = zip(table.op[first:last].tolist(), table.count[first:last].tolist(), strict=True)
            known[key] = [(fifos[op // 2], tokens, op % 2 == 1) for op, tokens in pairs]
        patterns.append(known[key])
    return patterns
