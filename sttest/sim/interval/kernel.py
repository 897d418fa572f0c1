"""Compiled: the token game of ``sttest.sim.interval.game``.  Import it late, numba takes its time."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit

FREE = 1 << 62
"""In the table of leads: two kinds of accesses that may come in any order."""

Tables: TypeAlias = tuple[np.ndarray, ...]
"""``IntervalGame.tables``."""


@njit(cache=True)
def play_on(tables: Tables, may_hold: np.ndarray, effective: np.ndarray, only: int) -> int:
    """Lets every process go as far as it can; changes ``effective``.

    Args:
        tables: the game.
        may_hold: bool[K], whether a process may stand at accesses of a kind.
        effective: int64[K], accesses of each kind that have taken effect.
        only: the one process that can go on at first; -1 if that is not known.

    Returns:
        How many processes were looked at.
    """
    kinds, owner, other = tables[0], tables[1], tables[2]
    processes = kinds.size - 1
    todo = np.arange(processes)
    queued = np.full(processes, only < 0)
    waiting, looked_at = processes, 0
    if only >= 0:
        todo[0], queued[only], waiting = only, True, 1
    while waiting > 0:
        waiting -= 1
        process = todo[waiting]
        queued[process] = False
        looked_at += 1
        for kind in range(kinds[process], kinds[process + 1]):
            count = passed_by_all(tables, may_hold, effective, process, kind)
            if count <= effective[kind]:
                continue
            effective[kind] = count
            peer = owner[other[kind]] if other[kind] >= 0 else -1
            if peer >= 0 and not queued[peer]:
                queued[peer] = True
                todo[waiting] = peer
                waiting += 1
    return looked_at


@njit(cache=True)
def passed_by_all(tables: Tables, may_hold: np.ndarray, effective: np.ndarray, process: int, kind: int) -> int:
    """Accesses of a kind that come before whatever may hold up the process."""
    kinds, first = tables[0], tables[4]
    least = first[kind + 1] - first[kind]
    for blocked in range(kinds[process], kinds[process + 1]):
        if may_hold[blocked]:
            least = min(least, passed(tables, kind, blocked, allowed(tables, effective, blocked)))
    return least


@njit(cache=True)
def allowed(tables: Tables, effective: np.ndarray, kind: int) -> int:
    """Accesses of a kind that the other end allows."""
    other, slack = tables[2], tables[3]
    return (effective[other[kind]] if other[kind] >= 0 else 0) + slack[kind]


@njit(cache=True)
def passed(tables: Tables, kind: int, blocked: int, token: int) -> int:
    """Accesses of ``kind`` that come before access ``token`` of ``blocked``, of the same process, in every choice.

    With the one as late and the other as early as can be; where there is a lead they can come no nearer than it.
    """
    first, given, low, high, choice, lead = tables[4:10]
    begin, end = first[kind], first[kind + 1]
    at = first[blocked] + token
    if at >= first[blocked + 1]:
        return end - begin
    if kind == blocked:
        return int(np.searchsorted(low[begin:end], low[at]))
    count = int(np.searchsorted(high[begin:end], low[at]))
    nearest = lead[choice[at], kind - first_of(tables, kind)] if choice[at] >= 0 else FREE
    if nearest == FREE:
        return count
    return max(count, int(np.searchsorted(given[begin:end], given[at] - nearest)))


@njit(cache=True)
def first_of(tables: Tables, kind: int) -> int:
    """The first kind of the process that owns one."""
    kinds, owner = tables[0], tables[1]
    return int(kinds[owner[kind]])
