"""Reading JSON from elsewhere: every key known, every value of the type expected, one clear line otherwise."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from sttest.core.errors import InputError, did_you_mean

MAX_JSON_BYTES = 64 * 1024 * 1024
"""Python takes up to 24 times as much memory for what such a file holds."""
MAX_JSON_NESTING = 32
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1


def read_json(path: Path, kind: str = "a timed graph") -> Any:
    """The content of a JSON file; duplicate keys, NaN and infinities are refused.

    Args:
        path: path of the file.
        kind: expected content, for messages.

    Raises:
        InputError: the file cannot be read, is too large or too deeply nested, or is not such JSON.
    """
    data = _read_bytes(path, kind)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("unreadable", "cannot be read (not UTF-8 text)", where=str(path)) from error
    if nesting(data) > MAX_JSON_NESTING:
        what = f"not valid JSON for {kind}, nested more than {MAX_JSON_NESTING} deep"
        raise InputError("json-nesting", what, where=str(path))
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError("not-json", f"not valid JSON ({error})", where=str(path)) from error


def _read_bytes(path: Path, kind: str) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_JSON_BYTES + 1)
    except OSError as error:
        raise InputError("unreadable", f"cannot be read ({error.strerror})", where=str(path)) from error
    if len(data) > MAX_JSON_BYTES:
        raise InputError(
            "json-too-large",
            f"the file is too large to be {kind}",
            where=str(path),
            bound=MAX_JSON_BYTES,
            unit="bytes",
            hints=["move accesses into traces", "write loops instead of many events"],
        )
    return data


def nesting(data: bytes) -> int:
    """How deep the brackets of a JSON text are nested at most, found without parsing it.

    >>> nesting(b'{"a": [[], "[[["]}')
    3
    """
    brackets = _STEPS[np.frombuffer(_STRINGS.sub(b"", data), np.uint8)]
    depths = np.cumsum(brackets[brackets != 0], dtype=np.int32)
    return int(depths.max()) if depths.size else 0


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"key '{twice:.80}' stands twice in one object")
    return result


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


class JsonObject:
    """A JSON object with a place, whose keys are all known.

    Args:
        data: data that should be an object.
        where: its place, for messages.
        keys: the keys that it may have.

    Raises:
        InputError: not an object, or a key is unknown; the nearest known key is named.
    """

    def __init__(self, data: Any, where: str, keys: Iterable[str]) -> None:
        self.where = where
        if not isinstance(data, dict):
            raise InputError("not-an-object", f"expected an object, found {_kind(data)}", where=where)
        known = sorted(keys)
        for key in data:
            if key not in known:
                raise InputError(
                    "unknown-key", f"unknown key '{key:.80}'", where=where, hints=[did_you_mean(key, known)]
                )
        self._data: dict[str, Any] = data

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        return self._typed(key, default, str, "a string")

    def whole(self, key: str, default: int | None = None) -> int:
        """A whole number."""
        return self._typed(key, default, int, "a whole number")

    def whole_or_none(self, key: str) -> int | None:
        """A whole number, or None where it is null or missing."""
        return None if self._data.get(key) is None else self.whole(key)

    def number(self, key: str, default: float | None = None) -> float:
        """A number."""
        value = self._typed(key, default, (int, float), "a number")
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf

    def items(self, key: str, default: list[Any] | None = None) -> list[Any]:
        """A list."""
        return self._typed(key, default, list, "a list")

    def counts(self, key: str) -> dict[str, int]:
        """An object from names to whole numbers; empty where it is missing."""
        counts = self._typed(key, {}, dict, "an object")
        for name, value in counts.items():
            if not _is(value, int):
                raise self._wrong(f"{key}.{name:.80}", value, "a whole number")
        return counts

    def wholes(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers; empty where it is missing."""
        return tuple(self._each(key, int, "a whole number"))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; empty where it is missing."""
        return tuple(self._each(key, str, "a string"))

    def _each(self, key: str, kind: type, name: str) -> list[Any]:
        values = self.items(key, [])
        for value in values:
            if not _is(value, kind):
                raise self._wrong(key, value, f"a list with {name} in each place")
        return values

    def _typed(self, key: str, default: Any, kind: type | tuple[type, ...], name: str) -> Any:
        if key not in self._data:
            if default is None:
                raise InputError("missing-key", f"key '{key}' is missing", where=self.where, hints=[f"give {name}"])
            return default
        value = self._data[key]
        if not _is(value, kind):
            raise self._wrong(key, value, name)
        return value

    def _wrong(self, key: str, value: Any, name: str) -> InputError:
        return InputError("wrong-type", f"'{key}' is {_kind(value)}, not {name}", where=self.where)


def _is(value: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    return f"{type(value).__name__} {value!r:.40}" if not isinstance(value, (dict, list)) else type(value).__name__
