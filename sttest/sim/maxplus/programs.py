"""The programs of all processes of a graph end to end, once for all its depths."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from sttest.sim.graph import RAM_CYCLES, SRL_CYCLES, SRL_MAX_BITS, MemoryPort, Pipeline, Process, TimedGraph, fifo_ends
from sttest.sim.maxplus.rows import SEGMENT, Rows, RowsByShape, levels_of, loop_rows, rows_of
from sttest.sim.stages import Structure

_by_shape = RowsByShape(loop_rows)


@dataclass(frozen=True)
class Programs:
    """Rows, patterns and segments of P processes end to end, and the ends of F FIFOs.

    ``segment_first[p]`` to ``segment_first[p + 1]`` are the segments of process p, ``first`` and ``last`` of a segment
    are rows of ``gap`` and ``pattern``; pattern i has the accesses ``pointer[i]`` to ``pointer[i + 1]`` in ``op`` and
    ``count``.  ``tokens``: by op, all that a whole run passes; ``lane``: FIFOs of equal number are accessed by the
    same processes, or twins of these, in the same visits; ``graph``: one of those whose programs they are.
    """

    gap: np.ndarray
    pattern: np.ndarray
    pointer: np.ndarray
    op: np.ndarray
    count: np.ndarray
    segments: np.ndarray
    segment_first: np.ndarray
    rerun: np.ndarray
    tail: np.ndarray
    visits: np.ndarray
    writer: np.ndarray
    reader: np.ndarray
    initial: np.ndarray
    tokens: np.ndarray
    lane: np.ndarray
    bits: np.ndarray
    impl: np.ndarray
    latency: np.ndarray
    graph: TimedGraph

    @cached_property
    def levels(self) -> np.ndarray:
        """The loops around accesses to each FIFO; short runs do without."""
        return levels_of(self.graph)

    def read_after_write_cycles(self, depth: np.ndarray) -> np.ndarray:
        """Cycles from the write of a token to its earliest read with FIFOs of these depths, int64[F]."""
        # Not depth * bits, which would overflow where a FIFO is never full.
        is_ram = np.where(self.impl == "auto", depth > SRL_MAX_BITS // self.bits, self.impl == "ram")
        return self.latency + np.where(is_ram, RAM_CYCLES, SRL_CYCLES)

    def leads(self, depth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """FIFOs that stand for all, and for each FIFO, which of these is always in the same state.

        It is the first one in the same lane of the same depth and kind.
        """
        keys = np.stack([self.lane, depth, self.read_after_write_cycles(depth)])
        order = np.lexsort(keys)
        keys = keys[:, order]
        starts = np.ones(order.size, bool)
        starts[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        lead = np.empty_like(order)
        lead[order] = order[starts][np.cumsum(starts) - 1]
        leads = np.flatnonzero(lead == np.arange(lead.size))
        return leads, np.searchsorted(leads, lead)

    def stand_ins(self, lead: np.ndarray) -> np.ndarray:
        """For each process the one that is run for it, int64[P]; itself, but for memory ports that have a twin.

        Args:
            lead: for each FIFO, the one that stands for it.
        """
        found = np.arange(self.visits.size)
        found[self.writer] = self.writer[lead]
        found[self.reader] = self.reader[lead]
        return found

    def accesses_of(self, leads: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``pointer``, ``op`` and ``count`` of some FIFOs only, which go by their place in ``leads``, ``number``."""
        if leads.size == self.lane.size:
            return self.pointer, self.op, self.count
        is_lead = np.zeros(self.lane.size, bool)
        is_lead[leads] = True
        fifo = self.op >> 1
        stays = is_lead[fifo]
        before = np.concatenate([[0], np.cumsum(stays)])
        op = 2 * number[fifo[stays]] + (self.op[stays] & 1)
        return before[self.pointer], op.astype(np.int32), self.count[stays]


def find_programs(graph: TimedGraph) -> Programs:
    """The programs of a graph; graphs that differ in their FIFOs' depths and kinds share most of them."""
    found = _find_programs(Structure(graph))
    if found.graph.fifos is graph.fifos:
        return found
    return replace(found, bits=_bits(graph), impl=_impl(graph), latency=_latency(graph))


def _bits(graph: TimedGraph) -> np.ndarray:
    return np.array([fifo.bits for fifo in graph.fifos], np.int64)


def _impl(graph: TimedGraph) -> np.ndarray:
    return np.array([fifo.impl for fifo in graph.fifos], dtype="U4")


def _latency(graph: TimedGraph) -> np.ndarray:
    return np.array([fifo.latency for fifo in graph.fifos], np.int64)


def forget_programs() -> None:
    """Makes the next look at any graph the first one."""
    _find_programs.cache_clear()
    _by_shape.forget()


