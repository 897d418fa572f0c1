"""C++ as trees: types, constants, functions with their templates, and which loops become one pipeline."""

from __future__ import annotations

import pytest

from sttest.targets.vitis.cpp_model import (
    CallStatement,
    CppCall,
    CppFile,
    CppType,
    Declared,
    If,
    Item,
    Num,
    Op,
    Return,
    Split,
    Unknown,
    VariableName,
    evaluated,
    in_order,
    key_of,
    plain,
)
from sttest.targets.vitis.cpp_source import CppSource, called_name
from sttest.targets.vitis.loop_nests import ProcessCode

TEXT = """
#define N 8
#define LONG (N + N)
#define NOTHING
#define CALL(x) x
#ifdef WIDE
const int M = N * 2; // two
#endif
namespace a { constexpr int K = 3; int unset; }
using fifo_t = hls::vector<half, 4>;
template <typename T> using fifo = hls::stream<T>;
typedef ap_uint<12> word;
typedef float row[4];
struct pair { float a; int b[3]; };
template <int LANES> void add(fifo<fifo_t> &in, const float *weights, float out[N]) {
  float sums[M][LANES];
#pragma HLS array_partition variable=sums type=cyclic factor=LANES dim=2
#pragma HLS array_reshape variable=sums block factor=2
#pragma HLS dependence variable=sums inter false
#pragma HLS array_partition variable=nowhere complete
  static int calls;
  rows: for (int i = 0; i < N; i++) {
#pragma HLS loop_flatten off
    lanes: for (int k = 0; k <= LANES; k += 2) {
#pragma HLS pipeline II=2
      auto t = in.read();
      sums[i][k] += weights[i] * t[k];
      calls++, out[i] = 1;
    }
  }
  while (calls) calls--;
  return;
}
extern "C" void top(float *weights, float *out) {
#pragma HLS dataflow
  fifo<fifo_t> s("load__add");
  fifo<fifo_t> s2;
  hls::stream_of_blocks<float> b;
  int n = 3;
  STTEST_FIFO(s2, "x__y", 3);
  STTEST_PROCESS(load<4>, s);
  (a::add<2>)(s, weights, out);
}
"""
FLOAT, INT = CppType("float", 32), CppType("int", 32)
TOKEN = CppType("vector", 64, CppType("float", 16), (4,))


@pytest.fixture(scope="module")
def file() -> CppFile:
    return CppFile(TEXT)


def test_constants_are_numbers_with_those_of_macros_namespaces_and_conditions(file: CppFile) -> None:
    assert file.constants == {"N": Num(8), "LONG": Num(16), "M": Num(16), "K": Num(3)}
    assert [file.number(text) for text in ("N", "7", "unset", "N + 1")] == [8, 7, 0, 0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("unsigned char", CppType("int", 8)),
        ("const float", FLOAT),
        ("word", CppType("int", 12)),
        ("row", CppType("array", 32, FLOAT, (4,))),
        ("pair", CppType("other", 32 + 3 * 32)),
        ("fifo_t", TOKEN),
        ("fifo<word>", CppType("stream", 12, CppType("int", 12))),
        ("hls::stream<fifo_t>", CppType("stream", 64, TOKEN)),
        ("hls::vector<int, N>", CppType("vector", 256, INT, (8,))),
        ("hls::vector<int>", CppType("vector", 0, INT, (0,))),
        ("hls::read_lock<float>", CppType("blocks", 32, FLOAT)),
        ("std::map<int, int>", CppType("other", 0)),
        ("who", CppType("other", 0)),
    ],
)
def test_types_have_their_bits_and_what_they_hold(file: CppFile, text: str, kind: CppType) -> None:
    assert file.type_of(text) == kind


def test_arrays_of_arrays_have_all_extents(file: CppFile) -> None:
    assert file.type_of("row", (2, 3)) == CppType("array", 32, FLOAT, (2, 3, 4))
    assert file.type_of("fifo_t").scalar == CppType("float", 16)


