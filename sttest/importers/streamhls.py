"""Stream-HLS: the generated C++ of a design and the reports of its synthesis, as the FPGA 2025 artifact has them.

https://github.com/UCLA-VAST/Stream-HLS, MIT license.  A design is a folder such as ``mlps/opt5/ResMLP``:
``hls/src/ResMLP.cpp`` with one dataflow region, and ``hls/hls_ResMLP/solution1/syn/report`` with a report per module.
Streams are called f0, f1, ... in the order of their declarations, arrays row by row, and tasks p0, p1, ... in that of
their calls.
"""

from pathlib import Path

from sttest.core.errors import InputError
from sttest.importers.hls.project import read_sources
from sttest.importers.hls.region import DataflowRegion, reading_cpp
from sttest.importers.hls.region_places import region_places
from sttest.importers.hls.reports import read_reports
from sttest.importers.hls.stream_depths import write_stream_depths
from sttest.importers.hls.tasks import region_processes
from sttest.importers.places import DesignPlaces
from sttest.sim import TimedGraph


def read_streamhls(source: Path) -> TimedGraph:
    """The design of a folder.

    Raises:
        InputError: not such a folder, or a design whose times its text and reports do not tell.
    """
    folder = source.resolve()
    with reading_cpp(str(source)):
        region = _region(folder)
        reports = read_reports(_report_folder(folder))
        fifos = region.fifos(lambda stream, place: f"f{stream.first + place}")
        found = region_processes(region, reports, lambda number, _task: f"p{number}")
    return TimedGraph(design_name(folder), reports.clock_mhz, (*fifos, *found.turns), found.processes)


def places(source: Path) -> DesignPlaces:
    """Where streams are declared, tasks called, and accesses made.

    Raises:
        InputError: not such a folder.
    """
    folder = source.resolve()
    with reading_cpp(str(source)):
        region = _region(folder)
        reports = read_reports(_report_folder(folder))
        return region_places(
            region, reports, lambda number, _task: f"p{number}", lambda stream, place: f"f{stream.first + place}"
        )


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes the depths of a graph that was read from ``source``: a patch or, where ``out`` ends in .tcl, directives.

    Raises:
        InputError: the graph is not of that design.
    """
    folder = source.resolve()
    with reading_cpp(str(source)):
        region = _region(folder)
        write_stream_depths(folder, region, graph, lambda stream, place: f"f{stream.first + place}", out)


def _region(folder: Path) -> DataflowRegion:
    return DataflowRegion(read_sources([_source_file(folder)]))


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
