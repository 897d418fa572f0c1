"""Verilog modules of payloads: in Verilator with a random clock enable, kept by content, refused without XLS."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from float_points import pairs
from payload_runs import bits_of, block_of, by_reference, different, function_of, random_values

from sttest.compile.rtl import payload
from sttest.compile.rtl.payload import payload_function, payload_module
from sttest.core.errors import InputError, SttestError, ToolMissingError

needs_xls = pytest.mark.skipif(find_spec("xls") is None, reason="XLS is not installed: pip install 'sttest[rtl]'")
needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator is not installed")
TYPES = ("f32", "f32", "f16", "i32", "i8")
RESULTS = [("%y", "f32"), ("%q", "i8"), ("%p", "i1"), ("%n", "i32")]
BODY = """
%e = math.exp %x0 : f32
%t = math.tanh %x1 : f32
%a = math.absf %x1 : f32
%r = math.rsqrt %a : f32
%s = math.sqrt %a : f32
%d = arith.divf %t, %s : f32
%m = arith.mulf %e, %d : f32
%y = arith.addf %m, %r : f32
%h = arith.extf %x2 : f16 to f32
%f = arith.sitofp %x3 : i32 to f32
%g = arith.mulf %h, %f : f32
%k = math.roundeven %g : f32
%low = arith.constant -127.0 : f32
%high = arith.constant 127.0 : f32
%c = arith.maximumf %k, %low : f32
%b = arith.minimumf %c, %high : f32
%q = arith.fptosi %b : f32 to i8
%p = arith.cmpf ult, %x0, %x1 : f32
%w = arith.extsi %x4 : i8 to i32
%v = arith.muli %w, %x3 : i32
%n = arith.addi %v, %w : i32
"""
MAIN = """
#include <cstdint>
#include <cstdio>
#include "Vmade.h"
int main() {
  Vmade made;
  uint32_t row[6];
  while (std::fread(row, sizeof row, 1, stdin) == 1) {
    made.clk = 0;
    made.ce = row[0]; made.x0 = row[1]; made.x1 = row[2]; made.x2 = row[3]; made.x3 = row[4]; made.x4 = row[5];
    made.eval();
    const uint32_t found[] = {made.y0, made.y1, made.y2, made.y3};
    std::fwrite(found, sizeof found, 1, stdout);
    made.clk = 1;
    made.eval();
  }
}
"""


def inputs(count: int) -> list[np.ndarray]:
    """A value for every argument of `BODY`; no products of the scale and the integer that are NaN."""
    left, right = (each[np.random.default_rng(5).permutation(len(each))[:count]] for each in pairs(count))
    halves, whole, small = (random_values(kind, count, seed) for seed, kind in enumerate(("f16", "i32", "i8")))
    return [left, right, np.nan_to_num(halves, posinf=1, neginf=-1), whole, small]


@needs_xls
@needs_verilator
@pytest.mark.slow
@pytest.mark.parametrize("stages", [*(pytest.param(few, marks=pytest.mark.nightly) for few in (0, 1, 12)), 60])
def test_verilog_computes_what_the_reference_does_whenever_it_is_enabled(stages: int, tmp_path: Path) -> None:
    count = 5000
    block, values = block_of(TYPES, BODY, RESULTS), inputs(5000)
    module = payload_module(function_of(block), "made", stages)
    (tmp_path / "made.v").write_text(module.text)
    (tmp_path / "main.cpp").write_text(MAIN)
    command = ["verilator", "--cc", "--exe", "--build", "-Wno-fatal", "--top-module", "made", "made.v", "main.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=240)
    enabled = np.random.default_rng(1).random(count) < 0.7
    columns = [enabled, *(bits_of(each, port.bits) for each, port in zip(values, module.inputs, strict=True))]
    sent = np.stack([each.astype(np.uint32) for each in columns], -1).tobytes()
    said = subprocess.run([tmp_path / "obj_dir" / "Vmade"], input=sent, capture_output=True, check=True).stdout
    found = np.frombuffer(said, np.uint32).reshape(count, len(RESULTS))
    # What is there before a clock edge belongs to the operands so many enabled edges ago.
    taken = np.arange(count) if stages == 0 else np.cumsum(enabled) - enabled - stages
    given = np.arange(count) if stages == 0 else np.flatnonzero(enabled)
    seen = np.flatnonzero(taken >= 0)
    for (name, kind), wanted, column, port in zip(
        RESULTS, by_reference(block, values), found.T, module.outputs, strict=True
    ):
        ours = column[seen].astype({1: np.uint8, 8: np.uint8, 32: np.uint32}[port.bits])
        assert not different(ours, wanted[given[taken[seen]]], kind).any(), name


@needs_xls
def test_modules_are_kept_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = function_of(block_of(("f32",), "%y = arith.negf %x0 : f32", [("%y", "f32")]))
    first = payload_module(function, "turned", 2, tmp_path)
    monkeypatch.setattr(payload, "_verilog", lambda *_: pytest.fail("it had been made before"))
    assert payload_module(function, "turned", 2, tmp_path) == first
    assert len([*tmp_path.iterdir()]) == 1
    with pytest.raises(pytest.fail.Exception):
        payload_module(function, "turned", 3, tmp_path)


def test_a_part_of_a_payload_is_a_function_of_its_own() -> None:
    block = block_of(("f32", "f32"), "%p = arith.mulf %x0, %x0 : f32\n%s = arith.addf %p, %x1 : f32", [("%s", "f32")])
    product, total = (op.results[0] for op in list(block.ops)[:2])
    first = payload_function([("x", block.args[0])], [("p", product)], "test")
    assert ("mulf(p0, p0)" in first.text, "addf(" in first.text) == (True, False)
    second = payload_function([("p", product)], [("s", total)], "test", {block.args[1]: 0x3F800000})
    assert "let v0 = addf(p0, u32:0x3f800000);" in second.text
    with pytest.raises(InputError, match="an argument that is no input"):
        payload_function([("p", product)], [("s", total)], "test")


@needs_xls
def test_registers_of_another_form_are_noticed() -> None:
    with pytest.raises(SttestError, match="in a way that is not known"):
        payload._with_clock_enable("module m(input wire clk,\n always_ff @(posedge clk) x <= y;", "m")


def test_without_xls_the_hint_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload, "find_spec", lambda name: None)
    function = function_of(block_of(("f32",), "%y = math.absf %x0 : f32", [("%y", "f32")]))
    with pytest.raises(ToolMissingError, match="not installed") as caught:
        payload_module(function, "made", 1234)
    assert [*caught.value.hints] == ["pip install 'sttest[rtl]'"]
