"""Codes by which narrow integers lie in memory in fewer bits than a stream has for them (docs/reference/values.md).

A token's elements, in their order, are cut into groups; the last group is filled with zeros.  The codes of the groups
follow each other, the first in the low bits of the first byte; zeros fill the token's last byte.

- ``i3``: an element is its three bits.
- ``base-3``: five of -1, 0, 1 are the digits of a byte, one more than each, the first the lowest (1.6 bits each).
- ``3:4``: four of -1, 0, 1 of which one is 0 are its number in two bits, and above them the signs of the others, 1 for
  -1 (1.25 bits each; the sparsity of Sherry).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sttest.core.errors import InputError
from sttest.reference.graph import Array, Bytes

_PARTS = 32
"""Tokens have so many bytes that parts of them, for several channels, are whole bytes; fillers are a 32nd at most."""


@dataclass(frozen=True)
class Code:
    """A code of groups of elements, which a type of weights has (:mod:`sttest.reference.weight_types`)."""

    name: str
    dtype: str  # type of the elements in a stream
    group: int  # elements of a group
    bits: int  # bits of the code of a group
    least: int  # least and largest integer that it has
    most: int
    numbers: Callable[[Array], Array]  # the code of each group, of elements [..., group]
    elements: Callable[[Array], Array]  # the inverse
    has_whole_groups: bool = False  # whether a token's elements are a multiple of a group
    decoder: str = ""  # the :class:`~sttest.compile.decoders.Decoder`; empty where a code is the bits of its element

    def token_bytes(self, elements: int) -> int:
        """Bytes of a token of so many elements.

        >>> BASE_3.token_bytes(10), THREE_OF_FOUR.token_bytes(128), BASE_3.token_bytes(4096)
        (2, 40, 832)
        """
        least = -(-(-(-elements // self.group) * self.bits) // 8)
        step = max(1, (1 << least.bit_length() - 1) // _PARTS)
        return -(-least // step) * step


def encode(tokens: Array, code: Code, where: str) -> Bytes:
    """The bytes of tokens.

    Args:
        tokens: int8 [tokens, elements].
        code: their code.
        where: stream, for the error.

    Returns:
        uint8 [tokens, bytes].

    Raises:
        InputError: integers that the code does not have.
    """
    count, elements = tokens.shape
    filled = np.zeros((count, -(-elements // code.group) * code.group), np.int64)
    filled[:, :elements] = tokens
    groups = filled.reshape(count, -1, code.group)
    _require(
        where,
        np.all((groups >= code.least) & (groups <= code.most)),
        f"integers outside of {code.least} to {code.most}",
    )
    _require(
        where, not (code.has_whole_groups and elements % code.group), f"elements that are no groups of {code.group}"
    )
    numbers = code.numbers(groups)
    _require(where, np.array_equal(code.elements(numbers), groups), f"groups that {code.name} has no code of")
    single = (numbers[..., None] >> np.arange(code.bits)) & 1
    packed = np.packbits(single.reshape(count, -1).astype(np.uint8), axis=1, bitorder="little")
    whole = np.zeros((count, code.token_bytes(elements)), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole


def decode(data: Bytes, code: Code, elements: int) -> Array:
    """The elements of tokens, int8 [tokens, elements], of bytes [tokens, bytes]."""
    groups = -(-elements // code.group)
    single = np.unpackbits(data, axis=1, bitorder="little")[:, : groups * code.bits]
    numbers = (single.reshape(len(data), groups, code.bits).astype(np.int64) << np.arange(code.bits)).sum(-1)
    return code.elements(numbers).reshape(len(data), -1)[:, :elements].astype(np.int8)


def _require(where: str, holds: bool | np.bool_, what: str) -> None:
    if not holds:
        raise InputError("bad-tensor", what, where=where, hints=["quantize as the design's scheme says"])


# --- The codes that sttest has


def _base_3_numbers(groups: Array) -> Array:
    return ((groups + 1) * 3 ** np.arange(5)).sum(-1)


def _base_3_elements(numbers: Array) -> Array:
    return numbers[..., None] // 3 ** np.arange(5) % 3 - 1


def _signs_numbers(groups: Array) -> Array:
    place, element = (groups == 0).argmax(-1), np.arange(4)
    signs = (groups < 0) & (element != place[..., None])
    # Elements behind the zero have the sign of one number less.
    return place + (signs << np.where(element > place[..., None], element + 1, element + 2)).sum(-1)


def _signs_elements(numbers: Array) -> Array:
    place, element = (numbers & 3)[..., None], np.arange(4)
    sign = numbers[..., None] >> np.where(element > place, element + 1, element + 2) & 1
    return np.where(element == place, 0, 1 - 2 * sign)


THREE_BITS = Code("i3", "i3", 1, 3, -4, 3, lambda groups: groups[..., 0] & 7, lambda n: ((n ^ 4) - 4)[..., None])
BASE_3 = Code("base-3", "i2", 5, 8, -1, 1, _base_3_numbers, _base_3_elements, decoder="sttest.compile.decoders:BASE_3")
THREE_OF_FOUR = Code(
    "3:4",
    "i2",
    4,
    5,
    -1,
    1,
    _signs_numbers,
    _signs_elements,
    has_whole_groups=True,
    decoder="sttest.compile.decoders:THREE_OF_FOUR",
)
