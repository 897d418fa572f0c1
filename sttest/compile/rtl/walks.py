"""Numbers that nested loops count through, one nest after the other, and the bursts that a walk is cut into."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, prod

import numpy as np

from sttest.boards.resources import MemoryKind
from sttest.reference.memory import Offsets

_MOST_ROOM = 512
"""Words that a port has places for, at most: the depth of a BRAM18 that is 36 bits wide."""
_LUTRAM_ROOM = 64
"""Words up to which they lie in LUTs: a block of LUT memory, seven bits of 64 words in eight LUTs."""


def room_kind(room: int) -> MemoryKind:
    """What the words of a port lie in, which has places for so many."""
    return "lutram" if room <= _LUTRAM_ROOM else "bram"


@dataclass(frozen=True)
class Walk:
    """Numbers that nested loops count through."""

    start: int
    trips: tuple[int, ...]  # trips of the loops, outermost first, each more than 1
    strides: tuple[int, ...]  # what a step of each loop adds

    @staticmethod
    def of(numbers: Offsets) -> "Walk | None":
        """The loops behind numbers [count], or None where they do not follow any.

        >>> Walk.of(np.array([0, 1, 2, 8, 9, 10]))
        Walk(start=0, trips=(2, 3), strides=(8, 1))
        """
        start, trips, strides = int(numbers[0]), list[int](), list[int]()
        while len(numbers) > 1:
            steps = np.diff(numbers)
            other = np.flatnonzero(steps != steps[0])
            trip = int(other[0]) + 1 if other.size else len(numbers)
            if len(numbers) % trip:
                return None
            rows = numbers.reshape(-1, trip)
            if (rows - rows[:, :1] != np.arange(trip) * steps[0]).any():
                return None
            trips.append(trip)
            strides.append(int(steps[0]))
            numbers = rows[:, 0]
        return Walk(start, tuple(reversed(trips)), tuple(reversed(strides)))

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return prod(self.trips)

    @property
    def run(self) -> int:
        """How many numbers follow each other at the innermost."""
        return self.trips[-1] if self.trips and self.strides[-1] == 1 else 1

    @property
    def runs(self) -> "Walk":
        """The first numbers of the runs."""
        return Walk(self.start, self.trips[:-1], self.strides[:-1]) if self.run > 1 else self

    @property
    def last(self) -> int:
        """The last number."""
        return self.start + sum((trip - 1) * stride for trip, stride in zip(self.trips, self.strides, strict=True))

    @property
    def numbers(self) -> Offsets:
        """All numbers in order, [count]."""
        found = np.array([self.start], dtype=np.int64)
        for trip, stride in zip(self.trips, self.strides, strict=True):
            found = (found[:, None] + np.arange(trip, dtype=np.int64) * stride).reshape(-1)
        return found

    def in_units(self, unit: int) -> "Walk":
        """The same numbers divided by one that divides all."""
        return Walk(self.start // unit, self.trips, tuple(stride // unit for stride in self.strides))


@dataclass(frozen=True)
class Route:
    """Walks one after the other: those of a row several times, each time so much further on, then others once."""

    row: tuple[Walk, ...]
    repeats: int = 1
    stride: int = 0
    behind: tuple[Walk, ...] = ()

    @staticmethod
    def of(row: Sequence[Offsets], repeats: int, stride: int, behind: Sequence[Offsets]) -> "Route | None":
        """The route through numbers, one walk where that is possible; None where some follow no loops.

        Args:
            row: numbers [count] of each tensor of the row.
            repeats, stride: how often the row comes, and how far it is from one to the next.
            behind: numbers of each tensor behind them.
        """
        once = np.concatenate(row)
        steps = np.arange(repeats, dtype=np.int64)[:, None] * stride
        whole = Walk.of(np.concatenate([(once + steps).reshape(-1), *behind]))
        if whole is not None:
            return Route((whole,))
        first, then = _walks(row), _walks(behind)
        return None if first is None or then is None else Route(first, repeats, stride, then)

    @property
    def legs(self) -> tuple[Walk, ...]:
        """All walks, each once."""
        return (*self.row, *self.behind)

    @cached_property
    def numbers(self) -> Offsets:
        """All numbers in order, [count]."""
        once = np.concatenate([walk.numbers for walk in self.row])
        steps = np.arange(self.repeats, dtype=np.int64)[:, None] * self.stride
        return np.concatenate([(once + steps).reshape(-1), *(walk.numbers for walk in self.behind)])

    @property
    def counter_bits(self) -> int:
        """Bits of what counts legs, repetitions and loops in ``address_walk``."""
        loops = zip(*(walk.trips[::-1] + (1,) * (self._loops - len(walk.trips)) for walk in self.legs), strict=True)
        return sum((most - 1).bit_length() for most in (len(self.legs), self.repeats, *map(max, loops)))

    @property
    def number_bits(self) -> int:
        """Bits of the numbers where they are added up; one loop that counts from 0 has none but its counter."""
        counts = len(self.legs) == 1 and self.legs[0].start == 0 and self.legs[0].strides in ((), (1,))
        return 0 if counts else int(self.numbers.max()).bit_length()

    @property
    def _loops(self) -> int:
        return max(1, *(len(walk.trips) for walk in self.legs))

    def in_units(self, unit: int) -> "Route":
        """The same numbers divided by one that divides all."""
        row, behind = (tuple(walk.in_units(unit) for walk in walks) for walks in (self.row, self.behind))
        return replace(self, row=row, stride=self.stride // unit, behind=behind)

    @property
    def unit(self) -> int:
        """The largest power of two that divides all numbers and what lies between them."""
        common = gcd(self.stride, *(each for walk in self.legs for each in (walk.start, *walk.strides)))
        return common & -common if common else 1

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of the module ``address_walk``."""
        legs, loops = self.legs, self._loops
        padded = [(1,) * (loops - len(walk.trips)) for walk in legs]
        trips = [(*pad, *walk.trips) for pad, walk in zip(padded, legs, strict=True)]
        deltas = [(*(0 for _ in pad), *_deltas(walk)) for pad, walk in zip(padded, legs, strict=True)]
        ends = [walk.last + (self.repeats - 1) * self.stride for walk in self.row] + [each.last for each in self.behind]
        # Within the row a jump is the same in all of its repetitions.
        starts = [walk.start + (self.repeats - 1) * self.stride for walk in self.row]
        starts += [walk.start for walk in self.behind]
        jumps = [after - before for before, after in zip(ends, starts[1:], strict=False)] + [0]
        return {
            "BITS": str(max(1, int(self.numbers.max()).bit_length())),
            "LEGS": str(len(legs)),
            "ROW": str(len(self.row)),
            "REPEATS": str(self.repeats),
            "LOOPS": str(loops),
            "START": f"32'd{legs[0].start}",
            "MOST": packed_words([max(each) for each in zip(*trips, strict=True)]),
            "TRIPS": packed_words([trip for each in reversed(trips) for trip in each]),
            "DELTAS": packed_words([delta for each in reversed(deltas) for delta in each]),
            "JUMPS": packed_words(jumps[::-1]),
            "BACK": packed_words([self.row[0].start + self.stride - self.row[-1].last]),
        }


