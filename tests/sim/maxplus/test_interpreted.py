"""The kernels as plain Python give what SimPy and the compiled ones give, with every index checked."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interpreted import interpreted_kernels
from long_graphs import chains, crowds, drifts, loops_back, nests, sleepers, streams
from sim_graphs import actor_graphs, memory_graphs, pipeline_graphs
from test_maxplus import assert_same as assert_engines_agree
from test_parts import closing_in, drifting
from test_periodic import EAGER, assert_same, filling, uneven
from test_shared_channels import disturbed, shared, shared_by_lanes
from test_twin_ports import slices

from sttest.sim.maxplus.engine import run
from sttest.sim.maxplus.periodic import PeriodSearchLimits
from sttest.sim.simpy_engine import run as run_des


@pytest.fixture(scope="module", autouse=True)
def interpreted() -> Iterator[None]:
    with interpreted_kernels():
        yield


@settings(max_examples=100)
@given(st.one_of(pipeline_graphs(), memory_graphs(), actor_graphs()))
def test_small_graphs(design):
    assert_engines_agree(design)


@pytest.mark.slow
@pytest.mark.parametrize(
    "graphs", [chains, loops_back, streams, crowds, sleepers, drifts, nests], ids=lambda graphs: graphs.__name__
)
def test_long_graphs(graphs):
    @settings(max_examples=4)
    @given(graphs())
    def check(design):
        assert_same(design, run(design, patience=EAGER), run_des(design))

    check()


@pytest.mark.parametrize(
    ("design", "first_cycles"),
    [
        (closing_in(), 64),
        (drifting(), 64),
        (filling(6, 30), 64),
        (uneven(), 16),
        (shared(), 16),
        (shared_by_lanes(), 16),
        (disturbed((0, 1, 2)), 64),
        (slices(), 16),
    ],
    ids=["closing_in", "drifting", "filling", "uneven", "shared", "lanes", "disturbed", "slices"],
)
def test_jumps(design, first_cycles):
    assert_same(design, run(design, patience=PeriodSearchLimits(first_cycles, 1)), run_des(design))


@pytest.mark.parametrize(
    "design", [closing_in(), drifting(), disturbed((1, 0, 2))], ids=["closing", "drifting", "disturbed"]
)
def test_times_within_a_part_are_moved_rather_than_filled_in(design, monkeypatch):
    """As of FIFOs that pass more tokens than any here: only what is still looked at is written after a jump."""
    monkeypatch.setattr(sys.modules["sttest.sim.maxplus.kernel_components"], "_FEW_TOKENS", 0)
    assert_same(design, run(design, patience=PeriodSearchLimits(64, 1)), run_des(design))
