"""Depths by simulation, of graphs that come to an end.

From depths that are enough by construction, the fill of FIFOs that are never full,
FIFO after FIFO is made less deep, largest first, until none can be: a local minimum.
What each FIFO needs while all others are never full bounds every sizing from below.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.sim.api import simulate
from sttest.sim.bursts import sharing_ports, with_own_channels
from sttest.sim.deadlock import advance, explain, held_channel
from sttest.sim.depth_search import IsEnough, least_depth, reduce_depths, srl_thresholds
from sttest.sim.graph import TimedGraph
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.sizing.depth_runner import DepthRunner
from sttest.sim.stages import UNBOUNDED, FlatGraph, flatten

# --- Lower bounds of depths: what each FIFO needs even while all others are never full


def least_live_depths(graph: TimedGraph) -> tuple[int, ...]:
    """Per FIFO, the least depth with which a finite run ends while all other FIFOs are never full.

    Raises:
        DeadlockError: it doesn't end with FIFOs that are never full: tokens are missing.
    """
    flat = flatten(graph)
    unbounded = np.full(len(graph.fifos), UNBOUNDED, np.int64)
    freest = advance(flat, unbounded)
    if not freest.is_done(flat):
        cycle = explain(graph, flat, unbounded=True).cycle
        where = f"{graph.name}: FIFO '{cycle[0].fifo}'" if cycle else graph.name
        raise DeadlockError("tokens-missing", "deadlocks with FIFOs of any depth, tokens are missing", where=where)
    found: dict[tuple[int, int, int], int] = {}
    least: list[int] = []
    for number, (fifo, lane) in enumerate(zip(graph.fifos, find_programs(graph).lane.tolist(), strict=True)):
        # FIFOs that are accessed alike need the same.
        low = max(1, fifo.initial_tokens)
        key = lane, low, max(low, int(freest.peak[number]))
        if key not in found:
            found[key] = _least(flat, unbounded, number, *key[1:])
        least.append(found[key])
    return tuple(least)


def _least(flat: FlatGraph, unbounded: np.ndarray, fifo: int, low: int, high: int) -> int:
    """The least depth from ``low`` to ``high`` with which the run ends; with ``high`` it does."""
    depths = unbounded.copy()

    def is_live(depth: int) -> bool:
        depths[fifo] = depth
        return advance(flat, depths).is_done(flat)

    return least_depth(is_live, low, high)


# --- What sizing gives back


SCHEMA = "sttest.sizing/1"


@dataclass(frozen=True)
class Sizing:
    """Depths of the FIFOs of a graph, in tokens.

    ``cycles`` of a finite run, None on a deadlock; ``throughput`` of endless actors, in iterations per cycle.
    ``lower_bounds``: per FIFO, below which no sizing for the same target can go; ``lower_total``: tokens that
    no sizing can go below; ``is_exact``: no sizing has fewer tokens, as is proven by these bounds;
    ``is_local_minimum``: none can be lowered alone.  ``tried``: depth vectors looked at.
    """

    graph: TimedGraph
    method: str
    depths: dict[str, int]
    cycles: int | None = None
    throughput: Fraction | None = None
    lower_bounds: dict[str, int] = field(default_factory=dict[str, int])
    lower_total: int = 0
    is_exact: bool = False
    is_local_minimum: bool = False
    tried: int = 0
    notes: tuple[str, ...] = ()

    @property
    def total_tokens(self) -> int:
        """Over all FIFOs."""
        return sum(self.depths.values())

    @property
    def total_bits(self) -> int:
        """Over all FIFOs."""
        return sum(fifo.bits * self.depths[fifo.name] for fifo in self.graph.fifos)

    @property
    def lower_bits(self) -> int:
        """Bits that no sizing can go below."""
        return sum(fifo.bits * self.lower_bounds[fifo.name] for fifo in self.graph.fifos)

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.sizing/1``."""
        throughput = None if self.throughput is None else [self.throughput.numerator, self.throughput.denominator]
        return {
            "schema": SCHEMA,
            "depths": self.depths,
            "total_tokens": self.total_tokens,
            "total_bits": self.total_bits,
            "cycles": self.cycles,
            "throughput": throughput,
            "method": self.method,
            "lower_bounds": self.lower_bounds,
            "lower_total": self.lower_total,
            "lower_bits": self.lower_bits,
            "is_exact": self.is_exact,
            "is_local_minimum": self.is_local_minimum,
            "tried": self.tried,
            "notes": list(self.notes),
        }


NO_LOSS, NO_DEADLOCK = "no-loss", "no-deadlock"


