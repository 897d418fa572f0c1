"""What sizing by a linear program takes for granted: each assumption is named where it is broken, and only there."""

from dataclasses import replace

import pytest
from sim_graphs import graph, sink, source

from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, load, simulate
from sttest.sim.sizing_assumptions import BrokenAssumption, assumption_lines, broken_assumptions
from sttest.testing.corpus import case

FIFOS = [Fifo("a", 4, 8), Fifo("b", 4, 8)]


def relay(*events, tokens=6, ii=1, name="p", **options):
    return Pipeline(name, (Loop((tokens,), ii, 4, tuple(events)),), **options)


def between(*events, **options):
    """A source of `a`, one process with the given events, a sink of `b`."""
    return graph(FIFOS, [source("a", 6), relay(*events, **options), sink("b", 6)])


PLAIN = between(Event("a", "read", 0), Event("b", "write", 3))
FORK = relay(Event("a", "write", 0), Event("b", "write", 0), name="fork")
JOIN = relay(Event("a", "read", 0), Event("b", "read", 0), name="join")
RING = [
    relay(Event("a", "read", 0), Event("b", "write", 1)),
    relay(Event("b", "read", 0), Event("a", "write", 1), name="q"),
]
PORTS = [MemoryPort(f"m{fifo}", "read", fifo, 6, 8, ("hbm",)) for fifo in "ab"]
TWICE = [relay(Event(f"{n}a", "write", 0), Event(f"{n}b", "write", 0), name=n) for n in "xy"]
TWICE += [relay(Event(f"x{n}", "read", 0), Event(f"y{n}", "read", 0), name=n) for n in "ab"]


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (PLAIN, []),
        (graph(FIFOS, [FORK, JOIN]), []),
        (graph(FIFOS, RING), [("no cycle", ("p", "q"), ("a", "b"))]),
        (graph(FIFOS[:1], [source("a", 6), sink("a", 5)]), [("equal counts", (), ("a",))]),
        (graph([replace(FIFOS[0], initial_tokens=1), FIFOS[1]], RING), [("no initial tokens", (), ("a",))]),
        # as many tokens as are ever read, and room for all that is written: nobody waits
        (graph([Fifo("a", 12, 8, initial_tokens=6), FIFOS[1]], RING), []),
        (
            graph(
                FIFOS[:1],
                [Actor("x", (ActorPhase(1, {}, {"a": 1}),), 6), Actor("y", (ActorPhase(1, {"a": 1}, {}),), 6)],
            ),
            [("known accesses", ("x", "y"), ())],
        ),
        (graph(FIFOS, [*PORTS, JOIN], [Channel("hbm", 4, 64)]), [("own channels", ("ma", "mb"), ())]),
        (graph(FIFOS, [replace(FORK, start=3), JOIN]), [("free starts", ("fork",), ())]),
        (
            between(Event("a", "read", 0), Event("b", "write", 3), Event("b", "write", 3, (0,)), tokens=5),
            [("equal counts", (), ("a",)), ("even rate", ("p",), ("b",)), ("one count", ("p",), ("a", "b"))],
        ),
        (
            graph(FIFOS, [FORK, relay(Event("a", "read", 0), Event("b", "read", 2), name="join")]),
            [("no stage skew", ("join",), ("a", "b"))],
        ),
        (between(Event("a", "read", 0), Event("b", "write", 3), ii=3), [("one pace", ("p",), ("a", "b"))]),
        (graph([Fifo(n, 4, 8) for n in ("xa", "xb", "ya", "yb")], TWICE), [("one meeting", ("a", "b"), ())]),
    ],
)
def test_each_is_named_where_it_is_broken(design, expected):
    assert [(one.name, one.processes, one.fifos) for one in broken_assumptions(design)] == expected


def test_invocations_that_overlap_are_another_run():
    broken = broken_assumptions(PLAIN, invocations=3)
    assert [one.to_text() for one in broken] == ["one run: 3 invocations overlap, but the schedule is that of one"]


def test_as_values():
    (told,) = [one.to_json() for one in broken_assumptions(PLAIN, invocations=3)]
    assert told == {
        "assumption": "one run",
        "meaning": "3 invocations overlap, but the schedule is that of one",
        "processes": [],
        "fifos": [],
        "may_deadlock": True,
        "of_rates": False,
    }


def test_lines_count_what_is_too_much_to_name():
    some = BrokenAssumption("equal counts", "unequal", fifos=tuple("abcdefg"))
    rates = [BrokenAssumption(name, "…", of_rates=True) for name in ("even rate", "one pace")]
    assert assumption_lines([some, *rates])[1:] == [
        "  equal counts: unequal (FIFO a, b, c, d and 3 more)",
        "  only with one rate per FIFO: even rate, one pace",
    ]
    assert assumption_lines([]) == []


def test_a_deadlock_is_diagnosed_without_them():
    result = simulate(load(case("circular_dependency").path))
    assert [one.name for one in broken_assumptions(load(case("circular_dependency").path))] == ["no cycle"]
    assert "sizing_assumptions" not in result.to_json()["deadlock"]
    assert "assumes" not in result.to_text()