def _walks(numbers: Sequence[Offsets]) -> tuple[Walk, ...] | None:
    """A walk for each, or for several in a row that are one; None where some follow no loops."""
    walks: list[Walk] = []
    together: Offsets | None = None
    for each in numbers:
        joined = None if together is None else Walk.of(np.concatenate([together, each]))
        if joined is not None and together is not None:
            walks[-1], together = joined, np.concatenate([together, each])
            continue
        alone = Walk.of(each)
        if alone is None:
            return None
        walks.append(alone)
        together = each
    return tuple(walks)


def _deltas(walk: Walk) -> list[int]:
    """What is added when each loop steps and those inside it start again."""
    return [
        stride
        - sum((trip - 1) * inner for trip, inner in zip(walk.trips[loop + 1 :], walk.strides[loop + 1 :], strict=True))
        for loop, stride in enumerate(walk.strides)
    ]


def packed_words(numbers: Sequence[int], bits: int = 32) -> str:
    """Words of so many bits, the first number highest."""
    words = (f"{bits}'h{number & (1 << bits) - 1:x}" for number in numbers)
    return f"{{{', '.join(words)}}}"


MOST_BEATS = 256
"""Words of a burst of AXI4, at most."""
PAGE_BYTES = 4096
"""No burst of AXI goes across its boundary; arguments begin at one."""


