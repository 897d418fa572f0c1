"""What is read off a source: its arrays, and which of its loops become which pipelines."""

import pytest

from experiments.synthesis_sources.loops import loops_of
from experiments.synthesis_sources.source import functions_of

SOURCE = """
void work(
  int8_t v0[4][64],
  int8_t v1[64][8][3],
  int8_t v2[64]
) {
  #pragma HLS dataflow
  int8_t v3[64];	// a line
  #pragma HLS array_partition variable=v3 cyclic factor=4 dim=1
  #pragma HLS bind_storage variable=v3 type=ram_2p impl=lutram
  for (int v4 = 0; v4 < 4; v4 += 1) {
    for (int v5 = 0; v5 < 64; v5 += 1) {
      v3[v5] = v0[v4][v5];
    }
    if ((v4 - 2) >= 0) {
      for (int v6 = 0; v6 < 64; v6 += 1) {
        v2[v6] = (int8_t)0.000000;
        for (int v7 = 0; v7 < 8; v7 += 1) {
          #pragma HLS pipeline II=1
          for (int v8 = 0; v8 < 3; v8 += 1) {
            int8_t v9 = v3[v6] * v1[v6][v7][v8];
            int8_t v10 = v9 + v2[v6];
            v2[v6] = v10;
          }
        }
      }
    }
  }
}
void top(
  int8_t v20[64]
) {
  int8_t v21[4][64];
  #pragma HLS stream variable=v21 depth=10 type=fifo
  int8_t v22[64][8][3];
  work(v21, v22, v20);
}
"""


@pytest.fixture
def work():
    return functions_of(SOURCE)["work"]


def test_arrays_have_the_banks_they_are_cut_into_and_arguments_are_as_the_caller_has_them(work):
    assert list(work.own) == ["v3"]
    assert (work.own["v3"].banks, work.own["v3"].words, work.own["v3"].impl) == (4, 16, "lutram")
    assert (work.arrays["v0"].depth, work.arrays["v1"].depth) == (10, 0)


def test_loops_become_one_where_nothing_stands_beside_them_and_what_is_around_counts(work):
    pipelined, around = loops_of(work)
    assert [loop.trips for loop in pipelined] == [(64,), (64, 8)]
    assert [loop.trips for loop in around] == [(4,)]


def test_an_iteration_holds_what_is_unrolled_in_it(work):
    fill, sums = loops_of(work)[0]
    assert (fill.reads, fill.writes, fill.operations) == ({"v0": 1}, {"v3": 1}, {})
    assert sums.operations == {"products": 3, "sums": 3}
    assert sums.reads == {"v3": 1, "v1": 3, "v2": 1}
    assert sums.writes == {"v2": 1}


def _one_loop(body: str, inner: int = 128) -> str:
    return f"""
void f(
  int8_t v0[128],
  int8_t v1[128]
) {{
  int8_t v2[128];
  for (int v3 = 0; v3 < 1; v3 += 1) {{
    for (int v4 = 0; v4 < {inner}; v4 += 1) {{
{body}
    }}
  }}
}}
"""


@pytest.mark.parametrize(("inner", "trips"), [(64, (9, 64)), (63, (9,))])
def test_short_loops_are_unrolled_into_the_one_around_them(inner, trips):
    body = "for (int v5 = 0; v5 < 9; v5 += 1) {\nfor (int v6 = 0; v6 < INNER; v6 += 1) {\nv1[v6] = v0[v6];\n}\n}"
    function = functions_of(_one_loop(body.replace("INNER", str(inner)), inner=1))["f"]
    (loop,), _ = loops_of(function)
    assert loop.trips == trips
    assert loop.writes["v1"] == (1 if inner == 64 else inner)


def test_an_array_whose_values_are_used_where_they_are_written_needs_no_memory():
    function = functions_of(_one_loop("if (v3 == 0) {\nv2[v4] = v0[v4];\n}\nv1[v4] = v2[v4];"))["f"]
    loops_of(function)
    assert function.own == {}


@pytest.mark.parametrize(
    "body",
    [
        "if (v4 == 0) {\nv2[v4] = v0[v4];\n}\nv1[v4] = v2[v4];",
        "v1[v4] = v2[v4];\nv2[v4] = v0[v4];",
        "v2[v4] = v0[v4];\nv1[v4] = v2[(v4 - 1)];",
    ],
)
def test_an_array_that_holds_values_for_later_stays(body):
    function = functions_of(_one_loop(body))["f"]
    loops_of(function)
    assert list(function.own) == ["v2"]


def test_fifos_of_templates_are_told_by_their_accesses():
    text = """
void node(
  hls::stream<float> v0[2][1],
  float v1[16]
) {
  loop0: for (int v2 = 0; v2 < 8; v2++) {
    #pragma HLS pipeline II=1
    loop1: for (int v3 = 0; v3 < 2; v3++) {
      float v4 = v0[v3][0].read();
      v1[(v3 + (v2 * 2))] = v4;
    }
  }
}
"""
    function = functions_of(text)["node"]
    (loop,), _ = loops_of(function)
    assert (function.arrays["v0"].banks, function.arrays["v0"].depth) == (2, 2)
    assert (loop.reads, loop.writes) == ({"v0": 2}, {"v1": 2})
    assert loop.operations == {}


def test_values_in_double_precision_and_quotients_by_constants_are_not_integer_operations():
    lines = ["int8_t v5 = 1 << int8_t(double(v6) * 1.442695);", "int8_t v11 = 1 << (int8_t)((double)v6 * 1.442695);"]
    lines += [
        "int8_t v12 = 1.0 / sqrt(v8);",
        "int8_t v7 = v8 / (int8_t)8.000000;",
        "int8_t v9 = v8 / v7;",
        "int v10 = (v4 + (v3 * 4));",
    ]
    (loop,), _ = loops_of(functions_of(_one_loop("\n".join(lines)))["f"])
    assert loop.operations == {"double_products": 2, "quotients": 1}
