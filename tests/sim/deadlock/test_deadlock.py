"""Deadlocks: the certificate is true, and the fix works and is as small as it says."""

from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from sim_graphs import graph, pipeline_graphs, reconvergent, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Event, Fifo, Loop, Pipeline, load, simulate
from sttest.sim.fix_cost import FixCost
from sttest.sim.graph import MAX_DEPTH
from sttest.testing.corpus import case


def certificate(design, **options):
    result = simulate(design, **options)
    assert result.verdict == "deadlock"
    assert result.cycles is None
    assert result.deadlock is not None
    return result.deadlock


def test_a_reconvergent_path():
    """b reads all 20 before it writes, so the short way has to hold all 20; with 19 it deadlocks."""
    deadlock = certificate(reconvergent(2))
    assert [(w.process, w.waits_to, w.fifo) for w in deadlock.cycle] == [
        ("a", "write", "ac"),
        ("c", "read", "bc"),
        ("b", "read", "ab"),
    ]
    assert (deadlock.cycle[0].token, deadlock.cycle[0].depth, deadlock.cycle[0].occupancy) == (2, 2, 2)
    assert (deadlock.fix, deadlock.is_minimal) == ({"ac": 20}, True)
    assert simulate(reconvergent(19)).verdict == "deadlock"
    assert simulate(reconvergent(20)).verdict == "done"


def test_the_contract():
    result = simulate(reconvergent(2))
    data = result.to_json()
    assert data["deadlock"] == {
        "cycle": [
            {"process": "a", "waits_to": "write", "fifo": "ac", "token": 2, "depth": 2, "occupancy": 2, "peer": "c"},
            {"process": "c", "waits_to": "read", "fifo": "bc", "token": 0, "depth": 4, "occupancy": 0, "peer": "b"},
            {"process": "b", "waits_to": "read", "fifo": "ab", "token": 2, "depth": 4, "occupancy": 0, "peer": "a"},
        ],
        "fix": [{"fifo": "ac", "depth": 20}],
        "fix_cost": {
            "cycles": 53,
            "enough": [{"fifo": "ac", "depth": 20}],
            "enough_cycles": 53,
            "is_fastest": True,
            "is_least": True,
            "others_cycles": 53,
            "free_cycles": 53,
        },
        "is_closed": True,
        "is_minimal": True,
        "stands_at": {"a": 2, "b": 2, "c": 0},
    }
    assert (data["verdict"], data["cycles"]) == ("deadlock", None)


def test_the_text_names_origin_fifo_and_fix():
    text = simulate(reconvergent(2)).to_text()
    assert "pipeline a (aten.add) waits to write token 2 to FIFO ac (depth 2, full): c has yet to read token 0" in text
    assert "pipeline c waits to read token 0 from FIFO bc (depth 4, empty): b has yet to write it" in text
    assert "With depth ac=20 it finishes in 53 cycles; no fix adds fewer tokens.\n" in text


def test_the_text_says_what_the_fix_costs_and_which_depth_loses_nothing():
    skew = load(case("stage_skew").path)
    assert "With depth skip=10 it finishes in 29 cycles; more depth there gains nothing.\n" in simulate(skew).to_text()
    cycles = {depth: simulate(skew, depths={"skip": depth}).cycles for depth in (8, 9, 10, 100)}
    assert cycles == {8: 53, 9: cycles[9], 10: 29, 100: 29}
    assert cycles[9] > 29
    assert "\n  No deeper FIFO makes it faster.\n" in simulate(reconvergent(2)).to_text()


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(pipeline_graphs(unbalanced=False))
def test_the_cost_of_a_fix_is_what_simulations_say(design):
    deadlock = simulate(design).deadlock
    assume(deadlock is not None and deadlock.fix)
    cost = deadlock.cost
    assert cost.enough.keys() == deadlock.fix.keys()
    assert simulate(design, depths=deadlock.fix).cycles == cost.cycles >= cost.enough_cycles
    assert simulate(design, depths=cost.enough).cycles == cost.enough_cycles >= cost.free_cycles
    assert simulate(design, unbounded=True).cycles >= cost.free_cycles
    deep = dict.fromkeys(deadlock.fix, 1000)
    assert simulate(design, depths=deep).cycles >= cost.enough_cycles
    for fifo, depth in cost.enough.items():
        if cost.is_least and depth > deadlock.fix[fifo] and cost.cycles > cost.enough_cycles:
            assert (simulate(design, depths=cost.enough | {fifo: depth - 1}).cycles or 10**9) > cost.enough_cycles


