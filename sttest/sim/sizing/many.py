"""Many depth vectors of one graph."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from sttest.errors import InputError, did_you_mean
from sttest.sim.checks import MAX_DEPTH
from sttest.sim.flat import depths_of
from sttest.sim.graph import Actor, TimedGraph
from sttest.sim.sizing.depth_runner import DepthRunner

DEADLOCKED = -1
# Vectors that a process takes at a time.
_CHUNK = 64


def simulate_many(
    graph: TimedGraph, depth_vectors: np.ndarray | Sequence[Mapping[str, int]], *, jobs: int = 1
) -> np.ndarray:
    """Cycles of a finite graph with each of N depth vectors.

    Args:
        graph: with the depths of FIFOs that a vector doesn't name.
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
    # A fork would inherit locks that threads of this process may hold.
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(min(jobs, len(chunks)), context, _start, (graph,)) as pool:
        return np.concatenate(list(pool.map(_run_chunk, chunks)))


def _checked(graph: TimedGraph, depth_vectors: np.ndarray | Sequence[Mapping[str, int]]) -> np.ndarray:
    if any(isinstance(process, Actor) and process.firings is None for process in graph.processes):
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
        row, fifo = wrong[0].tolist()
        what = f"depth {vectors[row, fifo]} is not between {least[fifo]} and {MAX_DEPTH}"
        raise InputError("bad-depth", what, where=f"{graph.name}: FIFO '{graph.fifos[fifo].name}', vector {row}")
    return vectors.astype(np.int64)


def _row(graph: TimedGraph, named: Mapping[str, int]) -> np.ndarray:
    row = depths_of(graph)
    for name, depth in named.items():
        if name not in graph.fifo_index:
            levers = [did_you_mean(name, graph.fifo_index)]
            raise InputError("unknown-fifo", f"no FIFO '{name}'", where=graph.name, levers=levers)
        row[graph.fifo_index[name]] = depth
    return row


def _run_all(runner: DepthRunner, vectors: np.ndarray) -> np.ndarray:
    cycles = (runner.run(row) for row in vectors)
    return np.array([DEADLOCKED if count is None else count for count in cycles], np.int64)


_RUNNER: list[DepthRunner] = []
"""Of a worker process: the graph that it was started with."""


def _start(graph: TimedGraph) -> None:
    _RUNNER.append(DepthRunner(graph))


def _run_chunk(vectors: np.ndarray) -> np.ndarray:
    return _run_all(_RUNNER[0], vectors)
