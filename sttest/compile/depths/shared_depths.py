"""FIFO depths of a design whose tasks share engines, by simulation.

The linear program gives every process one start, from which its accesses follow.  A task
of an engine starts when the one before it is done and its data is there, so that an engine
has no such start.  What its FIFOs hold is measured instead: the design runs with room in
every FIFO, but for those behind storage: a DMA, which would else read ahead without end,
has the depth of the linear program; a converter, which may give its tokens many times, has
that of a shift register and keeps what its tokens are made of before it.  With the most that each held, nothing comes
later.

What waits for an engine's next turn may also lie in the stages of pipelines on its way.  No
one should count on that (the C simulation has none), so that the same run without stages
must find room in the FIFOs as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sttest.compile.depths.reads_in_turn import nothing_in_flight
from sttest.errors import DeadlockError
from sttest.sim import simulate
from sttest.sim.ends import fifo_ends
from sttest.sim.graph import TimedGraph

# Deeper than any FIFO of a block; engines count tokens in 64 bits.
_ROOM = 1 << 40
# What keeps data by itself, with tokens that its FIFO has at least: a shift register takes as many at no cost.
_STORAGE = {"dma": 1, "gather": 1, "converter": 32}
# Depths that change a FIFO's kind change times by a cycle: a few rounds settle.
_MOST_ROUNDS = 8


def shared_depths(graph: TimedGraph, apart: Mapping[str, int]) -> dict[str, int]:
    """Depths with which a design on shared engines loses nothing to full FIFOs.

    Args:
        graph: with its engines.
        apart: depths of the same design without: least depths, and those behind DMAs and converters.

    Raises:
        DeadlockError: with these depths it stops.
    """
    room = dict.fromkeys(apart, _ROOM) | {
        name: max(apart[name], least) for name, least in _behind_storage(graph).items() if name in apart
    }
    runs = [simulate(each.with_depths(room)) for each in (graph, _without_stages(graph))]
    depths = {name: max(depth, *(run.max_occupancy[name] for run in runs)) for name, depth in apart.items()}
    if runs[0].deadlock is None:
        # It ended and held no more than these depths. Whether processes end depends on depths, not on times.
        return depths
    for _ in range(_MOST_ROUNDS):
        run = simulate(graph.with_depths(depths))
        if run.deadlock is None:
            return depths
        depths |= dict(run.deadlock.fix)
    raise DeadlockError("sizing-deadlock", "a design on shared engines has no depths that end", where=graph.name)


def _behind_storage(graph: TimedGraph) -> dict[str, int]:
    """FIFOs behind DMAs, behind what puts the slices of several together, and behind converters; with least depths."""
    writers = [graph.processes[ends.writer].category for ends in fifo_ends(graph)]
    return {
        fifo.name: _STORAGE[writer] for fifo, writer in zip(graph.fifos, writers, strict=True) if writer in _STORAGE
    }


def _without_stages(graph: TimedGraph) -> TimedGraph:
    """Every pipeline passes on what it makes in the cycle in which it reads."""
    return replace(graph, processes=tuple(map(nothing_in_flight, graph.processes)))
