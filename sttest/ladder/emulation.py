"""One design's emitted C++ against the golden and the functional engine; a deadlock against the simulator's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sttest.boards.backends.csim import CsimRun, Executable, FifoUse, build_kernel
from sttest.boards.backends.device.design_files import DesignFiles, read_design
from sttest.errors import InputError
from sttest.ladder.case import Case
from sttest.ladder.differences import StreamComparison, compare_streams
from sttest.ladder.package_files import PackageFiles
from sttest.ladder.results import ResultComparison, compare_with_golden
from sttest.ladder.value_engines import run_csim, run_functional
from sttest.ladder.wait_cycle import WaitCycle, wait_cycle
from sttest.sim import TimedGraph, simulate
from sttest.sim.simulation import Simulation

SCHEMA = "sttest.csim/1"


@dataclass(frozen=True)
class CsimEmulation:
    """A run of the emitted C++ and what it was held against.

    Attributes:
        name: of the design.
        kernel: as it was built.
        run: of it.
        streams: against the functional engine, as far as the run came.
        results: against the golden; None after a deadlock.
        waits: who waits for whom after a deadlock.
        simulation: of the timed graph with the depths of the run.
    """

    name: str
    kernel: Executable
    run: CsimRun
    streams: StreamComparison
    simulation: Simulation
    results: ResultComparison | None = None
    waits: WaitCycle | None = None

    @property
    def fifos(self) -> list[FifoUse]:
        """Streams, the tightest first: by places that were never taken, then the deepest."""
        return sorted(self.run.fifos.values(), key=lambda use: (use.depth - use.peak, -use.depth, use.name))

    @property
    def names_the_same_cycle(self) -> bool:
        """After a deadlock: whether the simulator ends in the same waits."""
        return self.waits is not None and self.waits.is_that_of(self.simulation)

    @property
    def agrees(self) -> bool:
        """Whether all engines say the same: values, and whether the design ends."""
        if self.simulation.verdict != self.run.verdict:
            return False
        if self.run.verdict == "deadlock":
            return self.streams.differing == 0
        return "different" not in (self.streams.verdict, self.results and self.results.verdict)

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.csim/1``."""
        deadlock = None
        if self.waits is not None:
            theirs = self.simulation.deadlock
            deadlock = {
                **self.waits.to_json(),
                "simulator": None if theirs is None else theirs.to_json()["cycle"],
                "same_cycle": self.names_the_same_cycle,
            }
        return {
            "schema": SCHEMA,
            "name": self.name,
            "backend": "csim",
            "verdict": self.run.verdict,
            "simulator_verdict": self.simulation.verdict,
            "build_s": round(self.kernel.build_s, 3),
            "run_s": round(self.run.seconds, 3),
            "streams": self.streams.to_json(),
            "results": None if self.results is None else self.results.to_json(),
            "fifos": [vars(use) for use in self.fifos],
            "deadlock": deadlock,
        }


def emulate_csim(
    package: PackageFiles,
    case: Case,
    times: TimedGraph,
    work: Path,
    streams: Path,
    progress: Callable[[str], None] = lambda _step: None,
) -> CsimEmulation:
    """Builds the emitted C++, runs it on the case, and compares.

    Args:
        package: the design.
        case: of its block.
        times: the package's timed graph; its depths are those that the C++ runs with.
        work: for the build, which stays there.
        streams: gets the tokens of every stream, one file each.
        progress: called with each step.

    Raises:
        InputError: another block, or a depth that the C++ does not have.
        ToolMissingError: no C++ compiler.
        SttestError: the kernel did not compile, or did not end.
    """
    files = read_design(package.folder)
    fifos = _fifos(package, files)
    depths = _changed_depths(package, times, fifos)
    progress("compiling the C++")
    kernel = build_kernel(package.folder, work)
    images = case.images(package.values)
    progress("running the functional engine")
    functional = run_functional(package.values, images)
    progress("running the C++")
    csim = run_csim(package.values, images, kernel, files, streams, depths)
    assert csim.run is not None
    progress("comparing")
    compared = compare_streams(package.values, functional, csim)
    found = CsimEmulation(
        package.values.name, kernel, _without_blocks(fifos, csim.run), compared, simulate(times)
    )  # fmt: skip
    if csim.verdict == "deadlock":
        return replace(found, waits=wait_cycle(times, csim.run))
    return replace(found, results=compare_with_golden(package.values, case, csim))


def _fifos(package: PackageFiles, files: DesignFiles) -> set[str]:
    """The FIFOs that streams go through."""
    shared = {name for streams in files.shared_fifos.values() for name in streams}
    return (package.values.stream.keys() - shared) | files.shared_fifos.keys()


def _changed_depths(package: PackageFiles, times: TimedGraph, fifos: Collection[str]) -> Mapping[str, int]:
    """Depths that are not those of the package."""
    own = {fifo.name: fifo.depth for fifo in package.times.fifos}
    changed = {fifo.name: fifo.depth for fifo in times.fifos if fifo.depth != own[fifo.name]}
    for name in changed.keys() - {*fifos}:
        raise InputError(
            "no-stream", f"'{name}' counts the halves of a converter's buffer, of which the C++ has two",
            where="--depth", levers=["change the depth of a stream beside the converter"],
        )  # fmt: skip
    return changed


def _without_blocks(fifos: Collection[str], run: CsimRun) -> CsimRun:
    """FIFOs alone: buffers of converters have no names of their own in the C++."""
    return replace(run, fifos={name: use for name, use in run.fifos.items() if name in fifos})
