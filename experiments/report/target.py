"""Where a page goes: what may be replaced, and files that appear whole or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

from sttest.errors import InputError

_BYTES_READ = 4096


def check_target(out: Path, generator: str) -> None:
    """Refuses what would be overwritten by mistake, and folders that are not there.

    Args:
        out: where a page will be written.
        generator: what an earlier page, which may be replaced, says that it was made by.

    Raises:
        InputError: with the way out.
    """
    levers = ["name another file with -o"]
    if not out.parent.is_dir():
        raise InputError("no-such-folder", "no such folder", where=str(out.parent), levers=[*levers, "make the folder"])
    if out.is_dir():
        raise InputError("not-a-file", "is a folder", where=str(out), levers=["name a file, as in -o report.html"])
    if out.exists():
        with out.open("rb") as file:
            is_ours = f'content="{generator} '.encode() in file.read(_BYTES_READ)
        if not is_ours:
            raise InputError("foreign-file", "is no earlier report", where=str(out), levers=[*levers, "remove it"])


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Has ``write`` write to a temporary name beside ``path``, then renames.

    Raises:
        InputError: it can't be written.
    """
    unfinished = path.with_name(f".{path.name}.new-{uuid.uuid4().hex[:8]}")
    try:
        write(unfinished)
        unfinished.replace(path)
    except OSError as error:
        levers = ["name another file with -o"]
        raise InputError(
            "unwritable", f"can't be written ({error.strerror})", where=str(path), levers=levers
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
