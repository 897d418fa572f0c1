"""Stream-HLS: the generated C++ of a design and the reports of its synthesis, as the FPGA 2025 artifact has them.

https://github.com/UCLA-VAST/Stream-HLS, MIT license.  A design is a folder such as ``mlps/opt5/ResMLP``:
``hls/src/ResMLP.cpp`` with one dataflow region, and ``hls/hls_ResMLP/solution1/syn/report`` with a report per module.
It is read as any other C++ for Vitis HLS.
"""

from dataclasses import replace
from pathlib import Path

from sttest.core.errors import InputError
from sttest.importers import cpp
from sttest.importers.places import DesignPlaces
from sttest.sim import TimedGraph


def read_streamhls(
    source: Path, *, no_run: bool = False, notes: list[str] | None = None, checks: list[str] | None = None
) -> TimedGraph:
    """The design of a folder; see :func:`sttest.importers.cpp.read_hls`.

    Raises:
        InputError: not such a folder, or a design whose times its text and reports do not tell.
    """
    folder = source.resolve()
    reports = _report_folder(folder)
    graph = cpp.read_hls(_source_file(folder), reports=reports, no_run=no_run, notes=notes, checks=checks)
    return replace(graph, name=design_name(folder))


def places(source: Path, **_others: object) -> DesignPlaces:
    """Where streams are declared, tasks called, and accesses made.

    Raises:
        InputError: not such a folder.
    """
    folder = source.resolve()
    return cpp.places(_source_file(folder), reports=_report_folder(folder))


def schedules(source: Path, **_others: object) -> dict[str, TimedGraph]:
    """The design under each schedule that is simulated, by its name.

    Raises:
        InputError: not such a folder.
    """
    folder = source.resolve()
    return cpp.schedules(_source_file(folder), reports=_report_folder(folder))


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes the depths of a graph that was read from ``source``: a patch or, where ``out`` ends in .tcl, directives.

    Raises:
        InputError: the graph is not of that design.
    """
    folder = source.resolve()
    cpp.write_depths(graph, _source_file(folder), out, root=folder)


def design_name(folder: Path) -> str:
    """Where a design stands in the artifact: set, options and design, as in ``mlps_opt5_resmlp``."""
    return "_".join(part.lower() for part in folder.parts[-3:] if part.strip("/"))


def _source_file(folder: Path) -> Path:
    found = [each for each in sorted(folder.glob("hls/src/*.cpp")) if not each.stem.endswith("_tb")]
    if len(found) != 1:
        told = f"{len(found)} C++ files in hls/src that are no test benches, not one"
        raise InputError("no-design", told, where=str(folder), hints=["name the folder of one design"])
    return found[0]


def _report_folder(folder: Path) -> Path:
    found = sorted(folder.glob("hls/*/*/syn/report"))
    if len(found) != 1:
        told = f"{len(found)} folders hls/*/*/syn/report, not one"
        raise InputError("no-report", told, where=str(folder), hints=["name the folder of one design"])
    return found[0]
