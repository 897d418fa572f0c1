"""Tokens cut into equal slices: a stream as several narrower ones that walk in step.

A slice is a contiguous part of a token in row-major order: the token's first dim of more than one element is cut.
The stream of slice *j* is that of a tensor of its own, which holds slice *j* of every token, side by side as the
tokens are.
"""

from __future__ import annotations

from collections.abc import Sequence

from sttest.compile.dialects.itensor import ITensorType


def slice_dim(token: Sequence[int]) -> int:
    """The dim along which a token is cut."""
    return next((dim for dim, size in enumerate(token) if size > 1), 0)


def most_slices(stream: ITensorType) -> int:
    """The most slices, a power of two, that the tokens of a stream can be cut into; 1 where they cannot be cut."""
    slices = 1
    while _is_cut_by(stream, 2 * slices):
        slices *= 2
    return slices


def sliced(stream: ITensorType, slices: int) -> ITensorType:
    """The stream of one slice.

    Args:
        stream: of whole tokens.
        slices: that `_is_cut_by` allows, such as a power of two up to :func:`most_slices`.
    """
    dim = slice_dim(stream.element_shape)
    token = tuple(size // slices if axis == dim else size for axis, size in enumerate(stream.element_shape))
    steps = [
        step // slices if factor and trip > 1 else step
        for step, trip, factor in zip(stream.step_sizes, stream.trip_counts, stream.coefficients[dim], strict=True)
    ]
    return ITensorType.of(token, stream.dtype, stream.trip_counts, steps, stream.map, vector=stream.is_vector)


def is_sliced(part: ITensorType, whole: ITensorType, slices: int) -> bool:
    """Whether ``part`` is what :func:`sliced` gives."""
    return _is_cut_by(whole, slices) and sliced(whole, slices) == part


def _is_cut_by(stream: ITensorType, slices: int) -> bool:
    """Whether slices are equal, and every loop moves them as far apart as a tensor of slices has them."""
    dim = slice_dim(stream.element_shape)
    extent = stream.element_shape[dim]
    if extent % slices or any(stream.map.eval((0,) * stream.map.num_dims, ())):
        return False
    for loop, (trip, step) in enumerate(zip(stream.trip_counts, stream.step_sizes, strict=True)):
        moved = [axis for axis, row in enumerate(stream.coefficients) if row[loop]]
        if trip > 1 and dim in moved and (len(moved) > 1 or step % extent):
            return False
    return True
