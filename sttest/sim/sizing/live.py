"""Lower bounds of depths: what each FIFO needs even while all others are never full."""

from __future__ import annotations

import numpy as np

from sttest.errors import DeadlockError
from sttest.sim.deadlock.fix import explain
from sttest.sim.deadlock.liveness import advance
from sttest.sim.flat import UNBOUNDED, FlatGraph, flatten
from sttest.sim.graph import TimedGraph
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.sizing.reduce import least_depth


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
    least = []
    for number, (fifo, lane) in enumerate(zip(graph.fifos, find_programs(graph).lane.tolist(), strict=True)):
        # FIFOs that are accessed alike need the same.
        key = lane, max(1, fifo.initial_tokens), int(freest.peak[number])
        if key not in found:
            found[key] = _least(flat, unbounded, number, *key[1:])
        least.append(found[key])
    return tuple(least)


def _least(flat: FlatGraph, unbounded: np.ndarray, fifo: int, low: int, high: int) -> int:
    """With a depth of ``high``, which some order of events never exceeds, the run ends."""
    depths = unbounded.copy()

    def is_live(depth: int) -> bool:
        depths[fifo] = depth
        return advance(flat, depths).is_done(flat)

    return least_depth(is_live, low, high)
