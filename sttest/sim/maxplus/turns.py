"""How a loop nest splits into turns of an outer loop that access the same FIFOs at the same stages."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from sttest.sim.graph import Loop, When

SPELLED_OUT = 256
"""Iterations of a loop that is not worth splitting."""
_MOST_OUTER = 1 << 16


class Turn(NamedTuple):
    """Stages ``start`` to ``start + length`` of a loop, and how often their accesses happen, one after the other."""

    start: int
    length: int
    times: int


def turns(loop: Loop) -> list[Turn]:
    """Turns that cover a loop, drained; those that happen once are joined.

    The turn of an outer iteration holds what iterations before it still have in flight, so turns
    are the same wherever all iterations in flight are of one kind.
    """
    if loop.iterations <= SPELLED_OUT or not loop.events:
        return [Turn(0, loop.length, 1)]
    plans = [plan for dims in range(1, len(loop.trips) + 1) if (plan := _plan(loop, dims)) is not None]
    plans = [plan for plan in plans if plan.iterations < loop.iterations]
    if not plans:
        return [Turn(0, loop.length, 1)]
    best = min(plans, key=lambda plan: plan.iterations)
    return _joined(best.length, best.points)


class _Plan(NamedTuple):
    """Turns of ``length`` stages, alike between ``points``, counted in turns; ``iterations`` to be spelled out."""

    length: int
    points: list[int]
    iterations: int


def _plan(loop: Loop, dims: int) -> _Plan | None:
    """One turn per iteration of the outer ``dims`` dims."""
    outer, inner = prod(loop.trips[:dims]), prod(loop.trips[dims:])
    length = inner * loop.ii
    in_flight = (length - loop.ii + max(event.stage for event in loop.events)) // length
    changes = {0, outer}
    for event in loop.events:
        runs = _runs(loop.trips[:dims], event.when[:dims])
        if runs is None:
            return None
        changes.update(runs.ravel().tolist())
    if len(changes) * (in_flight + 1) > _MOST_OUTER:
        return None
    points = sorted({change + lag for change in changes for lag in range(in_flight + 1)})
    return _Plan(length, points, (len(points) - 1) * inner)


def _runs(trips: tuple[int, ...], when: tuple[When, ...]) -> np.ndarray | None:
    """First and after last of the runs of iterations, int64[n, 2], in which an event happens; None: too many."""
    runs = np.array([[0, 1]], np.int64)
    for trip, chosen in zip(trips, when, strict=False):
        runs *= trip
        if chosen is None:
            continue
        first, last, step = chosen if isinstance(chosen, tuple) else (chosen, chosen, 1)
        index = np.array([[first, last + 1]]) if step == 1 else np.arange(first, last + 1, step)[:, None] + [[0, 1]]
        units = (runs[:, 1] - runs[:, 0]) // trip
        if int(units.sum()) * len(index) > _MOST_OUTER:
            return None
        starts = np.concatenate([np.arange(start, after, trip) for start, after in runs.tolist()])
        runs = (starts[:, None, None] + index).reshape(-1, 2)
    return runs * prod(trips[len(when) :]) if when else runs * prod(trips)


def _joined(length: int, points: list[int]) -> list[Turn]:
    found: list[Turn] = []
    for first, after in pairwise(points):
        times = after - first
        if times == 1 and found and found[-1].times == 1:
            found[-1] = found[-1]._replace(length=found[-1].length + length)
        else:
            found.append(Turn(first * length, length, times))
    return found


def accesses_between(loop: Loop, fifo_index: Mapping[str, int], start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """Accesses at stages [start, stop) of a loop: ``tick`` from ``start`` on, int64, and ``op``, int32; unordered."""
    ticks, ops = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for event in loop.events:
        first = max(0, -(-(start - event.stage) // loop.ii))
        after = min(loop.iterations, -(-(stop - event.stage) // loop.ii))
        iteration = np.arange(first, max(first, after), dtype=np.int64)
        if event.when:
            iteration = iteration[_chosen(iteration, loop.trips, event.when)]
        tick = np.repeat(iteration * loop.ii + (event.stage - start), event.tokens)
        ticks.append(tick)
        ops.append(np.full(tick.size, 2 * fifo_index[event.fifo] + (event.op == "write"), np.int32))
    return np.concatenate(ticks), np.concatenate(ops)


def _chosen(flat: np.ndarray, trips: tuple[int, ...], when: tuple[When, ...]) -> np.ndarray:
    """Whether an event happens in each of some iterations, given by flat number."""
    happens = np.ones(flat.size, bool)
    below = 1
    for trip, chosen in zip(reversed(trips), reversed(when), strict=True):
        index = flat // below % trip
        below *= trip
        if isinstance(chosen, tuple):
            first, last, step = chosen
            happens &= (index >= first) & (index <= last) & ((index - first) % step == 0)
        elif chosen is not None:
            happens &= index == chosen
    return happens
