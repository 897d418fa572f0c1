"""Depths for several graphs at once, held against what each graph needs and against every shallower choice."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from sim_graphs import pipeline_graphs

from sttest.core.errors import DeadlockError, InputError
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, simulate
from sttest.sim.sizing import size_by_simulation
from sttest.sim.sizing.several import size_for_all


def of_stages(first: int, second: int) -> TimedGraph:
    """a writes x and y, in stages that are given; b reads x and y together: the earlier one waits for the other."""

    def loop(*events: Event) -> Loop:
        return Loop((20,), 1, 12, events)

    a = Pipeline("a", (loop(Event("x", "write", first), Event("y", "write", second)),))
    b = Pipeline("b", (loop(Event("x", "read", 0), Event("y", "read", 0)),))
    return TimedGraph("g", 300.0, (Fifo("x", 2, 32), Fifo("y", 2, 8)), (a, b))


GRAPHS = {"x first": of_stages(0, 8), "y first": of_stages(8, 0)}


def test_each_graph_is_as_fast_as_alone_and_no_depth_can_be_one_less():
    found = size_for_all(GRAPHS, size_by_simulation)
    alone = {name: size_by_simulation(graph) for name, graph in GRAPHS.items()}
    assert found.cycles == {name: each.cycles for name, each in alone.items()}
    for name, graph in GRAPHS.items():
        assert simulate(graph.with_depths(found.depths), "simpy").cycles == alone[name].cycles
    assert found.depths["x"] == alone["x first"].depths["x"] > alone["y first"].depths["x"]
    assert found.depths["y"] == alone["y first"].depths["y"] > alone["x first"].depths["y"]
    for fifo, depth in found.depths.items():
        less = found.depths | {fifo: depth - 1}
        runs = {name: simulate(graph.with_depths(less)).cycles for name, graph in GRAPHS.items()}
        assert any(cycles is None or cycles > found.cycles[name] for name, cycles in runs.items())
    assert found.total_bits == 32 * found.depths["x"] + 8 * found.depths["y"]
    assert found.to_json()["graphs"]["x first"]["alone_tokens"] == alone["x first"].total_tokens


@given(graph=pipeline_graphs())
def test_of_one_graph_it_is_no_deeper_than_its_own_sizing(graph):
    try:
        alone = size_by_simulation(graph)
    except DeadlockError:
        assume(False)
        raise
    found = size_for_all({"a": graph, "b": replace(graph, name="b")}, size_by_simulation)
    assert found.cycles["a"] == found.cycles["b"] == alone.cycles
    assert all(found.depths[name] <= depth for name, depth in alone.depths.items())


def test_one_that_deadlocks_at_any_depth_is_named_and_the_others_are_sized():
    good = GRAPHS["x first"]
    b = Pipeline("b", (Loop((21,), 1, 12, (Event("x", "read", 0), Event("y", "read", 0))),))
    found = size_for_all({"good": good, "bad": replace(good, processes=(good.processes[0], b))}, size_by_simulation)
    assert found.stuck == ("bad",)
    assert found.depths == size_by_simulation(good).depths
    with pytest.raises(DeadlockError):
        size_for_all({"bad": replace(good, processes=(good.processes[0], b))}, size_by_simulation)


@pytest.mark.parametrize("fifos", [(Fifo("x", 2, 32), Fifo("y", 2, 9)), (Fifo("y", 2, 8), Fifo("x", 2, 32))])
def test_graphs_of_other_designs_are_refused_by_name(fifos):
    other = replace(GRAPHS["x first"], fifos=fifos)
    with pytest.raises(InputError) as refused:
        size_for_all({"g.json": GRAPHS["x first"], "h.json": other}, size_by_simulation)
    assert "h.json" in str(refused.value)
