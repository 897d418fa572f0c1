"""Functions that differ in sizes and types only are one template; temporaries are parts of expressions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.hls.folding import folded
from sttest.compile.hls.kernel import EmittedKernel
from sttest.compile.hls.shared_functions import written
from sttest.compile.hls.writer import FunctionText
from sttest.compile.options import CompileOptions
from sttest.compile.schedule.ports import PORT_BITS
from sttest.frontend.shipped import lowered_text
from sttest.targets.vitis.intervals import wide_aggregates
from sttest.targets.vitis.rules import check_kernel

MOST_LINES = 2575
"""A third of what GPT-2's decode block took before functions were shared: 7,341 lines."""


@pytest.fixture(scope="module")
def gpt2() -> EmittedKernel:
    return emit_design(
        compile_text(lowered_text("gpt2", "decode", small=False), "gpt2", "u55c", CompileOptions(precision="w4a8"))
    )


def test_a_real_block_is_a_third_of_the_lines(gpt2: EmittedKernel) -> None:
    assert sum(text.count("\n") for text in (*gpt2.headers.values(), gpt2.top)) <= MOST_LINES


def test_projections_are_one_function_and_processes_of_their_own(gpt2: EmittedKernel) -> None:
    calls = dict(re.findall(r"^static void (\w+)\([^{]*\{\s*(\w+)<", gpt2.top, re.MULTILINE))
    projections = ("attn_q_proj", "attn_k_proj", "attn_v_proj", "attn_o_proj", "mlp_fc1", "mlp_fc2")
    (template,) = {calls[each] for each in projections}
    assert gpt2.headers["parts.h"].count(f"static void {template}(") == 1
    for process in projections:
        assert len(re.findall(rf"STTEST_PROCESS\({process},", gpt2.top)) == 1
    assert f"{template}<64, 8, 8, 16>(" in gpt2.top
    assert f"{template}<256, 8, 8, 16>(" in gpt2.top


def test_a_comment_says_what_a_task_computes(gpt2: EmittedKernel) -> None:
    product = "y[i, j] += x[128 j + k] * weight[128 j + k, i], for all k."
    assert f"// {product}  Tiles of 16x1x16, 1 step of 1 cycle.\n" in gpt2.text


def test_ports_move_at_most_512_bits_per_cycle(gpt2: EmittedKernel) -> None:
    """Streams, vectors and words of memory: a wider token has several FIFOs, which are read and written together."""
    assert wide_aggregates(gpt2.text, PORT_BITS) == []
    assert "hls::stream<i4x128> attn_q_proj_weight_in[2];" in gpt2.top
    assert "static void attn_q_proj(fifo<i8x16>& x, fifo<i4x128> (&weight)[2], fifo<i32x16>& y)" in gpt2.top


def test_values_are_called_as_in_the_model(gpt2: EmittedKernel) -> None:
    lines = {line.strip() for line in gpt2.text.splitlines()}
    assert {
        "// y[i] = (x[i] - mean) * inverse_root * weight[i] + bias[i].  Tiles of 16, 1 step of 1 cycle.",
        "const float inverse_root = inverse_root_in.read();",
        "term[l2] = ap_int<32>(products[l0][l2]);",
        "static void attn_own_score(fifo<i8x16>& q_in, fifo<i8x16>& k_in, fifo<ap_int<32>>& own_score_out) {",
        "// rescaled[i, j] = scores[i, j] * q_scale[i] * k_cache_scale[i, j].  Tiles of 1x16, 1 step of 1 cycle.",
        "// exponential[i, j] = exp(scores[i, j] - maximum[i]).  Tiles of 1x16, 1 step of 1 cycle.",
    } <= lines
    assert "STTEST_PROCESS(attn_norm, x_in0, attn_norm_out);" in " ".join(gpt2.top.split())


def test_functions_that_differ_in_names_only_are_one_template() -> None:
    def function(name: str, source: str, result: str) -> FunctionText:
        body = f"const float {source}_i = {source}[l0];", f"kept_{result} = {source}_i;", f"REST_{source.upper()};"
        names = source, result
        parameters = f"fifo<float>& {source}_in", f"fifo<float>& {result}_out"
        return FunctionText(name, "like_first", (), parameters, (), body, names)

    alike = [function("first", "x", "mean"), function("second", "mean", "x"), function("third", "x_2", "x")]
    found = written(alike, lambda kind, number: kind)
    assert found.templates[:3] == [
        "static void like_first(fifo<float>& x_in, fifo<float>& mean_out) {",
        "#pragma HLS inline",
        "const float x_i = x[l0];",
    ]
    assert found.processes[1:] == [
        "static void second(fifo<float>& mean, fifo<float>& x) { like_first(mean, x); }",
        "static void third(fifo<float>& x_2, fifo<float>& x) { like_first(x_2, x); }",
    ]
    other = replace(function("fourth", "x", "mean"), body=("const float x_i = mean[l0];",))
    assert len(written([alike[0], other], lambda kind, number: kind).templates) == 0


@pytest.mark.parametrize("bits", [4096, 32768])
def test_tokens_of_any_width_have_words_that_the_tool_takes(bits: int) -> None:
    options = CompileOptions(tile_size=32, vector_bits=bits, precision="fp32")
    text = emit_design(compile_text(lowered_text("gpt2", "prefill", small=True), "wide", "u55c", options)).text
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
        (
            ["float y;", "for (;;) {", "  y = a;", "  to.write(y);", "}"],
            ["for (;;) {", "  const float y = a;", "  to.write(y);", "}"],
        ),
        (
            ["float y;", "for (;;) {", "  y = y + a;", "  to.write(y);", "}"],
            ["float y;", "for (;;) {", "  y = y + a;", "  to.write(y);", "}"],
        ),
        (
            ["float y;", "for (;;) {", "  if (t == 0) y = a;", "  to.write(y);", "}"],
            ["float y;", "for (;;) {", "  if (t == 0) y = a;", "  to.write(y);", "}"],
        ),
        (
            ["float y;", "for (;;) {", "  y = a;", "}", "to.write(y);"],
            ["float y;", "for (;;) {", "  y = a;", "}", "to.write(y);"],
        ),
    ],
)
def test_temporaries_that_are_used_once_are_parts_of_expressions(lines: list[str], wanted: list[str]) -> None:
    assert folded(lines) == wanted
