"""Damage to a file that knows nothing of its format."""

from __future__ import annotations

import random
from collections.abc import Callable

_NASTY = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[2J", b"\xc2\x9b31m", b"\xe2\x80\xae", b"[" * 5000, b"{" * 50,
    b'"', b"\\u0000", b"\\ud800", b"-", b"9" * 5000, b"1e999", b"NaN", b"Infinity", b"&lol;", b"<", b"\n", b"\r",
)  # fmt: skip


def damage(data: bytes, dice: random.Random) -> tuple[str, bytes]:
    """What was done, and the damaged file."""
    how = dice.choice(tuple(_DAMAGES))
    return how, _DAMAGES[how](data, dice)


def _cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _flip(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 3, 20)) if changed else 0):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _span(data: bytes, dice: random.Random) -> tuple[int, int]:
    first = dice.randrange(len(data) + 1)
    return first, min(len(data), first + dice.choice((1, 4, 30, 300)))


def _duplicate(data: bytes, dice: random.Random) -> bytes:
    first, last = _span(data, dice)
    return data[:last] + data[first:last] * dice.choice((1, 2, 200)) + data[last:]


def _remove(data: bytes, dice: random.Random) -> bytes:
    first, last = _span(data, dice)
    return data[:first] + data[last:]


def _insert(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(_NASTY) + data[at:]


def _noise(data: bytes, dice: random.Random) -> bytes:
    first, last = _span(data, dice)
    return data[:first] + dice.randbytes(last - first) + data[last:]


_DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": _cut,
    "flip bits": _flip,
    "duplicate": _duplicate,
    "remove": _remove,
    "insert": _insert,
    "noise": _noise,
}
