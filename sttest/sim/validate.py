"""Refuses timed graphs that no engine could run, each with one line that says why.

The upper limits keep a hostile or mistyped file from exhausting memory; real
designs are orders of magnitude below them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np

from sttest.errors import InputError, did_you_mean
from sttest.sim.ends import accesses_of
from sttest.sim.graph import Actor, Channel, Event, Fifo, Loop, Memory, Pipeline, Process, TimedGraph, Trace

MAX_FIFOS = 1_000_000
MAX_PROCESSES = 100_000
MAX_DEPTH = 1 << 40
MAX_BITS = 1 << 24
MAX_CYCLES = 1 << 50
MAX_EVENTS = 1 << 26
"""Accesses of one run of one process once spelled out: 12 bytes each, so 0.8 GB."""
MAX_TOKENS = 1 << 31
MAX_BURSTS = 1 << 26
IMPLS = ("auto", "srl", "ram")
OPS = ("read", "write")
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,200}")


def validate(graph: TimedGraph) -> None:
    """Checks everything that can be checked without running the graph.

    Raises:
        InputError: naming the place, what is wrong there, and the way out.
    """
    check_name(graph.name, "graph")
    if not math.isfinite(graph.clock_mhz) or graph.clock_mhz <= 0:
        raise InputError("bad-clock", f"clock_mhz is {graph.clock_mhz}", where=graph.name, levers=["give MHz above 0"])
    if not graph.processes:
        raise InputError("empty-graph", "no processes", where=graph.name, levers=["add a process"])
    check_whole(len(graph.fifos), "number of FIFOs", graph.name, 0, MAX_FIFOS)
    check_whole(len(graph.processes), "number of processes", graph.name, 1, MAX_PROCESSES)
    for kind, items in (("FIFO", graph.fifos), ("process", graph.processes), ("channel", graph.channels)):
        _check_unique(kind, (item.name for item in items), graph.name)
    for fifo in graph.fifos:
        _check_fifo(fifo, f"{graph.name}: FIFO '{fifo.name}'")
    for channel in graph.channels:
        _check_channel(channel, f"{graph.name}: channel '{channel.name}'")
    for process in graph.processes:
        _check_process(graph, process, f"{graph.name}: process '{process.name}'")
    _check_ends(graph)


def check_whole(value: object, what: str, where: str, least: int, most: int) -> int:
    """``value`` as an int in [least, most].

    Raises:
        InputError: it is not a whole number, or out of range.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise InputError("not-whole", f"{what} is {value!r}, not a whole number", where=where)
    if value < least:
        raise InputError("too-small", f"{what} is {value}, at least {least} is needed", where=where)
    if value > most:
        raise InputError("too-large", f"{what} is {value}, at most {most} is possible", where=where)
    return int(value)


