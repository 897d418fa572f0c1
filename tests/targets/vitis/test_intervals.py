"""Intervals read from C++: every rule on snippets that keep it and that break it; small designs as emitted."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.cli.app import app
from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import lowered_text
from sttest.package.compiled import write_package
from sttest.targets.vitis.interval_check import IntervalComparison, compare_intervals, document
from sttest.targets.vitis.intervals import LoopInterval, ProcessIntervals, admitted_intervals, wide_aggregates

LIBRARY = operators(require_hbm(load_board("u55c")))
_HELPERS = """
typedef hls::vector<float, 4> four;
typedef float block_type[64];
static inline float larger(float a, float b) {
  if (a != a || b != b) return a + b;
  return a < b ? b : a;
}
static inline void into_word(ap_uint<512>& word, int number, float value) {
  word.range(32 * number + 31, 32 * number) = value;
}
"""


def process(body: str, *, top: str = "", functions: str = "", memory: str = "ap_uint<512>") -> ProcessIntervals:
    """A process with streams `a` and `b` of floats in, `c` out, `v` and `w` of vectors in and out, and memory `m`."""
    parameters = (
        "hls::stream<float>& a, hls::stream<float>& b, hls::stream<float>& c, hls::stream<four>& v, "
        f"hls::stream<four>& w, {memory}* m, hls::stream_of_blocks<block_type>& blocks"
    )
    channels = "".join(f'hls::stream<float, 2> s_{name}("to_{name}");\n' for name in "abc")
    channels += "".join(f'hls::stream<four, 2> s_{name}("to_{name}");\n' for name in "vw")
    text = f"""{_HELPERS}{functions}
