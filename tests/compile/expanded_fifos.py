"""FIFO sizing with every access of every process spelled out: what the sizing by curves must equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sttest.compile.spaces.fifo_sizing import DelayEdge, schedule_delays
from sttest.sim.graph import MemoryPort, Pipeline, Process, TimedGraph
from sttest.sim.stages import expand

Times = NDArray[np.int64]


def depth_from_curves(
    write_times: Sequence[int] | Times, read_times: Sequence[int] | Times, delay_cycles: int, read_after_write: int = 0
) -> int:
    """The most tokens ever inside.

    Reads follow the target's program from ``delay_cycles`` on.  A read whose
    token is not there yet waits for it and holds back all later reads, as a
    stalling pipeline does.  A token leaves after the cycle of its read.
    """
    writes, reads = np.asarray(write_times, np.int64), np.asarray(read_times, np.int64)
    if not writes.size:
        return 0
    held_back = np.maximum.accumulate(np.maximum(writes + read_after_write - reads, delay_cycles))
    taken_before = np.searchsorted(reads + held_back, writes, side="left")
    return int(np.max(np.arange(1, writes.size + 1) - taken_before))


def spelled_out(process: Process, graph: TimedGraph) -> dict[tuple[str, str], Times]:
    """Access times of one unhindered run, by FIFO and op."""
    if isinstance(process, MemoryPort):
        return {(process.fifo, "write" if process.op == "read" else "read"): port_times(process, graph)}
    assert isinstance(process, Pipeline)
    ticks, ops = expand(process, graph.fifo_index).whole()
    return {
        (graph.fifos[op // 2].name, "write" if op % 2 else "read"): ticks[ops == op] for op in np.unique(ops).tolist()
    }


def port_times(port: MemoryPort, graph: TimedGraph) -> Times:
    """Tokens at even distances: as the channels move them, or one per cycle, bursts that are written with their gap.

    One ID has one channel after the other, of which the slowest counts; several IDs have all at once.
    """
    channels = {channel.name: channel for channel in graph.channels}
    mine = [channels[name] for name in port.channels]
    units = [each.write_den if port.op == "write" and each.write_den else each.beats_den for each in mine]
    rates = [Fraction(each.beat_bytes * each.beats_num, unit) for each, unit in zip(mine, units, strict=True)]
    rate = sum(rates) if port.ids == "many" or port.pattern == "random" else min(rates)
    interval = max(1 + Fraction(port.token_bytes, port.burst_bytes) * port.gap, port.token_bytes / Fraction(rate))
    return mine[0].latency + 1 + paced(np.arange(port.tokens, dtype=np.int64), interval)


def paced(times: Times, factor: Fraction) -> Times:
    return times * factor.numerator // factor.denominator


def span_of(process: Process, graph: TimedGraph) -> int:
    if isinstance(process, MemoryPort):
        return int(port_times(process, graph)[-1]) + 1
    assert isinstance(process, Pipeline)
    return max(1, expand(process, graph.fifo_index).last_stage)


def expanded_depths(graph: TimedGraph, strategy: str) -> dict[str, int]:
    """What ``stream_depths`` gives."""
    ends = {end: (p.name, times) for p in graph.processes for end, times in spelled_out(p, graph).items()}
    spans = {process.name: span_of(process, graph) for process in graph.processes}
    sized = [fifo for fifo in graph.fifos if not fifo.initial_tokens]
    joins = {fifo.name: (ends[fifo.name, "write"], ends[fifo.name, "read"]) for fifo in sized}
    stretch = stretches(spans, [(w[0], r[0]) for w, r in joins.values() if w[1].size > 1], strategy)
    credited = {
        (ends[fifo.name, "read"][0], ends[fifo.name, "write"][0]) for fifo in graph.fifos if fifo.initial_tokens
    }
    fills = {end: times for p in graph.processes for end, times in spelled_out(at_once(p, graph), graph).items()}
    edges: list[DelayEdge] = []
    curves: dict[str, tuple[Times, Times]] = {}
    for fifo in sized:
        (source, writes), (target, reads) = joins[fifo.name]
        writes, reads = paced(writes, stretch[source]), paced(reads, stretch[target])
        curves[fifo.name] = paced(fills[fifo.name, "write"], stretch[source]), reads
        weight = fifo.bits * writes.size / max(1, int(writes[-1] - writes[0]))
        least = int((writes + 2 - reads).max())
        edges.append(DelayEdge(fifo.name, source, target, least, 1e6 if (source, target) in credited else weight))
    delays = schedule_delays({name: int(span * stretch[name]) for name, span in spans.items()}, edges)
    full_rate = {fifo.name: 2 if 2 * fifo.bits <= 1024 else 3 for fifo in sized}
    return {
        name: max(full_rate[name], depth_from_curves(writes, reads, delays[name], 2))
        for name, (writes, reads) in curves.items()
    }


def at_once(process: Process, graph: TimedGraph) -> Process:
    """What fills FIFOs: where a concatenation leaves some aside, results without their way through the pipeline."""
    in_turn = any(each.category == "concat" for each in graph.processes)
    if not in_turn or not isinstance(process, Pipeline):
        return process
    loops = [
        replace(
            loop, events=tuple(replace(each, stage=0 if each.op == "write" else each.stage) for each in loop.events)
        )
        for loop in process.loops
    ]
    return replace(process, loops=tuple(loops))


def stretches(spans: dict[str, int], joined: list[tuple[str, str]], strategy: str) -> dict[str, Fraction]:
    names = list(spans)
    rows, columns = ([names.index(pair[side]) for pair in joined] for side in (0, 1))
    if strategy == "conservative":
        region = np.zeros(len(names), int)
    else:
        shape = (len(names), len(names))
        _, region = connected_components(coo_array((np.ones(len(rows)), (rows, columns)), shape=shape), directed=False)
    return {
        name: Fraction(max(spans[other] for other, at in zip(names, region, strict=True) if at == mine), spans[name])
        for name, mine in zip(names, region, strict=True)
    }
