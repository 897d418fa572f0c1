"""Graphs of the same processes share programs, whatever kinds and depths their FIFOs have."""

from __future__ import annotations

from dataclasses import replace

from sttest.sim.graph import Event, Fifo, Loop, Pipeline, TimedGraph
from sttest.sim.maxplus.engine import run
from sttest.sim.maxplus.programs import find_programs, forget_programs


def test_kinds_are_those_of_the_graph_that_runs() -> None:
    first = Pipeline("first", (Loop((8,), 1, 2, (Event("a", "write", 1),)),))
    second = Pipeline("second", (Loop((8,), 1, 2, (Event("a", "read", 0),)),))
    graphs = [TimedGraph("g", 300, (Fifo("a", 64, 8, kind),), (first, second)) for kind in ("srl", "ram")]
    graphs = [graphs[0], replace(graphs[1], processes=graphs[0].processes)]
    forget_programs()
    shared = [run(graph).finish for graph in graphs]
    assert find_programs(graphs[0]).gap is find_programs(graphs[1]).gap
    alone = []
    for graph in graphs:
        forget_programs()
        alone.append(run(graph).finish)
    assert shared == alone
    assert shared[0] != shared[1]