def size_by_simulation(
    graph: TimedGraph, target: str | int = NO_LOSS, engine: str = "maxplus", known: Mapping[str, int] | None = None
) -> Sizing:
    """Depths of which no single one can be lowered by one token, with the fewest bits of those found.

    Args:
        graph: finite; its own depths only say of which kind its FIFOs are.
        target: ``no-loss``, not later than with FIFOs that are never full; ``no-deadlock``, it ends;
            or the cycle in which it must have ended.
        engine: ``maxplus``, or ``simpy``, far slower, for comparison.
        known: depths to start from, too, if they do what is asked: what comes back has no more bits.

    Raises:
        DeadlockError: it deadlocks with FIFOs of any depth, or an early burst holds a channel for ever.
        DoesNotFitError: no depths end by that cycle, or none that were found.
        InputError: an unknown target, or actors that fire for ever.
    """
    if graph.is_endless:
        hints = ["ask for a throughput instead"]
        raise InputError("endless", "actors that fire for ever come to no end", where=graph.name, hints=hints)
    if isinstance(target, str) and target not in (NO_LOSS, NO_DEADLOCK):
        hints = [f"give {NO_LOSS}, {NO_DEADLOCK} or a number of cycles"]
        raise InputError("unknown-target", f"no target '{target}'", where=graph.name, hints=hints)
    return _FiniteSizing(graph, engine).size(target, known or {})


MAX_BOUND_EVENTS = 1 << 29
"""Accesses of runs that find lower bounds alone, beyond which they take longer than some ten seconds."""
_PROCESS_EVENTS = 500
"""What a process counts in a run, however few tokens it passes."""


@dataclass(frozen=True)
class LeastDepths:
    """Tokens by FIFO below which no sizing can go: what each needs while all others are never full.

    ``live``: for the run to end, the lower bounds of target ``no-deadlock``; ``lossless``: for it to end no later than
    with FIFOs that are never full, those of ``no-loss``.
    """

    live: dict[str, int]
    lossless: dict[str, int]


def least_depths(graph: TimedGraph) -> LeastDepths:
    """The lower bounds of a sizing by simulation without the sizing.

    Raises:
        InputError: actors that fire for ever.
        DeadlockError: it deadlocks with FIFOs of any depth.
        DoesNotFitError: it would take longer than a few seconds.
    """
    if graph.is_endless:
        raise InputError("endless", "actors that fire for ever come to no end", where=graph.name)
    flat = flatten(graph)
    kinds = len(set(find_programs(graph).lane.tolist()))
    events = kinds * (int(flat.tokens.sum()) + _PROCESS_EVENTS * len(graph.processes))
    if events > MAX_BOUND_EVENTS:
        raise DoesNotFitError(
            "too-many-events",
            "least depths take too many runs",
            where=graph.name,
            demand=events,
            bound=MAX_BOUND_EVENTS,
            unit="accesses",
        )
    sizing = _FiniteSizing(graph, "maxplus")
    lossless = sizing.bounds(*sizing.timed_start(None))
    names = [fifo.name for fifo in graph.fifos]
    return LeastDepths(*(dict(zip(names, each.tolist(), strict=True)) for each in (sizing.live, lossless)))


