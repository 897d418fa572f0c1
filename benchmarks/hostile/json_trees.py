"""Changes to the tree of a JSON document: types, numbers, names, keys, shape."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

Place = tuple[Any, Any]
"""A list or object, and an index or key in it."""

NUMBERS = (
    -1, 0, 1, 2, 3, 7, 1000, 1 << 16, 1 << 20, (1 << 31) - 1, 1 << 31, 1 << 40, (1 << 50) + 1, 1 << 63, 1 << 64,
    10**400, -(10**400), 10**4000, 0.5, -0.0, 1e308,
)  # fmt: skip
STRINGS = (
    "", "a", "b", "p", "read", "write", "g.npz", "../g.npz", "/etc/passwd", "..", ".", "x" * 300, "x" * 100_000,
    "\x1b[31mred\x1b[0m", "\x9b31m", "\u202eevil", "\x00", "a\nb", "\ud800", "\U0001f600", "é", "${HOME}", "%s%n",
    "a/../../b", "con\u200d", "\u00a0", "__class__",
)  # fmt: skip
MOST_CHARS = 1 << 22
"""Of what is added to a list; a document of hundreds of megabytes takes longer to make than to refuse."""
_RAW = "\x01raw\x02"
RAW_TOKENS = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "-1e999",
    "1" * 4301,
    "0x10",
    "01",
    "tru",
    "'a'",
    "nan",
    "",
    "//",
)


def change(text: bytes, dice: random.Random) -> tuple[str, bytes]:
    """What was done, and the changed document."""
    tree = json.loads(text)
    done = []
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        how = dice.choice(tuple(_CHANGES))
        places = list(_places(tree))
        if places:
            _CHANGES[how](places, dice)
            done.append(how)
    out = json.dumps(tree, ensure_ascii=dice.random() < 0.5)
    if _RAW in json.loads(json.dumps(out)) or json.dumps(_RAW) in out:
        out = out.replace(json.dumps(_RAW), dice.choice(RAW_TOKENS)).replace(f'"{_RAW}"', dice.choice(RAW_TOKENS))
    if dice.random() < 0.05:
        out, done = _repeated_key(out, dice), [*done, "repeated key"]
    return ", ".join(done), out.encode("utf-8", "surrogatepass")


def _places(tree: Any) -> Iterator[Place]:
    todo = [tree]
    while todo:
        node = todo.pop()
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key
            if isinstance(node[key], (dict, list)):
                todo.append(node[key])


def _pick(places: list[Place], dice: random.Random, kind: type | tuple[type, ...] = object) -> Place | None:
    fitting = [(node, key) for node, key in places if isinstance(node[key], kind) and not isinstance(node[key], bool)]
    return dice.choice(fitting) if fitting else None


def _number(places: list[Place], dice: random.Random) -> None:
    found = _pick(places, dice, (int, float))
    if found:
        found[0][found[1]] = dice.choice(NUMBERS)


def _nearby(places: list[Place], dice: random.Random) -> None:
    found = _pick(places, dice, int)
    if found:
        found[0][found[1]] = max(0, found[0][found[1]] + dice.choice((-2, -1, 1, 2, 100, 5000)))


def _string(places: list[Place], dice: random.Random) -> None:
    found = _pick(places, dice, str)
    if found:
        found[0][found[1]] = dice.choice(STRINGS)


def _swap(places: list[Place], dice: random.Random) -> None:
    (left, i), (right, k) = dice.choice(places), dice.choice(places)
    a, b = json.loads(json.dumps(left[i])), json.loads(json.dumps(right[k]))
    right[k], left[i] = a, b


def _swap_names(places: list[Place], dice: random.Random) -> None:
    left, right = _pick(places, dice, str), _pick(places, dice, str)
    if left and right:
        left[0][left[1]], right[0][right[1]] = right[0][right[1]], left[0][left[1]]


def _retype(places: list[Place], dice: random.Random) -> None:
    node, key = dice.choice(places)
    node[key] = dice.choice((None, True, False, [], {}, "1", 1, 1.0, [1], {"a": 1}, [None], [[]], _RAW))


def _remove(places: list[Place], dice: random.Random) -> None:
    node, key = dice.choice(places)
    del node[key]


def _add_key(places: list[Place], dice: random.Random) -> None:
    node, _ = dice.choice([place for place in places if isinstance(place[0], dict)] or places)
    if isinstance(node, dict):
        known = ("repeat", "end", "trace", "loops", "phases", "firings", "when", "tokens", "start", "channels", "kind")
        node[dice.choice((*STRINGS, *known))] = dice.choice((*NUMBERS, *STRINGS, None, []))


def _many(places: list[Place], dice: random.Random) -> None:
    found = _pick(places, dice, list)
    times = dice.choice((0, 2, 50, 2000))
    if found and found[0][found[1]] and times * len(json.dumps(found[0][found[1]])) <= MOST_CHARS:
        found[0][found[1]] = json.loads(json.dumps(found[0][found[1]] * times))  # each one may change by itself then


def _many_named(places: list[Place], dice: random.Random) -> None:
    """More FIFOs, processes or channels that differ in their names only."""
    found = _pick(places, dice, list)
    items = found[0][found[1]] if found else []
    more = dice.choice((1, 3000))
    is_named = bool(items) and isinstance(items[0], dict) and "name" in items[0]
    if found and is_named and more * len(json.dumps(items[0])) <= MOST_CHARS:
        found[0][found[1]] = items + [{**items[0], "name": f"{items[0]['name']}{i}"} for i in range(more)]


def _deep(places: list[Place], dice: random.Random) -> None:
    node, key = dice.choice(places)
    for _ in range(dice.choice((5, 40, 400))):
        node[key] = [node[key]] if dice.random() < 0.5 else {"a": node[key]}


_CHANGES: dict[str, Callable[[list[Place], random.Random], None]] = {
    "number": _number,
    "nearby number": _nearby,
    "string": _string,
    "swap": _swap,
    "swap names": _swap_names,
    "other type": _retype,
    "remove": _remove,
    "unknown or misplaced key": _add_key,
    "many": _many,
    "many of other names": _many_named,
    "deep": _deep,
}


def _repeated_key(text: str, dice: random.Random) -> str:
    colons = [at for at, char in enumerate(text) if text[at : at + 2] == '":' and char == '"']
    if not colons:
        return text
    end = dice.choice(colons)
    first = text.rfind('"', 0, end)
    return f"{text[:first]}{text[first : end + 1]}: 1, {text[first:]}" if first >= 0 else text