@dataclass(frozen=True)
class Bursts:
    """A route through words, cut into bursts."""

    route: Route  # route of their first words, in units of `unit`
    unit: int
    full: tuple[int, ...]  # words of a burst, per leg
    rest: tuple[int, ...]  # what is left of the last one of its innermost loop

    @staticmethod
    def of(words: Route, most: int, word_bytes: int) -> "Bursts":
        """The longest bursts that are possible.

        Args:
            words: numbers in memory of the words that are moved.
            most: most words of a burst.
            word_bytes: bytes of a word, a power of two.
        """
        shorter = [1 << bit for bit in reversed(range(most.bit_length())) if 1 << bit < most]
        found = (_cut(words, length) for length in (most, *shorter))
        return next(each for each in found if each.stays_in_pages(PAGE_BYTES // word_bytes))

    @staticmethod
    def longest(burst_bytes: int, word_bits: int) -> int:
        """Words of the longest burst of a port that asks for so many bytes at a time."""
        return max(1, min(MOST_BEATS, burst_bytes * 8 // word_bits))

    @property
    def most(self) -> int:
        """Words of the longest one."""
        return max(*self.full, *self.rest)

    def room(self, outstanding: int) -> int:
        """Words that a port with so many bursts in flight has places for."""
        return max(self.most, min(_MOST_ROOM, self.most * outstanding))

    def stays_in_pages(self, page: int) -> bool:
        """Whether none goes across a multiple of so many words."""
        first = self.route.numbers * self.unit
        row, behind = self._lengths(self.route.row, 0), self._lengths(self.route.behind, len(self.route.row))
        words = np.concatenate([np.tile(row, self.route.repeats), behind])
        return bool((first % page + words <= page).all())

    def _lengths(self, walks: Sequence[Walk], place: int) -> Offsets:
        lengths = [np.zeros(0, np.int64)]
        for leg, walk in enumerate(walks, place):
            each = np.full((walk.count // (walk.trips or (1,))[-1], (walk.trips or (1,))[-1]), self.full[leg])
            each[:, -1] = self.rest[leg]
            lengths.append(each.reshape(-1))
        return np.concatenate(lengths)

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of the module ``burst_walk``, but the size of a word."""
        full, rest = (packed_words(each[::-1], 9) for each in (self.full, self.rest))
        return {"UNIT": str(self.unit), **self.route.parameters, "FULL": full, "REST": rest}


def _cut(words: Route, length: int) -> Bursts:
    """Runs of words in bursts of one length, and a rest."""
    cut = {walk: _cut_walk(walk, length) for walk in words.legs}
    row, behind = (tuple(cut[walk] for walk in walks) for walks in (words.row, words.behind))
    route = replace(words, row=row, behind=behind)
    runs = [walk.run for walk in words.legs]
    full = tuple(min(run, length) for run in runs)
    rest = tuple(run - (-(-run // length) - 1) * length for run in runs)
    return Bursts(route.in_units(route.unit), route.unit, full, rest)


def _cut_walk(walk: Walk, length: int) -> Walk:
    bursts, runs = -(-walk.run // length), walk.runs
    return runs if bursts == 1 else Walk(runs.start, (*runs.trips, bursts), (*runs.strides, length))
