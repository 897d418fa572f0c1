"""A run as a trace that ui.perfetto.dev and chrome://tracing open (the Trace Event Format, JSON).

One track per process with what it did, counters of the tokens in each FIFO and of the bandwidth of
each memory channel.  Times are real time at the design's clock, in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sttest.errors import InputError
from sttest.sim.bursts import burst_plan
from sttest.sim.export.occupancy import occupancy, window_cycles
from sttest.sim.export.slices import KINDS, stretches
from sttest.sim.graph import Memory, TimedGraph
from sttest.sim.record import RunRecord
from sttest.sim.simulation import Simulation

MAX_EVENTS = 120_000
"""Slices of all tracks together, and samples of all counters together: about 100 bytes each."""
LEAST_PER_TRACK = 64
MOST_PER_TRACK = 8192
PROCESSES, FIFOS, CHANNELS = 1, 2, 3
COLOURS = ("good", "bad", "terrible", "yellow")


def write_trace(simulation: Simulation, path: Path) -> None:
    """Writes the trace of a run.

    Raises:
        InputError: the run was not recorded, or the file can't be written.
    """
    graph, record = simulation.graph, simulation.record
    if graph is None or record is None:
        raise InputError(
            "not-recorded",
            "a graph that runs for ever or was not recorded has no trace",
            where=simulation.name,
            levers=["give actors a number of firings", "simulate with record=True"],
        )
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in _events(simulation, graph, record))
    try:
        path.write_text(f'{{"displayTimeUnit":"ns","traceEvents":[\n{lines}\n]}}\n', encoding="utf-8")
    except OSError as error:
        raise InputError("unwritable", f"can't write the trace ({error.strerror})", where=str(path)) from error


def _events(simulation: Simulation, graph: TimedGraph, record: RunRecord) -> Iterator[dict[str, Any]]:
    times = [array[-1:] for array in (*record.writes, *record.reads)]
    last = [int(array[0]) + 1 for array in times if array.size]
    cycles = max([*last, *(finish for finish in record.finish if finish is not None)], default=0)
    if simulation.deadlock is not None:
        cycles += cycles // 10 + 10  # so that one sees everybody stand still
    for pid, name in ((PROCESSES, "processes"), (FIFOS, "FIFOs, tokens"), (CHANNELS, "memory channels, GB/s")):
        yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
        yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}
    yield from _tracks(simulation, graph, record, cycles)
    samples = _share(len(graph.fifos) + len(graph.channels))
    for index, fifo in enumerate(graph.fifos):
        tokens = occupancy(record.writes[index], record.reads[index], fifo.initial_tokens, cycles, samples)
        yield from _counter(FIFOS, fifo.name, "tokens", tokens, graph.clock_mhz)
    for name, gb_per_s in _bandwidths(graph, record, cycles, samples).items():
        yield from _counter(CHANNELS, name, "GB/s", gb_per_s, graph.clock_mhz)


def _share(tracks: int) -> int:
    return min(max(MAX_EVENTS // max(tracks, 1), LEAST_PER_TRACK), MOST_PER_TRACK)


def _tracks(simulation: Simulation, graph: TimedGraph, record: RunRecord, cycles: int) -> Iterator[dict[str, Any]]:
    """A thread per process, in the order of the graph."""
    waits = {wait.process: wait for wait in simulation.deadlock.cycle} if simulation.deadlock is not None else {}
    for number, process in enumerate(graph.processes):
        about = ", ".join(part for part in (process.category, process.origin) if part)
        title = f"{process.name} ({about})" if about else process.name
        yield {"ph": "M", "name": "thread_name", "pid": PROCESSES, "tid": number, "args": {"name": title}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": PROCESSES, "tid": number, "args": {"sort_index": number}}
        wait = waits.get(process.name)
        is_write = wait is not None and wait.waits_to == "write"
        unbounded = simulation.unbounded
        done = stretches(graph, record, number, cycles, waits_to_write=is_write, unbounded=unbounded)
        for start, end, kind in done.slices(_share(len(graph.processes))):
            yield {
                "ph": "X",
                "name": KINDS[kind],
                "cname": COLOURS[kind],
                "pid": PROCESSES,
                "tid": number,
                "ts": start / graph.clock_mhz,
                "dur": (end - start) / graph.clock_mhz,
                "args": {"cycles": end - start, "first_cycle": start},
            }


def _counter(
    pid: int, name: str, unit: str, samples: Iterable[tuple[int, float]], clock_mhz: float
) -> Iterator[dict[str, Any]]:
    """Samples (cycle, value); only those that differ from the one before."""
    before = None
    for cycle, value in samples:
        if value != before:
            yield {"ph": "C", "name": name, "pid": pid, "ts": cycle / clock_mhz, "args": {unit: value}}
            before = value


def _bandwidths(graph: TimedGraph, record: RunRecord, cycles: int, samples: int) -> dict[str, list[tuple[int, float]]]:
    """Per channel, GB/s in each window: bytes of the bursts that were taken in it."""
    window = window_cycles(cycles, samples)
    moved = {channel.name: np.zeros(cycles // window + 2) for channel in graph.channels}
    for port in graph.processes:
        if not isinstance(port, Memory):
            continue
        plan = burst_plan(port, {channel.name: channel for channel in graph.channels})
        starts = record.bursts[port.name][:, 1]
        sizes = np.full(starts.size, float(plan.burst_bytes))
        sizes[plan.bursts - 1 :] = plan.total_bytes - (plan.bursts - 1) * plan.burst_bytes
        for lane, channel in enumerate(port.channels):
            taken = (np.arange(starts.size) % len(port.channels) == lane) & (starts >= 0)
            np.add.at(moved[channel], starts[taken] // window, sizes[taken])
    gb_per_s_of_byte = graph.clock_mhz / window / 1000
    return {
        name: [(index * window, round(value * gb_per_s_of_byte, 6)) for index, value in enumerate(moved_bytes.tolist())]
        for name, moved_bytes in moved.items()
    }
