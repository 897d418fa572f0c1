"""FIFO sizing: how much later than its source each kernel starts.

After StreamTensor (arXiv 2509.13694, the FIFO sizing space), whose program has one rate per FIFO and adds up delays
over paths: here delays are those of one schedule (docs/explanation/fifo-sizing.md).
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array

from sttest.core.errors import InputError, SttestError, did_you_mean

# --- A linear program solved by HiGHS, which at times gives up on one that another of its ways solves


# HiGHS's own choice first; the simplex without presolve and the interior point end where that reports "unknown".
_WAYS = (("highs", True), ("highs-ds", False), ("highs-ipm", True))


def solve_lp(
    costs: NDArray[np.float64],
    rows: csr_array,
    limits: NDArray[np.float64],
    bounds: Sequence[tuple[float, float]] | NDArray[np.float64],
    what: str,
) -> NDArray[np.float64]:
    """The point of least ``costs`` with ``rows @ point <= limits`` within ``bounds``.

    Args:
        costs: per column.
        rows, limits: coefficients and right-hand sides of the inequalities.
        bounds: least and most of each column.
        what: is looked for, for the error.

    Raises:
        SttestError: ``lp-failed``, no way finds one.
    """
    message = ""
    for method, presolve in _WAYS:
        solution = linprog(costs, rows, limits, bounds=bounds, method=method, options={"presolve": presolve})
        if solution.success:
            return solution.x
        message = message or str(solution.message)
    raise SttestError("lp-failed", f"{what}: {message}", where="fifo sizing")


# --- Order in a small directed graph: what every design space needs first


def topological_order(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> list[str]:
    """The names with every source before its targets, otherwise in the order given.

    A sequence that is already in topological order comes back unchanged.

    Args:
        names: unique node names.
        edges: (source, target) pairs; parallel edges are allowed.

    Raises:
        InputError: ``duplicate-name``, ``unknown-name``, or ``cyclic-graph``,
            which names one cycle.
    """
    index = {name: position for position, name in enumerate(names)}
    if len(index) < len(names):
        twice = next(name for position, name in enumerate(names) if index[name] != position)
        raise InputError("duplicate-name", f"two nodes are named '{twice}'", where=twice, hints=["rename one of them"])
    successors: dict[str, list[str]] = {name: [] for name in names}
    waiting = dict.fromkeys(names, 0)
    for source, target in edges:
        _refuse_unknown(source, target, index)
        successors[source].append(target)
        waiting[target] += 1

    ready = [index[name] for name in names if waiting[name] == 0]
    order: list[str] = []
    while ready:
        name = names[heapq.heappop(ready)]
        order.append(name)
        for target in successors[name]:
            waiting[target] -= 1
            if waiting[target] == 0:
                heapq.heappush(ready, index[target])
    if len(order) < len(names):
        cycle = _find_cycle(successors, set(names) - set(order))
        raise InputError(
            "cyclic-graph",
            f"the graph has the cycle {' -> '.join(cycle)}",
            where=cycle[0],
            hints=["break the cycle with a value kept in external memory"],
        )
    return order


def _refuse_unknown(source: str, target: str, known: dict[str, int]) -> None:
    for name in (source, target):
        if name not in known:
            raise InputError(
                "unknown-name",
                f"the edge names the unknown node '{name}'",
                where=f"{source} -> {target}",
                hints=[did_you_mean(name, known)],
            )


def _find_cycle(successors: dict[str, list[str]], unordered: set[str]) -> list[str]:
    """One cycle, first node repeated at the end; ``unordered`` is what Kahn's algorithm left over.

    Every unordered node has an unordered predecessor, so walking backwards
    must meet a node again.
    """
    predecessor = {target: name for name in sorted(unordered) for target in successors[name]}
    walk = [min(unordered)]
    while walk.count(walk[-1]) == 1:
        walk.append(predecessor[walk[-1]])
    return walk[walk.index(walk[-1]) :][::-1]


# --- The graph of FIFO sizing: kernels by topological number, FIFOs by their place in the list


@dataclass(frozen=True)
class DelayEdge:
    """A FIFO from one kernel to another.

    ``min_delay_cycles`` is the least delay of the target's start with which
    its first read finds a token: D of the paper, less the target's own time
    to that read.  ``weight`` is what a cycle of delay costs: 1 in the paper,
    the bits that arrive in it where memory is to be saved.
    """

    name: str
    source: str
    target: str
    min_delay_cycles: int
    weight: float = 1.0


class DelayGraph:
    """The edges by number, the nodes numbered in topological order."""

    def __init__(self, nodes: Sequence[str], edges: Sequence[DelayEdge]) -> None:
        _refuse_duplicate_names(edge.name for edge in edges)
        order = topological_order(nodes, [(edge.source, edge.target) for edge in edges])
        self.position = {name: number for number, name in enumerate(order)}
        self.weights = [edge.weight for edge in edges]
        self.min_delays = [edge.min_delay_cycles for edge in edges]
        self.ends = [(self.position[edge.source], self.position[edge.target]) for edge in edges]
        self.incoming: list[list[tuple[int, int]]] = [[] for _ in order]
        """Per node: edge and source."""
        for number, (source, target) in enumerate(self.ends):
            self.incoming[target].append((number, source))


def _refuse_duplicate_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError("duplicate-name", f"two edges are named '{name}'", where=name, hints=["rename one"])
        seen.add(name)


# --- Delays that follow from one schedule


def schedule_delays(total_cycles: Mapping[str, int], edges: Sequence[DelayEdge]) -> dict[str, int]:
    """The delays of the schedule with the least (weighted) sum of them among the shortest schedules.

    Args:
        total_cycles: cycles that each kernel takes, by name.
        edges: edges with unique names; parallel edges are allowed.

    Returns:
        Delay in cycles per edge name, in the order given.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name`` or ``duplicate-name``.
    """
    graph = DelayGraph(list(total_cycles), edges)
    if not edges:
        return {}
    asap = asap_starts(graph)
    durations = [total_cycles[name] for name in graph.position]
    end = max(start + duration for start, duration in zip(asap, durations, strict=True))
    latest = [end - duration for duration in durations]

    sources, targets = np.array(graph.ends).T
    numbers = np.arange(len(edges))
    ones = np.ones(len(edges))
    shape = (len(edges), len(asap))
    rises = coo_array((ones, (numbers, targets)), shape=shape) - coo_array((ones, (numbers, sources)), shape=shape)
    starts = solve_lp(
        np.array(graph.weights) @ rises,
        -rises.tocsr(),
        -np.array(graph.min_delays),
        np.column_stack([asap, latest]),
        "the kernels have no schedule",
    )
    return differences(graph, edges, [round(start) for start in starts])


def asap_starts(graph: DelayGraph) -> list[int]:
    """Start per node number; 0 where nothing comes in."""
    starts: list[int] = []
    for incoming in graph.incoming:
        starts.append(max((starts[source] + graph.min_delays[edge] for edge, source in incoming), default=0))
    return starts


def differences(graph: DelayGraph, edges: Sequence[DelayEdge], starts: Sequence[int]) -> dict[str, int]:
    """Delay per edge name: how much later its target starts than its source."""
    ends = zip(edges, graph.ends, strict=True)
    return {edge.name: starts[target] - starts[source] for edge, (source, target) in ends}
