"""When a process accesses a FIFO, as nested repetitions instead of one time per token.

A loop nest accesses a FIFO in some of its iterations, chosen dim by dim.  So its
access times are a few offsets repeated in nested steps, however many tokens there
are, and the time of any token is found from its number alone.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, pairwise
from math import floor, lcm, prod

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError

Whole = NDArray[np.int64]
_MOST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Nest:
    """Offsets repeated in nested steps; times never fall from one token to the next.

    ``first``: cycle that offsets count from; ``steps``: (how often, cycles) per level, outermost first;
    ``offsets``: cycles of the tokens of one innermost step; ``tokens``: of all, less than steps times offsets
    where the last outermost step is cut short.
    """

    first: int
    steps: tuple[tuple[int, int], ...]
    offsets: Whole
    tokens: int
    sizes: tuple[int, ...] = field(init=False)
    """Tokens in one step of each level, outermost first."""

    def __post_init__(self) -> None:
        steps = _joined(self.steps, self.offsets.size)
        counts = [count for count, _ in steps[1:]]
        sizes = tuple(self.offsets.size * prod(counts[level:]) for level in range(len(steps)))
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "sizes", sizes)

    def times(self, tokens: Whole) -> Whole:
        """Cycles of some tokens, by number."""
        number, inner = (tokens, None) if self.offsets.size == 1 else np.divmod(tokens, self.offsets.size)
        found = self.first + (self.offsets[0] if inner is None else self.offsets[inner])
        for count, cycles in reversed(self.steps[1:]):
            number, index = np.divmod(number, count)
            found = found + index * cycles
        return found + number * self.steps[0][1]

    def time(self, token: int) -> int:
        """Cycle of one token."""
        number, inner = divmod(token, self.offsets.size)
        found = self.first + int(self.offsets[inner])
        for count, cycles in reversed(self.steps[1:]):
            number, index = divmod(number, count)
            found += index * cycles
        return found + number * self.steps[0][1]

    def period(self, first: int, after: int) -> int | None:
        """Tokens after which tokens ``first`` to ``after`` (excluded) recur a constant later; None if they don't."""
        return next((size for size in self.sizes if first // size != (after - 1) // size), None)


def nest(first: int, steps: Sequence[tuple[int, int]], offsets: Sequence[int] | Whole) -> Nest:
    """A nest that is not cut short."""
    return Nest(first, tuple(steps), np.asarray(offsets, np.int64), prod(count for count, _ in steps) * len(offsets))


def _joined(steps: Sequence[tuple[int, int]], offsets: int) -> tuple[tuple[int, int], ...]:
    """The same steps in fewer levels: one that goes on where the last one of the level below would is none of its own.

    There is always an outermost level.
    """
    levels: list[tuple[int, int]] = []
    for count, cycles in steps:
        if levels and levels[-1][1] == count * cycles:
            count *= levels.pop()[0]
        if count > 1:
            levels.append((count, cycles))
    return tuple(levels) or ((1, 0),)


@dataclass(frozen=True)
class Curve:
    """The access times of one end of a FIFO: nests one after the other, slowed down to a pace.

    ``pace``: cycles per cycle of the process at its own speed; times are rounded down.

    Raises:
        InputError: its last time is beyond 64 bits.
    """

    nests: tuple[Nest, ...]
    pace: Fraction = Fraction(1)
    starts: tuple[int, ...] = field(init=False)
    """First token of each nest, and the number of all tokens."""
    last: int = field(init=False)
    """Cycle of the last token at the process's own speed."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", (0, *accumulate(nest.tokens for nest in self.nests)))
        object.__setattr__(self, "last", self._unpaced_time(len(self) - 1))
        self._refuse_too_long()

    def paced(self, pace: Fraction) -> "Curve":
        """The same accesses at another pace."""
        changed = copy(self)
        object.__setattr__(changed, "pace", pace)
        changed.__dict__.pop("every", None)
        changed._refuse_too_long()
        return changed

    def _refuse_too_long(self) -> None:
        if self.last * self.pace.numerator > _MOST:
            what = f"{self.last} cycles, slowed down {self.pace} times, are more than can be counted"
            raise InputError("run-too-long", what, where="fifo sizing", hints=["shorten the sequence"])

    def __len__(self) -> int:
        return self.starts[-1]

    def __getitem__(self, token: int) -> int:
        """Cycle of one token; negative numbers count from the end."""
        return self._unpaced_time(token % len(self)) * self.pace.numerator // self.pace.denominator

    @cached_property
    def every(self) -> Whole:
        """Cycles of all tokens, where these are not too many."""
        return self.at(np.arange(len(self)))

    def at(self, tokens: Whole) -> Whole:
        """Cycles of some tokens, by number."""
        times = self.unpaced(tokens)
        return times if self.pace == 1 else times * self.pace.numerator // self.pace.denominator

    def parts(self, tokens: Whole) -> tuple[Whole, Whole]:
        """Cycles of some tokens, and what was lost by rounding, in units of one over the pace's denominator."""
        times = self.unpaced(tokens)
        if self.pace == 1:
            return times, np.zeros_like(times)
        return np.divmod(times * self.pace.numerator, self.pace.denominator)

    def unpaced(self, tokens: Whole) -> Whole:
        """Cycles of some tokens at the process's own speed."""
        if len(self.nests) == 1:
            return self.nests[0].times(tokens)
        times = np.empty_like(tokens)
        where = np.searchsorted(self.starts, tokens, side="right") - 1
        for number in np.unique(where).tolist():
            mine = where == number
            times[mine] = self.nests[number].times(tokens[mine] - self.starts[number])
        return times

    def unrounded(self, token: int) -> Fraction:
        """Cycle of one token before it is rounded down."""
        return self._unpaced_time(token) * self.pace

    def _unpaced_time(self, token: int) -> int:
        number = bisect_right(self.starts, token) - 1
        return self.nests[number].time(token - self.starts[number])

    def start_of_nest(self, token: int) -> int:
        """First token of the nest that a token is in."""
        return self.starts[bisect_right(self.starts, token) - 1]

    def period(self, first: int, after: int) -> int | None:
        """The period of tokens within one nest; see :meth:`Nest.period`."""
        number = bisect_right(self.starts, first) - 1
        return self.nests[number].period(first - self.starts[number], after - self.starts[number])

    def count_before(self, cycles: Whole) -> Whole:
        """The number of tokens before each of some cycles."""
        low, high = np.zeros_like(cycles), np.full_like(cycles, len(self))
        for _ in range(len(self).bit_length()):
            middle = (low + high) // 2
            is_before = (low < high) & (self.at(np.minimum(middle, len(self) - 1)) < cycles)
            low, high = np.where(is_before, middle + 1, low), np.where(is_before, high, middle)
        return low


# --- By how much one curve is ever behind another, without a look at every token


_BLOCK = 1024
"""Tokens that are looked at one by one."""
_FEW = 1 << 12
"""Tokens of which each is looked at sooner than a search is done."""
_FLOAT_ERROR = Fraction(1, 1 << 44)
"""More than the error of a difference of two numbers below 1, and less than 1 over any pace's denominator."""


def greatest_gap(late: Curve, early: Curve, skip: int = 0) -> int:
    """The greatest late(n) - early(n + skip) over all n, in cycles.

    Args:
        late, early: two curves with equally many tokens.
        skip: tokens by which the early curve is ahead, less than there are.
    """
    if len(late) <= _FEW:
        return int((late.every[: len(late) - skip] - early.every[skip:]).max())
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


# --- How full a FIFO ever is, from the curves of its two ends


_GUESSES = 64
"""Tokens, evenly spread, from whose fill the search starts."""


def most_held(writes: Curve, reads: Curve, delay: int) -> int:
    """The most tokens ever inside: the least depth with which no write waits.

    A token leaves after the cycle of its read.  ``held`` tokens are enough if every
    token is read before the write that comes ``held`` tokens later; the one for which
    this fails most says how many are needed at least, so that the search ends.

    Args:
        writes: write times, cycles from the source's start.
        reads: as many read times, cycles from the target's start.
        delay: cycles from the source's start to the target's start, enough that no read waits.
    """
    if len(reads) <= _FEW:
        return int(_held_by_each(writes, reads, delay).max())
    held = int(_held(writes, reads, delay, np.linspace(0, len(reads) - 1, _GUESSES).astype(np.int64)).max())
    while (latest := latest_token(reads, writes, skip=held, above=-delay - 1)) is not None:
        held = int(_held(writes, reads, delay, np.array([latest]))[0])
    return held


def _held(writes: Curve, reads: Curve, delay: int, tokens: Whole) -> Whole:
    """Tokens inside in the cycles in which some tokens are read, these included."""
    return writes.count_before(reads.at(tokens) + delay + 1) - tokens


def _held_by_each(writes: Curve, reads: Curve, delay: int) -> Whole:
    """Tokens inside in the cycle in which each token is read, that one included."""
    return np.searchsorted(writes.every, reads.every + delay + 1) - np.arange(len(reads))
