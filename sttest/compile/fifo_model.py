"""From a timed graph to the facts of FIFO sizing: paces, first tokens, rates (docs/fifo-sizing.md).

A kernel never runs faster than what feeds it or drains it, so kernels that
exchange more than one token per run share one pace: that of the slowest of
them (``normal``), or that of the slowest kernel of the design
(``conservative``).  A full-tensor converter passes a single token, "the
tensor is here", and so separates two paces.  Credits that flow backwards
(``initial_tokens``) order nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sttest.compile.spaces.fifo_delays import solve_delays
from sttest.compile.spaces.fifo_graph import DelayEdge
from sttest.compile.spaces.fifo_tokens import MIN_DEPTH, EdgeRates, depth
from sttest.errors import InputError, did_you_mean
from sttest.sim.graph import SRL_MAX_BITS, Channel, Memory, Pipeline, Process, TimedGraph
from sttest.sim.program import expand

STRATEGIES = ("normal", "conservative")
# A RAM FIFO shows a token two cycles after its write.
_READ_AFTER_WRITE = 2
# A RAM FIFO of depth 2 passes two tokens in three cycles.
_FULL_RATE_RAM_DEPTH = 3


@dataclass(frozen=True)
class _Port:
    """One end of a FIFO in its process's own time: first and last access, and how many."""

    process: str
    first: int
    last: int
    tokens: int


@dataclass(frozen=True)
class _Edge:
    name: str
    source: _Port
    target: _Port


def stream_depths(graph: TimedGraph, strategy: str) -> dict[str, int]:
    """The least depths, per FIFO, with which no kernel is held back at its pace.

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
    rates = {edge.name: _rates(edge, stretch) for edge in edges}
    delays = solve_delays(
        list(spans),
        [
            DelayEdge(
                edge.name, edge.source.process, edge.target.process,
                rates[edge.name].min_delay_cycles + _READ_AFTER_WRITE,
            )
            for edge in edges
        ],
    )  # fmt: skip
    bits = {fifo.name: fifo.bits for fifo in graph.fifos}
    return {name: _enough(rates[name], delay, bits[name]) for name, delay in delays.items()}


def _enough(rates: EdgeRates, delay: int, bits: int) -> int:
    """The token model's depth, never more than the tokens there are nor less than full rate takes."""
    full_rate = MIN_DEPTH if MIN_DEPTH * bits <= SRL_MAX_BITS else _FULL_RATE_RAM_DEPTH
    return max(full_rate, min(depth(rates, delay), rates.tokens))


def _edges(graph: TimedGraph) -> list[_Edge]:
    writers, readers = _ports(graph)
    return [
        _Edge(fifo.name, writers[fifo.name], readers[fifo.name])
        for fifo in graph.fifos
        if not fifo.initial_tokens and fifo.name in writers and fifo.name in readers
    ]


def _ports(graph: TimedGraph) -> tuple[dict[str, _Port], dict[str, _Port]]:
    writers: dict[str, _Port] = {}
    readers: dict[str, _Port] = {}
    for process in graph.processes:
        if isinstance(process, Memory):
            side = writers if process.op == "read" else readers
            side[process.fifo] = _memory_port(process, graph)
        elif isinstance(process, Pipeline):
            _pipeline_ports(process, graph, writers, readers)
    return writers, readers


def _pipeline_ports(
    process: Pipeline, graph: TimedGraph, writers: dict[str, _Port], readers: dict[str, _Port]
) -> None:
    program = expand(process, graph.fifo_index)
    last_entry = (program.repeat - 1) * program.period
    for op in np.unique(program.op):
        ticks = program.tick[program.op == op]
        port = _Port(process.name, int(ticks[0]), last_entry + int(ticks[-1]), len(ticks) * program.repeat)
        side = writers if op % 2 else readers
        side[graph.fifos[op // 2].name] = port


def _memory_port(process: Memory, graph: TimedGraph) -> _Port:
    channels = {channel.name: channel for channel in graph.channels}
    first = channels[process.channels[0]].latency + 1
    return _Port(process.name, first, first + int((process.tokens - 1) * _token_cycles(process, channels)), process.tokens)


def _token_cycles(process: Memory, channels: Mapping[str, Channel]) -> Fraction:
    """Cycles per token of a port that has its channels for itself; at most one token per cycle."""
    rate = sum(
        (Fraction(channels[name].beat_bytes * channels[name].beats_num, channels[name].beats_den) for name in process.channels),
        Fraction(),
    )  # fmt: skip
    return max(Fraction(1), Fraction(process.token_bytes) / rate)


def _span(process: Process, graph: TimedGraph) -> int:
    """Cycles of one unhindered run."""
    if isinstance(process, Memory):
        return _memory_port(process, graph).last + 1
    if isinstance(process, Pipeline):
        return expand(process, graph.fifo_index).last_stage
    raise InputError("actor-in-design", "compiled designs have no actors", where=process.name)


def _stretches(spans: Mapping[str, int], edges: list[_Edge], strategy: str) -> dict[str, Fraction]:
    """How much slower than by itself each process runs at its pace."""
    if strategy == "conservative":
        slowest = max(spans.values(), default=1)
        return {name: Fraction(slowest, span) for name, span in spans.items()}
    names = list(spans)
    number = {name: index for index, name in enumerate(names)}
    coupled = [edge for edge in edges if edge.source.tokens > 1]
    rows = [number[edge.source.process] for edge in coupled]
    columns = [number[edge.target.process] for edge in coupled]
    adjacency = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(names), len(names)))
    _, region = connected_components(adjacency, directed=False)
    pace: dict[int, int] = {}
    for name, where in zip(names, region, strict=True):
        pace[where] = max(pace.get(where, 1), spans[name])
    return {name: Fraction(pace[where], spans[name]) for name, where in zip(names, region, strict=True)}


def _rates(edge: _Edge, stretch: Mapping[str, Fraction]) -> EdgeRates:
    source, target = edge.source, edge.target
    out, into = stretch[source.process], stretch[target.process]
    return EdgeRates(
        tokens=source.tokens,
        source_ii=_interval(source, out),
        first_write_cycles=int(source.first * out),
        target_ii=_interval(target, into),
        first_read_cycles=int(target.first * into),
    )


def _interval(port: _Port, stretch: Fraction) -> int:
    """Cycles between accesses at the pace, rounded down: a shorter interval asks for more depth."""
    return max(1, int((port.last - port.first) * stretch / max(1, port.tokens - 1)))
