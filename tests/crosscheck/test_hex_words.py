"""Tokens as hexadecimal lines, against Python's own integers and against what Icarus Verilog reads."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess

import numpy as np
import pytest

from sttest.crosscheck import hex_words
from sttest.crosscheck.goldens import file_stems
from sttest.crosscheck.hex_words import hex_bytes, hex_lines, word_bits
from sttest.reference.graph import BITS, NUMPY

FLOATS = {"f16": "<e", "f32": "<f"}


def drawn(dtype: str, tokens: int, lanes: int) -> list[list[float]]:
    source = random.Random(7)
    if dtype in FLOATS:
        return [[source.uniform(-9, 9) for _ in range(lanes)] for _ in range(tokens)]
    reach = 1 << BITS[dtype] - 1
    return [[source.randrange(-reach, reach) for _ in range(lanes)] for _ in range(tokens)]


def as_word(lanes: list[float], dtype: str) -> int:
    """A token as one integer, lane 0 lowest, without numpy."""
    bits, word = BITS[dtype], 0
    for number, value in enumerate(lanes):
        if dtype in FLOATS:
            pattern = int.from_bytes(struct.pack(FLOATS[dtype], value), "little")
        else:
            pattern = int(value) & (1 << bits) - 1
        word |= pattern << number * bits
    return word


def lines_of(values: list[list[float]], dtype: str) -> list[str]:
    return b"".join(hex_lines(np.array(values).astype(NUMPY[dtype]), dtype)).decode("ascii").splitlines()


@pytest.mark.parametrize("lanes", [1, 3, 16])
@pytest.mark.parametrize("dtype", BITS)
def test_a_line_is_the_token_as_one_number(dtype, lanes, monkeypatch):
    monkeypatch.setattr(hex_words, "_PIECE", 64)  # so that there are several pieces
    values = drawn(dtype, 11, lanes)
    lines = lines_of(values, dtype)
    assert [int(line, 16) for line in lines] == [as_word(token, dtype) for token in values]
    assert {len(line) for line in lines} == {-(-word_bits(dtype, lanes) // 4)}
    assert sum(len(line) + 1 for line in lines) == hex_bytes(dtype, lanes, len(values))


def test_a_token_of_two_dims_is_row_major():
    assert b"".join(hex_lines(np.array([[[1, 2], [3, 4]]], np.int8), "i8")) == b"04030201\n"


def test_a_token_that_is_a_scalar():
    assert b"".join(hex_lines(np.array([-1, 5], np.int8), "i4")) == b"f\n5\n"


@pytest.mark.parametrize(("dtype", "lanes"), [("i4", 256), ("i3", 5), ("f32", 16), ("i8", 1)])
def test_icarus_reads_the_same_words(dtype, lanes, tmp_path):
    values, bits = drawn(dtype, 9, lanes), word_bits(dtype, lanes)
    (tmp_path / "words.hex").write_bytes(b"".join(hex_lines(np.array(values).astype(NUMPY[dtype]), dtype)))
    words = read_by_icarus(tmp_path, "words.hex", bits, len(values))
    assert words == [as_word(token, dtype) for token in values]


def read_by_icarus(folder, file: str, bits: int, tokens: int) -> list[int]:
    """The words that ``$readmemh`` finds in a file of a folder, bit by bit."""
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    text = f"""module read;
  reg [{bits - 1}:0] words [0:{tokens - 1}];
  integer i;
  initial begin
    $readmemh("{file}", words);
    for (i = 0; i < {tokens}; i = i + 1) $display("%b", words[i]);
  end
endmodule
"""
    (folder / "read.v").write_text(text, encoding="ascii")
    subprocess.run(["iverilog", "-g2005", "-o", "read.vvp", "read.v"], cwd=folder, check=True)
    done = subprocess.run(["vvp", "-n", "read.vvp"], cwd=folder, check=True, capture_output=True, text=True)
    assert "WARNING" not in done.stdout + done.stderr
    return [int(line, 2) for line in done.stdout.split()]


def test_names_of_files_are_plain_and_no_two_are_the_same():
    names = ["attn.q_proj.weight", "../../etc/passwd", "a/b", "a_b", "A_B", "x" * 400, ".hidden", "größe"]
    found = file_stems(names)
    assert list(found) == names
    assert len({each.lower() for each in found.values()}) == len(names)
    for each in found.values():
        assert each.isascii()
        assert "/" not in each
        assert not each.startswith(".")
        assert len(each) < 200
    assert found["attn.q_proj.weight"] == "attn.q_proj.weight"
