"""The result of a simulation, the same whichever engine ran it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from sttest.sim.deadlock.certificate import Deadlock
from sttest.sim.graph import TimedGraph
from sttest.sim.record import RunRecord

SCHEMA = "sttest.simulation/1"


@dataclass(frozen=True)
class Breakdown:
    """Where the cycles of a process went, from its start to its finish; they add up."""

    busy_cycles: int
    stall_in_cycles: int
    stall_out_cycles: int
    memory_wait_cycles: int


@dataclass(frozen=True)
class Simulation:
    """A run of a graph.

    ``cycles`` is the latest finish, None on a deadlock or where actors fire for ever; ``throughput`` then is
    in iterations per cycle.  ``finish``: per process, None where it never does; ``breakdown``: per process that
    finishes; ``max_occupancy``: per FIFO, the least depth with which nothing would happen later.
    ``unbounded``: no FIFO was ever full.  ``record`` holds all access times, if they were asked for.
    """

    name: str
    engine: str
    verdict: str
    cycles: int | None
    fifo_events: int
    solve_s: float
    throughput: Fraction | None = None
    deadlock: Deadlock | None = None
    finish: dict[str, int | None] = field(default_factory=dict)
    max_occupancy: dict[str, int] = field(default_factory=dict)
    breakdown: dict[str, Breakdown] = field(default_factory=dict)
    unbounded: bool = False
    graph: TimedGraph | None = field(default=None, repr=False)
    record: RunRecord | None = field(default=None, repr=False)

    @property
    def write_times(self) -> dict[str, np.ndarray]:
        """Cycles of the writes of each FIFO, int64; empty unless recorded. Initial tokens don't count."""
        return {} if self.record is None or self.graph is None else self._by_fifo(self.record.writes, self.graph)

    @property
    def read_times(self) -> dict[str, np.ndarray]:
        """Cycles of the reads of each FIFO (of an actor: of the ends of its firings), int64; empty unless recorded."""
        return {} if self.record is None or self.graph is None else self._by_fifo(self.record.reads, self.graph)

    def _by_fifo(self, times: list[np.ndarray], graph: TimedGraph) -> dict[str, np.ndarray]:
        return {fifo.name: cycles for fifo, cycles in zip(graph.fifos, times, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.simulation/1``."""
        throughput = None if self.throughput is None else [self.throughput.numerator, self.throughput.denominator]
        return {
            "schema": SCHEMA,
            "name": self.name,
            "engine": self.engine,
            "verdict": self.verdict,
            "cycles": self.cycles,
            "fifo_events": self.fifo_events,
            "solve_s": self.solve_s,
            "throughput": throughput,
            "deadlock": None if self.deadlock is None else self.deadlock.to_json() | self._broken_assumptions(),
        }

    def _broken_assumptions(self) -> dict[str, Any]:
        """Those of sizing by a linear program by which a graph like this may deadlock."""
        from sttest.sim.deadlock.sizing_assumptions import broken_assumptions

        broken = [] if self.graph is None else broken_assumptions(self.graph)
        return {"sizing_assumptions": [one.to_json() for one in broken if one.may_deadlock]}

    def to_text(self) -> str:
        """A short report for people."""
        from sttest.sim.report import report

        return report(self)


def assemble(
    graph: TimedGraph,
    engine: str,
    record: RunRecord,
    solve_s: float,
    deadlock: Deadlock | None,
    *,
    unbounded: bool,
    keep: bool,
) -> Simulation:
    """The result of an engine's run.

    Args:
        graph: what was run.
        engine: its name.
        record: what it handed back.
        solve_s: seconds that it took.
        deadlock: the certificate, where it did not finish.
        unbounded: whether its FIFOs took every write.
        keep: whether the result holds on to ``record``.
    """
    names = [process.name for process in graph.processes]
    done = [cycle for cycle in record.finish if cycle is not None]
    return Simulation(
        name=graph.name,
        engine=engine,
        verdict="done" if deadlock is None else "deadlock",
        cycles=max(done) if deadlock is None else None,
        fifo_events=record.fifo_events,
        solve_s=solve_s,
        deadlock=deadlock,
        finish=dict(zip(names, record.finish, strict=True)),
        max_occupancy=max_occupancy(graph, record),
        breakdown=_breakdown(graph, record),
        unbounded=unbounded,
        graph=graph,
        record=record if keep else None,
    )


def max_occupancy(graph: TimedGraph, record: RunRecord) -> dict[str, int]:
    """Most tokens that each FIFO held.

    A token leaves in the cycle after its read, as in the FIFO law, so this is the least depth that
    would have given the same times.  Between actors, space is held from claim to end and free at once.
    """
    if record.peaks is not None:
        return {fifo.name: peak for fifo, peak in zip(graph.fifos, record.peaks, strict=True)}
    from sttest.sim.peak_kernel import peak_held

    peaks = {}
    for index, fifo in enumerate(graph.fifos):
        claims = record.claims.get(index)
        taken = record.writes[index] if claims is None else claims
        peaks[fifo.name] = peak_held(taken, record.reads[index], fifo.initial_tokens, claims is not None)
    return peaks


def _breakdown(graph: TimedGraph, record: RunRecord) -> dict[str, Breakdown]:
    rows = {}
    for process, finish, stalls in zip(graph.processes, record.finish, record.stalls, strict=True):
        if finish is None:
            continue
        busy = finish - process.start - stalls.total
        rows[process.name] = Breakdown(busy, stalls.input_cycles, stalls.output_cycles, stalls.memory_cycles)
    return rows
