"""Binary32 numbers at which operations are compared: special ones, borders of what is normal, random bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_LEAST, _INFINITY = 0x00800000, 0x7F800000


def special() -> Floats:
    """Zeros, infinities, NaN, subnormal numbers, neighbors of borders, whole and half numbers, of both signs."""
    borders = [0, 1, _LEAST - 1, _LEAST, _LEAST + 1, _INFINITY - 1, _INFINITY, 0x7FC00000, 0x00400000, 0x3F800000]
    borders += [0x3F7FFFFF, 0x3F800001, 0x42B17218, 0x42B17217, 0x42AEAC4F, 0x42AEAC50, 0x42AEAC51, 0x42CFF1B5]
    bits = np.array(borders, np.uint32)
    numbers = [0.5, 1.5, 2.5, 2.0, 4.0, 127.0, 128.0, 8388607.5, 2.0**22, 2.0**31, 65504.0, 65520.0]
    every = np.concatenate([bits.view(np.float32), np.array(numbers, np.float32)])
    return np.concatenate([every, -every])


def points(count: int, seed: int = 1) -> Floats:
    """Special numbers, then random bits and random numbers of moderate size by turns."""
    source = np.random.default_rng(seed)
    bits = source.integers(0, 1 << 32, count // 2, dtype=np.uint32).view(np.float32)
    moderate = (source.standard_normal(count - count // 2) * 2.0 ** source.integers(-12, 7, count - count // 2)).astype(
        np.float32
    )
    return np.concatenate([special(), bits, moderate])


def pairs(count: int, seed: int = 2) -> tuple[Floats, Floats]:
    """Operands: all pairs of special numbers, random ones, and some whose product, quotient or sum is near 2^-126."""
    source = np.random.default_rng(seed)
    some = special()
    left, right = np.repeat(some, len(some)), np.tile(some, len(some))
    a, b = points(count // 2, seed), points(count // 2, seed + 1)
    near = 1 + source.integers(-40, 40, count // 2) * 2.0**-24
    other = (1 + source.random(count // 2)).astype(np.float32)
    exponent = source.integers(-90, -40, count // 2)
    # other * 2^exponent times what brings it back to 2^-126, but for a few units of the last place.
    c = (other * 2.0**exponent).astype(np.float32)
    d = (near / other * 2.0 ** (-126.0 - exponent)).astype(np.float32)
    e = (near * 2.0**-126 * 2.0 ** (exponent + 60.0)).astype(np.float32)
    f = (2.0 ** (exponent + 60.0)).astype(np.float32)
    g = (source.integers(0, 1 << 25, count // 2, dtype=np.uint32)).view(np.float32)
    return (
        np.concatenate([left, a, c, e, g, -g]).astype(np.float32),
        np.concatenate([right, b, d, f, np.roll(g, 1), np.roll(g, 1)]).astype(np.float32),
    )


def same_bits(left: NDArray, right: NDArray) -> NDArray[np.bool_]:
    """Where two arrays have the same bits, or are both NaN."""
    same = left.view(np.uint32) == right.view(np.uint32)
    return same | (np.isnan(left) & np.isnan(right))
