"""`sttest emulate`: a design as clocked hardware, held against an engine token by token."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sttest.core.errors import DeadlockError, EnginesDisagreeError, InputError, SttestError
from sttest.package import load_graph
from sttest.sim import TimedGraph
from sttest.targets.rtl import Comparison, compare, emulate, with_iterations
from sttest.targets.rtl.drive import RtlRun, find_simulator
from sttest.verbs.output import print_json, progress
from sttest.verbs.simulate import Depths

SCHEMA = "sttest.emulation/1"


@dataclass(frozen=True)
class Emulation:
    """What the options ask for."""

    path: Path  # a package folder or a timed graph
    simulator: str  # ``verilator`` or ``icarus``
    engine: str  # simulation engine that the hardware is compared with
    work_dir: Path | None  # sources, build and log go into ``rtl`` below it; None for ``build/rtl-<name of path>``
    iterations: int  # iterations of actors that fire for ever
    max_clocks: int  # clock edges after which the hardware is stopped

    @property
    def folder(self) -> Path:
        """The work folder."""
        return self.work_dir or Path("build") / f"rtl-{self.path.stem or 'graph'}"


def run(request: Emulation, depths: Depths, *, as_json: bool) -> int:
    """Builds, runs, compares, prints.

    Returns:
        The exit code: 0 the same in every cycle, 3 a deadlock that both see, 6 they disagree.

    Raises:
        InputError: not a graph, or options that do not fit it.
        ToolMissingError: the simulator is not installed.
        SttestError: the clock edges did not suffice.
    """
    find_simulator(request.simulator)
    graph = with_iterations(depths.applied(load_graph(request.path)), request.iterations)
    _check_folder(request.folder)
    with progress(f"emulating {graph.name}") as step:
        step(f"building and running under {request.simulator}")
        ran = emulate(graph, request.simulator, request.folder, max_clocks=request.max_clocks)
        if ran.verdict == "limit":
            raise SttestError(
                "clock-limit", "not finished when the clock was stopped", where=graph.name, bound=request.max_clocks,
                unit="clock edges", hints=["raise --max-clocks"],
            )  # fmt: skip
        step(f"comparing with {request.engine}")
        found = compare(graph, ran, request.engine)
    if as_json:
        print_json(_summary(graph, ran, found))
    else:
        print(_text(ran, found))
    if not found.is_exact:
        return EnginesDisagreeError.exit_code
    return 0 if ran.verdict == "done" else DeadlockError.exit_code


def _check_folder(folder: Path) -> None:
    """Refuses a work folder that is no folder, or whose ``rtl``, which is made anew, is not of this verb's making."""
    if folder.exists() and not folder.is_dir():
        raise InputError("not-a-folder", "a file stands in the way", where=str(folder), hints=["name a folder"])
    made = folder / "rtl"
    if made.is_dir() and any(made.iterdir()) and not (made / "twin.json").is_file():
        raise InputError(
            "foreign-folder", "the folder holds something that is no RTL twin", where=str(made),
            hints=["name another --work-dir"],
        )  # fmt: skip


def _summary(graph: TimedGraph, ran: RtlRun, found: Comparison) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "name": graph.name,
        "backend": "rtl",
        "simulator": ran.simulator,
        "verdict": ran.verdict,
        "cycles": ran.cycles,
        "fifo_events": ran.fifo_events,
        "build_s": round(ran.build_s, 3),
        "run_s": round(ran.run_s, 3),
        "comparison": found.to_json(),
        "blocked": [vars(blocked) for blocked in ran.blocked],
    }


def _text(ran: RtlRun, found: Comparison) -> str:
    cycles = "deadlock" if ran.cycles is None else f"{ran.cycles:,} cycles"
    same = f"the same as {found.engine} in all {found.events:,} FIFO accesses"
    lines = [
        f"{ran.name}: {cycles}, {ran.fifo_events:,} FIFO accesses in hardware",
        f"  {ran.simulator}: built in {ran.build_s:.1f} s, run in {ran.run_s:.1f} s",
        f"  {same}" if found.first is None else f"  differs from {found.engine}: {found.first}",
    ]
    waits = [f"  '{b.process}' waits to {b.waits_to} '{b.fifo}': needs {b.need}, has {b.have}" for b in ran.blocked]
    return "\n".join([*lines, *waits])
