"""Codes by which narrow integers lie in memory in fewer bits than a stream has for them (docs/reference/values.md).

A token's elements, in their order, are cut into groups; the last group is filled with zeros.  The codes of the groups
follow each other, the first in the low bits of the first byte; zeros fill the token's last byte.

- ``i3``: an element is its three bits.
- ``base-3``: five of -1, 0, 1 are the digits of a byte, one more than each, the first the lowest (1.6 bits each).
- ``3:4``: four of -1, 0, 1 of which one is 0 are its number in two bits, and above them the signs of the others, 1 for
  -1 (1.25 bits each; the sparsity of Sherry).
"""

from dataclasses import dataclass

import numpy as np

from sttest.core.errors import InputError
from sttest.reference.graph import BITS, Array, Bytes

_PARTS = 32
"""Tokens have so many bytes that parts of them, for several channels, are whole bytes; fillers are a 32nd at most."""


@dataclass(frozen=True)
class Code:
    """A code of groups of elements."""

    name: str
    dtype: str  # type of the elements in a stream
    group: int  # elements of a group
    bits: int  # bits of the code of a group

    def token_bytes(self, elements: int) -> int:
        """Bytes of a token of so many elements.

        >>> CODES["base-3"].token_bytes(10), CODES["3:4"].token_bytes(128), CODES["base-3"].token_bytes(4096)
        (2, 40, 832)
        """
        least = -(-(-(-elements // self.group) * self.bits) // 8)
        step = max(1, (1 << least.bit_length() - 1) // _PARTS)
        return -(-least // step) * step


CODES = {
    code.name: code for code in (Code("i3", "i3", 1, 3), Code("base-3", "i2", 5, 8), Code("3:4", "i2", 4, 5))
}  # fmt: skip


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
    numbers = _numbers(groups, code, elements, where)
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
    return _elements(numbers, code).reshape(len(data), -1)[:, :elements].astype(np.int8)


def _numbers(groups: Array, code: Code, elements: int, where: str) -> Array:
    reach = 1 << BITS[code.dtype] - 1
    if code.name == "i3":
        _require(where, np.all((groups >= -reach) & (groups < reach)), f"integers outside of {-reach} to {reach - 1}")
        return (groups & 2 * reach - 1)[..., 0]
    _require(where, np.all(np.abs(groups) <= 1), "integers outside of -1 to 1")
    if code.name == "base-3":
        return ((groups + 1) * 3 ** np.arange(code.group)).sum(-1)
    zeros = groups == 0
    whole = zeros.sum(-1) == 1
    _require(where, elements % code.group == 0 and bool(whole.all()), "fours that have not just one 0")
    place = zeros.argmax(-1)
    signs = groups[~zeros].reshape(*place.shape, code.group - 1) < 0
    return place + (signs << np.arange(2, code.group + 1)).sum(-1)


def _elements(numbers: Array, code: Code) -> Array:
    """The elements of each group, [..., group]."""
    if code.name == "i3":
        return ((numbers ^ 4) - 4)[..., None]
    if code.name == "base-3":
        return numbers[..., None] // 3 ** np.arange(code.group) % 3 - 1
    place, element = (numbers & 3)[..., None], np.arange(code.group)
    # Elements behind the zero have the sign of one number less.
    sign = numbers[..., None] >> np.where(element > place, element + 1, element + 2) & 1
    return np.where(element == place, 0, 1 - 2 * sign)


def _require(where: str, holds: bool | np.bool_, what: str) -> None:
    if not holds:
        raise InputError("bad-tensor", what, where=where, hints=["quantise as the design's scheme says"])
