"""One graph, many depths: its programs found once, solved again and again on the compiled engine.

FIFOs that are accessed alike and are of the same depth are computed once (``Programs.leads``), and what only
repeats is jumped over (``run_periodic``), except where the times of all tokens are wanted.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sttest.core.errors import InputError, did_you_mean
from sttest.core.processes import process_pool
from sttest.sim.bursts import burst_plan
from sttest.sim.graph import MAX_DEPTH, RAM_CYCLES, Actor, Channel, MemoryPort, Process, TimedGraph, check_whole
from sttest.sim.maxplus.arrays import ACTOR, Net, build
from sttest.sim.maxplus.engine import NO_JUMPS, peaks_of
from sttest.sim.maxplus.periodic import PeriodSearchLimits, run_periodic
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.stages import UNBOUNDED, depths_of, flatten

# Programs, which no run changes, and times, of which a run reads only those that it has written.
_SHARED = frozenset({"times", "tick", "gap", "pattern", "pointer", "op", "tokens", "segments", "duration", "lanes"})
# A search lowers one FIFO at a time: its lane splits in two, and is whole again with the next one.
_NETS_KEPT = 4


class DepthRunner:
    """A finite graph that is run with one depth vector after the other, F int64 in the order of its FIFOs.

    ``alike``: equal for FIFOs that take the same part in a run where their depths are the same.
    """

    def __init__(self, graph: TimedGraph) -> None:
        self.graph = graph
        self.bits = np.array([fifo.bits for fifo in graph.fifos], np.int64)
        self._programs = find_programs(graph)
        lanes = self._programs.lane.tolist()
        self.alike = [(lane, fifo.bits, fifo.impl, fifo.latency) for lane, fifo in zip(lanes, graph.fifos, strict=True)]
        self._fresh: OrderedDict[bytes, Net] = OrderedDict()

    def latencies(self, depths: np.ndarray) -> np.ndarray:
        """Cycles from write to read of FIFOs of these depths."""
        return self._programs.read_after_write_cycles(depths)

    def run(self, depths: np.ndarray, latencies: np.ndarray | None = None) -> int | None:
        """Cycles with these depths, None on a deadlock; ``latencies``: others than those of the depths."""
        net, _ = self._net(depths, self.latencies(depths) if latencies is None else latencies)
        run_periodic(net, PeriodSearchLimits())
        return _cycles(net)

    def run_unbounded(self, latencies: np.ndarray) -> tuple[int | None, np.ndarray]:
        """Runs with FIFOs that are never full: cycles, or None if even that deadlocks, and the FIFOs' peaks.

        Peaks are the least depths with which nothing would have happened later, at least 1.
        """
        net, number = self._net(np.full(self.bits.size, UNBOUNDED, np.int64), latencies)
        run_periodic(net, NO_JUMPS)
        return _cycles(net), np.maximum(1, peaks_of(self.graph, net, number, ()))

    def _net(self, depths: np.ndarray, latencies: np.ndarray) -> tuple[Net, np.ndarray]:
        """Arrays for a run, and for each FIFO the one of theirs that stands for it."""
        kinds = np.where(latencies - self._programs.latency == RAM_CYCLES, "ram", "srl")
        leads, number = replace(self._programs, impl=kinds).leads(depths)
        fresh = self._fresh_net(leads)
        net = fresh._replace(**{name: array.copy() for name, array in fresh._asdict().items() if name not in _SHARED})
        kind = net.processes["kind"]
        between_actors = (kind[net.fifos["writer"]] == ACTOR) & (kind[net.fifos["reader"]] == ACTOR)
        net.fifos["depth"] = depths[leads]
        net.fifos["raw"] = np.where(between_actors, 0, latencies[leads])
        return net, number

    def _fresh_net(self, leads: np.ndarray) -> Net:
        key = leads.tobytes()
        if key not in self._fresh:
            self._fresh[key] = build(self.graph, self._programs, unbounded=False, leads=leads)
            if len(self._fresh) > _NETS_KEPT:
                self._fresh.popitem(last=False)
        self._fresh.move_to_end(key)
        return self._fresh[key]


def _cycles(net: Net) -> int | None:
    if (net.processes["visits"] < net.processes["all_visits"]).any():
        return None
    return int(net.processes["finish"].max())


# --- Many depth vectors of one graph


DEADLOCKED = -1
# Vectors that a process takes at a time.
_CHUNK = 64


def simulate_many(
    graph: TimedGraph, depth_vectors: np.ndarray | Sequence[Mapping[str, int]], *, jobs: int = 1
) -> np.ndarray:
    """Cycles of a finite graph with each of N depth vectors.

    Args:
        graph: graph with the depths of FIFOs that a vector doesn't name.
        depth_vectors: int[N, F] in the order of the graph's FIFOs, or N mappings from FIFO to depth.
        jobs: processes at a time; each flattens the graph once.

    Returns:
        int64[N], ``DEADLOCKED`` where it deadlocks.

    Raises:
        InputError: a FIFO is not there, a depth is not possible, or actors fire for ever.
    """
    vectors = _checked(graph, depth_vectors)
    chunks = [vectors[first : first + _CHUNK] for first in range(0, len(vectors), _CHUNK)]
    if jobs == 1 or len(chunks) < 2:
        return _run_all(DepthRunner(graph), vectors)
    with process_pool(min(jobs, len(chunks)), "sizing", _start, (graph,)) as pool:
        return np.concatenate(list(pool.map(_run_chunk, chunks)))


def _checked(graph: TimedGraph, depth_vectors: np.ndarray | Sequence[Mapping[str, int]]) -> np.ndarray:
    if graph.is_endless:
        raise InputError("endless", "actors that fire for ever take no number of cycles", where=graph.name)
    if not isinstance(depth_vectors, np.ndarray):
        depth_vectors = np.array([_row(graph, named) for named in depth_vectors], np.int64)
    vectors = depth_vectors.reshape(-1, len(graph.fifos)) if depth_vectors.size == 0 else depth_vectors
    if vectors.ndim != 2 or vectors.shape[1] != len(graph.fifos) or vectors.dtype.kind not in "iu":
        what = f"{vectors.dtype} of shape {vectors.shape}, not whole numbers of shape (N, {len(graph.fifos)})"
        raise InputError("depth-vectors", f"depth vectors are {what}", where=graph.name)
    least = np.array([max(1, fifo.initial_tokens) for fifo in graph.fifos])
    wrong = np.argwhere((vectors < least) | (vectors > MAX_DEPTH))
    if wrong.size:
        row, fifo = map(int, wrong[0])
        what = f"depth {vectors[row, fifo]} is not between {least[fifo]} and {MAX_DEPTH}"
        raise InputError("bad-depth", what, where=f"{graph.name}: FIFO '{graph.fifos[fifo].name}', vector {row}")
    return vectors.astype(np.int64)


def _row(graph: TimedGraph, named: Mapping[str, int]) -> np.ndarray:
    row = depths_of(graph)
    for name, depth in named.items():
        if name not in graph.fifo_index:
            hints = [did_you_mean(name, graph.fifo_index)]
            raise InputError("unknown-fifo", f"no FIFO '{name}'", where=graph.name, hints=hints)
        row[graph.fifo_index[name]] = depth
    return row


def _run_all(runner: DepthRunner, vectors: np.ndarray) -> np.ndarray:
    cycles = (runner.run(row) for row in vectors)
    return np.array([DEADLOCKED if count is None else count for count in cycles], np.int64)


_RUNNER: list[DepthRunner] = []
"""The runner of a worker process: of the graph that it was started with."""


def _start(graph: TimedGraph) -> None:
    _RUNNER.append(DepthRunner(graph))


def _run_chunk(vectors: np.ndarray) -> np.ndarray:
    return _run_all(_RUNNER[0], vectors)


# --- A design that is started again and again: the next invocation enters while the last still drains


MAX_INVOCATIONS = 1 << 20


def back_to_back(graph: TimedGraph, invocations: int) -> TimedGraph:
    """The same design, every process of which runs its program so many times, as soon as it can.

    A memory port streams on: where a run of it doesn't end with a whole burst on its last channel, the bursts of
    the next one lie otherwise than in a run of its own, see :func:`inexact_ports`.

    Args:
        graph: finite.
        invocations: number of invocations, at least 1.

    Raises:
        InputError: a FIFO doesn't hold as many tokens after a run as before, or actors fire for ever.
    """
    check_whole(invocations, "number of invocations", graph.name, 1, MAX_INVOCATIONS)
    if invocations == 1:
        return graph
    if graph.is_endless:
        raise InputError("endless", "actors that fire for ever have no invocations", where=graph.name)
    _check_balanced(graph)
    return replace(graph, processes=tuple(_repeated(process, invocations) for process in graph.processes))


def inexact_ports(graph: TimedGraph) -> list[str]:
    """Memory ports whose run doesn't end with a whole burst on the last of its channels."""
    channels = {channel.name: channel for channel in graph.channels}
    ports = [process for process in graph.processes if isinstance(process, MemoryPort)]
    return [port.name for port in ports if not _ends_whole(_streaming_on(port, 1), channels)]