def test_a_search_that_is_cut_short_has_depths_that_lose_nothing_and_says_so(monkeypatch):
    skew = load(case("stage_skew").path)
    monkeypatch.setattr("sttest.sim.fix_cost.MAX_EVENTS", 0)
    cost = certificate(skew).cost
    assert (cost.cycles, cost.enough_cycles, cost.is_least) == (53, 29, False)
    assert cost.enough["skip"] > 10
    assert "Less depth may do as well, as the search was stopped early." in simulate(skew).to_text()


@pytest.mark.parametrize(
    ("fix", "changes", "text"),
    [
        ({"a": 2}, {}, "No deeper FIFO makes it faster."),
        ({"a": 2}, {"free_cycles": 40}, "Deepening it further gains nothing."),
        (
            {"a": 2, "b": 3},
            {"free_cycles": 40, "others_cycles": 45},
            "Deepening them further gains nothing. Deepening other FIFOs too brings 45 cycles.",
        ),
        ({"a": 2}, {"is_fastest": False}, "Deepening it further was not found to gain anything."),
        ({"a": 1}, {"cycles": 60}, "With depth a=2 it finishes in 50 cycles; more depth there gains nothing."),
        (
            {"a": 1},
            {"cycles": 60, "is_fastest": False, "is_least": False, "shares_channels": True},
            "With depth a=2 it finishes in 50 cycles; more depth there was not found to gain anything. Less depth may "
            "do as well, as ports share a memory channel.",
        ),
    ],
)
def test_what_a_fix_costs_in_words(fix, changes, text):
    cost = FixCost(50, {"a": 2}, 50, is_fastest=True, is_least=True, others_cycles=50, free_cycles=50)
    assert replace(cost, **changes).to_text(fix) == text


def test_cycles_that_no_depth_brings_are_not_promised():
    """A FIFO of kind auto that holds 4 tokens of 400 bits is a RAM: no depth saves the cycle of a shift register."""
    taker = Actor("taker", (ActorPhase(4, {"a": 2}, {}),), firings=2)
    result = simulate(graph([Fifo("a", 1, 400)], [source("a", 4), taker]))
    cost = result.deadlock.cost
    cycles = {depth: simulate(graph([Fifo("a", depth, 400)], [source("a", 4), taker])).cycles for depth in range(2, 9)}
    assert min(cycles.values()) == cost.enough_cycles == cost.others_cycles
    assert "Deepening other" not in result.to_text()


def test_a_ring_without_tokens_needs_tokens_not_depth():
    ring = [
        Pipeline(n, (Loop((3,), 2, 2, (Event(r, "read", 0), Event(w, "write", 1))),))
        for n, r, w in (("p", "a", "b"), ("q", "b", "a"))
    ]
    deadlock = certificate(graph([Fifo("a", 2, 8), Fifo("b", 2, 8)], ring))
    assert deadlock.is_closed
    assert len(deadlock.cycle) == 2
    assert deadlock.fix == {}
    assert (
        "No FIFO depths resolve this: tokens are missing."
        in simulate(graph([Fifo("a", 2, 8), Fifo("b", 2, 8)], ring)).to_text()
    )
    live = graph([Fifo("a", 2, 8, initial_tokens=1), Fifo("b", 2, 8)], ring)
    assert simulate(live).verdict == "done"


