"""Moves processes between SLRs until no boundary is asked for more super long lines than it has.

After C. M. Fiduccia and R. M. Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982: in a
pass every process moves at most once, each time the one that helps most or harms least, and the next pass starts from
the best state that was met.  Theirs has two parts and their balance; here there are several, in a row, with budgets.
"""

from dataclasses import dataclass, replace

import numpy as np

PASSES = 4
_WIRE_WEIGHT = 0.1
"""The weight of a wire less over a boundary that has room, against one over a boundary that has none."""


@dataclass(frozen=True)
class Assignment:
    """P processes on S SLRs in a row.

    ``place``: int64[P], the SLR of each; ``joined``: float64[P, P], wires between two, either way;
    ``taken``: float64[P, K], resources of each; ``budgets``: float64[S, K]; ``lines``: super long lines of a boundary;
    ``movable``: bool[P].
    """

    place: np.ndarray
    joined: np.ndarray
    taken: np.ndarray
    budgets: np.ndarray
    lines: int
    movable: np.ndarray

    def near(self) -> np.ndarray:
        """Wires to each SLR from each process, float64[S, P]."""
        return np.stack([self.joined[:, self.place == slr].sum(1) for slr in range(len(self.budgets))])

    def used(self) -> np.ndarray:
        """Resources taken of each SLR, float64[S, K]."""
        return np.stack([self.taken[self.place == slr].sum(0) for slr in range(len(self.budgets))])

    def has_room(self, used: np.ndarray, slr: int) -> np.ndarray:
        """Which processes fit an SLR beside what is used of it, bool[P]."""
        return (used[slr][:, None] + self.taken.T <= self.budgets[slr][:, None]).all(0)

    def beyond(self, carried: np.ndarray) -> float:
        """Wires beyond the lines of all boundaries, from the wires over each."""
        return float(np.maximum(carried - self.lines, 0).sum())


def within_lines(start: Assignment) -> np.ndarray | None:
    """The place of each process, within budgets and lines, from a start within budgets; None if none was found."""
    state, least = start, np.inf
    for _ in range(PASSES):
        place, excess = _best_of_pass(state)
        if excess <= 0:
            return place
        if excess >= least:
            return None
        state, least = replace(state, place=place), excess
    return None


def _best_of_pass(state: Assignment) -> tuple[np.ndarray, float]:
    """The best places met in a pass, the first without excess at the latest, and the wires that they have too many."""
    place, free, near, used = state.place.copy(), state.movable.copy(), state.near(), state.used()
    rows, slrs, boundaries = np.arange(place.size), np.arange(len(near)), np.arange(len(near) - 1)
    room = np.stack([state.has_room(used, slr) for slr in range(len(near))])
    side = (slrs[:, None] > boundaries).astype(int)  # [S, S - 1], of an SLR and a boundary
    whole, ahead = near.sum(0), near.cumsum(0)[:-1]  # wires of each process, and those to SLRs before each boundary
    carried = _over(ahead, whole, place)[1].sum(1) / 2
    best, least = place.copy(), state.beyond(carried)
    while least > 0:
        sides, now = _over(ahead, whole, place)
        change = sides - now
        excess = np.maximum(change + (carried - state.lines)[:, None], 0)
        cost = excess[side, boundaries].sum(1) + _WIRE_WEIGHT * change[side, boundaries].sum(1)
        fits = room & free
        fits[place, rows] = False
        if not fits.any():
            break
        process, slr = divmod(int(np.where(fits, cost, np.inf).T.argmin()), len(near))
        left, place[process], free[process] = int(place[process]), slr, False
        carried = carried + change[side[slr], boundaries, process]
        used[left] -= state.taken[process]
        used[slr] += state.taken[process]
        ahead[left:] -= state.joined[process]
        ahead[slr:] += state.joined[process]
        for changed in (left, slr):
            room[changed] = state.has_room(used, changed)
        if (now_beyond := state.beyond(carried)) < least:
            best, least = place.copy(), now_beyond
    return best, least


def _over(ahead: np.ndarray, whole: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wires of each process over each boundary if it lay before it, or behind it, float64[2, S - 1, P]; and as it lies.

    The processes come last: numpy walks long rows much faster than many short ones.
    """
    sides = np.stack([whole - ahead, ahead])
    return sides, np.where(place <= np.arange(len(ahead))[:, None], *sides)
