"""Keys in memory in two parts: high bits that are always read, low bits that are read on demand.

A part of a vector begins a word of memory, so that reading one vector is one short burst; its elements follow each
other from the lowest bit on.  High bits are signed, low bits are not: an element is ``high << low_bits | low``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class PlaneFormat:
    """How keys lie in memory.

    Raises:
        InputError: parts without bits, or words that are not whole bytes.
    """

    dim: int = 64  # elements of a vector
    high_bits: int = 6
    low_bits: int = 4
    word_bits: int = 512  # bits of a word of memory

    def __post_init__(self) -> None:
        if min(self.dim, self.high_bits, self.low_bits) < 1 or self.word_bits < 8 or self.word_bits % 8:
            what = f"{self.high_bits} + {self.low_bits} bits in words of {self.word_bits}"
            raise InputError("bad-planes", what, where="keys", hints=["words are whole bytes"])

    def words(self, bits: int) -> int:
        """Words of a part of a vector."""
        return -(-self.dim * bits // self.word_bits)


def key_planes(keys: Integers, planes: PlaneFormat) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """High and low parts in memory, each [vectors, bytes].

    Args:
        keys: [vectors, dim], integers of as many bits as both parts have.
        planes: how they lie in memory.

    Raises:
        InputError: an integer that needs more bits.
    """
    most = 1 << (planes.high_bits + planes.low_bits - 1)
    if keys.size and not -most <= keys.min() <= keys.max() < most:
        raise InputError(
            "wide-key", "a key does not fit", where="keys", bound=planes.high_bits + planes.low_bits, unit="bits"
        )
    high = keys >> planes.low_bits & (1 << planes.high_bits) - 1
    low = keys & (1 << planes.low_bits) - 1
    return _packed(high, planes.high_bits, planes), _packed(low, planes.low_bits, planes)


def _packed(numbers: Integers, bits: int, planes: PlaneFormat) -> NDArray[np.uint8]:
    flags = (numbers[:, :, None] >> np.arange(bits) & 1).astype(np.uint8).reshape(len(numbers), -1)
    size = planes.words(bits) * planes.word_bits
    return np.packbits(np.pad(flags, ((0, 0), (0, size - flags.shape[1]))), axis=1, bitorder="little")


def read_order(again: Sequence[bool]) -> list[tuple[int, bool]]:
    """Heads in the order in which their keys are read, and whether it is their low bits.

    The next head's high bits come before low bits that what was decided about one asks for.
    """
    found = list[tuple[int, bool]]()
    for head in range(len(again) + 1):
        if head < len(again):
            found.append((head, False))
        if head and again[head - 1]:
            found.append((head - 1, True))
    return found
