"""Small JSON files with a schema: read with every doubt refused, written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from sttest.errors import InputError

MAX_FILE_BYTES = 1024 * 1024


def read_object(path: Path, schema: str) -> dict[str, Any]:
    """The keys of a JSON object that declares ``schema``, without the key that does.

    Raises:
        InputError: the file cannot be read, is too large, is not such an object, or has a key twice.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError("unreadable-file", f"cannot be read: {error.strerror}", where=where) from error
    if len(data) > MAX_FILE_BYTES:
        raise InputError("file-too-large", "too large", where=where, bound=MAX_FILE_BYTES, unit="bytes")
    try:
        content = json.loads(data, object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError("not-json", f"not valid JSON ({error})", where=where) from error
    found = content.pop("schema", None) if isinstance(content, dict) else None
    if found != schema:
        raise InputError("wrong-schema", f"schema is {found!r}, not '{schema}'", where=where)
    return content


def write_object(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a JSON object to a temporary name and moves it into place."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=1) + "\n")
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return content


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
