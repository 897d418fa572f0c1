"""The common form of what a process does to its FIFOs: visits of stages, each all or nothing.

A pipeline visits a stage wherever it has accesses, a memory port once per token,
an actor once per firing.  Engines that need no times (liveness) and engines that
do (pipelines) both walk this table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sttest.sim.graph import Actor, Event, Loop, MemoryPort, Pipeline, Process, TimedGraph, fifo_ends

# --- A pipeline's program spelled out: at which stage it accesses which FIFO


TRACE_GAP = 2
"""Stages between two runs of a trace, the default ``entry_gap`` of a loop."""


@dataclass(frozen=True)
class AccessProgram:
    """One run of a pipeline, and how often and how far apart it is repeated.

    ``tick``: int64, stages counted from the entry of the run, non-decreasing; ``op``: int32,
    2 * FIFO index + 1 for a write; ``end``: stage at which the run ends; run r is entered at r * ``period``.
    """

    tick: np.ndarray
    op: np.ndarray
    end: int
    period: int
    repeat: int

    @property
    def last_stage(self) -> int:
        """Stage at which the whole program, all runs, ends."""
        return (self.repeat - 1) * self.period + self.end

    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """``tick`` and ``op`` of all runs, one after the other."""
        entries = np.arange(self.repeat, dtype=np.int64) * self.period
        return (entries[:, None] + self.tick).ravel(), np.tile(self.op, self.repeat)


def expand(pipeline: Pipeline, fifo_index: Mapping[str, int]) -> AccessProgram:
    """Spells out a pipeline, by loops or by trace; iterations in flight interleave by stage."""
    if pipeline.trace is not None:
        tick, op = pipeline.trace.tick, pipeline.trace.op
        after_last = int(tick[-1]) + 1 if tick.size else 0
        end = after_last if pipeline.end is None else pipeline.end
        return AccessProgram(tick, op, end, end + TRACE_GAP, pipeline.repeat)
    ticks, ops = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    entry = end = gap = 0
    for loop in pipeline.loops:
        tick, op = _expand_loop(loop, fifo_index)
        ticks.append(tick + entry)
        ops.append(op)
        end, gap = entry + loop.length, loop.entry_gap
        entry = end + gap
    end = end if pipeline.end is None else pipeline.end
    return AccessProgram(np.concatenate(ticks), np.concatenate(ops), end, end + gap, pipeline.repeat)


def _expand_loop(loop: Loop, fifo_index: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Stages from the loop's entry, and ops, ordered by stage and within a stage by op."""
    ticks = [np.empty(0, np.int64)]
    ops = [np.empty(0, np.int32)]
    for event in loop.events:
        tick = np.repeat(_iterations(loop, event) * loop.ii + event.stage, event.tokens)
        ticks.append(tick)
        ops.append(np.full(tick.size, 2 * fifo_index[event.fifo] + (event.op == "write"), np.int32))
    return _in_order(np.concatenate(ticks), np.concatenate(ops))


