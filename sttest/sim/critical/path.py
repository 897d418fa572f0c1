"""What bounds the run: the chain of binding constraints, walked back from the last finish."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sttest.errors import InputError
from sttest.sim.critical.walk import Segment, Walk
from sttest.sim.graph import Actor
from sttest.sim.simulation import Simulation


@dataclass(frozen=True)
class Items:
    """Cycles of the critical path; each of the two adds up to the cycles of the run.

    ``by_kind``: per (category of the process, kind of segment); ``by_process``: per process.
    """

    by_kind: dict[tuple[str, str], int] = field(default_factory=dict)
    by_process: dict[str, int] = field(default_factory=dict)


def critical_path(simulation: Simulation) -> list[Segment]:
    """Segments that cover [0, cycles] in order, without gap or overlap.

    Raises:
        InputError: the run deadlocked, was not recorded, or has actors.
    """
    graph, record = simulation.graph, simulation.record
    if graph is None or record is None:
        raise InputError("not-recorded", "no access times", where=simulation.name, levers=["simulate with record=True"])
    if simulation.cycles is None:
        raise InputError("not-finished", "a run that does not finish has no critical path", where=simulation.name)
    if any(isinstance(process, Actor) for process in graph.processes):
        raise InputError("actors", "critical paths are of pipelines and memory ports only", where=simulation.name)
    walk = Walk(graph, record, unbounded=simulation.unbounded)
    last = max(range(len(graph.processes)), key=lambda number: (record.finish[number] or 0, -number))
    return _merged(walk.back_from(last))


def itemise(simulation: Simulation) -> Items:
    """The critical path in sums.

    Raises:
        InputError: as ``critical_path``.
    """
    graph = simulation.graph
    categories = {p.name: p.category for p in graph.processes} if graph is not None else {}
    kinds: Counter[tuple[str, str]] = Counter()
    processes: Counter[str] = Counter()
    for segment in critical_path(simulation):
        kinds[categories[segment.process], segment.kind] += segment.cycles
        processes[segment.process] += segment.cycles
    return Items(dict(kinds), dict(processes))


def _merged(backwards: list[Segment]) -> list[Segment]:
    """Forwards, without empty segments, neighbours of one process and kind made one."""
    path: list[Segment] = []
    for segment in reversed(backwards):
        if segment.cycles == 0:
            continue
        if path and (path[-1].process, path[-1].kind) == (segment.process, segment.kind):
            path[-1] = Segment(segment.process, segment.kind, path[-1].start_cycle, segment.end_cycle)
        else:
            path.append(segment)
    return path