def test_a_reader_of_more_than_is_written():
    deadlock = certificate(graph([Fifo("a", 2, 8)], [source("a", 2), sink("a", 3)]))
    assert not deadlock.is_closed
    assert [(w.process, w.waits_to, w.token, w.occupancy) for w in deadlock.cycle] == [("dst", "read", 2, 0)]
    assert deadlock.fix == {}


def test_a_writer_of_more_than_is_read_needs_room():
    deadlock = certificate(graph([Fifo("a", 2, 8)], [source("a", 9), sink("a", 3)]))
    assert (deadlock.fix, deadlock.is_minimal) == ({"a": 6}, True)


def test_two_cycles_need_two_fifos():
    """Two reconvergent paths side by side in one graph of three processes each."""
    one, two = reconvergent(2), reconvergent(3)
    renamed = [_renamed(process) for process in two.processes]
    fifos = [Fifo(f"{f.name}2", f.depth, f.bits, f.impl) for f in two.fifos]
    deadlock = certificate(graph([*one.fifos, *fifos], [*one.processes, *renamed]))
    assert (deadlock.fix, deadlock.is_minimal) == ({"ac": 20, "ac2": 20}, True)


def test_the_fifo_that_has_to_hold_back_is_the_fix():
    """The fork writes y, y, x, x over and over; the join wants x, x first, so y has to hold two."""
    fork = Pipeline("fork", (Loop((4,), 4, 4, (*_two("y", "write", 0), *_two("x", "write", 2))),))
    join = Pipeline("join", (Loop((4,), 4, 4, (*_two("x", "read", 0), *_two("y", "read", 2))),))
    deadlock = certificate(graph([Fifo("x", 1, 8), Fifo("y", 1, 8)], [fork, join]))
    assert (deadlock.fix, deadlock.is_minimal) == ({"y": 2}, True)


def _two(fifo: str, op: str, stage: int) -> tuple[Event, Event]:
    return Event(fifo, op, stage), Event(fifo, op, stage + 1)


def test_a_search_that_is_given_up_says_so(monkeypatch):
    monkeypatch.setattr("sttest.sim.deadlock.MAX_TRIALS", 3)
    one, two = reconvergent(2), reconvergent(3)
    fifos = [Fifo(f"{f.name}2", f.depth, f.bits, f.impl) for f in two.fifos]
    both = graph([*one.fifos, *fifos], [*one.processes, *[_renamed(process) for process in two.processes]])
    result = simulate(both)
    assert (result.deadlock.fix, result.deadlock.is_minimal) == ({"ac": 20, "ac2": 20}, False)
    assert "a fix that adds fewer tokens may exist, as the search was stopped early" in result.to_text()


def test_a_fifo_of_the_greatest_depth_is_never_full():
    """As without limits, and the report says so."""
    design = graph([Fifo("a", MAX_DEPTH, 8, "srl")], [source("a", 50), sink("a", 50, ii=3)])
    assert simulate(design).cycles == simulate(design, unbounded=True).cycles
    starved = graph([Fifo("a", MAX_DEPTH, 8)], [source("a", 2), sink("a", 3)])
    assert "waits to read token 2 from FIFO a (never full, empty)" in simulate(starved).to_text()
    with pytest.raises(InputError, match="depth"):
        design.with_all_depths(MAX_DEPTH + 1)


def _renamed(process: Pipeline) -> Pipeline:
    loops = tuple(
        Loop(x.trips, x.ii, x.latency, tuple(Event(f"{e.fifo}2", e.op, e.stage) for e in x.events))
        for x in process.loops
    )
    return Pipeline(f"{process.name}2", loops)


def test_a_process_that_waits_for_itself():
    loop = Loop((4,), 1, 1, (Event("a", "write", 0),))
    unload = Loop((4,), 1, 1, (Event("a", "read", 0),))
    deadlock = certificate(graph([Fifo("a", 2, 8)], [Pipeline("p", (loop, unload))]))
    assert [w.process for w in deadlock.cycle] == ["p"]
    assert deadlock.fix == {"a": 4}


