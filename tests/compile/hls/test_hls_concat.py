"""Concatenations in C++: what the text says and what the reference engine computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from concat_programs import PROGRAMS
from functional_runs import whole_tensors
from linalg_values import values_of
from many_kernels import Call, run_all
from small_kernels import Port, kernel_text, made, needs_compiler, stream_type
from value_checks import assert_same_values

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.reference import memory_images, read_results, run
from sttest.targets.vitis.rules import check_kernel

pytestmark = [needs_compiler, pytest.mark.usefixtures("quick_build")]

OPTIONS = CompileOptions(tile_size=4, overall_unroll=100_000, precision="fp32", vector_bits=256)


def test_programs_compute_what_their_text_says(tmp_path: Path) -> None:
    calls, cases = [], []
    for name, text in PROGRAMS.items():
        design = compile_text(text, "concat", "u55c", OPTIONS)
        kernel, graph = emit_design(design), value_graph(design.module, "concat")
        assert check_kernel(kernel.text) == [], name
        tensors = whole_tensors(graph, seed=len(name))
        calls.append(Call(kernel, memory_images(graph, tensors)))
        cases.append((name, graph, tensors))
    for call, (name, graph, tensors), written in zip(calls, cases, run_all(calls, tmp_path), strict=True):
        for store, image in run(graph, call.memory).results.items():
            assert np.array_equal(image, written[store]), f"{name}: reference engine and C++ differ in {store}"
        found = read_results(graph, written).values()
        for got, expected in zip(found, values_of(PROGRAMS[name], tensors), strict=True):
            np.testing.assert_array_equal(got, expected, err_msg=name)


@pytest.mark.parametrize("vector_bits", [4096, 64])
def test_every_element_type_of_memory(vector_bits: int, tmp_path: Path) -> None:
    inputs, results, body = [], [], []
    for dtype in ("i4", "i8", "i16", "i32", "f16", "f32"):
        wide, narrow = (stream_type(f"2x4x{dtype}", f"2,{n}", "2,4", "d0,d1") for n in (3, 1))
        whole = stream_type(f"2x4x{dtype}", "2,4", "2,4", "d0,d1")
        inputs += [
            Port(f"{dtype}_wide", f"tensor<4x12x{dtype}>", wide, parameter=True),
            Port(f"{dtype}_narrow", f"tensor<4x4x{dtype}>", narrow),
        ]
        results.append(Port(f"{dtype}_whole", f"tensor<4x16x{dtype}>", whole))
        parts = f"%{dtype}_narrow_stream, %{dtype}_wide_stream"
        body.append(f"%{dtype}_whole_stream = df.concat {parts} along 1 : {narrow}, {wide} -> {whole}")
    assert_same_values(made(kernel_text(inputs, results, "\n".join(body)), vector_bits), tmp_path)


def test_the_function_reads_its_streams_in_turn() -> None:
    text = emit_design(
        compile_text(PROGRAMS["columns"], "concat", "u55c", CompileOptions(tile_size=4, precision="fp32"))
    ).text
    assert (
        """\
  constexpr int TURNS = 2, TOKENS = 8;
  turns: for (int t = 0; t < TURNS; ++t) {
    tokens: for (int n = 0; n < TOKENS; ++n) {
#pragma HLS pipeline II=1
      f32x16 token;
      if (n < 3) token = from0.read();
      else if (n < 7) token = from1.read();
      else token = from2.read();
      to.write(token);
    }
  }
"""
        in text
    )
