"""A study to start from: written where there is none, with a comment for everything that it can say."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from sttest.compile.options import choices_of, options_of, study_keys
from sttest.core.errors import InputError
from sttest.core.files import read_text
from sttest.studies.whatif.study import OPTIONS, STUDIES

__depends__ = ("sttest/studies/data/new/study.yaml",)

TEMPLATE = STUDIES / "new" / "study.yaml"
_SUFFIX = ".yaml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COLUMNS = 120


def write_new_study(name: str, taken: tuple[str, ...]) -> Path:
    """Writes ``NAME.yaml`` in the current folder.

    Args:
        name: name of the study, with or without the suffix.
        taken: names of the studies that come with sttest.

    Returns:
        The path of the file.

    Raises:
        InputError: no name of a file, that of a shipped study, a file that is there, or a folder that can't be written.
    """
    stem = name.removesuffix(_SUFFIX)
    path = Path(f"{stem}{_SUFFIX}")
    if not _NAME.fullmatch(stem):
        hints = ["take letters, digits, '-' and '_'"]
        raise InputError("bad-name", f"{name!r} is no name of a study", where="--new", hints=hints)
    if stem in taken:
        hints = [f"take another name, or run it: sttest whatif {stem}"]
        raise InputError("name-taken", f"'{stem}' is a study that comes with sttest", where="--new", hints=hints)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(new_study(stem))
    except FileExistsError as error:
        hints = ["take another name", f"run it: sttest whatif {path}"]
        raise InputError(
            "file-exists", "is there already, and is left as it is", where=str(path), hints=hints
        ) from error
    except OSError as error:
        hints = ["go to a folder that you may write"]
        raise InputError("not-written", str(error.strerror), where=str(path), hints=hints) from error
    return path


def new_study(name: str) -> str:
    """The text of a study that runs as it is."""
    text = read_text(TEMPLATE).rstrip()
    return text.replace("@NAME@", name).replace("@OPTIONS@", "\n".join(_options())) + "\n"


def _options() -> Iterator[str]:
    """A comment for every option of the compiler that a study can set."""
    known = set(study_keys())
    for name, field, option in options_of():
        if name not in known:
            continue
        is_switch = field.annotation is bool
        values = "0 1" if is_switch else " ".join(map(str, choices_of(field, option)))
        default = int(field.default) if is_switch else "none" if field.default is None else field.default
        told = f"{field.description or ''} {f'({values}) ' if values else ''}[{default}]"
        yield f"#   {OPTIONS}{name}"
        yield from textwrap.wrap(told, _COLUMNS, initial_indent="#       ", subsequent_indent="#       ")
