"""Deeper FIFOs and more bandwidth never make anything later, where every channel has one port; shared, they can."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_graphs import chains, loops_back, streams
from sim_graphs import memory_graphs, pipeline_graphs

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, simulate
from sttest.sim.bursts import with_own_channels


def assert_never_later(first: TimedGraph, second: TimedGraph) -> None:
    """Every access of the first graph happens in the second one too, at the same cycle or earlier."""
    before, after = simulate(first, record=True), simulate(second, record=True)
    for name, cycle in before.finish.items():
        if cycle is not None:
            finish = after.finish[name]
            assert finish is not None
            assert finish <= cycle
    for one, other in ((before.write_times, after.write_times), (before.read_times, after.read_times)):
        for name, times in one.items():
            assert other[name].size >= times.size
            assert (other[name][: times.size] <= times).all()


def deeper(design: TimedGraph, more: list[int]) -> TimedGraph:
    """Deeper FIFOs of the same kinds: a deeper one that turns from srl to ram takes a cycle longer to read."""
    fifos = tuple(
        dataclasses.replace(fifo, impl=fifo.kind, depth=fifo.depth + more[i % len(more)])
        for i, fifo in enumerate(design.fifos)
    )
    return dataclasses.replace(design, fifos=fifos)


MORE = st.lists(st.sampled_from([0, 1, 2, 7, 100]), min_size=1, max_size=5)
GRAPHS = st.one_of(chains(), loops_back(), streams(), memory_graphs(), pipeline_graphs())


@settings(max_examples=200, deadline=None)
@given(GRAPHS, MORE)
def test_deeper_fifos(design, more):
    design = with_own_channels(design)
    assert_never_later(deeper(design, [0]), deeper(design, more))


@settings(max_examples=100, deadline=None)
@given(st.one_of(streams(), memory_graphs()), st.integers(1, 4), st.integers(0, 20), st.integers(0, 9))
def test_more_bandwidth(design, faster, sooner, more_outstanding):
    """More beats per cycle, less latency, more bursts under way."""
    design = with_own_channels(design)
    channels = tuple(
        dataclasses.replace(c, beats_num=c.beats_num * faster, latency=max(0, c.latency - sooner))
        for c in design.channels
    )
    processes = tuple(
        dataclasses.replace(p, outstanding=p.outstanding + more_outstanding) if isinstance(p, MemoryPort) else p
        for p in design.processes
    )
    assert_never_later(design, dataclasses.replace(design, channels=channels, processes=processes))


@pytest.mark.parametrize(("outstanding", "burst"), [(1, [5, 5, 0, 22, 2]), (2, [1, 2, 2, 22, 2])])
def test_a_busy_channel_counts_parts_of_cycles_whoever_asks_later(outstanding, burst):
    """Four beats of two thirds of a cycle: the channel is free two thirds into cycle 2, and adds 20 cycles to that.

    So the first beat of the second burst is there after 22 and 4 thirds, whether it was taken in cycle 2 or in 5.
    """
    ports = (MemoryPort("m", "read", "a", 8, 4, ("c",), 16, outstanding),)
    reader = Pipeline("p", (Loop((8,), 1, 1, (Event("a", "read", 0),)),))
    channels = (Channel("c", 0, 4, 3, 2, busy_latency=20),)
    result = simulate(TimedGraph("busy", 300.0, (Fifo("a", 64, 8, "srl"),), (*ports, reader), channels), record=True)
    assert result.record is not None
    assert result.record.bursts["m"].tolist() == [[0, 0, 0, 0, 0], burst]
    assert result.write_times["a"].tolist() == [1, 2, 3, 4, *range(24, 28)]


def shared_channel(depth: int) -> TimedGraph:
    """``ahead`` is in no hurry; ``late`` asks for the same channel from cycle 9 on, and what it feeds is slow."""
    return TimedGraph(
        "shared",
        300.0,
        (Fifo("a", depth, 8, "srl"), Fifo("b", 1, 8, "srl")),
        (
            MemoryPort("ahead", "read", "a", 5, 4, ("c",), 4, 2),
            MemoryPort("late", "read", "b", 2, 4, ("c",), 4, 4, start=9),
            Pipeline("p", (Loop((5,), 4, 1, (Event("a", "read", 0),)),)),
            Pipeline("q", (Loop((2,), 11, 9, (Event("b", "read", 0),)),)),
        ),
        (Channel("c", 0, 4, 1, 2),),
    )


def test_a_deeper_fifo_can_take_a_shared_channel_from_a_port_in_a_hurry():
    """With space for one token the channel is idle at cycle 9; with space for nine ``ahead`` has just been served."""
    assert simulate(shared_channel(1)).cycles == 32
    assert simulate(shared_channel(9)).cycles == 33
    alone = with_own_channels(shared_channel(1))
    assert_never_later(alone, deeper(alone, [8]))


def test_channels_of_their_own_know_no_limit_of_channels():
    """17 ports of 16 channels each are within the limits, their 272 copies are not."""
    channels = tuple(Channel(f"{'c' * 190}{i}", 4, 8) for i in range(16))
    names = tuple(channel.name for channel in channels)
    ports = [MemoryPort(f"m{i}", "read", f"f{i}", 16, 8, names, 8) for i in range(17)]
    sinks = [Pipeline(f"p{i}", (Loop((16,), 1, 1, (Event(f"f{i}", "read", 0),)),)) for i in range(17)]
    design = TimedGraph("wide", 300.0, tuple(Fifo(f"f{i}", 2, 8) for i in range(17)), (*ports, *sinks), channels)
    alone = with_own_channels(design)
    assert len(alone.channels) == 272
    assert_never_later(design, alone)
