"""The storage distributions that are worth a look: least depths, steps, greatest depths."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from sttest.sim.actors.self_timed import NEVER_FULL, Rate
from sttest.sim.actors.steady_state import one_iteration
from sttest.sim.graph import Actor, Phase, TimedGraph
from sttest.sim.sizing.live import least_live_depths

Distribution = tuple[int, ...]
"""Depths, in the order of the graph's FIFOs."""


class StorageSpace:
    """Distributions of a graph of endless actors.

    ``least``: per FIFO, the least depth with which the graph is live while all others are never full.

    Raises:
        DeadlockError: it deadlocks with FIFOs of any depth.
    """

    def __init__(self, graph: TimedGraph, repetitions: list[int]) -> None:
        self.least = least_live_depths(one_iteration(graph, repetitions))
        self.steps = _steps(graph)
        self.most = _most_useful(graph)

    def deeper(self, depths: Distribution, rate: Rate) -> Iterator[Distribution]:
        """All with one of the limiting FIFOs a step deeper."""
        for fifo in rate.limiting:
            depth = depths[fifo] + self.steps[fifo]
            if depth <= self.most[fifo]:
                yield (*depths[:fifo], depth, *depths[fifo + 1 :])


def _steps(graph: TimedGraph) -> list[int]:
    """By what depths differ usefully: the common divisor of all that a FIFO is given or loses at once."""
    amounts: dict[str, list[int]] = {fifo.name: [] for fifo in graph.fifos}
    for phase in _phases(graph):
        for name, tokens in (*phase.reads.items(), *phase.writes.items()):
            amounts[name].append(tokens)
    return [gcd(*amounts[fifo.name]) for fifo in graph.fifos]


def _phases(graph: TimedGraph) -> list[Phase]:
    return [phase for actor in graph.processes if isinstance(actor, Actor) for phase in actor.phases]


def _most_useful(graph: TimedGraph) -> list[int]:
    """Depths that no run exceeds: an actor's firings hold at most all tokens of its self-loop, and as much space."""
    most = {fifo.name: NEVER_FULL for fifo in graph.fifos}
    for actor in graph.processes:
        if isinstance(actor, Actor) and len(actor.phases) == 1:
            phase = actor.phases[0]
            for name in phase.reads.keys() & phase.writes.keys():
                most[name] = 2 * graph.fifos[graph.fifo_index[name]].initial_tokens
    return [most[fifo.name] for fifo in graph.fifos]
