"""The files of a design for Vitis HLS: its C++, with the headers beside it, and the folder of its synthesis reports.

A design is named by the folder of a solution (``PROJECT/solution1``, beside ``hls.app``), of a project with one
solution, of a component of the unified IDE (with ``hls_config.cfg``), or by a C++ file with the folder of its reports.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_text, read_xml
from sttest.core.plain_files import why_no_file

MOST_SOURCE_BYTES = 4 * 1024 * 1024
"""Of one source file."""
MOST_SOURCES = 256
_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,200})"', re.MULTILINE)
_REPORTS = ("syn/report", "hls/syn/report", "*/syn/report", "*/hls/syn/report")
_CONFIG = "hls_config.cfg"
_APPS = ("hls.app", "vivado_hls.app")


@dataclass(frozen=True)
class SourceText:
    """The text of several files in one, which knows where each line is from."""

    files: tuple[tuple[Path, str], ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(text if text.endswith("\n") else f"{text}\n" for _, text in self.files)

    def place(self, line: int) -> tuple[Path, int]:
        """File and line number of a line of the whole, from 1."""
        for path, text in self.files:
            count = len(text.split("\n")) - text.endswith("\n")
            if line <= count:
                return path, line
            line -= count
        raise IndexError(line)


@dataclass(frozen=True)
class HlsProject:
    """A design's files."""

    root: Path  # what the names of its files are relative to
    name: str
    top: str  # function that was synthesized; empty where no file says
    sources: SourceText
    reports: Path  # folder, or a csynth.xml


def read_project(path: Path, reports: Path | None = None) -> HlsProject:
    """The files of a design.

    Args:
        path: folder or C++ file.
        reports: folder of the reports or a ``csynth.xml``; by default what is found below ``path``.

    Raises:
        InputError: no design there, several, or files that cannot be read.
    """
    if path.is_file():
        if reports is None:
            hints = ["add --reports PROJECT/solution1/syn/report"]
            raise InputError("no-reports", "a C++ file says nothing of intervals", where=str(path), hints=hints)
        return HlsProject(path.parent, path.stem, "", read_sources([path]), reports)
    if not path.is_dir():
        raise InputError("no-such-file", why_no_file(path), where=str(path))
    app = next((each for folder in (path, path.parent) for name in _APPS if (each := folder / name).is_file()), None)
    if app is not None:
        return _of_app(path, app, reports)
    config = path / _CONFIG
    if config.is_file():
        return _of_config(path, config, reports)
    hints = ["name a solution's folder, a component's, or a C++ file with --reports"]
    raise InputError("no-design", f"neither {_APPS[0]} nor {_CONFIG}", where=str(path), hints=hints)


def _of_app(path: Path, app: Path, reports: Path | None) -> HlsProject:
    """A project of the classic IDE; the names of its files are relative to the folder that it is in."""
    root = read_xml(app)
    folder = app.parent.resolve().parent
    names = [
        file.get("name", "") for files in root.iterfind("files") for file in files.iterfind("file")
        if file.get("tb", "false") in ("false", "0")
    ]  # fmt: skip
    top = root.get("top", "")
    return HlsProject(folder, top or app.parent.name, top, _sources(folder, names, app), reports or _reports(path))


def _of_config(path: Path, config: Path, reports: Path | None) -> HlsProject:
    """A component of the unified IDE: ``syn.file`` and ``syn.top`` of its configuration."""
    folder, names, top = path.resolve(), list[str](), ""
    for line in read_text(config, most_bytes=MOST_SOURCE_BYTES).splitlines():
        key, equals, value = (part.strip() for part in line.partition("="))
        if equals and key == "syn.file":
            names.append(value)
        elif equals and key == "syn.top":
            top = value
    return HlsProject(folder, top or folder.name, top, _sources(folder, names, config), reports or _reports(path))


def _reports(path: Path) -> Path:
    found = next((each for pattern in _REPORTS if (each := sorted(path.glob(pattern)))), [])
    if len(found) != 1:
        told = "no folder syn/report: it was not synthesized" if not found else f"{len(found)} solutions"
        raise InputError("no-reports", told, where=str(path), hints=["name one solution's folder", "add --reports"])
    return found[0]


def _sources(folder: Path, names: Sequence[str], where: Path) -> SourceText:
    paths = [folder / name for name in names if Path(name).suffix.lower() in _SUFFIXES]
    there = [path for path in paths if path.is_file()]
    if not there:
        told = f"none of its {len(paths)} C++ files is there" if paths else "it names no C++ file"
        hints = ["name the C++ file instead, with --reports"]
        raise InputError("no-sources", told, where=str(where), hints=hints)
    return read_sources(there)


def read_sources(paths: Sequence[Path]) -> SourceText:
    """Files with the headers that they include by name and that lie beside them, each once, before what includes it.

    Raises:
        InputError: a file that cannot be read, or too many.
    """
    found: dict[Path, str] = {}
    for path in paths:
        for each, text in _with_headers(path.resolve(), set(found)):
            found[each] = text
            if len(found) > MOST_SOURCES:
                raise InputError("too-many-files", "too many source files", where=str(path), bound=MOST_SOURCES)
    return SourceText(tuple(found.items()))


def _with_headers(path: Path, seen: set[Path]) -> Iterator[tuple[Path, str]]:
    if path in seen:
        return
    seen.add(path)
    text = read_text(path, most_bytes=MOST_SOURCE_BYTES)
    for name in _INCLUDE.findall(text):
        header = (path.parent / name).resolve()
        if header.suffix.lower() in _SUFFIXES and header.is_file():
            yield from _with_headers(header, seen)
    yield path, text
