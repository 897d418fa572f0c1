"""The text of a design and that of LLVM: declarations, depths that go back, and code without names and lines."""

from __future__ import annotations

import json
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from sttest.core.errors import InputError
from sttest.importers.cpp import lower
from sttest.importers.cpp.declarations import Declaration, declarations, variable_of
from sttest.importers.cpp.depths_back import write_stream_depths
from sttest.importers.cpp.instrument import _static_name
from sttest.importers.cpp.ir import parse_module, split_arguments
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph


def graph(depths: dict[str, int]) -> TimedGraph:
    fifos = tuple(Fifo(name, depth, 32) for name, depth in depths.items())
    loops = [Loop((1,), 1, 1, tuple(Event(fifo.name, op, 0) for fifo in fifos)) for op in ("write", "read")]
    return TimedGraph("top", 300.0, fifos, (Pipeline("p", (loops[0],)), Pipeline("c", (loops[1],))))


def written_back(folder: Path, text: str, depths: dict[str, int], name: str = "depths.patch") -> str:
    """What is written for depths of a design of one file."""
    source = folder.resolve() / "design.cpp"
    write_stream_depths(folder, {source: text}, graph(depths), {}, folder / name)
    return (folder / name).read_text(encoding="utf-8")


# --- Where variables are declared


@pytest.mark.parametrize(
    ("fifo", "variable"),
    [("lanes[3][1]", "lanes"), ("s.1", "s"), ("buf.take.full", "buf"), ("buf.take.empty", "buf"), ("full", "full")],
)
def test_a_fifo_is_of_a_variable(fifo, variable):
    assert variable_of(fifo) == variable


@pytest.mark.parametrize(
    ("text", "line", "function", "pragma"),
    [
        # A reference to an array of streams is none of its own, and a comparison no type that ends further down.
        ("void top() {\n  hls::stream<int> (&t)[2] = all;\n  hls::stream<int> s, (u);\n}\n", 3, "top", 0),
        ("bool few(int stream) { return stream < 3; }\nvoid top() { hls::stream<int> s; }\n", 2, "top", 0),
        # What a macro declares is known from its pragma.
        ("void top() {\n  STREAM_OF_INTEGERS(s)\n  #pragma HLS stream variable=s depth=2\n}\n", 3, "top", 3),
        # A body whose end a choice of the preprocessor hides is one to the end of the file.
        ("void top() {\n  if (true) {\n  hls::stream<int> s;\n}\n", 3, "top", 0),
    ],
)
def test_a_stream_is_found_where_it_is_declared_and_nowhere_else(text, line, function, pragma):
    file = Path("design.cpp")
    found = declarations({file: text}, {"s", "t", "u", "few"}, "top")
    assert found["s"] == [Declaration(file, line, line, function, pragma)]
    assert not found.keys() & {"t", "u"}


def test_a_member_is_declared_by_no_variable_of_a_similar_name():
    text = "void top() {\n  Ends st;\n  int st_a[4];\n  int stxa = 3;\n}\n"
    assert declarations({Path("design.cpp"): text}, {"st.a"}) == {}


def test_a_declaration_that_is_cut_off_is_none():
    assert declarations({Path("design.cpp"): "void top() {\n  hls::stream<int> s"}, {"s"}) == {}


# --- Depths that go back


def test_a_stream_of_a_structure_and_one_of_a_macro_are_sized_by_their_pragmas(tmp_path):
    text = """void top() {
  Ends st;
  #pragma HLS stream variable=st.a depth=2
  STREAM_OF_INTEGERS(s)
  #pragma HLS stream variable=s
}
"""
    # Turns of a buffer have no pragma: nothing is asked of them.
    depths = {"st.a": 9, "s": 5, "buffer.take.full": 2, "buffer.take.empty": 3}
    assert written_back(tmp_path, text, depths, "depths.tcl") == (
        'set_directive_stream -depth 9 "top" st.a\nset_directive_stream -depth 5 "top" s\n'
    )
    lines = written_back(tmp_path, text, depths).splitlines()
    assert [line for line in lines if line.startswith(("-  ", "+  "))] == [
        "-  #pragma HLS stream variable=st.a depth=2", "+  #pragma HLS stream variable=st.a depth=9",
        "-  #pragma HLS stream variable=s", "+  #pragma HLS stream variable=s depth=5",
    ]  # fmt: skip


