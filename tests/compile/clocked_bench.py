"""A module under test with its FIFOs, clocked by Icarus or Verilator: what it printed, a line for what moved."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

_MAIN = """
#include "Vbench.h"
#include <cstdlib>
int main(int, char** argv) {
  Vbench bench;
  bench.reset = 1;
  for (long cycle = -2; cycle < std::atol(argv[1]); ++cycle) {
    bench.reset = cycle < 0;
    bench.clk = 0; bench.eval();
    bench.clk = 1; bench.eval();
  }
  bench.final();
}
"""
_TOP = """
module top;
  logic clk = 0, reset = 1;
  bench made (.clk, .reset);
  initial begin
    repeat (2 * {cycles}) begin
      #1 clk = ~clk;
      if (!clk) reset = $time < 4;
    end
    $finish;
  end
endmodule
"""


def run_bench(
    modules: Mapping[str, str],
    images: Mapping[str, str],
    folder: Path,
    cycles: int,
    simulator: str,
    kinds: Collection[str],
) -> list[tuple[str, int, str]]:
    """Builds and clocks the module ``bench``, whose ports are ``clk`` and ``reset``.

    Args:
        modules: SystemVerilog by file name.
        images: files that it reads.
        folder: place for all of them.
        cycles: cycles after reset, at the least.
        simulator: ``icarus`` or ``verilator``.
        kinds: first words of the lines that count.

    Returns:
        Kind, cycle and data of each line.
    """
    texts = {**modules, **images, "main.cpp": _MAIN, "top.sv": _TOP.format(cycles=cycles + 10)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    commands = {
        "icarus": (["iverilog", "-g2012", "-s", "top", "-o", "bench", *modules, "top.sv"], ["vvp", "-n", "bench"]),
        "verilator": (
            [
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
                "-MAKEFLAGS",
                "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
                *modules,
                "main.cpp",
            ],
            [folder / "obj_dir" / "Vbench", str(cycles)],
        ),
    }
    build, run = commands[simulator]
    built = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3000:]
    ran = subprocess.run(run, cwd=folder, capture_output=True, check=True)
    fields = (line.split() for line in ran.stdout.decode().splitlines())
    return [(each[0], int(each[1]), each[2]) for each in fields if each and each[0] in kinds]
