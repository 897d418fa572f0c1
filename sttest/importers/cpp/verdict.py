"""What holds of a design whose stages are not known: whether it finishes under every schedule, and in how many cycles.

Both ends are simulated: reads as early and writes as late as their order and latencies allow, and the reverse.
"""

from dataclasses import dataclass

from sttest.importers.cpp.network import Network
from sttest.sim import Simulation, simulate
from sttest.sim.graph import MAX_DEPTH


@dataclass(frozen=True)
class Verdict:
    """The runs of both ends, and without full FIFOs."""

    early: Simulation
    late: Simulation
    finishes_with_depths: bool  # whether some depths make it finish, of the schedule that deadlocks

    @property
    def text(self) -> str:
        """One sentence."""
        runs = [self.early, self.late]
        cycles = sorted(run.cycles for run in runs if run.cycles is not None)
        if not cycles:
            helps = "" if self.finishes_with_depths else "; no depths help, tokens are missing"
            return f"deadlocks under every schedule{helps}"
        told = f"{cycles[0]:,} cycles" if cycles[0] == cycles[-1] else f"{cycles[0]:,} to {cycles[-1]:,} cycles"
        if len(cycles) == 2:
            return f"finishes under every schedule, in {told}"
        return f"deadlocks only if {self._condition()}; else it finishes, in {told}"

    def _condition(self) -> str:
        """What the deadlocking end has that the other one has not."""
        stuck = self.early if self.early.deadlock is not None else self.late
        assert stuck.deadlock is not None
        waits = stuck.deadlock.cycle
        is_early = stuck is self.early
        parts = [
            f"{wait.process} {'reads' if wait.waits_to == 'read' else 'writes'} {wait.fifo} "
            f"{'early' if (wait.waits_to == 'read') == is_early else 'late'}"
            for wait in waits
        ]
        first, *rest = dict.fromkeys(parts)
        return f"{first} before {' and '.join(rest)}" if rest else first


def verdict_of(network: Network) -> Verdict:
    """Simulates both ends of a design."""
    early, late = simulate(network.early), simulate(network.late)
    stuck = next((run for run in (early, late) if run.deadlock is not None), None)
    helps = True
    if stuck is not None:
        graph = network.early if stuck is early else network.late
        helps = simulate(graph.with_all_depths(MAX_DEPTH // 2), unbounded=True).verdict == "done"
    return Verdict(early, late, helps)
