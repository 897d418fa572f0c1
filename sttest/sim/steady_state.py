"""Throughput of actors that fire for ever: self-timed execution until a state comes back.

Ghamarian et al., "Throughput analysis of synchronous data flow graphs", ACSD 2006: a
bounded graph reaches a periodic phase, whose rate is exact.  With unbounded queues
every strongly connected part runs at its own rate and the slowest sets the pace.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import replace
from fractions import Fraction

from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sttest.errors import InputError
from sttest.sim.ends import fifo_ends
from sttest.sim.graph import Actor, TimedGraph
from sttest.sim.repetition import repetition_vector
from sttest.sim.simulation import Simulation

MAX_FIRINGS = 20_000_000
"""Firings after which the search for a recurrent state is given up."""


def steady_state(graph: TimedGraph, engine: str, *, unbounded: bool = False) -> Simulation:
    """Iterations of the repetition vector per cycle, exactly, or the certificate of a deadlock.

    Raises:
        InputError: rates that don't balance, processes that are no actors, or no bound on the rate.
    """
    from sttest.sim.api import simulate

    repetitions = repetition_vector(graph)
    began = time.perf_counter()
    once = simulate(_one_iteration(graph, repetitions), engine, unbounded=unbounded)
    if once.deadlock is not None:
        return replace(once, graph=graph)
    throughput = _slowest_part(graph, repetitions) if unbounded else _throughput(graph, repetitions)
    solve_s = time.perf_counter() - began
    return Simulation(graph.name, engine, "done", None, once.fifo_events, solve_s, throughput, graph=graph)


def _one_iteration(graph: TimedGraph, repetitions: list[int]) -> TimedGraph:
    """Actors that stop after one iteration, back where they began: they deadlock where the endless graph does."""
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    return replace(graph, processes=tuple(replace(a, firings=n) for a, n in zip(actors, repetitions, strict=True)))


def _slowest_part(graph: TimedGraph, repetitions: list[int]) -> Fraction:
    """The least throughput of the strongly connected parts."""
    ends = fifo_ends(graph)
    rows, columns = [end.writer for end in ends], [end.reader for end in ends]
    size = len(graph.processes)
    edges = coo_matrix(([1] * len(ends), (rows, columns)), (size, size))
    part_of = connected_components(edges, directed=True, connection="strong")[1].tolist()
    rates = []
    for part in sorted(set(part_of)):
        inside = [fifo for fifo, end in enumerate(ends) if part_of[end.writer] == part == part_of[end.reader]]
        if inside:
            rates.append(_throughput(graph, repetitions, set(inside), {a for a in range(size) if part_of[a] == part}))
    if not rates:
        raise _no_bound(graph)
    return min(rates)


def _no_bound(graph: TimedGraph) -> InputError:
    return InputError(
        "no-rate-bound",
        "nothing bounds the rate",
        where=graph.name,
        levers=["give an actor a self-loop with a token", "simulate with bounded FIFOs"],
    )


class _SelfTimed:
    """Self-timed execution of some actors of a graph, over some of its FIFOs."""

    def __init__(self, graph: TimedGraph, fifos: set[int] | None, actors: set[int] | None) -> None:
        index = {f.name: i for i, f in enumerate(graph.fifos) if fifos is None or i in fifos}
        self.bounded = fifos is None
        self.graph = graph
        self.now = 0
        self.started = 0
        self.tokens = [fifo.initial_tokens for fifo in graph.fifos]
        self.space = [fifo.depth - fifo.initial_tokens for fifo in graph.fifos]
        self.members = [a for a in range(len(graph.processes)) if actors is None or a in actors]
        self.phase = [0] * len(graph.processes)
        self.firings = [0] * len(graph.processes)
        self.running: list[tuple[int, int, int]] = []
        self.phases = [
            [
                (
                    phase.time,
                    [(index[name], n) for name, n in phase.reads.items() if name in index],
                    [(index[name], n) for name, n in phase.writes.items() if name in index],
                )
                for phase in process.phases
            ]
            for process in graph.processes
            if isinstance(process, Actor)
        ]

    def settle(self) -> None:
        """Starts and ends all firings that the present cycle allows."""
        progress = True
        while progress:
            progress = False
            while self.running and self.running[0][0] == self.now:
                self._end()
                progress = True
            for actor in self.members:
                while self._can_start(actor):
                    self._start(actor)
                    progress = True

    def step(self) -> None:
        """Goes on to the next end of a firing."""
        self.now = self.running[0][0]

    def state(self) -> tuple[object, ...]:
        """All that the future depends on."""
        running = tuple(sorted((end - self.now, actor, phase) for end, actor, phase in self.running))
        return tuple(self.tokens), tuple(self.space) if self.bounded else (), tuple(self.phase), running

    def _can_start(self, actor: int) -> bool:
        _, reads, writes = self.phases[actor][self.phase[actor]]
        if any(self.tokens[fifo] < n for fifo, n in reads):
            return False
        return not self.bounded or all(self.space[fifo] >= n for fifo, n in writes)

    def _start(self, actor: int) -> None:
        phase = self.phase[actor]
        time_cycles, reads, writes = self.phases[actor][phase]
        for fifo, n in reads:
            self.tokens[fifo] -= n
        for fifo, n in writes:
            self.space[fifo] -= n
        heapq.heappush(self.running, (self.now + time_cycles, actor, phase))
        self.phase[actor] = (phase + 1) % len(self.phases[actor])
        self.firings[actor] += 1
        self.started += 1
        if self.started > MAX_FIRINGS:
            raise _no_bound(self.graph)

    def _end(self) -> None:
        _, actor, phase = heapq.heappop(self.running)
        _, reads, writes = self.phases[actor][phase]
        for fifo, n in reads:
            self.space[fifo] += n
        for fifo, n in writes:
            self.tokens[fifo] += n


def _throughput(
    graph: TimedGraph, repetitions: list[int], fifos: set[int] | None = None, actors: set[int] | None = None
) -> Fraction:
    """Iterations per cycle in the periodic phase; ``fifos``: only these, unbounded; ``actors``: only these."""
    if fifos is None and not graph.fifos:
        raise _no_bound(graph)
    run = _SelfTimed(graph, fifos, actors)
    seen: dict[tuple[object, ...], tuple[int, list[int]]] = {}
    first, iterations = run.members[0], -1
    while True:
        run.settle()
        if run.firings[first] // repetitions[first] == iterations:
            run.step()
            continue
        iterations = run.firings[first] // repetitions[first]
        state = run.state()
        if state in seen:
            before, firings = seen[state]
            period = run.now - before
            return min(Fraction(run.firings[a] - firings[a], repetitions[a] * period) for a in run.members)
        seen[state] = run.now, list(run.firings)
        run.step()
