"""Refuses timed graphs that no engine could run, each with one line that says why."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sttest.errors import InputError
from sttest.sim.checks import (
    MAX_BITS,
    MAX_CHANNELS,
    MAX_CYCLES,
    MAX_DEPTH,
    MAX_EVENTS,
    MAX_FIFOS,
    MAX_ORIGIN_CHARS,
    MAX_PROCESSES,
    check_choice,
    check_name,
    check_text,
    check_whole,
    check_work,
)
from sttest.sim.ends import accesses_of
from sttest.sim.graph import Channel, Fifo, TimedGraph
from sttest.sim.validation.extent import check_extent
from sttest.sim.validation.process import check_process

IMPLS = ("auto", "srl", "ram")


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
    check_whole(len(graph.channels), "number of channels", graph.name, 0, MAX_CHANNELS)
    check_extent(graph)
    for kind, items in (("FIFO", graph.fifos), ("process", graph.processes), ("channel", graph.channels)):
        _check_unique(kind, (item.name for item in items), graph.name)
    check_fifos(graph)
    for channel in graph.channels:
        _check_channel(channel, f"{graph.name}: channel '{channel.name}'")
    accesses = sum(fifo.initial_tokens for fifo in graph.fifos)
    steps = 0
    for process in graph.processes:
        work = check_process(graph, process, f"{graph.name}: process '{process.name}'")
        accesses, steps = accesses + work.accesses, steps + work.steps
    check_work(accesses, "number of FIFO accesses in all", graph.name)
    check_work(steps, "number of firings and bursts in all", graph.name)
    _check_ends(graph)


def check_fifos(graph: TimedGraph) -> None:
    """Refuses FIFOs that cannot be, whatever is at their ends.

    Raises:
        InputError: naming the FIFO and what is wrong with it.
    """
    for fifo in graph.fifos:
        _check_fifo(fifo, f"{graph.name}: FIFO '{fifo.name}'")


def _check_unique(kind: str, names: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        check_name(name, kind)
        if name in seen:
            raise InputError("duplicate-name", f"two {kind} entries are called '{name}'", where=where)
        seen.add(name)


def _check_fifo(fifo: Fifo, where: str) -> None:
    check_whole(fifo.depth, "depth", where, 1, MAX_DEPTH)
    check_whole(fifo.bits, "bits", where, 1, MAX_BITS)
    check_whole(fifo.initial_tokens, "initial_tokens", where, 0, min(MAX_EVENTS, fifo.depth))
    check_choice(fifo.impl, "impl", where, IMPLS)
    check_text(fifo.origin, "origin", where, MAX_ORIGIN_CHARS)


def _check_channel(channel: Channel, where: str) -> None:
    check_whole(channel.latency, "latency", where, 0, MAX_CYCLES)
    for what in ("beat_bytes", "beats_num", "beats_den"):
        check_whole(getattr(channel, what), what, where, 1, 1 << 20)


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
