"""The files of a design for Vitis HLS: its C++, what describes them, and the folder of its synthesis reports.

A design is named by the folder of a solution (``PROJECT/solution1``, beside ``hls.app``), of a project with one
solution, of a component of the unified IDE (with ``hls_config.cfg``), of a Tcl script with ``add_files``, or by a C++
file; one that such a description around it names is read with the files, the top and the settings of that.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_text, read_xml
from sttest.core.plain_files import why_no_file

MOST_SOURCE_BYTES = 4 * 1024 * 1024
"""Of one source file."""
MOST_SOURCES = 256
MOST_COMMAND_CHARS = 16_384
"""Of a command of a Tcl script, before and after its variables are put in."""
_UNITS = (".c", ".cc", ".cpp", ".cxx")
_SUFFIXES = (*_UNITS, ".h", ".hh", ".hpp", ".hxx")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,200})"', re.MULTILINE)
_REPORTS = ("syn/report", "hls/syn/report", "*/syn/report", "*/hls/syn/report")
_CONFIG = "hls_config.cfg"
_APPS = ("hls.app", "vivado_hls.app")
_DESCRIPTIONS = ("hls_config.cfg", "*.tcl", "*/hls.app", "*/vivado_hls.app")
_MOST_DESCRIPTIONS = 64
_LEVELS = 3
"""Folders above a C++ file in which a description of it is looked for."""
_SETTINGS = ("directives.tcl", "*/directives.tcl", "depths.tcl", _CONFIG)
_COMMAND = re.compile(r"^[ \t]*(add_files|set_top|create_clock|set)[ \t]+(.*)$", re.MULTILINE)
_PART = re.compile(r'"[^"]*"|\{[^{}]*\}|\[[^\[\]]*\]|\S+')


@dataclass
class HlsProject:
    """A design's files, and what is said beside them."""

    root: Path  # what the names of its files are relative to
    name: str
    units: list[Path]  # what is compiled
    top: str = ""  # function that was synthesized; empty where no file says
    flags: list[str] = field(default_factory=list[str])  # -I and -D
    clock_ns: float = 0.0  # that is asked for; 0 where no file says
    settings: list[str] = field(default_factory=list[str])  # texts with directives
    reports: Path | None = None  # folder, or a csynth.xml
    description: str = ""  # name of the file that describes a C++ file which was named by itself


def read_project(path: Path, reports: Path | None = None) -> HlsProject:
    """The files of a design.

    Args:
        path: folder or C++ file.
        reports: folder of the reports or a ``csynth.xml``; by default what is found below ``path``.

    Raises:
        InputError: no design there, several, or files that cannot be read.
    """
    if path.is_file():
        found = _around(path.resolve())
        if found is None:
            return HlsProject(
                path.parent, path.stem, [path.resolve()], reports=reports, settings=_settings(path.parent)
            )
        found.reports = reports
        return found
    if not path.is_dir():
        raise InputError("no-such-file", why_no_file(path), where=str(path))
    apps = (folder / name for folder in (path, path.parent) for name in _APPS)
    places = [*apps, path / _CONFIG, *sorted(path.glob("*.tcl"))]
    for place in places:
        found = _described(place, path) if place.is_file() else None
        if found is not None:
            found.reports = reports or _reports(path)
            return found
    hints = ["name a solution's folder, a component's, or a C++ file"]
    what = f"neither {_APPS[0]} nor {_CONFIG}, and no Tcl script with add_files"
    raise InputError("no-design", what, where=str(path), hints=hints)


def _around(path: Path) -> HlsProject | None:
    """The project whose description, in a folder around a C++ file, names that file; None where there is none."""
    for folder in path.parents[: _LEVELS + 1]:
        seen = 0
        for pattern in _DESCRIPTIONS:
            for place in sorted(folder.glob(pattern))[: _MOST_DESCRIPTIONS - seen]:
                seen += 1
                try:
                    found = _described(place, place.parent)
                except InputError:  # it describes something else, in a form of its own
                    continue
                if found is not None and path in found.units:
                    found.description = place.name
                    return found
    return None


def _described(place: Path, path: Path) -> HlsProject | None:
    """What a file describes; None of a script that adds no files.

    Raises:
        InputError: the files that it names are not there, or it cannot be read.
    """
    if place.name in _APPS:
        found, names = _of_app(place)
    else:
        text = read_text(place, most_bytes=MOST_SOURCE_BYTES)
        folder = place.resolve().parent
        found = HlsProject(folder, folder.name, [], settings=[text])
        names = _of_config(text, found) if place.suffix == ".cfg" else _of_script(text, found)
        if place.suffix == ".tcl" and not names:
            return None
    found.name = found.top or found.name
    found.units = _units(found.root, names, place)
    found.settings += _settings(path)
    return found


def _of_app(app: Path) -> tuple[HlsProject, list[str]]:
    """A project of the classic IDE; the names of its files are relative to the folder that it is in."""
    root = read_xml(app)
    folder = app.parent.resolve().parent
    found = HlsProject(folder, app.parent.name, [], root.get("top", ""))
    files = [
        file for files in root.iterfind("files") for file in files.iterfind("file")
        if file.get("tb", "false") in ("false", "0")
    ]  # fmt: skip
    for file in files:
        _add_flags(found, file.get("cflags", ""))
    return found, [file.get("name", "") for file in files]


