"""Files that a design is read with and that stand beside it: they are found, and said, where nobody names them."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from sttest.core.errors import InputError
from sttest.importers.sniffing import Sight

_REPORT = "csynth.xml"
_REPORT_FOLDERS = ("syn/report", "*/syn/report", "*/*/syn/report", "*/*/*/syn/report")
_TOP = re.compile(rb"<TopModelName>([^<]{1,200})</TopModelName>")
_CPP = (".c", ".cc", ".cpp", ".cxx")
MOST_LEVELS = 2
"""Folders above a source file in which the project of its synthesis is looked for."""
MOST_FOUND = 64


def companions(source: Path, options: Iterable[str]) -> dict[str, Path]:
    """What is found for options of a format that names of files are missing for.

    Args:
        source: the design.
        options: those of its format that were not given.

    Raises:
        InputError: there are several that could be meant.
    """
    found = {name: _FINDERS[name](source) for name in options if name in _FINDERS}
    return {name: path for name, path in found.items() if path is not None}


def _reports(source: Path) -> Path | None:
    """Reports of a C++ file or a trace: beside it, or in the project that is below one of the folders above it."""
    if source.is_dir():
        return None  # its reader looks below
    for folder in source.absolute().parents[:MOST_LEVELS]:
        if (folder / _REPORT).is_file():
            return folder / _REPORT
        for pattern in _REPORT_FOLDERS:
            if there := _some(path for path in folder.glob(pattern) if _is_of(path, source)):
                return _only(there, source, "folders of reports", "--reports")
    return None


def _is_of(folder: Path, source: Path) -> bool:
    """Whether there are reports in a folder, and their top is named in the source, where it is C++."""
    reports = sorted(folder.glob(f"*{_REPORT}"))[:MOST_FOUND]
    tops = {top for path in reports for top in _TOP.findall(Sight(path).head)}
    if not reports or not tops or source.suffix not in _CPP:
        return bool(reports)
    return any(re.search(rb"\b" + re.escape(top) + rb"\b", Sight(source).head) for top in tops)


def _rates(source: Path) -> Path | None:
    """The rates of a TAPA design: the only YAML beside its graph with tasks or loops of tasks."""
    folder = source if source.is_dir() else source.absolute().parent
    files = _some(path for suffix in ("yaml", "yml") for path in folder.glob(f"*.{suffix}") if path.is_file())
    there = [path for path in files if re.search(rb"^tasks:", Sight(path).head, re.MULTILINE)]
    return _only(there, source, "files of rates", "--rates") if there else None


def depths_beside(source: Path, option: str) -> Path:
    """Where a check keeps the depths of a design whose tool takes them from a file of their own, named by an option."""
    return source.with_suffix(f".{option}.json")


def folding_of(source: Path) -> Path:
    """The folding configuration that a check keeps beside an ONNX model of FINN."""
    return depths_beside(source, "folding")


def _folding(source: Path) -> Path | None:
    return folding_of(source) if folding_of(source).is_file() else None


_FINDERS: dict[str, Callable[[Path], Path | None]] = {"reports": _reports, "rates": _rates, "folding": _folding}


def _some(paths: Iterable[Path]) -> list[Path]:
    """Paths in order, of very many only some."""
    return sorted(path for path, _ in zip(paths, range(MOST_FOUND), strict=False))


def _only(there: list[Path], source: Path, what: str, option: str) -> Path:
    if len(there) == 1:
        return there[0]
    named = ", ".join(str(path) for path in there[:3])
    hints = [f"name one with {option}"]
    raise InputError("several-found", f"there are {len(there)} {what}: {named}", where=str(source), hints=hints)
