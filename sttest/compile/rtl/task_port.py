"""The ports of a task in hardware: where the element of a lane is, as an expression."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sttest.compile.rtl.expressions import Constant, Expression, Signal, of_all, sum_of, value_of
from sttest.compile.schedule.tile_ports import Terms, TilePort, row_major_strides


@dataclass(frozen=True)
class TaskPort(TilePort):
    """A source or a result: tokens and tiles are arrays of one dim."""

    bits: int  # width of an element
    tile: tuple[int, ...]  # extents of the tile

    @property
    def size(self) -> int:
        """Elements of a token."""
        return prod(self.tokens.shape)

    @property
    def registers(self) -> Signal:
        """The array of its tokens that wait."""
        return Signal(f"tokens_{self.label}")

    def at(self, place: Sequence[Expression], array: Expression) -> Expression:
        """An element of an array like the tile, by its index per data dim."""
        return array[row_major(place, self.tile)]

    def element(self, terms: Sequence[Terms], array: Expression) -> Expression:
        """An element of the present tile, or of the token or those tokens that are kept in its place.

        Args:
            terms: variables with factors per data dim.
            array: where it lies unless its tokens wait.
        """
        turns, spread = self.motion.turns, self.motion.spread
        if turns is None and spread is not None and spread.in_place:
            return self._where_it_waits(terms)
        if turns is None:
            return self.at([linear(dim) for dim in terms], array)
        named = {f"s{loop}": _within(f"s{loop}", own, of) for loop, own, of in turns.periods if own > 1}
        named |= {f"l{loop}": Signal(f"l{loop}") for loop, lanes in enumerate(self.walk.lanes) if lanes > 1}
        pairs = zip(terms, row_major_strides(self.tokens.shape), strict=True)
        inside = [(named[name], factor * by) for dim, by in pairs for name, factor in dim if name in named]
        return array[sum_of(inside)]

    def _where_it_waits(self, terms: Sequence[Terms]) -> Expression:
        """An element of a token that waits: its number in the tile, and its place in the token."""
        spread, shape, extents = self.motion.spread, self.tokens.shape, self.walk.extents
        assert spread is not None
        cut = [divided(dim, size, extents) for dim, size in zip(terms, shape, strict=True)]
        number = weighted([(cut[dim][0], stride) for dim, stride in self.token_strides])
        register = number if spread.registers == spread.tokens else number % spread.registers
        strides = zip(cut, row_major_strides(shape), strict=True)
        return self.registers[register][weighted([(rest, stride) for (_, rest), stride in strides])]


def row_major(place: Sequence[Expression], shape: tuple[int, ...]) -> Expression:
    """The number of an element, by its index per dim.

    >>> print(row_major([Signal("a") + 1, Signal("b")], (3, 4)))
    4 * (a + 1) + b
    """
    pairs = zip(place, row_major_strides(shape), strict=True)
    return of_all("+", [stride * index if stride > 1 else index for index, stride in pairs], value_of(0))


def linear(terms: Terms) -> Expression:
    """A sum of variables with factors."""
    return sum_of([(Signal(name), factor) for name, factor in terms])


def weighted(terms: Sequence[tuple[Expression, int]]) -> Expression:
    """A sum of expressions with factors, without those that are 0."""
    return sum_of([(term, factor) for term, factor in terms if term != Constant(0)])


def divided(terms: Terms, size: int, extents: Mapping[str, int]) -> tuple[Expression, Expression]:
    """Quotient and rest of a sum of variables with factors.

    >>> print(*divided([("s0", 16), ("l0", 1)], 8, {"l0": 16}), sep=", ")
    2 * s0 + l0 / 8, l0 % 8
    >>> print(*divided([("s0", 4), ("l0", 1)], 4, {"l0": 4}), sep=", ")
    s0, l0

    Args:
        terms: variables with their factors.
        size: divisor.
        extents: number of values of each variable, which start at 0.
    """
    whole = [(name, factor // size) for name, factor in terms if factor % size == 0]
    rest = [(name, factor) for name, factor in terms if factor % size]
    if sum(factor * (extents[name] - 1) for name, factor in rest) < size:
        return linear(whole), linear(rest)
    inner = linear(rest)
    return sum_of([*((Signal(name), factor) for name, factor in whole), (inner / size, 1)]), inner % size


def _within(name: str, own: int, of: int) -> Expression:
    """A counter of the steps of a tile within one of its turns."""
    return Signal(name) if own == of else Signal(name) % own
