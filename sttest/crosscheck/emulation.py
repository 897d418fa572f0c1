"""One design's emitted C++ against the golden and the reference engine; a deadlock against the simulator's."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sttest.compile.hls.types import legal
from sttest.core.errors import InputError
from sttest.crosscheck.case import Case
from sttest.crosscheck.differences import StreamComparison, compare_streams
from sttest.crosscheck.engines import run_csim, run_reference
from sttest.crosscheck.results import ResultComparison, compare_with_golden
from sttest.package import DesignPackage
from sttest.sim import TimedGraph, simulate
from sttest.sim.graph import fifo_ends
from sttest.sim.simulation import Simulation
from sttest.targets.csim import BlockedProcess, CsimRun, Executable, FifoUse, build_kernel

# --- Who waits for whom after a C simulation has come to a stand, in the terms of the timed graph


@dataclass(frozen=True)
class StalledProcess:
    """A process that can't go on until the other end of a FIFO does."""

    process: str
    waits_to: Literal["read", "write"]
    fifo: str
    depth: int
    peer: str

    def __str__(self) -> str:
        return f"'{self.process}' waits to {self.waits_to} '{self.fifo}' (depth {self.depth}) for '{self.peer}'"


@dataclass(frozen=True)
class WaitCycle:
    """Each member waits for the next."""

    # processes in order; if ``is_closed`` the last waits for the first, else for a process that has ended
    waits: tuple[StalledProcess, ...]
    is_closed: bool

    def is_that_of(self, simulation: Simulation) -> bool:
        """Whether a simulation of the timed graph ends in the same waits."""
        if simulation.deadlock is None:
            return False
        theirs = {(wait.process, wait.waits_to, wait.fifo) for wait in simulation.deadlock.cycle}
        return theirs == {(wait.process, wait.waits_to, wait.fifo) for wait in self.waits}

    def to_json(self) -> dict[str, Any]:
        """The emulation as JSON values."""
        return {"cycle": [asdict(wait) for wait in self.waits], "is_closed": self.is_closed}


def wait_cycle(graph: TimedGraph, run: CsimRun) -> WaitCycle:
    """The waits that hold a run up: a closed cycle if there is one, else the chain from the first process.

    Args:
        graph: timed graph of the package, with the depths of the run.
        run: run that ended in a deadlock.
    """
    waits = {wait.process: wait for wait in (_wait(graph, blocked) for blocked in run.blocked)}
    chains = [_chain(waits, start) for start in waits]
    return next((chain for chain in chains if chain.is_closed), chains[0])


def _chain(waits: dict[str, StalledProcess], start: str) -> WaitCycle:
    """The chain of waits from a process on; if it closes, only its cycle is kept."""
    chain: list[StalledProcess] = []
    name = start
    while name in waits and waits[name] not in chain:
        chain.append(waits[name])
        name = waits[name].peer
    if name not in waits:
        return WaitCycle(tuple(chain), is_closed=False)
    return WaitCycle(_from_a_full_fifo(chain[chain.index(waits[name]) :]), is_closed=True)


def _from_a_full_fifo(cycle: list[StalledProcess]) -> tuple[StalledProcess, ...]:
    """A closed cycle told from a wait to write, which is where a depth may be wrong."""
    first = next((number for number, wait in enumerate(cycle) if wait.waits_to == "write"), 0)
    return (*cycle[first:], *cycle[:first])


def _wait(graph: TimedGraph, blocked: BlockedProcess) -> StalledProcess:
    names = [process.name for process in graph.processes]
    ends = fifo_ends(graph)
    if blocked.fifo in graph.fifo_index:
        index = graph.fifo_index[blocked.fifo]
        reader, writer = names[ends[index].reader], names[ends[index].writer]
        process, peer = (reader, writer) if blocked.waits_to == "read" else (writer, reader)
        return StalledProcess(process, blocked.waits_to, blocked.fifo, graph.fifos[index].depth, peer)
    # A stream of blocks: the half takes a full or an empty one from its other half.
    process = next(name for name in names if legal(name) == blocked.process)
    label, _, half = process.rpartition("_")
    peer = f"{label}_{'drain' if half == 'fill' else 'fill'}"
    between = (names.index(peer), names.index(process))
    index = next(number for number, end in enumerate(ends) if (end.writer, end.reader) == between)
    return StalledProcess(process, "read", graph.fifos[index].name, graph.fifos[index].depth, peer)


