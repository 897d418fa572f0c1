"""Memory ports that are equal in all but their names, on channels of their own, are run once for all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_periodic import EAGER, assert_same

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.sim.maxplus.arrays import TWIN, build
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.simpy_engine import run as run_des

TOKENS = 96


def slices(count: int = 4, depths: tuple[int, ...] = (2, 2, 2, 2), lanes: int = 1, ids: str = "many") -> TimedGraph:
    """Slices of a weight, each on channels of its own, gathered into one token per cycle for a consumer that pauses."""
    names = [[f"c{index}.{lane}" for lane in range(lanes)] for index in range(count)]
    ports = [
        MemoryPort(f"m{i}", "read", f"f{i}", TOKENS, 4, tuple(names[i]), 16, 2 * lanes, ids=ids) for i in range(count)
    ]
    reads = tuple(Event(f"f{i}", "read", 0) for i in range(count))
    gather = Pipeline("gather", (Loop((TOKENS,), 1, 3, (*reads, Event("g", "write", 2))),))
    consumer = Pipeline("consumer", (Loop((8,), 1, 2, (Event("g", "read", 0),), 5),), repeat=TOKENS // 8)
    fifos = [*(Fifo(f"f{i}", depths[i], 32, "srl") for i in range(count)), Fifo("g", 2, 128, "srl")]
    channels = tuple(Channel(name, 11, 4, 1, 2) for own in names for name in own)
    return TimedGraph("slices", 300.0, tuple(fifos), (*ports, gather, consumer), channels)


def ports_run(graph: TimedGraph) -> int:
    programs = find_programs(graph)
    leads, _ = programs.leads(np.array([fifo.depth for fifo in graph.fifos], np.int64))
    net = build(graph, programs, unbounded=False, leads=leads)
    assert net.ports.size + np.count_nonzero(net.processes["kind"] == TWIN) == 4
    return net.ports.size


def changed(graph: TimedGraph, **fields: object) -> TimedGraph:
    """The graph with another second port."""
    first, second, *rest = graph.processes
    return replace(graph, processes=(first, replace(second, **fields), *rest))


def same_channels(graph: TimedGraph) -> TimedGraph:
    return changed(graph, channels=graph.processes[0].channels)  # pyright: ignore[reportAttributeAccessIssue]


def slower_channel(graph: TimedGraph) -> TimedGraph:
    first, second, *rest = graph.channels
    return replace(graph, channels=(first, replace(second, latency=40), *rest))


def read_later(graph: TimedGraph) -> TimedGraph:
    """The gatherer reads the second slice a stage later."""
    *ports, gather, consumer = graph.processes
    assert isinstance(gather, Pipeline)
    (loop,) = gather.loops
    events = tuple(replace(event, stage=1) if event.fifo == "f1" else event for event in loop.events)
    return replace(graph, processes=(*ports, replace(gather, loops=(replace(loop, events=events),)), consumer))


@pytest.mark.parametrize(
    ("graph", "run_for_all"),
    [
        (slices(), 1),
        (slices(lanes=2), 1),
        (slices(lanes=2, ids="one"), 1),
        (slices(depths=(2, 3, 3, 2)), 2),
        (slices(depths=(2, 9, 40, 300)), 4),
        (changed(slices(), start=9), 2),
        (changed(slices(), outstanding=1), 2),
        (changed(slices(), burst_bytes=32), 2),
        (changed(slices(lanes=2), ids="one"), 2),
        (changed(slices(lanes=2), pattern="random"), 2),
        (same_channels(slices()), 3),
        (slower_channel(slices()), 2),
        (read_later(slices()), 2),
    ],
)
def test_ports_that_differ_in_anything_are_run_themselves(graph, run_for_all):
    assert ports_run(graph) == run_for_all
    expected = run_des(graph)
    for found in (run(graph, patience=EAGER), run_by_events(graph)):
        assert_same(graph, found, expected)


def test_twins_by_hand():
    """Two ports, a burst of 16 bytes each 8 cycles from cycle 0 on: token k is there 11 + 2 (k + 1) cycles after it."""
    graph = slices(2, (2, 2))
    found = run(graph)
    assert found.writes[0].tolist()[:5] == found.writes[1].tolist()[:5] == [13, 15, 17, 19, 21]
    assert found.bursts["m0"].tolist() == found.bursts["m1"].tolist()
    assert found.stalls[0] == found.stalls[1]
    assert found.finish[0] == found.finish[1] == found.writes[0][-1] + 1
    assert found.fifo_events == 6 * TOKENS


def test_the_same_processes_on_other_channels():
    """What is known of a graph's programs says nothing of its channels."""
    graph = slices()
    other = slower_channel(graph)
    assert other.processes is graph.processes
    assert_same(graph, run(graph), run_des(graph))
    assert_same(other, run(other), run_des(other))


