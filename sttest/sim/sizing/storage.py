"""The least storage with which endless actors reach a throughput, and the whole trade-off.

Stuijk, Geilen & Basten, "Exploring trade-offs in buffer requirements and throughput constraints
for synchronous dataflow graphs", DAC 2006, and IEEE TC 57(10), 2008: distributions of storage
are looked at in the order of their size.  From each, only those FIFOs are deepened, by their step,
of which one must be deeper for a higher throughput.  So every distribution that reaches a
throughput is preceded by smaller ones on the way to it, and none is missed.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import gcd

import numpy as np

from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.sim.api import one_iteration
from sttest.sim.depth_search import least_depth, reduce_depths
from sttest.sim.graph import Actor, TimedGraph
from sttest.sim.sizing.finite import Sizing, least_live_depths
from sttest.sim.throughput import NEVER_FULL, Rate, SelfTimed

# --- The storage distributions that are worth a look: least depths, steps, greatest depths


Distribution = tuple[int, ...]
"""Depths, in the order of the graph's FIFOs."""


class StorageSpace:
    """Distributions of a graph of endless actors.

    ``least``: per FIFO, the least depth with which the graph is live while all others are never full.

    Raises:
        DeadlockError: it deadlocks with FIFOs of any depth.
    """

    def __init__(self, run: SelfTimed) -> None:
        self.steps = _steps(run.graph)
        self.most = _most_useful(run.graph)
        self.least = self._least_live(run)

    def _least_live(self, run: SelfTimed) -> Distribution:
        graph = run.graph
        if not any(isinstance(actor, Actor) and actor.initial_phases for actor in graph.processes):
            return least_live_depths(one_iteration(graph, run.repetitions))
        # Initial phases end with tokens that some depths don't hold: where actors stop hangs on depths, so none may.
        if _throughput(run) == 0:
            what = "deadlocks with FIFOs of any depth, tokens are missing"
            raise DeadlockError("tokens-missing", what, where=graph.name)
        start = (fifo.initial_tokens or step for fifo, step in zip(graph.fifos, self.steps, strict=True))
        return self.alone(run, tuple(start), lambda throughput: throughput > 0)

    def alone(self, run: SelfTimed, start: Distribution, is_enough: Callable[[Fraction], bool]) -> Distribution:
        """Per FIFO, the least depth from ``start`` whose throughput is enough while all others are never full."""
        found: list[int] = []
        for fifo, (least, step, most) in enumerate(zip(start, self.steps, self.most, strict=True)):

            def does(steps: int, fifo: int = fifo, least: int = least, step: int = step) -> bool:
                depths = [NEVER_FULL] * len(start)
                depths[fifo] = least + steps * step
                reached = _throughput(run, tuple(depths))
                return reached is None or is_enough(reached)

            high = 0
            while least + high * step < most and not does(high):
                high = 2 * high + 1
            found.append(least + least_depth(does, (high + 1) // 2, high) * step)
        return tuple(found)

    def deeper(self, depths: Distribution, rate: Rate) -> Iterator[Distribution]:
        """All with one of the limiting FIFOs a step deeper."""
        for fifo in rate.limiting:
            depth = depths[fifo] + self.steps[fifo]
            if depth <= self.most[fifo]:
                yield (*depths[:fifo], depth, *depths[fifo + 1 :])


def _steps(graph: TimedGraph) -> list[int]:
    """The useful steps between depths: the common divisor of all that a FIFO is given or loses at once."""
    amounts: dict[str, list[int]] = {fifo.name: [] for fifo in graph.fifos}
    for phase in (phase for actor in graph.processes if isinstance(actor, Actor) for phase in actor.all_phases):
        for name, tokens in (*phase.reads.items(), *phase.writes.items()):
            amounts[name].append(tokens)
    return [gcd(*amounts[fifo.name]) for fifo in graph.fifos]


def _most_useful(graph: TimedGraph) -> list[int]:
    """Depths that no run exceeds: an actor's firings hold at most all tokens of its self-loop, and as much space."""
    most = {fifo.name: NEVER_FULL for fifo in graph.fifos}
    for actor in graph.processes:
        if isinstance(actor, Actor) and len(actor.all_phases) == 1:
            phase = actor.phases[0]
            for name in phase.reads.keys() & phase.writes.keys():
                most[name] = 2 * graph.fifos[graph.fifo_index[name]].initial_tokens
    return [most[fifo.name] for fifo in graph.fifos]


# --- A search for small storage that looks only at the fastest distributions of each size


WIDTH = 8
"""Distributions of one size that are followed up."""


def narrow_search(run: SelfTimed, space: StorageSpace, start: Distribution, target: Fraction) -> Distribution:
    """A distribution that reaches a target, and of which no single FIFO can be less deep.

    Args:
        run: the graph.
        space: its distributions.
        start: depths below which none can go.
        target: iterations per cycle, to be had with FIFOs that are never full.
    """
    levels = {sum(start): {start}}
    while True:
        size = min(levels)
        rates = {depths: run.rate(depths) for depths in levels.pop(size)}
        fastest = sorted(rates, key=lambda depths: (-rates[depths].throughput, depths))[:WIDTH]
        if rates[fastest[0]].throughput >= target:
            return _lowered(run, fastest[0], start, target)
        for depths in fastest:
            for deeper in space.deeper(depths, rates[depths]):
                levels.setdefault(sum(deeper), set()).add(deeper)


def _lowered(run: SelfTimed, depths: Distribution, lower: Distribution, target: Fraction) -> Distribution:
    def is_enough(trial: np.ndarray) -> bool:
        return run.rate(trial.tolist()).throughput >= target

    start = np.array(depths, np.int64)
    order = np.argsort(-start, kind="stable").tolist()
    zeros = np.zeros_like(start)
    return tuple(reduce_depths(start, np.array(lower), is_enough, order, zeros).tolist())


MAX_FIRINGS_TRIED = 40_000_000
"""Firings simulated in all, after which the search for the least storage is given up: some ten seconds."""

# What it takes to look at a distribution, whatever its firings, in firings that take as long.
_FIRINGS_PER_LOOK = 2_000


@dataclass(frozen=True)
class ParetoPoint:
    """A throughput that no smaller storage reaches: ``total_tokens`` over all FIFOs, self-loops included."""

    throughput: Fraction
    total_tokens: int
    depths: dict[str, int]


def trade_off(graph: TimedGraph) -> Iterator[ParetoPoint]:
    """All Pareto points, the least storage first, up to the throughput with FIFOs that are never full.

    Raises:
        DeadlockError: it has no throughput, however deep its FIFOs are.
        InputError: not a graph of endless actors, or nothing bounds its rate.
    """
    return _points(graph, SelfTimed(graph))


def _points(graph: TimedGraph, run: SelfTimed) -> Iterator[ParetoPoint]:
    space = StorageSpace(run)
    highest = run.rate().throughput
    best = Fraction(0)
    for total, of_one_size in groupby(_by_size(run, space, space.least), key=lambda found: sum(found[0])):
        depths, rate = _fastest(of_one_size, highest)
        if rate.throughput > best:
            best = rate.throughput
            yield ParetoPoint(best, total, _named(graph, depths))
        if best >= highest:
            return


def _fastest(found: Iterable[tuple[Distribution, Rate]], highest: Fraction) -> tuple[Distribution, Rate]:
    """The first with the highest throughput; none is looked at after one that can't be surpassed."""
    best: tuple[Distribution, Rate] | None = None
    for depths, rate in found:
        if best is None or rate.throughput > best[1].throughput:
            best = depths, rate
        if rate.throughput >= highest:
            break
    assert best is not None, "groups have members"
    return best


def size_for_throughput(
    graph: TimedGraph, throughput: Fraction | None = None, *, most_firings: int = MAX_FIRINGS_TRIED
) -> Sizing:
    """The least storage, in tokens over all FIFOs, that reaches a throughput.

    Args:
        graph: graph of endless actors; its own depths are ignored.
        throughput: iterations per cycle; by default as with FIFOs that are never full.
        most_firings: simulated in all; after so many, a narrower search takes over (``is_exact`` is False then,
            and ``lower_total`` how far the search for the least storage came).

    Raises:
        DeadlockError: it deadlocks with FIFOs of any depth.
        DoesNotFitError: no storage reaches that throughput.
        InputError: not a graph of endless actors, or nothing bounds its rate and no throughput is given.
    """
    run = SelfTimed(graph)
    space = StorageSpace(run)
    target = _possible(graph, run, throughput)
    lower = _lower_bounds(run, space, target)
    tried, firings, total = 0, 0, sum(lower)
    for depths, rate in _by_size(run, space, lower):
        tried, firings, total = tried + 1, firings + rate.firings + _FIRINGS_PER_LOOK, sum(depths)
        if rate.throughput >= target:
            return _sizing(graph, depths, rate, lower, total, tried)
        if firings > most_firings:
            break
    depths = narrow_search(run, space, lower, target)
    return _sizing(graph, depths, run.rate(depths), lower, total, tried)


def _possible(graph: TimedGraph, run: SelfTimed, throughput: Fraction | None) -> Fraction:
    if throughput is None:
        return run.rate().throughput
    if throughput <= 0:
        hints = ["ask for more than 0"]
        raise InputError("bad-throughput", f"throughput {throughput}", where=graph.name, hints=hints)
    highest = _throughput(run)
    if highest is not None and throughput > highest:
        raise DoesNotFitError(
            "too-fast",
            "no storage reaches that throughput",
            where=graph.name,
            demand=float(throughput),
            bound=float(highest),
            unit="iterations per cycle",
            hints=[f"ask for {highest}"],
        )
    return throughput


def _throughput(run: SelfTimed, depths: Distribution | None = None) -> Fraction | None:
    """The throughput with these depths, or FIFOs that are never full; None where nothing bounds it."""
    try:
        return run.rate(depths).throughput
    except InputError as error:
        if error.code != "no-rate-bound":
            raise
        return None


def _by_size(run: SelfTimed, space: StorageSpace, start: Distribution) -> Iterator[tuple[Distribution, Rate]]:
    """Distributions that may be Pareto points, smallest first, with the rates that they give."""
    queue = [(sum(start), start)]
    seen = {start}
    while queue:
        _, depths = heapq.heappop(queue)
        rate = run.rate(depths)
        yield depths, rate
        for deeper in space.deeper(depths, rate):
            if deeper not in seen:
                seen.add(deeper)
                heapq.heappush(queue, (sum(deeper), deeper))


def _lower_bounds(run: SelfTimed, space: StorageSpace, target: Fraction) -> Distribution:
    """Per FIFO, the least depth with which the target is reached while all others are never full."""
    return space.alone(run, space.least, lambda throughput: throughput >= target)


def _sizing(
    graph: TimedGraph, depths: Distribution, rate: Rate, lower: Distribution, lower_total: int, tried: int
) -> Sizing:
    return Sizing(
        graph=graph,
        method="sim",
        depths=_named(graph, depths),
        throughput=rate.throughput,
        lower_bounds=_named(graph, lower),
        lower_total=lower_total,
        is_exact=sum(depths) == lower_total,
        is_local_minimum=True,
        tried=tried,
    )


def _named(graph: TimedGraph, depths: Distribution) -> dict[str, int]:
    return {fifo.name: depth for fifo, depth in zip(graph.fifos, depths, strict=True)}
