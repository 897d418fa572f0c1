"""Depths with which a deadlocked graph finishes, with as few tokens added as can be found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sttest.sim.deadlock.certificate import Deadlock, Edge, describe, find_cycle, standing, wait_edges
from sttest.sim.deadlock.least_fix import least_fix
from sttest.sim.deadlock.liveness import TokenState, advance
from sttest.sim.flat import UNBOUNDED, FlatGraph, depths_of
from sttest.sim.graph import TimedGraph

MAX_SEARCH = 1 << 31
"""Work in the search of depths, about one step of compiled code each, after which those found so far must do."""
_PROCESS_STEPS = 500
"""What looking at a process in Python counts."""


class _Search:
    """The graph that is searched, and the work that is left."""

    def __init__(self, flat: FlatGraph) -> None:
        self.flat = flat
        self._left = MAX_SEARCH
        accesses = int(flat.tokens.sum()) if flat.tokens.size else 0
        self._trial = accesses + _PROCESS_STEPS * len(flat.tables)

    def is_over(self) -> bool:
        """Whether no further trial is possible; counts one if it is."""
        self._left -= self._trial
        return self._left < 0


def explain(graph: TimedGraph, flat: FlatGraph, *, unbounded: bool = False) -> Deadlock:
    """The certificate of a graph that deadlocks."""
    depths = np.full(len(graph.fifos), UNBOUNDED, np.int64) if unbounded else depths_of(graph)
    state = advance(flat, depths)
    cycle, is_closed = find_cycle(wait_edges(flat, depths.tolist(), state))
    fix, is_minimal = _find_fix(flat, depths, state, cycle)
    named = {graph.fifos[index].name: depth for index, depth in sorted(fix.items())}
    waits = tuple(describe(graph, state, edge) for edge in cycle)
    return Deadlock(waits, is_closed, named, is_minimal, standing(graph, flat, state))


def _find_fix(flat: FlatGraph, depths: np.ndarray, state: TokenState, cycle: list[Edge]) -> tuple[dict[int, int], bool]:
    """FIFO index → depth, and whether no fix adds fewer tokens; nothing where unbounded FIFOs deadlock too.

    A fix must deepen some FIFO that the cycle waits to write, so a single FIFO is looked for there.
    """
    if not advance(flat, np.full_like(depths, UNBOUNDED), state).is_done(flat):
        return {}, False
    search = _Search(flat)
    full = sorted({edge.op // 2 for edge in cycle if edge.op % 2})
    singles = {index: depth for index in full if (depth := _least_single(search, depths, state, index))}
    if singles:
        best = min(singles, key=lambda index: (singles[index] - depths[index], index))
        fix = {best: singles[best]}
        if _is_least(flat, depths, full, best, singles[best]):
            return fix, True
    else:
        fix = _several(search, depths, state)
    if search.is_over():
        return fix, False
    least = least_fix(flat, depths, state, most=sum(depth - int(depths[index]) for index, depth in fix.items()))
    return (fix, False) if least is None else (least, True)


def _least_single(search: _Search, depths: np.ndarray, state: TokenState, index: int) -> int | None:
    """The least depth of one FIFO with which the graph finishes, None if there is none."""
    flat = search.flat
    raised = depths.copy()
    raised[index] = UNBOUNDED
    unbounded = advance(flat, raised, state)
    if not unbounded.is_done(flat):
        return None
    return _least_common(search, raised, depths, [index], int(unbounded.peak[index]))


def _least_common(search: _Search, trial: np.ndarray, depths: np.ndarray, group: Sequence[int], high: int) -> int:
    """Least depth up to ``high`` that the FIFOs of a group may have together, each at least its own in ``depths``.

    With ``high``, and the others as in ``trial``, the graph finishes.  Less is found out only while the search lasts.
    """
    trial, members = trial.copy(), np.array(group)
    low = int(depths[members].min())
    while low < high and not search.is_over():
        middle = (low + high) // 2
        trial[members] = np.maximum(depths[members], middle)
        if advance(search.flat, trial).is_done(search.flat):
            high = middle
        else:
            low = middle + 1
    return high


def _is_least(flat: FlatGraph, depths: np.ndarray, full: list[int], index: int, depth: int) -> bool:
    """Whether it can be shown that no fix adds fewer tokens.

    One token is the least there is.  And where only this FIFO is full on the cycle, every fix deepens
    it; if one token less is too little even with all others unbounded, every fix adds as much.
    """
    if depth == depths[index] + 1:
        return True
    if len(full) > 1:
        return False
    others = np.full_like(depths, UNBOUNDED)
    others[index] = depth - 1
    return not advance(flat, others).is_done(flat)


def _several(search: _Search, depths: np.ndarray, state: TokenState) -> dict[int, int]:
    """Unbinds FIFOs along one cycle after the other until the graph finishes, then takes each back.

    Where the search is over before that, all are unbound, and none is taken back.
    """
    flat, trial = search.flat, depths.copy()
    groups: list[list[int]] = []
    while not state.is_done(flat):
        group = list(range(depths.size)) if search.is_over() else _next_group(flat, trial, state)
        groups.append(group)
        trial[group] = UNBOUNDED
        state = advance(flat, trial, state)
    for group in groups:
        trial[group] = np.maximum(depths[group], state.peak[group])
    for group in groups:
        _lower(search, trial, depths, group)
    return {int(i): int(trial[i]) for i in np.flatnonzero(trial > depths)}


def _next_group(flat: FlatGraph, trial: np.ndarray, state: TokenState) -> list[int]:
    """The FIFOs that the first writer on some wait cycle waits for one process to read."""
    edges = wait_edges(flat, trial.tolist(), state)
    first = next(edge for edge in find_cycle(edges)[0] if edge.op % 2)
    return [e.op // 2 for e in edges[first.waiter] if e.op % 2 and e.peer == first.peer]


def _lower(search: _Search, trial: np.ndarray, depths: np.ndarray, group: list[int]) -> None:
    """Takes the depths of a group back as far as the graph stays live, first together, then each."""
    common = _least_common(search, trial, depths, group, int(trial[group].max()))
    trial[group] = np.maximum(depths[group], common)
    for index in group:
        high = int(trial[index])
        if high == depths[index]:
            continue
        if search.is_over():
            return
        trial[index] = high - 1
        is_live = advance(search.flat, trial).is_done(search.flat)
        trial[index] = _least_common(search, trial, depths, [index], high - 1) if is_live else high
