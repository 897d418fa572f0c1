"""Two pipelines whose rows take different times, with a FIFO between them that never holds either back."""

import pytest

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.sim.maxplus.arrays import build
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.periodic import PeriodSearchLimits, run_periodic
from sttest.sim.maxplus.programs import find_programs

ROWS = 400
EAGER = PeriodSearchLimits(first_cycles=64, least_visits=1)


def drifting() -> TimedGraph:
    """Rows of 9 and of 10 cycles: 400 rows share no period, and the slower one always finds its token."""
    first = Loop((8,), 1, 1, (Event("a", "write", 0, (0,)),), 2)
    second = Loop((9,), 1, 1, (Event("a", "read", 0, (0,)),), 2)
    fifos = (Fifo("a", 100, 8, "srl"),)
    return TimedGraph(
        "drift", 300.0, fifos, (Pipeline("p", (first,), repeat=ROWS), Pipeline("q", (second,), start=50, repeat=ROWS))
    )


def test_each_jumps_over_its_own_periods():
    graph = drifting()
    splices = run_periodic(build(graph, find_programs(graph), unbounded=False), EAGER)
    assert any(splice.port_periods == 0 for splice in splices)
    found, expected = run(graph, patience=EAGER), run_by_events(graph)
    assert (found.finish, found.peaks, found.stalls) == (expected.finish, expected.peaks, expected.stalls)
    assert (found.writes[0] == expected.writes[0]).all()
    assert (found.reads[0] == expected.reads[0]).all()


def closing_in() -> TimedGraph:
    """``q`` waits for ``z`` in every row of 9 cycles; tokens of ``p``, which takes 10, come closer by one each time.

    In one row both come at once: the wait then is for the token, the first of the two accesses.
    """
    p = Loop((9,), 1, 1, (Event("a", "write", 0, (0,)),), 2)
    q = Loop((1,), 1, 1, (Event("a", "read", 0), Event("b", "write", 0)), 1)
    z = Loop((8,), 1, 1, (Event("b", "read", 0, (0,)),), 2)
    fifos = (Fifo("a", 500, 8, "srl"), Fifo("b", 1, 8, "srl"))
    pipelines = (
        Pipeline("p", (p,), repeat=ROWS),
        Pipeline("q", (q,), start=300, repeat=ROWS),
        Pipeline("z", (z,), start=300, repeat=ROWS),
    )
    return TimedGraph("closing", 300.0, fifos, pipelines)


def test_a_token_that_comes_just_in_time_ends_a_jump():
    graph = closing_in()
    found, expected = run(graph, patience=EAGER), run_by_events(graph)
    assert found.stalls == expected.stalls
    assert found.stalls[1].output_cycles > 0
    assert found.stalls[1].input_cycles > 0
    programs = find_programs(graph)
    splices = run_periodic(build(graph, programs, unbounded=False), EAGER, lambda: programs.levels)
    assert any(splice.port_periods == 0 for splice in splices)


def gapped() -> TimedGraph:
    """A port that writes a token per burst, with a gap behind each, to its end long before another one has read all."""
    ports = (
        MemoryPort("in", "read", "a", 120, 4, ("c",), 4, 2),
        MemoryPort("out", "write", "b", 120, 4, ("d",), 4, 9, gap=4),
    )
    reads, writes = (Event("a", "read", 0),), (Event("b", "write", 0),)
    pipelines = (
        Pipeline("p", (Loop((60,), 1, 1, reads, 0), Loop((60,), 12, 1, reads, 0))),
        Pipeline("q", (Loop((120,), 1, 1, writes, 0),)),
    )
    fifos = (Fifo("a", 1, 8, "ram"), Fifo("b", 1, 8, "ram"))
    return TimedGraph("gapped", 300.0, fifos, (*ports, *pipelines), (Channel("c", 0, 4), Channel("d", 0, 4)))


@pytest.mark.parametrize("first_cycles", [16, 32, 64])
def test_a_jump_to_the_last_token_leaves_out_its_gap(first_cycles):
    """A token each 5 cycles from 2 on: the last in cycle 597, its answer in 598, for which nobody waits."""
    graph = gapped()
    found, expected = run(graph, patience=PeriodSearchLimits(first_cycles, 1)), run_by_events(graph)
    assert (found.finish, found.stalls) == (expected.finish, expected.stalls)
    assert (found.finish[1], found.stalls[1].memory_cycles) == (2 + 119 * 5 + 1, 0)
