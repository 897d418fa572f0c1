"""A top-k engine in a timed graph: a trace, since its cycles and what it gives depend on the scores."""

from collections.abc import Sequence

import numpy as np

from sttest.sim.graph import Pipeline, Trace
from sttest_systems.spatten.top_k import Selection

CATEGORY = "top-k"


def engine_trace(searches: Sequence[Selection], jobs: int, rows: int, kept: int) -> tuple[Trace, int]:
    """The accesses of an engine, one search after the other, and the stage in which it is done.

    Args:
        searches: selections that the engine makes, in order.
        jobs: place in the graph of the FIFO of jobs: how many scores there are, and how many are kept.
        rows: place of the FIFO of rows of scores.
        kept: place of the FIFO of rows of kept scores.
    """
    ticks, ops, start = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for search in searches:
        ticks += [np.array([start]), start + 1 + np.arange(search.rows), start + search.writes]
        ops += [np.array([2 * jobs]), np.full(search.rows, 2 * rows), np.full(search.puts.size, 2 * kept + 1)]
        start += search.cycles
    return Trace(np.concatenate(ticks).astype(np.int64), np.concatenate(ops).astype(np.int32)), start


def engine_process(name: str, searches: Sequence[Selection], jobs: int, rows: int, kept: int) -> Pipeline:
    """The process of :func:`engine_trace`."""
    trace, end = engine_trace(searches, jobs, rows, kept)
    return Pipeline(name, end=end, trace=trace, category=CATEGORY)
