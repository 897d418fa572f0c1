"""Vivado and Vitis HLS solution folders: from files that the tool wrote to a timed graph, to the cycle where it can be.

The bitcode that was scheduled is executed on the inputs of the co-simulation; the schedule database has a stage for
every instruction of it.  Neither the tool nor the C++ is needed.  Every import is checked against what synthesis and
co-simulation said.
"""

from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import place_of
from sttest.importers.solution.assemble import FifoNames, assembled
from sttest.importers.solution.check import FolderCheck, checked
from sttest.importers.solution.dataflow import set_stages
from sttest.importers.solution.execute import execute
from sttest.importers.solution.folder import fifo_modules, find_solution
from sttest.importers.solution.matching import matched
from sttest.importers.solution.stages import staged
from sttest.sim import TimedGraph


def read_solution(
    source: Path,
    *,
    top: str = "",
    no_run: bool = False,
    anyway: bool = False,
    notes: list[str] | None = None,
    checks: list[str] | None = None,
) -> TimedGraph:
    """The design of a solution folder.

    Args:
        source: folder of the solution, or of a project that has one.
        top: the function that is the design, by default what the folder says.
        no_run: whether to refuse instead of executing the solution's bitcode.
        anyway: whether to give a graph that does not agree with what the folder says, too.
        notes: list that gets what was assumed.
        checks: list that gets what synthesis and co-simulation say beside what the graph gives.

    Raises:
        InputError: no such design, a part is missing, the schedule is not that of the bitcode, that cannot be run, or
            the graph does not agree with the co-simulation or, where there is none, with the synthesis.
    """
    graph, told = read_and_check(source, top=top, no_run=no_run, notes=notes)
    if checks is not None:
        checks += told.lines
    if not anyway:
        told.require_agreement(place_of(source))
    return graph


def read_and_check(
    source: Path, *, top: str = "", no_run: bool = False, notes: list[str] | None = None
) -> tuple[TimedGraph, FolderCheck]:
    """The design of a solution folder, and how it compares with what that says, whether it agrees or not."""
    solution = find_solution(source, top)
    if no_run:
        hints = ["leave out --no-run: the bitcode runs in a process of its own, with limits"]
        what = "a solution is read by executing its bitcode"
        raise InputError("needs-run", what, where=str(source), hints=hints)
    run = execute(solution)
    functions = matched(solution, run.code)
    for function in functions.values():
        set_stages(function)
    call = staged(functions, run.code, run.trace)
    said = [] if notes is None else notes
    names = FifoNames(run.code.channels, fifo_modules(solution), run.ports)
    graph = assembled(call, functions.values(), names, solution.clock_mhz, said)
    told = checked(solution, run, call, graph)
    said += told.notes
    return graph, told
