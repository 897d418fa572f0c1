"""Depths of FIFOs that take the fewest block memories, and what fewer of them cost in cycles.

A shallow FIFO is a shift register and takes no block; a deeper one takes blocks of 18 Kib, by width and depth.  So a
depth counts only where it passes a step: of depths with equal blocks the greatest is free.  FIFOAdvisor (Stream-HLS
designs under LightningSim) draws the same front.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sttest.core.errors import InputError
from sttest.sim.deadlock import advance
from sttest.sim.depth_search import IsEnough, reduce_depths, srl_thresholds
from sttest.sim.graph import MAX_DEPTH, TimedGraph
from sttest.sim.sizing.depth_runner import DepthRunner
from sttest.sim.sizing.finite import Sizing
from sttest.sim.stages import flatten

Rule = Callable[[int, int, str], int]
"""Blocks of a FIFO by its depth in tokens, the bits of a token, and its kind; not fewer for a deeper one."""
MOST_RUNS = 4_000
"""Runs of a search, and the accesses of all of them; beyond either it keeps what it has found and says so."""
MOST_ACCESSES = 1 << 33


@dataclass(frozen=True)
class BlockPoint:
    """Depths of a front."""

    blocks: int  # blocks of 18 Kib
    cycles: int
    depths: dict[str, int]


@dataclass(frozen=True)
class BlockFront:
    """Depths that no other beats in both, most blocks first; ``stopped``: the search ended for its number of runs."""

    points: list[BlockPoint]
    stopped: bool


@dataclass(frozen=True)
class BlockSizing:
    """A sizing by block memories."""

    sizing: Sizing  # the depths; its bounds are those of tokens
    blocks: int  # blocks of 18 Kib, in all FIFOs
    blocks_before: int  # blocks that the sizing with the fewest tokens takes
    least_blocks: int  # what no sizing for this target can go below: each FIFO's blocks at its own lower bound
    stopped: bool  # whether the search ended for its number of runs

    @property
    def told(self) -> str:
        """How good that is."""
        before = f"{self.blocks_before:,} with the fewest tokens"
        if self.blocks == self.least_blocks:
            return f"{before}; no sizing has fewer"
        ended = "; the search was ended for its length" if self.stopped else ""
        return f"{before}; no sizing has fewer than {self.least_blocks:,}{ended}"

    def to_json(self, front: BlockFront | None) -> dict[str, Any]:
        """What ``sttest.sizing/1`` has besides where block memories were asked for."""
        names = ("blocks", "blocks_before", "least_blocks", "stopped")
        told: dict[str, Any] = {name: getattr(self, name) for name in names}
        told["front"] = [asdict(each) for each in front.points] if front is not None else []
        if front is not None:
            told["front_stopped"] = front.stopped
        return told


def size_for_blocks(found: Sizing, bound: int | None, rule: Rule) -> BlockSizing:
    """Depths that reach what a sizing reached, in as few block memories as are found.

    Args:
        found: sizing of a finite graph by simulation.
        bound: cycle by which it must have ended; None if it only must end.
        rule: how blocks are counted.

    Raises:
        InputError: actors that fire for ever.
    """
    search = _Search(found.graph, rule)
    start = search.vector(found.depths)
    is_enough = search.is_live if bound is None else search.ends_by(bound)
    lower = search.vector(found.lower_bounds)
    depths = search.fewest(start, lower, is_enough)
    cycles = search.cycles(depths)
    assert cycles is not None, "a sizing ends"
    named = search.named(depths)
    sizing = replace(
        found, depths=named, cycles=cycles, tried=found.tried + search.runs, is_local_minimum=False,
        is_exact=found.is_exact and named == found.depths,
    )  # fmt: skip
    blocks = search.blocks
    return BlockSizing(sizing, blocks(depths), blocks(start), blocks(lower), stopped=search.is_spent)


def block_front(start: BlockSizing, rule: Rule) -> BlockFront:
    """Fewer and fewer blocks, and the cycles that each costs, to no block at all or the last that does not deadlock.

    Step by step that FIFO is made less deep which costs the fewest cycles per block; what another point beats in
    both is left out.

    Args:
        start: sizing of a finite graph, the fastest point.
        rule: how blocks are counted.
    """
    search = _Search(start.sizing.graph, rule)
    depths = search.vector(start.sizing.depths)
    cycles = search.cycles(depths)
    points: list[BlockPoint] = []
    while cycles is not None:
        points.append(BlockPoint(search.blocks(depths), cycles, search.named(depths)))
        if (step := search.cheapest_step(depths, cycles)) is None:
            break
        depths, cycles = step
    return BlockFront(_front(points), search.is_spent)


def _front(points: Sequence[BlockPoint]) -> list[BlockPoint]:
    """Those that no other beats, most blocks first."""
    kept: list[BlockPoint] = []
    for each in sorted(points, key=lambda point: (point.blocks, point.cycles)):
        if not kept or each.cycles < kept[-1].cycles:
            kept.append(each)
    return kept[::-1]


class _Search:
    def __init__(self, graph: TimedGraph, rule: Rule) -> None:
        if graph.is_endless:
            raise InputError(
                "endless", "actors that fire for ever have no cycles to hold blocks against", where=graph.name
            )
        self._graph, self._rule = graph, rule
        self._runner = DepthRunner(graph)
        self._flat = flatten(graph)
        self._widths = [(fifo.bits, fifo.impl) for fifo in graph.fifos]
        self._least = np.array([max(1, fifo.initial_tokens) for fifo in graph.fifos], np.int64)
        self._most_runs = min(MOST_RUNS, max(100, MOST_ACCESSES // max(1, int(self._flat.tokens.sum()))))
        self.runs = 0

    @property
    def is_spent(self) -> bool:
        return self.runs >= self._most_runs

    @cached_property
    def _units(self) -> list[list[int]]:
        """FIFOs that are accessed alike, which one depth does for."""
        units: dict[object, list[int]] = {}
        for number, alike in enumerate(self._runner.alike):
            units.setdefault(alike, []).append(number)
        return list(units.values())

    def vector(self, depths: dict[str, int]) -> np.ndarray:
        return np.array([depths[fifo.name] for fifo in self._graph.fifos], np.int64)

    def named(self, depths: np.ndarray) -> dict[str, int]:
        return dict(zip((fifo.name for fifo in self._graph.fifos), depths.tolist(), strict=True))

    def cycles(self, depths: np.ndarray) -> int | None:
        self.runs += 1
        return self._runner.run(depths)

    def is_live(self, depths: np.ndarray) -> bool:
        self.runs += 1
        return advance(self._flat, depths).is_done(self._flat)

    def ends_by(self, bound: int) -> IsEnough:
        def is_enough(depths: np.ndarray) -> bool:
            cycles = self.cycles(depths)
            return cycles is not None and cycles <= bound

        return is_enough

    def blocks(self, depths: np.ndarray) -> int:
        return sum(self._of(number, depth) for number, depth in enumerate(depths.tolist()))

    def _of(self, number: int, depth: int) -> int:
        return self._rule(depth, *self._widths[number])

    def _deepest(self, number: int, blocks: int) -> int:
        """The greatest depth of a FIFO that takes at most so many blocks; 0 where none does."""
        low, high = 0, MAX_DEPTH
        while low < high:
            middle = (low + high + 1) // 2
            if self._of(number, middle) <= blocks:
                low = middle
            else:
                high = middle - 1
        return low

    def fewest(self, start: np.ndarray, lower: np.ndarray, is_enough: IsEnough) -> np.ndarray:
        """Depths with the fewest blocks that are found, then with the fewest tokens of these blocks.

        The search starts from the fewest tokens, and from what FIFOs hold that are never full: few tokens in one
        FIFO may be what forces another one into a block.
        """
        _, peaks = self._runner.run_unbounded(self._runner.latencies(start))
        starts = [start, *([np.maximum(peaks, lower)] if is_enough(np.maximum(peaks, lower)) else [])]
        return min(
            (start, *(self._descended(each, lower, is_enough) for each in starts)),
            key=lambda each: (self.blocks(each), int(each @ self._runner.bits)),
        )

    def _descended(self, start: np.ndarray, lower: np.ndarray, is_enough: IsEnough) -> np.ndarray:
        """A local minimum of blocks, those FIFOs first that have most; then of tokens."""
        depths = self._with_free_room(start, is_enough)
        is_lowered = True
        while is_lowered and not self.is_spent:
            is_lowered = False
            for unit in sorted(self._units, key=lambda unit: -self._taken(unit, depths)):
                lowered = self._lowered(unit, depths, lower, is_enough)
                if lowered is not None:
                    depths, is_lowered = lowered, True
        order = np.argsort((lower - depths) * self._runner.bits, kind="stable").tolist()
        thresholds = srl_thresholds(self._graph)
        return reduce_depths(depths, np.minimum(lower, depths), self._bounded(is_enough), order, thresholds)

    def _with_free_room(self, depths: np.ndarray, is_enough: IsEnough) -> np.ndarray:
        """Every FIFO as deep as its blocks allow, where that does no harm (ports that share a channel may be later)."""
        roomy = np.array([self._deepest(number, self._of(number, depth)) for number, depth in enumerate(depths)])
        return roomy if is_enough(roomy) else depths

    def _bounded(self, is_enough: IsEnough) -> IsEnough:
        return lambda depths: not self.is_spent and is_enough(depths)

    def _taken(self, unit: Sequence[int], depths: np.ndarray) -> int:
        return sum(self._of(number, int(depths[number])) for number in unit)

    def _lowered(
        self, unit: Sequence[int], depths: np.ndarray, lower: np.ndarray, is_enough: IsEnough
    ) -> np.ndarray | None:
        """The same depths with as few blocks in one unit as are enough; None where they cannot be fewer."""
        most = max(self._of(number, int(depths[number])) for number in unit)
        least = max(self._of(number, int(lower[number])) for number in unit)
        found = None
        low, high = least, most
        while low < high and not self.is_spent:  # the fewest blocks that are enough lie in [low, high]
            middle = low if found is None and low == least else (low + high) // 2
            trial = self._with_blocks(unit, depths, middle)
            if trial is not None and is_enough(trial):
                found, high = trial, middle
            else:
                low = middle + 1
        return found

    def _with_blocks(self, unit: Sequence[int], depths: np.ndarray, blocks: int) -> np.ndarray | None:
        trial = depths.copy()
        for number in unit:
            trial[number] = min(int(depths[number]), self._deepest(number, blocks))
            if trial[number] < self._least[number]:
                return None
        return trial

    def cheapest_step(self, depths: np.ndarray, cycles: int) -> tuple[np.ndarray, int] | None:
        """Fewer blocks in one unit: that which costs the fewest cycles per block; None where all deadlock or none."""
        steps = [step for unit in self._units for step in self._steps(unit, depths)]
        found: list[tuple[float, int, np.ndarray]] = []
        before = self.blocks(depths)
        for trial in steps:
            if self.is_spent:
                return None
            after = self.cycles(trial)
            if after is not None:
                found.append(((after - cycles) / (before - self.blocks(trial)), after, trial))
        if not found:
            return None
        _, after, trial = min(found, key=lambda each: each[:2])
        return trial, after

    def _steps(self, unit: Sequence[int], depths: np.ndarray) -> list[np.ndarray]:
        """No blocks in a unit, half of them, one less."""
        most = max(self._of(number, int(depths[number])) for number in unit)
        trials = [self._with_blocks(unit, depths, blocks) for blocks in sorted({0, most // 2, most - 1}) if most > 0]
        return [trial for trial in trials if trial is not None]
