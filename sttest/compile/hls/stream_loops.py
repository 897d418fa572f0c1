"""Streams as loops that C++ can walk: what lies inside a block, and where its tokens start."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import prod

from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import StreamLoop, loops_of, raw_loops
from sttest.errors import InputError


def cut_inside(stream: ITensorType, inner_tokens: int, where: str) -> tuple[list[StreamLoop], list[StreamLoop]]:
    """The loops outside of, and inside, groups of ``inner_tokens`` tokens that follow each other.

    The loops as the type writes them are cut if they have such a boundary, else the canonical ones: a loop of 4
    around one of 3 that step alike are one of 12, which can be cut into pairs.

    Raises:
        InputError: the stream's loops have no such boundary.
    """
    for loops in (raw_loops(stream), loops_of(stream)):
        if (parts := _cut(loops, inner_tokens)) is not None:
            return parts
    raise InputError(
        "unaligned-stream", f"{inner_tokens} tokens of a stream of {stream.tokens} are not whole loops",
        where=where, levers=["stream the tensor in the order of the loops that read it"],
    )  # fmt: skip


def _cut(loops: list[StreamLoop], inner_tokens: int) -> tuple[list[StreamLoop], list[StreamLoop]] | None:
    outer, inner, left = list(loops), [], inner_tokens
    while left > 1 and outer:
        loop = outer.pop()
        if loop.trip > left and loop.trip % left == 0:
            outside, loop = loop.split(left)
            outer.append(outside)
        if left % loop.trip:
            return None
        inner.insert(0, loop)
        left //= loop.trip
    return (outer, inner) if left == 1 else None


def offsets(loops: Sequence[StreamLoop], rank: int) -> Iterator[tuple[int, ...]]:
    """How far each token of a nest lies from where the nest starts, per data dim, in stream order."""
    for point in itertools.product(*(range(loop.trip) for loop in loops)):
        yield tuple(
            sum(index * loop.strides[dim] for index, loop in zip(point, loops, strict=True)) for dim in range(rank)
        )


def lowest(loops: Sequence[StreamLoop], rank: int) -> tuple[int, ...]:
    """The lowest offset of a nest's tokens, per data dim, from where it starts."""
    return tuple(sum((loop.trip - 1) * min(0, loop.strides[dim]) for loop in loops) for dim in range(rank))


def count(loops: Sequence[StreamLoop]) -> int:
    """Tokens of a nest."""
    return prod(loop.trip for loop in loops)
