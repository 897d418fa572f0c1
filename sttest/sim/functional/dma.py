"""DMAs: from an image of memory to tokens, and back."""

from __future__ import annotations

from math import prod

import numpy as np

from sttest.errors import InputError
from sttest.sim.functional.element_types import NUMPY, Array, Bytes
from sttest.sim.functional.graph import Load, Store, Stream
from sttest.sim.functional.memory import pack, tile_order, tiles_and_places, tiles_of
from sttest.sim.functional.tokens import compact_trips, element_numbers, expanded, gathered, offsets, row_major, scatter


def load(node: Load, stream: Stream, image: Bytes) -> Array:
    """The tokens that a DMA reads.

    Raises:
        InputError: an image of another length, or a stream that does not fit the layout.
    """
    tiles = tiles_of(image, node.layout, stream)
    number, place = tiles_and_places(node.layout, stream)
    if node.layout.packed:
        order = tile_order(node.layout, stream)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        number = position[number]
    pattern = element_numbers(stream.element, node.layout.tile)
    tokens = gathered(tiles.reshape(-1), number * prod(node.layout.tile) + place, pattern)
    return tokens.reshape((*compact_trips(stream), *stream.element))


def store(node: Store, stream: Stream, tokens: Array) -> Bytes:
    """The image that a DMA writes.

    Raises:
        InputError: tokens that miss a part of the tensor, or lie outside of it.
    """
    shape = node.layout.shape
    tensor = np.zeros(prod(shape), dtype=NUMPY[stream.dtype])
    written = np.zeros(prod(shape), dtype=np.bool_)
    where = offsets(stream, stream.trips).reshape(stream.tokens, len(stream.element))
    if len(shape) != where.shape[1] or (where < 0).any() or (where + np.array(stream.element) > shape).any():
        raise InputError("bad-layout", f"tokens lie outside of {list(shape)}", where=node.name)
    base, pattern = row_major(where, shape), element_numbers(stream.element, shape)
    scatter(tensor, base, pattern, expanded(stream, tokens).reshape(stream.tokens, -1))
    scatter(written, base, pattern, np.broadcast_to(np.True_, (stream.tokens, len(pattern))))
    if not written.all():
        missing = [int(axis) for axis in np.unravel_index(int(np.argmin(written)), shape)]
        raise InputError("unwritten", f"no token holds the element at {missing}", where=node.name)
    return pack(tensor.reshape(shape), node.layout, stream)
