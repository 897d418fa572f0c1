"""The least storage for a throughput, against SDF3's trade-offs and against brute force."""

import csv
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sdf_graphs import endless, least_total, small_graphs

from sttest.core.errors import DeadlockError, DoesNotFitError, InputError
from sttest.sim import Actor, ActorPhase, Fifo, TimedGraph, load, simulate
from sttest.sim.sizing import size_for_throughput, trade_off
from sttest.sim.throughput import SelfTimed

CLASSICS = Path(__file__).parents[2] / "data" / "sdf3"
# Brute force looks at all ways to spread so many tokens over at most six FIFOs.
SPARE_TOKENS = 5


def published(name: str) -> list[tuple[str, int]]:
    with (CLASSICS / "pareto.csv").open(newline="") as file:
        return [(row["throughput"], int(row["total_size"])) for row in csv.DictReader(file) if row["graph"] == name]


@pytest.mark.parametrize(("name", "points"), [("modem", 3), ("samplerate", 3), ("h263decoder", 36)])
def test_all_of_sdf3s_pareto_points(name, points):
    graph = load(CLASSICS / f"{name}.xml")
    found = list(trade_off(graph))
    assert len(found) == points
    assert [(f"{float(point.throughput):.6g}", point.total_tokens) for point in found] == [
        (f"{float(throughput):.6g}", size) for throughput, size in published(name)
    ]
    for point in found[:: max(1, points // 6)]:
        assert simulate(graph, "simpy", point.depths).throughput == point.throughput
        sizing = size_for_throughput(graph, point.throughput)
        assert (sizing.total_tokens, sizing.lower_total, sizing.is_exact) == (
            point.total_tokens,
            point.total_tokens,
            True,
        )


def test_a_search_given_up_says_how_far_it_came():
    graph = load(CLASSICS / "h263decoder.xml")
    sizing = size_for_throughput(graph, most_firings=1)
    assert sizing.throughput == Fraction(1, 332046)
    assert sizing.lower_total <= 1230 <= sizing.total_tokens
    assert not sizing.is_exact


@settings(max_examples=60, deadline=None)
@given(small_graphs(), st.integers(1, 3))
def test_no_distribution_is_smaller(graph, share):
    """For the highest throughput and for parts of it, brute force finds none with fewer tokens."""
    run = SelfTimed(graph)
    try:
        target = run.rate().throughput * Fraction(share, 3)
    except InputError as error:
        assume(error.code != "no-rate-bound")
        raise
    try:
        sizing = size_for_throughput(graph, target)
    except DeadlockError:
        assert run.rate().throughput == 0
        return
    assert sizing.is_exact
    assert sizing.throughput is not None
    assert sizing.throughput >= target
    assert simulate(graph, depths=sizing.depths).throughput == sizing.throughput
    assert all(sizing.lower_bounds[name] <= depth for name, depth in sizing.depths.items())
    least = sum(max(1, fifo.initial_tokens) for fifo in graph.fifos)
    smaller = min(sizing.total_tokens - 1, least + SPARE_TOKENS)
    assert least_total(graph, target, smaller) is None


@settings(max_examples=60, deadline=None)
@given(small_graphs())
def test_trade_offs_rise_and_are_what_sizing_finds(graph):
    try:
        points = list(trade_off(graph))
    except (DeadlockError, InputError) as error:
        assume(error.code not in ("no-rate-bound", "tokens-missing"))
        raise
    assert points[-1].throughput == simulate(graph, unbounded=True).throughput
    for before, after in pairwise(points):
        assert before.throughput < after.throughput
        assert before.total_tokens < after.total_tokens
    for point in points:
        assert size_for_throughput(graph, point.throughput).total_tokens == point.total_tokens


def test_a_rate_that_nothing_bounds_is_sized_when_it_is_given():
    """Without self-loops any rate can be had; two firings of b at a time take 4 places, while a's 2 tokens come."""
    graph = endless(("c", "a", 1, "b", 1, 0), times={"a": 1, "b": 2}, serial=False)
    with pytest.raises(InputError, match="nothing bounds the rate"):
        size_for_throughput(graph)
    sizing = size_for_throughput(graph, Fraction(1))
    assert (sizing.depths, sizing.throughput) == ({"c": 3}, 1)


def test_refusals():
    graph = endless(("c", "a", 1, "b", 1, 0), times={"a": 3, "b": 2})
    with pytest.raises(DoesNotFitError, match=r"no storage reaches that throughput .*; ask for 1/3"):
        size_for_throughput(graph, Fraction(1, 2))
    with pytest.raises(InputError, match="ask for more than 0"):
        size_for_throughput(graph, Fraction(0))
    ring = endless(("c", "a", 1, "b", 1, 0), ("d", "b", 1, "a", 1, 0), times={"a": 3, "b": 2})
    with pytest.raises(DeadlockError, match="tokens are missing"):
        size_for_throughput(ring)


def begun(reads_first: int, **depths: int) -> TimedGraph:
    """A ring of x and y, in which x first puts two tokens that go round, and y maybe takes some for good."""
    ahead = ActorPhase(1, {}, {"a": 1})
    x = Actor("x", (ActorPhase(1, {"b": 1}, {"a": 1}),), initial_phases=(ahead,) * (2 + reads_first))
    y = Actor("y", (ActorPhase(1, {"a": 1}, {"b": 1}),), initial_phases=(ActorPhase(1, {"a": 1}, {}),) * reads_first)
    return TimedGraph("g", 1.0, tuple(Fifo(name, depth, 8) for name, depth in depths.items()), (x, y))


@pytest.mark.parametrize("reads_first", [0, 1])
@pytest.mark.parametrize("depth", [1, 2, 4, 9])
def test_tokens_of_initial_phases_lie_in_either_fifo(reads_first, depth):
    """Of two tokens that go round a FIFO of one place holds one, whatever depths the file has."""
    graph = begun(reads_first, a=depth, b=depth)
    sizing = size_for_throughput(graph, Fraction(1, 2))
    assert (sizing.total_tokens, sizing.lower_bounds, sizing.is_exact) == (3, {"a": 1, "b": 1}, True)
    run = SelfTimed(graph)
    assert [run.rate(each).throughput for each in ((1, 1), (1, 2), (2, 1), (2, 2))] == [0, *[Fraction(1, 2)] * 2, 1]
    points = [(point.total_tokens, point.throughput) for point in trade_off(graph)]
    assert points == [(3, Fraction(1, 2)), (4, Fraction(1))]


def test_initial_phases_that_take_all_tokens_are_a_deadlock():
    graph = begun(0, a=4, b=4)
    x, y = graph.processes
    assert isinstance(y, Actor)
    taking = replace(y, initial_phases=(ActorPhase(1, {"a": 1}, {}),) * 2)
    with pytest.raises(DeadlockError, match="tokens are missing"):
        size_for_throughput(replace(graph, processes=(x, taking)))


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_initial_phases_that_whole_rounds_do_not_make_up_for(depth):
    """Two tokens are left between rounds of four, which one place holds only in the midst of a round."""
    put, take = ActorPhase(1, {}, {"c": 1}), ActorPhase(1, {"c": 1}, {})
    actors = (Actor("x", (put,) * 4, initial_phases=(put,) * 2), Actor("y", (take,) * 4))
    graph = TimedGraph("g", 1.0, (Fifo("c", depth, 8),), actors)
    assert simulate(graph).throughput == Fraction(depth, 8)
    assert size_for_throughput(graph, Fraction(depth, 8)).depths == {"c": depth}
