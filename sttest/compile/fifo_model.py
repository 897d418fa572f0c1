"""From a timed graph to FIFO depths: paces, curves, one schedule (docs/fifo-sizing.md).

A kernel never runs faster than what feeds it or drains it, so kernels that
exchange more than one token per run share one pace: that of the slowest of
them (``normal``), or that of the slowest kernel of the design
(``conservative``).  A full-tensor converter passes a single token, "the
tensor is here", and so separates two paces.

At its pace every process accesses its FIFOs at known times after its start.
The linear program gives each process a start such that no read comes before
its token; a FIFO is as deep as it is ever full in that schedule.  Credits that
flow backwards (``initial_tokens``) order nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sttest.compile.spaces.fifo_graph import DelayEdge
from sttest.compile.spaces.fifo_schedule import schedule_delays
from sttest.compile.spaces.fifo_tokens import MIN_DEPTH, depth_from_curves
from sttest.errors import InputError, did_you_mean
from sttest.sim.graph import SRL_MAX_BITS, Channel, Memory, Pipeline, Process, TimedGraph
from sttest.sim.program import expand

STRATEGIES = ("normal", "conservative")
# A RAM FIFO shows a token two cycles after its write, and one of depth 2 passes two tokens in three cycles.
_READ_AFTER_WRITE = 2
_FULL_RATE_RAM_DEPTH = 3
# A credited stream cannot wait: its tokens are whole blocks of a ping-pong buffer.
_CREDITED_WEIGHT = 1e6

Times = NDArray[np.int64]


@dataclass(frozen=True)
class _Edge:
    """A FIFO with the access times of its two ends, each in its process's own time at full speed."""

    name: str
    bits: int
    source: str
    target: str
    writes: Times
    reads: Times
    credited: bool

    def at_pace(self, stretch: Mapping[str, Fraction]) -> _Edge:
        """The same accesses at the paces of the two processes."""
        writes = _stretched(self.writes, stretch[self.source])
        return replace(self, writes=writes, reads=_stretched(self.reads, stretch[self.target]))

    def delay_edge(self) -> DelayEdge:
        """Least delay with which no read comes before its token; ours: weighted with the bits that wait per cycle."""
        least = int(np.max(self.writes + _READ_AFTER_WRITE - self.reads))
        spread = max(1, int(self.writes[-1] - self.writes[0]))
        weight = _CREDITED_WEIGHT if self.credited else self.bits * len(self.writes) / spread
        return DelayEdge(self.name, self.source, self.target, least, weight)

    def depth(self, delay: int) -> int:
        """Tokens held at most, and never less than full rate takes."""
        held = depth_from_curves(self.writes, self.reads, delay, read_after_write_cycles=_READ_AFTER_WRITE)
        full_rate = MIN_DEPTH if MIN_DEPTH * self.bits <= SRL_MAX_BITS else _FULL_RATE_RAM_DEPTH
        return max(full_rate, held)


def stream_depths(graph: TimedGraph, strategy: str) -> dict[str, int]:
    """The depth per FIFO with which the paced schedule needs no wait.

    Args:
        graph: the design; the depths that it has are not looked at.
        strategy: ``normal`` or ``conservative``.

    Raises:
        InputError: unknown strategy, or FIFOs without credits form a cycle.
    """
    if strategy not in STRATEGIES:
        raise InputError(
            "unknown-strategy",
            f"unknown strategy '{strategy}'",
            where="fifo sizing",
            levers=[did_you_mean(strategy, STRATEGIES)],
        )
    edges = _edges(graph)
    spans = {process.name: max(1, _span(process, graph)) for process in graph.processes}
    stretch = _stretches(spans, edges, strategy)
    paced = [edge.at_pace(stretch) for edge in edges]
    totals = {name: int(span * stretch[name]) for name, span in spans.items()}
    delays = schedule_delays(totals, [edge.delay_edge() for edge in paced])
    return {edge.name: edge.depth(delays[edge.name]) for edge in paced}


def _edges(graph: TimedGraph) -> list[_Edge]:
    ends: dict[tuple[str, str], tuple[str, Times]] = {}
    for process in graph.processes:
        for fifo, op, times in _accesses(process, graph):
            ends[fifo, op] = (process.name, times)
    credited = {
        (ends[fifo.name, "read"][0], ends[fifo.name, "write"][0]) for fifo in graph.fifos if fifo.initial_tokens
    }
    edges = []
    for fifo in graph.fifos:
        if fifo.initial_tokens or (fifo.name, "write") not in ends:
            continue
        source, writes = ends[fifo.name, "write"]
        target, reads = ends[fifo.name, "read"]
        edges.append(_Edge(fifo.name, fifo.bits, source, target, writes, reads, (source, target) in credited))
    return edges


def _accesses(process: Process, graph: TimedGraph) -> list[tuple[str, str, Times]]:
    """FIFO, op and access times of one unhindered run."""
    if isinstance(process, Memory):
        return [(process.fifo, "write" if process.op == "read" else "read", _port_times(process, graph))]
    if isinstance(process, Pipeline):
        ticks, ops = expand(process, graph.fifo_index).whole()
        return [(graph.fifos[op // 2].name, "write" if op % 2 else "read", ticks[ops == op]) for op in np.unique(ops)]
    raise InputError("actor-in-design", "compiled designs have no actors", where=process.name)


def _port_times(process: Memory, graph: TimedGraph) -> Times:
    """Token times of a memory port that has its channels for itself; at most one token per cycle."""
    channels = {channel.name: channel for channel in graph.channels}
    rate = sum((_bytes_per_cycle(channels[name]) for name in process.channels), Fraction())
    interval = max(Fraction(1), Fraction(process.token_bytes) / rate)
    first = channels[process.channels[0]].latency + 1
    return first + _stretched(np.arange(process.tokens, dtype=np.int64), interval)


def _bytes_per_cycle(channel: Channel) -> Fraction:
    return Fraction(channel.beat_bytes * channel.beats_num, channel.beats_den)


def _span(process: Process, graph: TimedGraph) -> int:
    """Cycles of one unhindered run."""
    if isinstance(process, Pipeline):
        return expand(process, graph.fifo_index).last_stage
    return int(_accesses(process, graph)[0][2][-1]) + 1


def _stretched(times: Times, factor: Fraction) -> Times:
    return times * factor.numerator // factor.denominator


def _stretches(spans: Mapping[str, int], edges: list[_Edge], strategy: str) -> dict[str, Fraction]:
    """How much slower than by itself each process runs at its pace."""
    if strategy == "conservative":
        slowest = max(spans.values(), default=1)
        return {name: Fraction(slowest, span) for name, span in spans.items()}
    names = list(spans)
    number = {name: index for index, name in enumerate(names)}
    coupled = [edge for edge in edges if len(edge.writes) > 1]
    rows = [number[edge.source] for edge in coupled]
    columns = [number[edge.target] for edge in coupled]
    adjacency = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(names), len(names)))
    _, region = connected_components(adjacency, directed=False)
    pace: dict[int, int] = {}
    for name, where in zip(names, region, strict=True):
        pace[where] = max(pace.get(where, 1), spans[name])
    return {name: Fraction(pace[where], spans[name]) for name, where in zip(names, region, strict=True)}
