"""The FIFO sizing of StreamTensor (arXiv 2509.13694) as published: one rate per FIFO, delays over paths.

Compiled designs are sized otherwise unless ``--sizing paper`` asks for this (docs/fix-a-deadlock/fifo-sizing.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from sttest.compile.spaces.fifo_sizing import (
    DelayEdge,
    DelayGraph,
    Entries,
    asap_starts,
    differences,
    schedule_delays,
    solve_lp,
)
from sttest.core.errors import InputError, did_you_mean
from sttest.sim.graph import MIN_DEPTH

# --- The token model: how many tokens one FIFO holds at most


@dataclass(frozen=True)
class EdgeRates:
    """When the two ends of a FIFO touch it, each at a rate of its own.

    The n-th write is at ``first_write_cycles + n * source_ii`` after the
    source's start, the n-th read at ``first_read_cycles + n * target_ii``
    after the target's start, unless it has to wait.
    """

    tokens: int
    source_ii: int
    first_write_cycles: int
    target_ii: int
    first_read_cycles: int = 0

    def __post_init__(self) -> None:
        if min(self.tokens, self.source_ii, self.target_ii) < 1:
            raise InputError(
                "bad-edge-rates",
                f"tokens, source_ii and target_ii must be 1 or more in {self}",
                hints=["correct the rates of this FIFO"],
            )

    @property
    def min_delay_cycles(self) -> int:
        """The delay with which the first read does not wait; negative if the target reads late."""
        return self.first_write_cycles - self.first_read_cycles

    @property
    def last_write_cycles(self) -> int:
        """Cycles from the source's start to its last write: L of the paper."""
        return self.first_write_cycles + (self.tokens - 1) * self.source_ii