def _of_config(text: str, found: HlsProject) -> list[str]:
    """A component of the unified IDE: ``syn.file``, ``syn.top``, ``syn.cflags`` and the clock."""
    names: list[str] = []
    for line in text.splitlines():
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals:
            continue
        if key == "syn.file":
            names.append(value)
        elif key == "syn.top":
            found.top = value
        elif key == "syn.cflags":
            _add_flags(found, value)
        elif key == "syn.file_cflags":
            _add_flags(found, value.partition(",")[2])
        elif key == "clock":
            found.clock_ns = _period(value)
    return names


def _of_script(text: str, found: HlsProject) -> list[str]:
    """A Tcl script: ``add_files`` without ``-tb``, ``set_top``, ``create_clock``, and variables that it sets."""
    names, values = list[str](), dict[str, str]()
    for command, rest in _COMMAND.findall(re.sub(r"\\\r?\n", " ", text)):
        _check_length(rest, found)
        known = re.sub(r"\$\{?(\w+)\}?", lambda name: values.get(name[1], name[0]), rest)
        _check_length(known, found)  # variables may double each other
        parts = [each.strip('"{}[]') for each in _PART.findall(known)]
        match command, parts:
            case "set", [name, value, *_]:
                values[name] = value
            case "set_top", [name, *_]:
                found.top = name
            case "create_clock", _ if "-period" in parts[:-1]:
                found.clock_ns = _period(parts[parts.index("-period") + 1])
            case "add_files", _ if "-tb" not in parts:
                while (
                    len(parts) > 1 and (place := next((n for n, each in enumerate(parts) if each[:1] == "-"), -1)) >= 0
                ):
                    option, value, parts[place : place + 2] = parts[place], parts[place + 1 : place + 2], []
                    if option == "-cflags" and value:
                        _add_flags(found, value[0])
                for name in " ".join(parts).split():
                    several = (
                        [each.relative_to(found.root) for each in sorted(found.root.glob(name))] if "*" in name else []
                    )
                    names += map(str, several or [name])
    return [each for each in names if each != "glob"]


def _check_length(command: str, found: HlsProject) -> None:
    if len(command) > MOST_COMMAND_CHARS:
        raise InputError(
            "command-too-long",
            "a command of the Tcl script with its variables",
            where=found.name,
            demand=len(command),
            bound=MOST_COMMAND_CHARS,
            unit="characters",
            hints=["name the .cpp file itself, with --reports"],
        )


def _period(text: str) -> float:
    """A clock period in ns: ``3.33``, ``3.33ns`` or ``300MHz``; 0 where it is none of these."""
    said = re.fullmatch(r"([0-9.]{1,12})\s*(ns|MHz)?", text.strip(), re.IGNORECASE)
    try:
        number = float(said[1]) if said else 0.0
    except ValueError:
        return 0.0
    return 1000.0 / number if number and said and (said[2] or "").lower() == "mhz" else number


def _add_flags(found: HlsProject, text: str) -> None:
    """Folders of headers and macros among options of a compiler."""
    try:
        parts = shlex.split(text)
    except ValueError:
        return
    for place, part in enumerate(parts):
        for option in ("-I", "-D"):
            value = part[2:] or (parts[place + 1] if place + 1 < len(parts) else "")
            if part.startswith(option) and value:
                told = f"-I{(found.root / value).resolve()}" if option == "-I" else f"-D{value}"
                found.flags += [told] if told not in found.flags else []


def _settings(folder: Path) -> list[str]:
    paths = [each for pattern in _SETTINGS for each in sorted(folder.glob(pattern))[:1]]
    return [read_text(each, most_bytes=MOST_SOURCE_BYTES) for each in paths if each.is_file()]


def _reports(path: Path) -> Path | None:
    found = next((each for pattern in _REPORTS if (each := sorted(path.glob(pattern)))), [])
    if len(found) > 1:
        hints = ["name one solution's folder", "add --reports"]
        raise InputError("no-reports", f"{len(found)} solutions", where=str(path), hints=hints)
    return found[0] if found else None


def _units(folder: Path, names: Sequence[str], where: Path) -> list[Path]:
    paths = [folder / name for name in names if Path(name).suffix.lower() in _SUFFIXES]
    there = list(dict.fromkeys(path.resolve() for path in paths if path.is_file()))
    if not there:
        told = f"none of its {len(paths)} C++ files is there" if paths else "it names no C++ file"
        raise InputError("no-sources", told, where=str(where), hints=["name the C++ file instead"])
    if len(there) > MOST_SOURCES:
        raise InputError("too-many-files", "too many source files", where=str(where), bound=MOST_SOURCES)
    return [path for path in there if path.suffix.lower() in _UNITS] or there


def read_sources(paths: Sequence[Path]) -> dict[Path, str]:
    """Texts of files with the headers that they include by name and that lie beside them, each once.

    Raises:
        InputError: a file that cannot be read, or too many.
    """
    found: dict[Path, str] = {}
    for path in paths:
        for each, text in _with_headers(path.resolve(), set(found)):
            found[each] = text
            if len(found) > MOST_SOURCES:
                raise InputError("too-many-files", "too many source files", where=str(path), bound=MOST_SOURCES)
    return found


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
