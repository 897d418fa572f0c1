"""A design of any form, simulated: a package, a timed graph or an SDF3 file."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.package import DesignPackage, load_graph
from sttest.package.design_package import PARTITION
from sttest.package.group_package import require_one_design
from sttest.sim import Actor, Simulation, TimedGraph, simulate
from sttest.sim.api import one_iteration
from sttest.sim.critical_path import Segment, critical_path
from sttest.sim.export import last_cycle
from sttest.sim.sizing import LeastDepths, least_depths
from sttest.sim.throughput import SelfTimed

MAX_ITERATION_FIRINGS = 100_000
"""Firings of one iteration of endless actors; with more of them, no iteration is drawn."""


@dataclass(frozen=True)
class Subject:
    """A design and its run.

    ``run``: as `sttest simulate` has it; ``shown``: a recorded run to draw, which of endless actors is one
    iteration, None where that is too long; ``path``: its critical path, empty where ``no_path`` says why.
    """

    graph: TimedGraph
    run: Simulation
    shown: Simulation | None
    path: list[Segment]
    no_path: str
    package: DesignPackage | None

    @classmethod
    def read(cls, path: Path, engine: str, say: Callable[[str], None] = lambda _: None) -> Self:
        """Reads and simulates.

        Args:
            path: a design package, a timed-graph JSON, or an SDF3 XML file.
            engine: ``maxplus`` or ``simpy``.
            say: callback that gets a line of progress.

        Raises:
            InputError: no design, several in one package, or one that no engine could run.
        """
        require_one_design(path)
        say("reading")
        graph = load_graph(path)
        say("simulating")
        run = simulate(graph, engine, record=True, progress=lambda cycle: say(f"cycle {cycle:,}"))
        found, no_path = _critical_path(run)
        package = DesignPackage.read(path) if path.is_dir() else None
        return cls(graph, run, _shown(graph, run, engine), found, no_path, package)

    @cached_property
    def end(self) -> int:
        """The last cycle that is drawn, of a deadlock somewhat later than anything happens; 0 of no run."""
        return 0 if self.shown is None else last_cycle(self.shown)

    @cached_property
    def least(self) -> LeastDepths | str:
        """What each FIFO needs at least, or why that is not known."""
        try:
            return least_depths(self.graph)
        except (DeadlockError, DoesNotFitError, InputError) as error:
            return error.what

    @property
    def resources(self) -> list[dict[Hashable, Any]]:
        """Lines of the package's report on resources; none of a bare graph."""
        return [] if self.package is None else self.package.report("resources").to_dict("records")

    @property
    def partition(self) -> list[dict[Hashable, Any]]:
        """Lines of the package's report on SLRs, relays left out; none where the design was not placed."""
        if self.package is None or self.package.manifest.partition is None:
            return []
        return self.package.report(PARTITION).to_dict("records")


def _shown(graph: TimedGraph, run: Simulation, engine: str) -> Simulation | None:
    """The run if it was recorded, else one iteration of actors that fire for ever."""
    if not graph.is_endless:
        return run
    repetitions = SelfTimed(graph).repetitions
    if sum(repetitions) > MAX_ITERATION_FIRINGS:
        return None
    return simulate(one_iteration(graph, repetitions), engine, record=True)


def _critical_path(run: Simulation) -> tuple[list[Segment], str]:
    if run.graph is not None and any(isinstance(process, Actor) for process in run.graph.processes):
        return [], "Critical paths are of pipelines and memory ports; this design has actors."
    if not run.cycles:
        return [], "A run that does not finish has no critical path."
    return critical_path(run), ""
