"""A jump shorter than what a port has in flight: bursts that wait for their turn before it are needed after it."""

from itertools import permutations

import pytest
from test_periodic import unwritten_times_are_far

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.periodic import PeriodSearchLimits


def shared() -> TimedGraph:
    """A read port and a write port that take turns on a channel, whose bursts wait there, and a source that pauses."""
    ports = (
        MemoryPort("m0", "read", "f0", 480, 4, ("c",), 4, 4),
        MemoryPort("m1", "write", "f1", 480, 4, ("c",), 4, 8),
    )
    return _turns(ports, (Channel("c", 27, 4, 1, 4),))


def shared_by_lanes() -> TimedGraph:
    """The same on two channels, which both ports take in turn: then a port asks late, as its own bursts wait there."""
    lanes = ("c0", "c1")
    ports = (
        MemoryPort("m0", "read", "f0", 480, 4, lanes, 4, 12, ids="many"),
        MemoryPort("m1", "write", "f1", 480, 4, lanes, 4, 8, ids="many"),
    )
    return _turns(ports, (Channel("c0", 10, 4, 1, 3), Channel("c1", 18, 4, 1, 3)))


def _turns(ports: tuple[MemoryPort, ...], channels: tuple[Channel, ...]) -> TimedGraph:
    """Both ports with their pipelines; that of the writer slows down near its end."""
    write = (Event("f1", "write", 0),)
    pipelines = (
        Pipeline("p0", (Loop((480,), 1, 1, (Event("f0", "read", 0),), 0),)),
        Pipeline("p1", (Loop((460,), 1, 1, write, 0), Loop((20,), 4, 1, write, 0))),
    )
    fifos = (Fifo("f0", 1, 8, "srl"), Fifo("f1", 1, 8, "srl"))
    return TimedGraph("shared", 300.0, fifos, (*ports, *pipelines), channels)


@pytest.mark.parametrize("first_cycles", [8, 16, 32])
def test_bursts_that_wait_at_a_jump_are_started_within_it(first_cycles):
    """A port whose waiting bursts were never started would not finish.

    The channel takes a read at 8k and a write at 8k + 4.  Four reads may be on the way, and the place of one is free
    27 + 4 + 1 = 32 cycles after it, as the turn of the fourth after it comes.  The place of a write is free 28 + 1
    after it: token i is taken at 8 (i - 8) + 4 + 29, and its burst waits for 35 cycles until 8i + 4.  Its successor is
    written in the cycle after that.
    """
    found = run(shared(), record=False, patience=PeriodSearchLimits(first_cycles, 1))
    read, written = 8 * 479 + 27 + 4, 8 * 479 + 4 + 28
    assert found.finish == [read + 1, written, read + 2, 8 * (478 - 8) + 4 + 29 + 2]


@pytest.mark.parametrize("first_cycles", [8, 16, 32, 64])
def test_what_a_port_looks_back_at_after_a_jump_is_told(first_cycles):
    """A port that asks late for a burst looks for when its place was free: long ago, where that was jumped over.

    Each channel takes 240 reads and 240 writes in turn, 3 cycles each: c0 from 0 on, c1 from 1 on.  Its last read is
    taken at 1 + 239 * 6, its beat comes 18 + 3 later, and is read a cycle after that; its last write is taken 3 cycles
    after that read, and answered 18 + 1 later.  The source writes 460 tokens, then one each 4 cycles, and waits for
    nobody.
    """
    with unwritten_times_are_far():
        found = run(shared_by_lanes(), unbounded=True, record=False, patience=PeriodSearchLimits(first_cycles, 1))
    read, written = 1 + 239 * 6 + 18 + 3, 1 + 239 * 6 + 3 + 18 + 1
    assert found.finish == [read + 1, written, read + 2, 460 + 19 * 4 + 1]


def disturbed(order: tuple[int, ...]) -> TimedGraph:
    """A port with some 75 cycles to spare per burst, until two others start on its channel, whose turns take 96.

    Two pipelines beside the ports drift apart, so that the net jumps by parts.
    """
    ports = [
        MemoryPort("short", "read", "a", 130, 4, ("x",), 4, 2),
        MemoryPort("long", "read", "b", 640, 4, ("x",), 256, 2, 4000),
        MemoryPort("other", "read", "c", 640, 4, ("x",), 128, 2, 4100),
    ]
    pipelines = (
        Pipeline("p", (Loop((130,), 80, 1, (Event("a", "read", 0),)),)),
        Pipeline("q", (Loop((640,), 1, 1, (Event("b", "read", 0),)),)),
        Pipeline("r", (Loop((640,), 1, 1, (Event("c", "read", 0),)),)),
        Pipeline("s", (Loop((700,), 13, 1, (Event("d", "write", 0),)),)),
        Pipeline("t", (Loop((700,), 14, 1, (Event("d", "read", 0),)),)),
    )
    fifos = tuple(Fifo(name, depth, 8, "srl") for name, depth in (("a", 1), ("b", 2), ("c", 2), ("d", 900)))
    return TimedGraph("disturbed", 300.0, fifos, (*(ports[i] for i in order), *pipelines), (Channel("x", 4, 4, 1, 1),))


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("first_cycles", [64, 200])
def test_turns_of_ports_that_still_sleep_are_allowed_for(order, first_cycles):
    """A jump of the short port alone must not pass over the turns that any of the others will have in between."""
    graph = disturbed(order)
    found, expected = run(graph, patience=PeriodSearchLimits(first_cycles, 1)), run_by_events(graph)
    assert (found.finish, found.stalls) == (expected.finish, expected.stalls)
    assert found.stalls[order.index(0)].memory_cycles > 5
