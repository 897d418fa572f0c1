"""A pipeline's program spelled out: at which stage it accesses which FIFO."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sttest.sim.graph import Event, Loop, Pipeline

TRACE_GAP = 2
"""Stages between two runs of a trace, the default ``entry_gap`` of a loop."""


@dataclass(frozen=True)
class Program:
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


def expand(pipeline: Pipeline, fifo_index: Mapping[str, int]) -> Program:
    """Spells out a pipeline, by loops or by trace; iterations in flight interleave by stage."""
    if pipeline.trace is not None:
        tick, op = pipeline.trace.tick, pipeline.trace.op
        after_last = int(tick[-1]) + 1 if tick.size else 0
        end = after_last if pipeline.end is None else pipeline.end
        return Program(tick, op, end, end + TRACE_GAP, pipeline.repeat)
    ticks, ops, entry, end, gap = [], [], 0, 0, 0
    for loop in pipeline.loops:
        tick, op = _expand_loop(loop, fifo_index)
        ticks.append(tick + entry)
        ops.append(op)
        end, gap = entry + loop.length, loop.entry_gap
        entry = end + gap
    end = end if pipeline.end is None else pipeline.end
    tick = np.concatenate([np.empty(0, np.int64), *ticks])
    op = np.concatenate([np.empty(0, np.int32), *ops])
    return Program(tick, op, end, end + gap, pipeline.repeat)


def _expand_loop(loop: Loop, fifo_index: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Stages from the loop's entry, and ops, ordered by stage and within a stage by op."""
    ticks = [np.empty(0, np.int64)]
    ops = [np.empty(0, np.int32)]
    for event in loop.events:
        tick = np.repeat(_iterations(loop, event) * loop.ii + event.stage, event.tokens)
        ticks.append(tick)
        ops.append(np.full(tick.size, 2 * fifo_index[event.fifo] + (event.op == "write"), np.int32))
    tick, op = np.concatenate(ticks), np.concatenate(ops)
    order = np.lexsort((op, tick))
    return tick[order], op[order]


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
