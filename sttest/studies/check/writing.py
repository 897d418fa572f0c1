"""Changes that were proposed, written into the files of a design."""

import hashlib
from contextlib import suppress
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_bytes, write_text
from sttest.core.plain_files import check_replaceable
from sttest.studies.check.finding import Change


def digest(path: Path) -> str:
    """SHA-256 of a file; empty where there is none that can be read."""
    with suppress(InputError):
        return hashlib.sha256(read_bytes(path)).hexdigest()
    return ""


def write_change(change: Change) -> list[str]:
    """Writes the files that a change is of, all of them or none; gives their paths.

    Raises:
        InputError: it cannot be made in place, or a file is another one by now.
    """
    if not change.edits:
        hints = ["write the change to a file with -o"]
        raise InputError("no-way-back", change.why_not or "there is nothing to write", where="--apply", hints=hints)
    for edit in change.edits:
        check_replaceable(Path(edit.path))
        if digest(Path(edit.path)) != edit.before:
            hints = ["check it again"]
            raise InputError("file-changed", "it was changed since it was read", where=edit.path, hints=hints)
    for edit in change.edits:
        write_text(Path(edit.path), edit.text)
    return [edit.path for edit in change.edits]
