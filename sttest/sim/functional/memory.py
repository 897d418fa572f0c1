"""Images of memory: a tensor as the bytes that a DMA reads or writes (docs/values.md)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from sttest.errors import InputError
from sttest.sim.functional.element_types import BITS, NUMPY, Array, Bytes
from sttest.sim.functional.graph import MemoryLayout, Stream
from sttest.sim.functional.tokens import Offsets, compact_trips, offsets, row_major

INT4_MIN, INT4_MAX = -8, 7


def image_bytes(layout: MemoryLayout, dtype: str) -> int:
    """Length of an image: whole beats."""
    beat = layout.beat_bits // 8
    return -(-prod(layout.shape) * BITS[dtype] // (8 * beat)) * beat


def pack(tensor: Array, layout: MemoryLayout, stream: Stream) -> Bytes:
    """The image of a tensor.

    Args:
        tensor: of the layout's shape, in the numpy type of the stream's elements (i4 as int8).
        layout: how it lies in memory.
        stream: of the DMA; a packed layout has its order of tiles.

    Raises:
        InputError: a tensor of another shape or type, or integers that i4 does not hold.
    """
    dtype = stream.dtype
    if tensor.shape != layout.shape or tensor.dtype != NUMPY[dtype]:
        what = f"{tensor.dtype} {list(tensor.shape)} where {dtype} {list(layout.shape)} lies in memory"
        raise InputError("bad-tensor", what, where=stream.name, levers=["pass the tensor that the design was made for"])
    tiles = _tiled(tensor, layout.grid, layout.tile).reshape(-1, *layout.tile)
    ordered = tiles[tile_order(layout, stream)] if layout.packed else tiles
    beats = _tiled(ordered, layout.beats, layout.beat)
    image = np.zeros(image_bytes(layout, dtype), dtype=np.uint8)
    data = _encoded(beats.reshape(-1), dtype, stream.name)
    image[: len(data)] = data
    return image


def unpack(image: Bytes, layout: MemoryLayout, stream: Stream) -> Array:
    """The tensor of an image: the inverse of :func:`pack`.

    Raises:
        InputError: an image of another length or type.
    """
    tiles = tiles_of(image, layout, stream)
    if layout.packed:
        ordered, tiles = tiles, np.empty_like(tiles)
        tiles[tile_order(layout, stream)] = ordered
    return _untiled(tiles.reshape((*layout.grid, *layout.tile)), layout.grid)


def tiles_of(image: Bytes, layout: MemoryLayout, stream: Stream) -> Array:
    """The tiles as they follow each other in an image, [tiles, *tile].

    Raises:
        InputError: see :func:`unpack`.
    """
    wanted = image_bytes(layout, stream.dtype)
    if image.dtype != np.uint8 or image.shape != (wanted,):
        what = f"{image.dtype} {list(image.shape)} where memory has {wanted} bytes"
        raise InputError("bad-memory", what, where=stream.name, levers=["make the images with memory_images"])
    elements = _decoded(image, stream.dtype)[: prod(layout.shape)]
    return _untiled(elements.reshape(-1, *layout.beats, *layout.beat), layout.beats)


def tile_order(layout: MemoryLayout, stream: Stream) -> Offsets:
    """Row-major numbers of the tiles, in the order in which a stream first touches them.

    Raises:
        InputError: the stream does not touch every tile, or tokens reach from one into the next.
    """
    touched, _ = tiles_and_places(layout, stream)
    _, first = np.unique(touched, return_index=True)
    order = touched[np.sort(first)]
    if len(order) != prod(layout.grid):
        raise _misfit(stream, f"{len(order)} of {prod(layout.grid)} tiles are streamed")
    return order


def tiles_and_places(layout: MemoryLayout, stream: Stream) -> tuple[Offsets, Offsets]:
    """Of every token, repetitions left out: the row-major number of its tile, and where in it the token starts.

    Raises:
        InputError: a token lies outside of memory, or reaches from one tile into the next.
    """
    if len(layout.tile) != len(stream.element):
        raise _misfit(stream, f"tokens of {len(stream.element)} dims, memory has {len(layout.tile)}")
    trips = compact_trips(stream)
    where = offsets(stream, trips).reshape(prod(trips), len(stream.element))
    tile = np.array(layout.tile, dtype=np.int64)
    number, place = where // tile, where % tile
    inside = (number >= 0) & (number < np.array(layout.grid)) & (place + np.array(stream.element) <= tile)
    if not inside.all():
        token = int(np.argmin(inside.all(axis=1)))
        raise _misfit(stream, f"the token at {where[token].tolist()} is no part of a tile of {list(layout.tile)}")
    return row_major(number, layout.grid), row_major(place, layout.tile)


def _misfit(stream: Stream, what: str) -> InputError:
    return InputError("bad-layout", what, where=stream.name, levers=["write the package anew"])


def _tiled(tensor: Array, grid: Sequence[int], tile: Sequence[int]) -> Array:
    """The last dims of a tensor as a grid of tiles, [..., *grid, *tile]."""
    lead = tensor.shape[: tensor.ndim - len(tile)]
    split = tensor.reshape([*lead, *(size for pair in zip(grid, tile, strict=True) for size in pair)])
    first, rank = len(lead), len(tile)
    axes = [*range(first), *range(first, first + 2 * rank, 2), *range(first + 1, first + 2 * rank, 2)]
    return split.transpose(axes)


def _untiled(tiles: Array, grid: Sequence[int]) -> Array:
    """The inverse of :func:`_tiled`: [..., *grid, *tile] to the tensor."""
    rank = len(grid)
    first = tiles.ndim - 2 * rank
    pairs = [axis for dim in range(rank) for axis in (first + dim, first + rank + dim)]
    shape = [count * size for count, size in zip(grid, tiles.shape[first + rank :], strict=True)]
    return tiles.transpose([*range(first), *pairs]).reshape((*tiles.shape[:first], *shape))


def _encoded(elements: Array, dtype: str, where: str) -> Bytes:
    if dtype == "i1":
        raise _no_bits(where)
    if dtype != "i4":
        return np.ascontiguousarray(elements).view(np.uint8)
    if elements.size and (elements.min() < INT4_MIN or elements.max() > INT4_MAX):
        what = f"integers outside of {INT4_MIN} to {INT4_MAX}"
        raise InputError("bad-tensor", what, where=where, levers=["quantise to int4 first"])
    nibbles = np.zeros(len(elements) + len(elements) % 2, dtype=np.uint8)
    nibbles[: len(elements)] = elements.view(np.uint8) & 0xF
    return nibbles[0::2] | np.left_shift(nibbles[1::2], 4, dtype=np.uint8)


def _decoded(image: Bytes, dtype: str) -> Array:
    if dtype == "i1":
        raise _no_bits("memory")
    if dtype != "i4":
        # Copied: the image stays the caller's.
        size = NUMPY[dtype].itemsize
        return image[: len(image) // size * size].copy().view(NUMPY[dtype])
    elements = np.empty(2 * len(image), dtype=np.int8)
    # Shifted to the top of the byte and back, a nibble's sign spreads.
    elements[0::2] = (image << 4).view(np.int8) >> 4
    elements[1::2] = image.view(np.int8) >> 4
    return elements


def _no_bits(where: str) -> InputError:
    return InputError("bad-layout", "memory holds no i1", where=where, levers=["store i8"])
