"""What metric names are made of: a quantity, and in brackets or after ``n=`` the point that it is of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sttest.results import Row

_BRACKETED = re.compile(r"(?P<quantity>[^\[\]]*\S) \[(?P<point>[^\[\]]*)\](?P<rest>.*)")
_NAMED = re.compile(r"(?P<quantity>[^=]*\S) (?P<point>[a-z]\w*=\S.*)(?P<rest>)")


@dataclass(frozen=True)
class Name:
    """A metric in parts.

    ``latency item: host [32:32]`` is of family ``latency item``, quantity ``host`` and point ``32:32``;
    ``speed [64:64] with launch b`` of quantity ``speed with launch b``; ``cycles n=32`` of point ``n=32``.
    """

    family: str
    quantity: str
    point: str


def name_of(row: Row) -> Name:
    """The parts of a row's metric; what the row's model and board say already is left out of the point."""
    found = _BRACKETED.fullmatch(row.metric) or _NAMED.fullmatch(row.metric)
    quantity, point = (found["quantity"] + found["rest"], found["point"]) if found else (row.metric, "")
    family, colon, rest = quantity.partition(": ")
    parts = [part for part in point.split(", ") if part not in (row.model, row.board)]
    return Name(family if colon else "", rest if colon else quantity, ", ".join(parts))


def point_parts(points: list[str]) -> tuple[list[str], list[list[str]]]:
    """Columns that say the same as the points, and their texts.

    ``a=1, b=2`` is two columns if all points are made alike; else there is one column, ``point``.

    >>> point_parts(["n=32, normal", "n=64, least"])
    (['n', ''], [['32', 'normal'], ['64', 'least']])
    >>> point_parts(["32:32", "context=64"])
    (['point'], [['32:32'], ['context=64']])
    """
    split = [[part.partition("=") for part in point.split(", ")] for point in points]
    names = [[name if equals else "" for name, equals, _ in parts] for parts in split]
    if not names or any(each != names[0] for each in names) or not any(names[0]):
        return ["point"], [[point] for point in points]
    return names[0], [[rest if equals else name for name, equals, rest in parts] for parts in split]
