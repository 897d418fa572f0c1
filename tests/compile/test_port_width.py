"""Ports of other widths: what a channel gives behind them, in times and in C++."""

from __future__ import annotations

from sttest.boards.load import load_board, require_hbm
from sttest.compile.channels.memory_ports import bytes_per_cycle
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import lowered_text
from sttest.sim.graph import MemoryPort


def compiled(beat_bits: int) -> CompiledDesign:
    return compile_text(
        lowered_text("gpt2", "decode", small=True), "small", "u55c", CompileOptions(beat_bits=beat_bits)
    )


def test_a_channel_gives_a_beat_per_cycle_at_most() -> None:
    board = require_hbm(load_board("u55c"))
    sustained = board.hbm_bytes_per_cycle_per_channel(sustained=True)
    assert 32 < sustained < 64
    hbm, clock_mhz = board.tier("hbm"), board.clock_mhz.value
    assert [bytes_per_cycle(hbm, clock_mhz, beat) for beat in (16, 32, 64)] == [16, 32, sustained]


def test_narrow_ports_are_timed_and_emitted() -> None:
    design = compiled(256)
    # 13.2 GB/s are 52.8 bytes a cycle: the port's 32 are what counts, a beat per cycle.
    assert {each.beat_bytes for each in design.graph.channels} == {32}
    assert {each.bytes_per_cycle() for each in design.graph.channels} == {32}
    text = emit_design(design).text
    assert "ap_uint<512>" not in text
    ports = [each for each in design.graph.processes if isinstance(each, MemoryPort)]
    assert text.count("mode=m_axi") == text.count("max_widen_bitwidth=256") == len(ports)
