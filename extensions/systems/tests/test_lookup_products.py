"""Products by table look-up, against numpy: every width of the results' own factors, all extremes among the numbers."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

from sttest_systems.lookup_products.experiment import SOURCE

STEPS, LATENCY = 40, 3


def packed(rows: np.ndarray, bits: int) -> list[str]:
    """Each row as a hexadecimal number, its first element lowest."""
    return [f"{sum((int(each) & (1 << bits) - 1) << bits * n for n, each in enumerate(row)):x}" for row in rows]


def bench(lanes: int, shared: int, other: int, results: int) -> str:
    width = shared + other + (lanes - 1).bit_length()
    return f"""module top;
  logic clk = 0;
  logic [{lanes * shared - 1}:0] xs [{STEPS}];
  logic [{results * lanes * other - 1}:0] ws [{STEPS}];
  logic [{lanes * shared - 1}:0] x;
  logic [{results * lanes * other - 1}:0] w;
  logic [{results * width - 1}:0] sums;
  lookup_products #(.LANES({lanes}), .SHARED({shared}), .OTHER({other}), .RESULTS({results})) products (
    .clk, .ce(1'b1), .shared(x), .other(w), .sums);
  always #1 clk = !clk;
  initial begin
    $readmemh("x.hex", xs); $readmemh("w.hex", ws);
    for (int n = 0; n < {STEPS + LATENCY}; n++) begin
      x = xs[n % {STEPS}]; w = ws[n % {STEPS}];
      @(posedge clk); #0.5;
      if (n >= {LATENCY - 1} && n < {STEPS + LATENCY - 1}) $display("%h", sums);
    end
    $finish;
  end
endmodule
"""


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="iverilog not found; apt-get install iverilog")
@pytest.mark.parametrize(("other", "results", "lanes"), [(1, 3, 8), (2, 2, 16), (3, 1, 4), (4, 2, 8)])
def test_sums_are_those_of_multiplication(other, results, lanes, tmp_path):
    random, shared = np.random.default_rng(other), 8
    x = random.integers(-128, 128, (STEPS, lanes))
    w = random.integers(-(1 << other - 1), max(1, 1 << other - 1), (STEPS, results, lanes))
    x[0], w[0], x[1], w[1] = -128, -(1 << other - 1), 127, -(1 << other - 1)
    (tmp_path / "x.hex").write_text("\n".join(packed(x, shared)))
    (tmp_path / "w.hex").write_text("\n".join(packed(w.reshape(STEPS, -1), other)))
    (tmp_path / "top.sv").write_text(bench(lanes, shared, other, results))
    run = {"cwd": tmp_path, "check": True, "capture_output": True, "text": True, "timeout": 60}
    subprocess.run(["iverilog", "-g2012", "-s", "top", "-o", "bench", "top.sv", SOURCE], **run)
    # Icarus warns of a standard that readmemh does not follow.
    found = [line for line in subprocess.run(["vvp", "-n", "bench"], **run).stdout.splitlines() if "WARN" not in line]
    width = shared + other + (lanes - 1).bit_length()
    wanted = np.einsum("tl,trl->tr", x, w)
    assert found == [f"{int(row, 16):0{len(found[0])}x}" for row in packed(wanted, width)]
