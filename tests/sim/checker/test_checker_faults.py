"""Each law that a schedule or a certificate breaks is named, with the first place where it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_graphs import graph, reconvergent, sink, source

from sttest.core.errors import EnginesDisagreeError
from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, simulate
from sttest.sim.checker import check_deadlock, check_schedule, require_correct

DESIGN = graph([Fifo("a", 2, 8, "srl")], [source("a", 4), sink("a", 4)])
"""Written in cycles 0 to 3, read in 1 to 4."""


def faults_of(design, *, finish=None, **sides):
    record = simulate(design, record=True).record
    times = {name: [np.array(each, np.int64) for each in side] for name, side in sides.items()}
    return check_schedule(design, replace(record, **times, finish=finish or record.finish))


@pytest.mark.parametrize(
    ("sides", "fault"),
    [
        ({"writes": [[0, 2, 1, 3]]}, "FIFO a: times fall"),
        ({"reads": [[1, 3, 2, 4]]}, "FIFO a: times fall"),
        ({"writes": [[0, 1, 2]]}, "FIFO a: 4 reads of 3 tokens"),
        ({"reads": [[1, 1, 3, 4]]}, "FIFO a: token 1 is read in cycle 1, written in 1"),
        ({"reads": [[1]]}, "FIFO a: 4 tokens in, 1 out, depth 2"),
        ({"reads": [[2, 3, 4, 5]]}, "FIFO a: token 2 is written before token 0 has left, depth 2"),
        ({"reads": [[1, 2, 3]]}, "dst: 3 accesses of a, not 4"),
        ({"reads": [[1, 2, 3, 5]]}, "dst: stage 3 is in cycle 5, due in 4"),
        ({"finish": [4, 9]}, "dst: finishes in cycle 9, due in 5"),
    ],
)
def test_schedules(sides, fault):
    assert faults_of(DESIGN) == []
    assert fault in faults_of(DESIGN, **sides)


def test_what_one_stage_reads_comes_in_one_cycle():
    events = (Event("a", "read", 0), Event("b", "read", 0))
    both = Pipeline("both", (Loop((4,), 1, 1, events),))
    fifos = [Fifo(name, 8, 8, "srl") for name in "ab"]
    design = graph(fifos, [source("a", 4), source("b", 4, name="other"), both])
    faults = faults_of(design, reads=[[1, 2, 3, 4], [1, 2, 3, 5]])
    assert faults[0] == "both: accesses of one stage in several cycles"


def test_ports_move_all_tokens_one_a_cycle_from_their_start_on():
    port = MemoryPort("m", "write", "a", 4, 4, ("c",), 16, 4, start=2)
    design = graph([Fifo("a", 8, 32, "srl")], [source("a", 4), port], [Channel("c", 5, 16)])
    assert faults_of(design) == []
    wrong = "m: tokens before its start, or two in one cycle"
    assert faults_of(design, reads=[[1, 3, 4, 5]]) == [wrong]
    assert faults_of(design, reads=[[3, 4, 4, 5]]) == [wrong]
    assert faults_of(design, reads=[[3, 4, 5]]) == ["m: 3 tokens of 4"]
    assert faults_of(design, reads=[[]]) == ["m: 0 tokens of 4"]


def test_ports_pass_no_token_in_a_gap():
    """Two tokens a burst: at 1 and 2, 6 and 7, 11 and 12, with 3 cycles of nothing behind each second one."""
    port = MemoryPort("m", "write", "a", 6, 4, ("c",), 8, 4, gap=3)
    design = graph([Fifo("a", 8, 32, "srl")], [source("a", 6), port], [Channel("c", 5, 16)])
    assert faults_of(design) == []
    assert faults_of(design, reads=[[1, 3, 7, 9, 13, 14]]) == []
    told = "m: token {} is in cycle {}, in the gap of 3 behind a burst"
    assert faults_of(design, reads=[[1, 2, 5, 7, 11, 12]]) == [told.format(2, 5)]
    assert faults_of(design, reads=[[1, 2, 6, 7, 10, 11]]) == [told.format(4, 10)]


def test_tokens_of_several_bursts_wait_for_the_gaps_of_all():
    """A token of three bursts of 8 bytes: at 1, and 1 + 3 * 2 cycles later."""
    port = MemoryPort("m", "write", "a", 2, 24, ("c", "d"), 8, 6, gap=2)
    design = graph([Fifo("a", 8, 192, "srl")], [source("a", 2), port], [Channel(name, 5, 16) for name in "cd"])
    assert faults_of(design) == []
    assert faults_of(design, reads=[[1, 8]]) == []
    assert faults_of(design, reads=[[1, 7]]) == ["m: token 1 is in cycle 7, in the gap of 6 behind a burst"]


def test_a_result_with_a_fault_is_an_error_that_names_the_engine():
    result = simulate(DESIGN, record=True)
    require_correct(result)
    with pytest.raises(EnginesDisagreeError) as caught:
        require_correct(replace(result, cycles=7))
    assert caught.value.code == "check-failed"
    assert str(caught.value) == (
        "g by maxplus: 1 faults in what the engine says, the first: g: cycles is 7, the latest finish is 5; "
        "report it with the graph or try the other --engine"
    )


DEAD = reconvergent(3)


def certificate(**changes):
    return check_deadlock(DEAD, replace(simulate(DEAD).deadlock, **changes))


def test_certificates():
    """19 places do: b reads all 20 tokens before it writes one, so that one token has not come to ``ac`` yet."""
    deadlock = simulate(DEAD).deadlock
    first, last = deadlock.cycle[0], deadlock.cycle[-1]
    assert certificate() == []
    assert certificate(cycle=()) == ["nobody is said to wait"]
    assert "a process stands twice in the cycle" in certificate(cycle=(*deadlock.cycle, first))
    assert certificate(fix={}) == ["deeper FIFOs would help, but no fix is given"]
    assert certificate(fix={"ac": 3}) == certificate(fix={"x": 99}) == ["a fix must deepen FIFOs of the graph"]
    less, more = deadlock.fix["ac"] - 1, deadlock.fix["ac"] + 1
    assert certificate(fix={"ac": less}) == ["it does not finish with the fix"]
    assert certificate(fix={"ac": more}) == [f"ac need not be {more} deep"]
    assert certificate(fix={"ac": more}, is_minimal=False) == []
    assert f"the chain ends at {last.peer}, which has not finished" in certificate(is_closed=False)
    turned = replace(first, waits_to="read" if first.waits_to == "write" else "write")
    assert certificate(cycle=(turned, *deadlock.cycle[1:])) == [
        f"{first.process} never {turned.waits_to}s {first.fifo}"
    ]


def test_a_wait_for_what_there_is_is_none():
    """``b`` stands where it lacks a token of ``ab``; that it could not write is another story."""
    deadlock = simulate(DEAD).deadlock
    (wait,) = [each for each in deadlock.cycle if each.process == "b"]
    told = replace(wait, fifo="bc", waits_to="write")
    found = certificate(cycle=tuple(told if each is wait else each for each in deadlock.cycle))
    assert "b does not wait to write bc at the stage at which it stands" in found


def test_actors_are_checked_by_their_firings():
    """Two firings of y take two tokens each, and x, which writes one a firing, waits for the fourth back."""
    actors = [Actor("x", (ActorPhase(1, {"a": 2}, {"b": 1}),), 4), Actor("y", (ActorPhase(1, {"b": 2}, {"a": 4}),), 2)]
    design = graph([Fifo("a", 4, 8, initial_tokens=2), Fifo("b", 4, 8)], actors)
    deadlock = simulate(design).deadlock
    assert check_deadlock(design, deadlock) == []
    first = deadlock.cycle[0]
    lies = {"fifo": "c", "waits_to": "see"}
    for what, value in lies.items():
        told = replace(first, **{what: value})
        (fault, *_) = check_deadlock(design, replace(deadlock, cycle=(told, *deadlock.cycle[1:])))
        assert fault == f"{told.process} waits to {told.waits_to} on {told.fifo}, which is not there"
    assert check_deadlock(design, replace(deadlock, fix={"b": 99})) == ["it does not finish with the fix"]
