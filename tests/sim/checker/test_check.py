"""The checker accepts what engines say, and rejects every change of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sim_graphs import STREAMHLS, actor_graphs, graph, memory_graphs, pipeline_graphs, reconvergent, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Fifo, load, simulate
from sttest.sim.checker import check, check_deadlock, check_schedule

LAWS = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
DESIGNS = ("220_dsps_opt5_atax", "2560_dsps_opt5_gemm", "synthetic_opt5_k7mmtree_balanced")


@LAWS
@given(st.one_of(pipeline_graphs(), memory_graphs(), actor_graphs()), st.booleans())
def test_what_engines_say_is_accepted(design, unbounded):
    result = simulate(design, record=True, unbounded=unbounded)
    assert check(result, unbounded=unbounded) == []


@pytest.mark.parametrize("depth", [None, 2])
@pytest.mark.parametrize("design", DESIGNS)
def test_real_designs_are_accepted(design, depth):
    timed_graph = load(STREAMHLS / f"{design}.json")
    timed_graph = timed_graph if depth is None else timed_graph.with_all_depths(depth)
    assert check(simulate(timed_graph, record=True)) == []


@LAWS
@given(pipeline_graphs(unbalanced=False), st.data())
def test_a_schedule_with_one_time_changed_is_rejected(design, data):
    result = simulate(design, record=True)
    assume(result.record is not None and result.deadlock is None)
    side = data.draw(st.sampled_from(["writes", "reads"]))
    times = [array.copy() for array in getattr(result.record, side)]
    changed = times[data.draw(st.sampled_from([i for i, array in enumerate(times) if array.size]))]
    changed[data.draw(st.integers(0, changed.size - 1))] += data.draw(st.sampled_from([-1, 1]))
    assert check_schedule(design, replace(result.record, **{side: times})) != []


@LAWS
@given(pipeline_graphs(unbalanced=False), st.data())
def test_a_pipeline_that_idles_for_a_cycle_is_rejected(design, data):
    """All laws hold where everything from some cycle on is one later, but it could have been earlier."""
    result = simulate(design, record=True)
    assume(result.deadlock is None)
    record = result.record
    cut = data.draw(st.integers(0, result.cycles))
    late = [[times + (times >= cut) for times in side] for side in (record.writes, record.reads)]
    finish = [cycle + any((times >= cut).any() for times in record.writes) for cycle in record.finish]
    changed = replace(record, writes=late[0], reads=late[1], finish=finish)
    moved = any((times >= cut).any() for times in record.writes + record.reads)
    assert (check_schedule(design, changed) != []) == (moved or finish != record.finish)


@LAWS
@given(pipeline_graphs(), st.data())
def test_a_finish_moved_by_one_is_rejected(design, data):
    result = simulate(design, record=True)
    assume(result.deadlock is None)
    finish = list(result.record.finish)
    finish[data.draw(st.integers(0, len(finish) - 1))] += data.draw(st.sampled_from([-1, 1]))
    assert check_schedule(design, replace(result.record, finish=finish)) != []
    assert check(replace(result, cycles=result.cycles + 1)) != []


def test_tokens_left_out_are_rejected():
    design = graph([Fifo("a", 2, 8)], [source("a", 4), sink("a", 4)])
    record = simulate(design, record=True).record
    assert check_schedule(design, replace(record, reads=[record.reads[0][:-1]])) != []
    assert check_schedule(design, replace(record, writes=[record.writes[0][:-1]])) != []
    assert check_schedule(design, replace(record, reads=[np.append(record.reads[0], 99)])) != []


WAIT_CHANGES = {
    "token": lambda wait, by: replace(wait, token=wait.token + by),
    "depth": lambda wait, by: replace(wait, depth=wait.depth + by),
    "occupancy": lambda wait, by: replace(wait, occupancy=wait.occupancy + by),
    "side": lambda wait, by: replace(wait, waits_to="read" if wait.waits_to == "write" else "write"),
    "fifo": lambda wait, by: replace(wait, fifo=f"{wait.fifo}x"),
    "process": lambda wait, by: replace(wait, process=f"{wait.process}x"),
    "peer": lambda wait, by: replace(wait, peer=f"{wait.peer}x"),
}


@pytest.mark.parametrize("what", WAIT_CHANGES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(pipeline_graphs(), actor_graphs()), st.data())
def test_a_wait_that_is_not_so_is_rejected(what, design, data):
    deadlock = _deadlock(design)
    at = data.draw(st.integers(0, len(deadlock.cycle) - 1))
    wait = WAIT_CHANGES[what](deadlock.cycle[at], data.draw(st.sampled_from([-1, 1])))
    changed = replace(deadlock, cycle=(*deadlock.cycle[:at], wait, *deadlock.cycle[at + 1 :]))
    assert check_deadlock(design, changed) != []


@LAWS
@given(pipeline_graphs(), st.data())
def test_another_state_is_rejected(design, data):
    deadlock = _deadlock(design)
    name = data.draw(st.sampled_from(sorted(deadlock.stands_at)))
    stage = deadlock.stands_at[name]
    other = data.draw(st.sampled_from([0, None] if stage is None else [stage - 1, stage + 1, None]))
    assume(other != stage)
    assert check_deadlock(design, replace(deadlock, stands_at=deadlock.stands_at | {name: other})) != []
    rest = {key: value for key, value in deadlock.stands_at.items() if key != name}
    assert check_deadlock(design, replace(deadlock, stands_at=rest)) != []


@LAWS
@given(pipeline_graphs(), st.data())
def test_a_cycle_without_a_member_or_in_another_order_is_rejected(design, data):
    deadlock = _deadlock(design)
    at = data.draw(st.integers(0, len(deadlock.cycle) - 1))
    dropped = replace(deadlock, cycle=deadlock.cycle[:at] + deadlock.cycle[at + 1 :])
    if deadlock.is_closed or at > 0:
        assert check_deadlock(design, dropped) != []
    shuffled = tuple(data.draw(st.permutations(deadlock.cycle)))
    turns = [deadlock.cycle[i:] + deadlock.cycle[:i] for i in range(len(deadlock.cycle))]
    is_same = shuffled in (turns if deadlock.is_closed else turns[:1])
    assert (check_deadlock(design, replace(deadlock, cycle=shuffled)) == []) == is_same
    assert check_deadlock(design, replace(deadlock, is_closed=not deadlock.is_closed)) != []


@LAWS
@given(pipeline_graphs(), st.sampled_from([-1, 1]), st.data())
def test_another_fix_is_rejected(design, by, data):
    """Fixes are as small as they go, so one token less is too little and one more too much."""
    deadlock = _deadlock(design)
    if not deadlock.fix:
        assert check_deadlock(design, replace(deadlock, fix={design.fifos[0].name: 1 << 20})) != []
        return
    name = data.draw(st.sampled_from(sorted(deadlock.fix)))
    assert check_deadlock(design, replace(deadlock, fix=deadlock.fix | {name: deadlock.fix[name] + by})) != []
    assert check_deadlock(design, replace(deadlock, fix={})) != []


@LAWS
@given(pipeline_graphs())
def test_a_certificate_for_a_graph_that_finishes_is_rejected(design):
    deadlock = _deadlock(design)
    assume(deadlock.fix)
    live = design.with_depths(deadlock.fix)
    assert check_deadlock(live, deadlock) != []
    finished = dict.fromkeys(deadlock.stands_at)
    assert check_deadlock(live, replace(deadlock, stands_at=finished)) == ["every process finishes"]


def _deadlock(design):
    deadlock = simulate(design).deadlock
    assume(deadlock is not None)
    return deadlock


def test_what_cannot_be_checked_is_refused():
    with pytest.raises(InputError, match="record=True"):
        check(simulate(reconvergent(20)))
    ring = [Actor("x", (ActorPhase(1, {"a": 1}, {"a": 1}),))]
    with pytest.raises(InputError, match="fire for ever"):
        check(simulate(graph([Fifo("a", 1, 8, initial_tokens=1)], ring)))
