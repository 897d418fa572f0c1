"""What the fix of a deadlock costs in time: the fewest tokens that let a graph finish may let it finish late."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from sttest.sim.bursts import sharing_ports
from sttest.sim.depth_search import reduce_depths, srl_thresholds
from sttest.sim.graph import TimedGraph
from sttest.sim.stages import FlatGraph

MAX_EVENTS = 1 << 26
"""Writes and reads of all runs of a search, after which the depths found so far must do."""
_PROCESS_EVENTS = 500
"""What a process counts in a run, however few tokens it passes."""
MAX_KINDS = 4
"""FIFOs that may be of two kinds each, of which all ways to choose are tried."""

CyclesWith = Callable[[TimedGraph], int | None]


@dataclass(frozen=True)
class FixCost:
    """Cycles with a fix, and depths of the same FIFOs that lose none.

    ``cycles``: with the fix; ``enough``: the fastest depths found of the same FIFOs, and ``enough_cycles`` with them;
    ``is_fastest``: whether it is proven that no deeper ones are faster; ``is_least``: whether none of them can be
    lowered alone; ``others_cycles``: the fewest found with all FIFOs of the graph as deep as is of use;
    ``free_cycles``: if no FIFO of the graph is ever full, each of the kind of its depth; ``shares_channels``: ports do,
    so that less depth may be faster.
    """

    cycles: int
    enough: dict[str, int]
    enough_cycles: int
    is_fastest: bool
    is_least: bool
    others_cycles: int
    free_cycles: int
    shares_channels: bool = False

    def to_json(self) -> dict[str, Any]:
        """The cost as JSON values of the contract ``sttest.simulation/1``."""
        enough = [{"fifo": name, "depth": depth} for name, depth in self.enough.items()]
        return {
            "cycles": self.cycles,
            "enough": enough,
            "enough_cycles": self.enough_cycles,
            "is_fastest": self.is_fastest,
            "is_least": self.is_least,
            "others_cycles": self.others_cycles,
            "free_cycles": self.free_cycles,
        }

    def to_text(self, fix: Mapping[str, int]) -> str:
        """What deeper FIFOs than those of the fix gain: sentences that stand behind it."""
        is_faster = self.others_cycles < self.enough_cycles
        others = f" Deepening other FIFOs too brings {self.others_cycles:,} cycles." if is_faster else ""
        if self.cycles == self.enough_cycles:
            which = "it" if len(fix) == 1 else "them"
            if not self.is_fastest:
                return f"Deepening {which} further was not found to gain anything.{others}"
            is_ideal = self.cycles == self.free_cycles
            return (
                "No deeper FIFO makes it faster." if is_ideal else f"Deepening {which} further gains nothing.{others}"
            )
        depths = {name: depth for name, depth in self.enough.items() if depth != fix[name]}
        why = "ports share a memory channel" if self.shares_channels else "the search was stopped early"
        less = "" if self.is_least else f" Less depth may do as well, as {why}."
        gains = (
            "more depth there gains nothing" if self.is_fastest else "more depth there was not found to gain anything"
        )
        return f"With {depths_text(depths)} it finishes in {self.enough_cycles:,} cycles; {gains}.{less}{others}"


def depths_text(depths: Mapping[str, int]) -> str:
    """As in "depth skip=8" or "depths skip=8, main=3"."""
    told = ", ".join(f"{name}={depth}" for name, depth in depths.items())
    return f"depth {told}" if len(depths) == 1 else f"depths {told}"


def cost_of(
    graph: TimedGraph, flat: FlatGraph, fix: Mapping[str, int], cycles_with: CyclesWith, free_cycles: int, ideal: int
) -> FixCost:
    """What a fix costs.

    Args:
        graph: finite; it deadlocks.
        flat: its stages.
        fix: depths by FIFO, with which it finishes.
        cycles_with: cycles of a graph; None where it deadlocks.
        free_cycles: cycles of this one if no FIFO is ever full.
        ideal: the same with channels for each port alone, which nothing is faster than.
    """
    search = _Search(graph, flat, fix, cycles_with)
    fixed = search.fixed
    cycles, start = search.cycles(fixed), search.fastest()
    best = search.cycles(start)
    assert cycles is not None, "a fix lets the graph finish"
    assert best is not None, "no deeper FIFOs than those of a fix deadlock"
    found = fixed if best == cycles else search.reduced(start, best)
    others_cycles = best
    if ideal < best:
        everywhere = _Search(graph, flat, {fifo.name: fifo.depth for fifo in graph.fifos} | dict(fix), cycles_with)
        others_cycles = everywhere.cycles(everywhere.fastest())
        assert others_cycles is not None, "no deeper FIFOs than those of a fix deadlock"
    shares = bool(sharing_ports(graph))
    return FixCost(
        cycles=cycles,
        enough=dict(zip(fix, found.tolist(), strict=True)),
        enough_cycles=best,
        is_fastest=best == ideal or (search.knows_all_kinds and not shares),
        is_least=not shares and not search.is_over(),
        others_cycles=min(others_cycles, best),
        free_cycles=free_cycles,
        shares_channels=shares,
    )


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

    def fastest(self) -> np.ndarray:
        """The fastest depths of those looked at: its own, and the deepest, as RAM or as shift registers."""
        return min((self.fixed, *self._deep()), key=self.order)

    @property
    def knows_all_kinds(self) -> bool:
        """Whether the deepest were looked at with each FIFO as RAM or as a shift register, whatever the others are."""
        return int((self._thresholds > 0).sum()) <= MAX_KINDS

    def _deep(self) -> Iterator[np.ndarray]:
        """Depths that are never full, and the greatest of shift registers, which are a cycle faster than RAM."""
        never = np.array([self._tokens(name) for name in self._names], np.int64)
        register = np.where(self._thresholds > 0, np.minimum(never, self._thresholds), never)
        if not self.knows_all_kinds:
            yield from (never, register)
            return
        for chosen in product(*(sorted({int(a), int(b)}) for a, b in zip(never, register, strict=True))):
            yield np.array(chosen, np.int64)

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
