"""Actors: SDF3's semantics, and exact throughput."""

from fractions import Fraction

import pytest
from sim_graphs import graph, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Fifo, simulate


def actor(name, time, reads=None, writes=None, firings=None):
    return Actor(name, (ActorPhase(time, reads or {}, writes or {}),), firings)


def loop(name, tokens=1):
    """A self-loop that lets ``tokens`` firings overlap."""
    return Fifo(name, tokens, 1, initial_tokens=tokens)


def test_a_firing_takes_at_its_start_and_puts_at_its_end():
    actors = [actor("x", 3, writes={"a": 2}, firings=2), actor("y", 5, reads={"a": 1}, firings=4)]
    result = simulate(graph([Fifo("a", 4, 1)], actors), "simpy", record=True)
    assert result.write_times["a"].tolist() == [3, 3, 3, 3]
    assert result.read_times["a"].tolist() == [8, 8, 8, 8]
    assert (result.cycles, result.max_occupancy["a"]) == (8, 4)


def test_space_is_claimed_at_the_start_and_freed_at_the_end():
    """Two places: x fires twice at once, then only when y has ended; y may overlap itself."""
    actors = [actor("x", 3, writes={"a": 1}, firings=4), actor("y", 5, reads={"a": 1}, firings=4)]
    result = simulate(graph([Fifo("a", 2, 1)], actors), "simpy", record=True)
    assert result.write_times["a"].tolist() == [3, 3, 11, 11]
    assert result.cycles == 16


def test_a_self_loop_serializes():
    actors = [
        actor("x", 3, reads={"s": 1}, writes={"a": 1, "s": 1}, firings=3),
        actor("y", 1, reads={"a": 1}, firings=3),
    ]
    loops = Fifo("s", 2, 1, initial_tokens=1)
    result = simulate(graph([Fifo("a", 9, 1), loops], actors), "simpy", record=True)
    assert result.write_times["a"].tolist() == [3, 6, 9]


def test_phases_take_turns():
    x = Actor("x", (ActorPhase(1, {"s": 1}, {"a": 1, "s": 1}), ActorPhase(4, {"s": 1}, {"a": 2, "s": 1})), 4)
    design = graph([Fifo("a", 9, 1), Fifo("s", 2, 1, initial_tokens=1)], [x, actor("y", 0, {"a": 3}, firings=2)])
    result = simulate(design, "simpy", record=True)
    assert result.write_times["a"].tolist() == [1, 5, 5, 6, 10, 10]


def test_actors_and_pipelines_meet_under_the_fifo_law():
    """The pipeline writes at 0, 1; readable one later; the actor's firings overlap."""
    design = graph([Fifo("a", 4, 1, "srl")], [source("a", 2), actor("y", 5, {"a": 1}, firings=2)])
    assert simulate(design, "simpy", record=True).read_times["a"].tolist() == [6, 7]
    design = graph([Fifo("a", 1, 1, "srl")], [actor("x", 5, writes={"a": 1}, firings=2), sink("a", 2)])
    assert simulate(design, "simpy", record=True).write_times["a"].tolist() == [5, 12]


def endless(depth, x_time=2, y_time=3):
    """x puts 2, y takes 3, both one firing at a time."""
    x = actor("x", x_time, {"sx": 1}, {"a": 2, "sx": 1})
    y = actor("y", y_time, {"a": 3, "sy": 1}, {"sy": 1})
    loops = [Fifo("sx", 2, 1, initial_tokens=1), Fifo("sy", 2, 1, initial_tokens=1)]
    return graph([Fifo("a", depth, 1), *loops], [x, y])


@pytest.mark.parametrize(("depth", "expected"), [(4, Fraction(1, 12)), (100, Fraction(1, 6))])
def test_throughput(depth, expected):
    """One iteration is 3 firings of x and 2 of y, 6 cycles of each.

    With 4 places they get in each other's way: x 0-2, 2-4, y 4-7, x 7-9, y 9-12, and all places are free again.
    """
    result = simulate(endless(depth), "simpy")
    assert (result.verdict, result.cycles) == ("done", None)
    assert result.throughput == expected
    assert result.to_json()["throughput"] == [1, expected.denominator]


def test_unbounded_throughput_is_that_of_the_slowest_part():
    assert simulate(endless(4), unbounded=True).throughput == Fraction(1, 6)
    assert simulate(endless(4, x_time=1, y_time=7), unbounded=True).throughput == Fraction(1, 14)


def test_the_report_of_endless_actors_is_their_throughput():
    result = simulate(endless(4))
    assert (
        result.to_text().splitlines()[0] == f"{result.name}: done, {result.throughput} iterations per cycle (maxplus)"
    )


def test_a_deadlock_of_endless_actors_has_a_fix():
    result = simulate(endless(3))
    assert result.verdict == "deadlock"
    assert result.deadlock is not None
    assert result.deadlock.fix == {"a": 4}


def test_refusals():
    wrong = [actor("x", 1, {"b": 1}, {"a": 2}), actor("y", 1, {"a": 1}, {"b": 1})]
    with pytest.raises(InputError, match="rates don't balance"):
        simulate(graph([Fifo("a", 4, 1), Fifo("b", 4, 1)], wrong))
    with pytest.raises(InputError, match="stand beside other processes; give the actors a number of firings"):
        simulate(graph([Fifo("a", 4, 1)], [source("a", 2), actor("y", 1, {"a": 1})]))
    with pytest.raises(InputError, match="nothing bounds the rate"):
        simulate(graph([Fifo("a", 4, 1)], [actor("x", 1, None, {"a": 1}), actor("y", 1, {"a": 1})]), unbounded=True)


def test_space_that_a_firing_without_duration_frees_is_no_space_for_what_it_waits_for():
    """The second firing frees a place in the cycle in which the first claims one, but only starts after it."""
    phases = ActorPhase(3, {}, {"a": 1}), ActorPhase(0, {"a": 1}, {})
    design = graph([Fifo("a", 3, 8, initial_tokens=2)], [Actor("x", phases, 2)])
    for engine in ("maxplus", "simpy"):
        assert simulate(design, engine).max_occupancy == {"a": 3}
    assert simulate(design, depths={"a": 2}).verdict == "deadlock"
