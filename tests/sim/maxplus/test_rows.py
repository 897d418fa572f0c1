"""Rows of loops, traces and memory ports, and how many of them are kept."""

from __future__ import annotations

import numpy as np
import pytest
from sim_graphs import graph, sink, source

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, Trace, simulate
from sttest.sim.maxplus import rows
from sttest.sim.maxplus.rows import RowsByShape, loop_rows, rows_of, turns
from sttest.sim.stages import expand


def times_of(found, repeat=1):
    """The stages of all visits, walked row by row."""
    stages, at = [], 0
    for run in range(repeat):
        for number, segment in enumerate(found.segments):
            for walk in range(int(segment["times"])):
                for row in range(int(segment["first"]), int(segment["last"]) + 1):
                    gap = int(found.gap[row])
                    if row == segment["first"] and walk:
                        gap = int(segment["again"])
                    elif row == segment["first"] and number == 0 and run:
                        gap = found.rerun
                    at += gap
                    stages.append(at)
    return stages


@pytest.mark.parametrize(
    "loop",
    [
        Loop((40, 50), 1, 3, (Event("a", "read", 0, (None, 0)), Event("b", "write", 2))),
        Loop((40, 50), 2, 9, (Event("a", "read", 0, (3, None)), Event("b", "write", 8, ((1, 39, 7), 49)))),
        Loop((6, 40, 5), 1, 300, (Event("a", "read", 0, ((0, 4, 2), (5, 25, 1), None)),)),
        Loop((2000,), 1, 1, (Event("a", "read", 0, ((0, 1999, 2),)),)),
        Loop((300, 300), 1, 2, (Event("a", "read", 0, ((0, 299, 2), (0, 299, 2))),)),
        Loop((2000,), 1, 2),
    ],
    ids=["rows", "chosen", "deep", "every other", "every other of both", "no events"],
)
def test_turns_cover_a_loop_and_rows_are_its_stages(loop):
    found = turns(loop)
    assert sum(turn.length * turn.times for turn in found) >= loop.iterations * loop.ii
    assert [turn.start for turn in found[1:]] == [turn.start + turn.length * turn.times for turn in found[:-1]]
    pipeline, index = Pipeline("p", (loop,), repeat=2), {"a": 0, "b": 1}
    tick, _ = expand(pipeline, index).whole()
    walked = loop_rows(pipeline, index)
    assert times_of(walked, 2) == np.unique(tick).tolist()
    assert walked.visits == np.unique(tick).size


def test_too_many_outer_iterations_are_not_looked_at(monkeypatch):
    """Every other of 512 rows are 256 runs of a row each, more than a lower limit allows."""
    loop = Loop((512, 4), 1, 2, (Event("a", "read", 0, ((0, 511, 2), None)),))
    expected = times_of(loop_rows(Pipeline("p", (loop,)), {"a": 0}))
    monkeypatch.setattr(rows, "_MOST_OUTER", 100)
    assert turns(loop) == [rows.Turn(0, loop.length, 1)]
    assert times_of(loop_rows(Pipeline("p", (loop,)), {"a": 0})) == expected


def test_traces_and_ports_have_rows():
    trace = Trace(np.array([3, 3, 9]), np.array([1, 1, 1], np.int32))
    port = MemoryPort("m", "read", "b", 5, 4, ("c",))
    processes = [Pipeline("t", trace=trace, repeat=2), port, sink("a", 6), sink("b", 5, name="other")]
    design = graph([Fifo("a", 9, 8), Fifo("b", 9, 8)], processes, [Channel("c", 1, 4)])
    assert times_of(rows_of(design.processes[0], design), 2) == [3, 9, 15, 21]
    assert (rows_of(port, design).visits, rows_of(port, design).segments.size) == (5, 0)


@pytest.mark.parametrize("end", [None, 40])
def test_a_trace_without_accesses_takes_its_time(end):
    nothing = Pipeline("t", trace=Trace(np.zeros(0, np.int64), np.zeros(0, np.int32)), end=end, start=5)
    found = simulate(graph([Fifo("a", 2, 8)], [nothing, source("a", 2), sink("a", 2)]))
    assert found.finish["t"] == 5 + (end or 0)
    assert simulate(found.graph, "simpy").finish == found.finish


def test_patterns_that_only_look_alike_are_told_apart(monkeypatch):
    """Digests are of 64 bits; where two are the same by chance, every stage has a pattern of its own."""
    events = (Event("a", "write", 0, (0,)), Event("b", "write", 0, (1,)))
    pipeline = Pipeline("p", (Loop((2,), 1, 1, events),))
    monkeypatch.setattr(rows, "_digests", lambda op, count, first, sizes: np.zeros(sizes.size, np.uint64))
    found = loop_rows(pipeline, {"a": 0, "b": 1})
    assert [found.patterns.op[found.patterns.pointer[each]] for each in found.pattern] == [1, 3]


def test_the_oldest_rows_are_given_up_and_long_ones_not_kept(monkeypatch):
    asked = []
    known = RowsByShape(lambda pipeline, index: asked.append(pipeline.name) or loop_rows(pipeline, index))
    monkeypatch.setattr(rows, "_KEPT", 2)
    monkeypatch.setattr(rows, "_MOST_ROWS", 8)
    index = {"a": 0}
    for name, tokens in (("x", 1), ("y", 2), ("z", 1), ("long", 9), ("again", 9), ("w", 3), ("u", 1), ("v", 2)):
        known.of(source("a", tokens, name=name, ii=tokens), index)
    # z is as x was; long ones are found each time; w made x's give way, then u's y's.
    assert asked == ["x", "y", "long", "again", "w", "u", "v"]
    known.forget()
    known.of(source("a", 2, name="anew", ii=2), index)
    assert asked[-1] == "anew"
