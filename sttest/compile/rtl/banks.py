"""The buffer of a converter in banks, each a memory with a port to write and one to read.

An element lies in the bank of its place modulo the number of banks, in every data dim.  A token begins at few places
among the banks; where there are several, its elements are chosen by where it begins.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from operator import lt

from sttest.boards.resources import MemoryKind
from sttest.compile.rtl import RAM_STYLES
from sttest.compile.rtl.control import Counters, width_of
from sttest.compile.rtl.expressions import (
    Expression,
    Signal,
    all_of,
    any_of,
    cast,
    chosen,
    joined,
    of_all,
    sized,
    value_of,
    where,
)
from sttest.compile.rtl.module import Side
from sttest.compile.rtl.tree import Clocked, Driven, Node, Register, Set, Wire
from sttest.compile.schedule.converter_block import BlockSide, ConverterBlock

_Begin = tuple[tuple[int, ...], Expression | None]
"""Banks at which a token begins, and the condition that it does; None where there is but one."""
_Touch = tuple[Expression | None, tuple[int, ...], tuple[int, ...]]
"""A bank and a token: condition, element of the token, rows behind that of the token, per dim."""


@dataclass
class Banks:
    """The memories of a converter."""

    block: ConverterBlock
    bits: int  # bits of an element
    kind: MemoryKind
    chosen_bits: int = 0  # LUTs of multiplexers, as far as the banks are written
    _rows: dict[tuple[str, tuple[int, ...]], Expression] = field(default_factory=dict)

    def nodes(self, fill: Counters, drain: Counters, source: Side, advance: Expression) -> list[Node]:
        """Banks, what is written to them, and ``fetched``, a token that was read in the stage before.

        Args:
            fill: counters of the tokens that are written.
            drain: counters of the tokens that are read.
            source: side whose token is written when it is taken.
            advance: condition under which the draining side moves on.
        """
        nodes = [*self._begin("fill", self.block.fill, fill), *self._begin("drain", self.block.drain, drain)]
        for name, width in self._choices("drain", self.block.drain).items():
            nodes.append(Register(f"{name}_was", (width,)))
            nodes.append(Clocked((Set(Signal(f"{name}_was"), Signal(name)),), advance))
        fills, drains = [*self._begins("fill", self.block.fill)], [*self._begins("drain", self.block.drain)]
        for bank, first in enumerate(self._words()):
            writes = [*self._touches(fills, self.block.fill, first)]
            reads = [*self._touches(drains, self.block.drain, first)]
            if writes and reads:
                nodes += self._bank(f"bank{bank}", writes, reads, source, advance)
        nodes.append(Wire("fetched", (prod(self.block.drain.shape) * self.bits,)))
        return [*nodes, *self._fetched()]

    # --- Where a token begins: in a row of banks, and at one of them

    def _begin(self, name: str, side: BlockSide, counters: Counters) -> Iterator[Node]:
        for number, dim in enumerate(self.block.dims):
            start, moving = divmod(side.start[number], dim.banks), list[tuple[int, Expression, int]]()
            for part, index in zip(side.loops, counters.indices, strict=False):
                if part.strides[number] and part.trip > 1:
                    moving.append((part.strides[number], index, part.trip))
            rest = [each for each in moving if each[0] % dim.banks]
            whole = [(by // dim.banks, index, trip) for by, index, trip in moving if by % dim.banks == 0]
            most = start[1] + sum(by * (trip - 1) for by, _, trip in rest)
            row = _moved(start[0], whole)
            if rest:
                rests, rest_bits, at_bits = Signal(f"{name}_rest{number}"), width_of(most), width_of(dim.banks - 1)
                yield from _wire(rests, rest_bits, _moved(start[1], rest))
                by, within = sized(dim.banks, rest_bits), most < dim.banks
                yield from _wire(Signal(f"{name}_at{number}"), at_bits, rests if within else rests % by)
                row = row if within else row + rests / by
            yield from _wire(Signal(f"{name}_row{number}"), width_of(dim.rows - 1), row)

    def _choices(self, name: str, side: BlockSide) -> dict[str, int]:
        """The wires that say where tokens of a side begin, with their widths."""
        dims = enumerate(self.block.dims)
        return {
            f"{name}_at{number}": width_of(dim.banks - 1)
            for number, dim in dims
            if len(side.offsets(number, dim.banks)) > 1
        }

    def _begins(self, name: str, side: BlockSide, suffix: str = "") -> Iterator[_Begin]:
        """The banks at which a token begins, with the condition that it does."""
        dims = self.block.dims
        offsets = [side.offsets(number, dim.banks) for number, dim in enumerate(dims)]
        for begin in itertools.product(*offsets):
            when = [
                Signal(f"{name}_at{number}{suffix}").equals(at)
                for number, (at, every) in enumerate(zip(begin, offsets, strict=True))
                if len(every) > 1
            ]
            yield begin, all_of(when) if when else None

    # --- Banks

    def _words(self) -> Iterator[tuple[int, ...]]:
        """The first element of the word of every bank, in the row of banks."""
        return itertools.product(*(range(0, dim.banks, dim.word) for dim in self.block.dims))

    @cached_property
    def _in_word(self) -> list[tuple[int, ...]]:
        return list(itertools.product(*(range(dim.word) for dim in self.block.dims)))

    def _bank(
        self, name: str, writes: Sequence[_Touch], reads: Sequence[_Touch], source: Side, advance: Expression
    ) -> Iterator[Node]:
        in_word, width, depth = self._in_word, len(self._in_word) * self.bits, 2 * self._depth
        bank, data, read = Signal(name), Signal(f"{name}_data"), Signal(f"{name}_read")
        yield Register(name, (width,), depth, role="memory", style=RAM_STYLES.get(self.kind, "distributed"))
        yield Wire(data.name, (width,))
        yield Register(read.name, (width,), role="bank")
        token = source.data
        words = [(when, self._word_of(token, self.block.fill, element, in_word)) for when, element, _ in writes]
        yield Driven(data, self._chosen(words, width))
        for side, touches, place in (("fill", writes, Signal(f"{name}_in")), ("drain", reads, Signal(f"{name}_out"))):
            row = self._chosen([(when, self._row(side, carry)) for when, _, carry in touches], width_of(depth - 1))
            yield Wire(place.name, (width_of(depth - 1),))
            yield Driven(place, self._half[side] + cast(width_of(depth - 1), row))
        conditions = [when for when, _, _ in writes if when is not None]
        written = source.does & any_of(conditions) if conditions else source.does
        yield Clocked((Set(bank[Signal(f"{name}_in")], data),), written)
        yield Clocked((Set(read, bank[Signal(f"{name}_out")]),), advance)

    @cached_property
    def _depth(self) -> int:
        """Words of half a bank."""
        return self.block.depth

    @cached_property
    def _half(self) -> dict[str, Expression]:
        """Where in every bank the half of each side begins."""
        bits = width_of(2 * self._depth - 1)
        half, begin = sized(self._depth, bits), sized(0, bits)
        return {side: where(Signal(f"{side}_half"), half, begin) for side in ("fill", "drain")}

    def _touches(self, begins: Iterable[_Begin], side: BlockSide, first: Sequence[int]) -> Iterator[_Touch]:
        """When a side touches a bank, by where its tokens begin."""
        banks, shape = [dim.banks for dim in self.block.dims], side.shape
        for begin, when in begins:
            element = tuple([(at - b) % every for at, b, every in zip(first, begin, banks, strict=True)])
            if all(map(lt, element, shape)):
                yield when, element, tuple([(b + each) // n for b, each, n in zip(begin, element, banks, strict=True)])

    def _row(self, side: str, carry: tuple[int, ...]) -> Expression:
        """The row of a token's element in its bank, which many banks have in common."""
        if (side, carry) not in self._rows:
            terms, stride = list[Expression](), 1
            for number in reversed(range(len(carry))):
                row = Signal(f"{side}_row{number}")
                terms.append(stride * (row + carry[number] if carry[number] else row))
                stride *= self.block.dims[number].rows
            self._rows[side, carry] = of_all("+", terms, value_of(0))
        return self._rows[side, carry]

    def _word_of(
        self, token: Expression, side: BlockSide, element: Sequence[int], in_word: Iterable[Sequence[int]]
    ) -> Expression:
        places = [_number([a + b for a, b in zip(element, each, strict=True)], side.shape) for each in in_word]
        return joined(token.part(place * self.bits, self.bits) for place in reversed(places))

    def _fetched(self) -> Iterator[Node]:
        side, dims = self.block.drain, self.block.dims
        words, begins = [dim.banks // dim.word for dim in dims], [*self._begins("drain", side, "_was")]
        for element in itertools.product(*(range(size) for size in side.shape)):
            found: list[tuple[Expression | None, Expression]] = []
            for begin, when in begins:
                place = [(at + each) % dim.banks for at, each, dim in zip(begin, element, dims, strict=True)]
                bank = _number([at // dim.word for at, dim in zip(place, dims, strict=True)], words)
                inside = _number([at % dim.word for at, dim in zip(place, dims, strict=True)], [d.word for d in dims])
                found.append((when, Signal(f"bank{bank}_read").part(inside * self.bits, self.bits)))
            place = _number(element, side.shape) * self.bits
            yield Driven(Signal("fetched").part(place, self.bits), self._chosen(found, self.bits))

    def _chosen(self, options: Sequence[tuple[Expression | None, Expression]], bits: int) -> Expression:
        """One of several values by conditions of which one holds; a LUT chooses a bit of four (AMD UG574)."""
        *others, (_, last) = options
        distinct = [(when, value) for when, value in others if when is not None and value != last]
        self.chosen_bits += bits * -(-len(distinct) // 3)
        return chosen(distinct, last)


def _moved(start: int, moving: Iterable[tuple[int, Expression, int]]) -> Expression:
    """Where the counters of some loops are, from a start on."""
    return of_all("+", [value_of(start), *(by * index for by, index, _ in moving)], value_of(0))


def _wire(wire: Signal, bits: int, value: Expression) -> list[Node]:
    return [Wire(wire.name, (bits,)), Driven(wire, cast(bits, value))]


def _number(index: Sequence[int], shape: Sequence[int]) -> int:
    """The number of an element in row-major order.

    >>> _number([1, 2], [3, 4])
    6
    """
    found = 0
    for at, size in zip(index, shape, strict=True):
        found = found * size + at
    return found
