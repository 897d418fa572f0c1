"""The tree of emitted C++: how nodes are printed, and the names in them."""

from __future__ import annotations

import pytest

from sttest.compile.hls import tree
from sttest.compile.hls.types import legal
from sttest.compile.hls.writer import CodeWriter, CountedLoop

SET = tree.CppAssign("y", "x")
LONG = tree.CppAssign("y", "x" * tree.MAX_COLUMNS)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (tree.Verbatim("++n;"), ["  ++n;"]),
        (tree.Comment("a word"), ["  // a word"]),
        (tree.Pragma("inline"), ["#pragma HLS inline"]),
        (tree.Variable("float", "x"), ["  float x;"]),
        (tree.Variable("int", "x", "0", "[2][3]"), ["  int x[2][3] = 0;"]),
        (tree.Variable("int", "x", "a + b", constant=True), ["  const int x = a + b;"]),
        (SET, ["  y = x;"]),
        (tree.CppCallOp("f", ("x", "2 * y")), ["  f(x, 2 * y);"]),
        (tree.CppCalls((tree.CppCallOp("f", ("x",)), tree.CppCallOp("g", ()))), ["  f(x); g();"]),
        (tree.CppBlock((SET,)), ["  {", "    y = x;", "  }"]),
        (
            tree.CppLoop((tree.Pragma("unroll"), SET), "lanes", "n", "LANES"),
            ["  lanes: for (int n = 0; n < LANES; ++n) {", "#pragma HLS unroll", "    y = x;", "  }"],
        ),
        (tree.CppIf((SET,), "a && b"), ["  if (a && b) y = x;"]),
        (tree.CppIf((SET,), "a", is_else=True), ["  else if (a) y = x;"]),
        (tree.CppIf((SET,), "", is_else=True), ["  else y = x;"]),
        (tree.CppIf((SET, SET), "a"), ["  if (a) {", "    y = x;", "    y = x;", "  }"]),
        # An `else` behind must not belong to the inner condition.
        (tree.CppIf((tree.CppIf((SET,), "b"),), "a"), ["  if (a) {", "    if (b) y = x;", "  }"]),
        (tree.CppIf((tree.Comment("none"),), "a"), ["  if (a) {", "    // none", "  }"]),
        (tree.CppIf((LONG,), "a"), ["  if (a) {", f"    y = {'x' * tree.MAX_COLUMNS};", "  }"]),
    ],
)
def test_each_node_is_printed_as_cpp(node: tree.CppNode, wanted: list[str]) -> None:
    assert tree.lines_of((node,), 1) == wanted


def test_long_lists_are_broken_behind_items() -> None:
    items = tuple(f"{'a' * 12} + {number}" for number in range(10))
    (first, second) = tree.lines_of((tree.CppCallOp("function", items),), 1)
    assert len(first) <= tree.MAX_COLUMNS
    assert first.endswith(" + 5,")
    assert second == f"           {', '.join(items[6:])});"
    calls = tree.lines_of((tree.CppCalls(tuple(tree.CppCallOp("put", (each,)) for each in items)),))
    assert " ".join(" ".join(calls).split()) == " ".join(f"put({each});" for each in items)
    assert max(map(len, calls)) <= tree.MAX_COLUMNS


def test_a_definition_has_its_parameters_in_the_head() -> None:
    parameters = tree.CppArgument("fifo<i4x8> (&", "weight", ")[2]"), tree.CppArgument("int ", "n")
    assert tree.definition("void f", parameters, (SET,)) == [
        "void f(fifo<i4x8> (&weight)[2], int n) {",
        "  y = x;",
        "}",
    ]


def test_braces_stand_around_what_needs_them() -> None:
    named = tree.Variable("int", "x", "0")
    assert tree.in_braces((SET,)) == (SET,)
    assert tree.in_braces((named,)) == (tree.CppBlock((named,)),)
    assert tree.in_braces((SET, SET)) == (tree.CppBlock((SET, SET)),)


def test_names_are_counted_and_symbols_become_names_in_the_whole_tree() -> None:
    loop = tree.CppLoop(
        (tree.CppAssign("@v0@[n]", "x_2 + x"), tree.CppCallOp("f", ("x.range(3, 0)",))),
        "tokens_@v0@",
        "n",
        "TOKENS_@V0@",
    )
    assert [tree.names_in((loop,)).count(each) for each in ("x_2", "x", "n", "@v0@", "tokens_@v0@")] == [1, 2, 2, 1, 1]
    names = tree.names_of_symbols(["q", "k"])
    named = tree.Function("@v1@", "", (), (), (), (loop,)).mapped(lambda text: tree.bound(text, names))
    assert named.name == "k"
    assert tree.lines_of(named.body)[:2] == ["tokens_q: for (int n = 0; n < TOKENS_Q; ++n) {", "  q[n] = x_2 + x;"]


def test_a_writer_builds_the_tree_of_a_function() -> None:
    code = CodeWriter()
    code.comment("first\nsecond")
    with code.function("f", [tree.CppArgument("fifo<i8>& ", "from")], sizes=[("LAYER", 3)]):
        token = code.type("TOKEN", "i8")
        with code.loops([CountedLoop("steps", "s", 4), CountedLoop("steps", "t", 2, is_literal=True)], "pipeline II=1"):
            code.variable(token, "x")
            with code.scope(["s == 0", "t == 0"]):
                code.assign("x", "0")
            with code.otherwise(["s == 1"]):
                code.assign("x", "1")
            with code.otherwise():
                code.call("f", "x", "y")
        with code.scope():
            code.assign("x", "2")
    (function,) = code.functions
    assert function.comments == (tree.Comment("first?second"),)
    assert function.parameters == (tree.CppArgument("fifo<@TOKEN@>& ", "from"),)
    assert function.constants == (
        tree.Constant("int", "LAYER", "3"),
        tree.Constant("class", "@TOKEN@", "i8"),
        tree.Constant("int", "STEPS", "4"),
    )
    assert tree.lines_of(function.body) == [
        "steps: for (int s = 0; s < STEPS; ++s) {",
        "  steps_2: for (int t = 0; t < 2; ++t) {",
        "#pragma HLS pipeline II=1",
        "    @TOKEN@ x;",
        "    if (s == 0 && t == 0) x = 0;",
        "    else if (s == 1) x = 1;",
        "    else f(x, y);",
        "  }",
        "}",
        "x = 2;",
    ]


def test_labels_differ_when_symbols_have_become_names() -> None:
    code = CodeWriter()
    with code.function("f", [], names=["x", "x_2"]):
        first, second = tree.symbols(2)
        for label in (first, second, first):
            with code.loops([CountedLoop(f"read_{label}", "n", 2, is_literal=True)]):
                code.assign("y", "n")
    names = tree.names_of_symbols(["x", "x_2"])
    labels = [tree.bound(each.label, names) for each in code.functions[0].body if isinstance(each, tree.CppLoop)]
    assert labels == ["read_x", "read_x_2", "read_x_3"]


def test_long_underscores_become_words() -> None:
    assert [legal(each) for each in ("a__b", "a____b___c", "__1")] == ["a_to_b", "a_to_b_to_c", "n_1"]
