"""Copies from lower memories: bursts as everywhere else, beside bytes over rate and latency."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.studies.tier_copy import copy_graph, copy_into_hbm, copy_seconds

SOURCES = ["ddr", "host", "flash"]
MIB = 2**20


@cache
def board() -> FpgaBoard:
    return require_hbm(load_board("u280"))


@pytest.mark.parametrize("source", SOURCES)
def test_engines_agree_to_the_cycle(source: str) -> None:
    graph = copy_graph(board(), source, MIB // 4 + 64)
    assert simulate(graph, engine="simpy").cycles == simulate(graph, engine="maxplus").cycles


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(SOURCES), st.integers(1, 64 * MIB))
def test_a_copy_takes_the_closed_form_and_no_less(source: str, size_bytes: int) -> None:
    """More by the last burst, which is stored when it is there; beats are rounded to 1/256 of a cycle."""
    seconds, least = copy_into_hbm(board(), source, size_bytes).seconds, copy_seconds(board(), source, size_bytes)
    tier, hbm = board().tier(source), board().tier("hbm")
    bursts = -(-size_bytes // (tier.burst_bytes * tier.channels))
    last_us = hbm.burst_bytes / hbm.gb_per_s_per_channel / 1e3
    cycle_us = 1 / board().clock_mhz.value
    assert least <= seconds * (1 + 1 / 512) + 1e-12
    assert seconds <= least + (last_us + (bursts + 16) * cycle_us) / 1e6


def test_the_lower_the_slower() -> None:
    times = [copy_into_hbm(board(), source, 64 * MIB).seconds for source in SOURCES]
    assert times == sorted(times)
    assert copy_into_hbm(board(), "ddr", 64 * MIB).gb_per_s == pytest.approx(32, rel=1e-3)  # two ports of 64 bytes
    assert copy_into_hbm(board(), "host", 64 * MIB).gb_per_s == pytest.approx(11.47, rel=5e-3)  # the PCIe link
    assert copy_into_hbm(board(), "flash", 64 * MIB).gb_per_s == pytest.approx(3.5, rel=1e-2)


def test_a_small_copy_is_mostly_latency() -> None:
    assert copy_into_hbm(board(), "flash", 4096).seconds == pytest.approx(150e-6, rel=0.02)


def test_chunks_that_lie_apart_come_as_fast_as_their_number_in_flight_lets_them() -> None:
    tier = board().tier("flash")
    for chunk in (4096, 8192):
        found = copy_into_hbm(board(), "flash", 16 * MIB, chunk_bytes=chunk)
        assert found.gb_per_s == pytest.approx(tier.outstanding * chunk / tier.latency_ns, rel=0.05)
    whole = copy_into_hbm(board(), "flash", 16 * MIB)
    assert copy_into_hbm(board(), "flash", 16 * MIB, chunk_bytes=tier.burst_bytes).cycles == whole.cycles


@pytest.mark.parametrize(("source", "size_bytes"), [("hbm", 4096), ("ddr", 0), ("tape", 4096)])
def test_what_is_no_copy_is_refused(source: str, size_bytes: int) -> None:
    with pytest.raises(InputError):
        copy_graph(board(), source, size_bytes)


def test_a_board_without_dimms_has_no_copy_from_them() -> None:
    with pytest.raises(InputError, match="has no ddr"):
        copy_into_hbm(require_hbm(load_board("u55c")), "ddr", 4096)
