"""`sttest board`: quantities with provenance, and the bandwidth check against arithmetic of its own."""

import json
from fractions import Fraction

import pytest

from sttest.boards.board import FpgaBoard
from sttest.boards.load import board_names, load_board
from sttest.studies.board_check import bandwidth_graph, check_bandwidth


def fpga(name) -> FpgaBoard:
    board = load_board(name)
    assert isinstance(board, FpgaBoard)
    return board


def test_json_holds_every_quantity_with_its_provenance(sttest):
    told = json.loads(sttest("board", "u55c", "--json").stdout)
    assert told["schema"] == "sttest.board/1"
    channels = told["quantities"]["memory.hbm.pseudo_channels"]
    assert channels.keys() == {"value", "unit", "source", "kind"}
    assert channels["value"] == told["bandwidth"]["channels"] == 32
    assert told["quantities"]["fabric.slrs[2].dsp"]["value"] == 2856


def test_text_has_units_kinds_and_sources_on_one_line_each(sttest):
    text = sttest("board", "u55c").stdout
    line = next(line for line in text.splitlines() if "sustained_gb_per_s_per_channel" in line)
    assert line.split()[1:4] == ["13.2", "GB/s", "measured"]
    assert "Vitis_Accel_Examples" in line
    assert "of the declared sustained" in text
    assert all(line == line.rstrip() for line in text.splitlines())
    assert "1,303,680" in text


def test_a_gpu_has_quantities_but_no_bandwidth_check(sttest):
    assert json.loads(sttest("board", "a100", "--json").stdout)["bandwidth"] is None
    assert "no HBM" in sttest("board", "a100").stdout


@pytest.mark.parametrize("name", ["u55c", "u280", "kv260", "u50", "f2", "v80", "vck5000"])
def test_the_model_reaches_the_declared_bandwidth_but_for_latency(name):
    """No burst loses a part of a cycle: beats take the number of 1/256 cycles that is nearest to the declared rate.

    Beside the beats there is the latency of a saturated channel, once; then a FIFO in RAM passes the last token in 2
    cycles, and the kernel finishes in the next.
    """
    board = fpga(name)
    check, channel = check_bandwidth(board), bandwidth_graph(board).channels[0]
    beats = check.streamed_bytes // check.channels // channel.beat_bytes
    assert check.cycles == Fraction(beats * channel.beats_den, channel.beats_num) + channel.busy_delay(writes=False) + 3
    declared = channel.beat_bytes / board.feed.bytes_per_cycle(board.clock_mhz.value)
    assert channel.beats_den / channel.beats_num == pytest.approx(declared, abs=0.5 / 256)
    assert check.reached_over_sustained > 0.99
    assert check.reached_over_peak < check.reached_over_sustained


def test_engines_agree_on_the_check():
    oracle, compiled = (check_bandwidth(fpga("u55c"), engine, stream_bytes=1 << 15) for engine in ("simpy", "maxplus"))
    assert oracle == compiled


def test_twice_the_channel_bandwidth_is_reached_as_far_as_a_kernel_can_take_it(tmp_path):
    what_if = tmp_path / "fast.yaml"
    what_if.write_text(
        "extends: u55c\n"
        "memory: {hbm: {peak_gb_per_s_per_channel: {value: 28.75, unit: GB/s},"
        " sustained_gb_per_s_per_channel: {value: 26.54, unit: GB/s},"
        " axi_port_bits: {value: 512, unit: bits}}}\n"
    )
    board = fpga(what_if)
    # 64 bytes per cycle of 250 MHz are 16 GB/s per channel, less the latency of the first burst.
    assert 0.99 * 16 * 32 < check_bandwidth(board).reached_gb_per_s <= 16 * 32


def test_the_graph_streams_every_channel_once():
    graph = bandwidth_graph(fpga("u55c"), stream_bytes=1 << 16)
    assert len(graph.channels) == len(graph.fifos) == 32
    assert len(graph.processes) == 2 * 32


def test_without_a_name_the_boards_are_listed(sttest):
    text = sttest("board").stdout
    told = json.loads(sttest("board", "--json").stdout)
    assert told["schema"] == "sttest.boards/1"
    assert sorted(told["boards"]) == board_names()
    assert all(name in text and title in text for name, title in told["boards"].items())


def test_what_kernels_can_be_compiled_for_comes_before_opponents(sttest):
    rows = [line.split()[:2] for line in sttest("board").stdout.splitlines() if line.startswith("  ")]
    roles = [row[1] for row in rows if row[1] in ("target", "opponent")]
    assert roles == ["target"] * 8 + ["opponent"] * 6
    targets = [row[0] for row in rows if row[1] == "target"]
    assert targets == ["f2", "kv260", "u280", "u50", "u55c", "v80", "vck5000", "vhk158"]
    told = json.loads(sttest("board", "--json").stdout)
    assert told["targets"] == list(told["boards"])[:8] == targets


def test_the_ports_of_a_kernel_are_named_where_they_are_what_limits(sttest, tmp_path):
    path = tmp_path / "fast.yaml"
    path.write_text("extends: u55c\nmemory: {hbm: {peak_gb_per_s_per_channel: {value: 28.75}}}", encoding="utf-8")
    assert "a kernel's ports take 512.0 GB/s at its clock" in sttest("board", str(path)).stdout
    told = json.loads(sttest("board", str(path), "--json").stdout)
    assert told["notes"] == []
    assert told["bandwidth"]["ports_gb_per_s"] == 512
