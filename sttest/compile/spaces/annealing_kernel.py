"""Compiled: one annealing of a die partition.  Import it late, numba takes its time."""

from __future__ import annotations

from math import exp
from typing import Any, TypeAlias

import numpy as np
from numba import njit

# NumPy arrays; the checker cannot tell what numba makes of their elements.
_Wholes: TypeAlias = Any
_Shares: TypeAlias = Any
# Of sums of shares that are added and taken off again.
_ROUNDING = 1e-9


@njit(cache=True)
def anneal(
    needs: _Shares,
    first: _Wholes,
    other: _Wholes,
    share: _Shares,
    slrs: _Wholes,
    movable: _Wholes,
    balance_weight: float,
    moves: int,
    heats: tuple[float, float],
    beyonds: tuple[float, float],
    seed: int,
    any_will_do: bool,
) -> _Wholes:
    """The SLR of every process in the best assignment that was met; one that keeps within all bounds is better than any
    that does not.

    Args:
        needs: shares of the budgets by process, SLR and resource.
        first, other, share: per process the range of its neighbours, their numbers, the share of the long lines.
        slrs: at the start; changed.
        movable: numbers of the processes that may move.
        balance_weight: of the fullest share, against wires over the long lines.
        moves: to try.
        heats: at the start and at the end.
        beyonds: what a share beyond a bound costs at the start and at the end.
        seed: of the moves.
        any_will_do: end with the first assignment that keeps within all bounds.
    """
    np.random.seed(seed)
    used, crossing = _taken(needs, first, other, share, slrs)
    best, least = slrs.copy(), _cost(used, crossing, balance_weight, beyonds[1])
    inside = _beyond(used, crossing) <= _ROUNDING
    for move in range(moves):
        if inside and any_will_do:
            break
        done = move / moves
        heat = heats[0] * (heats[1] / heats[0]) ** done
        beyond = beyonds[0] * (beyonds[1] / beyonds[0]) ** done
        process = movable[np.random.randint(movable.shape[0])]
        before = slrs[process]
        after = (before + 1 + np.random.randint(needs.shape[1] - 1)) % needs.shape[1]
        cost = _cost(used, crossing, balance_weight, beyond)
        _move(needs, first, other, share, slrs, used, crossing, process, after)
        worse = _cost(used, crossing, balance_weight, beyond) - cost
        if worse > 0 and np.random.random() >= exp(-worse / heat):
            _move(needs, first, other, share, slrs, used, crossing, process, before)
            continue
        at_the_end = _cost(used, crossing, balance_weight, beyonds[1])
        fits = _beyond(used, crossing) <= _ROUNDING
        if (fits and not inside) or (fits == inside and at_the_end < least):
            least, inside = at_the_end, fits
            best[:] = slrs
    return best


@njit
def _taken(needs: _Shares, first: _Wholes, other: _Wholes, share: _Shares, slrs: _Wholes) -> tuple[_Shares, _Shares]:
    """Shares by SLR and resource, and of the long lines of every boundary."""
    used = np.zeros(needs.shape[1:])
    crossing = np.zeros(needs.shape[1] - 1)
    for process in range(slrs.shape[0]):
        used[slrs[process]] += needs[process, slrs[process]]
        for at in range(first[process], first[process + 1]):
            if other[at] > process:
                _carry(crossing, slrs[process], slrs[other[at]], share[at])
    return used, crossing


@njit
def _move(
    needs: _Shares, first: _Wholes, other: _Wholes, share: _Shares, slrs: _Wholes, used: _Shares,
    crossing: _Shares, process: int, slr: int,
) -> None:  # fmt: skip
    """Takes a process to an SLR."""
    before = slrs[process]
    for at in range(first[process], first[process + 1]):
        _carry(crossing, before, slrs[other[at]], -share[at])
        _carry(crossing, slr, slrs[other[at]], share[at])
    # Number by number: a slice of an array takes longer than the five numbers in it.
    for kind in range(used.shape[1]):
        used[before, kind] -= needs[process, before, kind]
        used[slr, kind] += needs[process, slr, kind]
    slrs[process] = slr


@njit
def _carry(crossing: _Shares, one: int, other: int, share: float) -> None:
    """Adds wires between two SLRs to the boundaries between them."""
    for boundary in range(min(one, other), max(one, other)):
        crossing[boundary] += share


@njit
def _cost(used: _Shares, crossing: _Shares, balance_weight: float, beyond: float) -> float:
    """The objective of a partition, and what is beyond a bound many times."""
    fullest, carried = 0.0, 0.0
    for slr in range(used.shape[0]):
        fullest = max(fullest, _fullest(used, slr))
    for boundary in range(crossing.shape[0]):
        carried += crossing[boundary]
    return carried + balance_weight * fullest + beyond * _beyond(used, crossing)


@njit
def _beyond(used: _Shares, crossing: _Shares) -> float:
    """Shares beyond a bound, of SLRs and boundaries together."""
    over = 0.0
    for slr in range(used.shape[0]):
        over += max(0.0, _fullest(used, slr) - 1.0)
    for boundary in range(crossing.shape[0]):
        over += max(0.0, crossing[boundary] - 1.0)
    return over


@njit
def _fullest(used: _Shares, slr: int) -> float:
    """The largest share of an SLR's resources."""
    most = used[slr, 0]
    for kind in range(1, used.shape[1]):
        most = max(most, used[slr, kind])
    return most
