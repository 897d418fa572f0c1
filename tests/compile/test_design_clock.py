"""A placed design at other clocks: the HBM keeps its own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.resources.clock import TimeAtClock, graph_at, placed_clocks, times_at_clocks
from sttest.compile.resources.placement import SlrPlacement, place
from sttest.frontend.shipped import lowered_text


@cache
def placed() -> tuple[CompiledDesign, SlrPlacement]:
    options = CompileOptions(precision="w4a8", overall_unroll=1200, beat_bits=128)
    design = compile_text(lowered_text("gpt2", "decode", small=True), "small", "u55c", options)
    return design, place(design)


@pytest.mark.parametrize(("mhz", "gb_per_s"), [(250, 13.2), (225, 13.2), (200, 12.8), (100, 6.4)])
def test_a_channel_keeps_its_bandwidth_until_a_port_of_512_bits_is_too_slow(mhz: float, gb_per_s: float) -> None:
    design = compile_text(lowered_text("gpt2", "decode", small=True), "wide", "u55c", CompileOptions(precision="w4a8"))
    graph = graph_at(design.graph, design.board, mhz)
    # A beat takes a whole number of 1/256 cycles, so up to 1/512 more or less than 13.2 GB/s ask for.
    assert graph.clock_mhz == mhz
    for channel in graph.channels:
        assert float(channel.bytes_per_cycle()) * mhz / 1e3 == pytest.approx(gb_per_s, rel=1 / 512)
        assert channel.latency == -(-200 * mhz // 1000)


def test_at_the_boards_clock_it_is_the_same_graph() -> None:
    design, found = placed()
    assert graph_at(found.graph, design.board, design.board.clock_mhz.value) == found.graph


def test_another_clock_has_the_channels_of_a_design_compiled_for_it(tmp_path: Path) -> None:
    path = tmp_path / "slow.yaml"
    path.write_text("extends: u55c\nclock_mhz: {value: 200}", encoding="utf-8")
    design, _ = placed()
    slow = compile_text(lowered_text("gpt2", "decode", small=True), "small", str(path), design.options)
    assert graph_at(design.graph, design.board, 200).channels == slow.graph.channels
    assert slow.graph.channels != design.graph.channels


def test_a_slower_clock_takes_longer_and_no_more_cycles() -> None:
    design, found = placed()
    band = placed_clocks(design, found)
    low, middle, high, compiled = times_at_clocks(design, found, band)
    assert (low.clock_mhz, middle.clock_mhz, high.clock_mhz, compiled.clock_mhz) == (
        band.low,
        band.middle,
        band.high,
        250,
    )
    assert low.us is not None
    assert middle.us is not None
    assert high.us is not None
    assert low.us > middle.us > high.us
    assert compiled.cycles == found.cycles[1]


def test_the_share_is_that_of_the_fullest_slr() -> None:
    """Some 199,500 LUTs in SLR2, 87 % of the budget of 60 %, are 46 % of a third of the die's 1,303,680."""
    design, found = placed()
    usable = (386_000 - 32 * 5_000, 364_000, 381_000)  # SLR0 has 32 ports of the HBM switch
    luts = [0.6 * slr * share.lut for slr, share in zip(usable, found.partition.shares, strict=True)]
    assert max(luts) / (1_303_680 / 3) == pytest.approx(0.459, abs=1e-3)
    assert any("46% of the LUTs" in remark for remark in placed_clocks(design, found).remarks)


def test_tokens_per_second() -> None:
    assert TimeAtClock("middle", 200, 1000).per_s(4) == pytest.approx(800_000)
    assert TimeAtClock("middle", 200, None).per_s(4) is None