def _ends_whole(port: MemoryPort, channels: dict[str, Channel]) -> bool:
    plan = burst_plan(port, channels)
    if len(plan.channels) > 1 and (plan.random or plan.one_id):
        return False
    return plan.total_bytes % plan.burst_bytes == 0 and plan.bursts % len(plan.channels) == 0


def _check_balanced(graph: TimedGraph) -> None:
    tokens = flatten(graph).tokens
    wrong = np.flatnonzero(tokens[::2] != tokens[1::2])
    if wrong.size:
        fifo = int(wrong[0])
        what = f"a run writes {tokens[2 * fifo + 1]} tokens and reads {tokens[2 * fifo]}, so it can't be run again"
        raise InputError("unbalanced", what, where=f"{graph.name}: FIFO '{graph.fifos[fifo].name}'")


def _repeated(process: Process, invocations: int) -> Process:
    if isinstance(process, MemoryPort):
        return _streaming_on(process, invocations)
    if isinstance(process, Actor):
        return replace(process, firings=(process.firings or 0) * invocations)
    return replace(process, repeat=process.repeat * invocations)


def _streaming_on(port: MemoryPort, invocations: int) -> MemoryPort:
    """A run of less than a burst keeps to bursts of its own."""
    run_bytes = port.tokens * port.token_bytes
    return replace(port, tokens=port.tokens * invocations, burst_bytes=min(port.burst_bytes, run_bytes))