SCHEMA = "sttest.csim/1"


@dataclass(frozen=True)
class CsimEmulation:
    """A run of the emitted C++ and what it was held against."""

    name: str  # name of the design
    kernel: Executable  # the kernel as it was built
    run: CsimRun  # its run
    streams: StreamComparison  # against the reference engine, as far as the run came
    simulation: Simulation  # simulation of the timed graph with the depths of the run
    results: ResultComparison | None = None  # against the golden; None after a deadlock
    waits: WaitCycle | None = None  # who waits for whom after a deadlock

    @property
    def fifos(self) -> list[FifoUse]:
        """Streams, the tightest first: by places that were never taken, then the deepest."""
        return sorted(self.run.fifos.values(), key=lambda use: (use.depth - use.peak, -use.depth, use.name))

    @property
    def names_the_same_cycle(self) -> bool:
        """Whether the simulator's deadlock ends in the same waits."""
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
            "integer_types": self.kernel.integer_types,
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
    package: DesignPackage,
    case: Case,
    times: TimedGraph,
    work: Path,
    streams: Path,
    progress: Callable[[str], None] = lambda _step: None,
    ap_types: Path | None = None,
) -> CsimEmulation:
    """Builds the emitted C++, runs it on the case, and compares.

    Args:
        package: the design.
        case: inputs, parameters and golden of its block or text.
        times: the timed graph of what is emitted; its depths are those that the C++ runs with.
        work: folder of the build, which is kept.
        streams: folder for the tokens of every stream, one file each.
        progress: function that is called with each step.
        ap_types: folder of Xilinx's integer types; None for our own.

    Raises:
        InputError: another block, a depth that the C++ does not have, or no types in the folder.
        ToolMissingError: no C++ compiler.
        SttestError: the kernel did not compile, or did not end.
    """
    files = package.files
    fifos = files.depths.keys()
    depths = _changed_depths(package, times, fifos)
    progress("compiling the C++")
    kernel = build_kernel(files, work, ap_types=ap_types)
    images = case.images(package.reference_graph)
    progress("running the reference engine")
    reference = run_reference(package.reference_graph, images)
    progress("running the C++")
    csim = run_csim(package.reference_graph, images, kernel, files, streams, depths)
    assert csim.run is not None
    progress("comparing")
    compared = compare_streams(package.reference_graph, reference, csim)
    found = CsimEmulation(
        package.reference_graph.name, kernel, _without_blocks(fifos, csim.run), compared, simulate(times)
    )
    if csim.verdict == "deadlock":
        return replace(found, waits=wait_cycle(times, csim.run))
    return replace(found, results=compare_with_golden(package.reference_graph, case, csim))


def _changed_depths(package: DesignPackage, times: TimedGraph, fifos: Collection[str]) -> Mapping[str, int]:
    """Depths that are not those of the package."""
    own = {fifo.name: fifo.depth for fifo in package.emitted_graph.fifos}
    changed = {fifo.name: fifo.depth for fifo in times.fifos if fifo.depth != own[fifo.name]}
    for name in changed.keys() - {*fifos}:
        raise InputError(
            "no-stream",
            f"'{name}' counts the halves of a converter's buffer, of which the C++ has two",
            where="--depth",
            hints=["change the depth of a stream beside the converter"],
        )
    return changed


def _without_blocks(fifos: Collection[str], run: CsimRun) -> CsimRun:
    """FIFOs alone: buffers of converters have no names of their own in the C++."""
    return replace(run, fifos={name: use for name, use in run.fifos.items() if name in fifos})
