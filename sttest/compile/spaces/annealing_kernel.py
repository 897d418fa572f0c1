"""Compiled: the moves of `partition_annealed`.  Import it late, numba takes its time.

It rolls as Python's ``random.Random`` does, from the same words, so that compiled or not, the moves are the same.
"""

from __future__ import annotations

from math import exp
from typing import Any, TypeAlias

import numpy as np
from numba import njit

Wholes: TypeAlias = Any
"""A numpy array of whole numbers, where an index gives a number; type checkers don't know."""

_WORD_BITS = 32
# What ``Random.random`` makes 53 bits of: 27 bits of one word, 26 of the next.
_DROPPED_HIGH, _DROPPED_LOW, _LOW, _ALL = 5, 6, 2.0**26, 2.0**-53


@njit
def below(words: np.ndarray, at: int, bound: int) -> tuple[int, int]:
    """A number from 0 to ``bound`` - 1 (``Random.randrange``), and where the next word lies."""
    bits = 0
    while bound >> bits:
        bits += 1
    while True:
        number = int(words[at]) >> (_WORD_BITS - bits)
        at += 1
        if number < bound:
            return number, at


@njit
def fraction(words: np.ndarray, at: int) -> float:
    """A number from 0 to 1 (``Random.random``) of two words."""
    return (int(words[at] >> _DROPPED_HIGH) * _LOW + int(words[at + 1] >> _DROPPED_LOW)) * _ALL


@njit
def _carry(crossing: np.ndarray, one: int, other: int, share: float) -> None:
    """Adds wires between two SLRs to the boundaries between them."""
    for boundary in range(min(one, other), max(one, other)):
        crossing[boundary] += share


@njit
def _assessed(used: np.ndarray, crossing: np.ndarray, balance_weight: float, beyond_weight: float) -> float:
    """The objective of a partition, and what is beyond a bound many times."""
    beyond = fullest = wires = 0.0
    for slr in range(used.shape[0]):
        most = used[slr].max()
        fullest = max(fullest, most)
        beyond += max(0.0, most - 1)
    for share in crossing:
        beyond += max(0.0, share - 1)
        wires += share
    return wires + balance_weight * fullest + beyond_weight * beyond


@njit
def _move(
    needs: np.ndarray, first: Wholes, others: Wholes, shares: np.ndarray, slrs: Wholes, used: np.ndarray,
    crossing: np.ndarray, number: int, slr: int,
) -> None:  # fmt: skip
    """Takes a process to an SLR."""
    before = slrs[number]
    for wire in range(first[number], first[number + 1]):
        _carry(crossing, before, slrs[others[wire]], -shares[wire])
        _carry(crossing, slr, slrs[others[wire]], shares[wire])
    for kind in range(used.shape[1]):
        used[before, kind] -= needs[number, before, kind]
        used[slr, kind] += needs[number, slr, kind]
    slrs[number] = slr


@njit(cache=True)
def annealed(
    needs: np.ndarray, first: Wholes, others: Wholes, shares: np.ndarray, slrs: Wholes, used: np.ndarray,
    crossing: np.ndarray, movable: Wholes, heats: np.ndarray, words: np.ndarray, balance_weight: float,
    beyond_weight: float,
) -> np.ndarray:  # fmt: skip
    """The best assignment met.

    Args:
        needs: float64[P, S, R], shares of the budgets of S SLRs by resource.
        first, others, shares: process p has ``shares[i]`` of the long lines to ``others[i]``, i from ``first[p]`` on.
        slrs: int64[P], where all lie at first; ``used``: float64[S, R] and ``crossing``: float64[S - 1] of that.
        movable: processes that may move.
        heats: one per step.
        words: of the generator, enough of them.
        balance_weight, beyond_weight: of the fullest SLR, and of what is beyond a bound.
    """
    cost = _assessed(used, crossing, balance_weight, beyond_weight)
    best, best_cost, at = slrs.copy(), cost, 0
    for heat in heats:
        chosen, at = below(words, at, movable.size)
        number = movable[chosen]
        before = slrs[number]
        further, at = below(words, at, used.shape[0] - 1)
        known = cost
        _move(needs, first, others, shares, slrs, used, crossing, number, (before + 1 + further) % used.shape[0])
        cost = _assessed(used, crossing, balance_weight, beyond_weight)
        stays = True
        if cost > known:
            stays = fraction(words, at) < exp((known - cost) / heat)
            at += 2
        if not stays:
            _move(needs, first, others, shares, slrs, used, crossing, number, before)
            cost = _assessed(used, crossing, balance_weight, beyond_weight)
        elif cost < best_cost:
            best, best_cost = slrs.copy(), cost
    return best
