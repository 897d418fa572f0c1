"""FIFO sizing: how much later than its source each kernel starts.

After StreamTensor (arXiv 2509.13694, the FIFO sizing space), whose program has one rate per FIFO and adds up delays
over paths: here delays are those of one schedule (docs/fix-a-deadlock/fifo-sizing.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from highspy import Highs, HighsLp, HighsModelStatus, MatrixFormat
from numpy.typing import NDArray

from sttest.core.directed_graph import topological_order
from sttest.core.errors import InputError, SttestError

# --- A linear program solved by HiGHS, which at times gives up on one that another of its ways solves


# HiGHS's own choice first; the simplex without presolve and the interior point end where that reports "unknown".
_WAYS = (("choose", "on"), ("simplex", "off"), ("ipm", "on"))


@dataclass(frozen=True)
class Entries:
    """The coefficients of R inequalities in C columns: one per entry, no place twice."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    shape: tuple[int, int]

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """``weights`` (R) times the matrix (R x C)."""
        products = weights[self.rows] * self.coefficients
        return np.bincount(self.columns, products, minlength=self.shape[1]).astype(np.float64)


def solve_lp(
    costs: NDArray[np.float64],
    entries: Entries,
    limits: NDArray[np.float64],
    bounds: Sequence[tuple[float, float]] | NDArray[np.float64],
    what: str,
) -> NDArray[np.float64]:
    """The point of least ``costs`` with ``entries @ point <= limits`` within ``bounds``.

    Args:
        costs: cost per column.
        entries, limits: coefficients and right-hand sides of the inequalities.
        bounds: least and most of each column.
        what: name of what is looked for, for the error.

    Raises:
        SttestError: ``lp-failed``, no way finds one.
    """
    program = _program(costs, entries, limits, np.array(bounds, np.float64))
    message = ""
    for solver, presolve in _WAYS:
        status, point = _solved(program, solver, presolve)
        if point is not None:
            return point
        message = message or status
    raise SttestError("lp-failed", f"{what}: {message}", where="fifo sizing")


def _program(
    costs: NDArray[np.float64], entries: Entries, limits: NDArray[np.float64], bounds: NDArray[np.float64]
) -> HighsLp:
    """The program column by column, as HiGHS stores it."""
    order = np.lexsort((entries.rows, entries.columns))
    program: Any = HighsLp()  # whose stubs know lists alone
    program.num_row_, program.num_col_ = entries.shape
    program.col_cost_, program.col_lower_, program.col_upper_ = costs, bounds[:, 0], bounds[:, 1]
    program.row_lower_, program.row_upper_ = np.full(entries.shape[0], -np.inf), limits
    program.a_matrix_.format_ = MatrixFormat.kColwise
    program.a_matrix_.num_row_, program.a_matrix_.num_col_ = entries.shape
    in_column = np.bincount(entries.columns, minlength=entries.shape[1])
    program.a_matrix_.start_ = np.concatenate([[0], np.cumsum(in_column)])
    program.a_matrix_.index_ = entries.rows[order]
    program.a_matrix_.value_ = entries.coefficients[order]
    return program


def _solved(program: HighsLp, solver: str, presolve: str) -> tuple[str, NDArray[np.float64] | None]:
    """How HiGHS ended, and the optimum if it found it."""
    highs = Highs()
    for option, value in (("output_flag", False), ("solver", solver), ("presolve", presolve)):
        highs.setOptionValue(option, value)
    highs.passModel(program)
    highs.run()
    status = highs.getModelStatus()
    found = status == HighsModelStatus.kOptimal
    return highs.modelStatusToString(status), np.array(highs.getSolution().col_value) if found else None


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
    signs = np.repeat([-1.0, 1.0], len(edges))
    falls = Entries(np.tile(numbers, 2), np.concatenate([targets, sources]), signs, (len(edges), len(asap)))
    starts = solve_lp(
        -falls.times(np.array(graph.weights)),
        falls,
        -np.array(graph.min_delays, np.float64),
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
