"""Vitis HLS: a dataflow region in C++ with the reports of its synthesis.

Reads ``hls.app`` or ``hls_config.cfg``, the C++ that these name, and ``syn/report``: interval and iteration latency of
each loop.  Streams are called as they are declared (``rows``, ``lanes[3][1]``), processes as the functions they are.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sttest.importers.hls.project import read_project
from sttest.importers.hls.region import TOKEN_BITS, DataflowRegion, RegionTask, StreamVariable, reading_cpp
from sttest.importers.hls.region_places import region_places
from sttest.importers.hls.reports import read_reports
from sttest.importers.hls.stream_depths import write_stream_depths
from sttest.importers.hls.tasks import modules_of, region_processes
from sttest.importers.places import DesignPlaces
from sttest.sim import TimedGraph


def read_vitis(
    source: Path, *, reports: Path | None = None, top: str = "", notes: list[str] | None = None
) -> TimedGraph:
    """The design of a solution, a component or a C++ file.

    Args:
        source: folder or C++ file.
        reports: folder of the reports, or ``csynth.xml``; needed with a C++ file.
        top: the function that is the design.
        notes: list that gets what was assumed.

    Raises:
        InputError: no such design, or one whose times its text and reports do not tell.
    """
    project = read_project(source, reports)
    with reading_cpp(str(source)):
        synthesis = read_reports(project.reports)
        region = DataflowRegion(project.sources, top, project.top or synthesis.top)
        names = _process_names([task for task, _ in modules_of(region.tasks, synthesis)])
        found = region_processes(region, synthesis, lambda number, _task: names[number])
        fifos = region.fifos(StreamVariable.element_name)
    if notes is not None:
        notes += found.notes
        unknown = [each.name for each in region.streams.values() if not each.bits]
        notes += [f"tokens of '{name}' have {TOKEN_BITS} bits" for name in unknown]
    return TimedGraph(region.name, synthesis.clock_mhz, (*fifos, *found.turns), found.processes)


def places(source: Path, *, reports: Path | None = None, top: str = "") -> DesignPlaces:
    """Where streams are declared, tasks called, and accesses made; arguments as of :func:`read_vitis`.

    Raises:
        InputError: no such design.
    """
    project = read_project(source, reports)
    with reading_cpp(str(source)):
        synthesis = read_reports(project.reports)
        region = DataflowRegion(project.sources, top, project.top or synthesis.top)
        names = _process_names(region.tasks)
        return region_places(region, synthesis, lambda number, _task: names[number], StreamVariable.element_name)


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes the depths of a graph that was read from ``source``: a patch or, where ``out`` ends in .tcl, directives.

    Raises:
        InputError: the graph is not of that design, or a pragma cannot be changed.
    """
    # The graph has the name of its function; reports are not needed for this.
    project = read_project(source, source)
    with reading_cpp(str(source)):
        region = DataflowRegion(project.sources, graph.name)
        write_stream_depths(project.root, region, graph, StreamVariable.element_name, out)


def _process_names(tasks: Sequence[RegionTask]) -> list[str]:
    """The names of the functions; further calls of one are numbered as the tool numbers them."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for task in tasks:
        names.append(f"{task.name}_{seen[task.name]}" if seen[task.name] else task.name)
        seen[task.name] += 1
    return names