static void worker({parameters}) {{
{body}
}}
extern "C" void top({memory}* mem) {{
#pragma HLS interface mode=m_axi port=mem bundle=gmem0
{channels}hls::stream_of_blocks<block_type, 2> s_blocks;
{top}
STTEST_PROCESS(worker, s_a, s_b, s_c, s_v, s_w, mem, s_blocks);
}}
"""
    (found,) = admitted_intervals(text, LIBRARY)
    return found


def loop(body: str, *, before: str = "", pipeline: str = "pipeline II=1", **options: str) -> LoopInterval:
    """The one loop of a process, of 64 iterations over `t`."""
    text = f"{before}\nsteps:\nfor (int t = 0; t < 64; ++t) {{\n#pragma HLS {pipeline}\n{body}\n}}"
    (found,) = process(text, **options).loops
    return found


def unrolled(body: str, trips: int = 16, counter: str = "l") -> str:
    """A loop that the tool unrolls."""
    return f"for (int {counter} = 0; {counter} < {trips}; ++{counter}) {{\n#pragma HLS unroll\n{body}\n}}\n"


# --- Streams


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        ("c.write(a.read());", 1),
        ("c.write(a.read() + b.read());", 1),
        ("c.write(a.read() + a.read());", 2),
        (unrolled("c.write(1.0f);", 5), 5),
        ("if (t == 0) c.write(a.read()); else c.write(b.read());", 1),
        ("if (t < 8) c.write(1.0f); else if (t < 16) c.write(2.0f); else c.write(3.0f);", 1),
        ("if (t == 0) c.write(a.read()); if (t == 5) c.write(b.read());", 1),
        ("if (t == 0) c.write(a.read()); if (t < 3) c.write(b.read());", 2),
        ("if (t % 4 == 3) c.write(1.0f); if (t % 4 == 1) c.write(1.0f);", 1),
        ("if (t % 4 == 3) c.write(1.0f); if (t % 2 == 1) c.write(1.0f);", 2),
        ("float x = a.read(); if (x > 0) c.write(x); if (t == 0) c.write(x);", 2),
        (unrolled("if (l < 3) c.write(1.0f);", 8), 3),
    ],
)
def test_a_stream_moves_one_token_per_cycle(body: str, tokens: int) -> None:
    found = loop(body)
    assert found.admitted == tokens
    if tokens > 1:
        assert f"{tokens} tokens" in found.reason
        assert found.bounds[0].rule == "stream"


def test_tokens_spread_over_the_steps_of_a_tile_cost_no_cycle() -> None:
    spread = "".join(f"if (t == {step}) w.write(v.read());\n" for step in range(64))
    assert loop(spread).admitted == 1
    together = "if (t == 63) {" + unrolled("four x; w.write(x);", 16) + "}"
    assert loop(together).reason == "'to_w': 16 tokens written in one iteration"


def test_conditions_on_what_changes_may_hold_together() -> None:
    body = "if (n == 0) c.write(a.read()); n = n + 1; if (n == 1) c.write(b.read()); n = 0;"
    assert loop(body, before="int n = 0;").admitted == 2
    once = "if (n == 0) c.write(a.read()); n = t; if (n == 1) c.write(b.read());"
    assert loop(once, before="int n = 0;").admitted == 2
    assert loop("const int n = t / 2; if (n == 0) c.write(1.0f); if (n == 1) c.write(2.0f);").admitted == 1


def test_functions_that_move_tokens_are_looked_into() -> None:
    functions = "static float both(hls::stream<float>& from) {\nreturn from.read() + from.read();\n}\n"
    assert (
        loop("float x = both(a); c.write(x);", functions=functions).reason == "'to_a': 2 tokens read in one iteration"
    )


def test_what_is_not_understood_is_told() -> None:
    (note,) = process("while (true) { c.write(a.read()); }").notes
    assert note == "line 13 is not understood: while (true) { c.write(a.read()); }"


# --- The directive, and flattened loops


def test_the_tool_does_no_better_than_it_is_told() -> None:
    found = loop("c.write(a.read());", pipeline="pipeline II=4")
    assert (found.asked, found.needed, found.admitted, found.cycles) == (4, 1, 4, 256)
    assert found.reason == "asked for, 1 would do"


def _nest(outer: str = "", inner: str = "j < 8", between: str = "") -> str:
    return (
        f"rows:\nfor (int i = 0; i < 4; ++i) {{\n{outer}\n{between}\ncolumns:\nfor (int j = 0; {inner}; ++j) {{\n"
        "#pragma HLS pipeline II=1\nc.write(a.read());\n}\n}"
    )


def test_a_perfect_nest_is_one_pipeline() -> None:
    (found,) = process(_nest()).loops
    assert (found.label, found.iterations, found.entries, found.notes) == ("rows.columns", 32, 1, ())


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (_nest(outer="#pragma HLS loop_flatten off"), ""),
        (_nest(between="float x = 0.0f;"), "'rows' is not flattened: it holds more than 'columns'"),
        (_nest(between="hls::read_lock<block_type> block(blocks);"), "it holds more than 'columns'"),
    ],
)
def test_other_nests_enter_their_pipeline_again_and_again(text: str, note: str) -> None:
    (found,) = process(text).loops
    assert (found.label, found.iterations, found.entries) == ("columns", 8, 4)
    assert note in " ".join(found.notes)


def _turns(*calls: str) -> ProcessIntervals:
    turn = (
        "static void turn(hls::stream<float>& a, hls::stream<float>& c, const int n, const int m) {\n"
        "rows:\nfor (int i = 0; i < n; ++i) {\n#pragma HLS loop_tripcount min=1 max=4\n"
        "columns:\nfor (int j = 0; j < m; ++j) {\n#pragma HLS loop_tripcount min=1 max=8\n"
        "steps:\nfor (int k = 0; k < 2; ++k) {\n#pragma HLS pipeline II=1\nc.write(a.read());\n}\n}\n}\n}\n"
    )
    return process("\n".join(f"turn({call});" for call in calls), functions=turn)


def test_only_the_outermost_loop_of_a_pipeline_may_have_a_variable_bound() -> None:
    same = _turns("a, c, 4, 8", "b, c, 4, 8").loops
    assert {(each.label, each.iterations) for each in same} == {("rows.columns.steps", 64)}
    told = _turns("a, c, 4, 8", "b, c, 2, 3").loops
    assert [(each.label, each.iterations, each.entries) for each in told] == [
        ("columns.steps", 16, 4),
        ("columns.steps", 6, 2),
    ]
    assert told[0].notes == ("'rows' is not flattened: the bound of 'columns' inside it varies",)


# --- Carried chains


_SUM = "float x = a.read();"


@pytest.mark.parametrize(
    ("before", "body", "cycles", "told"),
    [
        ("float s = 0.0f;", "s = s + a.read();", 4, "fadd"),
        ("float s = 0.0f;", "if (t == 0) s = 0.0f; s = s + a.read(); if (t == 63) c.write(s);", 4, "fadd"),
        ("float s = 0.0f;", _SUM + unrolled("s += x;"), 64, "16 x fadd"),
        ("float s = 0.0f;", "s = s * a.read();", 3, "fmul"),
        ("float s = 0.0f;", "s = a.read() + s * b.read();", 7, "fadd + fmul"),
        ("float s = 0.0f;", _SUM + "s = larger(s, x);", 4, "fadd"),
        ("float s = 0.0f;", _SUM + "s = s < x ? x : s;", 1, ""),
        ("float s = 0.0f;", "s = hls::exp(s);", 13, "fexp"),
        ("ap_int<32> s = 0;", "int x = m[t]; s = s + x;", 1, ""),
        ("ap_int<32> s = 0;", "int x = m[t];" + unrolled("s = s + x;"), 1, ""),
        ("ap_int<32> s = 0;", "int x = m[t];" + unrolled("s = x < s ? s : x;"), 8, "16 x icmp"),
        ("float s[2];", _SUM + unrolled("s[l] = s[l] + x;", 2), 4, "fadd"),
        ("", "float s = 0.0f;" + unrolled("s += a.read();", 4), 4, "4 tokens"),
    ],
)
def test_what_is_carried_holds_iterations_apart(before: str, body: str, cycles: int, told: str) -> None:
    found = loop(body, before=before)
    assert found.admitted == cycles
    assert told in found.reason


def test_lanes_with_sums_of_their_own_wait_for_one_adder_only() -> None:
    before = "float s[16];\n#pragma HLS array_partition variable=s type=complete dim=1"
    found = loop("float x = a.read();" + unrolled("s[l] = s[l] + x;"), before=before)
    assert (found.admitted, found.reason) == (4, "'s' is carried through fadd: 4 cycles")


def test_sums_that_take_turns_wait_for_each_other_only() -> None:
    before = "float s[4];\n#pragma HLS array_partition variable=s type=complete dim=1"
    body = "float next = s[3] + a.read();\n" + "".join(f"s[{n}] = s[{n - 1}];\n" for n in (3, 2, 1)) + "s[0] = next;"
    found = loop(body, before=before)
    (chain,) = (bound for bound in found.bounds if bound.rule == "chain")
    assert (chain.cycles, chain.reason) == (1, "'s' is carried through fadd: 4 cycles over 4 iterations")
    crossed = loop("float x = r; r = s + a.read(); s = x * 2.0f;", before="float r = 0.0f; float s = 0.0f;")
    assert crossed.reason == "'r' and 's' is carried through fadd + fmul: 7 cycles over 2 iterations"


def _held(columns: int, directive: str = "", index: str = "j") -> LoopInterval:
    add = f"float x = a.read(); s[{index}] = s[{index}] + x;"
    text = (
        f"float s[16];\n{directive}\nrows:\nfor (int i = 0; i < 4; ++i) {{\n"
        f"columns:\nfor (int j = 0; j < {columns}; ++j) {{\n#pragma HLS pipeline II=1\n{add}\n}}\n}}"
    )
    (found,) = process(text).loops
    return found


def test_a_distance_counts_where_the_tool_knows_it() -> None:
    assert [_held(columns).admitted for columns in (8, 4, 3, 2)] == [1, 2, 2, 3]
    assert _held(4).reason == "'s' is carried through fadd: 6 cycles over 4 iterations"
    # The innermost loop stays on an element: the tool keeps it in a register.
    assert (_held(8, index="i").admitted, _held(8, index="3").admitted) == (4, 4)
    # More than the true distance can't be had.
    pragma = "#pragma HLS dependence variable=s type=inter direction=RAW distance=100 dependent=true"
    assert _held(4, pragma).admitted == 2
    before = "float s[64];"
    assert loop("float x = a.read(); if (t > 0) s[t] = s[t - 1] + x;", before=before).admitted == 6
    assert loop("float x = a.read(); s[t] = s[t] + x;", before=before).admitted == 1


def test_a_remainder_is_no_sum_of_counters() -> None:
    body, pragma = (
        "float x = a.read(); s[t % 8] = s[t % 8] + x;",
        "#pragma HLS dependence variable=s type=inter distance=",
    )
    assert loop(body, before="float s[8];").admitted == 6
    assert loop(body, before=f"float s[8];\n{pragma}8").admitted == 1
    assert loop(body, before=f"float s[8];\n{pragma}3").admitted == 2
    registers = "float s[8];\n#pragma HLS array_partition variable=s type=complete dim=1"
    assert loop(body, before=f"{registers}\n{pragma}8").admitted == 4


# --- Banks


@pytest.mark.parametrize(
    ("split", "body", "interval"),
    [
        ("", "c.write(s[t] + s[t + 1]);", 1),
        ("", "c.write(s[t] + s[t + 1] + s[t + 2]);", 2),
        ("", "c.write(s[t] + s[t] + s[t]);", 1),
        ("", "s[t] = a.read(); c.write(s[t]);", 1),
        # The first write is dropped, the last read is of what has just been written.
        ("", "if (t == 0) s[t] = 0.0f; float x = s[t]; s[t] = x + 1.0f; if (t == 63) c.write(s[t]);", 1),
        ("", "if (t == 0) s[t] = 0.0f; float x = s[t]; s[t] = x + 1.0f; if (t == 63) c.write(s[63]);", 2),
        ("type=cyclic factor=4 dim=1", unrolled("c.write(s[4 * t + l]);", 1) + "", 1),
        ("type=cyclic factor=4 dim=1", "four x;" + unrolled("x[l] = s[4 * t + l];", 4) + "w.write(x);", 1),
        ("type=cyclic factor=4 dim=1", "four x;" + unrolled("x[l] = s[16 * l + t];", 4) + "w.write(x);", 2),
        ("type=block factor=4 dim=1", "four x;" + unrolled("x[l] = s[4 * t + l];", 4) + "w.write(x);", 2),
        ("type=block factor=4 dim=1", "four x;" + unrolled("x[l] = s[64 * l + t];", 4) + "w.write(x);", 1),
        ("type=complete dim=1", "four x;" + unrolled("x[l] = s[l];", 4) + "w.write(x);", 1),
    ],
)
def test_a_bank_has_two_ports(split: str, body: str, interval: int) -> None:
    directive = f"#pragma HLS array_partition variable=s {split}" if split else ""
    found = loop(body, before=f"float s[256];\n{directive}")
    assert found.admitted == interval
    if interval > 1:
        assert "accesses of one bank in one iteration, 2 ports" in found.reason
        assert found.bounds[0].rule == "bank"


def test_elements_of_one_word_are_read_together() -> None:
    body = "four x;" + unrolled("x[l] = s[4 * t + l];", 4) + "w.write(x);"
    reshaped = loop(body, before="float s[256];\n#pragma HLS array_reshape variable=s type=cyclic factor=4 dim=1")
    assert (reshaped.admitted, loop(body, before="float s[256];").admitted) == (1, 2)


def test_a_block_is_split_where_its_channel_is_declared() -> None:
    body = (
        "hls::read_lock<block_type> block(blocks);\nsteps:\nfor (int t = 0; t < 16; ++t) {\n#pragma HLS pipeline II=1\n"
        "four x;" + unrolled("x[l] = block[4 * t + l];", 4) + "w.write(x);\n}"
    )
    assert process(body).loops[0].admitted == 2
    split = "#pragma HLS array_partition variable=s_blocks type=cyclic factor=4 dim=1"
    assert process(body, top=split).loops[0].admitted == 1


# --- Memory


@pytest.mark.parametrize(
    ("body", "interval", "note"),
    [
        ("ap_uint<512> x = m[t];", 1, ""),
        ("ap_uint<512> x = m[2 * t], y = m[2 * t + 1];", 2, "in runs of 1 words"),
        ("ap_uint<512> x = m[2 * t];", 1, "in runs of 1 words: bursts break"),
        ("if (t % 4 == 0) { ap_uint<512> x = m[t / 4]; }", 1, "under a condition: no burst"),
        ("ap_uint<512> x = m[t]; m[t] = x;", 1, "read and written in one loop: no burst"),
        ("int row = a.read(); ap_uint<512> x = m[row];", 1, "not a sum of counters: no burst"),
    ],
)
def test_a_memory_port_gives_a_word_per_cycle(body: str, interval: int, note: str) -> None:
    found = loop(body)
    assert found.admitted == interval
    assert note in " ".join(found.notes)
    assert bool(found.notes) == bool(note)


def test_words_wider_than_a_port_are_told() -> None:
    assert any("words of 2,048 bits" in note for note in process("m[0] = 0;", memory="ap_uint<2048>").notes)


def test_aggregates_above_the_limit_are_named() -> None:
    text = f'{_HELPERS}static void p(hls::stream<big>& a) {{ big x = a.read(); }}\nextern "C" void top() {{\n'
    text += 'hls::stream<big, 2> s("to_p");\nSTTEST_PROCESS(p, s);\n}\n'
    fits, not_so = (f"typedef hls::vector<float, {size}> big;\n{text}" for size in (128, 129))
    assert wide_aggregates(fits) == []
    assert wide_aggregates(not_so) == ["stream 'to_p' has 4,128 bits", "'x' of p has 4,128 bits"]
    (found,) = admitted_intervals(not_so, LIBRARY)
    assert found.notes == ("'to_p' has 4,128 bits, above 4,096: the tool refuses it",)


def test_a_helper_that_sets_part_of_a_word_reads_and_writes_it() -> None:
    body = "float x = a.read(); into_word(s[t / 16], t % 16, x);"
    found = loop(body, before="ap_uint<512> s[4];")
    assert (found.admitted, found.reason) == (2, "'s' is carried through no operator: 2 cycles")
    assert loop(body, before="ap_uint<512> s[4];\n#pragma HLS array_partition variable=s complete").admitted == 1


def test_a_process_that_calls_an_inlined_template_has_its_loops() -> None:
    """Sizes are template arguments and local constants; types follow from what is passed, through an alias, too."""
    functions = """