def relay(name: str, reads: str, writes: str, tokens: int) -> Pipeline:
    return Pipeline(name, (Loop((tokens,), 1, 2, (Event(reads, "read", 0), Event(writes, "write", 1))),))


def test_a_chain_ends_at_a_process_that_has_finished():
    fifos = [Fifo(name, 8, 8) for name in "ab"]
    deadlock = certificate(graph(fifos, [sink("b", 5), relay("p", "a", "b", 5), source("a", 4)]))
    assert [(wait.process, wait.peer) for wait in deadlock.cycle] == [("dst", "p"), ("p", "src")]
    assert (deadlock.is_closed, deadlock.fix) == (False, {})


def test_waits_for_what_has_finished_are_left_out_of_a_cycle():
    """``join`` lacks tokens of two that have finished, ``late`` of one such and of the ring, which is the cause."""
    fifos = [Fifo(name, 8, 8) for name in "abcdef"]
    join = Pipeline("join", (Loop((5,), 1, 1, (Event("a", "read", 0), Event("b", "read", 0))),))
    late = Pipeline("late", (Loop((5,), 1, 1, (Event("c", "read", 0), Event("d", "read", 0))),))
    ends = [source(name, 4, name=f"of_{name}") for name in "abc"]
    there = Pipeline(
        "there", (Loop((4,), 1, 2, (Event("f", "read", 0), Event("e", "write", 1), Event("d", "write", 1))),)
    )
    back = relay("back", "e", "f", 4)
    design = graph(fifos, [join, late, *ends, there, back])
    deadlock = certificate(design)
    assert [(wait.process, wait.waits_to, wait.fifo) for wait in deadlock.cycle] == [
        ("there", "read", "f"),
        ("back", "read", "e"),
    ]
    assert (deadlock.is_closed, deadlock.fix) == (True, {})


def test_actors_deadlock_too():
    actors = [Actor("x", (ActorPhase(1, {"a": 2}, {"b": 1}),), 4), Actor("y", (ActorPhase(1, {"b": 2}, {"a": 4}),), 2)]
    fifos = [Fifo("a", 4, 8, initial_tokens=2), Fifo("b", 4, 8)]
    assert [w.waits_to for w in certificate(graph(fifos, actors)).cycle] == ["read", "read"]


@pytest.mark.daily
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(pipeline_graphs())
def test_certificates_of_random_graphs(design):
    result = simulate(design)
    assume(result.deadlock is not None)
    cycle = result.deadlock.cycle
    for wait, following in pairwise(cycle):
        assert wait.peer == following.process
    if result.deadlock.is_closed:
        assert cycle[-1].peer == cycle[0].process
    else:
        assert result.finish[cycle[-1].peer] is not None
    if not result.deadlock.fix:
        assert simulate(design, unbounded=True).verdict == "deadlock"
        return
    assert simulate(design, depths=result.deadlock.fix).verdict == "done"
    for fifo, depth in result.deadlock.fix.items():
        assert simulate(design, depths=result.deadlock.fix | {fifo: depth - 1}).verdict == "deadlock"


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(pipeline_graphs(unbalanced=False))
def test_what_is_called_minimal_is(design):
    """Against all ways of adding fewer tokens, where there are few."""
    deadlock = simulate(design).deadlock
    assume(deadlock is not None and deadlock.is_minimal)
    now = {fifo.name: fifo.depth for fifo in design.fifos}
    added = sum(depth - now[name] for name, depth in deadlock.fix.items())
    assume(added <= 4)
    for extra in product(range(added), repeat=len(now)):
        if sum(extra) < added:
            depths = {name: depth + more for (name, depth), more in zip(now.items(), extra, strict=True)}
            assert simulate(design, depths=depths).verdict == "deadlock"


@pytest.mark.parametrize("unbounded", [True, False])
def test_unbounded_fifos_need_no_fix(unbounded):
    assert simulate(reconvergent(2), unbounded=unbounded).verdict == ("done" if unbounded else "deadlock")
