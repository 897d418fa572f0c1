"""Which resources of a run are busy at once: compute, memory channels, links between cards.

A design that computes while its memory transfers wastes neither; one in which they take turns is as slow as their sum.
From the recorded times of a run each class of resources has the stretches in which at least one of its units works:

* ``compute``: pipelines that compute, while they stand still for no FIFO and no memory;
* ``memory``: channels, from the start of a burst to its last beat; a request on its way keeps no channel busy;
* ``link``: senders and receivers of links between cards, while they pass tokens on.

What only moves tokens on chip (forks, converters, DMAs' pipelines) is of no class.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from sttest.core.errors import InputError
from sttest.sim.bursts import burst_plan
from sttest.sim.export import stretches
from sttest.sim.graph import Actor, MemoryPort, Pipeline, TimedGraph
from sttest.sim.simulation import RunRecord, Simulation

COMPUTE, MEMORY, LINK = "compute", "memory", "link"
CLASSES = (COMPUTE, MEMORY, LINK)
LINK_CATEGORY = "link"
"""Category of the processes that are a link."""
_COMPUTES = ("compute", "")
"""Categories of pipelines that compute: that of compiled designs, and that of graphs which say none."""

Intervals = tuple[np.ndarray, np.ndarray]
"""int64 cycles [start, end), disjoint and in order."""


@dataclass(frozen=True)
class ClassUse:
    """What a class of resources did in a run."""

    units: int  # how many there are
    busy_cycles: int  # cycles in which at least one of them worked
    unit_cycles: int  # busy cycles of each unit, added up

    def to_dict(self, cycles: int) -> dict[str, Any]:
        """The same for programs, with shares of the run."""
        return {
            "units": self.units,
            "busy_cycles": self.busy_cycles,
            "unit_cycles": self.unit_cycles,
            "busy_share": self.busy_cycles / cycles,
            "unit_share": self.unit_cycles / (self.units * cycles),
        }


@dataclass(frozen=True)
class Overlap:
    """Cycles of a run by which classes are busy.

    ``states``: cycles in which exactly these classes are busy, by their names; they add up to ``cycles``.
    """

    cycles: int
    use: Mapping[str, ClassUse]
    states: Mapping[tuple[str, ...], int]

    def together(self, *names: str) -> float:
        """Share of the run in which all of these classes are busy, whatever the others do."""
        return sum(cycles for busy, cycles in self.states.items() if {*names} <= {*busy}) / self.cycles

    @property
    def pairs(self) -> dict[tuple[str, ...], float]:
        """:meth:`together` of every two, and of all three, of the classes that the graph has."""
        names = [*self.use]
        return {each: self.together(*each) for size in range(2, len(names) + 1) for each in combinations(names, size)}

    @property
    def overlapped(self) -> float | None:
        """Share of the busy cycles of the less busy of compute and memory in which the other is, too; None without."""
        if not {COMPUTE, MEMORY} <= self.use.keys():
            return None
        least = min(self.use[COMPUTE].busy_cycles, self.use[MEMORY].busy_cycles)
        return self.together(COMPUTE, MEMORY) * self.cycles / least if least else None

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "cycles": self.cycles,
            "use": {name: use.to_dict(self.cycles) for name, use in self.use.items()},
            "states": [{"busy": [*busy], "cycles": cycles} for busy, cycles in self.states.items()],
            "together": [{"classes": [*names], "share": share} for names, share in self.pairs.items()],
            "overlapped": self.overlapped,
        }


def overlap(simulation: Simulation) -> Overlap:
    """The overlap of a finished, recorded run.

    Raises:
        InputError: the run deadlocked, was not recorded, took no time, or has actors.
    """
    graph, record, where = simulation.graph, simulation.record, simulation.name
    if graph is None or record is None:
        raise InputError("not-recorded", "no access times", where=where, hints=["simulate with record=True"])
    if not simulation.cycles:
        raise InputError("not-finished", "a run that does not finish, or takes no time, has no overlap", where=where)
    if any(isinstance(process, Actor) for process in graph.processes):
        raise InputError("actors", "overlaps are of pipelines and memory ports only", where=where)
    units = {
        COMPUTE: [*_working(simulation, graph, record, _COMPUTES)],
        MEMORY: [*_channels(graph, record, simulation.cycles).values()],
        LINK: [*_working(simulation, graph, record, (LINK_CATEGORY,))],
    }
    unions = {name: _union(each) for name, each in units.items() if each}
    use = {
        name: ClassUse(len(units[name]), _length(union), sum(map(_length, units[name])))
        for name, union in unions.items()
    }
    return Overlap(simulation.cycles, use, _states(unions, simulation.cycles))


def _working(
    simulation: Simulation, graph: TimedGraph, record: RunRecord, categories: tuple[str, ...]
) -> Iterator[Intervals]:
    """The stretches in which each pipeline of some categories stands still for nothing."""
    assert simulation.cycles is not None
    for number, process in enumerate(graph.processes):
        if isinstance(process, Pipeline) and process.category in categories:
            still = stretches(graph, record, number, simulation.cycles, unbounded=simulation.unbounded)
            start, end = np.append(still.begin, still.end), np.append(still.start, still.finish)
            yield start[end > start], end[end > start]


def _channels(graph: TimedGraph, record: RunRecord, cycles: int) -> dict[str, Intervals]:
    """The stretches in which each channel transfers a burst, of whichever port."""
    channels = {channel.name: channel for channel in graph.channels}
    parts: dict[str, list[Intervals]] = {name: [] for name in channels}
    for port in graph.processes:
        if not isinstance(port, MemoryPort):
            continue
        plan = burst_plan(port, channels)
        _, start, rest, _, _ = record.bursts[port.name].T
        # All bursts but the last of a port are as long on a channel.
        lanes = plan.lanes(plan.bursts)
        units = np.array([plan.units_on(channel, plan.burst_bytes) for channel in plan.channels])[lanes]
        units[-1] = plan.occupancy_units(plan.bursts - 1)
        num = np.array([channel.beats_num for channel in plan.channels])[lanes]
        end = np.minimum(start + -(-(rest + units) // num), cycles)
        for place, channel in enumerate(plan.channels):
            own = lanes == place
            parts[channel.name].append((start[own], end[own]))
    return {name: _union(each) for name, each in parts.items() if each}


def _union(parts: Iterable[Intervals]) -> Intervals:
    """The cycles that are in any of some intervals, as disjoint ones in order."""
    starts, ends = (
        np.concatenate([np.asarray(side, np.int64) for side in sides]) for sides in zip(*parts, strict=True)
    )
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    if not starts.size:
        return starts, ends
    new = np.append(True, starts[1:] > ends[:-1])
    last = np.append(np.flatnonzero(new)[1:] - 1, starts.size - 1)
    return starts[new], ends[last]


def _length(intervals: Intervals) -> int:
    return int((intervals[1] - intervals[0]).sum())


def _states(unions: Mapping[str, Intervals], cycles: int) -> dict[tuple[str, ...], int]:
    """Cycles by the classes that are busy, the most first."""
    edges = np.unique(np.concatenate([[0, cycles], *(side for union in unions.values() for side in union)]))
    begin, length = edges[:-1], np.diff(edges)
    code = np.zeros(begin.size, np.int64)
    for bit, (start, end) in enumerate(unions.values()):
        place = np.searchsorted(start, begin, side="right") - 1
        busy = (place >= 0) & (begin < np.append(end, 0)[place])
        code |= busy.astype(np.int64) << bit
    sums = np.bincount(code, weights=length, minlength=1 << len(unions)).astype(np.int64)
    names = [*unions]
    found = {
        tuple(n for bit, n in enumerate(names) if state >> bit & 1): int(sums[state]) for state in range(sums.size)
    }
    return dict(sorted(((busy, n) for busy, n in found.items() if n), key=lambda item: -item[1]))
