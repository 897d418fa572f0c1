"""Modules with the ports of a FIFO, many at a time, under Verilator with random puts and takes."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

MOST = 64
"""FIFOs of one bench: the bits of a word."""
needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")

_TOP = """
module bench (
  input logic clk, reset, input logic [63:0] want_put, want_take,
  output logic [63:0] put, take, space, avail, wrong
);
{checks}
  assign {{put[63:{count}], take[63:{count}], space[63:{count}], avail[63:{count}], wrong[63:{count}]}} = '0;
endmodule
"""
# The tokens of a FIFO are its numbers, spread over the width; `model`, where there is one, shall do as `checked` does.
_CHECK = """
  if (1) begin : fifo_{number}
    logic [63:0] entered, left;
    logic [{width}-1:0] put_data, take_data, expected;
    logic is_same;
    assign put[{number}] = want_put[{number}] & space[{number}];
    assign take[{number}] = want_take[{number}] & avail[{number}];
    logic [{lanes}-1:0][63:0] entering, leaving;
    for (genvar lane = 0; lane < {lanes}; lane++) begin
      assign entering[lane] = (entered + 64'(lane + 1)) * 64'h9e37_79b9_7f4a_7c15;
      assign leaving[lane] = left < {initial} ? '0 : (left - {initial} + 64'(lane + 1)) * 64'h9e37_79b9_7f4a_7c15;
    end
    assign put_data = entering >> 64 * {lanes} - {width};
    assign expected = leaving >> 64 * {lanes} - {width};
    always_ff @(posedge clk)
      if (reset) begin entered <= '0; left <= '0; end
      else begin entered <= entered + 64'(put[{number}]); left <= left + 64'(take[{number}]); end
    {module} checked (
      .clk, .reset, .put(put[{number}]), .put_data, .space(space[{number}]), .take(take[{number}]), .take_data,
      .avail(avail[{number}])
    );
    {model}
    assign wrong[{number}] = (avail[{number}] & take_data != expected) | ~is_same;
  end
"""
_MODEL = """logic model_space, model_avail;
    logic [{width}-1:0] model_data;
    {module} model (
      .clk, .reset, .put(put[{number}]), .put_data, .space(model_space), .take(take[{number}]),
      .take_data(model_data), .avail(model_avail)
    );
    assign is_same = model_space == space[{number}] & model_avail == avail[{number}]
                   & (model_data == take_data | ~model_avail);"""


@dataclass(frozen=True)
class BenchFifo:
    """A module with the ports of a FIFO."""

    module: str  # name with parameters
    width: int
    initial: int = 0
    model: str = ""  # another module that shall do the same in every cycle


@dataclass(frozen=True)
class Trace:
    """What happened, a row per cycle and a column per FIFO."""

    put: np.ndarray
    take: np.ndarray
    space: np.ndarray
    avail: np.ndarray
    wrong: np.ndarray


def run_bench(fifos: Sequence[BenchFifo], sources: Sequence[Path], folder: Path, cycles: int, seed: int = 1) -> Trace:
    """Builds a bench of up to 64 FIFOs and runs it.

    Args:
        fifos: modules under test.
        sources: their texts.
        folder: empty folder to build in.
        cycles: clock cycles after reset.
        seed: of puts and takes.
    """
    checks = "".join(_check(number, fifo) for number, fifo in enumerate(fifos))
    (folder / "bench.sv").write_text(_TOP.format(checks=checks, count=len(fifos)))
    command = (
        "verilator", "--cc", "--exe", "--build", "-j", "2", "--x-assign", "0", "--x-initial", "0", "-Wno-fatal",
        "-Wno-lint", "--output-split", "100000", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
        "--top-module", "bench", "--Mdir", folder / "model", "bench.sv", *(path.resolve() for path in sources),
        Path(__file__).with_suffix(".cpp").resolve(),
    )  # fmt: skip
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3000:]
    ran = subprocess.run([folder / "model" / "Vbench", str(cycles), str(seed)], capture_output=True, check=True)
    words = np.frombuffer(ran.stdout, "<u8").reshape(cycles, 5)
    bits = np.unpackbits(words.view(np.uint8).reshape(cycles, 5, 8), axis=2, bitorder="little").astype(bool)
    return Trace(*(bits[:, signal, : len(fifos)] for signal in range(5)))


def _check(number: int, fifo: BenchFifo) -> str:
    facts = {"number": number, "width": fifo.width, "initial": fifo.initial, "lanes": -(-fifo.width // 64)}
    model = _MODEL.format(module=fifo.model, **facts) if fifo.model else "assign is_same = 1'b1;"
    return _CHECK.format(module=fifo.module, model=model, **facts)
