"""Words with an extended Hamming code: every single flip is corrected and every double flip within a word is told."""

from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest
from fifo_bench import BenchFifo, needs_verilator, run_bench
from secded_bench import all_flips, check_bits, encoded, is_there, run_flips, wanted

import sttest.compile.rtl as rtl
from sttest_systems import faults

HDL = Path(str(files(rtl) / "hdl"))
MODULE = Path(str(files(faults))) / "secded.sv"
NARROW = range(1, 41)
# Where a code takes one more check bit, and where a word is full.
EDGES = (4, 5, 11, 12, 26, 27, 56, 57, 58, 63, 64, 65, 66, 68, 75, 90, 100, 120, 121, 127, 128, 129)
WIDE = (64, 100, 192, 247, 248, 502, 503, 512, 513, 1024)


def holds(cases, folder, simulator, module=MODULE):
    if not is_there(simulator):
        pytest.skip(f"needs {simulator}")
    for each, found in zip(cases, run_flips(cases, module, folder, simulator), strict=True):
        right = wanted(each)
        for what in ("checks", "data", "failed"):
            pairs = zip(getattr(found, what), getattr(right, what), strict=True)
            wrong = [places for places, (a, b) in zip(each.flipped, pairs, strict=True) if a != b]
            assert not wrong, f"{each.width} bits, {what}: {len(wrong)} of {len(each.data)}, first {wrong[:3]}"


def test_code_words_differ_in_four_bits():
    """So that one flip leaves a word nearer to its own code word than to any other, and two leave it at none."""
    for width in range(1, 9):
        words = [encoded(width, data) << width | data for data in range(2**width)]
        assert min((a ^ b).bit_count() for a, b in combinations(words, 2)) == 4


def test_check_bits_grow_where_the_definition_says():
    grows = [bits for bits in range(1, 600) if check_bits(bits + 1) > check_bits(bits)]
    assert grows == [1, 4, 11, 26, 57, 120, 247, 502]


def test_all_flips_of_narrow_words(tmp_path):
    holds([all_flips(width, 1) for width in NARROW], tmp_path, "icarus")


def test_flips_of_several_words(tmp_path):
    holds([all_flips(width, 2, 100) for width in (64, 65, 100, 247)], tmp_path, "icarus")


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
def test_all_flips_where_words_end(tmp_path, simulator):
    holds([all_flips(width, 3) for width in sorted({*NARROW, *EDGES})], tmp_path, simulator)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("simulator", "doubles"), [("icarus", 1000), ("verilator", 20_000)])
def test_many_flips_of_wide_words(tmp_path, simulator, doubles):
    holds([all_flips(width, 4, doubles) for width in WIDE], tmp_path, simulator)


@pytest.mark.nightly
@needs_verilator
def test_a_coded_fifo_does_what_a_plain_one_does(tmp_path):
    """In every cycle, for both kinds, with one word and several."""
    fifos = []
    for width in (1, 40, 100, 512):
        given = f".WIDTH({width}), .DEPTH(5)"
        fifos.append(BenchFifo(f"fifo_secded #({given})", width, model=f"fifo_srl #({given})"))
        fifos.append(BenchFifo(f"fifo_secded #({given}, .RAM(1))", width, model=f"fifo_ram #({given})"))
    sources = [*(HDL / f"{name}.sv" for name in ("primitives", "fifo_srl", "fifo_ram")), MODULE]
    trace = run_bench(fifos, sources, tmp_path, 5000)
    assert trace.take.sum(axis=0).min() > 1000
    assert not trace.wrong.any()
