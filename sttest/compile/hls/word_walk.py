"""Index expressions of DMAs: tiles in memory, words in a tile, elements in a word."""

from __future__ import annotations

from sttest.compile.hls.memory_layout import MemoryLayout
from sttest.compile.hls.types import row_major_strides
from sttest.compile.hls.writer import CountedLoop, affine


def tile_loops(layout: MemoryLayout) -> list[CountedLoop]:
    """Over the tiles of the stream, those that are streamed again included."""
    return [CountedLoop(f"tiles_{n}", f"t{n}", loop.trip) for n, loop in enumerate(layout.tiles)]


def tile_place(layout: MemoryLayout, scale: int = 1) -> list[tuple[str, int]]:
    """The tile's place in memory as terms of a sum, in units of 1 / ``scale`` tiles."""
    return [(f"t{n}", loop.strides[0] * scale) for n, loop in enumerate(layout.tiles)]


def part_loops(layout: MemoryLayout) -> list[CountedLoop]:
    """Over the tokens of a tile."""
    return [CountedLoop(f"parts_{n}", f"p{n}", loop.trip) for n, loop in enumerate(layout.parts) if loop.trip > 1]


def word_loops(layout: MemoryLayout) -> list[CountedLoop]:
    """Over the words of a token that is made of whole words, per data dim."""
    beats = (size // part for size, part in zip(layout.token.shape, layout.beat, strict=True))
    return [CountedLoop(f"words_{dim}", f"w{dim}", count) for dim, count in enumerate(beats) if count > 1]


def word_address(layout: MemoryLayout) -> str:
    """Number in memory of the word that the loops stand at, for tokens of whole words."""
    terms = tile_place(layout, layout.tile_size // layout.word_size)
    for n, loop in enumerate(layout.parts):
        step = sum(
            stride // size * beats
            for stride, size, beats in zip(loop.strides, layout.beat, layout.beat_strides, strict=True)
        )
        terms += [(f"p{n}", step)] if loop.trip > 1 else []
    for dim, beats in enumerate(layout.beat_strides):
        terms += [(f"w{dim}", beats)] if layout.token.shape[dim] > layout.beat[dim] else []
    return affine(terms)


def beat_loops(layout: MemoryLayout) -> list[CountedLoop]:
    """Over the elements of a beat, per data dim."""
    return [CountedLoop(f"elements_{dim}", f"e{dim}", size) for dim, size in enumerate(layout.beat) if size > 1]


def number_in_beat(layout: MemoryLayout) -> list[tuple[str, int]]:
    """Which element of its beat the loops stand at, as terms of a sum."""
    strides = row_major_strides(layout.beat)
    return [(f"e{dim}", strides[dim]) for dim, size in enumerate(layout.beat) if size > 1]


def number_in_token(layout: MemoryLayout) -> str:
    """Which element of the token the loops over words and over the elements of a beat stand at."""
    strides = row_major_strides(layout.token.shape)
    terms: list[tuple[str, int]] = []
    for dim, size in enumerate(layout.token.shape):
        terms += [(f"w{dim}", layout.beat[dim] * strides[dim])] if size > layout.beat[dim] else []
        terms += [(f"e{dim}", strides[dim])] if layout.beat[dim] > 1 else []
    return affine(terms)


def number_in_tile(layout: MemoryLayout) -> str:
    """Which element of its tile, as memory counts them, the loops over parts and elements stand at.

    The divisions are by constants and lie in unrolled loops.
    """
    in_beat = row_major_strides(layout.beat)
    size = layout.tile_size // _product(layout.beat_strides, layout)
    terms: list[str] = []
    for dim, extent in enumerate(layout.tile):
        if extent == 1:
            continue
        coordinate = affine(
            [
                *((f"p{n}", loop.strides[dim]) for n, loop in enumerate(layout.parts) if loop.trip > 1),
                *([(f"e{dim}", 1)] if layout.token.shape[dim] > 1 else []),
            ]
        )
        beat = layout.beat[dim]
        if beat < extent:
            terms.append(f"({coordinate}) / {beat} * {layout.beat_strides[dim] * size}")
        if beat > 1:
            within = f"({coordinate}) % {beat}" if beat < extent else f"({coordinate})"
            terms.append(f"{within} * {in_beat[dim]}")
    return " + ".join(terms) or "0"


def _product(strides: tuple[int, ...], layout: MemoryLayout) -> int:
    """Beats of a tile."""
    return strides[0] * (layout.tile[0] // layout.beat[0])
