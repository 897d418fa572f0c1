"""Pairs of modules of a process, under Verilator with random handshakes and tokens: both do the same in every clock."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

from sttest.compile.rtl.module import ModuleText, Side
from sttest.compile.rtl.payload_model import FP_PACKAGE
from sttest.targets.csim.headers import header_folders
from sttest.targets.rtl.design import _functions

needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")

_TOP = """
module bench (input logic clk, reset);
{pairs}
endmodule
"""
# Both modules get the same tokens and handshakes; when they have ended, they are reset and begin again.
_PAIR = """
  if (1) begin : pair_{number}
    logic again = 1, differs;
    int wrong = 0, given = 0, first = -1, clock = 0;
    logic [{last}:0] a_ended, a_moving, b_ended, b_moving;
{wires}
    {a} a ({a_ports});
    {b} b ({b_ports});
    assign differs = a_ended != b_ended | a_moving != b_moving{compared};
    always_ff @(posedge clk) begin
      clock <= clock + 1;
      again <= reset | (&a_ended & ~again);
{random}
      if (~reset & ~again) begin
        if (differs) wrong <= wrong + 1;
        if (differs & first < 0) first <= clock;
        if ({puts}) given <= given + 1;
      end
    end
    final $display("%0d %0d %0d %0d", {number}, wrong, given, first);
  end
"""
# Words look like binary32 numbers of some size, and halves of them like binary16 numbers; or like nothing.
_WORDS = {
    False: "{1'($urandom()), 8'(112 + ($urandom() & 31)), 8'($urandom()), 5'(8 + ($urandom() & 15)), 10'($urandom())}",
    True: "$urandom()",
}


@dataclass(frozen=True)
class Pair:
    """Two modules with the same ports."""

    ports: ModuleText  # whose sides they have
    a: str  # name of a module
    b: str
    integers: bool = False  # whether tokens are integers, of any bits


@dataclass(frozen=True)
class Compared:
    """What came of a pair."""

    wrong: int  # clocks in which they differ
    given: int  # clocks in which tokens leave
    first: int  # first clock in which they differ, -1 for none


def compare_modules(pairs: Sequence[Pair], sources: Sequence[Path], folder: Path, clocks: int) -> list[Compared]:
    """Builds a bench and runs it.

    Args:
        pairs: what is compared.
        sources: texts of all modules.
        folder: empty folder to build in.
        clocks: number of clock cycles.
    """
    with header_folders() as headers:
        for folder_of in (headers.streams, headers.integers):
            shutil.copytree(folder_of, folder / "include", dirs_exist_ok=True)
    (folder / "functions.h").write_text(_functions())
    (folder / "packages.sv").write_text(FP_PACKAGE)
    model = files("sttest.targets.rtl").joinpath("payload_model.cpp").read_text()
    (folder / "payload_model.cpp").write_text(model)
    text = "".join(_pair(number, pair) for number, pair in enumerate(pairs))
    (folder / "bench.sv").write_text(_TOP.format(pairs=text))
    command = (
        "verilator", "--cc", "--exe", "--build", "-j", "2", "--x-assign", "0", "--x-initial", "0", "-Wno-fatal",
        "-Wno-lint", "-Wno-MULTIDRIVEN", "--output-split", "100000",
        "-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1", "-CFLAGS",
        f"-I{(folder / 'include').resolve()} -I{folder.resolve()} -ffp-contract=off", "--top-module", "bench", "--Mdir",
        folder / "model", "packages.sv", *(path.resolve() for path in sources), "bench.sv",
        (folder / "payload_model.cpp").resolve(), Path(__file__).with_suffix(".cpp").resolve(),
    )  # fmt: skip
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, (built.stderr + built.stdout)[-3000:]
    ran = subprocess.run([folder / "model" / "Vbench", str(clocks)], capture_output=True, text=True, check=True)
    rows = sorted([int(word) for word in line.split()] for line in ran.stdout.splitlines() if line[:1].isdigit())
    return [Compared(*row[1:]) for row in rows]


def _pair(number: int, pair: Pair) -> str:
    sides = pair.ports.sides
    wires, random, compared = [], [], []
    for side in sides:
        level, does = ("space", "put") if side.writes else ("avail", "take")
        wires.append(f"    logic {side.name}_{level} = 0, a_{side.name}_{does}, b_{side.name}_{does};")
        random.append(f"      {side.name}_{level} <= ($urandom() & 7) != 0;")
        compared.append(f" | a_{side.name}_{does} != b_{side.name}_{does}")
        if side.bits and side.writes:
            wires.append(f"    logic [{side.bits - 1}:0] a_{side.name}_data, b_{side.name}_data;")
            compared.append(f" | (a_{side.name}_put & a_{side.name}_data != b_{side.name}_data)")
        elif side.bits:
            words, word = -(-side.bits // 32), _WORDS[pair.integers]
            wires.append(f"    logic [{32 * words - 1}:0] {side.name}_data;")
            random.append(f"      for (int n = 0; n < {words}; n++) {side.name}_data[32 * n +: 32] <= {word};")
    puts = " | ".join(f"a_{side.name}_put" for side in sides if side.writes)
    ports = ["".join(_connected(side, module) for side in sides) for module in "ab"]
    common = ".clk(clk), .reset(again), .ended_all({0}_ended), .moving_all({0}_moving)"
    return _PAIR.format(
        number=number,
        last=len(pair.ports.processes) - 1,
        wires="\n".join(wires),
        a=pair.a,
        b=pair.b,
        a_ports=common.format("a") + ports[0],
        b_ports=common.format("b") + ports[1],
        compared="".join(compared),
        random="\n".join(random),
        puts=puts,
    )


def _connected(side: Side, module: str) -> str:
    level, does = ("space", "put") if side.writes else ("avail", "take")
    found = f", .{side.name}_{level}({side.name}_{level}), .{side.name}_{does}({module}_{side.name}_{does})"
    if not side.bits:
        return found
    data = f"{module}_{side.name}_data" if side.writes else f"{side.name}_data[{side.bits - 1}:0]"
    return f"{found}, .{side.name}_data({data})"
