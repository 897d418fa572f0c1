"""One graph, many depths: its programs found once, solved again and again on the compiled engine.

FIFOs that are accessed alike and are of the same depth are computed once (``Programs.leads``), and what only
repeats is jumped over (``run_periodic``), except where the times of all tokens are wanted.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import numpy as np

from sttest.sim.flat import UNBOUNDED
from sttest.sim.graph import SRL_MAX_BITS, TimedGraph
from sttest.sim.maxplus.arrays import ACTOR, Net, build
from sttest.sim.maxplus.periodic import Patience, run_periodic
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.peak_kernel import peak_held

# Programs, which no run changes, and times, of which a run reads only those that it has written.
_SHARED = frozenset({"times", "tick", "gap", "pattern", "pointer", "op", "tokens", "segments", "duration", "lanes"})
SRL_CYCLES, RAM_CYCLES = 1, 2
"""Cycles from a write to the read of its token, by kind of FIFO (``sttest.sim.graph.Fifo``)."""
# A search lowers one FIFO at a time: its lane splits in two, and is whole again with the next one.
_NETS_KEPT = 4
_NO_JUMPS = Patience(least_visits=1 << 60)


class DepthRunner:
    """A finite graph that is run with one depth vector after the other, F int64 in the order of its FIFOs.

    ``alike``: equal for FIFOs that take the same part in a run where their depths are the same.
    """

    def __init__(self, graph: TimedGraph) -> None:
        self.graph = graph
        self.bits = np.array([fifo.bits for fifo in graph.fifos], np.int64)
        self._programs = find_programs(graph)
        lanes = self._programs.lane.tolist()
        self.alike = [(lane, fifo.bits, fifo.impl) for lane, fifo in zip(lanes, graph.fifos, strict=True)]
        self._fresh: OrderedDict[bytes, Net] = OrderedDict()
        self._is_auto = np.array([fifo.impl == "auto" for fifo in graph.fifos], bool)
        self._is_ram = np.array([fifo.impl == "ram" for fifo in graph.fifos], bool)

    def latencies(self, depths: np.ndarray) -> np.ndarray:
        """Cycles from write to read of FIFOs of these depths."""
        # Not depth * bits, which would overflow where a FIFO is never full.
        is_ram = np.where(self._is_auto, depths > SRL_MAX_BITS // self.bits, self._is_ram)
        return np.where(is_ram, RAM_CYCLES, SRL_CYCLES)

    def run(self, depths: np.ndarray, latencies: np.ndarray | None = None) -> int | None:
        """Cycles with these depths, None on a deadlock; ``latencies``: others than those of the depths."""
        net, _ = self._net(depths, self.latencies(depths) if latencies is None else latencies)
        run_periodic(net, Patience())
        return _cycles(net)

    def run_unbounded(self, latencies: np.ndarray) -> tuple[int | None, np.ndarray]:
        """With FIFOs that are never full: cycles, None where even they deadlock, and the peaks of the FIFOs.

        Peaks are the least depths with which nothing would have happened later, at least 1.
        """
        net, number = self._net(np.full(self.bits.size, UNBOUNDED, np.int64), latencies)
        run_periodic(net, _NO_JUMPS)
        return _cycles(net), self._peaks(net, number)

    def _net(self, depths: np.ndarray, latencies: np.ndarray) -> tuple[Net, np.ndarray]:
        """Arrays for a run, and for each FIFO the one of theirs that stands for it."""
        kinds = np.where(latencies == RAM_CYCLES, "ram", "srl")
        leads, number = replace(self._programs, impl=kinds).leads(depths)
        fresh = self._fresh_net(leads)
        net = fresh._replace(**{name: array.copy() for name, array in fresh._asdict().items() if name not in _SHARED})
        kind = net.processes["kind"]
        between_actors = (kind[net.fifos["writer"]] == ACTOR) & (kind[net.fifos["reader"]] == ACTOR)
        net.fifos["depth"] = depths[leads]
        net.fifos["raw"] = np.where(between_actors, 0, latencies[leads])
        return net, number

    def _fresh_net(self, leads: np.ndarray) -> Net:
        key = leads.tobytes()
        if key not in self._fresh:
            self._fresh[key] = build(self.graph, self._programs, unbounded=False, leads=leads)
            if len(self._fresh) > _NETS_KEPT:
                self._fresh.popitem(last=False)
        self._fresh.move_to_end(key)
        return self._fresh[key]

    def _peaks(self, net: Net, number: np.ndarray) -> np.ndarray:
        peaks = np.ones(net.fifos.size, np.int64)
        by_actor = net.processes["kind"][net.fifos["writer"]] == ACTOR
        for lead, fifo in enumerate(net.fifos):
            initial = int(self._programs.initial[np.flatnonzero(number == lead)[0]])
            first, count = ("claim_first", "claimed") if by_actor[lead] else ("write_first", "written")
            taken = net.times[fifo[first] + initial : fifo[first] + fifo[count]]
            gone = net.times[fifo["read_first"] : fifo["read_first"] + fifo["read"]]
            peaks[lead] = max(1, peak_held(taken, gone, initial, bool(by_actor[lead])))
        return peaks[number]


def _cycles(net: Net) -> int | None:
    if (net.processes["visits"] < net.processes["all_visits"]).any():
        return None
    return int(net.processes["finish"].max())
