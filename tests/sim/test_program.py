"""Programs spelled out, against loops written in Python."""

import numpy as np
from hypothesis import given, settings
from sim_graphs import pipeline_graphs
from stepper import stages_of

from sttest.sim import Event, Loop, Pipeline, Trace
from sttest.sim.stages import expand, group

INDEX = {"a": 0, "b": 1}


@settings(max_examples=100, deadline=None)
@given(pipeline_graphs())
def test_programs_are_those_of_nested_loops(design):
    for pipeline in design.processes:
        program = expand(pipeline, design.fifo_index)
        tick, op = program.whole()
        stages, end = stages_of(pipeline)
        expected = [(s, 2 * design.fifo_index[f] + (o == "write")) for s, made in stages.items() for f, o in made]
        assert sorted(zip(tick.tolist(), op.tolist(), strict=True)) == sorted(expected)
        assert program.last_stage == end
        assert (np.diff(tick) >= 0).all()
        assert (tick.dtype, op.dtype) == (np.int64, np.int32)


def test_iterations_in_flight_interleave():
    """II 2, latency 4: the write of iteration 0 falls between the reads of iterations 1 and 2."""
    loop = Loop((3,), 2, 4, (Event("a", "read", 0), Event("b", "write", 3)))
    program = expand(Pipeline("p", (loop,)), INDEX)
    assert program.tick.tolist() == [0, 2, 3, 4, 5, 7]
    assert program.op.tolist() == [0, 0, 3, 0, 3, 3]
    assert program.end == 8


def test_when_picks_iterations():
    """Dims 4 x 8: the first of every inner loop; every third of the row with index 2, from 1 to 7."""
    events = (Event("a", "read", 0, (None, 0)), Event("b", "write", 1, (2, (1, 7, 3)), tokens=2))
    program = expand(Pipeline("p", (Loop((4, 8), 1, 2, events),)), INDEX)
    assert program.tick[program.op == 0].tolist() == [0, 8, 16, 24]
    assert program.tick[program.op == 3].tolist() == [18, 18, 21, 21, 24, 24]


def test_the_next_loop_is_entered_after_the_gap():
    loops = (Loop((2,), 3, 5, (Event("a", "read", 1),), entry_gap=7), Loop((1,), 1, 1, (Event("b", "write", 0),)))
    program = expand(Pipeline("p", loops), INDEX)
    assert program.tick.tolist() == [1, 4, 8 + 7]
    assert (program.end, program.period) == (16, 18)


def test_a_trace_ends_one_after_its_last_access_unless_it_says_otherwise():
    trace = Trace(np.array([3, 3, 9]), np.array([0, 3, 0], np.int32))
    assert expand(Pipeline("p", trace=trace), INDEX).end == 10
    assert expand(Pipeline("p", trace=trace, end=30), INDEX).end == 30


def test_a_loop_without_dims_is_one_iteration():
    program = expand(Pipeline("p", (Loop((), 1, 3, (Event("a", "read", 2),)),)), INDEX)
    assert (program.tick.tolist(), program.end) == ([2], 3)


def test_grouping_gathers_a_stage():
    trace = Trace(np.array([1, 1, 1, 4], np.int64), np.array([3, 0, 3, 0], np.int32))
    table = group(expand(Pipeline("p", trace=trace, repeat=2), INDEX))
    assert table.tick.tolist() == [1, 4]
    assert table.accesses(0) == table.accesses(2) == [(0, 1), (3, 2)]
    assert (table.visits, table.runs) == (4, 2)
