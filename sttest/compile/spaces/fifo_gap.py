"""By how much one curve is ever behind another, without a look at every token.

Where two curves both recur, so does the gap between them, but for a constant rise
from each period to the next and for the rounding to whole cycles.  So the gap
before rounding is greatest in the first or last of many periods, it bounds the
rounded one, and only where that bound is above what was found already are tokens
looked at.  The result is exact; where nothing recurs it takes all tokens, a block
at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import floor, lcm

import numpy as np

from sttest.compile.spaces.fifo_curves import Curve, Whole

_BLOCK = 1024
"""Tokens that are looked at one by one."""
_FLOAT_ERROR = Fraction(1, 1 << 44)
"""More than the error of a difference of two numbers below 1, and less than 1 over any pace's denominator."""


def greatest_gap(late: Curve, early: Curve, skip: int = 0) -> int:
    """The greatest late(n) - early(n + skip) over all n, in cycles.

    Args:
        late, early: with equally many tokens.
        skip: tokens by which the early curve is ahead, less than there are.
    """
    search = _Search(late, early, skip, None)
    search.run()
    assert search.best is not None, "without a bar, any gap counts"
    return search.best


def latest_token(late: Curve, early: Curve, skip: int, above: int) -> int | None:
    """The token of the late curve with the greatest of these gaps, None if that isn't greater than ``above`` cycles.

    ``skip`` may be the number of all tokens: there are no gaps then.
    """
    search = _Search(late, early, skip, above)
    search.run()
    return search.token


@dataclass(frozen=True)
class _Run:
    """Blocks of ``tokens`` tokens from ``first`` on, ``times`` of them, each ``rise`` further behind than the last.

    ``peak``: the greatest gap of the first block, before rounding.
    """

    first: int
    tokens: int
    times: int
    rise: Fraction
    peak: Fraction

    @property
    def highest(self) -> Fraction:
        """The greatest gap of all blocks, before rounding."""
        return self.peak + max(Fraction(0), (self.times - 1) * self.rise)

    def from_the_highest(self) -> range:
        """The numbers of its blocks."""
        return range(self.times - 1, -1, -1) if self.rise > 0 else range(self.times)


class _Search:
    def __init__(self, late: Curve, early: Curve, skip: int, above: int | None) -> None:
        self.best = above
        self.token: int | None = None
        self._late, self._early, self._skip = late, early, skip
        self._tokens = len(late) - skip
        # Rounding down the early curve can widen a gap by less than a cycle.
        self._widened = 1 - Fraction(1, early.pace.denominator) + _FLOAT_ERROR
        self._runs = cache(self._find_runs)

    def run(self) -> None:
        starts = {*self._late.starts, *(start - self._skip for start in self._early.starts), self._tokens}
        bounds = sorted(start for start in starts if 0 <= start <= self._tokens)
        for first, after in pairwise(bounds):
            self._visit(first, after, 0, Fraction(0))

    def _is_above(self, cycles: int) -> bool:
        return self.best is None or cycles > self.best

    def _visit(self, first: int, after: int, moved: int, risen: Fraction) -> None:
        """Looks through tokens ``first`` to ``after``, ``moved`` tokens later, where gaps are ``risen`` greater."""
        if after - first <= _BLOCK:
            self._look(np.arange(first, after) + moved)
            return
        for run in sorted(self._runs(first, after), key=lambda run: run.highest, reverse=True):
            for number in run.from_the_highest():
                rise = risen + number * run.rise
                if not self._is_above(floor(run.peak + rise + self._widened)):
                    break
                self._visit(run.first, run.first + run.tokens, moved + number * run.tokens, rise)

    def _look(self, tokens: Whole) -> None:
        gaps = self._late.at(tokens) - self._early.at(tokens + self._skip)
        at = int(gaps.argmax())
        if self._is_above(int(gaps[at])):
            self.best, self.token = int(gaps[at]), int(tokens[at])

    def _peak(self, first: int, after: int) -> Fraction:
        """The greatest gap before rounding."""
        if after - first > _BLOCK:
            return max(run.highest for run in self._runs(first, after))
        tokens = np.arange(first, after)
        late, late_lost = self._late.parts(tokens)
        early, early_lost = self._early.parts(tokens + self._skip)
        gaps = late - early
        greatest = int(gaps.max())
        lost = late_lost / self._late.pace.denominator - early_lost / self._early.pace.denominator
        # Apart, so that parts of a cycle stay exact to the last bits beside large times.
        return greatest + Fraction(float((gaps - greatest + lost).max()))

    def _find_runs(self, first: int, after: int) -> list[_Run]:
        """Tokens within one nest of each curve, as runs of blocks."""
        tokens = after - first
        late = self._late.period(first, after)
        early = self._early.period(first + self._skip, after + self._skip)
        if late and early and tokens >= 2 * lcm(late, early):
            return self._repeated(first, after, lcm(late, early) * max(1, _BLOCK // lcm(late, early)))
        if not late or not early or max(late, early) <= _BLOCK:
            return self._cut(first, after, range(first + _BLOCK, after, _BLOCK))
        # The longer period is cut up where it begins, so that what is inside it recurs.
        longer = max(late, early)
        curve, ahead = (self._late, 0) if late == longer else (self._early, self._skip)
        origin = curve.start_of_nest(first + ahead) - ahead
        begin = first + longer - (first - origin) % longer
        return self._cut(first, after, range(begin, after, longer))

    def _repeated(self, first: int, after: int, block: int) -> list[_Run]:
        times, rest = divmod(after - first, block)
        rise = self._unrounded(first + block) - self._unrounded(first) if times > 1 else Fraction(0)
        blocks = _Run(first, block, times, rise, self._peak(first, first + block))
        return [blocks, self._one(after - rest, after)] if rest else [blocks]

    def _cut(self, first: int, after: int, where: Iterable[int]) -> list[_Run]:
        return [self._one(begin, end) for begin, end in pairwise([first, *where, after])]

    def _one(self, first: int, after: int) -> _Run:
        return _Run(first, after - first, 1, Fraction(0), self._peak(first, after))

    def _unrounded(self, token: int) -> Fraction:
        return self._late.unrounded(token) - self._early.unrounded(token + self._skip)
