"""Functions that differ in sizes and types only are one template; temporaries are parts of expressions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.hls import tree
from sttest.compile.hls.files import emit_design
from sttest.compile.hls.folding import folded
from sttest.compile.hls.kernel import EmittedKernel
from sttest.compile.hls.shared_functions import written
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
    def function(name: str, *names: str) -> tree.Function:
        """What takes one value and gives another, in symbols."""
        body = tree.Variable("float", "@v0@_i", "@v0@[l0]", constant=True), tree.CppCallOp("give", ("@v0@_i", "@v0@_i"))
        parameters = tree.CppArgument("fifo<@TOKEN@>& ", "@v0@_in"), tree.CppArgument("fifo<float>& ", "@v1@_out")
        constants = tree.Constant("class", "@TOKEN@", "i8x4"), tree.Constant("int", "STEPS_@V1@", "3")
        return tree.Function(name, "like_first", (), parameters, constants, body, names)

    alike = [function("first", "x", "mean"), function("second", "mean", "x"), function("third", "x_2", "x")]
    templates, processes = written(alike, lambda kind, number: kind)
    assert templates == [
        "template <int STEPS_MEAN, class TOKEN>",
        "static void like_first(fifo<TOKEN>& x_in, fifo<float>& mean_out) {",
        "#pragma HLS inline",
        "  const float x_i = x[l0];",
        "  give(x_i, x_i);",
        "}",
        "",
    ]
    assert processes[1:] == [
        "static void second(fifo<i8x4>& mean, fifo<float>& x) { like_first<3>(mean, x); }",
        "static void third(fifo<i8x4>& x_2, fifo<float>& x) { like_first<3>(x_2, x); }",
    ]
    other = replace(alike[0], name="fourth", body=(tree.Variable("float", "@v0@_i", "@v1@[l0]", constant=True),))
    templates, processes = written([alike[0], other], lambda kind, number: kind)
    assert templates == []
    assert processes[-4:] == [
        "static void fourth(fifo<i8x4>& x_in, fifo<float>& mean_out) {",
        "  constexpr int STEPS_MEAN = 3;",
        "  const float x_i = mean[l0];",
        "}",
    ]


def test_a_process_with_many_parameters_is_a_call_in_lines() -> None:
    def function(name: str) -> tree.Function:
        parameters = tuple(tree.CppArgument("fifo<i32x16>& ", f"from{number}") for number in range(27))
        return tree.Function(name, "concat", (), parameters, (), (tree.Verbatim("++n;"),))

    _, processes = written([function("one"), function("two")], lambda kind, number: kind)
    assert all(len(line) <= tree.MAX_COLUMNS for line in processes)
    assert processes[-1].startswith("  concat(a, b, c,")
    assert processes[-1].endswith(" z, p26); }")


@pytest.mark.parametrize("bits", [4096, 32768])
def test_tokens_of_any_width_have_words_that_the_tool_takes(bits: int) -> None:
    options = CompileOptions(tile_size=32, vector_bits=bits, precision="fp32")
    text = emit_design(compile_text(lowered_text("gpt2", "prefill", small=True), "wide", "u55c", options)).text
    assert "read_words<" in text
    assert wide_aggregates(text, PORT_BITS) == []
    assert check_kernel(text) == []


X, S = tree.Variable("float", "x", "a * b", constant=True), tree.Variable("float", "s", "a + b", constant=True)
Y, READ = tree.Variable("float", "y"), tree.Variable("float", "t", "from.read()", constant=True)
GIVE = tree.CppCallOp("to.write", ("y",))


def _loop(*body: tree.CppNode) -> tree.CppLoop:
    return tree.CppLoop(body, "steps", "n", "4")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # A product is rounded by itself before it is added, and what is used twice keeps its name.
        (
            (X, tree.Variable("float", "s", "x + c", constant=True), tree.CppAssign("out0", "s")),
            ["const float x = a * b;", "out0 = x + c;"],
        ),
        ((X, tree.CppAssign("out0", "x")), ["out0 = a * b;"]),
        ((S, tree.CppAssign("out0", "s * s")), ["const float s = a + b;", "out0 = s * s;"]),
        ((S, tree.CppAssign("out0", "s * c")), ["out0 = (a + b) * c;"]),
        ((S, tree.CppAssign("out0", "f(c, s)")), ["out0 = f(c, a + b);"]),
        # An integer stays what it was declared as.
        (
            (
                tree.Variable("ap_int<4>", "x", "in0[l0]", constant=True),
                tree.Variable("ap_int<32>", "w", "x", constant=True),
                tree.Variable("ap_int<32>", "p", "w * v", constant=True),
                tree.CppAssign("out0", "p + q"),
            ),
            ["const ap_int<32> p = ap_int<32>(in0[l0]) * v;", "out0 = p + q;"],
        ),
        (
            (tree.Variable("bool", "b", "x < y", constant=True), tree.CppAssign("out0", "b ? x : y")),
            ["out0 = (x < y) ? x : y;"],
        ),
        # What reads a stream stays where it is, and so does what is used in another block or behind another statement.
        ((READ, tree.CppAssign("out0", "t")), ["const float t = from.read();", "out0 = t;"]),
        (
            (S, _loop(tree.CppAssign("out0[n]", "s"))),
            ["const float s = a + b;", "steps: for (int n = 0; n < 4; ++n) {", "  out0[n] = s;", "}"],
        ),
        ((S, GIVE, tree.CppAssign("out0", "s")), ["const float s = a + b;", "to.write(y);", "out0 = s;"]),
        # What would be too long keeps its name.
        (
            (tree.Variable("float", "x", "a" * 60, constant=True), tree.CppAssign("out0", f"x + {'b' * 60}")),
            [f"const float x = {'a' * 60};", f"out0 = x + {'b' * 60};"],
        ),
        # A block of one statement that is left has no braces.
        ((tree.CppBlock((S, tree.CppAssign("out0", "s"))),), ["out0 = a + b;"]),
        # A variable that is set once is declared there, one that is kept from before or read behind the block is not.
        (
            (Y, _loop(tree.CppAssign("y", "a"), GIVE)),
            ["steps: for (int n = 0; n < 4; ++n) {", "  const float y = a;", "  to.write(y);", "}"],
        ),
        (
            (Y, _loop(tree.CppAssign("y", "y + a"), GIVE)),
            ["float y;", "steps: for (int n = 0; n < 4; ++n) {", "  y = y + a;", "  to.write(y);", "}"],
        ),
        (
            (Y, _loop(tree.CppIf((tree.CppAssign("y", "a"),), "t == 0"), GIVE)),
            ["float y;", "steps: for (int n = 0; n < 4; ++n) {", "  if (t == 0) y = a;", "  to.write(y);", "}"],
        ),
        (
            (Y, _loop(tree.CppAssign("y", "a")), GIVE),
            ["float y;", "steps: for (int n = 0; n < 4; ++n) {", "  y = a;", "}", "to.write(y);"],
        ),
    ],
)
def test_temporaries_that_are_used_once_are_parts_of_expressions(body: tree.Body, wanted: list[str]) -> None:
    assert tree.lines_of(folded(body, {})) == wanted


def test_room_in_a_line_is_what_names_take() -> None:
    body = tree.Variable("float", "@v0@_i", "@v0@[n]", constant=True), tree.CppAssign("out0", "@v0@_i + 1")
    assert tree.lines_of(folded(body, {"@v0@": "x"})) == ["out0 = @v0@[n] + 1;"]
    assert len(folded(body, {"@v0@": "x" * tree.MAX_COLUMNS})) == 2
