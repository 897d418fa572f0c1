"""A jump shorter than what a port has in flight: bursts that wait for their turn before it are needed after it."""

import pytest

from sttest.sim import Channel, Event, Fifo, Loop, Memory, Pipeline, TimedGraph
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.periodic import Patience


def shared() -> TimedGraph:
    """A read port and a write port that take turns on channel c1; the writer's source slows down half-way."""
    ports = (
        Memory("m0", "read", "f0", 480, 4, ("c1", "c1"), 4, 2),
        Memory("m1", "write", "f1", 480, 4, ("c0", "c1", "c1"), 4, 3),
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
    found = run(shared(), unbounded=True, record=False, patience=Patience(first_cycles, 1))
    assert found.finish == events.finish == [2857, 1939, 2858, 958]
