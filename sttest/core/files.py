"""Checks, before any work is done, that a folder may be written or replaced."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from sttest.core.errors import InputError

MANIFEST = "manifest.json"


def check_output_folder(folder: Path, schema: str, what: str) -> None:
    """Refuses a folder that can't be written, or that holds anything but an earlier output of the same kind.

    Args:
        folder: it, or the folder in which it will be made, is left as it is.
        schema: schema of the manifest of an earlier output, which may be replaced.
        what: the kind of output, such as ``design package``.

    Raises:
        InputError: the request cannot be met; the hints say what would help.
    """
    hints = ["name another folder with -o"]
    if folder.exists() and not folder.is_dir():
        raise InputError("not-a-folder", "a file stands in the way", where=str(folder), hints=["name a folder"])
    if folder.is_dir() and any(folder.iterdir()) and _schema_of(folder) != schema:
        raise InputError(
            "foreign-folder", f"the folder holds something that is no {what}", where=str(folder),
            hints=[*hints, "empty it"],
        )  # fmt: skip
    parent = _nearest_parent(folder)
    try:
        with tempfile.TemporaryDirectory(dir=parent, prefix=".sttest-"):
            pass
    except OSError as error:
        raise InputError(
            "unwritable-folder", f"can't write in {parent} ({error.strerror})", where=str(folder), hints=hints
        ) from error


def _schema_of(folder: Path) -> object:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("schema") if isinstance(manifest, dict) else None


def _nearest_parent(folder: Path) -> Path:
    return next(parent for parent in folder.resolve().parents if parent.exists())


# --- Reading the text files that verbs are given, and writing those that they make


def read_text(path: Path, hints: list[str]) -> str:
    """The content of a UTF-8 file; ``-`` is standard input.

    Args:
        path: path of the file.
        hints: the way out where there is no such file.

    Raises:
        InputError: it can't be read, or is not UTF-8.
    """
    try:
        return sys.stdin.read() if path == Path("-") else path.read_text(encoding="utf-8")
    except OSError as error:
        what = f"can't be read ({error.strerror})"
        raise InputError("unreadable-file", what, where=str(path), hints=hints) from error
    except UnicodeDecodeError as error:
        what = f"not UTF-8 text at byte {error.start}"
        raise InputError("bad-encoding", what, where=str(path), hints=["name a .mlir text file"]) from error


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    unfinished = path.with_name(f".{path.name}.new")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


# --- Small JSON files with a schema: read with every doubt refused, written whole or not at all


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
