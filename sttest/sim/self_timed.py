"""Compiled: self-timed execution of actors until a state comes back.  Import it late, numba takes its time."""

from heapq import heappop, heappush
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit

from sttest.core.machine_code import kept_on_disk

PERIODIC, DEAD, STANDING_STILL, TOO_LONG = range(4)
"""How an execution ended: in a periodic phase, with nothing going on, with no time passing, or given up."""

# Rows of an account: tokens that can be taken, and space that can be claimed.
TOKENS, SPACE = 0, 1
# Entries of ``Actors.counts``: the present cycle, all firings, those of the first actor, those of this cycle,
# and how many actors may be able to start.
NOW, STARTED, FIRST, INSTANT, WAITING = range(5)

Running: TypeAlias = Any
"""A heap of the firings under way, each the cycle of its end and its phase."""


class Actors(NamedTuple):
    """A actors with P phases over F FIFOs, and their present state.

    ``phase_first``: int64[A + 1]; ``again``: int64[A], the phase after the last; ``duration``: int64[P];
    ``first``: int64[2, P + 1] into ``fifo`` and ``amount``, the reads (row ``TOKENS``) and the writes (row ``SPACE``)
    of each phase; ``ends``: int64[2, F], readers and writers.

    ``there``: int64[2, F], tokens and space; ``came``, ``came_at``: how much of it in the last cycle in which some
    did, and when that was; ``needed``: whether a firing started the moment that it came; ``phase``: int64[A], next;
    ``fired``: bool[A], of a cycle that comes to no end the actors that fire in it again and again.
    """

    phase_first: np.ndarray
    again: np.ndarray
    duration: np.ndarray
    first: np.ndarray
    fifo: np.ndarray
    amount: np.ndarray
    ends: np.ndarray
    there: np.ndarray
    came: np.ndarray
    came_at: np.ndarray
    needed: np.ndarray
    phase: Any
    todo: Any
    queued: np.ndarray
    fired: np.ndarray
    counts: np.ndarray


