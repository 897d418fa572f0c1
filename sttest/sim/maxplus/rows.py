"""Programs as rows: what a process does at each visit of a stage, in loops rather than spelled out.

A row is one visit: the stages since the visit before, and a pattern of accesses.  Rows
lie in segments that are walked several times each, the segments of a program one after
the other, and the whole program as often as the pipeline repeats.  A loop nest of
millions of iterations takes a few rows: the iterations that fill the pipeline, one turn
of an outer loop, and those that drain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sttest.sim.graph import Actor, Loop, Memory, Pipeline, Process, TimedGraph
from sttest.sim.maxplus.patterns import Patterns, find_patterns
from sttest.sim.maxplus.turns import accesses_between, turns
from sttest.sim.program import TRACE_GAP, Program
from sttest.sim.stages import StageTable, group, stage_table

SEGMENT = np.dtype([(name, np.int64) for name in ("first", "last", "times", "again")])
"""Rows ``first`` to ``last`` (included), walked ``times`` times; ``again``: stages from its last row to its first."""


@dataclass(frozen=True)
class Rows:
    """A process as rows.

    ``gap``: int64[R], stages since the row before, of a segment's first row since the segment before;
    ``pattern``: int32[R], into ``patterns``; ``rerun``: stages from the last visit of a run to the first of the
    next; ``visits``: of all runs; ``tail``: stages from the last visit to the end of the process.
    """

    gap: np.ndarray
    pattern: np.ndarray
    patterns: Patterns
    segments: np.ndarray
    rerun: int
    visits: int
    tail: int

    def tokens(self, ops: int) -> np.ndarray:
        """Tokens that pass in all visits, by op, int64[ops]."""
        passes = np.zeros(self.patterns.pointer.size - 1, np.int64)
        whole_run = 0
        for first, last, times, _ in self.segments.tolist():
            np.add.at(passes, self.pattern[first : last + 1], times)
            whole_run += (last + 1 - first) * times
        runs, rest = divmod(self.visits, whole_run) if whole_run else (0, 0)
        passes *= runs
        # Only actors end within a run; they have one segment, walked once.
        np.add.at(passes, self.pattern[:rest], 1)
        each = np.repeat(passes, np.diff(self.patterns.pointer)) * self.patterns.count
        total = np.zeros(ops, np.int64)
        np.add.at(total, self.patterns.op, each)
        return total


@dataclass(frozen=True)
class _Piece:
    """Visits that happen ``times`` times, every ``length`` stages, from stage ``start`` of the run on."""

    start: int
    times: int
    length: int
    table: StageTable


def rows_of(process: Process, graph: TimedGraph) -> Rows:
    """The rows of a process; a memory port has none, its visits are its tokens."""
    if isinstance(process, Memory):
        return _rows([], 0, 0, 1, visits=process.tokens)
    if isinstance(process, Actor):
        table = stage_table(process, graph)
        return _rows([_Piece(0, 1, 0, table)], table.period, table.period, 1, visits=table.visits)
    if process.trace is not None:
        table = group(Program(process.trace.tick, process.trace.op, 0, 0, 1))
        after_last = int(table.tick[-1]) + 1 if table.tick.size else 0
        end = after_last if process.end is None else process.end
        return _rows([_Piece(0, 1, 0, table)], end, end + TRACE_GAP, process.repeat)
    return loop_rows(process, graph.fifo_index)


def loop_rows(pipeline: Pipeline, fifo_index: Mapping[str, int]) -> Rows:
    """The rows of a pipeline of loops."""
    pieces: list[_Piece] = []
    entry = end = gap = 0
    for loop in pipeline.loops:
        pieces += _loop_pieces(loop, entry, fifo_index)
        end, gap = entry + loop.length, loop.entry_gap
        entry = end + gap
    end = end if pipeline.end is None else pipeline.end
    return _rows(pieces, end, end + gap, pipeline.repeat)


def _loop_pieces(loop: Loop, entry: int, fifo_index: Mapping[str, int]) -> Iterator[_Piece]:
    """Visits of a loop entered at a stage of the run, in order."""
    for turn in turns(loop):
        tick, op = accesses_between(loop, fifo_index, turn.start, turn.start + turn.length)
        if tick.size:
            yield _Piece(entry + turn.start, turn.times, turn.length, group(Program(tick, op, 0, 0, 1)))


def _rows(pieces: list[_Piece], end: int, period: int, repeat: int, visits: int | None = None) -> Rows:
    gaps, segments = [np.empty(0, np.int64)], []
    before = first_stage = row = 0
    for piece in pieces:
        tick = piece.table.tick
        gaps += [tick[:1] + (piece.start - before), np.diff(tick)]
        last = row + tick.size - 1
        segments.append((row, last, piece.times, piece.length - int(tick[-1]) + int(tick[0]) if tick.size else 0))
        first_stage = first_stage if row else piece.start + int(tick[0]) if tick.size else 0
        before = piece.start + (piece.times - 1) * piece.length + int(tick[-1]) if tick.size else 0
        row = last + 1
    segments = np.array([segment for segment in segments if segment[1] >= segment[0]], SEGMENT)
    patterns, pattern = find_patterns([piece.table for piece in pieces])
    per_run = int(((segments["last"] + 1 - segments["first"]) * segments["times"]).sum())
    return Rows(
        gap=np.concatenate(gaps),
        pattern=pattern,
        patterns=patterns,
        segments=segments,
        rerun=period - before + first_stage,
        visits=per_run * repeat if visits is None else visits,
        tail=end - before if per_run else (repeat - 1) * period + end,
    )
