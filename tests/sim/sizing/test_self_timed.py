"""Exact throughput, held against finite runs of the other engine."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sdf_graphs import small_graphs

from sttest.sim import Actor, ActorPhase, Fifo, TimedGraph, simulate
from sttest.sim.throughput import SelfTimed

ITERATIONS = 30


@st.composite
def cyclo_static(draw) -> TimedGraph:
    """Two actors of several phases, one FIFO, and self-loops or not."""
    put, taken = (draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)) for _ in range(2))
    assume(sum(put) and sum(taken))
    fifos = [Fifo("c", draw(st.integers(1, 9)), 8)]
    actors = []
    for name, rates in (("x", put), ("y", taken)):
        loop = {f"self_{name}": 1} if draw(st.booleans()) else {}
        fifos += [Fifo(own, 2, 8, initial_tokens=1) for own in loop]
        sides = [({}, {"c": n}) if name == "x" else ({"c": n}, {}) for n in rates]
        phases = tuple(ActorPhase(draw(st.integers(1, 5)), reads | loop, writes | loop) for reads, writes in sides)
        actors.append(Actor(name, phases))
    return TimedGraph("g", 1.0, tuple(fifos), tuple(actors))


def cycles(graph: TimedGraph, repetitions: list[int], iterations: int) -> int | None:
    """Of a finite run on the SimPy engine."""
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    finite = [replace(actor, firings=n * iterations) for actor, n in zip(actors, repetitions, strict=True)]
    return simulate(replace(graph, processes=tuple(finite)), "simpy").cycles


@settings(max_examples=80, deadline=None)
@given(st.one_of(cyclo_static(), small_graphs()), st.integers(0, 4))
def test_throughput_is_the_slope_of_finite_runs(graph, deeper):
    """Twice as many iterations take as many cycles more as the throughput says, but for a cycle, and a cut period."""
    graph = graph.with_depths({fifo.name: fifo.depth + deeper for fifo in graph.fifos})
    run = SelfTimed(graph)
    rate = run.rate([fifo.depth for fifo in graph.fifos])
    short, long = (cycles(graph, run.repetitions, count * ITERATIONS) for count in (1, 2))
    if rate.throughput == 0:
        assert short is None
        return
    assert short is not None
    assert long is not None
    assert abs((long - short) * rate.throughput - ITERATIONS) <= Fraction(ITERATIONS, 6) + rate.throughput


@settings(max_examples=80, deadline=None)
@given(st.one_of(cyclo_static(), small_graphs()))
def test_only_the_limiting_fifos_matter(graph):
    """However deep all other FIFOs become, the rate stays."""
    run = SelfTimed(graph)
    depths = [fifo.depth for fifo in graph.fifos]
    rate = run.rate(depths)
    others = [depth if fifo in rate.limiting else depth + 20 for fifo, depth in enumerate(depths)]
    assert run.rate(others).throughput == rate.throughput
