"""The delays of FIFO sizing: how much later each target starts than its source.

After StreamTensor (arXiv 2509.13694, the FIFO sizing space).  Where paths
part at u and meet again at v, the tokens on the fast path wait for those on
the slow one, so every path from u to v must bear the slowest one's delay:

    minimise Σ delay(e)  subject to, for all u, v and every path p from u to v,
    Σ delay over p  >=  threshold(u, v)  =  max over these paths of Σ min_delay.

There are exponentially many paths.  The exact polynomial form has, per u, a
variable m_u(v) for the shortest path from u to v:

    m_u(u) = 0,   m_u(v) <= m_u(w) + delay(w, v) per edge,   m_u(v) >= threshold(u, v).

Pairs that follow from others are left out, which changes nothing:

- The direct edges are bounds, ``delay(u, v) >= threshold(u, v)``, and a pair
  whose shortest path over these bounds is long enough is met already.
- Where all paths from u to v pass one node w, path sums and threshold are
  those of (u, w) plus those of (w, v).  So a pair counts only if u is itself
  the immediate dominator of v in what u reaches.  A u whose fan-out never
  converges again has no such v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from sttest.compile.spaces.fifo_graph import DelayEdge, DelayGraph
from sttest.compile.spaces.linear_program import least

ROUNDING_TOLERANCE_CYCLES = 1e-6
"""What a delay may lie above a whole number and still be rounded down to it.

Path sums stay long enough: a path loses at most this and the solver's 1e-7 per
edge, which is below one cycle up to 900,000 edges, and whole sums that miss a
whole threshold by less than one do not miss it.
"""


def solve_delays(nodes: Sequence[str], edges: Sequence[DelayEdge]) -> dict[str, int]:
    """The delay of every edge, in cycles, with the least (weighted) sum that the linear program allows.

    Fractions of the linear program's solution are rounded up.

    Args:
        nodes: kernel names.
        edges: with unique names; parallel edges are allowed.

    Returns:
        Delay in cycles per edge name, in the order given.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name`` or ``duplicate-name``.
    """
    relaxed = relaxed_delays(nodes, edges)
    whole = np.ceil(relaxed - ROUNDING_TOLERANCE_CYCLES).astype(np.int64)
    return {edge.name: int(delay) for edge, delay in zip(edges, whole, strict=True)}


def relaxed_delays(nodes: Sequence[str], edges: Sequence[DelayEdge]) -> NDArray[np.float64]:
    """The linear program's solution before rounding, one delay per edge; its sum bounds any whole solution."""
    graph = DelayGraph(nodes, edges)
    bounds = [_path_lengths(graph, source, graph.min_delays, max)[target] for source, target in graph.ends]
    program = _Program(graph, bounds)
    for start in range(len(graph.incoming)):
        program.add_paths_from(start)
    return program.solve()


@dataclass
class _Program:
    """The linear program: columns are the delays, then every m_u(v) that is needed."""

    graph: DelayGraph
    edge_bounds: list[int]
    column_bounds: list[tuple[float, float]] = field(init=False)
    entries: list[tuple[int, int, int]] = field(default_factory=list)
    """Row, column, coefficient; each row's sum is at most 0."""
    row_count: int = 0

    def __post_init__(self) -> None:
        self.column_bounds = [(bound, np.inf) for bound in self.edge_bounds]

    def add_paths_from(self, start: int) -> None:
        """Columns m_start(v) and rows for the targets that the edge bounds leave open."""
        thresholds = _open_thresholds(self.graph, start, self.edge_bounds)
        if not thresholds:
            return
        column: dict[int, int] = {}
        for node in _between(self.graph, start, thresholds):
            column[node] = len(self.column_bounds)
            self.column_bounds.append((thresholds.get(node, -np.inf), np.inf))
        for node in column:
            for edge, source in self.graph.incoming[node]:
                if source == start or source in column:
                    self._add_step(column[node], edge, column.get(source))

    def _add_step(self, to_node: int, edge: int, to_source: int | None) -> None:
        """The row m(node) <= m(source) + delay(edge), where m(start) = 0 has no column."""
        self.entries += [(self.row_count, to_node, 1), (self.row_count, edge, -1)]
        if to_source is not None:
            self.entries.append((self.row_count, to_source, -1))
        self.row_count += 1

    def solve(self) -> NDArray[np.float64]:
        """The delays; without open targets the bounds are the solution."""
        if not self.row_count:
            return np.array(self.edge_bounds, dtype=np.float64)
        rows, columns, coefficients = zip(*self.entries, strict=True)
        shape = (self.row_count, len(self.column_bounds))
        edge_count = len(self.edge_bounds)
        found = least(
            np.pad(np.array(self.graph.weights), (0, shape[1] - edge_count)),
            coo_array((coefficients, (rows, columns)), shape=shape).tocsr(),
            np.zeros(shape[0]),
            self.column_bounds,
            "the FIFO delays have no solution",
        )
        return found[:edge_count]


def _open_thresholds(graph: DelayGraph, start: int, edge_bounds: Sequence[int]) -> dict[int, int]:
    """Threshold per node v for which the pair (start, v) does not follow from others."""
    longest = _path_lengths(graph, start, graph.min_delays, max)
    shortest = _path_lengths(graph, start, edge_bounds, min)
    dominator = _immediate_dominators(graph, start)
    return {v: longest[v] for v in longest if shortest[v] < longest[v] and dominator[v] == start}


def _path_lengths(
    graph: DelayGraph, start: int, lengths: Sequence[int], choose: Callable[[list[int]], int]
) -> dict[int, int]:
    """Longest (``max``) or shortest (``min``) path from start to every node that it reaches."""
    found = {start: 0}
    for node in range(start + 1, len(graph.incoming)):
        sums = [found[source] + lengths[edge] for edge, source in graph.incoming[node] if source in found]
        if sums:
            found[node] = choose(sums)
    return found


def _immediate_dominators(graph: DelayGraph, start: int) -> dict[int, int]:
    """Per node that start reaches: the last node before it that all paths from start pass."""
    dominator = {start: start}

    def last_common(a: int, b: int) -> int:
        while a != b:
            a, b = min(a, b), dominator[max(a, b)]
        return a

    for node in range(start + 1, len(graph.incoming)):
        sources = [source for _, source in graph.incoming[node] if source in dominator]
        if sources:
            dominator[node] = reduce(last_common, sources)
    return dominator


def _between(graph: DelayGraph, start: int, targets: Iterable[int]) -> list[int]:
    """The nodes after start on its paths to the targets, targets included, in topological order."""
    reached = _path_lengths(graph, start, graph.min_delays, max).keys()
    inside = set(targets)
    for node in range(len(graph.incoming) - 1, start, -1):
        if node in inside:
            inside.update(source for _, source in graph.incoming[node] if source in reached)
    return sorted(inside - {start})
