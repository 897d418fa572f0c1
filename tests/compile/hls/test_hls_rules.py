"""Every rule accepts a small kernel that keeps to it, and finds the one change that breaks it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sttest.targets.vitis.cpp_source import CppSource
from sttest.targets.vitis.rules import RULES, check_kernel

CLEAN = """\
#include <hls_stream.h>
#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif

typedef hls::vector<float, 16> row;
typedef float tile_block[4][16];

static inline float doubled(float x) {
  return x + x;
}

static inline ap_int<32> squared(ap_int<8> x) {
  ap_int<32> product;
#pragma HLS bind_op variable=product op=mul impl=fabric
  product = x * x;
  return product;
}

template <class T>
using fifo = hls::stream<T>;

template <int TOKENS, int INTERVAL, class TOKEN>
static void delayed(fifo<TOKEN>& from, fifo<TOKEN>& to) {
#pragma HLS inline
  constexpr int LAST = TOKENS - 1;
  TOKEN kept[TOKENS];
  kept_tokens: for (int t = 0; t < TOKENS; ++t) {
#pragma HLS pipeline II=INTERVAL
    kept[t] = from.read();
    if (t == LAST) to.write(kept[0]);
  }
}

static void delay(fifo<row>& from, fifo<row>& to) { delayed<4, 1, row>(from, to); }

static void part(fifo<row>& from, fifo<row> (&to)[2]) {
  to[0].write(from.read());
  to[1].write(from.read());
}

static void join(fifo<row> (&from)[2], fifo<row>& to) {
  to.write(from[0].read());
  to.write(from[1].read());
}

static void load(const ap_uint<512>* memory, hls::stream<row>& to_fill) {
loads:
  for (int t = 0; t < 4; ++t) {
#pragma HLS pipeline II=1
    row token;
  elements:
    for (int e = 0; e < 16; ++e) {
#pragma HLS unroll
      token[e] = doubled(f32_of_word(memory[t], e));
    }
    to_fill.write(token);
  }
}

static void fill(hls::stream<row>& from_load, hls::stream_of_blocks<tile_block>& blocks) {
  hls::write_lock<tile_block> block(blocks);
rows:
  for (int t = 0; t < 4; ++t) {
#pragma HLS pipeline II=1
    block[t][0] = from_load.read()[0];
  }
}

static void copy_turn(hls::stream<row>& source_0, hls::stream<row>& result_0, const int trips_0) {
copies:
  for (int t = 0; t < trips_0; ++t) {
#pragma HLS loop_tripcount min=4 max=4
#pragma HLS pipeline II=1
    result_0.write(source_0.read());
  }
}

static void copy(hls::stream<row>& from_load, hls::stream<row>& to_fill) {
#pragma HLS allocation function instances=copy_turn limit=1
  copy_turn(from_load, to_fill, 4);
}

static void store(hls::stream_of_blocks<tile_block>& blocks, ap_uint<512>* out) {
  float sums[4][16];
#pragma HLS array_partition variable=sums type=cyclic factor=4 dim=2
#pragma HLS dependence variable=sums type=inter direction=RAW distance=4 dependent=true
  hls::read_lock<tile_block> block(blocks);
rows:
  for (int t = 0; t < 4; ++t) {
#pragma HLS pipeline II=2
    sums[t][0] = block[t][0];
    f32_into_word(out[t], 0, sums[t][0]);
  }
}

