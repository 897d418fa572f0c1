"""Hostile XML whose values are texts of elements, as in databases and reports of tools: numbers, references, parts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_LEAF = re.compile(rb"<(\w+)>([^<>]*)</\1>")
_VALUES = (
    b"", b"-1", b"0", b"1", b"2", b"3", b"7", b"40", b"997", b"1000000", b"2147483647", b"999999999999",
    b"-999999999999", b"9223372036854775807", b"9" * 5000, b"1e3", b"1.5", b"0x10", b"1_0", b"\xd9\xa3", b" 7 ", b"a",
    b"x" * 5000, b"&#x9b;31m", b"&amp;" * 50,
)  # fmt: skip
_MOST_BYTES = 1 << 20


def change(text: bytes, dice: random.Random) -> tuple[str, bytes]:
    """What was done, and the changed document."""
    how = dice.choice(tuple(_CHANGES))
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        text = _CHANGES[how](text, dice)
    return how, text[:_MOST_BYTES]


def _value(text: bytes, dice: random.Random) -> bytes:
    found = dice.choice(list(_LEAF.finditer(text)))
    return text[: found.start(2)] + dice.choice(_VALUES) + text[found.end(2) :]


def _reference(text: bytes, dice: random.Random) -> bytes:
    """A value that stands elsewhere in the document."""
    leaves = list(_LEAF.finditer(text))
    found = dice.choice(leaves)
    return text[: found.start(2)] + dice.choice(leaves)[2] + text[found.end(2) :]


def _near(text: bytes, dice: random.Random) -> bytes:
    """A number that is a little off."""
    found = dice.choice([each for each in _LEAF.finditer(text) if each[2].isdigit()])
    return text[: found.start(2)] + b"%d" % (int(found[2][:9]) + dice.choice((-2, -1, 1, 2))) + text[found.end(2) :]


def _everywhere(text: bytes, dice: random.Random) -> bytes:
    """One value for all elements of a name."""
    name = dice.choice(list(_LEAF.finditer(text)))[1]
    value = dice.choice(_VALUES)
    return re.sub(b"<" + name + rb">[^<>]*</", lambda _: b"<" + name + b">" + value + b"</", text)


def _leaf(text: bytes, dice: random.Random) -> bytes:
    found = dice.choice(list(_LEAF.finditer(text)))
    return text[: found.start()] + found[0] * dice.choice((0, 0, 2, 500)) + text[found.end() :]


def _line(text: bytes, dice: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    place = dice.randrange(len(lines))
    lines[place] = lines[place] * dice.choice((0, 0, 2))
    return b"".join(lines)


def _swapped(text: bytes, dice: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


_CHANGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "value": _value,
    "reference": _reference,
    "near": _near,
    "everywhere": _everywhere,
    "leaf": _leaf,
    "line": _line,
    "swapped": _swapped,
}
