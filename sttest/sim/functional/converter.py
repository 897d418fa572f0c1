"""Converters: a buffer that is written in one order and read in another, block by block."""

from __future__ import annotations

from math import prod

import numpy as np

from sttest.errors import InputError
from sttest.sim.functional.element_types import Array
from sttest.sim.functional.graph import Converter, Stream
from sttest.sim.functional.tokens import (
    Offsets,
    compact_trips,
    element_numbers,
    expanded,
    gathered,
    offsets,
    row_major,
    scatter,
)


def convert(node: Converter, source: Stream, sink: Stream, tokens: Array) -> Array:
    """The sink's tokens, from those of the source.

    Raises:
        InputError: tokens that do not make whole blocks, an access outside of the buffer, or to an element
            that the block did not write; the message names token and element.
    """
    for stream in (source, sink):
        if stream.tokens % node.blocks or len(stream.element) != len(node.buffer):
            raise _broken(node, f"the tokens of '{stream.name}' do not make {node.blocks} blocks of {node.buffer}")
    rank = len(node.buffer)
    written = offsets(source, source.trips).reshape(node.blocks, source.tokens // node.blocks, rank)
    corners = written.min(axis=1)
    trips = compact_trips(sink, within=sink.tokens // node.blocks)
    read = offsets(sink, trips).reshape(prod(trips), rank)
    numbers = _token_numbers(sink, trips)
    blocks_read = numbers // (sink.tokens // node.blocks)
    blocks_written = np.repeat(np.arange(node.blocks), written.shape[1])
    into = _places(node, source, written.reshape(source.tokens, rank), corners, blocks_written, None)
    outof = _places(node, sink, read, corners, blocks_read, numbers)

    size = prod(node.buffer)
    halves = np.zeros(node.blocks * size, dtype=tokens.dtype)
    filled = np.zeros(node.blocks * size, dtype=np.bool_)
    pattern = element_numbers(source.element, node.buffer)
    scatter(halves, into, pattern, expanded(source, tokens).reshape(source.tokens, -1))
    scatter(filled, into, pattern, np.broadcast_to(np.True_, (source.tokens, len(pattern))))
    pattern = element_numbers(sink.element, node.buffer)
    if not filled.all():
        _refuse_unwritten(node, sink, gathered(filled, outof, pattern), read, numbers)
    return gathered(halves, outof, pattern).reshape((*trips, *sink.element))


def _token_numbers(stream: Stream, trips: tuple[int, ...]) -> Offsets:
    """Number in the whole stream of every token of a compact one."""
    numbers = np.arange(stream.tokens, dtype=np.int64).reshape(stream.trips)
    return numbers[tuple(slice(0, trip) for trip in trips)].reshape(-1)


def _places(
    node: Converter, stream: Stream, where: Offsets, corners: Offsets, block: Offsets, numbers: Offsets | None
) -> Offsets:
    """Where each token starts in the buffers of all blocks."""
    local = where - corners[block]
    inside = (local >= 0) & (local + np.array(stream.element) <= np.array(node.buffer))
    if not inside.all():
        first = int(np.argmin(inside.all(axis=1)))
        token = first if numbers is None else int(numbers[first])
        raise _broken(node, f"token {token} of '{stream.name}' at {where[first].tolist()} lies outside of the buffer")
    return block * prod(node.buffer) + row_major(local, node.buffer)


def _refuse_unwritten(node: Converter, sink: Stream, filled: Array, where: Offsets, numbers: Offsets) -> None:
    if filled.all():
        return
    first, place = divmod(int(np.argmin(filled)), filled.shape[1])
    local = np.array(np.unravel_index(place, sink.element), dtype=np.int64).reshape(-1)
    element = (where[first] + local).tolist()
    raise _broken(node, f"token {int(numbers[first])} of '{sink.name}' reads {element}, which the block did not write")


def _broken(node: Converter, what: str) -> InputError:
    return InputError("bad-converter", what, where=f"converter '{node.name}'", levers=["infer its buffer anew"])
