"""From a timed graph to FIFO depths: paces, curves, one schedule (docs/fifo-sizing.md).

A kernel never runs faster than what feeds it or drains it, so kernels that
exchange more than one token per run share one pace: that of the slowest of
them (``normal``), or that of the slowest kernel of the design
(``conservative``).  A full-tensor converter passes a single token, "the
tensor is here", and so separates two paces.

At its pace every process accesses its FIFOs at known times after its start.
The linear program gives each process a start such that no read comes before
its token; a FIFO is as deep as it is ever full in that schedule.  Credits that
flow backwards (``initial_tokens``) order nothing and are left out.  Where a
process reads FIFOs in turn, what is in flight counts as in the FIFO
(`reads_in_turn.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sttest.compile.depths.access_curves import accesses, span
from sttest.compile.depths.reads_in_turn import nothing_in_flight, reads_in_turn
from sttest.compile.spaces.fifo_curves import Curve
from sttest.compile.spaces.fifo_fill import most_held
from sttest.compile.spaces.fifo_gap import greatest_gap
from sttest.compile.spaces.fifo_graph import DelayEdge
from sttest.compile.spaces.fifo_schedule import schedule_delays
from sttest.compile.spaces.fifo_tokens import MIN_DEPTH
from sttest.errors import InputError, did_you_mean
from sttest.sim.graph import SRL_MAX_BITS, Process, TimedGraph

STRATEGIES = ("normal", "conservative")
# A RAM FIFO shows a token two cycles after its write, and one of depth 2 passes two tokens in three cycles.
_READ_AFTER_WRITE = 2
_FULL_RATE_RAM_DEPTH = 3
# A credited stream cannot wait: its tokens are whole blocks of a ping-pong buffer.
_CREDITED_WEIGHT = 1e6


@dataclass(frozen=True)
class _Edge:
    """A FIFO with the access times of its two ends, each in its process's own time at full speed.

    ``fills`` are the times from which on tokens take up a place: those of ``writes``, or earlier ones.
    """

    name: str
    bits: int
    source: str
    target: str
    writes: Curve
    fills: Curve
    reads: Curve
    credited: bool

    def at_pace(self, stretch: Mapping[str, Fraction]) -> _Edge:
        """The same accesses at the paces of the two processes."""
        source, target = stretch[self.source], stretch[self.target]
        writes = self.writes.paced(source)
        fills = writes if self.fills is self.writes else self.fills.paced(source)
        return replace(self, writes=writes, fills=fills, reads=self.reads.paced(target))

    def delay_edge(self) -> DelayEdge:
        """Least delay with which no read comes before its token; ours: weighted with the bits that wait per cycle."""
        least = greatest_gap(self.writes, self.reads) + _READ_AFTER_WRITE
        spread = max(1, self.writes[-1] - self.writes[0])
        weight = _CREDITED_WEIGHT if self.credited else self.bits * len(self.writes) / spread
        return DelayEdge(self.name, self.source, self.target, least, weight)

    def depth(self, delay: int) -> int:
        """Tokens held at most, and never less than full rate takes."""
        full_rate = MIN_DEPTH if MIN_DEPTH * self.bits <= SRL_MAX_BITS else _FULL_RATE_RAM_DEPTH
        return max(full_rate, most_held(self.fills, self.reads, delay))


def stream_depths(graph: TimedGraph, strategy: str) -> dict[str, int]:
    """The depth per FIFO with which the paced schedule needs no wait.

    Args:
        graph: the design; the depths that it has are not looked at.
        strategy: ``normal`` or ``conservative``.

    Raises:
        InputError: unknown strategy, FIFOs without credits form a cycle, a FIFO is not emptied, or an actor.
    """
    if strategy not in STRATEGIES:
        raise InputError(
            "unknown-strategy",
            f"unknown strategy '{strategy}'",
            where="fifo sizing",
            levers=[did_you_mean(strategy, STRATEGIES)],
        )
    edges = _edges(graph)
    spans = {process.name: span(process, graph) for process in graph.processes}
    stretch = _stretches(spans, edges, strategy)
    paced = [edge.at_pace(stretch) for edge in edges]
    totals = {name: int(cycles * stretch[name]) for name, cycles in spans.items()}
    delays = schedule_delays(totals, [edge.delay_edge() for edge in paced])
    return {edge.name: edge.depth(delays[edge.name]) for edge in paced}


def _edges(graph: TimedGraph) -> list[_Edge]:
    ends, fills = _ends(graph, graph.processes), {}
    if any(reads_in_turn(process) for process in graph.processes):
        fills = _ends(graph, [nothing_in_flight(process) for process in graph.processes])
    credited = {
        (ends[fifo.name, "read"][0], ends[fifo.name, "write"][0]) for fifo in graph.fifos if fifo.initial_tokens
    }
    edges = []
    for fifo in graph.fifos:
        if fifo.initial_tokens or (fifo.name, "write") not in ends:
            continue
        source, writes = ends[fifo.name, "write"]
        target, reads = ends[fifo.name, "read"]
        if len(writes) != len(reads):
            what = f"a run writes {len(writes)} tokens and reads {len(reads)}"
            raise InputError("unbalanced", what, where=f"{graph.name}: FIFO '{fifo.name}'")
        _, filled = fills.get((fifo.name, "write"), (source, writes))
        edges.append(_Edge(fifo.name, fifo.bits, source, target, writes, filled, reads, (source, target) in credited))
    return edges


def _ends(graph: TimedGraph, processes: Sequence[Process]) -> dict[tuple[str, str], tuple[str, Curve]]:
    """By FIFO and op the process that makes the accesses, and their times."""
    return {end: (process.name, curve) for process in processes for end, curve in accesses(process, graph).items()}


def _stretches(spans: Mapping[str, int], edges: list[_Edge], strategy: str) -> dict[str, Fraction]:
    """How much slower than by itself each process runs at its pace."""
    if strategy == "conservative":
        slowest = max(spans.values(), default=1)
        return {name: Fraction(slowest, cycles) for name, cycles in spans.items()}
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