def test_a_region_has_channels_by_their_titles_and_processes_in_order(file: CppFile) -> None:
    assert {name: (each.type.kind, each.title) for name, each in file.channels.items()} == {
        "s": ("stream", "load__add"), "s2": ("stream", "x__y"), "b": ("blocks", "")
    }  # fmt: skip
    assert [(each.function, each.template, each.arguments) for each in file.processes] == [
        ("load", ("4",), ("s",)), ("add", ("2",), ("s", "weights", "out"))
    ]  # fmt: skip
    assert [each.name for each in file.region_directives] == ["dataflow"]
    assert CppFile("void f() { g(); }").processes == []


def test_a_function_has_its_templates_arguments_put_in(file: CppFile) -> None:
    found = file.function("add", ("4",))
    assert found is not None
    assert file.function("add", ("4",)) is found
    assert file.function("load") is None
    assert [(each.name, each.is_changed, each.is_pointer) for each in found.parameters] == [
        ("in", True, False), ("weights", False, True), ("out", True, False)
    ]  # fmt: skip
    assert found.types["sums"] == CppType("array", 32, FLOAT, (16, 4))
    assert found.splits == {"sums": [Split(False, "cyclic", 4, 2), Split(True, "block", 2, 1)]}
    assert [each.options["inter"] for each in found.dependences["sums"]] == [""]
    assert found.statics == {"calls"}
    rows, forever, end = found.body[1:]
    assert (forever, end) == (forever, Return(Num(0), end.line))
    assert isinstance(forever, Unknown)
    assert (forever.text, forever.names) == ("while (calls) calls--;", {"calls"})
    (lanes,) = rows.body
    assert [(each.label, each.first, each.bound, each.stride) for each in (rows, lanes)] == [
        ("rows", Num(0), Num(8), 1), ("lanes", Num(0), Num(5), 2)
    ]  # fmt: skip
    declared, read, added, counted, out = lanes.body
    assert isinstance(declared, Declared)
    assert read.value == CppCall(".read", (VariableName("in"),))
    assert key_of(added.value) == "(sums[i][k] + (weights[i] * t[k]))"
    assert counted.value == Op("+", (VariableName("calls"), Num(1)))
    assert out.target == Item(VariableName("out"), VariableName("i"))


def test_what_a_process_is_made_of(file: CppFile) -> None:
    process = ProcessCode(file, "add", ("4",))
    (nest,) = process.nests
    assert (nest.label, nest.trips, nest.asked, nest.iterations) == ("lanes", [3], 2, 3)
    assert (nest.entries, nest.around, nest.notes) == (8, {"i": 8}, [])
    assert process.settings == {"t": 1, "sums": 1, "calls": 1, "out": 1}
    assert ProcessCode(file, "nobody").nests == []


@pytest.mark.parametrize(
    ("op", "values", "result"),
    [
        ("-", [3], -3), ("+", [3, 4], 7), ("-", [3, 4], -1), ("*", [3, 4], 12), ("/", [9, 4], 2), ("%", [9, 4], 1),
        ("/", [9, 0], None), ("%", [9, 0], None), ("<<", [1, 5], 32), ("<<", [1, 64], None), ("<<", [1, -1], None),
        (">>", [8, 1], None), ("!", [1], None),
    ],
)  # fmt: skip
def test_operators_on_numbers(op: str, values: list[int], result: int | None) -> None:
    assert evaluated(op, values) == result


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("(x)", "x"), ("true + 1u", "2"), ("0x10", "16"), ("2.5f", "2.5"), ("x ? 1 : y", "(x ?: 1 ?: y)"), ("-x", "-x"),
        ("(float)x", "to<float>(x)"), ("static_cast<int>(x)", "to<int>(x)"), ("ap_uint<4>(x)", "to<ap_uint<4>>(x)"),
        ("x.field", "x"), ("f<3>(x, y)", "f<3>(x, y)"), ("x.full()", ".full<>(x)"), ("*p", "*p"), ("{}", "0"),
        ("sizeof(x)", "sizeof_expression<>(x)"),
    ],
)  # fmt: skip
def test_expressions(text: str, key: str) -> None:
    function = CppFile(f"void f(int x, int y, int *p) {{ int z = {text}; }}").function("f")
    assert function is not None
    assert key_of(function.body[-1].value) == key


