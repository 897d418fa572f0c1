"""A timed graph as plain arrays, for compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

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
    ``tokens``: by op, all that a whole run passes.
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
    tokens: np.ndarray


class Structure:
    """All of a graph but its depths; equal where the processes are the same objects, which is quick to tell."""

    def __init__(self, graph: TimedGraph) -> None:
        self.graph = graph
        self.tokens = [(fifo.name, fifo.initial_tokens) for fifo in graph.fifos]

    def __hash__(self) -> int:
        return id(self.graph.processes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Structure):
            return NotImplemented
        return self.graph.processes is other.graph.processes and self.tokens == other.tokens


def flatten(graph: TimedGraph) -> FlatGraph:
    """The arrays of a graph; they don't depend on its depths, so that graphs that differ in them share them."""
    return _flatten(Structure(graph))


@lru_cache(maxsize=2)
def _flatten(structure: Structure) -> FlatGraph:
    graph = structure.graph
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
        tokens=sum((_tokens(table, len(graph.fifos)) for table in tables), np.zeros(2 * len(graph.fifos), np.int64)),
    )


def _tokens(table: StageTable, fifos: int) -> np.ndarray:
    """Tokens that a process passes in all its visits, by op, int64[2 * fifos]."""
    if not table.visits:
        return np.zeros(2 * fifos, np.int64)
    full, rest = divmod(table.visits, table.tick.size)
    once = np.bincount(table.op, table.count, 2 * fifos).astype(np.int64)
    upto = int(table.pointer[rest])
    return once * full + np.bincount(table.op[:upto], table.count[:upto], 2 * fifos).astype(np.int64)


def depths_of(graph: TimedGraph) -> np.ndarray:
    """Depths of the FIFOs, int64, in the order of the graph."""
    return np.array([fifo.depth for fifo in graph.fifos], np.int64)
