"""Reading the text files that verbs are given, and writing those that they make."""

from __future__ import annotations

import sys
from pathlib import Path

from sttest.errors import InputError


def read_text(path: Path, levers: list[str]) -> str:
    """The content of a UTF-8 file; ``-`` is standard input.

    Args:
        path: of the file.
        levers: the way out where there is no such file.

    Raises:
        InputError: it can't be read, or is not UTF-8.
    """
    try:
        return sys.stdin.read() if path == Path("-") else path.read_text(encoding="utf-8")
    except OSError as error:
        what = f"can't be read ({error.strerror})"
        raise InputError("unreadable-file", what, where=str(path), levers=levers) from error
    except UnicodeDecodeError as error:
        what = f"not UTF-8 text at byte {error.start}"
        raise InputError("bad-encoding", what, where=str(path), levers=["name a .mlir text file"]) from error


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    unfinished = path.with_name(f".{path.name}.new")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
