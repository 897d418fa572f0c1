"""Offsets that are not known: the verdict holds for every choice of them, against all choices one by one."""

from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sim_graphs import STREAMHLS, graph, memory_graphs, pipeline_graphs, reconvergent, sink, source

from sttest.corpus import case
from sttest.errors import InputError
from sttest.sim import Actor, Event, Fifo, Loop, Phase, Pipeline, TimedGraph, load, simulate
from sttest.sim.checker.check_deadlock import check_deadlock
from sttest.sim.deadlock.liveness import advance
from sttest.sim.flat import depths_of, flatten
from sttest.sim.interval.choices import Freedom
from sttest.sim.interval.game import IntervalGame, passed_twice
from sttest.sim.interval.stage_interval import (
    DEAD_FOR_SOME,
    LIVE_FOR_ALL,
    UNDECIDED,
    check_intervals,
    is_causal,
    with_offsets,
)
from sttest.sim.program import expand

MANY = 120


def is_dead_for_some(design: TimedGraph, window: int = 0, *, causal: bool = True) -> bool:
    """By trying all choices."""
    freedom = Freedom(design, window, causal=causal)
    choices = freedom.choices
    spans = [range(choice.lowest, choice.highest + 1) for choice in choices]
    for offsets in product(*spans):
        if not is_causal(freedom, offsets):
            continue
        chosen = with_offsets(design, choices, dict(enumerate(offsets)))
        flat = flatten(chosen)
        if not advance(flat, depths_of(chosen)).is_done(flat):
            return True
    return False


def number_of_choices(design: TimedGraph, window: int = 0) -> int:
    product_ = 1
    for choice in Freedom(design, window, causal=True).choices:
        product_ *= choice.highest - choice.lowest + 1
    return product_


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(pipeline_graphs(unbalanced=False), st.booleans())
def test_against_all_choices(design, causal):
    assume(1 < number_of_choices(design) <= MANY)
    check_verdict(design, check_intervals(design, causal=causal), is_dead_for_some(design, causal=causal))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(pipeline_graphs(unbalanced=False), st.integers(0, 2))
def test_traces_against_all_choices(design, window):
    """A pipeline whose first loop has reads as early and writes as late as can be, spelled out as a trace."""
    traced = TimedGraph("t", 1.0, design.fifos, tuple(as_trace(p, design) for p in design.processes))
    assume(number_of_choices(traced, window) <= MANY)
    verdict = check_intervals(traced, window)
    check_verdict(traced, verdict, is_dead_for_some(_long(traced, window), window))


def as_trace(pipeline: Pipeline, design: TimedGraph) -> Pipeline:
    from sttest.sim import Trace

    tick, op = expand(pipeline, design.fifo_index).whole()
    return Pipeline(pipeline.name, trace=Trace(tick, op))


def _long(design: TimedGraph, window: int) -> TimedGraph:
    from dataclasses import replace

    room = [replace(p, end=int(p.trace.tick[-1] if p.trace.tick.size else 0) + window + 1) for p in design.processes]
    return replace(design, processes=tuple(room))


def check_verdict(design, verdict, dead):
    assert verdict.verdict == (DEAD_FOR_SOME if dead else LIVE_FOR_ALL)
    if dead:
        assert simulate(verdict.witness, engine="des").verdict == "deadlock"
        assert check_deadlock(verdict.witness, verdict.deadlock) == []


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(memory_graphs())
def test_ports_and_a_pipeline_between_them_are_live_for_all(design):
    assume(number_of_choices(design) <= MANY)
    check_verdict(design, check_intervals(design), is_dead_for_some(design))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(pipeline_graphs(unbalanced=False), st.booleans())
def test_depths_that_are_enough_are_live_for_all(design, causal):
    assume(number_of_choices(design) <= MANY)
    verdict = check_intervals(design, causal=causal)
    assume(verdict.enough)
    assert not is_dead_for_some(design.with_depths(verdict.enough), causal=causal)


def test_two_reads_that_seem_to_wait_for_each_other():
    """Either operand may be read first, so that neither counts before the other; but each is there by itself."""
    add = Pipeline("add", (Loop((9,), 1, 6, (Event("a", "read", 0), Event("b", "read", 0), Event("c", "write", 5))),))
    fifos = [Fifo(name, 2, 8) for name in "abc"]
    design = graph(fifos, [source("a", 9, name="left"), source("b", 9, name="right"), add, sink("c", 9)])
    game = IntervalGame(Freedom(design, 0, causal=True), design.fifos)
    effective, may_hold = game.start()
    stands = game.play(effective, may_hold)
    assert not game.is_done(stands)
    assert passed_twice(game.cycle(stands, may_hold)) == 2
    assert check_intervals(design).verdict == LIVE_FOR_ALL


