"""The maximum cycle ratio of a graph of constraints, exactly: what bounds the period of any schedule of it.

Howard's policy iteration in floating point (Cochet-Terrasson, Cohen, Gaubert, McGettrick & Quadrat, "Numerical
computation of spectral elements in max-plus algebra", 1998; in the form of Dasdan, ACM TODAES 9(4), 2004) finds a
cycle, and whole numbers prove it: its ratio is a fraction, and potentials show that no other one has a higher ratio.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from scipy.sparse import csgraph as scipy_csgraph  # pyright: ignore[reportMissingTypeStubs]
from scipy.sparse import csr_array  # pyright: ignore[reportMissingTypeStubs]

_CSGRAPH: Any = scipy_csgraph
_ROUNDS = 10_000
"""Rounds of policy iteration, of which tens are taken."""
_TOLERANCE = 1e-10
"""Relative, of potentials in floating point; what it leaves open is decided in whole numbers."""


@dataclass(frozen=True)
class Constraints:
    """E constraints start[target] >= start[source] + time - period * delay between V events.

    ``source``, ``target``: int64[E]; ``time``: int64[E]; the delay of an edge is ``tokens`` / ``per_period``, int64[E]
    each, in periods.  Every event can be reached from every other one.
    """

    events: int
    source: np.ndarray
    target: np.ndarray
    time: np.ndarray
    tokens: np.ndarray
    per_period: np.ndarray

    @cached_property
    def delay(self) -> np.ndarray:
        """Periods, float64[E]."""
        return self.tokens / self.per_period

    def sums(self, cycle: Sequence[int]) -> tuple[int, Fraction]:
        """The time and the delay of a cycle of edges, exactly."""
        delays: dict[int, int] = {}
        for edge in cycle:
            per = int(self.per_period[edge])
            delays[per] = delays.get(per, 0) + int(self.tokens[edge])
        return int(self.time[list(cycle)].sum()), sum((Fraction(n, per) for per, n in delays.items()), Fraction(0))


@dataclass(frozen=True)
class CriticalCycle:
    """A cycle of edges and the least ``period`` that it allows; None where it allows none, since it has no delay."""

    edges: tuple[int, ...]
    period: Fraction | None


def critical_cycle(graph: Constraints) -> CriticalCycle:
    """The cycle that allows the longest period only, or one that allows none."""
    order = np.lexsort((graph.source, graph.target))
    into = np.searchsorted(graph.target[order], np.arange(graph.events))
    policy = order[np.maximum.reduceat(_ranked(graph, order), into) % order.size]
    while True:
        found, value, policy = _howard(graph, order, into, policy)
        if found.period is None:
            return found
        better = _better(graph, found, value)
        if not better:
            return found
        policy[graph.target[better]] = better


def _ranked(graph: Constraints, order: np.ndarray) -> np.ndarray:
    """Numbers that rise with the time of an edge, and give its place in ``order`` modulo E."""
    return np.argsort(np.argsort(graph.time[order], kind="stable"), kind="stable") * order.size + np.arange(order.size)


def _howard(
    graph: Constraints, order: np.ndarray, into: np.ndarray, policy: np.ndarray
) -> tuple[CriticalCycle, np.ndarray, np.ndarray]:
    """The best cycle within rounding, with potentials float64[V] and the edge that each event waits for, int64[V]."""
    value = np.zeros(graph.events)
    source, target, time = graph.source[order], graph.target[order], graph.time[order]
    delay = graph.delay[order]
    found = CriticalCycle((), None)
    for _ in range(_ROUNDS):
        cycles = [(_ratio(graph, cycle), cycle) for cycle in _cycles(graph.source[policy], policy)]
        period, cycle = max(cycles, key=lambda each: each[0])
        if period == np.inf:
            return CriticalCycle(tuple(cycle), None), value, policy
        found = CriticalCycle(tuple(cycle), None)
        _evaluate(graph, policy, cycle, period, value)
        reached = value[source] + time - period * delay
        best = np.maximum.reduceat(reached, into)
        slack = _TOLERANCE * max(1.0, float(np.abs(value[np.isfinite(value)]).max()))
        is_better = best > value + slack
        if not is_better.any():
            break
        at_best = np.where(reached == best[target], np.arange(order.size), order.size)
        chosen = order[np.minimum.reduceat(at_best, into)]
        policy = np.where(is_better, chosen, policy)
        value = np.where(is_better, best, value)
    time_sum, delay_sum = graph.sums(found.edges)
    return CriticalCycle(found.edges, Fraction(time_sum) / delay_sum), value, policy


def _ratio(graph: Constraints, cycle: Sequence[int]) -> float:
    time, delay = graph.sums(cycle)
    return float(Fraction(time) / delay) if delay > 0 else np.inf


def _cycles(waits_for: np.ndarray, policy: np.ndarray) -> list[list[int]]:
    """The cycles of a graph in which each event waits for one other, along an edge: lists of these edges."""
    on_cycle = waits_for.copy()
    for _ in range(int(waits_for.size).bit_length()):
        on_cycle = on_cycle[on_cycle]
    found: list[list[int]] = []
    seen: set[int] = set()
    for start in np.unique(on_cycle).tolist():
        event, cycle = start, list[int]()
        while event not in seen:
            seen.add(event)
            cycle.append(int(policy[event]))
            event = int(waits_for[event])
        if cycle:
            found.append(cycle[::-1])
    return found


def _evaluate(graph: Constraints, policy: np.ndarray, cycle: Sequence[int], period: float, value: np.ndarray) -> None:
    """Sets the values of all events that wait for the cycle, from the event at which it begins.

    The others have none: those of an earlier period would be too high, and break a cycle for a worse one.
    """
    root = int(graph.target[cycle[-1]])
    above, gain = graph.source[policy].copy(), graph.time[policy] - period * graph.delay[policy]
    above[root], gain[root] = root, 0.0
    for _ in range(int(policy.size).bit_length()):
        gain = gain + gain[above]
        above = above[above]
    waits = above == root
    value[:] = np.where(waits, gain, -np.inf)


def _better(graph: Constraints, found: CriticalCycle, value: np.ndarray) -> list[int]:
    """A cycle with a higher ratio, where there is one: looked for in whole numbers."""
    assert found.period is not None, "a cycle with a ratio"
    unit = lcm(*map(int, np.unique(graph.per_period)))
    per_token = np.array([unit // int(each) for each in graph.per_period], object)
    gain = graph.time.astype(object) * (unit * found.period.denominator)
    gain -= graph.tokens.astype(object) * per_token * found.period.numerator
    exact = _exact_values(graph, found, value, gain)
    policy = np.full(graph.events, -1)
    for _ in range(graph.events + 1):
        reached = exact[graph.source] + gain
        late = np.flatnonzero(reached > exact[graph.target])
        if not late.size:
            return []
        late = late[np.argsort(reached[late], kind="stable")]
        policy[graph.target[late]] = late  # of several, the last and so the greatest counts
        exact[graph.target[late]] = reached[late]
        cycle = _closed(graph, policy)
        if cycle:
            return cycle
    raise AssertionError("either the values settle, or a cycle is found")


def _exact_values(graph: Constraints, found: CriticalCycle, value: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Potentials in whole numbers: along the tightest paths, by floating point, from an event of the cycle."""
    assert found.period is not None, "a cycle with a ratio"
    root = int(graph.source[found.edges[0]])
    slack = value[graph.target] - value[graph.source] - graph.time + float(found.period) * graph.delay
    slack = np.maximum(slack, 0.0) + 1e-12 * max(1.0, float(np.abs(value).max()))  # none is no edge to scipy
    best = np.lexsort((slack, graph.target, graph.source))
    ends = graph.source[best] * graph.events + graph.target[best]
    best = best[np.append(True, ends[1:] != ends[:-1])]
    shape = (graph.events, graph.events)
    distances = csr_array((slack[best], (graph.source[best], graph.target[best])), shape=shape)
    before: np.ndarray = _CSGRAPH.dijkstra(distances, indices=root, return_predecessors=True)[1]
    edge_of = dict(
        zip(zip(graph.source[best].tolist(), graph.target[best].tolist(), strict=True), best.tolist(), strict=True)
    )
    tree = csr_array((np.ones(graph.events - 1), (before[before >= 0], np.flatnonzero(before >= 0))), shape=shape)
    exact = np.zeros(graph.events, object)
    order: list[int] = _CSGRAPH.breadth_first_order(tree, root, return_predecessors=False)[1:].tolist()
    for event in order:
        earlier = int(before[event])
        exact[event] = exact[earlier] + gain[edge_of[earlier, event]]
    return exact


def _closed(graph: Constraints, policy: np.ndarray) -> list[int]:
    """A cycle of the edges that events wait for, where some wait for none (-1)."""
    waits_for = np.append(np.where(policy < 0, graph.events, graph.source[policy]), graph.events)
    cycles = _cycles(waits_for, np.append(policy, -1))
    return next((cycle for cycle in cycles if -1 not in cycle), list[int]())