class _FiniteSizing:
    def __init__(self, graph: TimedGraph, engine: str) -> None:
        self.graph = graph
        self.live = np.array(least_live_depths(graph), np.int64)
        self.runner = DepthRunner(graph)
        self.shares_channels = bool(sharing_ports(graph))
        # What bounds the times from below: where ports share a channel, the same ports with channels of their own.
        self.freest = DepthRunner(with_own_channels(graph)) if self.shares_channels else self.runner
        self.cycles_with = self.runner.run if engine == "maxplus" else partial(_cycles_by_engine, graph, engine)
        self.thresholds = srl_thresholds(graph)
        self.fastest = self.runner.latencies(np.ones_like(self.live))
        self.tried = 0

    def size(self, target: str | int, known: Mapping[str, int]) -> Sizing:
        bound: int | None = None
        given = [known.get(fifo.name, fifo.depth) for fifo in self.graph.fifos]
        other = np.array(given, np.int64) if known else None
        if target == NO_DEADLOCK:
            start, is_enough = self._live_start()
            lower = self.live
        else:
            start, bound = self.timed_start(None if isinstance(target, str) else target, other)
            is_enough = partial(self._ends_by, bound)
            lower = self.bounds(start, bound)
        starts = [start]
        if other is not None and is_enough(other):
            starts.append(other)
        found = [self._reduced(each, np.minimum(lower, each), is_enough) for each in starts]
        best = min(found, key=lambda depths: (int(depths @ self.runner.bits), int(depths.sum())))
        return self._result(best, lower, bound)

    def _reduced(self, start: np.ndarray, lower: np.ndarray, is_enough: IsEnough) -> np.ndarray:
        # Those first that may save most bits.
        order = np.argsort((lower - start) * self.runner.bits, kind="stable").tolist()
        return reduce_depths(start, lower, is_enough, order, self.thresholds)

    def _ends_by(self, bound: int, depths: np.ndarray) -> bool:
        self.tried += 1
        cycles = self.cycles_with(depths)
        return cycles is not None and cycles <= bound

    def _live_start(self) -> tuple[np.ndarray, IsEnough]:
        flat = flatten(self.graph)

        def is_live(depths: np.ndarray) -> bool:
            self.tried += 1
            return advance(flat, depths).is_done(flat)

        return np.maximum(self.live, advance(flat, np.full_like(self.live, UNBOUNDED)).peak), is_live

    def timed_start(self, bound: int | None, known: np.ndarray | None = None) -> tuple[np.ndarray, int]:
        """Depths that are enough, and the cycle by which they end; without a bound, that of FIFOs that are never full.

        Raises:
            DoesNotFitError: neither these end by the bound, nor the ``known`` ones.
        """
        runner = self.runner
        given = runner.latencies(np.array([fifo.depth for fifo in self.graph.fifos], np.int64))
        unbounded_cycles, peaks = runner.run_unbounded(given)
        if unbounded_cycles is None:
            raise held_channel(self.graph)
        # A FIFO that was given as a shift register is at most as deep as one can be, so that it stays one.
        can_stay = (self.thresholds > 0) & (given == self.fastest)
        start = np.where(can_stay, np.minimum(peaks, self.thresholds), peaks)
        start = np.maximum(start, self.live)
        wanted = unbounded_cycles if bound is None else bound
        if self._ends_by(wanted, start):
            return start, wanted
        start, cycles = self._settled_start(given)
        if bound is None or cycles <= bound:
            return start, cycles if bound is None else bound
        if known is not None and self._ends_by(bound, known):
            return known, bound
        # With memories to itself a port is served no later, and no FIFO passes tokens sooner than a shift register.
        ideal, _ = self.freest.run_unbounded(self.fastest)
        assert ideal is not None, "live with FIFOs that are never full"
        why = "no depths are enough" if ideal > bound else "no depths were found that are enough"
        raise DoesNotFitError(
            "too-late",
            why,
            where=self.graph.name,
            demand=cycles,
            bound=bound,
            unit="cycles",
            hints=[f"ask for {cycles} cycles"],
        )

    def _settled_start(self, latencies: np.ndarray) -> tuple[np.ndarray, int]:
        """Fill of FIFOs that are never full and each of the kind that its fill asks for."""
        runner = self.runner
        while True:
            cycles, peaks = runner.run_unbounded(latencies)
            if cycles is None:
                raise held_channel(self.graph)
            peaks = np.maximum(peaks, self.live)
            settled = np.maximum(latencies, runner.latencies(peaks))
            if (settled == latencies).all():
                break
            latencies = settled
        if self.shares_channels:
            # A RAM stays one: a shift register in its place might let a port ask sooner, and another one wait.
            peaks = np.where(latencies > self.fastest, np.maximum(peaks, self.thresholds + 1), peaks)
        return peaks, cycles

    def bounds(self, start: np.ndarray, bound: int) -> np.ndarray:
        """What each FIFO needs to meet the bound while all others are never full, and as fast as they can be."""
        runner = self.freest
        lower = self.live.copy()
        found: dict[object, int] = {}
        for fifo in range(start.size):
            # FIFOs that are accessed alike need the same.
            key = runner.alike[fifo], int(lower[fifo]), int(start[fifo])
            if key in found:
                lower[fifo] = found[key]
                continue
            depths = np.full_like(start, UNBOUNDED)
            latencies = self.fastest.copy()

            def is_enough(
                depth: int, fifo: int = fifo, depths: np.ndarray = depths, raw: np.ndarray = latencies
            ) -> bool:
                depths[fifo] = depth
                raw[fifo] = runner.latencies(depths)[fifo]
                self.tried += 1
                cycles = runner.run(depths, raw)
                return cycles is not None and cycles <= bound

            lower[fifo] = least_depth(is_enough, int(lower[fifo]), int(start[fifo]), int(self.thresholds[fifo]))
            found[key] = int(lower[fifo])
        return lower

    def _result(self, depths: np.ndarray, lower: np.ndarray, bound: int | None) -> Sizing:
        names = [fifo.name for fifo in self.graph.fifos]
        cycles = self.cycles_with(depths)
        if cycles is None:
            raise held_channel(self.graph)
        assert bound is None or cycles <= bound, "a sizing ends by the cycle that was asked for"
        is_exact = bool((depths == lower).all())
        return Sizing(
            graph=self.graph,
            method="sim",
            depths=dict(zip(names, depths.tolist(), strict=True)),
            cycles=cycles,
            lower_bounds=dict(zip(names, lower.tolist(), strict=True)),
            lower_total=int(lower.sum()),
            is_exact=is_exact,
            # With less space for a port its neighbor on a channel may be served sooner; that it ends knows no turns.
            is_local_minimum=is_exact or bound is None or not self.shares_channels,
            tried=self.tried,
        )


def _cycles_by_engine(graph: TimedGraph, engine: str, depths: np.ndarray) -> int | None:
    names = (fifo.name for fifo in graph.fifos)
    return simulate(graph, engine, dict(zip(names, depths.tolist(), strict=True))).cycles
