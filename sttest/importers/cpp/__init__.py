"""HLS C++ as timed graphs: compiled by clang, run as a Kahn network in a process of its own, laid out in stages.

This module is what the format ``hls`` needs; clang and LLVM are imported when a design is read.
"""

from collections.abc import Mapping
from pathlib import Path

from sttest.core.errors import InputError
from sttest.importers.places import DesignPlaces
from sttest.sim import TimedGraph


def read_hls(
    source: Path,
    *,
    reports: Path | None = None,
    top: str = "",
    values: Mapping[str, str] | None = None,
    no_run: bool = False,
    notes: list[str] | None = None,
    checks: list[str] | None = None,
) -> TimedGraph:
    """The design of a C++ file, a solution or a component; reads stand early in an iteration, and writes late.

    Args:
        source: file or folder.
        reports: folder of the reports, or ``csynth.xml``; without them, times are estimated.
        top: the function that is the design.
        values: numbers of the top's scalars.
        no_run: whether to refuse instead of running the C++.
        notes: list that gets what was assumed.
        checks: list that gets what holds under which schedules.

    Raises:
        InputError: the design cannot be read, or what it does is not known without numbers that are not given.
        ToolMissingError: there is no clang.
    """
    from sttest.importers.cpp.design import read_design

    if no_run:
        hints = ["leave out --no-run: it runs in a process of its own, with limits", "import vitis reads the C++ only"]
        raise InputError("needs-run", "C++ is read by running it", where=str(source), hints=hints)
    return read_design(source, reports, top, values or {}, notes, checks).early


def places(source: Path, *, reports: Path | None = None, top: str = "", **_others: object) -> DesignPlaces:
    """Where streams are declared, tasks called, and accesses made, as far as the text alone tells.

    Args:
        source: file or folder.
        reports: as of :func:`read_hls`.
        top: the function that is the design.
    """
    from sttest.importers.vitis import places as places_by_text

    try:
        return places_by_text(source, reports=reports, top=top)
    except InputError:  # templates, macros and the like; processes have the lines of their functions all the same
        return DesignPlaces()


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes a patch after which streams and arrays have the depths of a graph; see ``pragma_depths``."""
    from sttest.importers.cpp.pragma_depths import write_pragma_depths
    from sttest.importers.hls.project import read_project

    project = read_project(source, source)
    write_pragma_depths(project.root, project.sources, graph, out)
