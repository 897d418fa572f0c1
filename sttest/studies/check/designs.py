"""What a path or standard input holds: a timed graph, SDF3, a package, linalg text, or a format of another tool."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import MANIFEST, STANDARD_INPUT, place_of, read_bytes
from sttest.core.plain_files import is_handed, why_no_file
from sttest.importers.formats import Format, format_named, formats
from sttest.importers.places import DesignPlaces
from sttest.importers.sniffing import Sight, is_project_file
from sttest.sim import TimedGraph
from sttest.sim.graph_json import SCHEMA as GRAPH_SCHEMA
from sttest.sim.graph_json import SMALLER, parse_timed_graph
from sttest.sim.sdf3 import parse_sdf3
from sttest.studies.check.companions import companions
from sttest.studies.check.own_files import graph_places, sdf3_places
from sttest.studies.check.request import Asked

TIMED_GRAPH, SDF3, PACKAGE, LINALG = "a timed graph", "an SDF3 graph", "a design package", "linalg text"
OWN_FORMS = (TIMED_GRAPH, SDF3, PACKAGE, LINALG)
BOARD = "u55c"
"""The board for which linalg text is compiled."""
_SYNTH = re.compile(rb"[\"\s(]linalg\.\w")


@dataclass(frozen=True)
class CheckedDesign:
    """A graph, and how it was come by.

    ``find_schedules``: gives the graph under each schedule that is possible, nothing where there is one.
    ``text``: of a graph that sttest reads itself; ``options``: those that its format was read with; ``beside``: files
    that were found for them.
    """

    graph: TimedGraph
    form: str
    source: Path
    find_places: Callable[[], DesignPlaces] = DesignPlaces
    find_schedules: Callable[[], Mapping[str, TimedGraph]] = dict[str, TimedGraph]
    format: Format | None = None
    text: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    beside: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()


def designs_of(path: Path, data: bytes | None, asked: Asked) -> Iterator[CheckedDesign]:
    """The designs of an input; several of a package of groups.

    Args:
        path: file or folder; ``-`` is standard input.
        data: what standard input held; None where it is not meant.
        asked: how they are read.

    Raises:
        SttestError: nothing is there, it is not recognized, or it cannot be read.
    """
    if data is None and not path.is_dir() and not path.is_file() and not is_handed(path):
        raise InputError("no-such-file", _why_no_file(path), where=str(path), hints=_ways_in(path))
    sight = Sight(path, read_bytes(path) if data is None and is_handed(path) else data)
    if asked.form:
        yield _imported(sight, [format_named(asked.form)], asked)
    elif sight.is_folder and (path / MANIFEST).is_file():
        yield from _packaged(path)
    elif sight.schema == GRAPH_SCHEMA or {"processes", "fifos"} <= set(sight.content):
        yield _timed_graph(sight)
    elif sight.tag == "sdf3":
        yield _sdf3(sight)
    elif found := [each for each in formats().values() if each.sniffs(sight)]:
        yield _imported(sight, sorted(found, key=lambda each: not each.is_asked_first), asked)
    elif _SYNTH.search(sight.code):
        yield _compiled(sight)
    else:
        raise _not_recognized(sight)


def _timed_graph(sight: Sight) -> CheckedDesign:
    data = _all_of(sight)
    graph = parse_timed_graph(data, sight.path)
    text = data.decode()
    return CheckedDesign(graph, TIMED_GRAPH, sight.path, lambda: graph_places(sight.path, text), text=text)


def _sdf3(sight: Sight) -> CheckedDesign:
    data = _all_of(sight)
    graph = parse_sdf3(data, place_of(sight.path))
    text = data.decode(errors="replace")
    return CheckedDesign(graph, SDF3, sight.path, lambda: sdf3_places(sight.path, text), text=text)


def _packaged(folder: Path) -> Iterator[CheckedDesign]:
    # The package room knows the compiler's options, which take a while to import.
    from sttest.package import load_graph
    from sttest.package.group_package import GroupPackage

    if GroupPackage.is_there(folder):
        package = GroupPackage.read(folder)
        for name, group in zip(package.content.groups, package.groups, strict=True):
            yield CheckedDesign(group.timed_graph, PACKAGE, folder / name)
    else:
        yield CheckedDesign(load_graph(folder), PACKAGE, folder)


def _compiled(sight: Sight) -> CheckedDesign:
    # The compiler, which nothing else here needs.
    from sttest.compile.compiler import compile_text

    text = _all_of(sight).decode()
    name = "design" if sight.path == STANDARD_INPUT else sight.path.stem
    graph = compile_text(text, name, BOARD, where=place_of(sight.path)).graph
    assumed = (f"compiled for the {BOARD} with the compiler's defaults; see 'sttest compile' for others",)
    return CheckedDesign(graph, LINALG, sight.path, assumed=assumed)


def _imported(sight: Sight, known: list[Format], asked: Asked) -> CheckedDesign:
    """The design as the first of the formats reads it that does not refuse it; else what they say."""
    if sight.data is not None:
        what = f"{known[0].name} reads files beside it, which standard input does not have"
        raise InputError("one-file", what, where=place_of(sight.path), hints=["name the file or folder"])
    source = sight.path
    if not sight.is_folder and is_project_file(sight):
        source = source.parent
    refused: dict[str, InputError | ToolMissingError] = {}
    for each in known:
        try:
            return _read(each, source, asked)
        except (InputError, ToolMissingError) as error:
            refused[each.name] = error
    if len(refused) == 1:
        raise next(iter(refused.values()))
    what = "; ".join(f"as {name}: {error.what}" for name, error in refused.items())
    hints = dict.fromkeys(hint for error in refused.values() for hint in error.hints)
    raise InputError("not-read", what, where=str(source), hints=hints)


def _read(form: Format, source: Path, asked: Asked) -> CheckedDesign:
    given = asked.options()
    if not asked.is_strict:
        given = {name: value for name, value in given.items() if name in form.options}
    if asked.no_run and "no_run" in form.options:
        given["no_run"] = True
    found = companions(source, [name for name in form.options if name not in given])
    notes: list[str] = []
    options = {**given, **found}
    checks: list[str] = []
    lists = {"notes": notes, "checks": checks}
    graph = form.read(source, {**options, **{name: each for name, each in lists.items() if name in form.options}})
    beside = tuple(f"{name} {_shown(path)}" for name, path in found.items())
    return CheckedDesign(
        graph,
        form.name,
        source,
        lambda: form.places(source, options),
        lambda: form.schedules(source, options),
        form,
        options=options,
        beside=beside,
        assumed=(*form.assumes, *notes),
        checked=tuple(checks),
    )


def _shown(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _all_of(sight: Sight) -> bytes:
    return read_bytes(sight.path, hints=SMALLER) if sight.data is None else sight.data


# --- What is none of these


def _not_recognized(sight: Sight) -> InputError:
    names = ", ".join([*OWN_FORMS, *formats()])
    what = f"{_described(sight)}, which is none of what is checked: {names}"
    hints = (*_ways_in(sight.path), *_inside(sight), "name its format with --format")
    return InputError("not-recognized", what, where=place_of(sight.path), hints=hints[:3])


def _described(sight: Sight) -> str:
    found = _way_in(sight.path)
    if sight.is_folder:
        empty = not any(sight.path.iterdir())
        return "an empty folder" if empty else found.what if found else "a folder with no design that is known"
    if not sight.head.strip():
        return "an empty file"
    if not sight.is_text:
        return "binary data of no known form"
    return found.what if found else "text of no known form"


def _inside(sight: Sight) -> tuple[str, ...]:
    """What lies in a folder and is recognized, of many the first."""
    if not sight.is_folder:
        return ()
    paths = [path for path, _ in zip(sorted(sight.path.iterdir()), range(MOST_ENTRIES), strict=False)]
    found = [path for path in paths if path.is_dir() or path.is_file()]
    known = [str(path) for path in found if _is_known(Sight(path))]
    return (f"name what is in it, such as {' '.join(known[:3])}",) if known else ()


MOST_ENTRIES = 64


def _is_known(sight: Sight) -> bool:
    if sight.is_folder and (sight.path / MANIFEST).is_file():
        return True
    return sight.schema == GRAPH_SCHEMA or sight.tag == "sdf3" or any(each.sniffs(sight) for each in formats().values())


def _ways_in(path: Path) -> tuple[str, ...]:
    found = _way_in(path)
    return found.hints if found else ()


def _way_in(path: Path) -> Any:
    # What other commands read is known by the package room, which takes a while to import.
    from sttest.package.ways_in import way_in

    return None if path == STANDARD_INPUT else way_in(path)


def _why_no_file(path: Path) -> str:
    found = _way_in(path)
    return f"{found.what}, not a design" if found else why_no_file(path)
