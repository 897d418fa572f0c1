"""Pipelines that differ in the names of their FIFOs only have the same rows, which are found once.

Designs of a search are made of the same few kinds of loops, and so are a design and the same one without stages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sttest.sim.graph import Pipeline
from sttest.sim.maxplus.rows import Rows

Shape: TypeAlias = tuple[object, ...]

_KEPT = 2048
# Longer ones take memory, and are few.
_MOST_ROWS = 1 << 14


@dataclass
class RowsByShape:
    """Rows of pipelines by what their loops do.

    Attributes:
        find: the rows of a pipeline, given the number of each of its FIFOs.
    """

    find: Callable[[Pipeline, Mapping[str, int]], Rows]

    def __post_init__(self) -> None:
        self._known: dict[Shape, Rows] = {}

    def of(self, pipeline: Pipeline, fifo_index: Mapping[str, int]) -> Rows:
        """The rows of a pipeline of loops, with the FIFOs' numbers in its graph."""
        # In the order of the graph, so that ops ascend in both numberings.
        names = sorted({event.fifo for loop in pipeline.loops for event in loop.events}, key=fifo_index.__getitem__)
        own = {name: number for number, name in enumerate(names)}
        shape = _shape(pipeline, own)
        rows = self._known.get(shape)
        if rows is None:
            rows = self.find(pipeline, own)
            self._keep(shape, rows)
        return _renumbered(rows, np.array([fifo_index[name] for name in names], np.int32))

    def forget(self) -> None:
        """Finds all rows anew."""
        self._known.clear()

    def _keep(self, shape: Shape, rows: Rows) -> None:
        if rows.gap.size > _MOST_ROWS:
            return
        if len(self._known) >= _KEPT:
            self._known.pop(next(iter(self._known)), None)
        self._known[shape] = rows


def _shape(pipeline: Pipeline, number: Mapping[str, int]) -> Shape:
    """All that rows depend on; ``number`` of each FIFO."""
    loops = (
        (
            loop.trips, loop.ii, loop.latency, loop.entry_gap,
            tuple((number[event.fifo], event.op, event.stage, event.when, event.tokens) for event in loop.events),
        )
        for loop in pipeline.loops
    )  # fmt: skip
    return (*loops, pipeline.repeat, pipeline.end)


def _renumbered(rows: Rows, fifos: np.ndarray) -> Rows:
    """The same rows with FIFO ``fifos[i]`` for FIFO i."""
    patterns = rows.patterns
    op = 2 * fifos[patterns.op >> 1] + (patterns.op & 1)
    return replace(rows, patterns=replace(patterns, op=op.astype(np.int32, copy=False)))
