"""The common form of what a process does to its FIFOs: visits of stages, each all or nothing.

A pipeline visits a stage wherever it has accesses, a memory port once per token,
an actor once per firing.  Engines that need no times (liveness) and engines that
do (pipelines) both walk this table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sttest.sim.graph import Actor, Memory, Pipeline, Process, TimedGraph
from sttest.sim.program import Program, expand


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
        """How often the table is walked, rounded up."""
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
    if isinstance(process, Memory):
        op = 2 * graph.fifo_index[process.fifo] + (process.op == "read")
        return _table([[(op, 1)]], process.tokens)
    return _actor_table(process, graph.fifo_index)


def group(program: Program) -> StageTable:
    """Gathers a program's accesses by stage, and those of one kind to one FIFO within it."""
    order = np.lexsort((program.op, program.tick))
    tick, op = program.tick[order], program.op[order]
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
    rows = []
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