template <class T>
using fifo = hls::stream<T>;
template <int TILES, int INTERVAL, class TOKEN>
static void copied(fifo<TOKEN>& from, fifo<TOKEN>& to) {
#pragma HLS inline
  constexpr int TIMES = 3, LAST = TIMES - 1;
  TOKEN kept[TIMES];
  tiles: for (int t = 0; t < TILES; ++t) {
#pragma HLS pipeline II=INTERVAL
    for (int n = 0; n < TIMES; ++n) {
#pragma HLS unroll
      kept[n] = from.read();
    }
    to.write(kept[LAST]);
  }
}
static void copy_all(fifo<float>& a, fifo<float>& b) { copied<5, 2>(a, b); }
static void copy_wide(fifo<four>& a, fifo<four>& b) { copied<7, 4>(a, b); }
"""
    top = "STTEST_PROCESS(copy_all, s_a, s_b); STTEST_PROCESS(copy_wide, s_v, s_w);"
    text = f"""{_HELPERS}{functions}extern "C" void top() {{
hls::stream<float, 2> s_a("to_a"); hls::stream<float, 2> s_b("to_b");
hls::stream<four, 2> s_v("to_v"); hls::stream<four, 2> s_w("to_w");
{top}
}}
"""
    first, second = admitted_intervals(text, LIBRARY)
    assert (first.name, second.name) == ("copy_all", "copy_wide")
    assert (first.reads, second.writes) == ({"to_a"}, {"to_w"})
    assert [(each.asked, each.needed, each.iterations) for each in (*first.loops, *second.loops)] == [
        (2, 3, 5),
        (4, 3, 7),
    ]
    assert wide_aggregates(text, 100) == [
        "stream 'to_v' has 128 bits",
        "stream 'to_w' has 128 bits",
        "'kept' of copy_wide has 128 bits",
    ]


def test_words_of_a_token_go_through_streams_of_their_own_in_one_cycle() -> None:
    functions = """
