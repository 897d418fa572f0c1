"""What bound each stage of a pipeline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sttest.sim.critical.walk import COMPUTE, START, Place, Segment, Visit, Walk
from sttest.sim.graph import Pipeline
from sttest.sim.stages import StageTable, stage_table


@dataclass(frozen=True)
class _Accesses:
    """All accesses of one kind in one run of the table: their stages, and the tokens up to and with each."""

    stages: np.ndarray
    tokens_until: np.ndarray

    @property
    def tokens(self) -> int:
        """Tokens in one run."""
        return int(self.tokens_until[-1])


class PipelineTimeline:
    """The cycle of each stage visit, and the visits that something other than the one before bound."""

    def __init__(self, walk: Walk, number: int, pipeline: Pipeline) -> None:
        self._walk = walk
        self._number = number
        self._pipeline = pipeline
        self._table = stage_table(pipeline, walk.graph)
        self._accesses = _by_op(self._table)
        self._cycle = self._visit_cycles()
        self._base = self._visit_bases()
        self._stalled = np.flatnonzero(self._cycle > self._base)

    def last(self) -> tuple[list[Segment], Place | None]:
        """See ``Timeline``."""
        finish = self._walk.record.finish[self._number] or 0
        if not self._cycle.size:
            return [self._compute(self._pipeline.start, finish), self._before_start()], None
        return [self._compute(int(self._cycle[-1]), finish)], Visit(self._number, self._cycle.size - 1)

    def back(self, place: Place) -> tuple[list[Segment], Place | None]:
        """See ``Timeline``: over all unstalled visits at once, then through the FIFO that stalled the one before."""
        until = int(self._cycle[place.index])
        before = int(np.searchsorted(self._stalled, place.index, side="right")) - 1
        if before < 0:
            return [self._compute(self._pipeline.start, until), self._before_start()], None
        visit = int(self._stalled[before])
        cycle = int(self._cycle[visit])
        for op, tokens in self._table.accesses(visit):
            token = self._first_token(op, visit) + tokens - 1
            if self._walk.bound(op, token) == cycle:
                segments, place = self._walk.cross(self._number, op, token)
                return [self._compute(cycle, until), *segments], place
        raise AssertionError(f"nothing bound visit {visit} of {self._pipeline.name}")

    def visit_of(self, op: int, token: int) -> Visit:
        """See ``Timeline``."""
        accesses = self._accesses[op]
        run, within = divmod(token, accesses.tokens)
        index = int(np.searchsorted(accesses.tokens_until, within, side="right"))
        return Visit(self._number, run * self._table.tick.size + int(accesses.stages[index]))

    def _first_token(self, op: int, visit: int) -> int:
        """Number of the first token of a visit's access, counted with the initial ones for a write."""
        accesses = self._accesses[op]
        run, stage = divmod(visit, self._table.tick.size)
        index = int(np.searchsorted(accesses.stages, stage))
        earlier = int(accesses.tokens_until[index - 1]) if index else 0
        initial = self._walk.graph.fifos[op // 2].initial_tokens if op % 2 else 0
        return run * accesses.tokens + earlier + initial

    def _visit_cycles(self) -> np.ndarray:
        """Cycle of each visit, int64[visits], from the times of its first access."""
        table, record = self._table, self._walk.record
        cycles = np.empty((table.runs, table.tick.size), np.int64)
        first_op = table.op[table.pointer[:-1]]
        runs = np.arange(table.runs)[:, None]
        for op, accesses in self._accesses.items():
            here = first_op[accesses.stages] == op
            token = accesses.tokens_until[here] - 1
            times = (record.writes if op % 2 else record.reads)[op // 2]
            cycles[:, accesses.stages[here]] = times[runs * accesses.tokens + token]
        return cycles.ravel()

    def _visit_bases(self) -> np.ndarray:
        """Earliest cycle of each visit by the visit before it, int64[visits]."""
        table = self._table
        if not self._cycle.size:
            return self._cycle
        gap = np.tile(np.diff(table.tick, prepend=table.tick[-1] - table.period), table.runs)
        base = np.append(0, self._cycle[:-1]) + gap
        base[0] = self._pipeline.start + table.tick[0]
        return base

    def _compute(self, start: int, end: int) -> Segment:
        return Segment(self._pipeline.name, COMPUTE, start, end)

    def _before_start(self) -> Segment:
        return Segment(self._pipeline.name, START, 0, self._pipeline.start)


def _by_op(table: StageTable) -> dict[int, _Accesses]:
    stage_of = np.repeat(np.arange(table.tick.size), np.diff(table.pointer))
    result = {}
    for op in np.unique(table.op).tolist():
        chosen = table.op == op
        result[op] = _Accesses(stage_of[chosen], np.cumsum(table.count[chosen], dtype=np.int64))
    return result
