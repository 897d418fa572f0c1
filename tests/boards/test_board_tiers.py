"""Memories of boards below the HBM: what they have, and that none behind PCIe is faster than it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.boards.tiers import TIERS
from sttest.core.errors import InputError


@pytest.mark.parametrize("name", ["u280", "u55c"])
def test_lower_memories_are_larger_and_slower_each(name: str) -> None:
    board = require_hbm(load_board(name))
    there = [board.tier(tier) for tier in TIERS if getattr(board.memory, tier) is not None]
    for upper, lower in pairwise(there):
        assert lower.gb_per_s < upper.gb_per_s
        assert lower.latency_ns > upper.latency_ns
        assert lower.size_bytes > upper.size_bytes


def test_the_tiers_of_a_u280() -> None:
    board = require_hbm(load_board("u280"))
    assert board.tier("hbm").gb_per_s == pytest.approx(board.sustained_bandwidth_gb_per_s)
    assert board.tier("hbm").bytes_per_cycle(250) == board.hbm_bytes_per_cycle_per_channel(sustained=True)
    # Two DIMMs, of 18.07 GB/s each.
    assert (board.tier("ddr").channels, board.tier("ddr").size_bytes, board.tier("ddr").gb_per_s) == (2, 2**35, 36.14)
    assert board.tier("host").gb_per_s == board.pcie.host_to_card_gb_per_s.value


def test_nothing_behind_pcie_is_faster_than_the_link(tmp_path: Path) -> None:
    path = tmp_path / "narrow.yaml"
    path.write_text("extends: u280\npcie: {host_to_card_gb_per_s: {value: 2}}\n")
    board = require_hbm(load_board(str(path)))
    assert [board.tier(name).gb_per_s for name in ("ddr", "host", "flash")] == [36.14, 2, 2]


@pytest.mark.parametrize(
    ("board", "tier", "message"),
    [("u55c", "ddr", "board 'u55c' has no ddr; it has hbm, host, flash"), ("u280", "ssd", "unknown memory 'ssd'")],
)
def test_memories_that_are_not_there_are_refused(board: str, tier: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        require_hbm(load_board(board)).tier(tier)
