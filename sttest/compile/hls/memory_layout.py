"""Where the elements of a stream lie in memory (docs/reference/values.md), as loops over words of memory.

Memory holds tiles one after the other; the place of a stream's tile among them is a sum over the stream's loops.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from math import prod
from operator import mod

from sttest.compile.dialects import df
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import StreamLoop, cut_inside, merged
from sttest.compile.hls.types import I1, Token
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine, named_loops
from sttest.compile.ir.module_walk import run_first
from sttest.compile.schedule.tile_ports import row_major_strides
from sttest.core.errors import InputError

WORD_BITS = (128, 256, 512)
"""Widths that a port may have: powers of two, of which a burst of 4 KiB has at most 256 (AXI4)."""


@dataclass(frozen=True)
class PortLayout:
    """A tensor in memory and the stream that reads or writes it."""

    token: Token  # type of the stream's tokens
    # tile, beat: shapes of a tile and of a beat in it, in elements
    tile: tuple[int, ...]
    beat: tuple[int, ...]
    grid: tuple[int, ...]  # tiles per data dim
    packed: bool  # whether the tiles lie in the order of their first use
    tiles: tuple[StreamLoop, ...]  # the loops over tiles; each has one stride, in tiles of memory
    parts: tuple[StreamLoop, ...]  # the loops over the tokens of a tile; strides are elements per data dim
    word_bits: int  # width of the port

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return self.word_bits // 8

    @property
    def word_type(self) -> str:
        """A word in C++."""
        return f"ap_uint<{self.word_bits}>"

    @property
    def tile_size(self) -> int:
        """Elements of a tile."""
        return prod(self.tile)

    @property
    def word_size(self) -> int:
        """Elements of a word, a power of two."""
        return self.word_bits // self.token.element.bits

    @property
    def elements(self) -> int:
        """Elements of the tensor."""
        return prod(self.grid) * self.tile_size

    @property
    def words(self) -> int:
        """Words of the tensor, the last one padded."""
        return -(-self.elements // self.word_size)

    @property
    def beat_strides(self) -> tuple[int, ...]:
        """Beats of a tile from one to the next along each data dim."""
        return row_major_strides(tuple(size // part for size, part in zip(self.tile, self.beat, strict=True)))

    @property
    def has_whole_words(self) -> bool:
        """Whether a beat is a word and a token is made of whole beats."""
        whole = all(size % part == 0 for size, part in zip(self.token.shape, self.beat, strict=True))
        return whole and prod(self.beat) == self.word_size

    @property
    def in_tokens(self) -> "PortLayout":
        """The same memory as a row of flat tiles, each of which is a token, where a token is one beat; words stay."""
        if self.has_whole_words:
            return self
        size, cells = self.token.size, self.beat_strides
        parts = self.tile_size // size
        tiles = [StreamLoop(loop.trip, (loop.strides[0] * parts,)) for loop in self.tiles]
        for loop in self.parts:
            steps = (stride // part * cell for stride, part, cell in zip(loop.strides, self.beat, cells, strict=True))
            tiles.append(StreamLoop(loop.trip, (sum(steps),)))
        beat = self.word_size if size % self.word_size == 0 else size
        flat = replace(self, token=Token(self.token.element, (size,)), tile=(size,), beat=(beat,))
        return replace(flat, grid=(self.elements // size,), tiles=tuple(merged(tiles)), parts=())

    @property
    def has_tiles_in_word(self) -> bool:
        """Whether a word holds whole tiles, each of which is one token of one beat."""
        return self.word_size % self.tile_size == 0 and self.tile == self.token.shape == self.beat

    @property
    def passes(self) -> tuple[StreamLoop, ...] | None:
        """The loops that walk memory again, each time once from end to end; None if it is walked in another way."""
        again = tuple(loop for loop in self.tiles if loop.repeats)
        walk = self.tiles[len(again) :]
        in_order = self.tiles[: len(again)] == again and (not walk or walk == (StreamLoop(prod(self.grid), (1,)),))
        return again if in_order else None

    @property
    def is_sequential(self) -> bool:
        """Whether the stream walks memory once from end to end."""
        return not self.tiles or [*self.tiles] == [StreamLoop(prod(self.grid), (1,))]

    @property
    def walks_words(self) -> bool:
        """Whether the stream takes the tiles of a word one after the other, all of them, wherever it goes next."""
        in_word = self.word_size // self.tile_size
        if not self.has_tiles_in_word or not self.tiles:
            return False
        *outer, inner = self.tiles
        steps = [loop.strides[0] for loop in outer]
        return inner.strides == (1,) and not inner.trip % in_word and not any(step % in_word for step in steps)


def memory_layout(op: df.DmaOp) -> PortLayout:
    """The layout of a DMA.

    Raises:
        InputError: no layout yet, or tiles that overlap or have no order in memory.
    """
    where = op.label.data if op.label else op.name
    if op.layout is None:
        raise run_first("hls", f"{op.name} has no layout", "materialize-dma")
    stream = df.itensor_of(op.port)
    token = Token.of(stream, where)
    if token.element == I1:
        raise InputError("bad-layout", "memory holds no i1", where=where, hints=["extend it to i8"])
    word_bits = op.beat_bits.value.data if op.beat_bits is not None else WORD_BITS[-1]
    if word_bits not in WORD_BITS:
        raise InputError(
            "bad-layout",
            f"ports of {word_bits} bits have no C++",
            where=where,
            hints=[f"compile with beats of {', '.join(map(str, WORD_BITS))} bits"],
        )
    rank = len(stream.element_shape)
    numbers = op.layout.values
    grid, beats, beat = numbers[:rank], numbers[rank : 2 * rank], numbers[2 * rank :]
    tile = tuple(count * part for count, part in zip(beats, beat, strict=True))
    parts = prod(size // part for size, part in zip(tile, stream.element_shape, strict=True))
    over_tiles, over_parts = cut_inside(stream, parts, where)
    _check(stream, tile, grid, over_tiles, where)
    if beat != token.shape and (prod(beat) * token.element.bits != word_bits or any(map(mod, token.shape, beat))):
        raise _bad(f"tokens of {list(token.shape)} share beats of {list(beat)}", where)
    places = _row_major(over_tiles, grid, tile)
    if (op.is_packed or op.writes) and not _counts_through(places, prod(grid)):
        raise _bad(f"the loops do not reach every tile of {list(grid)}", where)
    if op.is_packed:
        places = _packed(over_tiles)
    return PortLayout(token, tile, beat, grid, op.is_packed, tuple(merged(places)), tuple(over_parts), word_bits)


def _packed(loops: Sequence[StreamLoop]) -> list[StreamLoop]:
    """Tiles lie in the order of the loops that move; the others read them again."""
    moving = [loop.trip for loop in loops if not loop.repeats]
    places = []
    for loop in loops:
        inside = 0 if loop.repeats else prod(moving := moving[1:])
        places.append(StreamLoop(loop.trip, (inside,)))
    return places


def _row_major(loops: Sequence[StreamLoop], grid: Sequence[int], tile: Sequence[int]) -> list[StreamLoop]:
    cells = row_major_strides(tuple(grid))
    return [
        StreamLoop(
            loop.trip,
            (sum(stride // size * cell for stride, size, cell in zip(loop.strides, tile, cells, strict=True)),),
        )
        for loop in loops
    ]


def _counts_through(places: Sequence[StreamLoop], tiles: int) -> bool:
    """Whether the loops that move count from 0 to ``tiles`` - 1 in some order, each number once."""
    reach = 1
    for stride, trip in sorted((loop.strides[0], loop.trip) for loop in places if loop.strides[0] and loop.trip > 1):
        if stride != reach:
            return False
        reach *= trip
    return reach == tiles


def _check(
    stream: ITensorType, tile: Sequence[int], grid: Sequence[int], loops: Sequence[StreamLoop], where: str
) -> None:
    """Tiles start at multiples of their size, at or after the first element."""
    for loop in loops:
        moves = loop.trip > 1
        if moves and any(stride < 0 or stride % size for stride, size in zip(loop.strides, tile, strict=True)):
            raise _bad(f"tiles of {list(tile)} overlap", where)
    if any(stream.origin):
        raise _bad("the first tile does not start at the first element", where)
    if tuple(cells * size for cells, size in zip(grid, tile, strict=True)) != stream.full_shape:
        raise _bad(f"tiles of {list(tile)} do not cover {list(stream.full_shape)}", where)


def _bad(what: str, where: str) -> InputError:
    return InputError("bad-layout", what, where=where, hints=["stream the tensor in whole, disjoint tiles"])


# --- Loops over the tiles of a stream, and the tile that they stand at


def tile_loops(layout: PortLayout) -> list[CountedLoop]:
    """Over the tiles of the stream, those that are streamed again included."""
    return [CountedLoop(f"tiles_{n}", f"t{n}", loop.trip) for n, loop in enumerate(layout.tiles)]


def tile_place(layout: PortLayout, scale: int = 1) -> list[tuple[str, int]]:
    """The tile's place in memory as terms of a sum, in units of 1 / ``scale`` tiles."""
    return [(f"t{n}", loop.strides[0] * scale) for n, loop in enumerate(layout.tiles)]


@contextmanager
def first_time(code: CodeWriter, layout: PortLayout) -> Iterator[None]:
    """What is written in it runs when a tile comes for the first time."""
    again = [f"t{n} == 0" for n, loop in enumerate(layout.tiles) if loop.repeats]
    with code.scope(again) if again else nullcontext():
        yield


# --- Loops over the elements of a token, and the element that they stand at


def element_loops(token: Token, label: str = "elements") -> list[CountedLoop]:
    """Over ``e0``, ``e1`` …, one per dim of more than one element."""
    return named_loops(label, "e", token.shape)


def token_element(token: Token, variable: str = "token") -> str:
    """The element of a variable that the loops stand at; a token of one element is that element."""
    strides = row_major_strides(token.shape)
    return token.at(variable, affine([(f"e{dim}", strides[dim]) for dim, size in enumerate(token.shape) if size > 1]))
