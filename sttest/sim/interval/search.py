"""Searches the accesses at which processes may stand for some that hold each other up for ever.

While it is open where processes stand, a cycle of waits may pass a process twice and ask two choices of it at once.
But with any one choice a process stands at one access.  So the game goes on with that process held by each of
the accesses that it may wait for in turn.  Where the access can happen after all, no choice has the process stand
there.  What takes effect in all other cases takes effect with every choice; if that is nothing new the cases are
searched one after the other.  In the end everything takes effect in all of them, or some cycle passes each process
once.  Such a cycle is a deadlock: one choice has each of its processes stand where it says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sttest.errors import SttestError
from sttest.sim.interval.game import Blocked, IntervalGame, passed_twice

MAX_LOOKED_AT = 50_000_000
"""Processes looked at, in all cases together, after which the search is given up; half a minute or so."""


class SearchGivenUpError(SttestError):
    """Too many cases."""


class Case(NamedTuple):
    """Accesses of each kind that have taken effect, int64[K], where processes stand at some kinds only, bool[K]."""

    effective: np.ndarray
    may_hold: np.ndarray


def standing_cycle(game: IntervalGame) -> list[Blocked] | None:
    """Accesses that hold each other up with some choice, each of another process.

    Returns:
        The cycle; empty if tokens are missing with any choice; None if everything takes effect with every choice.

    Raises:
        SearchGivenUpError: not known after ``MAX_LOOKED_AT``.
    """
    effective, may_hold = game.start()
    cases = [Case(game.play(effective, may_hold), may_hold)]
    while cases:
        case = cases.pop()
        while not game.is_done(case.effective):
            cycle = game.cycle(case.effective, case.may_hold)
            process = passed_twice(cycle)
            if process is None:
                return cycle
            split = _split(game, case, process)
            joined = _joined(game, case, process, split)
            if (joined.effective == case.effective).all():
                cases += sorted(split, key=_progress, reverse=True)  # a deadlock is nearest where least has happened
                break
            case = joined
    return None


def _split(game: IntervalGame, case: Case, process: int) -> list[Case]:
    """By the kind of access at which a process stands, those in which it then really waits."""
    split = []
    for kind in game.holding(case.effective, case.may_hold, process):
        if game.looked_at > MAX_LOOKED_AT:
            raise SearchGivenUpError("search-given-up", "too many cases of unknown stages")
        only = case.may_hold.copy()
        only[game.kinds(process)] = False
        only[kind] = True
        reached = game.play(case.effective, only, process)
        if kind in game.holding(reached, only, process):
            split.append(Case(reached, only))
    return split


def _joined(game: IntervalGame, case: Case, process: int, split: list[Case]) -> Case:
    """What holds in all of the cases; where there is none the process never stands still."""
    may_hold = case.may_hold.copy()
    may_hold[game.kinds(process)] = False
    may_hold = np.logical_or.reduce([may_hold, *(one.may_hold for one in split)])
    effective = np.minimum.reduce([one.effective for one in split]) if split else case.effective
    return Case(game.play(effective, may_hold), may_hold)


def _progress(case: Case) -> int:
    return int(case.effective.sum())
