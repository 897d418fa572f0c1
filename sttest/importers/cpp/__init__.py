"""HLS C++ as timed graphs: compiled by clang, run as a Kahn network in a process of its own, laid out in stages.

This module is what the format ``hls`` needs; clang and LLVM are imported when a design is read.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sttest.core.errors import InputError
from sttest.importers.places import DesignPlaces, Place
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
        hints = ["leave out --no-run: it runs in a process of its own, with limits"]
        raise InputError("needs-run", "C++ is read by running it", where=str(source), hints=hints)
    return read_design(source, reports, top, values or {}, notes, checks).graph


def places(
    source: Path, *, reports: Path | None = None, top: str = "", values: Mapping[str, str] | None = None,
    **_others: object,
) -> DesignPlaces:  # fmt: skip
    """Where streams are declared, tasks called, and accesses made; arguments as of :func:`read_hls`.

    Raises:
        InputError: the design cannot be read.
    """
    from sttest.importers.cpp.declarations import declarations, variable_of
    from sttest.importers.cpp.design import last_read, read_design
    from sttest.importers.hls.project import read_project, read_sources

    asked = reports, top, dict(values or {})
    network = last_read(source, asked) or read_design(source, *asked, None, None)
    fifos = {each.name: variable_of(each.name) for each in network.early.fifos}
    texts = read_sources(read_project(source, reports).units)
    found = declarations(texts, set(fifos.values()), network.early.name)
    declared = {
        name: Place(found[of][0].file, found[of][0].line) for name, of in fifos.items() if len(found.get(of, ())) == 1
    }
    return replace(network.places, fifos=declared)


def schedules(
    source: Path, *, reports: Path | None = None, top: str = "", values: Mapping[str, str] | None = None,
    **_others: object,
) -> dict[str, TimedGraph]:  # fmt: skip
    """The design under each schedule that is simulated, by its name; arguments as of :func:`read_hls`.

    Raises:
        InputError: the design cannot be read.
    """
    from sttest.importers.cpp.design import last_read, read_design

    asked = reports, top, dict(values or {})
    return (last_read(source, asked) or read_design(source, *asked, None, None)).schedules


def write_depths(graph: TimedGraph, source: Path, out: Path, *, root: Path | None = None) -> None:
    """Writes the depths of a graph that was read from ``source``: a patch or, where ``out`` ends in .tcl, directives.

    Args:
        graph: graph with the depths.
        source: file or folder of the design.
        out: file to write.
        root: folder that names in a patch are relative to; by default that of the project.

    Raises:
        InputError: the graph is not of that design, or a pragma cannot be changed.
    """
    from sttest.importers.cpp.depths_back import write_stream_depths
    from sttest.importers.cpp.design import last_read
    from sttest.importers.hls.project import read_project, read_sources

    project, network = read_project(source), last_read(source)
    own = {each.name: each.depth for each in network.early.fifos} if network is not None else {}
    write_stream_depths(root or project.root, read_sources(project.units), graph, own, out)