def check_name(name: object, what: str) -> None:
    """Refuses a name that is empty, too long, not text, or holds control characters."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError("bad-name", f"{what} name {name!r:.80} is not 1 to 200 printable characters")


def _check_unique(kind: str, names: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        check_name(name, kind)
        if name in seen:
            raise InputError("duplicate-name", f"two {kind} entries are called '{name}'", where=where)
        seen.add(name)


def _check_choice(value: str, what: str, where: str, choices: Iterable[str]) -> None:
    if value not in choices:
        raise InputError(
            "unknown-value", f"unknown {what} '{value}'", where=where, levers=[did_you_mean(value, choices)]
        )


def _check_fifo(fifo: Fifo, where: str) -> None:
    check_whole(fifo.depth, "depth", where, 1, MAX_DEPTH)
    check_whole(fifo.bits, "bits", where, 1, MAX_BITS)
    check_whole(fifo.initial_tokens, "initial_tokens", where, 0, min(MAX_EVENTS, fifo.depth))
    _check_choice(fifo.impl, "impl", where, IMPLS)


def _check_channel(channel: Channel, where: str) -> None:
    check_whole(channel.latency, "latency", where, 0, MAX_CYCLES)
    for what in ("beat_bytes", "beats_num", "beats_den"):
        check_whole(getattr(channel, what), what, where, 1, 1 << 20)


def _check_process(graph: TimedGraph, process: Process, where: str) -> None:
    check_whole(process.start, "start", where, 0, MAX_CYCLES)
    if isinstance(process, Pipeline):
        _check_pipeline(graph, process, where)
    elif isinstance(process, Memory):
        _check_memory(graph, process, where)
    else:
        _check_actor(graph, process, where)


def _check_known_fifo(graph: TimedGraph, name: str, where: str) -> None:
    if name not in graph.fifo_index:
        levers = [did_you_mean(name, graph.fifo_index)] if graph.fifos else []
        raise InputError("unknown-fifo", f"no FIFO '{name}'", where=where, levers=levers)


def _check_pipeline(graph: TimedGraph, pipeline: Pipeline, where: str) -> None:
    check_whole(pipeline.repeat, "repeat", where, 1, MAX_TOKENS)
    if pipeline.end is not None:
        check_whole(pipeline.end, "end", where, 0, MAX_CYCLES)
    if pipeline.trace is not None:
        if pipeline.loops:
            raise InputError("loops-and-trace", "both loops and a trace", where=where, levers=["keep one of the two"])
        _check_trace(graph, pipeline, pipeline.trace, where)
        return
    stages, accesses = 0, 0
    for number, loop in enumerate(pipeline.loops):
        accesses += _check_loop(graph, loop, f"{where} loop {number}")
        stages += loop.length + loop.entry_gap
    check_whole(stages * pipeline.repeat, "length in stages", where, 0, MAX_CYCLES)
    check_whole(accesses, "number of FIFO accesses in one run", where, 0, MAX_EVENTS)
    program_end = stages - pipeline.loops[-1].entry_gap if pipeline.loops else 0
    if pipeline.end is not None and pipeline.end < program_end - 1:
        raise InputError("end-too-early", f"end is {pipeline.end} but its loops run to {program_end}", where=where)


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
    _check_choice(event.op, "op", where, OPS)
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


def _check_trace(graph: TimedGraph, pipeline: Pipeline, trace: Trace, where: str) -> None:
    if trace.tick.ndim != 1 or trace.tick.shape != trace.op.shape:
        shapes = f"tick is {trace.tick.shape}, op is {trace.op.shape}"
        raise InputError("trace-shape", f"{shapes}; both must be lists of one length", where=where)
    if trace.tick.dtype != np.int64 or trace.op.dtype != np.int32:
        raise InputError(
            "trace-dtype", f"tick is {trace.tick.dtype} and op {trace.op.dtype}, not int64 and int32", where=where
        )
    check_whole(trace.tick.size, "length of the trace", where, 0, MAX_EVENTS)
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


def _check_memory(graph: TimedGraph, port: Memory, where: str) -> None:
    _check_known_fifo(graph, port.fifo, where)
    _check_choice(port.op, "op", where, OPS)
    check_whole(port.tokens, "tokens", where, 1, MAX_TOKENS)
    check_whole(port.token_bytes, "token_bytes", where, 1, MAX_TOKENS)
    check_whole(port.burst_bytes, "burst_bytes", where, 1, MAX_TOKENS)
    check_whole(port.outstanding, "outstanding", where, 1, 1 << 20)
    check_whole(len(port.channels), "number of channels", where, 1, 4096)
    check_whole(-(-port.tokens * port.token_bytes // port.burst_bytes), "number of bursts", where, 1, MAX_BURSTS)
    known = {channel.name for channel in graph.channels}
    for name in port.channels:
        if name not in known:
            levers = [did_you_mean(name, known)] if known else ["declare it under channels"]
            raise InputError("unknown-channel", f"no channel '{name}'", where=where, levers=levers)
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


def _check_actor(graph: TimedGraph, actor: Actor, where: str) -> None:
    check_whole(len(actor.phases), "number of phases", where, 1, MAX_PROCESSES)
    if actor.firings is not None:
        check_whole(actor.firings, "firings", where, 0, MAX_EVENTS)
    for phase in actor.phases:
        check_whole(phase.time, "time", where, 0, MAX_CYCLES)
        for fifo, tokens in (*phase.reads.items(), *phase.writes.items()):
            _check_known_fifo(graph, fifo, where)
            check_whole(tokens, f"tokens on '{fifo}'", where, 0, MAX_EVENTS)


def _check_ends(graph: TimedGraph) -> None:
    writers: dict[str, str] = {}
    readers: dict[str, str] = {}
    for process in graph.processes:
        reads, writes = accesses_of(graph, process)
        for side, ends, names in (("readers", readers, reads), ("writers", writers, writes)):
            for name in sorted(names):
                if name in ends:
                    both = f"'{ends[name]}' and '{process.name}'"
                    raise InputError(
                        "shared-fifo",
                        f"two {side}, {both}",
                        where=f"{graph.name}: FIFO '{name}'",
                        levers=["give each its own FIFO"],
                    )
                ends[name] = process.name
    for fifo in graph.fifos:
        for side, ends in (("reader", readers), ("writer", writers)):
            if fifo.name not in ends:
                raise InputError(
                    f"no-{side}",
                    f"no process is its {side}",
                    where=f"{graph.name}: FIFO '{fifo.name}'",
                    levers=["connect it or remove it"],
                )
