"""The result of a simulation, the same whichever engine ran it."""

from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from sttest.sim.deadlock import Deadlock, Wait
from sttest.sim.doubts import doubts
from sttest.sim.fix_cost import depths_text
from sttest.sim.graph import MAX_DEPTH, TimedGraph, frees_at_once

# --- What an engine hands back: every access time, and how far each process came


@dataclass(frozen=True)
class Stalls:
    """Cycles that a process stood still, by what held it: its input, its output, or external memory."""

    input_cycles: int = 0
    output_cycles: int = 0
    memory_cycles: int = 0

    @property
    def total(self) -> int:
        """All cycles that the process stood still."""
        return self.input_cycles + self.output_cycles + self.memory_cycles


@dataclass(frozen=True)
class RunRecord:
    """A run of a graph, in the order of its processes and FIFOs.

    ``finish``: cycle, None where a process never does; ``visits``: stage visits done (``sttest.sim.stages``);
    ``writes``, ``reads``: int64 cycles per FIFO, without the tokens that were there at the start;
    ``claims``: int64 cycles at which an actor claimed the space of a token, for FIFOs that actors write;
    ``bursts``: int64[n, 5] per memory port: cycle of each burst's request, cycle in which its channel took it, units
    after it at which it begins there, when its beats begin to come or its response comes, and units after that
    (``sttest.sim.bursts.Taken``);
    ``peaks``: most tokens that each FIFO held, and ``events``, how many writes and reads there were, from an engine
    that doesn't hand back all their times.
    """

    finish: list[int | None]
    visits: list[int]
    stalls: list[Stalls]
    writes: list[np.ndarray]
    reads: list[np.ndarray]
    claims: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    bursts: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    peaks: list[int] | None = None
    events: int | None = None

    @property
    def fifo_events(self) -> int:
        """Writes and reads in all."""
        return sum(times.size for times in (*self.writes, *self.reads)) if self.events is None else self.events


SCHEMA = "sttest.simulation/1"


@dataclass(frozen=True)
class Breakdown:
    """The cycles of a process, from its start to its finish, by what they were spent on; they add up."""

    busy_cycles: int
    stall_in_cycles: int
    stall_out_cycles: int
    memory_wait_cycles: int


