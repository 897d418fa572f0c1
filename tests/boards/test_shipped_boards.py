"""The shipped boards: every number accounted for, and the totals that they must add up to."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sttest.boards.board import FpgaBoard, GpuBoard
from sttest.boards.load import DATA_DIR, board_names, load_board, require_hbm
from sttest.boards.part import Quantity
from sttest.boards.resources import process_bound, slr_capacity
from sttest.core.errors import InputError

NAMES = ["a100", "duplex", "kv260", "pim-gpt", "rtx2080ti", "sn40l", "u280", "u55c", "v80", "vhk158", "wse-2"]
FPGAS = ("u280", "u55c")
ALL_FPGAS = (*FPGAS, "v80", "vhk158", "kv260")


def quantities(part: BaseModel) -> Iterator[Quantity]:
    for _, value in part:
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Quantity):
                yield item
            elif isinstance(item, BaseModel):
                yield from quantities(item)


def test_names_and_files_agree():
    assert board_names() == NAMES
    assert all((DATA_DIR / f"{name}.yaml").is_file() and load_board(name).name == name for name in board_names())


@pytest.mark.parametrize("name", NAMES)
def test_no_shipped_number_claims_to_be_ours(name):
    """But for what a DSP takes, which follows from an assumption and from toggles that were measured here."""
    found = list(quantities(load_board(name)))
    assert len(found) >= 7
    assert {quantity.kind for quantity in found} <= {"datasheet", "published", "assumed", "derived"}
    assert {quantity.unit for quantity in found if quantity.kind == "derived"} <= {"pJ/cycle"}
    assert all(len(quantity.source) > 8 for quantity in found)


@pytest.mark.parametrize("name", FPGAS)
def test_hbm_adds_up_to_460_gb_per_s(name):
    board = require_hbm(load_board(name))
    assert board.peak_bandwidth_gb_per_s == 32 * 14.375 == 460
    assert board.sustained_bandwidth_gb_per_s == pytest.approx(425, abs=1)
    assert board.hbm.axi_port_gb_per_s == 256 / 8 * 0.45


@pytest.mark.parametrize(("name", "slrs"), [("v80", 3), ("vhk158", 2), ("kv260", 1)])
def test_what_kernels_have_of_other_dies_is_within_them(name, slrs):
    fabric = require_hbm(load_board(name)).fabric
    assert len(fabric.slrs) == slrs
    for part, die in (("lut", fabric.lut), ("dsp", fabric.dsp), ("uram", fabric.uram)):
        assert 0 < sum(getattr(slr, part).count for slr in fabric.slrs) <= die.count, part
    assert sum(slr.bram18.count for slr in fabric.slrs) <= 2 * fabric.bram36.count
    assert fabric.ff.count == pytest.approx(2 * fabric.lut.count, rel=1e-3)
    assert load_board(name).onchip_mb.value == pytest.approx(fabric.onchip_bytes / 1e6, abs=1.5)


def test_memories_of_other_boards_add_up():
    hbm2e, ddr4 = (require_hbm(load_board(name)).hbm for name in ("v80", "kv260"))
    assert require_hbm(load_board("vhk158")).hbm == hbm2e
    assert (hbm2e.peak_gb_per_s, hbm2e.size_bytes) == (pytest.approx(819.2), 32 * 2**30)
    assert ddr4.peak_gb_per_s == pytest.approx(64 / 8 * 2.4)
    assert ddr4.size_bytes == pytest.approx(4 * 2**30, rel=1e-6)
    assert ddr4.sustained_gb_per_s / ddr4.peak_gb_per_s == pytest.approx(0.845)


def test_a_process_of_a_die_without_boundaries_is_bound_by_its_only_slr():
    fabric = require_hbm(load_board("kv260")).fabric
    assert process_bound(fabric, "all") == slr_capacity(fabric.slrs[0])


def test_a_host_without_a_link_is_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: u55c\npcie: null\n", encoding="utf-8")
    with pytest.raises(InputError, match="without the link 'pcie'"):
        load_board(path)


def test_hbm_sizes():
    assert require_hbm(load_board("u55c")).hbm.size_bytes == 16 * 2**30
    assert require_hbm(load_board("u280")).hbm.size_bytes == 8 * 2**30


def test_bytes_per_cycle():
    board = require_hbm(load_board("u55c"))
    assert board.hbm_bytes_per_cycle_per_channel() == 57.5  # 14.375 GB/s at 250 MHz
    assert board.hbm_bytes_per_cycle_per_channel(500) == 28.75
    assert board.hbm_bytes_per_cycle_per_channel(sustained=True) == pytest.approx(53.08)


def test_latencies():
    hbm = require_hbm(load_board("u55c")).hbm
    assert hbm.read_latency_cycles(250) == 58  # 229 ns
    assert hbm.read_latency_cycles(250, "hit") == 31  # 106.7 + 15.6 ns
    assert hbm.read_latency_ns("hit") < hbm.read_latency_ns("closed") < hbm.read_latency_ns("miss")


@given(st.floats(min_value=1, max_value=1e3), st.floats(min_value=1, max_value=1e3))
def test_bandwidth_does_not_depend_on_the_clock_it_is_seen_at(one_mhz, other_mhz):
    hbm = require_hbm(load_board("u55c")).hbm
    rates = [hbm.bytes_per_cycle_per_channel(clock) * clock for clock in (one_mhz, other_mhz)]
    assert rates[0] == pytest.approx(rates[1])


@pytest.mark.parametrize("name", FPGAS)
def test_slr_budgets_fit_the_die(name):
    fabric = require_hbm(load_board(name)).fabric
    assert len(fabric.slrs) == 3
    assert sum(slr.lut.count for slr in fabric.slrs) == 1146240 < fabric.lut.count
    assert sum(slr.dsp.count for slr in fabric.slrs) == 8376 < fabric.dsp.count
    assert sum(slr.bram18.count for slr in fabric.slrs) == 3552 < 2 * fabric.bram36.count
    assert sum(slr.uram.count for slr in fabric.slrs) == 960 == fabric.uram.count


def test_onchip_memory_is_what_the_paper_calls_41_mb():
    fabric = require_hbm(load_board("u55c")).fabric
    assert fabric.onchip_bytes == 2016 * 36 * 128 + 960 * 288 * 128
    assert fabric.usable_onchip_bytes / 2**20 == pytest.approx(41, abs=1)


@pytest.mark.parametrize("name", ALL_FPGAS)
def test_power_and_launch_brackets_are_ordered(name):
    board = load_board(name)
    assert isinstance(board, FpgaBoard)
    power, launch = board.power, board.launch
    assert power.load_low_w.value < power.load_w.value < power.load_high_w.value < power.tdp_w.value
    assert power.idle_w.value < power.load_w.value
    assert launch.queued_us.value < launch.single_low_us.value < launch.back_to_back_us.value
    assert launch.back_to_back_us.value < launch.single_high_us.value < launch.token_gap_us.value


def test_duration_of_a_cycle():
    board = require_hbm(load_board("u55c"))
    assert board.clock_ns == 4


def test_gpus_are_rows_not_targets():
    board = load_board("a100")
    assert isinstance(board, GpuBoard)
    assert board.peak_bandwidth_gb_per_s == 1935
    with pytest.raises(InputError) as caught:
        require_hbm(board)
    assert str(caught.value) == (
        "board 'a100' has no HBM pseudo-channels for dataflow kernels; choose one of kv260, u280, u55c, v80, vhk158"
    )