def test_depths_of_a_graph_without_one_of_the_designs_streams_are_refused(tmp_path):
    source, text = tmp_path / "design.cpp", "void top() { hls::stream<int> s, t; }\n"
    with pytest.raises(InputError) as caught:
        write_stream_depths(tmp_path, {source: text}, graph({"s": 4}), {"s": 2, "t": 2}, tmp_path / "d.patch")
    assert (caught.value.code, caught.value.what, caught.value.where) == (
        "other-design", "the graph has no FIFO 't'", "top"
    )  # fmt: skip
    assert not (tmp_path / "d.patch").exists()


def test_a_patch_names_no_file_whose_name_would_break_it(tmp_path):
    source, text = tmp_path.resolve() / "a\n+b.cpp", "void top() { hls::stream<int> s; }\n"
    with pytest.raises(InputError) as caught:
        write_stream_depths(tmp_path, {source: text}, graph({"s": 4}), {}, tmp_path / "d.patch")
    assert (caught.value.code, caught.value.where) == ("bad-name", repr(str(source)))
    assert not (tmp_path / "d.patch").exists()


# --- LLVM's text

# Without names of blocks and without lines, as other compilers than ours leave it.
NAMELESS = """
declare void @sttest_dataflow()
declare i64 @sttest_read(ptr)
declare void @sttest_write(ptr, i64)
define void @make(ptr %s) {
  br label %1
1:
  %2 = phi i64 [ 0, %0 ], [ %3, %1 ]
  %3 = add i64 %2, 1
  call void @sttest_write(ptr %s, i64 %2)
  %4 = icmp eq i64 %3, 6
  br i1 %4, label %5, label %1
5:
  ret void
}
define void @take(ptr %s) {
  %1 = call i64 @sttest_read(ptr %s)
  ret void
}
define void @top() {
  %1 = alloca i64
  call void @sttest_dataflow()
  call void @make(ptr %1)
  call void @take(ptr %1)
  ret void
}
"""


def test_code_without_names_and_lines_has_its_loops_and_accesses(tmp_path):
    (tmp_path / "code").write_bytes(llvm.parse_assembly(NAMELESS).as_bitcode())
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"top": "", "values": {}, "headers": "/headers"}), encoding="utf-8")
    lower.main(request, tmp_path / "design", [tmp_path / "code"])
    facts = json.loads((tmp_path / "design.json").read_text(encoding="utf-8"))
    assert (facts["top"], facts["findings"]) == ("top", [])
    assert [(each["name"], each["role"], each["file"]) for each in facts["functions"]] == [
        ("make", "process", ""), ("take", "process", ""), ("top", "region,top", "")
    ]  # fmt: skip
    assert [(each["function"], each["parent"], each["accesses"], each["line"]) for each in facts["loops"]] == [
        (0, -1, 1, 0)
    ]
    assert [site[:2] for site in facts["sites"]] == [[0, "write"], [1, "read"], [2, "call"], [2, "call"]]
    assert (tmp_path / "design.o").read_bytes().startswith(b"\x7fELF")


def test_the_entry_of_a_function_without_a_label_is_a_block():
    make = parse_module(NAMELESS).functions[0]
    assert [(each.name, each.head) for each in make.blocks.values()] == [("%0", ""), ("%1", "1:"), ("%5", "5:")]
    assert [(each.header, each.blocks) for each in make.loops] == [("%1", {"%1"})]


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZZ4vaddE9in_stream", "in_stream"), ("_ZZ3topPiS_E1s_0", "s"), ("_ZZN2ns3topEvE5lane3", "lane3"),
        ("in_stream", "in_stream"), ("stream2", "stream2"),
    ],
)  # fmt: skip
def test_a_static_variable_is_called_as_in_the_source(symbol, name):
    assert _static_name(symbol) == name


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("i32 1, { i8, i8 } %p, ptr byval([2 x i32]) %q", ["i32 1", "{ i8, i8 } %p", "ptr byval([2 x i32]) %q"]),
        ("", []),
        ("i32 1, ", ["i32 1"]),
        ("ptr f(i32 1, i32 2", ["ptr f(i32 1, i32 2"]),
    ],
)
def test_arguments_are_apart_where_a_comma_stands_in_no_bracket(text, parts):
    assert split_arguments(text) == parts
