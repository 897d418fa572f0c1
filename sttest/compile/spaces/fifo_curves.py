"""When a process accesses a FIFO, as nested repetitions instead of one time per token.

A loop nest accesses a FIFO in some of its iterations, chosen dim by dim.  So its
access times are a few offsets repeated in nested steps, however many tokens there
are, and the time of any token is found from its number alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import prod

import numpy as np
from numpy.typing import NDArray

from sttest.errors import InputError

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
        object.__setattr__(self, "last", int(self.unpaced(np.array([len(self) - 1]))[0]))
        self._refuse_too_long()

    def paced(self, pace: Fraction) -> Curve:
        """The same accesses at another pace."""
        changed = copy(self)
        object.__setattr__(changed, "pace", pace)
        changed._refuse_too_long()
        return changed

    def _refuse_too_long(self) -> None:
        if self.last * self.pace.numerator > _MOST:
            what = f"{self.last} cycles, slowed down {self.pace} times, are more than can be counted"
            raise InputError("run-too-long", what, where="fifo sizing", levers=["shorten the sequence"])

    def __len__(self) -> int:
        return self.starts[-1]

    def __getitem__(self, token: int) -> int:
        """Cycle of one token; negative numbers count from the end."""
        return int(self.at(np.array([token % len(self)]))[0])

    def at(self, tokens: Whole) -> Whole:
        """Cycles of some tokens, by number."""
        return self.parts(tokens)[0]

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
        return int(self.unpaced(np.array([token]))[0]) * self.pace

    def start_of_nest(self, token: int) -> int:
        """First token of the nest that a token is in."""
        return self.starts[bisect_right(self.starts, token) - 1]

    def period(self, first: int, after: int) -> int | None:
        """As :meth:`Nest.period`, of tokens within one nest."""
        number = bisect_right(self.starts, first) - 1
        return self.nests[number].period(first - self.starts[number], after - self.starts[number])

    def count_before(self, cycles: Whole) -> Whole:
        """How many tokens come before each of some cycles."""
        low, high = np.zeros_like(cycles), np.full_like(cycles, len(self))
        for _ in range(len(self).bit_length()):
            middle = (low + high) // 2
            is_before = (low < high) & (self.at(np.minimum(middle, len(self) - 1)) < cycles)
            low, high = np.where(is_before, middle + 1, low), np.where(is_before, high, middle)
        return low
