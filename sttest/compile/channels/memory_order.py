"""How far a stream walks memory in one stretch: what a burst may be made of.

Memory holds the tiles of a tensor row-major, in each its beats row-major (`materialize-dma`).
A stream whose inner loops take what lies there one after the other can ask for all of it at
once; where it jumps, a burst ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sttest.compile.dialects.df import ITensorType
from sttest.compile.dialects.stream_order import StreamLoop, raw_loops


def contiguous_elements(stream: ITensorType, layout: Sequence[int]) -> int:
    """Elements that the stream takes from one stretch of memory, from its first on; at least a token's.

    Args:
        stream: of a DMA.
        layout: of the DMA: the grid of tiles, the grid of beats in a tile, the elements of a beat, per data dim.
    """
    rank = len(stream.element_shape)
    grid, beats, beat = layout[:rank], layout[rank : 2 * rank], layout[2 * rank :]
    stretch = stream.token_elements
    for loop in reversed(raw_loops(stream)):
        if loop.trip == 1:
            continue
        if _distance(loop, grid, beats, beat) != stretch:
            break
        stretch *= loop.trip
    return stretch


def _distance(loop: StreamLoop, grid: Sequence[int], beats: Sequence[int], beat: Sequence[int]) -> int | None:
    """Elements of memory from one iteration of a loop to the next; None where that is not one number."""
    tile = [count * part for count, part in zip(beats, beat, strict=True)]
    over_tiles = _steps(loop.strides, tile)
    if over_tiles is not None:
        return _row_major(over_tiles, grid) * prod(tile)
    over_beats = _steps(loop.strides, beat)
    return None if over_beats is None else _row_major(over_beats, beats) * prod(beat)


def _steps(strides: Sequence[int], sizes: Sequence[int]) -> list[int] | None:
    """Strides in whole parts, if they are that."""
    if any(stride % size for stride, size in zip(strides, sizes, strict=True)):
        return None
    return [stride // size for stride, size in zip(strides, sizes, strict=True)]


def _row_major(steps: Sequence[int], extents: Sequence[int]) -> int:
    place = 0
    for step, extent in zip(steps, extents, strict=True):
        place = place * extent + step
    return place
