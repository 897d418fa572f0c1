"""What the fix of a deadlock costs in time: the fewest tokens that let a graph finish may let it finish late."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sttest.sim.depth_search import reduce_depths, srl_thresholds
from sttest.sim.graph import TimedGraph
from sttest.sim.stages import FlatGraph

MAX_EVENTS = 1 << 26
"""Writes and reads of all runs of a search, after which the depths found so far must do."""
_PROCESS_EVENTS = 500
"""What a process counts in a run, however few tokens it passes."""

CyclesWith = Callable[[TimedGraph], int | None]


@dataclass(frozen=True)
class FixCost:
    """Cycles with a fix, and depths of the same FIFOs that lose none.

    ``cycles``: with the fix; ``enough``: depths than which no deeper ones are faster, and ``enough_cycles`` with them;
    ``is_least``: whether none of them can be lowered alone; ``free_cycles``: if no FIFO of the graph is ever full.
    """

    cycles: int
    enough: dict[str, int]
    enough_cycles: int
    is_least: bool
    free_cycles: int

    def to_json(self) -> dict[str, Any]:
        """The cost as JSON values of the contract ``sttest.simulation/1``."""
        enough = [{"fifo": name, "depth": depth} for name, depth in self.enough.items()]
        return {
            "cycles": self.cycles, "enough": enough, "enough_cycles": self.enough_cycles, "is_least": self.is_least,
            "free_cycles": self.free_cycles,
        }  # fmt: skip

    def to_text(self, fix: Mapping[str, int]) -> str:
        """What deeper FIFOs than those of the fix gain: sentences that stand behind it."""
        others = (
            f" Deepening other FIFOs too brings {self.free_cycles:,} cycles."
            if self.free_cycles < self.enough_cycles
            else ""
        )
        if self.cycles == self.enough_cycles:
            which = "it" if len(fix) == 1 else "them"
            return f"Deepening {which} further gains nothing.{others}" if others else "No deeper FIFO makes it faster."
        depths = {name: depth for name, depth in self.enough.items() if depth != fix[name]}
        less = "" if self.is_least else " Less depth may do as well, as the search was stopped early."
        return (
            f"With {depths_text(depths)} it finishes in {self.enough_cycles:,} cycles; more depth there gains nothing."
            f"{less}{others}"
        )


def depths_text(depths: Mapping[str, int]) -> str:
    """As in "depth skip=8" or "depths skip=8, main=3"."""
    told = ", ".join(f"{name}={depth}" for name, depth in depths.items())
    return f"depth {told}" if len(depths) == 1 else f"depths {told}"


def cost_of(
    graph: TimedGraph, flat: FlatGraph, fix: Mapping[str, int], cycles_with: CyclesWith, free_cycles: int
) -> FixCost:
    """What a fix costs.

    Args:
        graph: finite; it deadlocks.
        flat: its stages.
        fix: depths by FIFO, with which it finishes.
        cycles_with: cycles of a graph; None where it deadlocks.
        free_cycles: cycles of this one if no FIFO is ever full.
    """
    search = _Search(graph, flat, fix, cycles_with)
    fixed = search.fixed
    cycles = search.cycles(fixed)
    assert cycles is not None, "a fix lets the graph finish"
    start = min((fixed, *search.deep()), key=search.order)
    best = search.cycles(start)
    assert best is not None, "no deeper FIFOs than those of a fix deadlock"
    found = fixed if best == cycles else search.reduced(start, best)
    enough = dict(zip(fix, found.tolist(), strict=True))
    return FixCost(cycles, enough, best, not search.is_over(), min(free_cycles, best))


class _Search:
    """Depths of the FIFOs of a fix, none below its own, while the others stay as they are."""

    def __init__(self, graph: TimedGraph, flat: FlatGraph, fix: Mapping[str, int], cycles_with: CyclesWith) -> None:
        self._graph, self._flat, self._names, self._cycles_with = graph, flat, tuple(fix), cycles_with
        self.fixed = np.array(list(fix.values()), np.int64)
        thresholds = srl_thresholds(graph)[[graph.fifo_index[name] for name in fix]]
        self._thresholds = np.where(thresholds < self.fixed, 0, thresholds)
        self._known: dict[bytes, int | None] = {}
        self._left = MAX_EVENTS
        self._run = int(flat.tokens.sum()) + _PROCESS_EVENTS * len(graph.processes)

    def cycles(self, depths: np.ndarray) -> int | None:
        """Cycles with these depths."""
        key = depths.tobytes()
        if key not in self._known:
            self._left -= self._run
            named = dict(zip(self._names, depths.tolist(), strict=True))
            self._known[key] = self._cycles_with(self._graph.with_depths(named))
        return self._known[key]

    def is_over(self) -> bool:
        """Whether no further run is possible."""
        return self._left < self._run

    def order(self, depths: np.ndarray) -> tuple[bool, int, int]:
        """The fastest depths come first, of those the fewest tokens."""
        cycles = self.cycles(depths)
        return cycles is None, cycles or 0, int(depths.sum())

    def deep(self) -> tuple[np.ndarray, np.ndarray]:
        """Depths that are never full, and the greatest of shift registers, which are a cycle faster than RAM."""
        never = np.array([self._tokens(name) for name in self._names], np.int64)
        return never, np.where(self._thresholds > 0, np.minimum(never, self._thresholds), never)

    def _tokens(self, name: str) -> int:
        """All tokens that a FIFO ever holds."""
        index = self._graph.fifo_index[name]
        return max(1, self._graph.fifos[index].depth, int(self._flat.tokens[2 * index + 1] + self._flat.initial[index]))

    def reduced(self, start: np.ndarray, bound: int) -> np.ndarray:
        """Depths of which none can be lowered alone, as far as there is time to find out."""

        def is_enough(depths: np.ndarray) -> bool:
            if self.is_over() and depths.tobytes() not in self._known:
                return False
            cycles = self.cycles(depths)
            return cycles is not None and cycles <= bound

        return reduce_depths(start, self.fixed, is_enough, range(start.size), self._thresholds)