def test_names_of_inner_scopes_are_variables_of_their_own() -> None:
    function = CppFile(
        "void f(int x) { int t = x; { int t = 2; x = t; } x = t; if (x) x = 1; else { x = 2; } }"
    ).function("f")
    assert function is not None
    assert [key_of(each.value) for each in function.body if hasattr(each, "target")] == ["x", "2", "t#1", "t"]
    assert plain("t#1") == "t"
    choice = function.body[-1]
    assert isinstance(choice, If)
    assert [each.value for each in (*choice.then, *choice.other)] == [Num(1), Num(2)]


def test_shifts_of_streams_are_their_methods() -> None:
    function = CppFile("void f(hls::stream<int> &s, int x) { s << x; s >> x; 3; }").function("f")
    assert function is not None
    write, read = function.body
    assert write == CallStatement(CppCall(".write", (VariableName("s"), VariableName("x"))), 1)
    assert (read.target, read.value) == (VariableName("x"), CppCall(".read", (VariableName("s"),)))


# --- Which loops are flattened


def piped(text: str) -> str:
    """The text with a directive for a pipeline in the place of each @."""
    return text.replace("@", "\n#pragma HLS pipeline\n")


def nests_of(body: str, more: str = "") -> list[tuple[str, list[int], int | None, int, list[str]]]:
    code = ProcessCode(CppFile(piped(f"{more}\nvoid f(int *p, int n, hls::stream<int> &s) {{ {body} }}")), "f")
    return [(each.label, each.trips, each.asked, each.entries, each.notes) for each in code.nests]


@pytest.mark.parametrize(
    ("body", "nests"),
    [
        (
            "a: for (int i = 0; i < 4; i++) { b: for (int j = 0; j < 3; j++) {@ p[j] = i; } }",
            [("a.b", [4, 3], 1, 1, [])],
        ),
        (
            "a: for (int i = 0; i < 4; i++) { p[i] = 0; b: for (int j = 0; j < 3; j++) {@ p[j] = i; } }",
            [
                ("-", [], None, 4, ["'a' is not flattened: it holds more than 'b'"]),
                ("b", [3], 1, 4, ["'a' is not flattened: it holds more than 'b'"]),
            ],
        ),
        (
            "a: for (int i = 0; i < 4; i++) { b: for (int j = 0; j < n; j++) {@"
            "\n#pragma HLS loop_tripcount max=5\np[j] = i; } }",
            [("b", [5], 1, 4, ["'a' is not flattened: the bound of 'b' inside it varies"])],
        ),
        (
            "a: for (int i = 0; i < n; i++) {@ p[i] = 0; }",
            [("a", [1], 1, 1, ["'a' has no constant trip count; 1 is taken"])],
        ),
        (
            "a: for (int i = n; i < n + 6; i += 4) {@ p[i] = 0; }",
            [("a", [2], 1, 1, [])],
        ),
        (
            "a: for (int i = 0; i < 4; i++) {\n#pragma HLS pipeline off\n p[i] = 0; }",
            [("-", [], None, 4, [])],
        ),
        (
            "if (n) { a: for (int i = 0; i < 4; i++) {@ p[i] = 0; } } else { p[0] = 1; }",
            [("a", [4], 1, 1, []), ("-", [], None, 1, [])],
        ),
        ("int x = 3; x = x + 1; if (x) { x = 2; }", []),
        ("s.write(3);", [("-", [], None, 1, [])]),
        ("if (s.read()) { n = 3; }", [("-", [], None, 1, [])]),
        ("n = -p[3];", [("-", [], None, 1, [])]),
        ("for (int u = 0; u < 4; u++) {\n#pragma HLS unroll\np[u] = 0; }", [("-", [], None, 1, [])]),
    ],
)  # fmt: skip
def test_loops_become_pipelines(body: str, nests: list) -> None:
    assert nests_of(body) == nests