extern "C" void top(const ap_uint<512>* x, ap_uint<512>* y) {
#pragma HLS interface mode=m_axi port=x bundle=gmem_x offset=slave depth=4
#pragma HLS interface mode=m_axi port=y bundle=gmem_y offset=slave depth=4
#pragma HLS interface mode=s_axilite port=return bundle=control
#pragma HLS dataflow
  hls::stream<row, 2> rows("load__fill");
#pragma HLS bind_storage variable=rows type=fifo impl=srl
  hls::stream<row, 2> delays("delay__copy");
#pragma HLS bind_storage variable=delays type=fifo impl=srl
  hls::stream<row> pair[2]; STTEST_FIFO(pair, "delay__join", 3);
#pragma HLS stream variable=pair depth=3
#pragma HLS bind_storage variable=pair type=fifo impl=srl
  hls::stream<row, 2> joins("join__copy");
#pragma HLS bind_storage variable=joins type=fifo impl=srl
  hls::stream<row, 2> copies("copy__fill");
#pragma HLS bind_storage variable=copies type=fifo impl=srl
  hls::stream_of_blocks<tile_block, 2> tiles;
#pragma HLS array_partition variable=tiles type=complete dim=1
#pragma HLS array_reshape variable=tiles type=cyclic factor=2 dim=2
  STTEST_PROCESS(load, x, rows);
  STTEST_PROCESS(delay, rows, delays); STTEST_PROCESS(part, delays, pair);
  STTEST_PROCESS(join, pair, joins); STTEST_PROCESS(copy, joins, copies);
  STTEST_PROCESS(fill, copies, tiles);
  STTEST_PROCESS(store, tiles, y);
}
"""

# Rule, what is replaced (once), and by what.
BREAKS = [
    ("syntax", "row token;", "row token"),
    ("no-dynamic-memory", "row token;", "row token; float* more = new float[4];"),
    ("no-dynamic-memory", "row token;", "row token; void* more = malloc(4);"),
    ("no-exceptions", "return x + x;", "if (x > 1) throw 1; return x + x;"),
    ("no-library", "row token;", "row token; std::vector<float> more;"),
    ("no-recursion", "return x + x;", "return doubled(x);"),
    ("constant-arrays", "float sums[4][16];", "int n = 4; float sums[n][16];"),
    ("identifiers", "row token;", "row token; int half = 0;"),
    (
        "identifiers",
        "static inline float doubled(float x) {",
        "static inline float doubled(float x__y) {\n  float x = x__y;",
    ),
    ("constant-bounds", "for (int t = 0; t < 4; ++t) {", "for (int t = 0; t < bound; ++t) {"),
    ("constant-bounds", "t < TOKENS", "t < WORDS"),
    ("constant-arrays", "TOKEN kept[TOKENS];", "TOKEN kept[WORDS];"),
    ("constant-arrays", "TOKEN kept[TOKENS];", "TOKEN kept[2 * TOKENS - WORDS];"),
    ("pipeline-interval", "II=INTERVAL", "II=PERIOD"),
    ("turns-share-hardware", "#pragma HLS inline\n", ""),
    ("constant-bounds", "return x + x;", "while (true) { x += x; }"),
    ("constant-bounds", "return x + x;", "for (;;) { x += x; }"),
    ("loop-directives", "    to_fill.write(token);", "    to_fill.write(token);\n#pragma HLS unroll"),
    ("loop-directives", "  return x + x;", "#pragma HLS pipeline II=1\n  return x + x;"),
    ("loop-directives", "  return x + x;", "#pragma HLS loop_flatten off\n  return x + x;"),
    ("pipeline-interval", "#pragma HLS pipeline II=2", "#pragma HLS pipeline II=0"),
    ("pipelined-leaves", "#pragma HLS unroll\n", "#pragma HLS pipeline II=1\n"),
    (
        "placed-after-declaration",
        "block(blocks);\nrows:\n  for (int t = 0; t < 4; ++t) {\n#pragma HLS pipeline II=2",
        "block(blocks);\n#pragma HLS array_partition variable=sums type=complete dim=1\nrows:\n"
        "  for (int t = 0; t < 4; ++t) {\n#pragma HLS pipeline II=2",
    ),
    ("placed-after-declaration", "variable=rows type=fifo", "variable=tiles type=fifo"),
    ("partitions", "factor=4 dim=2", "factor=4 dim=3"),
    ("partitions", "type=cyclic factor=4", "type=cyclic"),
    ("partitions", "type=complete dim=1", "type=complete dim=3"),
    ("partitions", "type=cyclic factor=2 dim=2", "type=cyclic factor=1 dim=2"),
    ("dependences", "distance=4 dependent=true", "distance=0 dependent=true"),
    ("dependences", "distance=4 dependent=true", "dependent=false"),
    ("placed-after-declaration", "dependence variable=sums", "dependence variable=tiles"),
    ("placed-after-declaration", "bind_op variable=product", "bind_op variable=x"),
    ("bound-products", "op=mul impl=fabric", "op=mul impl=lut"),
    ("bound-products", "op=mul impl=fabric", "op=add impl=fabric"),
    ("stream-storage", "impl=srl", "impl=flipflop"),
    ("stream-depths", "hls::stream<row, 2> rows", "hls::stream<row, 0> rows"),
    ("stream-depths", "depth=3", "depth=0"),
    ("placed-after-declaration", "bind_storage variable=pair", "bind_storage variable=rows"),
    ("one-writer-one-reader", "to[1].write(from.read());", "to[1].read();"),
    ("stream-depths", "hls::stream_of_blocks<tile_block, 2>", "hls::stream_of_blocks<tile_block, 1>"),
    (
        "one-lock",
        "  hls::read_lock<tile_block> block(blocks);",
        "  hls::read_lock<tile_block> block(blocks);\n  hls::read_lock<tile_block> again(blocks);",
    ),
    ("one-top", "#pragma HLS dataflow\n", ""),
    ("canonical-form", "#pragma HLS dataflow\n", "#pragma HLS dataflow\n  int n = 4;\n"),
    ("canonical-form", "  STTEST_PROCESS(fill, copies, tiles);", "  if (true) STTEST_PROCESS(fill, copies, tiles);"),
    ("processes-called-once", "  STTEST_PROCESS(store, tiles, y);", "  STTEST_PROCESS(stored, tiles, y);"),
    ("processes-called-once", "  STTEST_PROCESS(load, x, rows);", "  STTEST_PROCESS(load, x);"),
    ("one-writer-one-reader", "  STTEST_PROCESS(fill, copies, tiles);\n", ""),
    (
        "one-writer-one-reader",
        "  STTEST_PROCESS(fill, copies, tiles);\n  STTEST_PROCESS(store, tiles, y);\n",
        "  STTEST_PROCESS(store, tiles, y);\n  STTEST_PROCESS(fill, copies, tiles);\n",
    ),
    ("one-writer-one-reader", "result_0.write(source_0.read());", "source_0.write(source_0.read());"),
    ("turns-share-hardware", "#pragma HLS allocation function instances=copy_turn limit=1\n", ""),
    ("turns-share-hardware", "limit=1", "limit=2"),
    (
        "turns-share-hardware",
        "  copy_turn(from_load, to_fill, 4);",
        "  int n = 4;\n  copy_turn(from_load, to_fill, 4);",
    ),
    ("constant-bounds", "#pragma HLS loop_tripcount min=4 max=4\n", ""),
    ("loop-directives", "  copy_turn(from_load", "#pragma HLS loop_tripcount min=4 max=4\n  copy_turn(from_load"),
    ("one-writer-one-reader", "to_fill.write(token);", "to_fill.write(token); to_fill.read();"),
    ("interfaces-in-top", "  return x + x;", "#pragma HLS interface mode=ap_none port=x\n  return x + x;"),
    ("memory-ports", "bundle=gmem_y ", ""),
    ("shared-bundles", "bundle=gmem_y", "bundle=gmem_x"),
    ("shared-bundles", "bundle=gmem_x offset=slave depth=4\n", "bundle=gmem_y channel=0 offset=slave depth=4\n"),
    ("memory-ports", "port=y bundle=gmem_y offset=slave", "port=y bundle=gmem_y"),
    ("memory-ports", "#pragma HLS interface mode=m_axi port=y bundle=gmem_y offset=slave depth=4\n", ""),
    ("control-port", "port=return", "port=result"),
    ("memory-has-one-user", "  STTEST_PROCESS(store, tiles, y);", "  STTEST_PROCESS(store, tiles, x);"),
    ("known-directives", "#pragma HLS dataflow\n", "#pragma HLS dataflow\n#pragma HLS stable variable=x\n"),
]


SHARED = CLEAN.replace("bundle=gmem_x", "bundle=gmem channel=0").replace("bundle=gmem_y", "bundle=gmem channel=1")


def test_ports_share_a_bundle_over_channels_of_their_own_with_equal_options() -> None:
    assert check_kernel(SHARED) == []
    for old, new in (
        ("channel=1", "channel=0"),
        ("channel=1 ", ""),
        ("channel=0 offset=slave depth=4", "channel=0 offset=slave depth=8"),
    ):
        assert {violation.rule for violation in check_kernel(SHARED.replace(old, new, 1))} == {"shared-bundles"}


def test_a_kernel_that_keeps_to_the_rules() -> None:
    assert check_kernel(CLEAN) == []


@pytest.mark.parametrize(("rule", "old", "new"), BREAKS, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(BREAKS)])
def test_one_change_breaks_the_rule(rule: str, old: str, new: str) -> None:
    assert old in CLEAN
    found = check_kernel(CLEAN.replace(old, new, 1))
    rules = {violation.rule for violation in found}
    # A call that is missing leaves its channels with one end.
    assert rule in rules
    assert rules <= {rule, "one-writer-one-reader"}
    assert all(violation.message and violation.line >= 1 for violation in found)


@pytest.mark.parametrize("check", RULES, ids=[rule.__name__ for rule in RULES])
def test_every_rule_is_broken_above(check: Callable[[CppSource], object]) -> None:
    assert check.__name__.replace("_", "-") in {rule for rule, *_ in BREAKS}


@pytest.mark.parametrize("text", ["", "}", "#pragma HLS", 'extern "C" void f() {}', "typedef int x[", "\0"])
def test_any_text_gets_an_answer(text: str) -> None:
    assert check_kernel(text)


def test_places_are_lines_of_the_text() -> None:
    (violation,) = check_kernel(CLEAN.replace("II=2", "II=0"))
    assert CLEAN.splitlines()[violation.line - 1] == "#pragma HLS pipeline II=2"
