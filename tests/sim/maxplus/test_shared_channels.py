"""A jump shorter than what a port has in flight: bursts that wait for their turn before it are needed after it."""

from itertools import permutations

import pytest

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.periodic import PeriodSearchLimits


def shared() -> TimedGraph:
    """A read port and a write port that take turns on channel c1; the writer's source slows down half-way."""
    ports = (
        MemoryPort("m0", "read", "f0", 480, 4, ("c1", "c1"), 4, 2),
        MemoryPort("m1", "write", "f1", 480, 4, ("c0", "c1", "c1"), 4, 3),
    )
    write = (Event("f1", "write", 0),)
    pipelines = (
        Pipeline("p0", (Loop((480,), 1, 1, (Event("f0", "read", 0),), 0),)),
        Pipeline("p1", (Loop((240,), 1, 1, write, 0), Loop((240,), 3, 1, write, 0))),
    )
    channels = (Channel("c0", 12, 4, 1, 3), Channel("c1", 19, 4, 1, 3))
    return TimedGraph(
        "shared", 300.0, (Fifo("f0", 1, 8, "srl"), Fifo("f1", 1, 8, "srl")), (*ports, *pipelines), channels
    )


@pytest.mark.parametrize("first_cycles", [8, 16, 32, 64])
def test_bursts_that_wait_at_a_jump_are_started_within_it(first_cycles):
    """2857 cycles, set by the turns on c1; a port whose waiting bursts were never started would not finish."""
    events = run_by_events(shared(), unbounded=True)
    found = run(shared(), unbounded=True, record=False, patience=PeriodSearchLimits(first_cycles, 1))
    assert found.finish == events.finish == [2857, 1939, 2858, 958]


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
