"""Words that are encoded, flipped and decoded in hardware, beside a model of the extended Hamming code.

The model is the definition: a word has positions from 1 on, those that are powers of two are check bits, the positions
of all ones have the exclusive or 0, and one more bit makes their number even.  What a decoder shall do is no model's
answer, but follows from what was flipped.
"""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import xor
from pathlib import Path
from typing import Literal

import numpy as np

MOST = 64
"""Data bits of a word; wider ones are several."""
_CLOCK = Path(__file__).parents[3] / "tests" / "module_bench.cpp"
_LANE = """
  if (1) begin : width_{width}
    logic [{width}+{coded}-1:0] given [0:{last}];
    logic [{width}-1:0] data, stored, corrected;
    logic [{checks}-1:0] checks, kept;
    logic [{words}-1:0] failed;
    int at = 0, told;
    initial begin $readmemh("{width}.in", given); told = $fopen("{width}.out", "w"); end
    assign data = given[at][{width}-1:0];
    assign {{kept, stored}} = {{checks, data}} ^ given[at][{width} +: {coded}];
    secded_encode #(.WIDTH({width})) encode (.data(data), .checks(checks));
    secded_decode #(.WIDTH({width})) decode (.stored(stored), .checks(kept), .data(corrected), .failed(failed));
    always @(posedge clk) if (!reset && at <= {last}) begin
      $fwrite(told, "%h %h %h\\n", checks, corrected, failed);
      if (at == {last}) $fclose(told);
      at <= at + 1;
    end
  end
"""
_TICKS = """
module ticks;
  logic clk = 0, reset = 1;
  bench bench (.clk(clk), .reset(reset));
  initial begin
    repeat (2 * {clocks} + 4) begin #1 clk = !clk; if (!clk) reset = 0; end
    $finish;
  end
endmodule
"""
Simulator = Literal["verilator", "icarus"]


@dataclass(frozen=True)
class Flips:
    """Data of a width, and what is flipped of each once it is coded."""

    width: int
    data: list[int]
    flipped: list[tuple[int, ...]]  # places: data, then the checks of each word


@dataclass(frozen=True)
class Decoded:
    """What hardware made of them, a number per case."""

    checks: list[int]
    data: list[int]
    failed: list[int]  # a bit per word


def check_bits(bits: int) -> int:
    """The check bits that a word takes: enough to name every position and none, and a parity."""
    return next(count for count in range(1, bits + 3) if 2**count > bits + count) + 1


def shape(width: int) -> tuple[int, int]:
    """The number of words, and the check bits of each, which are those of the widest."""
    return -(-width // MOST), check_bits(min(width, MOST))


def coded(width: int) -> int:
    """Bits of data and checks."""
    words, checks = shape(width)
    return width + words * checks


def word_of(width: int, place: int) -> int:
    """The word that a place belongs to."""
    return place // MOST if place < width else (place - width) // shape(width)[1]


def encoded(width: int, data: int) -> int:
    """The check bits of all words, those of the first lowest."""
    words, checks = shape(width)
    found = 0
    for word in range(words):
        bits = min(MOST, width - MOST * word)
        found |= _word_checks(bits, checks, data >> MOST * word) << checks * word
    return found


def _word_checks(bits: int, checks: int, data: int) -> int:
    free = (place for place in range(1, 2 * bits + 3) if place.bit_count() > 1)
    ones = {place for n, place in zip(range(bits), free, strict=False) if data >> n & 1}
    hamming = reduce(xor, ones, 0)  # each bit of it is the one at the position of its power of two
    return hamming | (len(ones) + hamming.bit_count()) % 2 << checks - 1


def all_flips(width: int, seed: int, doubles: int | None = None) -> Flips:
    """No flip, all single ones, and all double ones or so many drawn ones, half of them within a word; drawn data.

    Args:
        width: data bits.
        seed: of what is drawn.
        doubles: number of double flips that are drawn, None for all that there are.
    """
    draw = np.random.default_rng([seed, width])
    places = coded(width)
    pairs = list(combinations(range(places), 2))
    if doubles is not None:
        within = [pair for pair in pairs if word_of(width, pair[0]) == word_of(width, pair[1])]
        halves = ((of, min(len(of), doubles // 2)) for of in (pairs, within))
        pairs = [of[n] for of, count in halves for n in draw.choice(len(of), count, replace=False)]
    flipped = [(), *((place,) for place in range(places)), *pairs]
    data = [int.from_bytes(draw.bytes(-(-width // 8)), "little") % 2**width for _ in flipped]
    return Flips(width, data, flipped)


def wanted(flips: Flips) -> Decoded:
    """What the definition asks for: a word with one flip is right again, one with two is as it is stored and told."""
    width = flips.width
    data, failed = [], []
    for each, places in zip(flips.data, flips.flipped, strict=True):
        words = [word_of(width, place) for place in places]
        lost = {word for word in words if words.count(word) > 1}
        data.append(each ^ sum(1 << place for place in places if place < width and word_of(width, place) in lost))
        failed.append(sum(1 << word for word in lost))
    return Decoded([encoded(width, each) for each in flips.data], data, failed)


def run_flips(cases: Sequence[Flips], module: Path, folder: Path, simulator: Simulator) -> list[Decoded]:
    """Builds a bench of all widths and runs it.

    Args:
        cases: one for each width.
        module: text of the coder and the decoder.
        folder: empty folder to build in.
        simulator: what runs it.
    """
    lanes = []
    for each in cases:
        words, checks = shape(each.width)
        given = (
            sum(1 << each.width + place for place in places) | data
            for data, places in zip(each.data, each.flipped, strict=True)
        )
        (folder / f"{each.width}.in").write_text("".join(f"{number:x}\n" for number in given))
        facts = {"width": each.width, "coded": coded(each.width), "words": words, "checks": words * checks}
        lanes.append(_LANE.format(last=len(each.data) - 1, **facts))
    clocks = max(len(each.data) for each in cases)
    (folder / "bench.sv").write_text(f"module bench (input logic clk, reset);\n{''.join(lanes)}endmodule\n")
    (folder / "ticks.sv").write_text(_TICKS.format(clocks=clocks))
    verilator = (
        "verilator",
        "--cc",
        "--exe",
        "--build",
        "-j",
        "2",
        "-Wno-fatal",
        "-Wno-lint",
        "--top-module",
        "bench",
        "--Mdir",
        "model",
        "bench.sv",
        module.resolve(),
        _CLOCK.resolve(),
    )
    icarus = ("iverilog", "-g2012", "-s", "ticks", "-o", "ticks.vvp", "ticks.sv", "bench.sv", module.resolve())
    commands = {
        "verilator": (verilator, (folder / "model" / "Vbench", str(clocks))),
        "icarus": (icarus, ("vvp", "ticks.vvp")),
    }
    for command in commands[simulator]:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, (ran.stderr + ran.stdout)[-3000:]
    return [_read(folder / f"{each.width}.out") for each in cases]


def _read(path: Path) -> Decoded:
    rows = [[int(word, 16) for word in line.split()] for line in path.read_text().splitlines()]
    return Decoded(*(list(column) for column in zip(*rows, strict=True)))


def is_there(simulator: Simulator) -> bool:
    """Whether a simulator is installed."""
    return shutil.which({"verilator": "verilator", "icarus": "iverilog"}[simulator]) is not None
