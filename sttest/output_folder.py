"""Checks, before any work is done, that a folder may be written or replaced."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from sttest.errors import InputError

MANIFEST = "manifest.json"


def check_output_folder(folder: Path, schema: str, what: str) -> None:
    """Refuses a folder that can't be written, or that holds anything but an earlier output of the same kind.

    Args:
        folder: it, or the folder in which it will be made, is left as it is.
        schema: of the manifest of an earlier output, which may be replaced.
        what: the kind of output, such as ``design package``.

    Raises:
        InputError: with the way out.
    """
    levers = ["name another folder with -o"]
    if folder.exists() and not folder.is_dir():
        raise InputError("not-a-folder", "a file stands in the way", where=str(folder), levers=["name a folder"])
    if folder.is_dir() and any(folder.iterdir()) and _schema_of(folder) != schema:
        raise InputError(
            "foreign-folder", f"the folder holds something that is no {what}", where=str(folder),
            levers=[*levers, "empty it"],
        )  # fmt: skip
    parent = _nearest_parent(folder)
    try:
        with tempfile.TemporaryDirectory(dir=parent, prefix=".sttest-"):
            pass
    except OSError as error:
        raise InputError(
            "unwritable-folder", f"can't write in {parent} ({error.strerror})", where=str(folder), levers=levers
        ) from error


def _schema_of(folder: Path) -> object:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("schema") if isinstance(manifest, dict) else None


def _nearest_parent(folder: Path) -> Path:
    return next(parent for parent in folder.resolve().parents if parent.exists())
