"""The shipped boards: every number accounted for, and the totals that they must add up to."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sttest.boards.board import FpgaBoard, GpuBoard
from sttest.boards.load import DATA_DIR, board_names, load_board, require_hbm
from sttest.boards.part import Quantity
from sttest.boards.resources import process_bound, slr_capacity
from sttest.core.errors import InputError

FPGAS = ("u280", "u55c", "u50", "f2")
"""Boards with two stacks of HBM2 behind 32 ports."""
ALL_FPGAS = (*FPGAS, "v80", "vhk158", "kv260", "vck5000")
NAMES = sorted((*ALL_FPGAS, "a100", "duplex", "pim-gpt", "rtx2080ti", "sn40l", "wse-2"))


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


LOGS_OF_OTHERS = (
    "Vitis-Tutorials@0b71944 ",
    "Vitis_Accel_Examples@7249a1a ",
    "Xilinx/xbtest branch 6.0 (8853d22)",
    "aws/aws-fpga ",
    "jnbrq/hbmex-fccm2025@239e2be ",
)
"""Public repositories, none of them ours, with logs of running cards."""


@pytest.mark.parametrize("name", NAMES)
def test_no_shipped_number_claims_to_be_ours(name):
    """What was read off a card, and what was fitted to such readings, was read by others, whom its source names first.

    What a DSP takes follows from an assumption and from toggles that were counted here, in simulation.
    """
    found = list(quantities(load_board(name)))
    assert len(found) >= 7
    assert all(len(quantity.source) > 8 for quantity in found)
    read_off = {"measured", "fitted", "derived"}
    assert {quantity.kind for quantity in found} <= {"datasheet", "published", "assumed", *read_off}
    for quantity in found:
        if quantity.kind in read_off and (quantity.kind, quantity.unit) != ("derived", "pJ/cycle"):
            assert quantity.source.startswith(LOGS_OF_OTHERS), quantity.source


@pytest.mark.parametrize("name", FPGAS)
def test_hbm_adds_up_to_460_gb_per_s(name):
    board = require_hbm(load_board(name))
    assert board.peak_bandwidth_gb_per_s == 32 * 14.375 == 460
    # 13.2 GB/s per channel, read of a U50 and a U280; 13.32 of an F2.
    assert board.sustained_bandwidth_gb_per_s == pytest.approx(32 * (13.32 if name == "f2" else 13.2))
    assert board.hbm.axi_port_gb_per_s == 256 / 8 * 0.45


@pytest.mark.parametrize(
    ("name", "slrs"), [("v80", 3), ("vhk158", 2), ("kv260", 1), ("u50", 2), ("f2", 3), ("vck5000", 1)]
)
def test_what_kernels_have_of_other_dies_is_within_them(name, slrs):
    fabric = require_hbm(load_board(name)).fabric
    assert len(fabric.slrs) == slrs
    for part, die in (("lut", fabric.lut), ("dsp", fabric.dsp), ("uram", fabric.uram)):
        assert 0 < sum(getattr(slr, part).count for slr in fabric.slrs) <= die.count, part
    assert sum(slr.bram18.count for slr in fabric.slrs) <= 2 * fabric.bram36.count
    assert fabric.ff.count == pytest.approx(2 * fabric.lut.count, rel=1e-3)
    assert require_hbm(load_board(name)).onchip_mb.value == pytest.approx(fabric.onchip_bytes / 1e6, abs=1.5)


def test_memories_of_other_boards_add_up():
    hbm2e, ddr4 = (require_hbm(load_board(name)).hbm for name in ("v80", "kv260"))
    assert require_hbm(load_board("vhk158")).hbm == hbm2e
    assert (hbm2e.peak_gb_per_s, hbm2e.size_bytes) == (pytest.approx(819.2), 32 * 2**30)
    assert ddr4.peak_gb_per_s == pytest.approx(64 / 8 * 2.4)
    assert ddr4.size_bytes == pytest.approx(4 * 2**30, rel=1e-6)
    assert ddr4.sustained_gb_per_s / ddr4.peak_gb_per_s == pytest.approx(0.845)
    three = require_hbm(load_board("vck5000")).hbm
    assert three.peak_gb_per_s == pytest.approx(3 * 64 / 8 * 3.2)
    assert three.size_bytes == 12 * 2**30
    assert three.sustained_gb_per_s == pytest.approx(53.3576, rel=1e-4)  # 16 readers of 256 bits, pc2/sus-xrt


def test_a_v80_has_64_ports_of_half_a_pseudo_channel_each():
    board = require_hbm(load_board("v80"))
    assert (board.hbm.axi_ports.count, board.hbm.axi_port_bits.count, board.hbm.axi_port_mhz.count) == (64, 256, 400)
    assert (board.hbm.axi_port_gb_per_s, board.hbm.ports_per_channel) == (12.8, 2)
    feed = board.feed
    assert (feed.channels, feed.ports, feed.bytes_per_channel) == (64, 64, 2**29)
    assert (feed.peak_gb_per_s_per_channel, feed.limit_gb_per_s_per_channel) == (12.8, 12.8)
    assert board.peak_bandwidth_gb_per_s == pytest.approx(board.hbm.peak_gb_per_s)
    assert feed.gb_per_s == pytest.approx(board.hbm.sustained_gb_per_s)
    assert board.banks("ddr") == range(64, 65)
    assert all(require_hbm(load_board(name)).hbm.ports_per_channel == 1 for name in ("u55c", "u50", "f2", "kv260"))


@pytest.mark.parametrize(
    ("name", "slrs"),
    [
        ("u55c", [(386_000, 2_664), (364_000, 2_784), (381_000, 2_856)]),
        ("u280", [(369_000, 2_733), (333_000, 2_877), (367_000, 2_880)]),
        ("u50", [(365_000, 2_580)] * 2),
        ("f2", [(380_240, 2_632), (325_920, 2_256), (434_560, 3_008)]),
        ("v80", [(900_224, 3_984), (820_224, 3_456), (853_760, 3_408)]),
        ("vhk158", [(900_224, 3_984), (853_760, 3_408)]),
        ("vck5000", [(899_840, 1_968)]),
    ],
)
def test_what_kernels_have_of_each_slr(name, slrs):
    """Numbers of their sources: UG1120 as FINN has it, Vivado's counts, AWS's floorplan."""
    fabric = require_hbm(load_board(name)).fabric
    assert [(slr.lut.count, slr.dsp.count) for slr in fabric.slrs] == slrs


@pytest.mark.parametrize("name", ["v80", "vhk158", "vck5000"])
def test_counts_of_slrs_without_a_shell_add_up_to_the_die(name):
    fabric = require_hbm(load_board(name)).fabric
    for part, die in (("lut", fabric.lut.count), ("dsp", fabric.dsp.count), ("uram", fabric.uram.count)):
        assert sum(getattr(slr, part).count for slr in fabric.slrs) == die
    assert sum(slr.bram18.count for slr in fabric.slrs) == 2 * fabric.bram36.count


def test_the_small_shell_takes_an_eighth_of_the_die():
    fabric = require_hbm(load_board("f2")).fabric
    assert sum(slr.lut.count for slr in fabric.slrs) / fabric.lut.value == pytest.approx(0.88, abs=0.006)


@pytest.mark.parametrize("name", ALL_FPGAS)
def test_the_hbm_is_at_the_slr_that_its_source_says(name):
    beside = {"v80": 2, "vhk158": 1}
    assert require_hbm(load_board(name)).fabric.hbm_slr.count == beside.get(name, 0)


PLATFORMS = {
    "u55c": "xilinx_u55c_gen3x16_xdma_3_202210_1",
    "u280": "xilinx_u280_gen3x16_xdma_1_202211_1",
    "u50": "xilinx_u50_gen3x16_xdma_5_202210_1",
    "vck5000": "xilinx_vck5000_gen4x8_qdma_2_202220_1",
    "f2": "xilinx_aws-vu47p-f2_202410_1",
    "kv260": "kv260_custom",
}


@pytest.mark.parametrize("name", ALL_FPGAS)
def test_a_board_names_its_vitis_platform_or_says_that_there_is_none(name):
    board = require_hbm(load_board(name))
    if name in PLATFORMS:
        assert board.platform == PLATFORMS[name]
        return
    assert board.toolchain.platform is None
    with pytest.raises(InputError, match=f"Vitis has no platform for board '{name}'"):
        _ = board.platform


MIB = 2**20


@pytest.mark.parametrize("name", ["u55c", "u280", "u50"])
def test_rates_of_xrt_are_of_decimal_bytes(name):
    """XRT's dmatest.h prints MB of 2^20 bytes: 10939.2 to the card, 11910.9 from it."""
    pcie = require_hbm(load_board(name)).pcie
    assert pcie is not None
    assert pcie.host_to_card_gb_per_s.value == pytest.approx(10939.2 * MIB / 1e9, rel=1e-5)
    assert pcie.card_to_host_gb_per_s.value == pytest.approx(11910.9 * MIB / 1e9, rel=1e-5)


