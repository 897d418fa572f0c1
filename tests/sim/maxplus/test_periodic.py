"""Jumps over periods change nothing: every time, count and verdict is that of the run event by event, and of SimPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_graphs import chains, crowds, drifts, loops_back, sleepers, streams
from sim_graphs import STREAMHLS

from sttest.sim import TimedGraph, load
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.periodic import PeriodSearchLimits
from sttest.sim.simpy_engine import run as run_des
from sttest.sim.simulation import RunRecord, max_occupancy

EAGER = PeriodSearchLimits(first_cycles=16, least_visits=1)
GRAPHS = st.one_of(chains(), loops_back(), streams(), crowds(), sleepers(), drifts())


def assert_same(design: TimedGraph, one: RunRecord, other: RunRecord) -> None:
    for name in ("finish", "visits", "stalls", "fifo_events"):
        assert getattr(one, name) == getattr(other, name), name
    assert max_occupancy(design, one) == max_occupancy(design, other)
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
    jumping = run(design, unbounded=unbounded, patience=PeriodSearchLimits(first_cycles, 1))
    assert_same(design, jumping, run_by_events(design, unbounded=unbounded))


@settings(max_examples=60, deadline=None)
@given(GRAPHS)
def test_jumps_give_what_the_oracle_gives(design):
    assert_same(design, run(design, patience=EAGER), run_des(design))


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
