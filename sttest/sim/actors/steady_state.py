"""What a simulation says of actors that fire for ever: their throughput, or why they deadlock."""

from __future__ import annotations

import time
from dataclasses import replace

from sttest.sim.actors.self_timed import SelfTimed
from sttest.sim.graph import Actor, TimedGraph
from sttest.sim.simulation import Simulation


def steady_state(graph: TimedGraph, engine: str, *, unbounded: bool = False) -> Simulation:
    """Iterations of the repetition vector per cycle, exactly, or the certificate of a deadlock.

    Raises:
        InputError: rates that don't balance, processes that are no actors, or no bound on the rate.
    """
    from sttest.sim.api import simulate

    began = time.perf_counter()
    run = SelfTimed(graph)
    once = simulate(one_iteration(graph, run.repetitions), engine, unbounded=unbounded)
    if once.deadlock is not None:
        return replace(once, graph=graph)
    throughput = run.rate(None if unbounded else [fifo.depth for fifo in graph.fifos]).throughput
    solve_s = time.perf_counter() - began
    return Simulation(graph.name, engine, "done", None, once.fifo_events, solve_s, throughput, graph=graph)


def one_iteration(graph: TimedGraph, repetitions: list[int]) -> TimedGraph:
    """Actors that stop after one iteration, back where they began: they deadlock where the endless graph does."""
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    return replace(graph, processes=tuple(replace(a, firings=n) for a, n in zip(actors, repetitions, strict=True)))