@lru_cache(maxsize=2)
def _find_programs(structure: Structure) -> Programs:
    graph = structure.graph
    rows = [_rows_of(process, graph) for process in graph.processes]
    ends = fifo_ends(graph)
    row_first = np.cumsum([0] + [each.gap.size for each in rows])
    pattern_first = np.cumsum([0] + [each.patterns.pointer.size - 1 for each in rows])
    access_first = np.cumsum([0] + [each.patterns.op.size for each in rows])
    segments = np.concatenate([np.empty(0, SEGMENT), *(each.segments for each in rows)])
    sizes = [each.segments.size for each in rows]
    segments["first"] += np.repeat(row_first[:-1], sizes)
    segments["last"] += np.repeat(row_first[:-1], sizes)
    pointers = [each.patterns.pointer[:-1] + first for each, first in zip(rows, access_first, strict=False)]
    writer, reader = (np.array(side, np.int64) for side in zip(*ends, strict=True)) if ends else _no_ends()
    initial = np.array([fifo.initial_tokens for fifo in graph.fifos], np.int64)
    return Programs(
        gap=np.concatenate([each.gap for each in rows]),
        pattern=np.concatenate([each.pattern + first for each, first in zip(rows, pattern_first, strict=False)]),
        pointer=np.concatenate([*pointers, access_first[-1:]]).astype(np.int64),
        op=np.concatenate([each.patterns.op for each in rows]),
        count=np.concatenate([each.patterns.count for each in rows]),
        segments=segments,
        segment_first=np.cumsum([0, *sizes]).astype(np.int64),
        rerun=np.array([each.rerun for each in rows], np.int64),
        tail=np.array([each.tail for each in rows], np.int64),
        visits=np.array([each.visits for each in rows], np.int64),
        writer=writer,
        reader=reader,
        initial=initial,
        tokens=_tokens(graph, rows),
        lane=_lanes(graph, rows, writer, reader, initial),
        bits=_bits(graph),
        impl=_impl(graph),
        latency=_latency(graph),
        graph=graph,
    )


def _rows_of(process: Process, graph: TimedGraph) -> Rows:
    if isinstance(process, Pipeline) and process.trace is None:
        return _by_shape.of(process, graph.fifo_index)
    return rows_of(process, graph)


def _no_ends() -> tuple[np.ndarray, np.ndarray]:
    return np.empty(0, np.int64), np.empty(0, np.int64)


def _tokens(graph: TimedGraph, rows: list[Rows]) -> np.ndarray:
    tokens = np.zeros(2 * len(graph.fifos), np.int64)
    for process, each in zip(graph.processes, rows, strict=True):
        tokens += each.tokens(tokens.size)
        if isinstance(process, MemoryPort):
            tokens[2 * graph.fifo_index[process.fifo] + (process.op == "read")] += process.tokens
    return tokens


def _lanes(
    graph: TimedGraph, rows: list[Rows], writer: np.ndarray, reader: np.ndarray, initial: np.ndarray
) -> np.ndarray:
    """Equal numbers for FIFOs whose pipelines treat them alike in every pattern, and whose ports are twins."""
    alike: dict[int, object] = dict(_twin_ports(graph))
    is_port = np.array([isinstance(process, MemoryPort) for process in graph.processes], bool)
    for process, each in zip(graph.processes, rows, strict=True):
        if isinstance(process, Pipeline):
            alike.update(_columns(each))
    found: dict[object, int] = {}
    lane: list[int] = []
    for fifo in range(len(graph.fifos)):
        sides = alike.get(2 * fifo), alike.get(2 * fifo + 1)
        ends = (-1 if is_port[end] else int(end) for end in (writer[fifo], reader[fifo]))
        key = fifo if None in sides else (*sides, *ends, int(initial[fifo]))
        lane.append(found.setdefault(key, fifo))
    return np.array(lane, np.int64)


def _twin_ports(graph: TimedGraph) -> Iterator[tuple[int, object]]:
    """By op, all that the times of a port depend on but its FIFO; none for ports that share a channel.

    Ports that are equal in it make the same requests at the same times while the other ends of their FIFOs agree.
    """
    channels = {channel.name: replace(channel, name="") for channel in graph.channels}
    ports = [process for process in graph.processes if isinstance(process, MemoryPort)]
    users = Counter(name for port in ports for name in set(port.channels))
    for port in ports:
        if any(users[name] > 1 for name in port.channels):
            continue
        order = {name: number for number, name in enumerate(dict.fromkeys(port.channels))}
        lanes = tuple((order[name], channels[name]) for name in port.channels)
        plan = replace(port, name="", fifo="", channels=(), origin="", category=""), lanes
        yield 2 * graph.fifo_index[port.fifo] + (port.op == "read"), plan


def _columns(rows: Rows) -> dict[int, bytes]:
    """The patterns that have each op of a process, and with how many tokens."""
    patterns = rows.patterns
    pattern = np.repeat(np.arange(patterns.pointer.size - 1), np.diff(patterns.pointer))
    order = np.lexsort((pattern, patterns.op))
    op = patterns.op[order]
    table = np.stack([pattern[order], patterns.count[order].astype(np.int64)], axis=1)
    starts = np.flatnonzero(np.diff(op, prepend=-1))
    stops = np.append(starts[1:], op.size)[: starts.size]
    return {int(op[first]): table[first:after].tobytes() for first, after in zip(starts, stops, strict=True)}
