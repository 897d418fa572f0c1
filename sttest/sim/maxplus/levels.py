"""How many tokens pass a FIFO in one iteration of each loop around its accesses: what periods are likely to be.

Periods of a net are those of loops, at some level of the nest: an inner tile, a row of tiles, a
head.  Counted in tokens they are known from the programs; in cycles they are what these tokens took.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import prod

import numpy as np

from sttest.sim.graph import Event, Loop, Pipeline, TimedGraph, When

LEVEL = np.dtype([(name, np.int64) for name in ("fifo", "process", "tokens", "around")])
"""One loop of ``process``: in an iteration ``tokens`` pass through ``fifo``, in all of the next loop out ``around``."""


def levels_of(graph: TimedGraph) -> np.ndarray:
    """The loops of all pipelines around accesses to each FIFO, records of ``LEVEL`` by FIFO; none of traces."""
    found = []
    for number, process in enumerate(graph.processes):
        if isinstance(process, Pipeline):
            for fifo, counts in _tokens_by_loop(process).items():
                whole = max(counts) * process.repeat
                sizes = sorted({*counts, whole})
                found += [(graph.fifo_index[fifo], number, tokens, around) for tokens, around in pairwise(sizes)]
    return np.sort(np.array(found, LEVEL), order=["fifo", "process", "tokens"])


def of_leads(levels: np.ndarray, leads: np.ndarray) -> np.ndarray:
    """Those of some FIFOs only, which go by their place in ``leads``, ascending."""
    kept = levels[np.isin(levels["fifo"], leads)]
    kept["fifo"] = np.searchsorted(leads, kept["fifo"])
    return kept


def _tokens_by_loop(pipeline: Pipeline) -> dict[str, set[int]]:
    """Tokens in an iteration of each loop, from one iteration of the innermost to a whole run; none that has none."""
    found: dict[str, set[int]] = defaultdict(set)
    run: dict[str, int] = defaultdict(int)
    for loop in pipeline.loops:
        for fifo, counts in _tokens_of(loop):
            found[fifo].update(counts)
            run[fifo] += counts[-1]
    for fifo, tokens in run.items():
        found[fifo].add(tokens)
    return {fifo: counts - {0} for fifo, counts in found.items() if run[fifo]}


def _tokens_of(loop: Loop) -> Iterator[tuple[str, list[int]]]:
    """For each FIFO, tokens in one iteration of all dims but none, the innermost, the two innermost …"""
    by_fifo: dict[str, list[int]] = defaultdict(lambda: [0] * (len(loop.trips) + 1))
    for event in loop.events:
        inner = _chosen(event, loop.trips)[::-1]
        for dims in range(len(loop.trips) + 1):
            by_fifo[event.fifo][dims] += event.tokens * prod(inner[:dims])
    yield from by_fifo.items()


def _chosen(event: Event, trips: tuple[int, ...]) -> list[int]:
    """In how many iterations of each dim an event happens."""
    when: tuple[When, ...] = event.when or (None,) * len(trips)
    return [_count(chosen, trip) for chosen, trip in zip(when, trips, strict=True)]


def _count(chosen: When, trip: int) -> int:
    if chosen is None:
        return trip
    if isinstance(chosen, int):
        return 1
    first, last, step = chosen
    return len(range(first, last + 1, step))