OPENED = (
    "AMBA AXI",
    "AMD PG313",
    "AMD UG1120 'U50",
    "AMD UG1273",
    "AMD UG1393",
    "AMD UG1442",
    "JEDEC",
    "LUT-FPGA/LUT-LLM bc33fe2",
    "Xilinx/AVED branch aved-docs",
    "Xilinx/Alveo-Versal-Platforms 91dd162",
    "Xilinx/Vitis-Tutorials",
    "Xilinx/finn src/finn/util/platforms.py (commit 39f0c9a)",
    "Xilinx/xbtest branch 6.0",
    "aws/aws-fpga v2.0.2",
    "default of Vitis HLS",
    "one SLR:",
    "pc2/sus-xrt 1175e9b",
    "sharc-lab/gnn-builder",
)
"""Documents and files that were opened for the boards below; what rests on another one is recalled, and says so."""
DATA_SHEETS = ("DS965", "UG1531", "product brief", "product table")
"""Documents that could not be opened."""


def own_lines(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The quantities that a board's file states itself, by their place."""

    def walk(keys: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
        items = keys.items() if isinstance(keys, dict) else enumerate(keys) if isinstance(keys, list) else ()
        if isinstance(keys, dict) and "value" in keys:
            yield place, keys
            return
        for key, value in items:
            yield from walk(value, f"{place}.{key}")

    yield from walk(yaml.safe_load((DATA_DIR / f"{name}.yaml").read_text(encoding="utf-8")), name)


@pytest.mark.parametrize("name", ["u50", "f2", "vck5000"])
def test_what_claims_a_document_names_one_that_was_opened(name):
    found = dict(own_lines(name))
    assert len(found) > 20
    for place, quantity in found.items():
        source = quantity["source"]
        if quantity["kind"] != "assumed":
            assert any(document in source for document in OPENED), place
        elif any(document in source for document in DATA_SHEETS):
            assert "recalled" in source, place


@pytest.mark.parametrize("name", ["u55c", "u280", "v80", "vhk158"])
def test_slrs_of_boards_name_a_file_that_was_opened(name):
    lines = {place: each for place, each in own_lines(name) if ".slrs." in place or place.endswith("hbm_slr")}
    assert len(lines) % 4 == 1
    for place, quantity in lines.items():
        derived = quantity["kind"] == "assumed" and quantity["source"].startswith("the V80's SLR0 and SLR2")
        assert derived or any(document in quantity["source"] for document in OPENED), place


def test_a_process_of_a_die_without_boundaries_is_bound_by_its_only_slr():
    for name in ("kv260", "vck5000"):
        fabric = require_hbm(load_board(name)).fabric
        assert process_bound(fabric, "all") == slr_capacity(fabric.slrs[0])


def test_a_host_without_a_link_is_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: u55c\npcie: null\n", encoding="utf-8")
    with pytest.raises(InputError, match="without the link 'pcie'"):
        load_board(path)


def test_hbm_sizes():
    assert require_hbm(load_board("u55c")).hbm.size_bytes == 16 * 2**30
    assert require_hbm(load_board("u280")).hbm.size_bytes == 8 * 2**30
    assert require_hbm(load_board("u50")).hbm.size_bytes == 8 * 2**30
    assert require_hbm(load_board("f2")).hbm.size_bytes == 16 * 2**30


def test_bytes_per_cycle():
    board = require_hbm(load_board("u55c"))
    assert board.hbm_bytes_per_cycle_per_channel() == 57.5  # 14.375 GB/s at 250 MHz
    assert board.hbm_bytes_per_cycle_per_channel(500) == 28.75
    assert board.hbm_bytes_per_cycle_per_channel(sustained=True) == pytest.approx(52.8)  # 13.2 GB/s


def test_latencies():
    hbm = require_hbm(load_board("u55c")).hbm
    assert hbm.read_latency_cycles(250) == 50  # 200 ns
    assert hbm.read_latency_cycles(250, "hit") == 31  # 106.7 + 15.6 ns
    assert hbm.read_latency_ns("hit") < hbm.read_latency_ns("closed") < hbm.read_latency_ns("miss")


@given(st.floats(min_value=1, max_value=1e3), st.floats(min_value=1, max_value=1e3))
def test_bandwidth_does_not_depend_on_the_clock_it_is_seen_at(one_mhz, other_mhz):
    hbm = require_hbm(load_board("u55c")).hbm
    rates = [hbm.bytes_per_cycle_per_channel(clock) * clock for clock in (one_mhz, other_mhz)]
    assert rates[0] == pytest.approx(rates[1])


def test_onchip_memory_is_what_the_paper_calls_41_mb():
    fabric = require_hbm(load_board("u55c")).fabric
    assert fabric.onchip_bytes == 2016 * 36 * 128 + 960 * 288 * 128
    assert fabric.usable_onchip_bytes / 2**20 == pytest.approx(41, abs=1)
    assert sum(slr.uram.count for slr in fabric.slrs) == fabric.uram.count


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
        "board 'a100' has no HBM pseudo-channels for dataflow kernels; "
        "choose one of f2, kv260, u280, u50, u55c, v80, vck5000, vhk158"
    )