def max_tokens(rates: EdgeRates, delay_cycles: int) -> int:
    """The most tokens inside, by the closed form of the paper.

    A faster source (``source_ii < target_ii``) has the FIFO fullest at its
    last write, ``T - floor((L - delay) / II_t)``; else it is fullest at the
    first read, ``ceil((delay - D) / II_s)``; never more than T.  The delay
    counts to the first read, which is never before the first write.

    This covers the peak if a read in the same cycle counts before the write.
    """
    to_first_read = max(delay_cycles + rates.first_read_cycles, rates.first_write_cycles)
    if rates.source_ii < rates.target_ii:
        inside = rates.tokens - (rates.last_write_cycles - to_first_read) // rates.target_ii
    else:
        inside = -((rates.first_write_cycles - to_first_read) // rates.source_ii)
    return min(rates.tokens, inside)


def depth(rates: EdgeRates, delay_cycles: int) -> int:
    """Depth with which the FIFO never holds its source back.

    Ours: one more than :func:`max_tokens`, because a FIFO that is full takes
    no write in the cycle in which it is read, and never below 2.
    """
    return max(MIN_DEPTH, max_tokens(rates, delay_cycles) + 1)


def asap_delays(nodes: Sequence[str], edges: Sequence[DelayEdge]) -> dict[str, int]:
    """The delays if every kernel starts as soon as all its first tokens are there.

    They suffice on every path, since all paths from u to v then last from u's
    start to v's, but they are not least.

    Returns:
        Delay in cycles per edge name, in the order given.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name`` or ``duplicate-name``.
    """
    graph = DelayGraph(nodes, edges)
    return differences(graph, edges, asap_starts(graph))


# --- The delays of FIFO sizing: how much later each target starts than its source


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
        edges: edges with unique names; parallel edges are allowed.

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
        found = solve_lp(
            np.pad(np.array(self.graph.weights), (0, shape[1] - edge_count)),
            Entries(np.array(rows), np.array(columns), np.array(coefficients, np.float64), shape),
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


class Strategy(StrEnum):
    """At which speed the kernels are taken to run."""

    NORMAL = "normal"
    """Each at its own."""
    CONSERVATIVE = "conservative"
    """All built for the slowest one's: smaller FIFOs for some latency."""
    THROTTLED = "throttled"
    """Ours: each built for its own, but held back to the slowest one's pace.

    A stalling pipeline that starves does not drain: to bring out its first
    token it must read as many as fit into its latency, however long these
    take to come.  So its first output moves with the pace too.  Sized as
    normal, such a design can deadlock where a slow kernel feeds a fast one
    beside a shorter path; sized as throttled it does not.
    """


class Delays(StrEnum):
    """Which linear program gives the delays."""

    PATHS = "paths"
    """The paper's: every directed path is long enough."""
    SCHEDULE = "schedule"
    """Ours: one start per kernel, safe for sources that meet in several places too."""


@dataclass(frozen=True)
class KernelTiming:
    """A kernel's run, in cycles."""

    name: str
    ii: int
    """Cycles between two output tokens."""
    first_output_cycles: int
    """Cycles from the start to the first output token: D."""
    total_cycles: int
    """Cycles from the start to the last output token: L = D + (T - 1) II for T tokens."""

    def __post_init__(self) -> None:
        if self.ii < 1 or not 0 <= self.first_output_cycles <= self.total_cycles:
            raise InputError(
                "bad-kernel-timing",
                f"ii must be 1 or more and 0 <= first output <= total cycles in {self}",
                where=self.name,
                hints=["correct the timing of this kernel"],
            )

    @property
    def busy_cycles(self) -> int:
        """Between two runs that follow each other without a gap: T × II."""
        return self.total_cycles - self.first_output_cycles + self.ii

    @property
    def tokens(self) -> int:
        """Output tokens of one run, if they come at one rate.

        Raises:
            InputError: ``not-single-rate``.
        """
        if self.busy_cycles % self.ii:
            raise InputError(
                "not-single-rate",
                f"{self.total_cycles - self.first_output_cycles} cycles from the first to the last output token are"
                f" no multiple of the ii of {self.ii}",
                where=self.name,
                hints=["give the FIFOs of this kernel their own rates"],
            )
        return self.busy_cycles // self.ii


@dataclass(frozen=True)
class FifoFacts:
    """A FIFO; without rates of its own it runs at those of its two kernels."""

    name: str
    source: str
    target: str
    rates: EdgeRates | None = None


@dataclass(frozen=True)
class FifoSize:
    """The decision for one FIFO."""

    delay_cycles: int
    """Cycles from the source's start to the target's start."""
    depth: int


def equalize(kernels: Sequence[KernelTiming], strategy: Strategy) -> list[KernelTiming]:
    """The kernels at the speeds of a strategy.

    Normal leaves them alone.  The others stretch every II by the slowest
    kernel's busy cycles over its own, rounded down to whole cycles, so that no
    kernel becomes slower than the slowest.  Throttled stretches the first
    output likewise, rounded up; conservative leaves it where it is.
    """
    speeds = _speeds(kernels, strategy)
    return [_stretched(kernel, speeds[kernel.name]) for kernel in kernels]


def size_fifos(
    kernels: Sequence[KernelTiming],
    fifos: Sequence[FifoFacts],
    strategy: Strategy = Strategy.NORMAL,
    *,
    delays: Delays = Delays.PATHS,
    read_after_write_cycles: int = 0,
) -> dict[str, FifoSize]:
    """Delay and depth per FIFO name, in the order given.

    Args:
        kernels: facts per kernel.
        fifos: facts per FIFO, with unique names.
        strategy: the kernels' speed.
        delays: the linear program.
        read_after_write_cycles: least time from a write to its read, the same
            for all FIFOs: 0 in the paper's token model, 1 for shift-register
            and 2 for RAM FIFOs.  It adds to the delay of every hop, so a path
            of fewer hops needs deeper FIFOs to make up for it.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name``,
            ``duplicate-name``, or ``not-single-rate`` for a FIFO that has no
            rates of its own.
    """
    timing = {kernel.name: kernel for kernel in kernels}
    speeds = _speeds(kernels, strategy)
    rates = {fifo.name: _rates_at(fifo, timing, speeds) for fifo in fifos}
    hop = {name: own.min_delay_cycles + read_after_write_cycles for name, own in rates.items()}
    edges = [DelayEdge(fifo.name, fifo.source, fifo.target, hop[fifo.name]) for fifo in fifos]
    if delays == Delays.PATHS:
        found = solve_delays([kernel.name for kernel in kernels], edges)
    else:
        found = schedule_delays({kernel.name: kernel.total_cycles for kernel in equalize(kernels, strategy)}, edges)
    return {name: FifoSize(delay, depth(rates[name], delay)) for name, delay in found.items()}


@dataclass(frozen=True)
class _Speed:
    """How much slower than by itself a kernel is taken to run."""

    factor: Fraction
    stretches_first_output: bool

    def ii(self, own: int) -> int:
        return math.floor(own * self.factor)

    def first_write_cycles(self, own: int) -> int:
        return math.ceil(own * self.factor) if self.stretches_first_output else own

    def first_read_cycles(self, own: int) -> int:
        return math.floor(own * self.factor) if self.stretches_first_output else own


def _speeds(kernels: Sequence[KernelTiming], strategy: Strategy) -> dict[str, _Speed]:
    if strategy == Strategy.NORMAL:
        return {kernel.name: _Speed(Fraction(1), stretches_first_output=False) for kernel in kernels}
    slowest_cycles = max((kernel.busy_cycles for kernel in kernels), default=0)
    throttled = strategy == Strategy.THROTTLED
    return {kernel.name: _Speed(Fraction(slowest_cycles, kernel.busy_cycles), throttled) for kernel in kernels}


def _stretched(kernel: KernelTiming, speed: _Speed) -> KernelTiming:
    ii = speed.ii(kernel.ii)
    first_output_cycles = speed.first_write_cycles(kernel.first_output_cycles)
    streaming_cycles = (kernel.total_cycles - kernel.first_output_cycles) * ii // kernel.ii
    return KernelTiming(kernel.name, ii, first_output_cycles, first_output_cycles + streaming_cycles)


def _rates_at(fifo: FifoFacts, timing: Mapping[str, KernelTiming], speeds: Mapping[str, _Speed]) -> EdgeRates:
    """The FIFO's rates when its two kernels run at these speeds."""
    for name in (fifo.source, fifo.target):
        if name not in timing:
            raise InputError(
                "unknown-name",
                f"the FIFO names the unknown kernel '{name}'",
                where=fifo.name,
                hints=[did_you_mean(name, timing)],
            )
    source, target = timing[fifo.source], timing[fifo.target]
    own = fifo.rates or EdgeRates(source.tokens, source.ii, source.first_output_cycles, target.ii)
    return EdgeRates(
        tokens=own.tokens,
        source_ii=speeds[source.name].ii(own.source_ii),
        first_write_cycles=speeds[source.name].first_write_cycles(own.first_write_cycles),
        target_ii=speeds[target.name].ii(own.target_ii),
        first_read_cycles=speeds[target.name].first_read_cycles(own.first_read_cycles),
    )
