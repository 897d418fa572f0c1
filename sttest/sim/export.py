"""A run as a trace that ui.perfetto.dev and chrome://tracing open (the Trace Event Format, JSON).

One track per process with what it did, counters of the tokens in each FIFO and of the bandwidth of
each memory channel.  Times are real time at the design's clock, in microseconds.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sttest.core.errors import InputError
from sttest.core.files import write_text
from sttest.sim.bursts import Taken, burst_plan
from sttest.sim.checker import fifo_bounds
from sttest.sim.deadlock import Deadlock, Wait
from sttest.sim.graph import Fifo, MemoryPort, Pipeline, Process, TimedGraph, fifo_ends
from sttest.sim.simulation import RunRecord, Simulation
from sttest.sim.stages import expand

# --- What each process did when: computed, stalled on input or output, or waited for memory


COMPUTE, STALL_IN, STALL_OUT, MEMORY = range(4)
KINDS = ("compute", "stall-in", "stall-out", "memory")


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
        """(start, end, kind) without gaps from begin to finish, neighbors of one kind made one.

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
        graph: graph that was run.
        record: its times.
        number: number of the process.
        cycles: end of the run, to which a process that never finishes stands still.
        waits_to_write: whether it then waits for space, and not for a token.
        unbounded: whether no FIFO was ever full, so that nobody waited for space.
    """
    process = graph.processes[number]
    finish = record.finish[number]
    until = cycles if finish is None else finish
    if isinstance(process, Pipeline):
        times, base, kind = _of_pipeline(graph, record, number, process, unbounded=unbounded)
    elif isinstance(process, MemoryPort):
        times, base, kind = _of_port(graph, record, process)
    else:
        times = base = kind = np.empty(0, np.int64)
    late = times > base
    start, end, kind = base[late], times[late], kind[late]
    if isinstance(process, MemoryPort) and process.op == "write" and finish is not None:
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
    for kind in map(int, np.unique(op)):
        here = np.flatnonzero(op == kind)
        cycle[here] = (record.writes if kind % 2 else record.reads)[kind // 2][: here.size]
        bound[here] = fifo_bounds(graph, record, kind, here.size, unbounded=unbounded)
    at_stage = cycle[first]
    base = np.append(pipeline.start, at_stage[:-1]) + np.diff(tick[first], prepend=0)
    latest = np.maximum.reduceat(bound, first)
    stage_of = np.repeat(np.arange(first.size), np.diff(np.append(first, tick.size)))
    binding = np.flatnonzero(bound == latest[stage_of])
    holder = binding[np.searchsorted(stage_of[binding], np.arange(first.size))]
    return at_stage, base, np.where(op[holder] % 2, STALL_OUT, STALL_IN)


def _of_port(graph: TimedGraph, record: RunRecord, port: MemoryPort) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each token its cycle and the earliest by the token before; a wait for memory comes first, as its own row."""
    plan = burst_plan(port, {channel.name: channel for channel in graph.channels})
    reads_memory = port.op == "read"
    times = (record.writes if reads_memory else record.reads)[graph.fifo_index[port.fifo]]
    bursts = record.bursts[port.name]
    base = np.append(port.start, times[:-1] + 1)[: times.size]
    base += plan.gaps()[: times.size]
    there = base.copy()
    for token in np.flatnonzero(times > base).tolist():
        if reads_memory:
            arrived = max(plan.arrival(burst, token, Taken.of(bursts[burst])) for burst in plan.bursts_of(token))
        else:
            before = [burst - plan.window for burst in plan.bursts_of(token) if burst >= plan.window]
            arrived = max((Taken.of(bursts[burst]).due + 1 for burst in before), default=0)
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
    edges = np.array(np.linspace(start[0], end[-1], windows + 1), np.int64)
    sums = np.empty((windows, len(KINDS)), np.int64)
    for kind in range(len(KINDS)):
        until = np.append(0, np.cumsum(np.where(kinds == kind, end - start, 0)))
        sums[:, kind] = np.diff(np.array(np.interp(edges, np.append(start, end[-1]), until), np.int64))
    ends = edges[0] + np.cumsum(sums.ravel())
    return np.append(edges[0], ends[:-1]), ends, np.tile(np.arange(len(KINDS)), windows)


# --- How many tokens a FIFO held over time


