"""Moves processes between SLRs until no boundary is asked for more super long lines than it has.

After C. M. Fiduccia and R. M. Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982: in a
pass every process moves at most once, each time the one that helps most or harms least, and the next pass starts from
the best state that was met.  Theirs has two parts and their balance; here there are several, in a row, with budgets.
"""

from dataclasses import dataclass, replace

import numpy as np

PASSES = 4
_WIRE_WEIGHT = 0.1
"""Of a wire less over a boundary that has room, against one over a boundary that has none."""


@dataclass(frozen=True)
class Assignment:
    """P processes on S SLRs in a row.

    ``place``: int64[P], the SLR of each; ``joined``: float64[P, P], wires between two; ``taken``: float64[P, K],
    resources of each; ``budgets``: float64[S, K]; ``lines``: super long lines of a boundary; ``movable``: bool[P].
    """

    place: np.ndarray
    joined: np.ndarray
    taken: np.ndarray
    budgets: np.ndarray
    lines: int
    movable: np.ndarray

    def near(self) -> np.ndarray:
        """Wires from each process to each SLR, float64[P, S]."""
        return np.stack([self.joined[:, self.place == slr].sum(1) for slr in range(len(self.budgets))], axis=1)

    def used(self) -> np.ndarray:
        """Resources taken of each SLR, float64[S, K]."""
        return np.stack([self.taken[self.place == slr].sum(0) for slr in range(len(self.budgets))])

    def beyond(self, carried: np.ndarray) -> np.ndarray:
        """Wires beyond the lines, from the wires over each boundary (last axis)."""
        return np.maximum(carried - self.lines, 0).sum(-1)


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
    rows, cuts = np.arange(place.size), _cuts(near)
    carried = cuts[rows, place].sum(0) / 2
    best, least = place.copy(), state.beyond(carried)
    while least > 0:
        change = cuts - cuts[rows, place][:, None]
        cost = state.beyond(carried + change) + _WIRE_WEIGHT * change.sum(2)
        fits = (used + state.taken[:, None] <= state.budgets).all(2) & free[:, None]
        fits[rows, place] = False
        if not fits.any():
            break
        process, slr = divmod(int(np.where(fits, cost, np.inf).argmin()), len(used))
        left, place[process], free[process] = place[process], slr, False
        carried = carried + change[process, slr]
        used[left] -= state.taken[process]
        used[slr] += state.taken[process]
        near[:, left] -= state.joined[:, process]
        near[:, slr] += state.joined[:, process]
        cuts = _cuts(near)
        if (excess := state.beyond(carried)) < least:
            best, least = place.copy(), excess
    return best, float(least)


def _cuts(near: np.ndarray) -> np.ndarray:
    """Wires of each process over each boundary if it lay in each SLR, float64[P, S, S - 1]."""
    slrs, boundaries = np.arange(near.shape[1]), np.arange(near.shape[1] - 1)
    below = slrs[:, None] <= boundaries  # [S, S - 1]
    ahead = near @ below  # wires to SLRs at or before the boundary
    behind = near @ ~below
    return np.where(below, behind[:, None], ahead[:, None])
