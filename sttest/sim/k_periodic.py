"""Exact throughput of actors by K-periodic schedules, for graphs with too many firings to simulate.

Bodin, Munier-Kordon & Dupont de Dinechin, "Optimal and fast throughput evaluation of CSDF", DAC 2016 (K-Iter): in a
K-periodic schedule, K[a] rounds of the phases of an actor a repeat at one distance.  Such schedules are constraints
between few events, whose maximum cycle ratio is the least period.  K grows along the critical cycle until it covers the
repetitions on that cycle; then no schedule is faster, and a cycle that allows no period is a deadlock.

Tokens have names here: the n-th that is taken is the n-th that was put.  So no firing may overtake another one.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import gcd, lcm

import numpy as np

from sttest.core.errors import DoesNotFitError
from sttest.sim.cycle_ratio import Constraints, CriticalCycle, critical_cycle

MAX_EVENTS = 200_000
"""Firings that a K-periodic schedule spells out, after which a search for the exact throughput is given up."""
MAX_CONSTRAINTS = 8_000_000
_MAX_PER_PERIOD = 1 << 61


@dataclass(frozen=True)
class Queue:
    """Tokens, or free places, that pass from actor to actor: ``put`` and ``taken`` per phase, int64, ``initial`` there.

    ``fifo``: its number; ``is_space``: whether its tokens are places, which the reader of the FIFO frees.
    """

    source: int
    target: int
    put: np.ndarray
    taken: np.ndarray
    initial: int
    fifo: int
    is_space: bool


@dataclass(frozen=True)
class Cyclic:
    """Actors joined by dependency cycles: the ``durations`` of their phases, int64, and the rounds of phases of each in
    an iteration."""

    durations: Sequence[np.ndarray]
    rounds: Sequence[int]
    queues: Sequence[Queue]


@dataclass(frozen=True)
class Exact:
    """Iterations per cycle, 0 on a deadlock; ``full``: FIFOs whose lack of space lies on the critical cycle.

    ``events``: how many firings the last schedule spelled out.
    """

    throughput: Fraction
    full: tuple[int, ...]
    events: int


def exact_throughput(part: Cyclic) -> Exact | None:
    """The throughput of actors whose firings do not overtake each other; None where no time passes on any cycle.

    Raises:
        DoesNotFitError: the schedule that proves it has too many events.
    """
    periodic = [1] * len(part.rounds)
    while True:
        schedule = _Schedule(part, periodic)
        critical = critical_cycle(schedule.constraints)
        if critical.period == 0:
            return None
        needed = _needed(part, schedule, critical)
        if all(periodic[actor] % rounds == 0 for actor, rounds in needed.items()):
            throughput = Fraction(0) if critical.period is None else 1 / critical.period
            return Exact(throughput, schedule.full(critical), schedule.constraints.events)
        for actor, rounds in needed.items():
            periodic[actor] = lcm(periodic[actor], rounds)


def _needed(part: Cyclic, schedule: "_Schedule", critical: CriticalCycle) -> dict[int, int]:
    """Rounds of phases, by actor of the critical cycle, after which it is closed."""
    actors = {schedule.actor_of(edge) for edge in critical.edges}
    common = gcd(*(part.rounds[actor] for actor in actors))
    return {actor: part.rounds[actor] // common for actor in actors}


class _Schedule:
    """The constraints of a K-periodic schedule: an event per firing of K[a] rounds of the phases of each actor."""

    def __init__(self, part: Cyclic, periodic: Sequence[int]) -> None:
        self.part = part
        sizes = [times.size * k for times, k in zip(part.durations, periodic, strict=True)]
        if sum(sizes) > MAX_EVENTS:
            raise too_long("firings of a schedule", sum(sizes), MAX_EVENTS)
        self.first = list(accumulate(sizes, initial=0))
        self.times = [np.tile(times, k) for times, k in zip(part.durations, periodic, strict=True)]
        self.periodic = periodic
        rows = [*map(self._in_order, range(len(sizes))), *map(self._queue, range(len(part.queues)))]
        columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
        *fields, self.queue_of = columns
        self.constraints = Constraints(sum(sizes), *fields)

    def actor_of(self, edge: int) -> int:
        """The actor at whose firing an edge begins."""
        return bisect_right(self.first, int(self.constraints.source[edge])) - 1

    def full(self, critical: CriticalCycle) -> tuple[int, ...]:
        """FIFOs for whose places the critical cycle waits."""
        queues = {int(self.queue_of[edge]) for edge in critical.edges}
        found = (self.part.queues[queue] for queue in queues if queue >= 0)
        return tuple(sorted({queue.fifo for queue in found if queue.is_space}))

    def _in_order(self, actor: int) -> tuple[np.ndarray, ...]:
        """Firings start in order, the first ones of the next K rounds after the last ones of these."""
        events = np.arange(self.first[actor], self.first[actor + 1])
        tokens = np.zeros(events.size, np.int64)
        tokens[-1] = self.periodic[actor]
        return _rows(events, np.roll(events, -1), np.zeros_like(events), tokens, self.part.rounds[actor], -1)

    def _queue(self, number: int) -> tuple[np.ndarray, ...]:
        """A firing starts after the end of the one that puts the last token which it takes and no earlier one did.

        With X tokens put before a firing and Y taken up to another one (M were there), and each K rounds passing W and
        R, the second depends on the first in rounds i and j if X < Y - M - (i W - j R) <= X + put; the differences
        are all multiples of gcd(W, R), and the greatest is the tightest.
        """
        queue = self.part.queues[number]
        put = np.tile(queue.put, self.periodic[queue.source])
        taken = np.tile(queue.taken, self.periodic[queue.target])
        per_period = int(queue.put.sum()) * self.part.rounds[queue.source]
        if per_period > _MAX_PER_PERIOD:
            raise too_long("tokens in an iteration", per_period, _MAX_PER_PERIOD)
        step = gcd(int(put.sum()), int(taken.sum()))
        firings, readers = np.flatnonzero(put), np.flatnonzero(taken)
        before = (np.cumsum(put) - put)[firings]
        last = (np.cumsum(taken) - queue.initial - 1)[readers]
        pairs = list(_matches(before, last, taken[readers], put[firings], step))
        source, target = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
        if source.size > MAX_CONSTRAINTS:
            raise too_long("constraints", source.size, MAX_CONSTRAINTS)
        ahead = last[target] - before[source]
        tokens = -(ahead - ahead % step)
        times = self.times[queue.source][firings[source]]
        events = self.first[queue.source] + firings[source], self.first[queue.target] + readers[target]
        return _rows(*events, times, tokens, per_period, number)


def _rows(
    source: np.ndarray, target: np.ndarray, time: np.ndarray, tokens: np.ndarray, per_period: int, queue: int
) -> tuple[np.ndarray, ...]:
    """Columns of constraints that share the last two."""
    return source, target, time, tokens, np.full(source.size, per_period), np.full(source.size, queue)


def _matches(
    before: np.ndarray, last: np.ndarray, taken: np.ndarray, put: np.ndarray, step: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of places in ``before`` and ``last`` whose difference, modulo ``step``, is less than is put and is taken.

    The rest, of a token that an earlier firing of the target takes too, follows from the order of firings.
    """
    residue = before % step
    order = np.argsort(residue, kind="stable")
    twice = np.concatenate([residue[order], residue[order] + step])
    span = np.minimum(taken, step)
    low = (last - span + 1) % step
    first, behind = np.searchsorted(twice, low), np.searchsorted(twice, low + span - 1, side="right")
    counts = behind - first
    if counts.sum() > MAX_CONSTRAINTS:
        raise too_long("constraints", int(counts.sum()), MAX_CONSTRAINTS)
    target = np.repeat(np.arange(last.size), counts)
    place = np.arange(target.size) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
    source = order[place % order.size]
    keep = (last[target] - before[source]) % step < put[source]
    yield source[keep], target[keep]


def too_long(what: str, demand: int, bound: int) -> DoesNotFitError:
    """The error of a search that is given up."""
    return DoesNotFitError(
        "no-period", f"too many {what}", where="K-periodic schedule", demand=demand, bound=bound,
        hints=["give depths to its FIFOs", "check the rates around them"],
    )  # fmt: skip
