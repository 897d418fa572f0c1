"""What the sized FIFOs cost: the design's cycles beside those with FIFOs that are never full."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sttest.compile.compiler import Design
from sttest.sim import Simulation, simulate
from sttest.sim.critical.path import critical_path


@dataclass(frozen=True)
class SizingCost:
    """Cycles with the sized depths and with unbounded FIFOs, and where the sized design waits for space.

    Attributes:
        cycles: None if the sized design deadlocks.
        unbounded_cycles: None if even unbounded FIFOs don't let it finish.
        waits: cycles that a process on the critical path waited for space in a FIFO, by process.
        short: FIFOs that would hold more than their depth if they could.
    """

    cycles: int | None
    unbounded_cycles: int | None
    waits: dict[str, int]
    short: list[str]

    @property
    def lost_cycles(self) -> int | None:
        """What the depths cost; negative where unbounded FIFOs let small DMAs get ahead on a shared channel."""
        if self.cycles is None or self.unbounded_cycles is None:
            return None
        return self.cycles - self.unbounded_cycles


def sizing_cost(design: Design) -> SizingCost:
    """Simulates the design twice with the compiled engine."""
    sized = simulate(design.graph, record=True)
    free = simulate(design.graph, unbounded=True)
    short = [fifo.name for fifo in design.graph.fifos if free.max_occupancy.get(fifo.name, 0) > fifo.depth]
    return SizingCost(sized.cycles, free.cycles, _waits(sized), short)


def _waits(sized: Simulation) -> dict[str, int]:
    if sized.cycles is None:
        return {}
    waits: Counter[str] = Counter()
    for segment in critical_path(sized):
        if segment.kind == "stall-out":
            waits[segment.process] += segment.cycles
    return dict(waits.most_common())