def test_functions_are_written_into_those_that_call_them() -> None:
    more = (
        "template <typename T, int L> void copy(T in[L], hls::stream<T> &s) "
        "{ c: for (int i = 0; i < L; i++) {@ s.write(in[i]); } }\n"
        "int get(hls::stream<int> &s, int more) { int v = s.read(); return v + more; }\n"
        "int twice(int v) { return v * 2; }\n"
    )
    body = "int a[6]; copy<int, 6>(a, s); n = get(s, n * 2); n = twice(n);"
    code = ProcessCode(CppFile(piped(f"{more}void f(hls::stream<int> &s, int n) {{ {body} }}")), "f")
    (once, copied) = code.nests
    assert (copied.label, copied.trips) == ("c", [6])
    inlined = [each for each in code.body if isinstance(each, If)]
    assert [each.condition for each in inlined] == [Num(1)]
    texts = [key_of(each.value) for each in once.body if hasattr(each, "target")]
    assert texts[0] == "(n * 2)"
    assert texts[1:] == [".read<>(s)", "(v#get.2 + more#get.2)", "twice<>(n)"]
    assert code.type_of("v#get.2") == INT
    assert code.type_of("who") == CppType("other", 0)


def test_a_bound_that_calls_tell_differently_is_a_variable() -> None:
    """As in hardware that they share."""
    inner = "void g(int *p, int m) { o: for (int k = 0; k < 2; k++) { b: for (int j = 0; j < m; j++) {@ p[j] = k; } } }"
    assert nests_of("g(p, 3); g(p, 3);", inner) == [("o.b", [2, 3], 1, 1, [])] * 2
    assert nests_of("g(p, 3); g(p, 4);", inner) == [
        ("b", [count], 1, 2, ["'o' is not flattened: the bound of 'b' inside it varies"]) for count in (3, 4)
    ]


def test_a_lock_holds_the_block_of_its_stream() -> None:
    text = (
        "void f(hls::stream_of_blocks<float[4]> &in) { hls::read_lock<float[4]> held(in); "
        "a: for (int i = 0; i < 4; i++) {@ float x = held[i]; } }"
    )
    code = ProcessCode(CppFile(piped(text)), "f")
    assert code.blocks == {"held": "in"}
    assert next(each for each in in_order(code.body) if isinstance(each, CallStatement)).call == CppCall(
        "lock", (VariableName("in"),)
    )


# --- What rules ask of a source


def test_sizes_are_made_of_numbers_above_0_and_of_names_of_such() -> None:
    source = CppSource(
        "template <int L> void f() "
        "{ constexpr int K = 2; int a[L * K + 1]; int b[n]; int c[0]; int d[L / 2]; int e[]; }\n"
        "void g() { int a[L]; int b[3]; }\nint h[3];\n"
    )
    sizes = [source.is_size(each.child_by_field_name("size")) for each in source.all("array_declarator")]
    assert sizes == [True, False, False, False, False, False, True, True]


def test_functions_directives_and_calls_are_found_by_name() -> None:
    source = CppSource(
        'extern "C" { void t() {\n#pragma HLS inline\n#pragma HLS\n#pragma once\nf<3>(1); g(2); } }\nint x = 3;\n'
    )
    assert list(source.functions) == ["t"]
    assert source.is_inlined(source.functions["t"])
    assert [each.name for each in source.directives] == ["inline"]
    assert [called_name(each) for each in source.all("call_expression")] == ["f", "g"]
    assert called_name(None) == ""
    assert source.top is None  # it stands in a block of them