@kept_on_disk
def run_self_timed(actors: Actors, iteration_firings: int, most_firings: int) -> tuple[int, int, int]:
    """Starts every firing as early as it can, and looks at the state once per iteration of the first actor.

    Brent's search: the state is compared with one that is kept, and that is replaced after 1, 2, 4 … iterations.

    Returns:
        How it ended, firings of the first actor in a period, and cycles of a period.  ``actors.needed`` then is that
        of the period, or, where it ended in a deadlock, what the actors lack.
    """
    counts = actors.counts
    running = [(0, 0)]
    running.pop()
    kept_running, kept_there, kept_phase = running.copy(), actors.there.copy(), actors.phase.copy()
    kept_now, kept_firings, looks, power, iteration = 0, 0, 0, 1, -1
    while True:
        how = _settle(actors, running, most_firings // 8)
        if how != PERIODIC:
            return how, 0, 0
        if len(running) == 0:
            _note_lacks(actors)
            return DEAD, 0, 0
        if counts[STARTED] > most_firings:
            return TOO_LONG, 0, 0
        if counts[FIRST] // iteration_firings > iteration:
            iteration = counts[FIRST] // iteration_firings
            is_same = looks > 0 and (actors.phase == kept_phase).all() and (actors.there == kept_there).all()
            if is_same and _same_running(running, counts[NOW], kept_running, kept_now):
                return PERIODIC, counts[FIRST] - kept_firings, counts[NOW] - kept_now
            looks += 1
            if looks == power:
                power *= 2
                kept_there[:], kept_phase[:], kept_running = actors.there, actors.phase, running.copy()
                kept_now, kept_firings = counts[NOW], counts[FIRST]
                actors.needed[:] = False
        counts[NOW], counts[INSTANT] = running[0][0], 0


_MANY_TURNS = 64
"""Times that firings end in one cycle, after which it is looked for one that comes to no end."""


@njit
def _settle(actors: Actors, running: Running, most_at_once: int) -> int:
    """Starts and ends all that the present cycle allows; ``PERIODIC`` if that comes to an end.

    Where tokens, space and phases are twice the same, the firings between can be had again and again.
    """
    counts = actors.counts
    kept_there, kept_phase = actors.there, actors.phase
    turns, keep_at = 0, _MANY_TURNS
    while True:
        while counts[WAITING] > 0:
            counts[WAITING] -= 1
            actor = actors.todo[counts[WAITING]]
            actors.queued[actor] = False
            while _can_start(actors, actors.phase[actor]):
                _start(actors, running, actor)
                if counts[INSTANT] > most_at_once:
                    return TOO_LONG
        if len(running) == 0 or running[0][0] > counts[NOW]:
            return PERIODIC
        while len(running) > 0 and running[0][0] == counts[NOW]:
            _end(actors, heappop(running)[1])
        turns += 1
        if turns > _MANY_TURNS and (actors.phase == kept_phase).all() and (actors.there == kept_there).all():
            return STANDING_STILL
        if turns == keep_at:
            keep_at *= 2
            kept_there, kept_phase = actors.there.copy(), actors.phase.copy()
            actors.fired[:] = False


@njit
def _can_start(actors: Actors, phase: int) -> bool:
    for kind in (TOKENS, SPACE):
        for i in range(actors.first[kind, phase], actors.first[kind, phase + 1]):
            if actors.there[kind, actors.fifo[i]] < actors.amount[i]:
                return False
    return True


@njit
def _start(actors: Actors, running: Running, actor: int) -> None:
    """A firing takes its tokens and claims its space; what it could not have had before this cycle is noted."""
    phase, now = actors.phase[actor], actors.counts[NOW]
    for kind in (TOKENS, SPACE):
        for i in range(actors.first[kind, phase], actors.first[kind, phase + 1]):
            fifo, amount = actors.fifo[i], actors.amount[i]
            there = actors.there[kind, fifo]
            if actors.came_at[kind, fifo] == now and there - actors.came[kind, fifo] < amount:
                actors.needed[kind, fifo] = True
            actors.there[kind, fifo] = there - amount
    heappush(running, (now + actors.duration[phase], phase))
    is_last = phase + 1 == actors.phase_first[actor + 1]
    actors.phase[actor] = actors.again[actor] if is_last else phase + 1
    actors.counts[STARTED] += 1
    actors.counts[INSTANT] += 1
    actors.fired[actor] = True
    if actor == 0:
        actors.counts[FIRST] += 1


@njit
def _end(actors: Actors, phase: int) -> None:
    """A firing puts its tokens and frees the space of those that it took; who may go on is queued."""
    now = actors.counts[NOW]
    for kind in (TOKENS, SPACE):
        given = 1 - kind  # a read frees space, a write gives tokens
        for i in range(actors.first[kind, phase], actors.first[kind, phase + 1]):
            fifo, amount = actors.fifo[i], actors.amount[i]
            if actors.came_at[given, fifo] != now:
                actors.came_at[given, fifo], actors.came[given, fifo] = now, 0
            actors.came[given, fifo] += amount
            actors.there[given, fifo] += amount
            peer = actors.ends[given, fifo]
            if not actors.queued[peer]:
                actors.queued[peer] = True
                actors.todo[actors.counts[WAITING]] = peer
                actors.counts[WAITING] += 1


@njit
def _note_lacks(actors: Actors) -> None:
    actors.needed[:] = False
    for phase in actors.phase:
        for kind in (TOKENS, SPACE):
            for i in range(actors.first[kind, phase], actors.first[kind, phase + 1]):
                if actors.there[kind, actors.fifo[i]] < actors.amount[i]:
                    actors.needed[kind, actors.fifo[i]] = True


@njit
def _same_running(running: Running, now: int, others: Running, then: int) -> bool:
    """Whether the same firings run, with as many cycles to go."""
    if len(running) != len(others):
        return False
    mine, theirs = running.copy(), others.copy()
    while len(mine) > 0:
        (end, phase), (other_end, other_phase) = heappop(mine), heappop(theirs)
        if end - now != other_end - then or phase != other_phase:
            return False
    return True
