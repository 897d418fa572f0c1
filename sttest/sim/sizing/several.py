"""Depths that are enough for each of several graphs: schedules of one design, or runs of it on other data.

What a graph needs alone is enough for it when its FIFOs are deeper, but for two things: a deeper FIFO may be a memory,
whose tokens arrive a cycle later, and ports may share a channel.  What that costs is measured and said.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sttest.core.errors import DeadlockError, InputError
from sttest.sim.depth_search import reduce_depths, srl_thresholds
from sttest.sim.graph import TimedGraph
from sttest.sim.sizing.depth_runner import DepthRunner
from sttest.sim.sizing.finite import SCHEMA, Sizing


@dataclass(frozen=True)
class JointSizing:
    """Depths for several graphs, in tokens; ``alone`` has the sizing of each that can finish, by its name."""

    depths: dict[str, int]
    cycles: dict[str, int]  # what each graph takes with these depths
    alone: Mapping[str, Sizing]
    stuck: tuple[str, ...]  # graphs that deadlock at any depth

    @property
    def lost(self) -> int:
        """The most cycles that a graph takes beyond those of its own sizing."""
        return max(0, *(self.cycles[name] - (each.cycles or 0) for name, each in self.alone.items()))

    @property
    def total_tokens(self) -> int:
        """Over all FIFOs."""
        return sum(self.depths.values())

    @property
    def total_bits(self) -> int:
        """Over all FIFOs."""
        graph = next(iter(self.alone.values())).graph
        return sum(fifo.bits * self.depths[fifo.name] for fifo in graph.fifos)

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.sizing/1``, with each graph's own."""
        return {
            "schema": SCHEMA,
            "depths": self.depths,
            "total_tokens": self.total_tokens,
            "total_bits": self.total_bits,
            "cycles": max(self.cycles.values()),
            "method": "sim",
            "graphs": {
                name: {
                    "cycles": self.cycles[name],
                    "alone_cycles": each.cycles,
                    "alone_tokens": each.total_tokens,
                    "alone_bits": each.total_bits,
                }
                for name, each in self.alone.items()
            },
            "stuck": list(self.stuck),
        }


def size_for_all(graphs: Mapping[str, TimedGraph], size: Callable[[TimedGraph], Sizing]) -> JointSizing:
    """Depths as great as each graph's own sizing has them, then lowered one by one while none gets slower.

    Args:
        graphs: finite graphs with the same FIFOs, by name.
        size: sizes one of them.

    Raises:
        InputError: no graph, or FIFOs that are not those of the first.
        DeadlockError: every graph deadlocks at any depth.
    """
    first = _first(graphs)
    alone, stuck = dict[str, Sizing](), list[str]()
    for name, graph in graphs.items():
        try:
            alone[name] = size(graph)
        except DeadlockError:
            stuck.append(name)
    if not alone:
        raise DeadlockError("tokens-missing", "each deadlocks with FIFOs of any depth", where=first.name)
    names = [fifo.name for fifo in first.fifos]
    runners = {name: DepthRunner(each.graph) for name, each in alone.items()}
    deepest = np.array([max(each.depths[fifo] for each in alone.values()) for fifo in names], np.int64)
    lower = np.array([max(each.lower_bounds[fifo] for each in alone.values()) for fifo in names], np.int64)
    bounds = {name: max(_cycles(runner, deepest), alone[name].cycles or 0) for name, runner in runners.items()}

    def is_enough(depths: np.ndarray) -> bool:
        found = ((runner.run(depths), bounds[name]) for name, runner in runners.items())
        return all(cycles is not None and cycles <= bound for cycles, bound in found)

    bits = np.array([fifo.bits for fifo in first.fifos], np.int64)
    order = np.argsort((lower - deepest) * bits, kind="stable").tolist()
    depths = reduce_depths(deepest, np.minimum(lower, deepest), is_enough, order, srl_thresholds(first))
    cycles = {name: _cycles(runner, depths) for name, runner in runners.items()}
    return JointSizing(dict(zip(names, depths.tolist(), strict=True)), cycles, alone, tuple(stuck))


def _cycles(runner: DepthRunner, depths: np.ndarray) -> int:
    found = runner.run(depths)
    assert found is not None, "depths that are enough for a graph are so when others are deeper"
    return found


def _first(graphs: Mapping[str, TimedGraph]) -> TimedGraph:
    """The first graph, whose FIFOs all others have.

    Raises:
        InputError: there is none, one has other FIFOs, or one never ends.
    """
    if not graphs:
        raise InputError("no-graph", "there is no graph to size", where="size")
    (name, first), *others = graphs.items()
    wanted = {fifo.name: fifo.bits for fifo in first.fifos}
    for other, graph in others:
        found = {fifo.name: fifo.bits for fifo in graph.fifos}
        if [*found.items()] != [*wanted.items()]:
            apart = sorted({*found.items()} ^ {*wanted.items()}) or [("their order", 0)]
            what = f"FIFOs are not those of {name}: {apart[0][0]}"
            raise InputError("other-fifos", what, where=other, hints=["size graphs of one design together"])
    for each, graph in graphs.items():
        if graph.is_endless:
            what = "actors that fire for ever are sized alone"
            raise InputError("endless", what, where=each, hints=["size each graph by itself"])
    return first