def test_a_write_early_or_late():
    """The filter may write in the first or last of its 8 stages: a skip FIFO of 8 is enough for all, 7 for most."""
    design = load(case("stage_skew").path)
    assert check_intervals(design.with_depths({"skip": 8})).verdict == LIVE_FOR_ALL
    verdict = check_intervals(design.with_depths({"skip": 7}))
    assert verdict.verdict == DEAD_FOR_SOME
    assert {(o.process, o.op, o.fifo): o.stages for o in verdict.offsets}["filter", "write", "filtered"] == 7
    assert verdict.deadlock.fix == verdict.enough == {"skip": 8}
    assert "it is live for all with depths skip=8 (a bound: fewer tokens may do)" in verdict.to_text()
    assert check_intervals(design.with_depths({"skip": 8}), causal=False).verdict == DEAD_FOR_SOME
    assert "filter writes filtered at offset 7 of loop 0" in [offset.to_text() for offset in verdict.offsets]


def test_lanes_that_are_read_at_different_stages():
    """Two lanes, written and read one after the other; were each side in another order, one place is too little."""
    writer = Pipeline("w", (Loop((8,), 1, 4, (Event("a", "write", 3), Event("b", "write", 3))),))
    reader = Pipeline("r", (Loop((8,), 1, 4, (Event("a", "read", 0), Event("b", "read", 0))),))
    lanes = graph([Fifo("a", 2, 8), Fifo("b", 2, 8)], [writer, reader])
    assert simulate(lanes).verdict == "done"
    assert check_intervals(lanes).verdict == DEAD_FOR_SOME
    least = next(depth for depth in range(2, 20) if not is_dead_for_some(lanes.with_all_depths(depth)))
    assert check_intervals(lanes.with_all_depths(least - 1)).verdict == DEAD_FOR_SOME
    assert check_intervals(lanes.with_all_depths(least)).verdict == LIVE_FOR_ALL


def test_a_chain_is_live_for_all():
    assert check_intervals(graph([Fifo("a", 1, 8)], [source("a", 9, latency=5), sink("a", 9, latency=5)])).verdict == (
        LIVE_FOR_ALL
    )


def test_missing_tokens_are_dead_for_some():
    verdict = check_intervals(load(case("one_token_short").path))
    assert (verdict.verdict, verdict.deadlock.fix, verdict.enough) == (DEAD_FOR_SOME, {}, {})


def test_accesses_of_one_fifo_in_a_loop_keep_their_order():
    """The prologue's token is read in iteration 0 only, before the others: they move together."""
    first = Event("a", "read", 0, (0,))
    loop = Loop((6,), 2, 9, (first, Event("a", "read", 1), Event("b", "write", 5)))
    design = graph([Fifo("a", 1, 8), Fifo("b", 1, 8)], [source("a", 7), Pipeline("p", (loop,)), sink("b", 6)])
    assert check_intervals(design).verdict == LIVE_FOR_ALL
    assert [(c.lowest, c.highest) for c in Freedom(design, 0, causal=True).choices if c.process == 1] == [
        (0, 7),
        (-4, 3),
    ]


def test_a_search_that_is_given_up_says_so(monkeypatch):
    monkeypatch.setattr("sttest.sim.interval.search.MAX_LOOKED_AT", 1)
    add = Pipeline("add", (Loop((9,), 1, 6, (Event("a", "read", 0), Event("b", "read", 0))),))
    design = graph([Fifo("a", 2, 8), Fifo("b", 2, 8)], [source("a", 9), source("b", 9, name="src2"), add])
    assert check_intervals(design).to_text() == f"stages not known: {UNDECIDED}"


def test_a_real_design():
    """Traces of the seven products in a tree: whatever the stages of their accesses within 8, it finishes."""
    design = load(STREAMHLS / "synthetic_opt5_k7mmtree_balanced.json")
    assert check_intervals(design, 8).verdict == LIVE_FOR_ALL


def test_what_has_no_stages_is_refused():
    ring = graph([Fifo("a", 1, 8, initial_tokens=1)], [Actor("x", (Phase(1, {"a": 1}, {"a": 1}),))])
    with pytest.raises(InputError, match="no stages"):
        check_intervals(ring)
    with pytest.raises(InputError, match="at least 0"):
        check_intervals(reconvergent(2), -1)
