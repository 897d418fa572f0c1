"""A timed graph as plain arrays, for compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sttest.sim.ends import fifo_ends
from sttest.sim.graph import TimedGraph
from sttest.sim.stages import StageTable, stage_table

UNBOUNDED = 1 << 62
"""A depth that no run reaches."""


@dataclass(frozen=True)
class FlatGraph:
    """Stage tables of P processes end to end, and the ends of F FIFOs; everything int64 but ``op`` and ``count``.

    ``stage_first[p]`` to ``stage_first[p + 1]`` are the stages of process p; stage s has the accesses
    ``pointer[s]`` to ``pointer[s + 1]`` in ``op`` (2 * FIFO index + write) and ``count`` (tokens).
    """

    tables: tuple[StageTable, ...]
    stage_first: np.ndarray
    tick: np.ndarray
    pointer: np.ndarray
    op: np.ndarray
    count: np.ndarray
    visits: np.ndarray
    writer: np.ndarray
    reader: np.ndarray
    initial: np.ndarray


def flatten(graph: TimedGraph) -> FlatGraph:
    """The arrays of a graph; they don't depend on its depths."""
    tables = tuple(stage_table(process, graph) for process in graph.processes)
    ends = fifo_ends(graph)
    access_first = np.cumsum([0] + [table.op.size for table in tables])
    pointers = [table.pointer[:-1] + first for table, first in zip(tables, access_first, strict=False)]
    return FlatGraph(
        tables=tables,
        stage_first=np.cumsum([0] + [table.tick.size for table in tables]).astype(np.int64),
        tick=np.concatenate([table.tick for table in tables]),
        pointer=np.concatenate([*pointers, access_first[-1:]]).astype(np.int64),
        op=np.concatenate([table.op for table in tables]),
        count=np.concatenate([table.count for table in tables]),
        visits=np.array([table.visits for table in tables], np.int64),
        writer=np.array([end.writer for end in ends], np.int64),
        reader=np.array([end.reader for end in ends], np.int64),
        initial=np.array([fifo.initial_tokens for fifo in graph.fifos], np.int64),
    )


def depths_of(graph: TimedGraph) -> np.ndarray:
    """Depths of the FIFOs, int64, in the order of the graph."""
    return np.array([fifo.depth for fifo in graph.fifos], np.int64)