def _in_order(tick: np.ndarray, op: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both by stage, and within a stage by op.  Runs that are in order already are only merged."""
    kinds = int(op.max(initial=0)) + 1
    if int(tick.max(initial=0)) > np.iinfo(np.int64).max // kinds - 1:
        order = np.lexsort((op, tick))
        return tick[order], op[order]
    key = tick * kinds + op
    if not (key[1:] >= key[:-1]).all():
        order = np.argsort(key, kind="stable")
        return tick[order], op[order]
    return tick, op


def _iterations(loop: Loop, event: Event) -> np.ndarray:
    """Flat numbers of the iterations in which the event happens, int64, ascending."""
    flat = np.zeros(1, np.int64)
    when = event.when or (None,) * len(loop.trips)
    for trip, chosen in zip(loop.trips, when, strict=True):
        if chosen is None:
            first, last, step = 0, trip - 1, 1
        elif isinstance(chosen, tuple):
            first, last, step = chosen
        else:
            first, last, step = chosen, chosen, 1
        index = np.arange(first, last + 1, step, dtype=np.int64)
        flat = (flat[:, None] * trip + index).ravel()
    return flat


@dataclass(frozen=True)
class StageTable:
    """S stage visits, walked round and round until ``visits`` are done.

    ``tick``: int64[S], stage of each visit; ``pointer``: int64[S + 1] into ``op`` and ``count``;
    ``op``: int32[A], 2 * FIFO index + write, ascending within a stage; ``count``: int32[A], tokens.
    Run r of the table is entered at stage r * ``period``; the process ends at ``last_stage``.
    """

    tick: np.ndarray
    pointer: np.ndarray
    op: np.ndarray
    count: np.ndarray
    last_stage: int
    period: int
    visits: int

    @property
    def runs(self) -> int:
        """The number of walks through the table, rounded up."""
        return -(-self.visits // self.tick.size) if self.tick.size else 0

    @property
    def last_visited_stage(self) -> int:
        """Stage of the last visit, 0 if there is none."""
        return (self.runs - 1) * self.period + int(self.tick[-1]) if self.visits else 0

    def accesses(self, visit: int) -> list[tuple[int, int]]:
        """(op, tokens) of the given visit."""
        stage = visit % self.tick.size
        span = slice(int(self.pointer[stage]), int(self.pointer[stage + 1]))
        return list(zip(self.op[span].tolist(), self.count[span].tolist(), strict=True))


def stage_table(process: Process, graph: TimedGraph) -> StageTable:
    """The stage visits of a process of any kind; only a pipeline's ticks mean cycles."""
    if isinstance(process, Pipeline):
        return group(expand(process, graph.fifo_index))
    if isinstance(process, MemoryPort):
        op = 2 * graph.fifo_index[process.fifo] + (process.op == "read")
        return _table([[(op, 1)]], process.tokens)
    return _actor_table(process, graph.fifo_index)


def group(program: AccessProgram) -> StageTable:
    """Gathers a program's accesses by stage, and those of one kind to one FIFO within it."""
    tick, op = _in_order(program.tick, program.op)
    new_stage = _changes(tick)
    first = np.flatnonzero(new_stage | _changes(op))
    count = np.diff(np.append(first, op.size)).astype(np.int32)
    pointer = np.append(np.flatnonzero(new_stage[first]), first.size).astype(np.int64)
    stages = tick[new_stage]
    return StageTable(
        stages, pointer, op[first], count, program.last_stage, program.period, stages.size * program.repeat
    )


def _changes(values: np.ndarray) -> np.ndarray:
    """True where a value differs from the one before it; the first always does."""
    changes = np.ones(values.size, bool)
    changes[1:] = values[1:] != values[:-1]
    return changes


def _actor_table(actor: Actor, fifo_index: Mapping[str, int]) -> StageTable:
    rows: list[list[tuple[int, int]]] = []
    for phase in actor.phases:
        reads = [(2 * fifo_index[name], tokens) for name, tokens in phase.reads.items() if tokens]
        writes = [(2 * fifo_index[name] + 1, tokens) for name, tokens in phase.writes.items() if tokens]
        rows.append(sorted(reads + writes))
    return _table(rows, actor.firings or 0)


def _table(rows: Sequence[Sequence[tuple[int, int]]], visits: int) -> StageTable:
    flat = [access for row in rows for access in row]
    pointer = np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)
    op = np.array([op for op, _ in flat], np.int32)
    count = np.array([tokens for _, tokens in flat], np.int32)
    return StageTable(np.arange(len(rows), dtype=np.int64), pointer, op, count, visits, len(rows), visits)


# --- A timed graph as plain arrays, for compiled code


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
        one, two = self.graph, other.graph
        return one.processes is two.processes and self.tokens == other.tokens and one.channels == two.channels


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
