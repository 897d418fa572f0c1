"""The searches behind a certificate: for a wait cycle, and for depths, also where they are stopped before their end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sim_graphs import graph, pipeline_graphs, reconvergent

from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, simulate
from sttest.sim.deadlock import Edge, find_cycle

MOST_PROCESSES = 5


@st.composite
def waits(draw) -> dict[int, list[Edge]]:
    """Up to five processes that wait for one or more each, some of them for one that has finished."""
    count = draw(st.integers(1, MOST_PROCESSES))
    waiting = sorted(draw(st.sets(st.integers(0, count - 1), min_size=1)))
    edges: dict[int, list[Edge]] = {}
    for process in waiting:
        peers = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3))
        edges[process] = [Edge(process, draw(st.integers(0, 9)), 1, peer) for peer in peers]
    return edges


def closed_chains(edges: dict[int, list[Edge]], start: int) -> Iterator[list[Edge]]:
    """All chains from a process back to it that pass none twice, by trying every way."""
    todo = [[edge] for edge in edges.get(start, ())]
    while todo:
        chain = todo.pop()
        if chain[-1].peer == start:
            yield chain
            continue
        passed = {edge.waiter for edge in chain}
        todo += [
            [*chain, edge] for edge in edges.get(chain[-1].peer, ()) if edge.peer == start or edge.peer not in passed
        ]


@settings(max_examples=300, deadline=None)
@given(waits())
def test_the_cycle_is_the_shortest_through_the_first_process_on_any(edges):
    chain, is_closed = find_cycle(edges)
    assert chain
    assert all(edge in edges[edge.waiter] for edge in chain)
    assert all(one.peer == other.waiter for one, other in pairwise(chain))
    lengths = {start: [len(each) for each in closed_chains(edges, start)] for start in edges}
    on_any = [start for start in edges if lengths[start]]
    assert is_closed == bool(on_any)
    if is_closed:
        assert chain[0].waiter == chain[-1].peer == on_any[0]
        assert len(chain) == min(lengths[on_any[0]])
    else:
        assert chain[0].waiter == next(iter(edges))
        assert chain[-1].peer not in edges


def side_by_side(*graphs: TimedGraph) -> TimedGraph:
    """Graphs that have nothing to do with each other, as one."""
    fifos, processes = [], []
    for number, each in enumerate(graphs):
        fifos += [replace(fifo, name=f"{fifo.name}{number}") for fifo in each.fifos]
        processes += [_renamed(process, number) for process in each.processes]
    return graph(fifos, processes)


def _renamed(process: Pipeline, number: int) -> Pipeline:
    loops = tuple(
        replace(loop, events=tuple(replace(event, fifo=f"{event.fifo}{number}") for event in loop.events))
        for loop in process.loops
    )
    return replace(process, name=f"{process.name}{number}", loops=loops)


def test_no_work_left_gives_depths_that_do_and_claims_no_more(monkeypatch):
    """Without any trial all FIFOs get the tokens that they hold when none is ever full."""
    monkeypatch.setattr("sttest.sim.deadlock.MAX_SEARCH", 0)
    two = side_by_side(reconvergent(2), reconvergent(3))
    deadlock = simulate(two).deadlock
    assert not deadlock.is_minimal
    assert simulate(two, depths=deadlock.fix).verdict == "done"
    assert {"ac0", "ac1"} < set(deadlock.fix)
    assert (deadlock.fix["ac0"], deadlock.fix["ac1"]) == (20, 20)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.lists(pipeline_graphs(unbalanced=False), min_size=1, max_size=2))
def test_without_the_search_for_the_fewest_tokens_no_depth_can_be_lowered(designs):
    """What the search would find hides the depths that it starts from: those along one cycle after the other."""
    design = side_by_side(*designs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sttest.sim.deadlock.MAX_TRIALS", 0)
        deadlock = simulate(design).deadlock
    assume(deadlock is not None and deadlock.fix)
    now = {fifo.name: fifo.depth for fifo in design.fifos}
    assert all(depth > now[name] for name, depth in deadlock.fix.items())
    assert simulate(design, depths=deadlock.fix).verdict == "done"
    for name, depth in deadlock.fix.items():
        assert simulate(design, depths=deadlock.fix | {name: depth - 1}).verdict == "deadlock"


def crossed(first: int, second: int, places: int = 1) -> TimedGraph:
    """Each of two pipelines writes its tokens before it reads those of the other: both FIFOs are full on the cycle."""
    loops = {
        "p": (Loop((first,), 1, 1, (Event("y", "write", 0),)), Loop((second,), 1, 1, (Event("z", "read", 0),))),
        "q": (Loop((second,), 1, 1, (Event("z", "write", 0),)), Loop((first,), 1, 1, (Event("y", "read", 0),))),
    }
    return graph([Fifo("y", places, 8), Fifo("z", places, 8)], [Pipeline(name, each) for name, each in loops.items()])


@pytest.mark.parametrize(("first", "second", "fix"), [(2, 2, {"y": 2}), (3, 2, {"z": 2}), (5, 2, {"z": 2})])
def test_one_token_is_the_least_there_is(first, second, fix, monkeypatch):
    """A pipeline whose FIFO holds all of its tokens goes on to read, so the shorter of both runs needs one place more.

    That nothing less than one token helps needs no search, which is not made here.
    """
    monkeypatch.setattr("sttest.sim.deadlock.MAX_TRIALS", 0)
    deadlock = simulate(crossed(first, second)).deadlock
    assert {wait.fifo for wait in deadlock.cycle} == {"y", "z"}
    assert (deadlock.fix, deadlock.is_minimal) == (fix, True)


def test_more_than_one_token_is_searched_for(monkeypatch):
    """With both FIFOs full on the cycle, nothing short of the search shows that two tokens are the fewest."""
    assert simulate(crossed(3, 4)).deadlock.fix == {"y": 3}
    assert simulate(crossed(3, 4)).deadlock.is_minimal
    monkeypatch.setattr("sttest.sim.deadlock.MAX_TRIALS", 0)
    assert (simulate(crossed(3, 4)).deadlock.fix, simulate(crossed(3, 4)).deadlock.is_minimal) == ({"y": 3}, False)
