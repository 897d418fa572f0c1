"""What holds of a design whose stages are not known: whether it finishes under every schedule, and in how many cycles.

Both ends are simulated, reads as early and writes as late as their order and latencies allow, and the reverse; and
three schedules between them: all as early as may be, and two that keep lanes of unrolled loops from reading in one
stage. A FIFO of depth 2 whose lanes stand a stage apart passes a token every second cycle, and at two stages none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sttest.importers.cpp.network import NetworkRuns
from sttest.sim import Simulation, TimedGraph, simulate
from sttest.sim.graph import MAX_DEPTH

_SCHEDULES = {
    "late": "reads stand late and writes early in an iteration",
    "early": "reads stand early and writes late in an iteration",
    "text": "lanes read in the order of the text, guarded ones a stage later",
    "apart": "the first of several lanes reads a stage before the others",
    "first": "reads and writes stand early in an iteration",
}


_MOST_FIXES = 6


@dataclass(frozen=True)
class Verdict:
    """The run of each schedule, and whether depths make those that deadlock finish."""

    runs: dict[str, Simulation]
    finishes_with_depths: bool
    graphs: Mapping[str, TimedGraph]

    @property
    def stuck(self) -> list[str]:
        """Schedules that deadlock."""
        return [name for name in _SCHEDULES if self.runs[name].deadlock is not None]

    @cached_property
    def hardest(self) -> str:
        """The schedule that deadlocks whose fix makes all others finish, too; the last that deadlocks without one."""
        for name in reversed(self.stuck):
            deadlock = self.runs[name].deadlock
            fix = deadlock.fix if deadlock is not None else None
            if fix and all(simulate(graph.with_depths(fix)).deadlock is None for graph in self.graphs.values()):
                return name
        return self.stuck[-1]

    @property
    def cycles(self) -> tuple[int, int] | None:
        """Least and most of what finishes."""
        found = [run.cycles for run in self.runs.values() if run.cycles is not None]
        return (min(found), max(found)) if found else None

    @property
    def text(self) -> str:
        """One sentence."""
        if self.cycles is None:
            helps = "" if self.finishes_with_depths else "; no depths help, tokens are missing"
            return f"deadlocks under every schedule{helps}"
        least, most = self.cycles
        told = f"{least:,} cycles" if least == most else f"{least:,} to {most:,} cycles"
        if not self.stuck:
            return f"finishes under every schedule, in {told}"
        return f"deadlocks only if {self._condition(self.stuck[0])}; else it finishes, in {told}"

    def safe_depths(self) -> list[str]:
        """Depths with which each schedule finishes, where some deadlock, and what knowing the schedule would save."""
        if not self.stuck or not self.finishes_with_depths:
            return []
        depths = dict[str, int]()
        for name in self.stuck:
            run = self.runs[name]
            for _ in range(_MOST_FIXES):
                if run.deadlock is None or not run.deadlock.fix:
                    break
                depths |= {fifo: max(depth, depths.get(fifo, 0)) for fifo, depth in run.deadlock.fix.items()}
                run = simulate(self.graphs[name].with_depths(depths))
            if run.deadlock is not None:
                return []
        runs = [simulate(graph.with_depths(depths)) for graph in self.graphs.values()]
        if any(run.cycles is None for run in runs):
            return []
        found = [run.cycles for run in runs if run.cycles is not None]
        told = ", ".join(f"{name}={depth}" for name, depth in depths.items())
        saved = (
            "" if len(self.stuck) == len(self.runs) else "; a schedule that is known not to need them saves all of it"
        )
        return [f"with {told} it finishes under every schedule, in {min(found):,} to {max(found):,} cycles{saved}"]

    def _condition(self, name: str) -> str:
        """What a schedule that deadlocks has, and where it stands still."""
        deadlock = self.runs[name].deadlock
        waits = [] if deadlock is None else deadlock.cycle
        parts = [f"{each.process} {'reads' if each.waits_to == 'read' else 'writes'} {each.fifo}" for each in waits]
        where = f" ({parts[0]} before {' and '.join(parts[1:2])})" if len(parts) > 1 else ""
        return f"{_SCHEDULES[name]}{where}"


def verdict_of(network: NetworkRuns) -> Verdict:
    """Simulates a design under each schedule."""
    graphs = network.schedules
    runs = {name: simulate(graph) for name, graph in graphs.items()}
    stuck = next((name for name, run in runs.items() if run.deadlock is not None), None)
    helps = stuck is None or simulate(graphs[stuck].with_all_depths(MAX_DEPTH // 2), unbounded=True).verdict == "done"
    return Verdict(runs, helps, graphs)
