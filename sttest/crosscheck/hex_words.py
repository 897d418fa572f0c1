"""Tokens as lines of hexadecimal digits, which Verilog's ``$readmemh`` reads into an array of words."""

from collections.abc import Iterator
from math import prod

import numpy as np

from sttest.reference.graph import BITS, Array

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
# Digits are made piece by piece: so many take some 32 MiB while they are made.
_PIECE = 1 << 22


def word_bits(dtype: str, lanes: int) -> int:
    """Bits of a token.

    >>> word_bits("i4", 16)
    64
    """
    return BITS[dtype] * lanes


def hex_bytes(dtype: str, lanes: int, tokens: int) -> int:
    """Bytes of the file of a stream: of each token its digits and the end of its line."""
    return tokens * (-(-word_bits(dtype, lanes) // 4) + 1)


def hex_lines(tokens: Array, dtype: str) -> Iterator[bytes]:
    """The file of some tokens, piece by piece.

    Lane 0, the first element of a token, is in the lowest bits and so at the end of the line.  Integers are in two's
    complement, floating point as its bits; the highest digit is filled up with zeros.

    Args:
        tokens: [tokens, *element], in the numpy type of the element type.
        dtype: element type.
    """
    lanes = prod(tokens.shape[1:])
    flat = tokens.reshape(len(tokens), lanes)
    step = max(1, _PIECE // (lanes * BITS[dtype]))
    for first in range(0, len(flat), step):
        yield _lines(flat[first : first + step], BITS[dtype])


def _lines(tokens: Array, bits: int) -> bytes:
    whole = np.ascontiguousarray(tokens)
    raw = whole.view(np.dtype(f"u{whole.dtype.itemsize}"))[:, ::-1, None]
    # Lanes of whole digits are cut into these; others into bits first.
    width = 4 if bits % 4 == 0 else 1
    shifts = np.arange(bits - width, -1, -width, dtype=raw.dtype)
    parts = (raw >> shifts & raw.dtype.type((1 << width) - 1)).astype(np.uint8).reshape(len(tokens), -1)
    digits = parts if width == 4 else _joined(parts)
    text = np.full((len(tokens), digits.shape[1] + 1), ord("\n"), np.uint8)
    text[:, :-1] = _DIGITS[digits]
    return text.tobytes()


def _joined(bits: Array) -> Array:
    """Digits of four bits each, zeros in front of the first ones: [words, bits] to [words, digits]."""
    filled = np.pad(bits, ((0, 0), (-bits.shape[1] % 4, 0)))
    return filled.reshape(len(bits), -1, 4) @ np.array([8, 4, 2, 1], np.uint8)
