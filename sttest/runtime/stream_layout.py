"""In which order a parameter lies in memory: the tiles of its stream, each cut into port beats.

The facts are those of an itensor type and of the `layout` of its `df.dma_read`
(docs/explanation/quantization.md), as plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError

ElementType = Literal["i4", "i8", "f16", "f32"]
ELEMENT_BITS: dict[str, int] = {"i4": 4, "i8": 8, "f16": 16, "f32": 32}
# Loops are enumerated in memory; a table of a billion weights in 16 x 16 tiles has 4 million.
MAX_TOKENS = 2**27


@dataclass(frozen=True)
class StreamLayout:
    """How a tensor is streamed, and how each tile of the stream is cut.

    Loop ``l`` of ``trips[l]`` iterations has the values 0, ``steps[l]``, …; the offset of a
    token's tile along data dim ``d`` is the sum of ``coefficients[d][l]`` times these values.
    Loops are given outermost first.  Loops without coefficients stream again what is inside.

    Args:
        dtype: of one element.
        tile: shape of a token.
        trips, steps: of each loop.
        coefficients: per data dim, one number per loop.
        beat: shape of the part of a tile that one port beat carries; it divides the tile.
        beat_bits: width of the port.
    """

    dtype: ElementType
    tile: tuple[int, ...]
    trips: tuple[int, ...]
    steps: tuple[int, ...]
    coefficients: tuple[tuple[int, ...], ...]
    beat: tuple[int, ...]
    beat_bits: int = 512

    def __post_init__(self) -> None:
        rank, loops = len(self.tile), len(self.trips)
        if self.dtype not in ELEMENT_BITS:
            raise _bad(f"element type '{self.dtype}' is not one of {', '.join(ELEMENT_BITS)}")
        if len(self.steps) != loops or any(len(row) != loops for row in self.coefficients):
            raise _bad(f"{loops} trip counts need as many steps, and coefficients per data dim")
        if not rank or len(self.coefficients) != rank or len(self.beat) != rank:
            raise _bad(f"a tile of {rank} dims needs coefficients and a beat of as many")
        if min(*self.tile, *self.beat, *self.trips, *self.steps) < 1 or self.beat_bits < 8 or self.beat_bits % 8:
            raise _bad("extents, trip counts and steps are at least 1, and beats whole bytes")
        if any(size % part for size, part in zip(self.tile, self.beat, strict=True)):
            raise _bad(f"beats of {list(self.beat)} do not divide tiles of {list(self.tile)}")
        if prod(self.trips) > MAX_TOKENS:
            raise _bad(f"more than {MAX_TOKENS} tokens")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole tensor: per data dim, the highest offset plus the tile's extent."""
        return tuple(
            size + sum(max(0, c) * (trip - 1) * step for c, trip, step in zip(row, self.trips, self.steps, strict=True))
            for size, row in zip(self.tile, self.coefficients, strict=True)
        )

    @property
    def memory_shape(self) -> tuple[int, ...]:
        """The `layout` of `df.dma_read`: grid of tiles, beats in a tile, elements of a beat, each per data dim."""
        beats = (size // part for size, part in zip(self.tile, self.beat, strict=True))
        return (*self.grid, *beats, *self.beat)

    @property
    def grid(self) -> tuple[int, ...]:
        """Tiles along each data dim."""
        return tuple(-(-size // extent) for size, extent in zip(self.shape, self.tile, strict=True))

    @property
    def data_bytes(self) -> int:
        """Bytes that the elements fill, the last one perhaps by half."""
        return -(-prod(self.shape) * ELEMENT_BITS[self.dtype] // 8)

    @property
    def padded_bytes(self) -> int:
        """Bytes in memory: whole beats, so that a port may read the last one."""
        beat_bytes = self.beat_bits // 8
        return -(-self.data_bytes // beat_bytes) * beat_bytes

    def tiles_in_memory(self) -> NDArray[np.int64]:
        """Number in the row-major grid of each tile, in the order of memory: that of the first time it is streamed.

        Raises:
            InputError: the tiles overlap or leave gaps, so that memory has no such order.
        """
        moving = [loop for loop in range(len(self.trips)) if any(row[loop] for row in self.coefficients)]
        streamed = self._numbers(moving)
        _, first = np.unique(streamed, return_index=True)
        order = streamed[np.sort(first)]
        if len(order) != prod(self.grid):
            raise _bad(f"{len(order)} tiles do not cover a grid of {prod(self.grid)}")
        return order

    def stream(self) -> NDArray[np.int64]:
        """Place in memory, counted in tiles, of each token in stream order; repetitions included.

        Raises:
            InputError: see :meth:`tiles_in_memory`.
        """
        order = self.tiles_in_memory()
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return place[self._numbers(range(len(self.trips)))]

    def _numbers(self, loops: Sequence[int]) -> NDArray[np.int64]:
        """Row-major grid number of the tile of each token of some of the loops."""
        trips = [self.trips[loop] for loop in loops]
        steps = np.array([self.steps[loop] for loop in loops], dtype=np.int64)
        values = np.indices(trips, dtype=np.int64).reshape(len(loops), prod(trips)) * steps[:, None]
        number = np.zeros(prod(trips), dtype=np.int64)
        for row, extent, cells in zip(self.coefficients, self.tile, self.grid, strict=True):
            offsets = np.array([row[loop] for loop in loops], dtype=np.int64) @ values
            if (offsets % extent).any() or offsets.min() < 0:
                raise _bad(f"tiles of {list(self.tile)} overlap or start before the tensor")
            number = number * cells + offsets // extent
        return number


def row_major(shape: Sequence[int], dtype: ElementType, beat_bits: int = 512) -> StreamLayout:
    """A tensor as it is, as one tile: for what no stream has been chosen for."""
    extents = tuple(shape)
    return StreamLayout(dtype, extents, (), (), tuple(() for _ in extents), extents, beat_bits)


def _bad(what: str) -> InputError:
    return InputError("bad-layout", what, where="stream layout", hints=["take the layout of a compiled design"])
