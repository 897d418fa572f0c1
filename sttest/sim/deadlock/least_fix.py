"""The fewest tokens that let a deadlocked graph finish, by search.

Let a graph stand still with some depths, and take a wait cycle.  Deeper FIFOs change nothing
as long as none of those that the cycle waits to write becomes deep enough for that write: the
same cycle still waits.  So every fix makes one of them that deep.  Trying each in turn, the
cheapest first, meets every fix before any that adds more tokens.
"""

from __future__ import annotations

import heapq

import numpy as np

from sttest.sim.deadlock.certificate import find_cycle, wait_edges
from sttest.sim.deadlock.liveness import TokenState, advance
from sttest.sim.flat import FlatGraph

MAX_TRIALS = 1500
"""Sets of depths that are tried before the search is given up, in small graphs."""
MAX_WAITERS = 400_000
"""Processes looked at in all trials together, so that large graphs are given up sooner."""
_TOKENS_PER_WAITER = 1000
"""So many tokens take as long to pass as a process takes to be looked at."""


def least_fix(flat: FlatGraph, depths: np.ndarray, state: TokenState, most: int) -> dict[int, int] | None:
    """FIFO index → depth, with the fewest tokens added of all fixes; of those, with the fewest FIFOs changed.

    Args:
        flat: a graph that would finish with unbounded FIFOs.
        depths: int64[F], with which it deadlocks.
        state: where it then stands.
        most: tokens that some known fix adds.

    Returns:
        None where that could not be found out within ``MAX_TRIALS`` and ``MAX_WAITERS``.
    """
    heap: list[tuple[int, int, tuple[tuple[int, int], ...], int]] = [(0, 0, (), 0)]
    states = {0: state}
    seen: set[tuple[tuple[int, int], ...]] = {()}
    waiters = len(flat.tables) + int(flat.tokens.sum()) // _TOKENS_PER_WAITER
    for _ in range(min(MAX_TRIALS, MAX_WAITERS // waiters)):
        if not heap:
            return None
        added, _, changes, parent = heapq.heappop(heap)
        trial = depths.copy()
        for index, depth in changes:
            trial[index] = depth
        reached = advance(flat, trial, states[parent])
        if reached.is_done(flat):
            return dict(changes)
        number = len(states)
        states[number] = reached
        for index, depth in _ways_on(flat, trial, reached):
            further = tuple(sorted((dict(changes) | {index: depth}).items()))
            total = added + depth - int(trial[index])
            if total <= most and further not in seen:
                seen.add(further)
                heapq.heappush(heap, (total, len(further), further, number))
    return None


def _ways_on(flat: FlatGraph, depths: np.ndarray, state: TokenState) -> list[tuple[int, int]]:
    """FIFOs that one wait cycle waits to write, each with the depth that this write asks for."""
    cycle, _ = find_cycle(wait_edges(flat, depths.tolist(), state))
    fifos = ((edge.op // 2, edge.tokens) for edge in cycle if edge.op % 2)
    return [(fifo, int(state.written[fifo] + tokens - state.read[fifo])) for fifo, tokens in fifos]
