"""The buffer of a converter in banks, each a memory with a port to write and one to read.

An element lies in the bank of its place modulo the number of banks, in every data dim.  A token begins at few places
among the banks; where there are several, its elements are chosen by where it begins.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import lt

from sttest.boards.resources import MemoryKind
from sttest.compile.rtl import RAM_STYLES
from sttest.compile.rtl.control import Counters, literal, width_of
from sttest.compile.schedule.converter_block import BlockSide, ConverterBlock

_Begin = tuple[tuple[int, ...], str]
"""Banks at which a token begins, and the condition that it does."""
_Touch = tuple[str, tuple[int, ...], tuple[int, ...]]
"""A bank and a token: condition, element of the token, rows behind that of the token, per dim."""


@dataclass
class Banks:
    """The memories of a converter."""

    block: ConverterBlock
    bits: int  # bits of an element
    kind: MemoryKind
    chosen_bits: int = 0  # LUTs of multiplexers, as far as the text is written

    def text(self, fill: Counters, drain: Counters, source: str, take: str, advance: str) -> str:
        """Banks, what is written to them, and ``fetched``, a token that was read in the stage before.

        Args:
            fill: counters of the tokens that are written.
            drain: counters of the tokens that are read.
            source: token that is written.
            take: condition under which it is.
            advance: condition under which the draining side moves on.
        """
        lines = [*self._begin("fill", self.block.fill, fill), *self._begin("drain", self.block.drain, drain)]
        waited = self._choices("drain", self.block.drain)
        for name, width in waited.items():
            lines.append(f"logic [{width - 1}:0] {name}_was;")
            lines.append(f"always_ff @(posedge clk) if ({advance}) {name}_was <= {name};")
        fills, drains = [*self._begins("fill", self.block.fill)], [*self._begins("drain", self.block.drain)]
        for bank, first in enumerate(self._words()):
            writes = [*self._touches(fills, self.block.fill, first)]
            reads = [*self._touches(drains, self.block.drain, first)]
            if writes and reads:
                lines += self._bank(f"bank{bank}", writes, reads, source, take, advance)
        lines.append(f"logic [{prod(self.block.drain.shape) * self.bits - 1}:0] fetched;")
        lines += self._fetched()
        return "".join(f"  {line}\n" for line in lines)

    # --- Where a token begins: in a row of banks, and at one of them

    def _begin(self, name: str, side: BlockSide, counters: Counters) -> Iterator[str]:
        for number, dim in enumerate(self.block.dims):
            start, moving = divmod(side.start[number], dim.banks), list[tuple[int, str, int]]()
            for part, index in zip(side.loops, counters.indices, strict=False):
                if part.strides[number] and part.trip > 1:
                    moving.append((part.strides[number], index, part.trip))
            rest = [each for each in moving if each[0] % dim.banks]
            whole = [(by // dim.banks, index, trip) for by, index, trip in moving if by % dim.banks == 0]
            most = start[1] + sum(by * (trip - 1) for by, _, trip in rest)
            row_bits, rest_bits = width_of(dim.rows - 1), width_of(most)
            row = " + ".join([str(start[0]), *(f"{by} * {index}" for by, index, _ in whole)])
            if rest:
                total = " + ".join([str(start[1]), *(f"{by} * {index}" for by, index, _ in rest)])
                yield f"logic [{rest_bits - 1}:0] {name}_rest{number};"
                yield f"assign {name}_rest{number} = {rest_bits}'({total});"
                by = literal(dim.banks, rest_bits)
                within = most < dim.banks
                yield f"logic [{width_of(dim.banks - 1) - 1}:0] {name}_at{number};"
                at = f"{name}_rest{number}" + ("" if within else f" % {by}")
                yield f"assign {name}_at{number} = {width_of(dim.banks - 1)}'({at});"
                row += "" if within else f" + {name}_rest{number} / {by}"
            yield f"logic [{row_bits - 1}:0] {name}_row{number};"
            yield f"assign {name}_row{number} = {row_bits}'({row});"

    def _choices(self, name: str, side: BlockSide) -> dict[str, int]:
        """The wires that say where tokens of a side begin, with their widths."""
        dims = enumerate(self.block.dims)
        return {
            f"{name}_at{number}": width_of(dim.banks - 1)
            for number, dim in dims
            if len(side.offsets(number, dim.banks)) > 1
        }

    def _begins(self, name: str, side: BlockSide, suffix: str = "") -> Iterator[_Begin]:
        """The banks at which a token begins, with the condition that it does; none where there is but one."""
        dims = self.block.dims
        offsets = [side.offsets(number, dim.banks) for number, dim in enumerate(dims)]
        for begin in itertools.product(*offsets):
            when = [
                f"{name}_at{number}{suffix} == {at}"
                for number, (at, every) in enumerate(zip(begin, offsets, strict=True))
                if len(every) > 1
            ]
            yield begin, " & ".join(when)

    # --- Banks

    def _words(self) -> Iterator[tuple[int, ...]]:
        """The first element of the word of every bank, in the row of banks."""
        return itertools.product(*(range(0, dim.banks, dim.word) for dim in self.block.dims))

    def _in_word(self) -> list[tuple[int, ...]]:
        return list(itertools.product(*(range(dim.word) for dim in self.block.dims)))

    def _bank(
        self, name: str, writes: Sequence[_Touch], reads: Sequence[_Touch], source: str, take: str, advance: str
    ) -> Iterator[str]:
        in_word, depth = self._in_word(), 2 * self.block.depth
        width, place_bits = len(in_word) * self.bits, width_of(2 * self.block.depth - 1)
        style = RAM_STYLES.get(self.kind, "distributed")
        yield f'(* ram_style = "{style}" *) logic [{width - 1}:0] {name} [{depth}];'
        yield f"logic [{width - 1}:0] {name}_data, {name}_read;"
        yield f"logic [{place_bits - 1}:0] {name}_in, {name}_out;"
        tokens = [(when, self._word_of(source, self.block.fill, element, in_word)) for when, element, _ in writes]
        yield f"assign {name}_data = {self._chosen(tokens, width)};"
        for side, touches, place in (("fill", writes, "in"), ("drain", reads, "out")):
            chosen = self._chosen([(when, self._row(side, carry)) for when, _, carry in touches], place_bits)
            half, begin = literal(self.block.depth, place_bits), literal(0, place_bits)
            yield f"assign {name}_{place} = ({side}_half ? {half} : {begin}) + {place_bits}'({chosen});"
        conditions = [when for when, _, _ in writes if when]
        written = f"{take} & ({' | '.join(f'({each})' for each in conditions)})" if conditions else take
        yield f"always_ff @(posedge clk) if ({written}) {name}[{name}_in] <= {name}_data;"
        yield f"always_ff @(posedge clk) if ({advance}) {name}_read <= {name}[{name}_out];"

    def _touches(self, begins: Iterable[_Begin], side: BlockSide, first: Sequence[int]) -> Iterator[_Touch]:
        """When a side touches a bank, by where its tokens begin."""
        banks, shape = [dim.banks for dim in self.block.dims], side.shape
        for begin, when in begins:
            element = tuple([(at - b) % every for at, b, every in zip(first, begin, banks, strict=True)])
            if all(map(lt, element, shape)):
                yield when, element, tuple([(b + each) // n for b, each, n in zip(begin, element, banks, strict=True)])

    def _row(self, side: str, carry: Sequence[int]) -> str:
        terms, stride = list[str](), 1
        for number in reversed(range(len(carry))):
            row = f"{side}_row{number}" + (f" + {carry[number]}" if carry[number] else "")
            terms.append(f"{stride} * ({row})")
            stride *= self.block.dims[number].rows
        return " + ".join(terms)

    def _word_of(self, token: str, side: BlockSide, element: Sequence[int], in_word: Iterable[Sequence[int]]) -> str:
        places = [_number([a + b for a, b in zip(element, each, strict=True)], side.shape) for each in in_word]
        return f"{{{', '.join(f'{token}[{place * self.bits} +: {self.bits}]' for place in reversed(places))}}}"

    def _fetched(self) -> Iterator[str]:
        side, dims = self.block.drain, self.block.dims
        words, begins = [dim.banks // dim.word for dim in dims], [*self._begins("drain", side, "_was")]
        for element in itertools.product(*(range(size) for size in side.shape)):
            found = []
            for begin, when in begins:
                place = [(at + each) % dim.banks for at, each, dim in zip(begin, element, dims, strict=True)]
                bank = _number([at // dim.word for at, dim in zip(place, dims, strict=True)], words)
                inside = _number([at % dim.word for at, dim in zip(place, dims, strict=True)], [d.word for d in dims])
                found.append((when, f"bank{bank}_read[{inside * self.bits} +: {self.bits}]"))
            place, chosen = _number(element, side.shape) * self.bits, self._chosen(found, self.bits)
            yield f"assign fetched[{place} +: {self.bits}] = {chosen};"

    def _chosen(self, options: Sequence[tuple[str, str]], bits: int) -> str:
        """One of several expressions by conditions of which one holds; a LUT chooses a bit of four (AMD UG574)."""
        *others, (_, last) = options
        distinct = [(when, text) for when, text in others if text != last]
        self.chosen_bits += bits * -(-len(distinct) // 3)
        return "".join(f"({when}) ? {text} : " for when, text in distinct) + last


def _number(index: Sequence[int], shape: Sequence[int]) -> int:
    """The number of an element in row-major order.

    >>> _number([1, 2], [3, 4])
    6
    """
    found = 0
    for at, size in zip(index, shape, strict=True):
        found = found * size + at
    return found
