"""Slices of a trace: without gaps, with the sums of the breakdown, few however long the run."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sim_graphs import chain, graph, memory_graphs, pipeline_graphs, reconvergent, sink, source

from sttest.sim import Actor, ActorPhase, Event, Fifo, Loop, Pipeline, simulate
from sttest.sim.export import KINDS, STALL_OUT, stretches


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(pipeline_graphs(), memory_graphs()), st.booleans(), st.sampled_from([4, 9, 1000]))
def test_slices_add_up_to_the_breakdown(design, unbounded, most):
    result = simulate(design, record=True, unbounded=unbounded)
    assume(result.deadlock is None)
    for number, process in enumerate(design.processes):
        part = result.breakdown[process.name]
        expected = [part.busy_cycles, part.stall_in_cycles, part.stall_out_cycles, part.memory_wait_cycles]
        done = stretches(design, result.record, number, result.cycles, unbounded=unbounded)
        assert done.totals() == expected
        slices = done.slices(most)
        totals = [sum(end - start for start, end, kind in slices if kind == k) for k in range(len(KINDS))]
        assert totals == done.totals()
        assert all(before[1] == after[0] for before, after in pairwise(slices))
        assert len(slices) <= most


def test_in_a_run_without_limits_nobody_waits_for_space():
    """The reader of the RAM frees its only place just when the next tokens come: that held nobody up."""
    fifos = [Fifo("out", 1, 8, "ram"), Fifo("in", 1, 8, "srl")]
    relay = Pipeline("relay", (Loop((6,), 1, 1, (Event("out", "write", 0), Event("in", "read", 0))),))
    design = graph(fifos, [source("in", 6, ii=3), relay, sink("out", 6)])
    result = simulate(design, record=True, unbounded=True)
    totals = stretches(design, result.record, 1, result.cycles, unbounded=True).totals()
    assert totals == [6, 11, 0, 0]
    assert stretches(design, result.record, 1, result.cycles).totals()[STALL_OUT] > 0


def test_a_coarse_view_keeps_the_order_of_windows():
    """A slow reader: the writer is stalled on output nearly all the time, in every window."""
    slow = chain(2, tokens=500)
    reader = slow.processes[1]
    slow = replace(slow, processes=(slow.processes[0], replace(reader, loops=(replace(reader.loops[0], ii=5),))))
    result = simulate(slow, record=True)
    fine = stretches(slow, result.record, 0, result.cycles).slices(10_000)
    coarse = stretches(slow, result.record, 0, result.cycles).slices(40)
    assert len(fine) > 900
    assert 10 < len(coarse) <= 40
    assert {KINDS[kind] for _, _, kind in coarse} == {"compute", "stall-out"}


def test_in_a_deadlock_everyone_stands_still_to_the_end():
    design = reconvergent(2)
    record = simulate(design, record=True).record
    last = stretches(design, record, 0, 100, waits_to_write=True).slices(100)[-1]
    assert (last[1], KINDS[last[2]]) == (100, "stall-out")


def test_actors_count_as_computing():
    actors = (Actor("x", (ActorPhase(3, {}, {"a": 1}),), 4), Actor("y", (ActorPhase(2, {"a": 1}, {}),), 4, start=5))
    design = graph([Fifo("a", 2, 8)], actors)
    result = simulate(design, record=True)
    done = [stretches(design, result.record, number, result.cycles).slices(9) for number in range(2)]
    assert done == [[(0, result.finish["x"], 0)], [(5, result.finish["y"], 0)]]