def test_twins_of_a_deadlock():
    """The gatherer wants one token more of every slice than there is."""
    graph = slices()
    *ports, gather, consumer = graph.processes
    longer = tuple(replace(loop, trips=(TOKENS + 1,)) for loop in gather.loops)  # pyright: ignore[reportAttributeAccessIssue]
    assert isinstance(gather, Pipeline)
    graph = replace(graph, processes=(*ports, replace(gather, loops=longer), consumer))
    assert_same(graph, run(graph), run_des(graph))


@st.composite
def gathered(draw) -> TimedGraph:
    """Read ports into a pipeline and out to write ports, most of them twins, some different, some on one channel."""
    tokens = draw(st.sampled_from([60, 120, 240]))
    token_bytes, burst_bytes = draw(st.sampled_from([(4, 16), (4, 4), (6, 16), (5, 64), (8, 256)]))
    window = 1 + (token_bytes + burst_bytes - 1) // burst_bytes
    latencies, rates, events = st.sampled_from([9, 9, 9, 14]), st.sampled_from([1, 1, 1, 3]), []
    channels, fifos, processes = [], [], []
    depth, latency = draw(st.sampled_from([1, 2, 3, 9])), draw(st.integers(1, 6))
    outstanding = draw(st.integers(window, window + 3))
    for op, count in (("read", draw(st.integers(1, 4))), ("write", draw(st.integers(0, 3)))):
        lanes, ids = draw(st.integers(1, 2)), draw(st.sampled_from(["one", "many"]))
        gap = draw(st.sampled_from([0, 0, 3])) if op == "write" else 0
        offset = draw(st.integers(0, latency - 1))
        for index in range(count):
            name = f"{op}{index}"
            own = [f"{name}.{lane}" for lane in range(lanes)]
            channels += [Channel(each, draw(latencies), 4, draw(rates), 2) for each in own]
            chosen = draw(st.sampled_from([own, own, own, [channels[0].name]]))
            fifos.append(Fifo(name, draw(st.sampled_from([depth, depth, depth, 5])), 8, "srl"))
            port = MemoryPort(name, op, name, tokens, token_bytes, tuple(chosen), burst_bytes, outstanding)
            processes.append(replace(port, ids=ids, gap=gap))
            stage = draw(st.sampled_from([offset, offset, offset, 0]))
            events.append(Event(name, "write" if op == "write" else "read", stage))
    trips = draw(st.sampled_from([(tokens,), (tokens // 4, 4)]))
    loop = Loop(trips, draw(st.integers(1, 3)), latency, tuple(events), draw(st.integers(0, 3)))
    pipeline = Pipeline("p", (loop,), start=draw(st.sampled_from([0, 20])))
    return TimedGraph(
        "gathered", 300.0, tuple(fifos), tuple(draw(st.permutations([*processes, pipeline]))), tuple(channels)
    )


@settings(max_examples=80, deadline=None)
@given(gathered(), st.booleans())
def test_twins_are_what_the_oracle_says(graph, unbounded):
    expected = run_des(graph, unbounded=unbounded)
    assert_same(graph, run(graph, unbounded=unbounded, patience=EAGER), expected, unbounded=unbounded)
    assert_same(graph, run_by_events(graph, unbounded=unbounded), expected, unbounded=unbounded)
