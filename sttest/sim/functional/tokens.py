"""Tokens of a stream as one array, and where their elements lie.

A stream's array has the shape [*trips, *element].  A loop that only streams
again what is inside it may have extent 1 there: its repetitions are then the
same tokens, held once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from sttest.sim.functional.element_types import Array
from sttest.sim.functional.graph import Stream

Offsets = NDArray[np.int64]
# Indices are made piece by piece: this many elements take 32 MiB of them.
_PIECE = 1 << 22


def compact_trips(stream: Stream, within: int | None = None) -> tuple[int, ...]:
    """Trips of every loop, 1 where the loop only repeats what is inside it.

    Args:
        stream: any.
        within: so many tokens make a block; loops that repeat whole blocks are kept.
    """
    inner, trips = 1, []
    block = within or stream.tokens
    for loop, trip in reversed(list(enumerate(stream.trips))):
        inner *= trip
        repeats = block % inner == 0 and not any(row[loop] for row in stream.coefficients)
        trips.append(1 if repeats else trip)
    return tuple(reversed(trips))


def offsets(stream: Stream, trips: Sequence[int]) -> Offsets:
    """Offset of each token's slice: [*trips, data dims], for full or compact trips."""
    grid = np.zeros((*trips, len(stream.element)), dtype=np.int64)
    for dim, (row, low) in enumerate(zip(stream.coefficients, stream.start, strict=True)):
        grid[..., dim] = low
        for loop, trip in enumerate(trips):
            values = np.arange(trip, dtype=np.int64) * (stream.steps[loop] * row[loop])
            grid[..., dim] += values.reshape([-1 if axis == loop else 1 for axis in range(len(trips))])
    return grid


def expanded(stream: Stream, values: Array) -> Array:
    """All tokens of a stream, [tokens, *element]; no copy where none is repeated."""
    full = np.broadcast_to(values, (*stream.trips, *stream.element))
    return full.reshape(stream.tokens, *stream.element)


def row_major(coordinates: Offsets, shape: Sequence[int]) -> Offsets:
    """Row-major number of each coordinate, [..., dims] to [...], in a tensor of that shape."""
    number = np.zeros(coordinates.shape[:-1], dtype=np.int64)
    for dim, size in enumerate(shape):
        number = number * size + coordinates[..., dim]
    return number


def element_numbers(element: Sequence[int], shape: Sequence[int]) -> Offsets:
    """Row-major numbers that the elements of a slice have in a tensor of that shape, the slice lying at its start."""
    indices = np.indices(element, dtype=np.int64).reshape(len(element), prod(element)).T
    return row_major(indices, shape)


def gathered(flat: Array, base: Offsets, pattern: Offsets) -> Array:
    """``flat[base + pattern]`` for every base: [bases, pattern]."""
    out = np.empty((len(base), len(pattern)), dtype=flat.dtype)
    for piece in _pieces(len(base), len(pattern)):
        out[piece] = flat[base[piece, None] + pattern]
    return out


def scatter(flat: Array, base: Offsets, pattern: Offsets, values: Array) -> None:
    """``flat[base + pattern] = values`` base after base; of values [bases, pattern]."""
    for piece in _pieces(len(base), len(pattern)):
        flat[base[piece, None] + pattern] = values[piece]


def _pieces(count: int, width: int) -> list[slice]:
    step = max(1, _PIECE // max(1, width))
    return [slice(first, first + step) for first in range(0, count, step)]
