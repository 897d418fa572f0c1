"""Reading JSON from elsewhere: every key known, every value of the type expected, one clear line otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sttest.errors import InputError, did_you_mean

MAX_JSON_BYTES = 1 << 28


def read_json(path: Path) -> Any:
    """The content of a JSON file; duplicate keys, NaN and infinities are refused.

    Raises:
        InputError: the file cannot be read or is not such JSON.
    """
    try:
        size_bytes = path.stat().st_size
        if size_bytes > MAX_JSON_BYTES:
            raise InputError(
                "json-too-large",
                "the file is too large to be a timed graph",
                where=str(path),
                demand=size_bytes,
                bound=MAX_JSON_BYTES,
                unit="bytes",
            )
        text = path.read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError("unreadable", f"cannot be read ({reason})", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise InputError("not-json", f"not valid JSON ({error})", where=str(path)) from error


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key '{twice}' stands twice in one object")
    return result


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


class JsonObject:
    """A JSON object with a place, whose keys are all known.

    Args:
        data: what should be an object.
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
                raise InputError("unknown-key", f"unknown key '{key}'", where=where, levers=[did_you_mean(key, known)])
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
        return float(self._typed(key, default, (int, float), "a number"))

    def items(self, key: str, default: list[Any] | None = None) -> list[Any]:
        """A list."""
        return self._typed(key, default, list, "a list")

    def counts(self, key: str) -> dict[str, int]:
        """An object from names to whole numbers; empty where it is missing."""
        counts = self._typed(key, {}, dict, "an object")
        for name, value in counts.items():
            if not _is(value, int):
                raise self._wrong(f"{key}.{name}", value, "a whole number")
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
                raise InputError("missing-key", f"key '{key}' is missing", where=self.where, levers=[f"give {name}"])
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
