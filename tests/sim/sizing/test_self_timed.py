"""Exact throughput, held against finite runs of the other engine."""

from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from interpreted import interpreted_kernels
from sdf_graphs import endless, small_graphs

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Fifo, TimedGraph, simulate, throughput
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


@settings(max_examples=60)
@given(st.one_of(cyclo_static(), small_graphs()), st.integers(0, 4))
def test_the_kernel_as_python_gives_the_same(graph, deeper):
    run = SelfTimed(graph)
    depths = [fifo.depth + deeper for fifo in graph.fifos]
    rate = run.rate(depths)
    with interpreted_kernels():
        assert run.rate(depths) == rate


def refused(graph, code):
    with pytest.raises(InputError) as caught:
        SelfTimed(graph).rate([fifo.depth for fifo in graph.fifos])
    assert caught.value.code == code
    return str(caught.value)


@pytest.mark.parametrize("python", [False, True])
def test_what_takes_no_time_has_no_rate(python):
    """The firings of one cycle come to no end: after so many the same tokens are there again."""
    ring = endless(("there", "a", 1, "b", 1, 0), ("back", "b", 1, "a", 1, 1), times={"a": 0, "b": 0}).with_all_depths(2)
    with interpreted_kernels() if python else nullcontext():
        said = refused(ring, "no-rate-bound")
    assert said == ("g: nothing bounds the rate: 'a' and 'b' fire without end in one cycle; give a phase of 'a' a time")


def test_a_phase_of_some_time_bounds_no_rate_where_firings_overlap():
    """x puts tokens at no time; its other phase takes a cycle, beside as many others as there are."""
    x = Actor("x", (ActorPhase(0, {}, {"f": 1}), ActorPhase(1)))
    y = Actor("y", (ActorPhase(0, {"f": 1}, {}),))
    said = refused(TimedGraph("g", 1.0, (Fifo("f", 4, 8),), (x, y)), "no-rate-bound")
    assert said.startswith(
        "g: nothing bounds the rate: 'x' and 'y' fire without end in one cycle; give 'x' a self-loop"
    )
    own = {"own": 1}
    alone = replace(x, phases=(ActorPhase(0, own, {"f": 1} | own), ActorPhase(1, own, own)))
    graph = TimedGraph("g", 1.0, (Fifo("f", 4, 8), Fifo("own", 2, 8, initial_tokens=1)), (alone, y))
    assert SelfTimed(graph).rate([4, 2]).throughput == 1


def test_many_firings_in_one_cycle_come_to_an_end():
    """200 of them follow each other in no time, each with a token fewer left."""
    graph = endless(("c", "a", 200, "b", 1, 0), times={"a": 1, "b": 0}, serial=True)
    assert SelfTimed(graph).rate([200, 2, 2]).throughput == 1


@pytest.mark.parametrize("python", [False, True])
def test_a_period_that_takes_too_many_firings_is_scheduled(python, monkeypatch):
    """Before b's first firing ends, after 1,000 cycles, a fires once a cycle into a FIFO of many places."""
    monkeypatch.setattr(throughput, "MAX_FIRINGS", 500)
    graph = endless(("c", "a", 1, "b", 1, 0), times={"a": 1, "b": 1000}).with_all_depths(5000)
    with interpreted_kernels() if python else nullcontext():
        rate = SelfTimed(graph).rate([fifo.depth for fifo in graph.fifos])
    assert (rate.throughput, rate.scheduled) == (Fraction(1, 1000), True)


@pytest.mark.parametrize(
    ("channels", "code", "message"),
    [
        (
            (("c", "a", 1, "b", 2, 0), ("d", "a", 1, "b", 1, 0)),
            "inconsistent-rates",
            "FIFO 'd': its rates don't balance with those of the other FIFOs; check the rates around it",
        ),
        (
            (("c", "a", 1 << 25, "b", 1, 0), ("d", "b", 1 << 25, "x", 1, 0)),
            "rates-explode",
            "FIFO 'd': an actor would fire more than 2,147,483,648 times in one iteration",
        ),
        (
            (("c", "b", 1 << 20, "a", 1, 0), ("d", "x", (1 << 20) - 1, "b", 1, 0)),
            "rates-explode",
            "an actor would fire more than 2,147,483,648 times in one iteration",
        ),
        ((("c", "a", 0, "b", 1, 0),), "no-rate", "FIFO 'c': nothing is ever put on it or taken from it"),
    ],
    ids=["inconsistent", "large", "no common multiple", "none"],
)
def test_rates_that_cannot_be(channels, code, message):
    assert message in refused(endless(*channels, times={"a": 1, "b": 1, "x": 1}), code)
