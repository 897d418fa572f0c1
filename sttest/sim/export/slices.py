"""What each process did when: computed, stalled on input or output, or waited for memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sttest.sim.bursts import burst_plan
from sttest.sim.graph import Memory, Pipeline, TimedGraph
from sttest.sim.program import expand
from sttest.sim.record import RunRecord

COMPUTE, STALL_IN, STALL_OUT, MEMORY = range(4)
KINDS = ("compute", "stall-in", "stall-out", "memory")
NO_BOUND = -(1 << 61)


@dataclass(frozen=True)
class Stretches:
    """Stretches in which a process stood still, in order: int64 cycles [``start``, ``end``) and index into ``KINDS``.

    In between it computed, from ``begin`` to ``finish``.
    """

    begin: int
    finish: int
    start: np.ndarray
    end: np.ndarray
    kind: np.ndarray

    def totals(self) -> list[int]:
        """Cycles by kind."""
        still = [int((self.end - self.start)[self.kind == kind].sum()) for kind in range(len(KINDS))]
        still[COMPUTE] = self.finish - self.begin - sum(still)
        return still

    def slices(self, most: int) -> list[tuple[int, int, int]]:
        """(start, end, kind) without gaps from begin to finish, neighbours of one kind made one.

        Where there would be more than ``most``, time is cut into windows, in each of which the kinds
        stand one after the other; their sums stay what they are.
        """
        edges = np.stack([self.start, self.end], axis=1).ravel()
        bounds = np.concatenate([[self.begin], edges, [self.finish]])
        kinds = np.stack([np.full(self.kind.size, COMPUTE), self.kind], axis=1).ravel()
        kinds = np.append(kinds, COMPUTE)
        start, end = bounds[:-1], bounds[1:]
        if np.count_nonzero(end > start) > most:
            start, end, kinds = _in_windows(start, end, kinds, max(most // len(KINDS), 1))
        return _merged(start, end, kinds)


def stretches(
    graph: TimedGraph,
    record: RunRecord,
    number: int,
    cycles: int,
    *,
    waits_to_write: bool = False,
    unbounded: bool = False,
) -> Stretches:
    """The stretches of a process; an actor, whose firings may overlap, counts as computing all along.

    Args:
        graph: what was run.
        record: its times.
        number: of the process.
        cycles: end of the run, to which a process that never finishes stands still.
        waits_to_write: whether it then waits for space, and not for a token.
        unbounded: whether no FIFO was ever full, so that nobody waited for space.
    """
    process = graph.processes[number]
    finish = record.finish[number]
    until = cycles if finish is None else finish
    if isinstance(process, Pipeline):
        times, base, kind = _of_pipeline(graph, record, number, process, unbounded=unbounded)
    elif isinstance(process, Memory):
        times, base, kind = _of_port(graph, record, process)
    else:
        times = base = kind = np.empty(0, np.int64)
    late = times > base
    start, end, kind = base[late], times[late], kind[late]
    if isinstance(process, Memory) and process.op == "write" and finish is not None:
        start, end, kind = np.append(start, times[-1] + 1), np.append(end, finish), np.append(kind, MEMORY)
    if finish is None:
        began = min(int(times[-1]) + 1 if times.size else process.start, until)
        start, end = np.append(start, began), np.append(end, until)
        kind = np.append(kind, STALL_OUT if waits_to_write else STALL_IN)
    return Stretches(min(process.start, until), until, start, end, kind)


def _of_pipeline(
    graph: TimedGraph, record: RunRecord, number: int, pipeline: Pipeline, *, unbounded: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each stage that was passed its cycle, the earliest by the stage before, and what held it.

    Of several that held it as long, the first FIFO of the graph counts, as in the engines.
    """
    tick, op = expand(pipeline, graph.fifo_index).whole()
    order = np.lexsort((op, tick))
    tick, op = tick[order], op[order]
    first = np.flatnonzero(np.diff(tick, prepend=-1))[: record.visits[number]]
    passed = np.searchsorted(tick, tick[first[-1]], side="right") if first.size else 0
    tick, op = tick[:passed], op[:passed]
    if not tick.size:
        return tick, tick, tick
    cycle, bound = np.empty_like(tick), np.empty_like(tick)
    for kind in np.unique(op).tolist():
        here = np.flatnonzero(op == kind)
        cycle[here] = (record.writes if kind % 2 else record.reads)[kind // 2][: here.size]
        is_free = unbounded and kind % 2 == 1
        bound[here] = NO_BOUND if is_free else _bounds(graph, record, kind, here.size)
    at_stage = cycle[first]
    base = np.append(pipeline.start, at_stage[:-1]) + np.diff(tick[first], prepend=0)
    latest = np.maximum.reduceat(bound, first)
    stage_of = np.repeat(np.arange(first.size), np.diff(np.append(first, tick.size)))
    binding = np.flatnonzero(bound == latest[stage_of])
    holder = binding[np.searchsorted(stage_of[binding], np.arange(first.size))]
    return at_stage, base, np.where(op[holder] % 2, STALL_OUT, STALL_IN)


def _bounds(graph: TimedGraph, record: RunRecord, op: int, count: int) -> np.ndarray:
    """Earliest cycle of each of ``count`` accesses of a kind by its FIFO, int64."""
    fifo, reads, writes = graph.fifos[op // 2], record.reads[op // 2], record.writes[op // 2]
    free = fifo.depth - fifo.initial_tokens if op % 2 else fifo.initial_tokens
    free = min(free, count)
    other, delay = (reads, 1) if op % 2 else (writes, fifo.read_after_write_cycles)
    there = other[: count - free] + delay
    return np.concatenate([np.full(count - there.size, NO_BOUND), there])


def _of_port(graph: TimedGraph, record: RunRecord, port: Memory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each token its cycle and the earliest by the token before; a wait for memory comes first, as its own row."""
    plan = burst_plan(port, {channel.name: channel for channel in graph.channels})
    reads_memory = port.op == "read"
    times = (record.writes if reads_memory else record.reads)[graph.fifo_index[port.fifo]]
    starts = record.bursts[port.name][:, 1]
    base = np.append(port.start, times[:-1] + 1)[: times.size]
    there = base.copy()
    for token in np.flatnonzero(times > base).tolist():
        if reads_memory:
            arrived = max(int(starts[burst]) + plan.arrival_delay(burst, token) for burst in plan.bursts_of(token))
        else:
            before = [burst - plan.window for burst in plan.bursts_of(token) if burst >= plan.window]
            arrived = max((int(starts[burst]) + plan.response_delay(burst) + 1 for burst in before), default=0)
        there[token] = max(int(base[token]), arrived)
    stall = np.full(times.size, STALL_OUT if reads_memory else STALL_IN)
    rows = [np.stack(pair, axis=1).ravel() for pair in ((there, times), (base, there))]
    return rows[0], rows[1], np.stack([np.full(times.size, MEMORY), stall], axis=1).ravel()


def _merged(start: np.ndarray, end: np.ndarray, kinds: np.ndarray) -> list[tuple[int, int, int]]:
    some = end > start
    start, end, kinds = start[some], end[some], kinds[some]
    if not kinds.size:
        return []
    first = np.flatnonzero(np.diff(kinds, prepend=-1))
    last = np.append(first[1:], kinds.size) - 1
    return list(zip(start[first].tolist(), end[last].tolist(), kinds[first].tolist(), strict=True))


def _in_windows(
    start: np.ndarray, end: np.ndarray, kinds: np.ndarray, windows: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Equal windows, in each of which the cycles of each kind stand together."""
    edges = np.linspace(start[0], end[-1], windows + 1).astype(np.int64)
    sums = np.empty((windows, len(KINDS)), np.int64)
    for kind in range(len(KINDS)):
        until = np.append(0, np.cumsum(np.where(kinds == kind, end - start, 0)))
        sums[:, kind] = np.diff(np.interp(edges, np.append(start, end[-1]), until).astype(np.int64))
    ends = edges[0] + np.cumsum(sums.ravel())
    return np.append(edges[0], ends[:-1]), ends, np.tile(np.arange(len(KINDS)), windows)
