"""Hostile SDF3 files: entity bombs, odd structure, rates and times that make work."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
_ELEMENT = re.compile(rb"<(\w+)[^<>]*/>")
_VALUES = (
    b"", b"-1", b"0", b"1", b"2", b"3", b"997", b"65537", b"67108863", b"99999999999999999", b"9" * 5000, b"1e3",
    b"0x10",
    b"1,2,3", b"1000*1", b"65536*1", b"99999*0", b"1,,2", b"*", b"2*", b"\xd9\xa3", b" 7 ", b"a", b"in", b"out",
    b"&#27;[2J", b"&#x9b;31m", b"x" * 5000, b"&amp;" * 50,
)  # fmt: skip


def change(text: bytes, dice: random.Random) -> tuple[str, bytes]:
    """What was done, and the changed document."""
    how = dice.choice(tuple(_CHANGES))
    return how, _CHANGES[how](text, dice)


def _doctype(inside: bytes, body: bytes, text: bytes) -> bytes:
    start = text.find(b"<sdf3")
    return b'<?xml version="1.0"?>\n<!DOCTYPE sdf3 [' + inside + b"]>\n" + text[start:].replace(b">", b">" + body, 1)


def _laughs(text: bytes, dice: random.Random) -> bytes:
    lines = [b'<!ENTITY l0 "lol">']
    lines += [b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10) for i in range(1, dice.choice((3, 10, 30)))]
    return _doctype(b"".join(lines), b"&l%d;" % (len(lines) - 1), text)


def _external(text: bytes, dice: random.Random) -> bytes:
    target = dice.choice((b'SYSTEM "file:///etc/passwd"', b'SYSTEM "http://127.0.0.1/x"', b'PUBLIC "a" "/dev/zero"'))
    return _doctype(b"<!ENTITY x " + target + b">", b"&x;", text)


def _recursive(text: bytes, dice: random.Random) -> bytes:
    return _doctype(b'<!ENTITY a "&b;"><!ENTITY b "&a;">', dice.choice((b"&a;", b"")), text)


def _parameter(text: bytes, dice: random.Random) -> bytes:
    return _doctype(b'<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;', b"", text)


def _attribute(text: bytes, dice: random.Random) -> bytes:
    for _ in range(dice.choice((1, 1, 2, 5))):
        found = dice.choice(list(_ATTRIBUTE.finditer(text)) or [None])
        if found:
            text = text[: found.start(2)] + dice.choice(_VALUES) + text[found.end(2) :]
    return text


def _numbers(text: bytes, dice: random.Random) -> bytes:
    """Other whole numbers everywhere, so that rates seldom balance and times are long or zero."""
    numbers = dice.choice(((1, 2, 3), (0, 1), (7, 11, 13, 997), (1, 1 << 20), (1 << 26,), (0,), (1, 99991, 99989)))
    keys = dice.choice((b"rate", b"time", b"initialTokens", b"sz", b"rate|time|initialTokens"))
    pattern = re.compile(rb"\b(" + keys + rb')="[^"]*"')
    return pattern.sub(lambda found: b'%s="%d"' % (found[1], dice.choice(numbers)), text)


def _rename(text: bytes, dice: random.Random) -> bytes:
    values = [found[2] for found in _ATTRIBUTE.finditer(text)] or [b"a"]
    found = dice.choice(list(_ATTRIBUTE.finditer(text)) or [None])
    return text[: found.start(2)] + dice.choice(values) + text[found.end(2) :] if found else text


def _element(text: bytes, dice: random.Random) -> bytes:
    found = dice.choice(list(_ELEMENT.finditer(text)) or [None])
    if not found:
        return text
    return text[: found.start()] + found[0] * dice.choice((0, 0, 2, 500)) + text[found.end() :]


def _nested(text: bytes, dice: random.Random) -> bytes:
    depth = dice.choice((10, 100, 100_000))
    return text.replace(b"<csdf", b"<a>" * depth + b"<csdf", 1).replace(b"<sdf ", b"<a>" * depth + b"<sdf ", 1)


def _encoding(text: bytes, dice: random.Random) -> bytes:
    name = dice.choice((b"utf-7", b"utf-16", b"idna", b"rot13", b"latin-1", b"ebcdic-cp-us", b"x" * 300, b"undefined"))
    start = text.find(b"<sdf3")
    return b'<?xml version="1.0" encoding="' + name + b'"?>' + text[start:]


def _chain(text: bytes, dice: random.Random) -> bytes:
    """A chain of actors along which the rates multiply, or a wide or long graph."""
    size, put, taken = dice.choice(((20, 2, 1), (60, 3, 2), (400, 97, 89), (1500, 1, 1), (3000, 1, 1)))
    actors, channels, times = [], [], []
    for i in range(size):
        ports = b'<port name="i" type="in" rate="%d"/>' % taken if i else b""
        ports += b'<port name="o" type="out" rate="%d"/>' % put if i < size - 1 else b""
        actors.append(b'<actor name="a%d" type="t">%s</actor>' % (i, ports))
        times.append(b'<actorProperties actor="a%d"><processor type="p" default="true">' % i)
        times.append(b'<executionTime time="%d"/></processor></actorProperties>' % dice.randrange(3))
        if i:
            ends = b'srcActor="a%d" srcPort="o" dstActor="a%d" dstPort="i"' % (i - 1, i)
            channels.append(b'<channel name="c%d" %s/>' % (i, ends))
    inside = b"".join(actors + channels)
    return (
        b'<sdf3 type="sdf" version="1.0"><applicationGraph name="g"><sdf name="g" type="G">'
        + inside
        + b"</sdf><sdfProperties>"
        + b"".join(times)
        + b"</sdfProperties></applicationGraph></sdf3>"
    )


_CHANGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "billion laughs": _laughs,
    "external entity": _external,
    "recursive entity": _recursive,
    "parameter entity": _parameter,
    "attribute": _attribute,
    "numbers": _numbers,
    "rename": _rename,
    "element": _element,
    "nested": _nested,
    "encoding": _encoding,
    "chain": _chain,
}
