"""Jumps over periods change nothing: every time, count and verdict is that of the run event by event, and of SimPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_graphs import chains, crowds, drifts, loops_back, nests, sleepers, streams
from sim_graphs import STREAMHLS

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, load
from sttest.sim.maxplus import arrays
from sttest.sim.maxplus.arrays import build
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.periodic import PeriodSearchLimits, run_periodic
from sttest.sim.maxplus.programs import find_programs
from sttest.sim.simpy_engine import run as run_des
from sttest.sim.simulation import RunRecord, max_occupancy

EAGER = PeriodSearchLimits(first_cycles=16, least_visits=1)
GRAPHS = st.one_of(chains(), loops_back(), streams(), crowds(), sleepers(), drifts(), nests())


FAR = 1 << 40
"""Later than anything: what a time reads as that nobody has written."""


@contextmanager
def unwritten_times_are_far() -> Iterator[None]:
    """Rooms for times are not cleared: what is left there could be what is looked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_room", lambda size: np.full(size, FAR, np.int64))
        yield


def assert_same(design: TimedGraph, one: RunRecord, other: RunRecord, *, unbounded: bool = False) -> None:
    for name in ("finish", "visits", "stalls", "fifo_events"):
        assert getattr(one, name) == getattr(other, name), name
    found, expected = (max_occupancy(design, each, unbounded=unbounded) for each in (one, other))
    assert found == expected
    for name in ("writes", "reads"):
        for fifo, times, expected in zip(design.fifos, getattr(one, name), getattr(other, name), strict=True):
            np.testing.assert_array_equal(times, expected, f"{name} of {fifo.name}")
    assert one.bursts.keys() == other.bursts.keys()
    for port in one.bursts:
        np.testing.assert_array_equal(one.bursts[port], other.bursts[port])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(GRAPHS, st.booleans(), st.sampled_from([8, 16, 64, 200]))
def test_jumps_change_nothing(design, unbounded, first_cycles):
    with unwritten_times_are_far():
        jumping = run(design, unbounded=unbounded, patience=PeriodSearchLimits(first_cycles, 1))
    assert_same(design, jumping, run_by_events(design, unbounded=unbounded), unbounded=unbounded)


@settings(max_examples=60, deadline=None)
@given(GRAPHS)
def test_jumps_give_what_the_oracle_gives(design):
    with unwritten_times_are_far():
        jumping = run(design, patience=EAGER)
    assert_same(design, jumping, run_des(design))


@pytest.mark.parametrize(
    "design", ["2560_dsps_opt4_k2mm", "synthetic_opt1_k7mmseq_unbalanced", "mlps_opt1_autoencoder", "mlps_opt5_resmlp"]
)
@pytest.mark.parametrize("depth", [None, 2])
def test_designs(design, depth):
    graph = load(STREAMHLS / f"{design}.json")
    graph = graph if depth is None else graph.with_all_depths(depth)
    assert_same(graph, run(graph, patience=PeriodSearchLimits(64, 1)), run_by_events(graph))


def test_without_times_the_rest_is_the_same():
    graph = load(STREAMHLS / "mlps_opt1_autoencoder.json")
    short, full = run(graph, record=False), run(graph)
    assert short.writes == []
    for name in ("finish", "visits", "stalls", "peaks", "fifo_events"):
        assert getattr(short, name) == getattr(full, name)


def uneven() -> TimedGraph:
    """Ports whose bursts take turns on two channels, held back by md, one of whose channels is slow; two share one."""
    lanes = {"a": ("a0", "a1"), "b": ("b0", "b1"), "c": ("a0",), "d": ("d0", "d1")}
    latency = {"a0": 4, "a1": 4, "b0": 0, "b1": 0, "d0": 4, "d1": 10}
    outstanding, depth = {"c": 3}, {"a": 2}
    channels = tuple(Channel(name, cycles, 4, 1, 2) for name, cycles in latency.items())
    ports = tuple(
        MemoryPort(f"m{name}", "read", name, 240, 4, own, 4, outstanding.get(name, 2), ids="many")
        for name, own in lanes.items()
    )
    sink = Pipeline("p", (Loop((240,), 1, 1, tuple(Event(name, "read", 0) for name in lanes), 0),))
    fifos = tuple(Fifo(name, depth.get(name, 7), 8, "srl") for name in lanes)
    return TimedGraph("uneven", 300.0, fifos, (*ports, sink), channels)


@pytest.mark.parametrize("first_cycles", [8, 16, 32])
def test_waits_across_a_jump_are_told_apart(first_cycles):
    """A port that waits at a jump waits for memory first, then for its FIFO: the state tells how long for each.

    md has two bursts under way, so that tokens 2k + 1 and 2k + 2 come at 13 + 13k and 14 + 13k, and p reads them a
    cycle later.  Until its FIFO of 7 is full, with token 14, mc waits for the channel that it shares; from then on for
    the FIFO alone, token i for the place of token i - 7.
    """
    jumping = run(uneven(), patience=PeriodSearchLimits(first_cycles, 1))
    assert_same(uneven(), jumping, run_des(uneven()))
    last = 14 + 13 * 115 + 1  # a cycle after token 232 came, p has read it
    memory_cycles = 8 + 1 + 1 + 3 + 1 + 1 + 3 + 1 + 1 + 3 + 1 + 1 + 3 + 0 + 1
    assert jumping.finish[2] == last + 2
    assert jumping.stalls[2].memory_cycles == memory_cycles
    assert jumping.stalls[2].output_cycles == last + 2 - 240 - memory_cycles


def filling(turns: int, rows: int) -> TimedGraph:
    """Rows, then a pause, over and over; a token of each row stays in a FIFO whose reader starts at the end."""
    row = Loop((rows, 4), 1, 3, (Event("f", "write", 2), Event("deep", "write", 2, (None, 3))), 7)
    pause = Loop((9,), 5, 2, (Event("f", "write", 1),), 3)
    pipelines = (
        Pipeline("p", (row, pause), repeat=turns),
        Pipeline("q", (Loop((turns * (rows * 4 + 9),), 1, 1, (Event("f", "read", 0),)),)),
        Pipeline("late", (Loop((turns * rows,), 1, 1, (Event("deep", "read", 0),)),), start=turns * (rows * 4 + 60)),
    )
    return TimedGraph("filling", 300.0, (Fifo("f", 2, 8, "srl"), Fifo("deep", turns * rows, 8, "ram")), pipelines)


def test_a_turn_recurs_while_a_fifo_fills():
    """Jumps over the rows of each of 20 turns would be 20; a state kept at one of them comes again, but for a FIFO."""
    graph = filling(20, 100)
    programs = find_programs(graph)
    net = build(graph, programs, unbounded=False)
    splices = run_periodic(net, PeriodSearchLimits(64, 1), lambda: programs.levels)
    turn = max(splices, key=lambda splice: int(splice.cycles[1]))
    assert int(turn.writes[1]) in (100, 200, 300)
    assert int(turn.reads[1]) == 0
    assert len(splices) <= 12
    assert_same(graph, run(graph, patience=PeriodSearchLimits(64, 1)), run_des(graph))
