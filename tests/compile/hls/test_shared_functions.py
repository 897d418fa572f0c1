"""Functions that differ in sizes and types only are one template; temporaries are parts of expressions."""

from __future__ import annotations

import re

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.hls import EmittedKernel, emit_design
from sttest.compile.hls.folding import folded
from sttest.compile.options import CompileOptions
from sttest.compile.schedule.ports import PORT_BITS
from sttest.frontend.shipped import lowered_text
from sttest.targets.vitis.intervals import wide_aggregates
from sttest.targets.vitis.rules import check_kernel

MOST_LINES = 2447
"""A third of what GPT-2's decode block took before functions were shared: 7,341 lines."""


@pytest.fixture(scope="module")
def gpt2() -> EmittedKernel:
    return emit_design(compile_text(lowered_text("gpt2", "decode", small=False), "gpt2", "u55c", CompileOptions()))


def test_a_real_block_is_a_third_of_the_lines(gpt2: EmittedKernel) -> None:
    assert sum(text.count("\n") for text in (*gpt2.headers.values(), gpt2.top)) <= MOST_LINES


def test_projections_are_one_function_and_processes_of_their_own(gpt2: EmittedKernel) -> None:
    calls = dict(re.findall(r"^static void (\w+)\([^{]*\{\s*(\w+)<", gpt2.top, re.MULTILINE))
    projections = ("attn_q_proj", "attn_k_proj", "attn_v_proj", "attn_o_proj", "mlp_fc1", "mlp_fc2")
    (template,) = {calls[each] for each in projections}
    assert gpt2.headers["parts.h"].count(f"static void {template}(") == 1
    for process in projections:
        assert len(re.findall(rf"STTEST_PROCESS\({process},", gpt2.top)) == 1
    assert f"{template}<64, 8, 8>(" in gpt2.top
    assert f"{template}<256, 8, 8>(" in gpt2.top


def test_a_comment_says_what_a_task_computes(gpt2: EmittedKernel) -> None:
    product = "out0[i, j] = (in0[128 j + k] * in1[128 j + k, i]) + out0[i, j], for all k."
    assert f"// {product}  Tiles of 16x1x16, 1 step of 1 cycle.\n" in gpt2.text


def test_ports_move_at_most_512_bits_per_cycle(gpt2: EmittedKernel) -> None:
    """Streams, vectors and words of memory: a wider token has several FIFOs, which are read and written together."""
    assert wide_aggregates(gpt2.text, PORT_BITS) == []
    assert "hls::stream<i4x128> gather_attn_q_proj_weight_out[2];" in gpt2.top
    assert "static void attn_q_proj(fifo<i8x16>& a, fifo<i4x128> (&b)[2], fifo<i32x16>& c)" in gpt2.top


@pytest.mark.parametrize("bits", [4096, 32768])
def test_tokens_of_any_width_have_words_that_the_tool_takes(bits: int) -> None:
    options = CompileOptions(tile_size=32, vector_bits=bits, precision="fp32")
    text = emit_design(compile_text(lowered_text("gpt2", "prefill"), "wide", "u55c", options)).text
    assert "read_words<" in text
    assert wide_aggregates(text, PORT_BITS) == []
    assert check_kernel(text) == []


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        # A product is rounded by itself before it is added, and what is used twice keeps its name.
        (["const float p = a * b;", "const float s = p + c;", "y = s;"], ["const float p = a * b;", "y = p + c;"]),
        (["const float s = a + b;", "out0 = s * s;"], ["const float s = a + b;", "out0 = s * s;"]),
        # An integer stays what it was declared as.
        (
            ["const ap_int<4> x = in0[l0];", "const ap_int<32> w = x;", "const ap_int<32> p = w * v;", "out0 = p + q;"],
            ["const ap_int<32> p = ap_int<32>(in0[l0]) * v;", "out0 = p + q;"],
        ),
        (["const bool b = x < y;", "out0 = b ? x : y;"], ["out0 = (x < y) ? x : y;"]),
        # What reads a stream stays where it is, and so does what is used in another block.
        (["const float t = from.read();", "out0 = t;"], ["const float t = from.read();", "out0 = t;"]),
        (
            ["const float s = a + b;", "for (int n = 0; n < 4; ++n) {", "  out0[n] = s;", "}"],
            ["const float s = a + b;", "for (int n = 0; n < 4; ++n) {", "  out0[n] = s;", "}"],
        ),
        # A variable that is set once is declared there, one that is kept from before is not.
        (["float y;", "for (;;) {", "  y = a;", "  to.write(y);", "}"],
         ["for (;;) {", "  const float y = a;", "  to.write(y);", "}"]),
        (["float y;", "for (;;) {", "  y = y + a;", "  to.write(y);", "}"],
         ["float y;", "for (;;) {", "  y = y + a;", "  to.write(y);", "}"]),
        (["float y;", "for (;;) {", "  if (t == 0) y = a;", "  to.write(y);", "}"],
         ["float y;", "for (;;) {", "  if (t == 0) y = a;", "  to.write(y);", "}"]),
        (["float y;", "for (;;) {", "  y = a;", "}", "to.write(y);"],
         ["float y;", "for (;;) {", "  y = a;", "}", "to.write(y);"]),
    ],
)  # fmt: skip
def test_temporaries_that_are_used_once_are_parts_of_expressions(lines: list[str], wanted: list[str]) -> None:
    assert folded(lines) == wanted