def window_cycles(cycles: int, samples: int) -> int:
    """Cycles per sample, where a run of ``cycles`` is shown by at most ``samples``."""
    return max(-(-cycles // samples), 1)


def occupancy(writes: np.ndarray, reads: np.ndarray, initial: int, cycles: int, samples: int) -> list[tuple[int, int]]:
    """First cycle of each window and the most tokens held in it; a token leaves in the cycle after its read.

    Args:
        writes: int64 cycles of the writes, in order.
        reads: int64 cycles of the reads, in order.
        initial: tokens that were there at the start.
        cycles: end of the run.
        samples: most windows.
    """
    window = window_cycles(cycles, samples)
    when = np.concatenate([writes, reads + 1])
    step = np.concatenate([np.ones(writes.size, np.int64), np.full(reads.size, -1, np.int64)])
    order = np.lexsort((step, when))
    when, held = when[order], initial + np.cumsum(step[order])
    last_at = np.append(when[1:] != when[:-1], True)[: when.size]
    when, held = when[last_at], held[last_at]
    number = -(-(cycles + 1) // window) + 1
    at_start = np.append(initial, held)[np.searchsorted(when, np.arange(number) * window)]
    most = at_start.copy()
    np.maximum.at(most, when // window, held)
    return [(int(index) * window, int(tokens)) for index, tokens in enumerate(most)]


MAX_EVENTS = 120_000
"""Slices of all tracks together, and samples of all counters together: about 100 bytes each."""
LEAST_PER_TRACK = 64
MOST_PER_TRACK = 8192
PROCESSES, FIFOS, CHANNELS = 1, 2, 3
COLORS = ("good", "bad", "terrible", "yellow")


def write_trace(simulation: Simulation, path: Path) -> None:
    """Writes the trace of a run.

    Raises:
        InputError: the run was not recorded, or the file can't be written.
    """
    graph, record = _recorded(simulation)
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in _events(simulation, graph, record))
    try:
        write_text(path, f'{{"displayTimeUnit":"ns","traceEvents":[\n{lines}\n]}}\n')
    except OSError as error:
        raise InputError("unwritable", f"can't write the trace ({error.strerror})", where=str(path)) from error


def _events(simulation: Simulation, graph: TimedGraph, record: RunRecord) -> Iterator[dict[str, Any]]:
    cycles = last_cycle(simulation)
    for pid, name in ((PROCESSES, "processes"), (FIFOS, "FIFOs, tokens"), (CHANNELS, "memory channels, GB/s")):
        yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
        yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}
    yield from _tracks(simulation, graph)
    samples = _share(len(graph.fifos) + len(graph.channels))
    for index, fifo in enumerate(graph.fifos):
        tokens = occupancy(record.writes[index], record.reads[index], fifo.initial_tokens, cycles, samples)
        yield from _counter(FIFOS, fifo.name, "tokens", tokens, graph.clock_mhz)
    for name, gb_per_s in _bandwidths(graph, record, cycles, samples).items():
        yield from _counter(CHANNELS, name, "GB/s", gb_per_s, graph.clock_mhz)


def _share(tracks: int) -> int:
    return min(max(MAX_EVENTS // max(tracks, 1), LEAST_PER_TRACK), MOST_PER_TRACK)


def _recorded(simulation: Simulation) -> tuple[TimedGraph, RunRecord]:
    graph, record = simulation.graph, simulation.record
    if graph is None or record is None:
        raise InputError(
            "not-recorded",
            "a graph that runs for ever or was not recorded has no trace",
            where=simulation.name,
            hints=["give actors a number of firings", "simulate with record=True"],
        )
    return graph, record


def last_cycle(simulation: Simulation) -> int:
    """The end of a recorded run; of a deadlock somewhat later, so that one sees everybody stand still.

    Raises:
        InputError: the run was not recorded.
    """
    _, record = _recorded(simulation)
    times = [array[-1:] for array in (*record.writes, *record.reads)]
    last = [int(array[0]) + 1 for array in times if array.size]
    cycles = max([*last, *(finish for finish in record.finish if finish is not None)], default=0)
    return cycles if simulation.deadlock is None else cycles + cycles // 10 + 10


def process_slices(simulation: Simulation, most: int) -> Iterator[tuple[Process, list[tuple[int, int, int]]]]:
    """Each process with what it did: (start, end, index into :data:`KINDS`), in cycles and in order.

    Args:
        simulation: a recorded run.
        most: slices per process; where there would be more, they are summed over windows.

    Raises:
        InputError: the run was not recorded.
    """
    graph, record = _recorded(simulation)
    cycles = last_cycle(simulation)
    waits = {wait.process: wait for wait in simulation.deadlock.cycle} if simulation.deadlock is not None else {}
    for number, process in enumerate(graph.processes):
        wait = waits.get(process.name)
        is_write = wait is not None and wait.waits_to == "write"
        unbounded = simulation.unbounded
        done = stretches(graph, record, number, cycles, waits_to_write=is_write, unbounded=unbounded)
        yield process, done.slices(most)


def _tracks(simulation: Simulation, graph: TimedGraph) -> Iterator[dict[str, Any]]:
    """A thread per process, in the order of the graph."""
    for number, (process, slices) in enumerate(process_slices(simulation, _share(len(graph.processes)))):
        about = ", ".join(part for part in (process.category, process.origin) if part)
        title = f"{process.name} ({about})" if about else process.name
        yield {"ph": "M", "name": "thread_name", "pid": PROCESSES, "tid": number, "args": {"name": title}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": PROCESSES, "tid": number, "args": {"sort_index": number}}
        for start, end, kind in slices:
            yield {
                "ph": "X",
                "name": KINDS[kind],
                "cname": COLORS[kind],
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
        if not isinstance(port, MemoryPort):
            continue
        plan = burst_plan(port, {channel.name: channel for channel in graph.channels})
        starts = record.bursts[port.name][:, 1]
        sizes = np.full(starts.size, float(plan.burst_bytes))
        sizes[plan.bursts - 1 :] = plan.total_bytes - (plan.bursts - 1) * plan.burst_bytes
        lanes = plan.lanes(starts.size)
        for lane, channel in enumerate(port.channels):
            taken = (lanes == lane) & (starts >= 0)
            np.add.at(moved[channel], starts[taken] // window, sizes[taken])
    gb_per_s_of_byte = graph.clock_mhz / window / 1000
    return {
        name: [(index * window, round(value * gb_per_s_of_byte, 6)) for index, value in enumerate(moved_bytes.tolist())]
        for name, moved_bytes in moved.items()
    }


# --- A timed graph as Graphviz text; in a deadlock, the cycle of waits in red


SHAPES = {"Pipeline": "box", "Actor": "ellipse", "MemoryPort": "cylinder"}
RED = 'color="red", fontcolor="red", penwidth=2'


def to_dot(graph: TimedGraph, deadlock: Deadlock | None = None) -> str:
    """A digraph: processes as nodes, FIFOs as edges from writer to reader with depth and bits.

    Args:
        graph: graph to draw.
        deadlock: its certificate, whose processes and FIFOs are drawn in red, with the tokens waited for.
    """
    waits = {wait.process: wait for wait in deadlock.cycle} if deadlock is not None else {}
    blocking: dict[str, list[Wait]] = {}
    for wait in waits.values():
        blocking.setdefault(wait.fifo, []).append(wait)
    names = [process.name for process in graph.processes]
    lines = [f"digraph {_quoted(graph.name)} {{", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    lines += [f"  {_quoted(process.name)} [{_node(process, process.name in waits)}];" for process in graph.processes]
    for fifo, end in zip(graph.fifos, fifo_ends(graph), strict=True):
        edge = f"{_quoted(names[end.writer])} -> {_quoted(names[end.reader])}"
        lines.append(f"  {edge} [{_edge(fifo, blocking.get(fifo.name, []))}];")
    return "\n".join([*lines, "}"]) + "\n"


def _node(process: Process, is_waiting: bool) -> str:
    about = [process.name, process.origin or process.category]
    if isinstance(process, MemoryPort):
        about.append(", ".join(process.channels))
    shape = f"label={_quoted(*filter(None, about))}, shape={SHAPES[type(process).__name__]}"
    return f"{shape}, {RED}" if is_waiting else shape


def _edge(fifo: Fifo, waits: list[Wait]) -> str:
    about = [fifo.name, f"{fifo.depth} × {fifo.bits} bit, {fifo.kind}"]
    if fifo.initial_tokens:
        about.append(f"{fifo.initial_tokens} tokens at the start")
    about += [f"{wait.process} waits to {wait.waits_to} token {wait.token}, holds {wait.occupancy}" for wait in waits]
    label = f"label={_quoted(*about)}"
    return f"{label}, {RED}" if waits else label


def _quoted(*lines: str) -> str:
    r"""A string of Graphviz: quotes and backslashes escaped, ``\n`` between lines."""
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
