"""Parameters as bytes in the DMA's packed, widened order, and back.

Memory holds the tiles in the order in which they are first streamed; a tile is
the row-major grid of its beats, a beat its elements row-major.  Elements follow
each other without gaps, little-endian: of two int4 the first is the low nibble,
across beats and tiles too.  Zeros fill the last beat.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sttest.errors import InputError
from sttest.models.stream_layout import StreamLayout

Bytes = NDArray[np.uint8]
Values = NDArray[Any]

# What elements are in NumPy; int4 as int8.
_NUMPY = {"i4": np.dtype("i1"), "i8": np.dtype("i1"), "f16": np.dtype("<f2"), "f32": np.dtype("<f4")}


def pack(values: Values, layout: StreamLayout) -> Bytes:
    """The memory of a parameter, ``layout.padded_bytes`` long.

    Args:
        values: int8 for i4 and i8, else of the element type, of the layout's shape.
        layout: the order.

    Raises:
        InputError: values of another shape or type, an int4 out of range, or tiles that do not cover the tensor.
    """
    if values.shape != layout.shape or values.dtype != _NUMPY[layout.dtype]:
        raise InputError(
            "bad-parameter",
            f"{values.dtype} {list(values.shape)} where the layout has {layout.dtype} {list(layout.shape)}",
            where="pack",
            levers=["pass the parameter that the layout belongs to"],
        )
    rank = len(layout.tile)
    tiles = values.reshape(_interleaved(layout.grid, layout.tile)).transpose(_sorted_dims(rank))
    ordered = tiles.reshape(-1, *layout.tile)[layout.tiles_in_memory()]
    cut = ordered.reshape(len(ordered), *_interleaved(_beats(layout), layout.beat))
    beats = cut.transpose(0, *(1 + dim for dim in _sorted_dims(rank)))
    memory = np.zeros(layout.padded_bytes, dtype=np.uint8)
    memory[: layout.data_bytes] = _to_bytes(beats.ravel(), layout.dtype)
    return memory


def unpack(memory: Bytes, layout: StreamLayout) -> Values:
    """The parameter whose memory this is: the exact inverse of :func:`pack`.

    Raises:
        InputError: memory of another size, or with anything but zeros after the data.
    """
    ordered = _tiles(memory, layout)
    tiles = np.empty_like(ordered)
    tiles[layout.tiles_in_memory()] = ordered
    back = np.argsort(_sorted_dims(len(layout.tile)))
    return tiles.reshape(*layout.grid, *layout.tile).transpose(back).reshape(layout.shape)


def streamed_tiles(memory: Bytes, layout: StreamLayout) -> Iterator[Values]:
    """The tiles that a DMA pushes, one per token in stream order, each read from where it lies in memory.

    Raises:
        InputError: see :func:`unpack`.
    """
    ordered = _tiles(memory, layout)
    return (ordered[place] for place in layout.stream())


def _tiles(memory: Bytes, layout: StreamLayout) -> Values:
    """Tiles as they follow each other in memory, [tiles, *tile]."""
    if memory.dtype != np.uint8 or memory.shape != (layout.padded_bytes,):
        what = f"{memory.dtype} {list(memory.shape)} where the layout has {layout.padded_bytes} bytes"
        raise InputError("bad-memory", what, where="unpack", levers=["pass the memory that pack gave"])
    if memory[layout.data_bytes :].any():
        raise InputError("bad-memory", "the padding is not zero", where="unpack", levers=["pack the parameter anew"])
    rank = len(layout.tile)
    elements = _from_bytes(memory[: layout.data_bytes], layout)
    beats = elements.reshape(-1, *_beats(layout), *layout.beat)
    back = 1 + np.argsort(_sorted_dims(rank))
    return beats.transpose(0, *back).reshape(-1, *layout.tile)


def _beats(layout: StreamLayout) -> tuple[int, ...]:
    return tuple(size // part for size, part in zip(layout.tile, layout.beat, strict=True))


def _interleaved(outer: tuple[int, ...], inner: tuple[int, ...]) -> list[int]:
    """Shape of a tensor whose every dim is split in two."""
    return [size for pair in zip(outer, inner, strict=True) for size in pair]


def _sorted_dims(rank: int) -> list[int]:
    """Of interleaved dims, the outer ones first."""
    return [*range(0, 2 * rank, 2), *range(1, 2 * rank, 2)]


def _to_bytes(elements: Values, dtype: str) -> Bytes:
    if dtype != "i4":
        return np.ascontiguousarray(elements).view(np.uint8)
    if elements.size and (elements.min() < -8 or elements.max() > 7):
        levers = ["quantise to int4 first"]
        raise InputError("bad-parameter", "integers outside of -8 to 7", where="pack", levers=levers)
    nibbles = elements.view(np.uint8) & 0xF
    nibbles = np.append(nibbles, np.zeros(len(nibbles) % 2, dtype=np.uint8))
    return (nibbles[0::2] | (nibbles[1::2] << 4)).astype(np.uint8)


def _from_bytes(data: Bytes, layout: StreamLayout) -> Values:
    if layout.dtype != "i4":
        return np.ascontiguousarray(data).view(_NUMPY[layout.dtype])
    # Shifted to the top of the byte and back, the nibble's sign spreads.
    low, high = (data << 4).view(np.int8) >> 4, data.view(np.int8) >> 4
    both = np.stack([low, high], axis=1).ravel()
    count = int(np.prod(layout.shape))
    if both[count:].any():
        raise InputError("bad-memory", "the padding is not zero", where="unpack", levers=["pack the parameter anew"])
    return both[:count]
