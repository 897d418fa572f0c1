"""Early bursts hold their channel: a graph whose FIFOs let it finish may stop there, and is told so by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import graph, memory_graphs, reconvergent, without_held_channels

from sttest.core.errors import DeadlockError
from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, simulate
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.simpy_engine import run as run_des
from sttest.sim.sizing.finite import NO_DEADLOCK, NO_LOSS, size_by_simulation

TOLD = (
    "g: early bursts (port 'out') hold a channel for data that wait for bursts of other ports there; "
    "give the port channels of its own or leave out its 'early'"
)


def copying(*, early: bool = True, start: int = 0, target: str = "c", tokens: int = 4) -> TimedGraph:
    """Four tokens are read, a burst each, and written back, in one burst."""
    ports = (
        MemoryPort("in", "read", "a", tokens, 4, ("c",), 4, 2),
        MemoryPort("out", "write", "b", tokens, 4, (target,), 16, start=start, early=early),
    )
    copy = Pipeline("p", (Loop((tokens,), 1, 1, (Event("a", "read", 0), Event("b", "write", 0))),))
    fifos = [Fifo(name, 4, 8, "srl") for name in "ab"]
    return graph(fifos, [*ports, copy], [Channel("c", 0, 4), Channel("d", 0, 4)])


@pytest.mark.parametrize("engine", ["simpy", "maxplus"])
def test_a_burst_that_holds_the_channel_of_its_own_data(engine):
    """Reads are taken at 0, 1 and 2.  Token 0 is there at 1, copied at 2, written at 3: then the channel turns to it.

    The fourth read, asked for at 3 as well, waits for the channel, and the burst for token 3.
    """
    with pytest.raises(DeadlockError) as caught:
        simulate(copying(), engine)
    assert (caught.value.code, str(caught.value)) == ("held-channel", TOLD)


@pytest.mark.parametrize("engine", ["simpy", "maxplus"])
@pytest.mark.parametrize(
    ("options", "starts", "cycles"),
    [
        ({"early": False}, [0, 1, 2, 3], 7),
        ({"target": "d"}, [0, 1, 2, 3], 7),
        ({"start": 4}, [0, 1, 2, 3], 8),
        ({"tokens": 3}, [0, 1, 2], 6),
    ],
)
def test_what_helps(engine, options, starts, cycles):
    """Token i is copied at i + 2 and taken at i + 3.

    A burst asked for with its last byte, at 6, is answered at 7, as is one that has held another channel since 3.  One
    from cycle 4 on finds all reads taken, holds until 8, and is answered then.  Three reads are taken before token 0
    comes.
    """
    result = simulate(copying(**options), engine, record=True)
    assert result.record is not None
    assert result.record.bursts["in"][:, 1].tolist() == starts
    assert result.cycles == cycles


def test_what_a_fix_of_fifos_does_not_help():
    """Beside it a graph that lacks a place for 16 tokens: with that it stops at the channel."""
    other, own = reconvergent(3), copying()
    both = replace(own, fifos=(*own.fifos, *other.fifos), processes=(*own.processes, *other.processes))
    with pytest.raises(DeadlockError) as caught:
        simulate(both)
    assert caught.value.code == "held-channel"
    freed = without_held_channels(both)
    assert simulate(freed).deadlock is not None
    assert simulate(freed).deadlock.fix == simulate(other).deadlock.fix


@pytest.mark.parametrize("target", [NO_LOSS, NO_DEADLOCK])
def test_no_depths_are_enough(target):
    with pytest.raises(DeadlockError) as caught:
        size_by_simulation(copying(), target)
    assert caught.value.code == "held-channel"


@settings(max_examples=200, deadline=None)
@given(memory_graphs(held=True), st.booleans())
def test_engines_stop_at_the_same_place(design, unbounded):
    """Times, bursts and how far each port came are those of the oracle, whether or not a channel is held for ever."""
    expected = run_des(design, unbounded=unbounded)
    for found in (run(design, unbounded=unbounded), run_by_events(design, unbounded=unbounded)):
        assert (found.finish, found.visits) == (expected.finish, expected.visits)
        for one, other in zip((*found.writes, *found.reads), (*expected.writes, *expected.reads), strict=True):
            np.testing.assert_array_equal(one, other)
        for name, bursts in expected.bursts.items():
            np.testing.assert_array_equal(found.bursts[name], bursts)
    if None in expected.finish:
        with pytest.raises(DeadlockError):
            simulate(design, unbounded=unbounded)


@settings(max_examples=40, deadline=None)
@given(memory_graphs(held=True), st.sampled_from([NO_LOSS, NO_DEADLOCK]))
def test_depths_that_are_found_do_end(design, target):
    try:
        found = size_by_simulation(design, target)
    except DeadlockError as error:
        code, ends = error.code, simulate(without_held_channels(design), unbounded=True).cycles
    else:
        code, ends = "held-channel", simulate(design, depths=found.depths).cycles == found.cycles
    assert (code, bool(ends)) == ("held-channel", True)