@dataclass(frozen=True)
class Simulation:
    """A run of a graph.

    ``cycles`` is the latest finish, None on a deadlock or where actors fire for ever; ``throughput`` then is
    in iterations per cycle, by a K-periodic schedule of ``scheduled_firings`` where executing it would take too long.
    ``finish``: per process, None where it never does; ``breakdown``: per process that
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
    scheduled_firings: int | None = field(default=None, kw_only=True)
    deadlock: Deadlock | None = None
    finish: dict[str, int | None] = field(default_factory=dict[str, int | None])
    max_occupancy: dict[str, int] = field(default_factory=dict[str, int])
    breakdown: dict[str, Breakdown] = field(default_factory=dict[str, Breakdown])
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
            **self._method_json(),
            "deadlock": None if self.deadlock is None else self.deadlock.to_json(),
            "clock_mhz": None if self.graph is None else self.graph.clock_mhz,
            "us": None if self.graph is None or self.cycles is None else self.cycles / self.graph.clock_mhz,
            "unbounded": self.unbounded,
            "finish": self.finish,
            "breakdown": {name: asdict(part) for name, part in self.breakdown.items()},
            "max_occupancy": self.max_occupancy,
            "notes": self.notes,
        }

    def _method_json(self) -> dict[str, Any]:
        """How a throughput was found; nothing of what runs to an end."""
        if self.throughput is None:
            return {}
        is_scheduled = self.scheduled_firings is not None
        return {"method": "k-periodic" if is_scheduled else "self-timed", "scheduled_firings": self.scheduled_firings}

    @property
    def notes(self) -> list[str]:
        """What the graph says and no design means, such as a token that nobody reads; a sentence each."""
        return [] if self.graph is None else doubts(self.graph, is_done=self.verdict == "done")

    def to_text(self) -> str:
        """A short report for people."""
        return "\n".join([report(self), *(f"  note: {note}" for note in self.notes)])


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
        graph: graph that was run.
        engine: its name.
        record: the record that it returned.
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
        max_occupancy=max_occupancy(graph, record, unbounded=unbounded),
        breakdown=_breakdown(graph, record),
        unbounded=unbounded,
        graph=graph,
        record=record if keep else None,
    )


def max_occupancy(graph: TimedGraph, record: RunRecord, *, unbounded: bool = False) -> dict[str, int]:
    """Most tokens that each FIFO held.

    A token leaves in the cycle after its read, as in the FIFO law, so this is the least depth that
    would have given the same times.  An actor holds space from its claim on; between actors it is free at once.
    Where firings without duration free it, less may do, but never more than the depth is needed.
    """
    if record.peaks is not None:
        return {fifo.name: peak for fifo, peak in zip(graph.fifos, record.peaks, strict=True)}
    from sttest.sim.token_kernel import peak_held

    peaks: dict[str, int] = {}
    for index, (fifo, free_at_once) in enumerate(zip(graph.fifos, frees_at_once(graph), strict=True)):
        taken = record.claims.get(index, record.writes[index])
        peak = peak_held(taken, record.reads[index], fifo.initial_tokens, free_at_once)
        peaks[fifo.name] = peak if unbounded else min(peak, fifo.depth)
    return peaks


def _breakdown(graph: TimedGraph, record: RunRecord) -> dict[str, Breakdown]:
    rows: dict[str, Breakdown] = {}
    for process, finish, stalls in zip(graph.processes, record.finish, record.stalls, strict=True):
        if finish is None:
            continue
        busy = finish - process.start - stalls.total
        rows[process.name] = Breakdown(busy, stalls.input_cycles, stalls.output_cycles, stalls.memory_cycles)
    return rows


# --- A simulation in words


def report(simulation: Simulation) -> str:
    """A few lines: the verdict, and on a deadlock who waits for whom and what would help."""
    head = f"{simulation.name}: {simulation.verdict}"
    if simulation.deadlock is not None:
        return "\n".join([head, *deadlock_lines(simulation.deadlock, simulation.graph)])
    if simulation.throughput is not None:
        how = simulation.engine
        if simulation.scheduled_firings is not None:
            how = f"by a K-periodic schedule of {simulation.scheduled_firings:,} firings, not executed"
        return f"{head}, {simulation.throughput} iterations per cycle ({how})"
    cycles = simulation.cycles or 0
    time = f" = {cycles / simulation.graph.clock_mhz:,.2f} µs" if simulation.graph is not None else ""
    lines = [f"{head} after {cycles:,} cycles{time} ({simulation.engine}, {simulation.fifo_events:,} FIFO accesses)"]
    if simulation.breakdown:
        last = max(simulation.breakdown, key=lambda name: simulation.finish[name] or 0)
        part = simulation.breakdown[last]
        lines.append(
            f"  last to finish: {last} ({part.busy_cycles:,} cycles busy, {part.stall_in_cycles:,} stalled on input, "
            f"{part.stall_out_cycles:,} stalled on output, {part.memory_wait_cycles:,} waiting for memory)"
        )
    return "\n".join(lines)


def deadlock_lines(deadlock: Deadlock, graph: TimedGraph | None) -> list[str]:
    """What would resolve a deadlock, and its waits, as lines of text."""
    return [f"  {line}" for line in (*remedy_lines(deadlock), *wait_lines(deadlock, graph))]


def wait_lines(deadlock: Deadlock, graph: TimedGraph | None) -> list[str]:
    """What holds of the waits of a deadlock, then the waits."""
    last = "the first" if deadlock.is_closed else "a process that has finished"
    return [
        f"Each process waits for the next, and the last waits for {last}:",
        *(_wait_text(wait, graph) for wait in deadlock.cycle),
    ]


def remedy_lines(deadlock: Deadlock) -> list[str]:
    """What would resolve a deadlock, and what that costs."""
    if not deadlock.fix:
        return [
            "No FIFO depths resolve this: tokens are missing. Give a FIFO initial tokens, or write as many as are read."
        ]
    cost = deadlock.cost
    finishes = "it no longer deadlocks" if cost is None else f"it finishes in {cost.cycles:,} cycles"
    least = "no fix adds fewer tokens"
    if not deadlock.is_minimal:
        least = "a fix that adds fewer tokens may exist, as the search was stopped early"
    found = f"With {depths_text(deadlock.fix)} {finishes}; {least}."
    return [found] if cost is None else [found, cost.to_text(deadlock.fix)]


def _wait_text(wait: Wait, graph: TimedGraph | None) -> str:
    """A wait as text: who waits, on what, and what the other end would have to do."""
    state = "full" if wait.occupancy >= wait.depth else f"holds {wait.occupancy}" if wait.occupancy else "empty"
    depth = "never full" if wait.depth >= MAX_DEPTH else f"depth {wait.depth}"
    if wait.waits_to == "write":
        action = "to", f"{wait.peer} has yet to read token {wait.token - wait.depth}"
    else:
        action = "from", f"{wait.peer} has yet to write it"
    who, fifo = _process_text(wait.process, graph), _fifo_text(wait.fifo, graph)
    head = f"{who} waits to {wait.waits_to} token {wait.token} {action[0]} FIFO {fifo}"
    return f"{head} ({depth}, {state}): {action[1]}"


def _process_text(name: str, graph: TimedGraph | None) -> str:
    process = next((p for p in graph.processes if p.name == name), None) if graph is not None else None
    if process is None:
        return name
    about = ", ".join(part for part in (process.category, process.origin) if part)
    return f"{type(process).__name__.lower()} {name}" + (f" ({about})" if about else "")


def _fifo_text(name: str, graph: TimedGraph | None) -> str:
    fifo = graph.fifos[graph.fifo_index[name]] if graph is not None and name in graph.fifo_index else None
    return f"{name} of {fifo.origin}" if fifo is not None and fifo.origin else name
