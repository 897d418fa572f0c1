"""One graph, many depths: flattened once, solved again and again on the compiled engine."""

from __future__ import annotations

import numpy as np

from sttest.sim.flat import UNBOUNDED, flatten
from sttest.sim.graph import SRL_MAX_BITS, TimedGraph
from sttest.sim.maxplus.arrays import ACTOR, build
from sttest.sim.peak_kernel import peak_held

# Programs, which no run changes, and times, of which a run reads only those that it has written.
_SHARED = frozenset({"times", "tick", "gap", "pattern", "pointer", "op", "tokens", "segments", "duration", "lanes"})
SRL_CYCLES, RAM_CYCLES = 1, 2
"""Cycles from a write to the read of its token, by kind of FIFO (``sttest.sim.graph.Fifo``)."""


class DepthRunner:
    """A finite graph that is run with one depth vector after the other, F int64 in the order of its FIFOs."""

    def __init__(self, graph: TimedGraph) -> None:
        from sttest.sim.maxplus.kernel import sources_stamp

        self.graph = graph
        self.initial = np.array([fifo.initial_tokens for fifo in graph.fifos], np.int64)
        self.bits = np.array([fifo.bits for fifo in graph.fifos], np.int64)
        self._stamp = sources_stamp()
        self._fresh = build(graph, flatten(graph), unbounded=False)
        self._last = self._fresh
        kinds = self._fresh.processes["kind"]
        self._by_actor = kinds[self._fresh.fifos["writer"]] == ACTOR
        self._between_actors = self._by_actor & (kinds[self._fresh.fifos["reader"]] == ACTOR)
        self._is_auto = np.array([fifo.impl == "auto" for fifo in graph.fifos], bool)
        self._is_ram = np.array([fifo.impl == "ram" for fifo in graph.fifos], bool)

    def latencies(self, depths: np.ndarray) -> np.ndarray:
        """Cycles from write to read of FIFOs of these depths."""
        # Not depth * bits, which would overflow where a FIFO is never full.
        is_ram = np.where(self._is_auto, depths > SRL_MAX_BITS // self.bits, self._is_ram)
        return np.where(is_ram, RAM_CYCLES, SRL_CYCLES)

    def run(self, depths: np.ndarray, latencies: np.ndarray | None = None) -> int | None:
        """Cycles with these depths, None on a deadlock; ``latencies``: others than those of the depths."""
        from sttest.sim.maxplus.kernel import run_net

        raw = self.latencies(depths) if latencies is None else latencies
        fresh = self._fresh._asdict()
        net = self._fresh._replace(**{name: array.copy() for name, array in fresh.items() if name not in _SHARED})
        net.fifos["depth"] = depths
        net.fifos["raw"] = np.where(self._between_actors, 0, raw)
        run_net(self._stamp, *net)
        self._last = net
        if (net.processes["visits"] < net.processes["all_visits"]).any():
            return None
        return int(net.processes["finish"].max())

    def run_unbounded(self, latencies: np.ndarray) -> int | None:
        """Cycles with FIFOs that are never full, None where even they deadlock."""
        return self.run(np.full(self.bits.size, UNBOUNDED, np.int64), latencies)

    def peaks(self) -> np.ndarray:
        """The least depths with which nothing in the last run would have happened later, at least 1."""
        fifos, times = self._last.fifos, self._last.times
        peaks = np.ones(self.bits.size, np.int64)
        for number, fifo in enumerate(fifos):
            initial, by_actor = int(self.initial[number]), bool(self._by_actor[number])
            first, count = ("claim_first", "claimed") if by_actor else ("write_first", "written")
            taken = times[fifo[first] + initial : fifo[first] + fifo[count]]
            gone = times[fifo["read_first"] : fifo["read_first"] + fifo["read"]]
            peaks[number] = max(1, peak_held(taken, gone, initial, by_actor))
        return peaks
