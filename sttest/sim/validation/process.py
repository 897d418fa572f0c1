"""Refuses processes that no engine could run, and counts the FIFO accesses of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sttest.errors import InputError, did_you_mean
from sttest.sim.checks import (
    MAX_CHANNELS,
    MAX_CYCLES,
    MAX_EVENTS,
    MAX_NAME_CHARS,
    MAX_ORIGIN_CHARS,
    MAX_PHASES,
    MAX_TOKENS,
    check_choice,
    check_text,
    check_whole,
    check_work,
)
from sttest.sim.graph import Actor, Event, Loop, Memory, Pipeline, Process, TimedGraph, Trace

OPS = ("read", "write")


class Work(NamedTuple):
    """What a process makes at most: FIFO accesses, and firings or bursts."""

    accesses: int
    steps: int = 0


def check_process(graph: TimedGraph, process: Process, where: str) -> Work:
    """Refuses a process that cannot be; gives how much work it is at most."""
    check_whole(process.start, "start", where, 0, MAX_CYCLES)
    check_text(process.origin, "origin", where, MAX_ORIGIN_CHARS)
    check_text(process.category, "category", where, MAX_NAME_CHARS)
    if isinstance(process, Pipeline):
        return Work(_check_pipeline(graph, process, where))
    if isinstance(process, Memory):
        return _check_memory(graph, process, where)
    return _check_actor(graph, process, where)


def _check_known_fifo(graph: TimedGraph, name: str, where: str) -> None:
    if name not in graph.fifo_index:
        levers = [did_you_mean(name, graph.fifo_index)] if graph.fifos else []
        raise InputError("unknown-fifo", f"no FIFO '{name:.80}'", where=where, levers=levers)


def _check_pipeline(graph: TimedGraph, pipeline: Pipeline, where: str) -> int:
    check_whole(pipeline.repeat, "repeat", where, 1, MAX_TOKENS)
    if pipeline.end is not None:
        check_whole(pipeline.end, "end", where, 0, MAX_CYCLES)
    if pipeline.trace is not None:
        if pipeline.loops:
            raise InputError("loops-and-trace", "both loops and a trace", where=where, levers=["keep one of the two"])
        return _check_trace(graph, pipeline, pipeline.trace, where)
    stages, accesses = 0, 0
    for number, loop in enumerate(pipeline.loops):
        accesses += _check_loop(graph, loop, f"{where} loop {number}")
        stages += loop.length + loop.entry_gap
    check_whole(stages * pipeline.repeat, "length in stages", where, 0, MAX_CYCLES)
    check_work(accesses, "number of FIFO accesses in one run", where)
    program_end = stages - pipeline.loops[-1].entry_gap if pipeline.loops else 0
    if pipeline.end is not None and pipeline.end < program_end - 1:
        raise InputError("end-too-early", f"end is {pipeline.end} but its loops run to {program_end}", where=where)
    return accesses * pipeline.repeat


def _check_loop(graph: TimedGraph, loop: Loop, where: str) -> int:
    """Refuses a loop that cannot be; gives the FIFO accesses that it makes at most."""
    check_whole(loop.ii, "ii", where, 1, MAX_CYCLES)
    check_whole(loop.latency, "latency", where, 1, MAX_CYCLES)
    check_whole(loop.entry_gap, "entry_gap", where, 0, MAX_CYCLES)
    check_whole(len(loop.trips), "number of loop dims", where, 0, 30)
    for trip in loop.trips:
        check_whole(trip, "trip count", where, 1, MAX_CYCLES)
    check_whole(loop.length, "length in stages", where, 1, MAX_CYCLES)
    return sum(_check_event(graph, loop, event, where) for event in loop.events)


def _check_event(graph: TimedGraph, loop: Loop, event: Event, where: str) -> int:
    """Refuses an event that cannot be; gives the accesses that it makes."""
    _check_known_fifo(graph, event.fifo, where)
    where = f"{where} event on '{event.fifo}'"
    check_choice(event.op, "op", where, OPS)
    check_whole(event.stage, "stage", where, 0, loop.latency - 1)
    check_whole(event.tokens, "tokens", where, 1, MAX_EVENTS)
    if not event.when:
        return loop.iterations * event.tokens
    if len(event.when) != len(loop.trips):
        raise InputError(
            "when-dims", f"when has {len(event.when)} entries for {len(loop.trips)} loop dims", where=where
        )
    count = event.tokens
    for when, trip in zip(event.when, loop.trips, strict=True):
        if when is None:
            count *= trip
            continue
        first, last, step = when if isinstance(when, tuple) else (when, when, 1)
        check_whole(last, "last index of when", where, 0, trip - 1)
        check_whole(first, "first index of when", where, 0, last)
        check_whole(step, "step of when", where, 1, MAX_CYCLES)
        count *= (last - first) // step + 1
    return count


def _check_trace(graph: TimedGraph, pipeline: Pipeline, trace: Trace, where: str) -> int:
    if trace.tick.ndim != 1 or trace.tick.shape != trace.op.shape:
        shapes = f"tick is {trace.tick.shape}, op is {trace.op.shape}"
        raise InputError("trace-shape", f"{shapes}; both must be lists of one length", where=where)
    if trace.tick.dtype != np.int64 or trace.op.dtype != np.int32:
        raise InputError(
            "trace-dtype", f"tick is {trace.tick.dtype} and op {trace.op.dtype}, not int64 and int32", where=where
        )
    check_work(trace.tick.size, "length of the trace", where)
    if not trace.is_ordered:
        raise InputError("trace-order", "ticks fall, or start below 0", where=where)
    if trace.ops_used and not 0 <= trace.ops_used[0] <= trace.ops_used[-1] < 2 * len(graph.fifos):
        bad = trace.ops_used[0] if trace.ops_used[0] < 0 else trace.ops_used[-1]
        raise InputError("trace-op", f"op {bad} names no FIFO, there are {len(graph.fifos)}", where=where)
    last = int(trace.tick[-1]) if trace.tick.size else 0
    end = last if pipeline.end is None else pipeline.end
    if end < last:
        raise InputError("end-too-early", f"end is {end} but its trace runs to stage {last}", where=where)
    check_whole((end + 3) * pipeline.repeat, "length in stages", where, 0, MAX_CYCLES)
    return trace.tick.size * pipeline.repeat


def _check_memory(graph: TimedGraph, port: Memory, where: str) -> Work:
    _check_known_fifo(graph, port.fifo, where)
    check_choice(port.op, "op", where, OPS)
    check_whole(port.tokens, "tokens", where, 1, MAX_TOKENS)
    check_whole(port.token_bytes, "token_bytes", where, 1, MAX_TOKENS)
    check_whole(port.burst_bytes, "burst_bytes", where, 1, MAX_TOKENS)
    check_whole(port.outstanding, "outstanding", where, 1, 1 << 20)
    check_whole(len(port.channels), "number of channels", where, 1, MAX_CHANNELS)
    bursts = -(-port.tokens * port.token_bytes // port.burst_bytes)
    check_work(bursts, "number of bursts", where)
    known = {channel.name for channel in graph.channels}
    for name in port.channels:
        if name not in known:
            levers = [did_you_mean(name, known)] if known else ["declare it under channels"]
            raise InputError("unknown-channel", f"no channel '{name:.80}'", where=where, levers=levers)
    window_bytes = port.outstanding * len(port.channels) * port.burst_bytes
    aligned = port.token_bytes % port.burst_bytes == 0 or port.burst_bytes % port.token_bytes == 0
    need_bytes = port.token_bytes if aligned else port.token_bytes + port.burst_bytes
    if need_bytes > window_bytes:
        raise InputError(
            "token-exceeds-window",
            "a token is larger than all the bursts that may be in flight, so the port could never finish one",
            where=where,
            demand=need_bytes,
            bound=window_bytes,
            unit="bytes",
            levers=["make the token smaller", "raise outstanding", "use more channels"],
        )
    return Work(port.tokens, bursts)


def _check_actor(graph: TimedGraph, actor: Actor, where: str) -> Work:
    check_whole(len(actor.phases), "number of phases", where, 1, MAX_PHASES)
    if actor.firings is not None:
        check_whole(actor.firings, "firings", where, 0, MAX_TOKENS)
    for phase in actor.phases:
        check_whole(phase.time, "time", where, 0, MAX_CYCLES)
        for fifo, tokens in (*phase.reads.items(), *phase.writes.items()):
            _check_known_fifo(graph, fifo, where)
            check_whole(tokens, f"tokens on '{fifo}'", where, 0, MAX_EVENTS)
    in_one_cycle = sum(sum(phase.reads.values()) + sum(phase.writes.values()) for phase in actor.phases)
    return Work(in_one_cycle * -(-(actor.firings or 1) // len(actor.phases)), actor.firings or 0)