template <int WORDS, class T>
static void write_words(hls::stream<T> (&to)[WORDS], const T (&token)[WORDS]) {
#pragma HLS inline
  for (int w = 0; w < WORDS; ++w) {
#pragma HLS unroll
    to[w].write(token[w]);
  }
}
static void send(hls::stream<float> (&to)[4]) {
  float waiting[2][4];
#pragma HLS array_partition variable=waiting type=complete dim=1
#pragma HLS array_partition variable=waiting type=complete dim=2
  for (int t = 0; t < 8; ++t) {
#pragma HLS pipeline II=1
    write_words<4>(to, waiting[t % 2]);
  }
}
"""
    top = 'hls::stream<float> words[4]; STTEST_FIFO(words, "wide", 2); STTEST_PROCESS(send, words);'
    (found,) = admitted_intervals(f'{functions}extern "C" void top() {{\n{top}\n}}\n', LIBRARY)
    (only,) = found.loops
    assert (found.writes, only.needed, only.iterations) == ({"wide"}, 1, 8)
    twice = functions.replace("waiting[t % 2]);", "waiting[t % 2]); write_words<4>(to, waiting[0]);")
    (found,) = admitted_intervals(f'{twice}extern "C" void top() {{\n{top}\n}}\n', LIBRARY)
    assert [(each.needed, each.bounds[0].rule) for each in found.loops] == [(2, "stream")]


def test_templates_and_constants_are_put_in() -> None:
    functions = (
        "constexpr int COUNT = 3;\ntemplate <int N, typename T> static void send(hls::stream<T>& to, T value) {\n"
        "for (int i = 0; i < N; ++i) {\n#pragma HLS unroll\nto.write(value);\n}\n}\n"
    )
    assert loop("send<COUNT, float>(c, 1.0f);", functions=functions).admitted == 3


# --- Designs as they are emitted


def _compared(model: str, phase: str, options: CompileOptions | None = None) -> dict[str, IntervalComparison]:
    options = options or CompileOptions(tile_size=8)
    design = compile_text(lowered_text(model, phase, small=True), f"small-{model}-{phase}", "u55c", options)
    return {
        each.process: each
        for each in compare_intervals(emit_design(design).text, design.graph, operators(design.board))
    }


@pytest.mark.parametrize("phase", ["decode", "prefill"])
@pytest.mark.parametrize("model", ["gpt2", "llama"])
def test_designs_take_the_cycles_of_their_graphs(model: str, phase: str) -> None:
    compared = _compared(model, phase)
    assert all(each.claimed for each in compared.values()), "a process of the C++ is not in the graph"
    assert not [name for name, each in compared.items() if each.differs]


@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_engines_drain_as_often_as_their_graphs_say(phase: str) -> None:
    """Turns whose tiles differ in several loops are one loop; loads of parameters go on from layer to layer."""
    compared = _compared("gpt2", phase, CompileOptions(tile_size=8, share="all", layers=2))
    assert not [name for name, each in compared.items() if each.differs]
    turns = {name for name, each in compared.items() if any("turn" in loop.label for loop in each.loops)}
    assert turns
    paused = {name: each.category for name, each in compared.items() if each.paused}
    assert {*paused.values()} <= {"dma"}
    weights = [each for name, each in compared.items() if name.startswith("load_") and "weight" in name]
    is_whole_words = phase == "decode"
    assert any(len(each.loops) == 1 and not each.paused for each in weights) == is_whole_words


# What is put for a piece of the function that sums squares, and what the checker then says of it.
BROKEN = {
    "directive": ("pipeline II=1", "pipeline II=2", "asked for"),
    "stream": ("x = x_in.read();", "x = x_in.read(); squares_out.write(0); squares_out.write(0);", "tokens written"),
    "chain": ("bool carries = true;", "bool carries = true; kept = kept * 0.5f + acc;", "'kept' is carried"),
    "bank": (
        "bool carries = true;",
        "bool carries = true; float sum = many[t0] + many[t0 + 1] + many[t0 + 2];",
        "accesses of one bank",
    ),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_rule_that_is_broken_is_named_with_its_process(rule: str) -> None:
    old, new, says = BROKEN[rule]
    design = compile_text(
        lowered_text("gpt2", "decode", small=True), "small-gpt2-decode", "u55c", CompileOptions(tile_size=8)
    )
    text = emit_design(design).text
    head, body = re.split(r"(?=static void like_attn_norm_2\()", text)
    body = body.replace("float level", "float kept = 0; float many[64]; float level", 1)
    assert old in body
    compared = compare_intervals(head + body.replace(old, new, 1), design.graph, operators(design.board))
    different = {each.process: each.reason for each in compared if each.differs}
    assert {*different} == {"attn_norm_2", "mlp_norm_2"}
    assert all(says in reason for reason in different.values())


@pytest.mark.nightly
def test_the_verb_prints_what_differs(tmp_path: Path) -> None:
    design = compile_text(lowered_text("gpt2", "decode", small=True), "small-gpt2-decode", "u55c", keep_ir="all")
    write_package(design, tmp_path / "package")
    run = CliRunner().invoke(app, ["build", str(tmp_path / "package"), "--check-intervals"])
    assert run.exit_code == 0, run.output
    assert "with the timed graph's intervals" in run.output
    found = document(list(_compared("gpt2", "decode").values()), [])
    assert found["processes"] == len(found["intervals"])
    assert found["different"] == 0


def test_the_benchmark_fits_a_terminal() -> None:
    from benchmarks.schedules import compared, designs, rows

    made = designs(["none"], 3)
    lines = [*rows({name: compared(make) for name, make in made.items()})]
    assert max(map(len, lines)) <= 80
    assert any("processes," in line for line in lines)
