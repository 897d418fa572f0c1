"""The k largest of a stream by quick-select, as hardware does it, and the cycles that the data makes it take.

After the top-k engine of SpAtten (Wang et al., HPCA 2021, arXiv 2012.09852).  Scores come in rows, one per cycle, and
are kept twice: in order, and as a set.  A pass reads the set, compares each row with a pivot, and packs what is greater
and what is less into rows of two new sets, of which one holds the k-th largest score; a pass ends the search where the
pivot is that score.  Then all scores are read again, and what is kept leaves in the order in which it came, of equal
scores the first.  How many passes there are, and how many rows each reads, depends on the scores.

A set's pivot is the first score of one of its rows.  As rows are written, row ``m`` takes the place of the one before
if the low bits of a shift register are 0, as many as ``m`` has: about each row is as likely.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError

Integers = NDArray[np.int64]
SEED, TAPS = 0xACE1, 0xB400
"""The shift register (Galois, 16 bits) at the start of a search, and what it is combined with after a one."""
PASS_CYCLES = 3
"""Cycles of a pass beyond its rows: read, compare, and pack the rest; SpAtten's own latency model has as many."""
MOST_SCORES, MOST_BITS = 0xFFFF, 32


@dataclass(frozen=True)
class TopKFormat:
    """An engine.

    Raises:
        InputError: an engine that cannot be built.
    """

    lanes: int = 16  # scores of a row
    rows: int = 64  # most rows of a search
    bits: int = 16  # bits of a score, unsigned

    def __post_init__(self) -> None:
        if min(self.lanes, self.rows, self.bits) < 1 or self.capacity > MOST_SCORES or self.bits > MOST_BITS:
            what = f"{self.rows} rows of {self.lanes} scores of {self.bits} bits"
            raise InputError(
                "bad-top-k", what, where="top-k engine", hints=[f"at most {MOST_SCORES} scores of {MOST_BITS} bits"]
            )

    @property
    def capacity(self) -> int:
        """The most scores of a search."""
        return self.lanes * self.rows

    @property
    def place_bits(self) -> int:
        """Bits of the place of a score."""
        return max(1, (self.capacity - 1).bit_length())

    def rows_of(self, scores: int) -> int:
        """Rows of so many scores."""
        return -(-scores // self.lanes)


@dataclass(frozen=True)
class Selection:
    """What a search gives, and what it does on the way."""

    places: Integers  # places of the scores that are kept, rising
    passes: tuple[int, ...]  # rows that each pass reads
    rows: int  # rows of scores
    puts: Integers  # steps of the last reading in which a row of kept scores is full, or the rest of one leaves
    lanes: int  # lanes of the engine

    @property
    def first_filtered(self) -> int:
        """The cycle in which all scores begin to be read again, counted from that of the job."""
        return 1 + self.rows + sum(rows + PASS_CYCLES for rows in self.passes)

    @property
    def cycles(self) -> int:
        """Cycles from the job to the next one, if nothing holds the engine back."""
        return self.first_filtered + self.rows + PASS_CYCLES

    @property
    def writes(self) -> Integers:
        """Cycles in which rows of kept scores leave, counted from that of the job."""
        return self.first_filtered + 2 + self.puts


def largest(scores: Integers, k: int) -> Integers:
    """Places of the k largest scores, rising; of equal ones the first.  By sorting: what the engine must give."""
    return np.sort(np.argsort(-np.asarray(scores, np.int64), kind="stable")[:k])


def select(scores: Integers, k: int, engine: TopKFormat) -> Selection:
    """Searches for the k largest scores as the engine does.

    Args:
        scores: unsigned integers, as many as the engine has room for at most.
        k: how many are kept.

    Raises:
        InputError: more scores than there is room for, wider ones, or a k that is not among them.
    """
    scores = np.asarray(scores, np.int64)
    _check(scores, k, engine)
    threshold, ties, passes = (0, scores.size, ()) if k == scores.size else _search(scores, k, engine)
    equal = scores == threshold
    kept = (scores > threshold) | (equal & (np.cumsum(equal) <= ties))
    rows = engine.rows_of(scores.size)
    return Selection(np.flatnonzero(kept), passes, rows, _puts(kept, engine.lanes), engine.lanes)


def _check(scores: Integers, k: int, engine: TopKFormat) -> None:
    if not 1 <= k <= scores.size <= engine.capacity:
        raise InputError(
            "bad-k",
            f"{k} of {scores.size} scores",
            where="top-k engine",
            demand=scores.size,
            bound=engine.capacity,
            unit="scores",
            hints=["keep one at least, and all at most"],
        )
    if scores.min() < 0 or int(scores.max()) >> engine.bits:
        raise InputError(
            "bad-score",
            f"scores are not of {engine.bits} bits",
            where="top-k engine",
            hints=["scale them to unsigned integers"],
        )


def _search(scores: Integers, k: int, engine: TopKFormat) -> tuple[int, int, tuple[int, ...]]:
    """The k-th largest score, how many of its equals are kept, and rows of the passes."""
    held, passes = scores, list[int]()
    steps = engine.rows_of(scores.size)
    pivot = _pivot(scores, np.arange(steps), engine.lanes)
    while True:
        rows = engine.rows_of(held.size)
        passes.append(rows)
        greater, less = held > pivot, held < pivot
        more = int(greater.sum())
        equal = held.size - more - int(less.sum())
        if more < k <= more + equal:
            return pivot, k - more, tuple(passes)
        side = greater if k <= more else less
        k -= 0 if k <= more else more + equal
        pushed = _puts(side, engine.lanes)
        held = held[side]
        pivot = _pivot(held, steps + pushed, engine.lanes)
        steps += rows + 1


def _puts(kept: NDArray[np.bool_], lanes: int) -> Integers:
    """Steps in which packed rows are written: each when its last score has come, the rest of one after all rows."""
    by_row = np.add.reduceat(kept.astype(np.int64), np.arange(0, kept.size, lanes))
    full = np.cumsum(by_row) // lanes
    puts = np.searchsorted(full, np.arange(1, full[-1] + 1))
    return np.append(puts, by_row.size) if by_row.sum() % lanes else puts


def _pivot(held: Integers, written: Integers, lanes: int) -> int:
    """The pivot of a set whose rows were written in these steps."""
    numbers = np.arange(written.size)
    masks = (1 << np.frexp(numbers)[1]) - 1
    chosen = np.flatnonzero(_random(1 << int(written[-1]).bit_length())[written] & masks == 0)[-1]
    return int(held[chosen * lanes])


@cache
def _random(count: int) -> Integers:
    """The shift register, step by step."""
    states, state = np.empty(count, np.int64), SEED
    for step in range(count):
        states[step] = state
        state = (state >> 1) ^ (TAPS if state & 1 else 0)
    return states
