"""Unified diffs that a format has made of files, applied to these in memory; every line has to be there."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_bytes

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
MOST_BYTES = 16 * 1024 * 1024


def is_patch(text: str) -> bool:
    """Whether a text is a unified diff of files called ``a/NAME`` and ``b/NAME``."""
    return text.startswith("--- a/")


def patched_files(text: str, source: Path) -> dict[Path, str]:
    """The files that a patch changes, each with its new text.

    The names of a patch are relative to the nearest folder above ``source``, or to itself, in which it applies.

    Raises:
        InputError: it applies in none of them.
    """
    parts = list(_parts(text))
    start = source.absolute()
    for folder in ([start] if start.is_dir() else []) + list(start.parents):
        if all((folder / name).is_file() for name, _ in parts):
            return {folder / name: _applied(folder / name, hunks) for name, hunks in parts}
    raise InputError("no-way-back", "its files are in no folder above", where=str(source))


def _parts(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Name and hunks of each file; the first line of a hunk is its header."""
    name, hunks = "", list[list[str]]()
    for line in text.split("\n"):
        if line.startswith("--- a/"):
            if name:
                yield name, hunks
            name, hunks = line.removeprefix("--- a/").split("\t")[0].rstrip("\r"), []
        elif _HUNK.match(line):
            hunks.append([line])
        elif hunks:
            hunks[-1].append(line)
    if name:
        yield name, hunks


def _applied(path: Path, hunks: Sequence[Sequence[str]]) -> str:
    lines = read_bytes(path, most_bytes=MOST_BYTES).decode("utf-8").split("\n")
    shift = 0
    for header, *body in hunks:
        place = _HUNK.match(header)
        assert place is not None, "a hunk begins with its header"
        kept = [line for line in body if line[:1] in ("-", " ", "+")]
        old, new = ([line[1:] for line in kept if line[0] in side] for side in ("- ", "+ "))
        start = int(place[1]) - (1 if int(place[2] or 1) else 0) + shift
        if lines[start : start + len(old)] != old:
            what = "the change does not fit its text"
            raise InputError("no-way-back", what, where=f"{path} line {start + 1}", hints=["write a patch with -o"])
        lines[start : start + len(old)] = new
        shift += len(new) - len(old)
    return "\n".join(lines)
