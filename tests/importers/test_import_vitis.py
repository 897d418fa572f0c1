"""Designs of Vitis HLS: when streams are accessed, what is refused, and depths back into the source."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from hls_designs import SOLUTION, design, example, loop

from sttest.core.errors import InputError
from sttest.importers.vitis import read_vitis, write_depths
from sttest.sim import simulate

PAIR = """
void make(hls::stream<int> &out) { a: for (int i = 0; i < 6; i++) { %s out.write(i); } }
void take(hls::stream<int> &in, int sums[6]) { b: for (int i = 0; i < 6; i++) { sums[i] = in.read(); } }
void top(int sums[6]) {
  #pragma HLS dataflow
  hls::stream<int> %s;
  make(s);
  take(s, sums);
}
"""
MODULES = {"make": loop("a", 6, 2, 4), "take": loop("b", 6, 1, 3)}


def accesses(graph, process: str) -> dict[tuple[str, str], list[int]]:
    """Stages by FIFO and direction."""
    found = next(each for each in graph.processes if each.name == process)
    named = {(graph.fifos[op // 2].name, ("read", "write")[op % 2]): op for op in found.trace.ops_used}
    return {key: found.trace.tick[found.trace.op == op].tolist() for key, op in named.items()}


def test_a_project_is_read_with_its_headers_macros_and_typedefs():
    graph = read_vitis(SOLUTION)
    assert (graph.name, graph.clock_mhz) == ("residual", 250.0)
    assert [(fifo.name, fifo.depth, fifo.bits) for fifo in graph.fifos] == [
        ("body", 2, 32), ("skip", 4, 32), ("filtered[0]", 2, 32), ("filtered[1]", 2, 32)
    ]  # fmt: skip
    writes = [1 + i + 3 for i in range(128)]
    assert accesses(graph, "load") == {("body", "write"): writes, ("skip", "write"): writes}


def test_a_loop_around_pipelines_enters_them_again_after_its_iteration_latency():
    graph = read_vitis(SOLUTION)
    # fill: entered in stage 1, 8 iterations of latency 2; drain: 2 stages after its end, latency 6; a row takes 23.
    reads = [1 + 23 * row + i for row in range(16) for i in range(8)]
    drain = 1 + 7 + 2 + 2
    writes = [drain + 23 * row + i + 5 for row in range(16) for i in range(4)]
    assert accesses(graph, "filter") == {
        ("body", "read"): reads, ("filtered[0]", "write"): writes, ("filtered[1]", "write"): writes
    }  # fmt: skip


def test_unrolled_lanes_access_in_one_stage_and_an_interval_spaces_iterations():
    found = accesses(read_vitis(SOLUTION), "join")
    assert found["filtered[1]", "read"] == [1 + 2 * i for i in range(64)]
    assert found["skip", "read"] == [1 + 2 * i for i in range(64) for _ in range(2)]


def test_conditions_of_loop_counters_say_when(tmp_path):
    text = """
    void make(hls::stream<int> &out) {
      a: for (int i = 0; i < 4; i++) { b: for (int j = 0; j < 3; j++) {
        #pragma HLS pipeline
        int k = i * 3 + j;
        if ((j - 2) == 0 && i >= 1) out.write(k);
        else if (k % 5 == 4 || !(i < 3)) out << j;
      } }
    }
    void take(hls::stream<int> &in) { c: for (int i = 0; i < 6; i++) in.read(); }
    void top() {
      #pragma HLS dataflow
      hls::stream<int> s;
      make(s); take(s);
    }
    """
    source, reports = design(tmp_path, text, {"make": loop("a_b", 12, 1, 5), "take": loop("c", 6)})
    graph = read_vitis(source, reports=reports)
    written = [i for i in range(12) if (i % 3 == 2 and i >= 3) or i % 5 == 4 or i >= 9]
    assert accesses(graph, "make") == {("s", "write"): [1 + i + 4 for i in written]}
    assert simulate(graph).verdict == "done"


def test_a_part_of_an_array_of_streams_is_given_on(tmp_path):
    text = """
    void make(hls::stream<int> out[2]) {
      a: for (int i = 0; i < 3; i++) {
        #pragma HLS pipeline
        for (int k = 0; k < 2; k++) out[k].write(i);
      }
    }
    void take(hls::stream<int> &in) { b: for (int i = 0; i < 3; i++) in.read(); }
    void top() {
      #pragma HLS dataflow
      hls::stream<int> s[2][2];
      make(s[0]); make(s[1]);
      take(s[0][0]); take(s[0][1]); take(s[1][0]); take(s[1][1]);
    }
    """
    source, reports = design(tmp_path, text, {"make": loop("a", 3), "take": loop("b", 3)})
    graph = read_vitis(source, reports=reports)
    assert [process.name for process in graph.processes] == ["make", "make_1", "take", "take_1", "take_2", "take_3"]
    assert set(accesses(graph, "make_1")) == {("s[1][0]", "write"), ("s[1][1]", "write")}
    assert set(accesses(graph, "take_2")) == {("s[1][0]", "read")}
    assert simulate(graph).verdict == "done"


def test_an_array_between_tasks_is_a_ping_pong_buffer(tmp_path):
    text = """
    void make(int out[8]) { a: for (int i = 0; i < 8; i++) out[i] = i; }
    void take(int in[8], int sums[8]) { b: for (int i = 0; i < 8; i++) sums[i] = in[i]; }
    void top(int sums[8]) {
      #pragma HLS dataflow
      int between[8];
      make(between); take(between, sums);
    }
    """
    source, reports = design(tmp_path, text, {"make": loop("a", 8, 1, 3), "take": loop("b", 8, 1, 4)})
    graph = read_vitis(source, reports=reports)
    assert [fifo.name for fifo in graph.fifos] == ["between.take.full", "between.take.empty"]
    # The consumer begins when the producer is done: 1 + 7 + 3 stages, then 1 + 7 + 4.
    assert simulate(graph).cycles == 11 + 12


def test_the_report_says_which_loops_were_unrolled_and_how_far(tmp_path):
    text = """
    void make(hls::stream<int> &out) {
      a: for (int i = 0; i < 4; i++) { b: for (int j = 0; j < 2; j++) {
        #pragma HLS pipeline
        out.write(i);
      } }
    }
    void take(hls::stream<int> &in) {
      c: for (int i = 0; i < 8; i++) {
        #pragma HLS unroll factor = 4
        in.read();
      }
    }
    void top() {
      #pragma HLS dataflow
      hls::stream<int> s;
      make(s); take(s);
    }
    """
    source, reports = design(tmp_path, text, {"make": loop("a", 4, 2, 3), "take": loop("c", 2, 4, 5)})
    graph = read_vitis(source, reports=reports)
    assert accesses(graph, "make")["s", "write"] == [3, 3, 5, 5, 7, 7, 9, 9]
    assert accesses(graph, "take")["s", "read"] == [1] * 4 + [5] * 4


def test_a_component_of_the_unified_ide(tmp_path):
    design(tmp_path, PAIR % ("", "s"), MODULES)
    (tmp_path / "hls_config.cfg").write_text("part=xcu55c\n[hls]\nsyn.file=design.cpp\nsyn.top=top\n", encoding="utf-8")
    folder = tmp_path / "hls" / "syn" / "report"
    folder.mkdir(parents=True)
    shutil.move(tmp_path / "csynth.xml", folder)
    assert simulate(read_vitis(tmp_path)).verdict == "done"


@pytest.mark.parametrize(
    ("line", "stream", "told"),
    [
        ("if (i * i > *p)", "s", "a stream is accessed where data says so"),
        ("out.write_nb(i);", "s", "'write_nb' of a stream depends on time"),
        ("for (int j = 0; j < i; j++)", "s", "has no constant trip count"),
        ("while (*p)", "s", "'while (*p)"),
        ("if (i == 3) break;", "s", "'break;' decides what runs"),
        ("if (i == 3) { return; }", "s", "a return under a condition"),
        ("int x = *p ? out.size() : 0;", "s", "'size' of a stream depends on time"),
        ("other(out);", "s", "what 'other' does to a stream is not known"),
        ("", "s[2][3]", "is several streams"),
        ("", "t", "stream 's'"),
    ],
)
def test_what_the_text_does_not_time_is_refused_with_its_line(tmp_path, line, stream, told):
    source, reports = design(tmp_path, PAIR % (line, stream), MODULES)
    if stream == "t":
        source.write_text(source.read_text().replace("void take", "void other").replace("> t", "> s"))
    with pytest.raises(InputError, match=re.escape(told)) as error:
        read_vitis(source, reports=reports)
    assert "design.cpp" in error.value.where


@pytest.mark.parametrize(
    ("modules", "told"),
    [
        ({"make": loop("a", 6)}, "no report of 'take'"),
        ({**MODULES, "make": loop("a", 5)}, "no report fits loop 'a' with 6 iterations"),
        ({**MODULES, "take": loop("z", 6)}, "no report fits loop 'b' with 6 iterations"),
    ],
)
def test_reports_of_another_source_are_refused(tmp_path, modules, told):
    source, reports = design(tmp_path, PAIR % ("", "s"), modules)
    with pytest.raises(InputError, match=told):
        read_vitis(source, reports=reports)


# --- Depths back


def patched(folder, patch):
    subprocess.run(["patch", "-p1", "-d", folder, "-i", patch], check=True, capture_output=True)


def test_depths_go_back_as_a_patch_and_come_again(tmp_path):
    solution = example(tmp_path)
    graph = read_vitis(solution)
    sized = graph.with_depths({"body": 5, "skip": 9, "filtered[0]": 3, "filtered[1]": 7})
    write_depths(sized, solution, tmp_path / "depths.patch")
    patched(tmp_path / "example", tmp_path / "depths.patch")
    again = read_vitis(solution)
    # A pragma sizes both streams of the array alike.
    assert {fifo.name: fifo.depth for fifo in again.fifos} == {
        "body": 5, "skip": 9, "filtered[0]": 7, "filtered[1]": 7
    }  # fmt: skip
    assert [np.array_equal(a.trace.tick, b.trace.tick) for a, b in zip(graph.processes, again.processes, strict=True)]
    write_depths(again, solution, tmp_path / "none.patch")
    assert (tmp_path / "none.patch").read_text() == ""


@pytest.mark.parametrize(
    ("declared", "after"),
    [
        ("s", "  hls::stream<int> s;\n  #pragma HLS stream variable=s depth=7\n"),
        ('s("a, > b")', '  hls::stream<int> s("a, > b");\n  #pragma HLS stream variable=s depth=7\n'),
        ("s;\n#pragma HLS STREAM depth = 3  variable=s\n  int n", "#pragma HLS STREAM depth=7  variable=s\n"),
        ("s;\n#pragma HLS stream variable=s type=fifo\n  int n", "#pragma HLS stream variable=s type=fifo depth=7\n"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_way_to_declare_a_depth(tmp_path, declared, after, ending):
    text = (PAIR % ("", declared)).replace("\n", ending)
    source, reports = design(tmp_path, text, MODULES)
    source.write_bytes(text.encode())
    graph = read_vitis(source, reports=reports)
    write_depths(graph.with_depths({"s": 7}), source, tmp_path / "depths.patch")
    subprocess.run(
        ["patch", "--binary", "-p1", "-d", tmp_path, "-i", tmp_path / "depths.patch"], check=True, capture_output=True
    )
    assert after.replace("\n", ending).encode() in source.read_bytes()
    assert read_vitis(source, reports=reports).fifos[0].depth == 7


def test_a_depth_in_the_type(tmp_path):
    source, reports = design(tmp_path, (PAIR % ("", "s")).replace("stream<int> s;", "stream<int, 4> s;"), MODULES)
    graph = read_vitis(source, reports=reports)
    assert graph.fifos[0].depth == 4
    write_depths(graph.with_depths({"s": 7}), source, tmp_path / "depths.patch")
    patched(tmp_path, tmp_path / "depths.patch")
    assert "hls::stream<int, 7> s;" in source.read_text()
    assert read_vitis(source, reports=reports).fifos[0].depth == 7


def test_depths_go_back_as_directives(tmp_path):
    sized = read_vitis(SOLUTION).with_depths({"skip": 9, "filtered[1]": 3})
    write_depths(sized, SOLUTION, tmp_path / "depths.tcl")
    assert (tmp_path / "depths.tcl").read_text() == (
        'set_directive_stream -depth 9 "residual" skip\nset_directive_stream -depth 3 "residual" filtered\n'
    )


def test_depths_of_another_design_are_refused(tmp_path):
    source, reports = design(tmp_path, PAIR % ("", "s"), MODULES)
    graph = read_vitis(source, reports=reports)
    other = tmp_path / "other.cpp"
    other.write_text((PAIR % ("", "t")).replace("(s", "(t"), encoding="utf-8")
    with pytest.raises(InputError, match="the graph has no FIFO 't'"):
        write_depths(graph, other, tmp_path / "depths.patch")
    assert not (tmp_path / "depths.patch").exists()


def test_a_depth_in_the_type_on_another_line_goes_back_as_a_directive_only(tmp_path):
    declared = (PAIR % ("", "s")).replace("stream<int> s;", "stream<int,\n    4> s;")
    source, reports = design(tmp_path, declared, MODULES)
    sized = read_vitis(source, reports=reports).with_depths({"s": 7})
    with pytest.raises(InputError, match="the depth in the type of 's' is not on the line of its declaration") as error:
        write_depths(sized, source, tmp_path / "depths.patch")
    assert (error.value.code, error.value.hints) == ("no-way-back", ("write a .tcl file instead",))
    assert not (tmp_path / "depths.patch").exists()
    write_depths(sized, source, tmp_path / "depths.tcl")
    assert (tmp_path / "depths.tcl").read_text() == 'set_directive_stream -depth 7 "top" s\n'


def test_a_last_line_without_an_end_gets_one_and_a_name_with_a_space_its_tab(tmp_path):
    text = (PAIR % ("", "s")).replace("hls::stream<int> s;", "hls::stream<int> s; make(s); take(s, sums); }")
    source, reports = design(tmp_path, text.partition("take(s, sums); }")[0] + "take(s, sums); }", MODULES)
    source = source.rename(tmp_path / "my design.cpp")
    graph = read_vitis(source, reports=reports)
    write_depths(graph.with_depths({"s": 7}), source, tmp_path / "depths.patch")
    lines = (tmp_path / "depths.patch").read_text().splitlines()
    assert lines[:2] == ["--- a/my design.cpp\t", "+++ b/my design.cpp\t"]
    assert "\\ No newline at end of file" in lines
    patched(tmp_path, tmp_path / "depths.patch")
    assert source.read_text().endswith("}\n  #pragma HLS stream variable=s depth=7\n")


def test_a_source_whose_name_would_break_a_patch_is_refused(tmp_path):
    source, reports = design(tmp_path, PAIR % ("", "s"), MODULES)
    source = source.rename(tmp_path / "a\nb.cpp")
    graph = read_vitis(source, reports=reports)
    with pytest.raises(InputError, match="the name of a source file is not printable") as error:
        write_depths(graph.with_depths({"s": 7}), source, tmp_path / "depths.patch")
    assert (error.value.code, "\n" in str(error.value)) == ("bad-name", False)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "\n#pragma HLS pipeline\nfor (int j = 0; j < 4; j++) { if (j == 2) continue; out.write(j); }",
            "'continue;' decides what runs",
        ),
        (
            "\n#pragma HLS pipeline\nfor (int j = 0; j < 4; j++) { if (i > 2) { return; } out.write(j); }",
            "a return under a condition",
        ),
        ("switch (i) { case 0: break; default: i++; }", "decides what runs"),
        ("goto there; there:", "'goto there;' decides what runs"),
        ("if (i == 1) { goto there; } there:", "decides what runs"),
    ],
)
def test_jumps_out_of_an_iteration_are_refused(tmp_path, line, told):
    source, reports = design(tmp_path, PAIR % (line, "s"), MODULES)
    with pytest.raises(InputError, match=re.escape(told)) as error:
        read_vitis(source, reports=reports)
    assert error.value.code == "not-static"


@pytest.mark.parametrize(
    "line",
    [
        "int x = 0; for (int j = 0; j < 4; j++) { x += j; }",
        "int x = 0; if (*p) { x = 3; } else { for (int j = 0; j < 4; j++) x = j; }",
        "for (int j = 0; j < *p; j++) { if (*p) break; if (*p > 1) continue; }",
        "for (int j = 0; j < *p; j++) { switch (*p) { case 0: break; } }",
        "int x[2] = {1, 2}; x[i & 1] = i;",
        "{ int x = i; }",
    ],
)
def test_what_touches_no_stream_may_depend_on_data(tmp_path, line):
    body = "\n#pragma HLS pipeline\n" + line
    source, reports = design(tmp_path, PAIR % (body, "s"), MODULES)
    assert accesses(read_vitis(source, reports=reports), "make")["s", "write"] == [1 + 2 * i + 3 for i in range(6)]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("if (*p) { return; }", "a stream is accessed where data says so"),
        ("if (*p) { if (i == 2) { return; } }", "a stream is accessed where data says so"),
        ("if (i == 4) { if (i == 2) { return; } }", "a return under a condition"),
        ("if (*p) { break; }", "a stream is accessed where data says so"),
        ("if (i < 9) { for (int j = 0; j < 4; j++) { if (j == 2) return; } }", "a return under a condition"),
        ("for (int j = 0; j < 4; j++) { if (j == i) { goto out; } }", "'goto out;' decides what runs"),
        ("out.write(f(out));", "what 'f' does to a stream is not known"),
        ("out.full();", "'full' of a stream depends on time"),
        ("int x = i > 2 && out.full();", "'full' of a stream depends on time"),
    ],
)
def test_what_may_leave_an_iteration_or_ask_a_stream_is_refused(tmp_path, line, told):
    body = "\n#pragma HLS pipeline\n" + line
    source, reports = design(tmp_path, PAIR % (body, "s"), MODULES)
    with pytest.raises(InputError, match=re.escape(told)) as error:
        read_vitis(source, reports=reports)
    assert error.value.code == "not-static"
    assert error.value.where.startswith("design.cpp line ")


@pytest.mark.parametrize(
    ("condition", "writes"),
    [
        ("i / 2 == 1", [2, 3]),
        ("-i / 2 == -1 && -i % 2 == -1", [3]),
        ("(1 << i) > 7", [3, 4, 5]),
        ("(32 >> i) == 1", [5]),
        ("!(+i < 4)", [4, 5]),
        ("i == 1 || i == 4", [1, 4]),
        ("(i < 2 ? i : 5 - i) == 1", [1, 4]),
        ("int(i) >= 5", [5]),
        ("(i > 9 && *p) || i == 2", [2]),
        ("i >= 0 || *p", [0, 1, 2, 3, 4, 5]),
        ("i * 2 - 4 == 0", [2]),
    ],
)
def test_conditions_are_worked_out_as_cpp_does(tmp_path, condition, writes):
    text = (PAIR % (f"if ({condition})", "s")).replace("i < 6; i++) { sums", f"i < {len(writes)}; i++) {{ sums")
    modules = {"make": loop("a", 6, 1, 1), "take": loop("b", len(writes), 1, 3)}
    source, reports = design(tmp_path, text, modules)
    found = accesses(read_vitis(source, reports=reports), "make")
    assert found.get(("s", "write"), []) == [1 + i for i in writes]


@pytest.mark.parametrize("condition", ["i / 0 == 1", "i % (i - i) == 1", "(1 << 70) > i", "(1 << -1) > i", "~i == 1"])
def test_what_cpp_leaves_open_is_not_worked_out(tmp_path, condition):
    source, reports = design(tmp_path, PAIR % (f"if ({condition})", "s"), MODULES)
    with pytest.raises(InputError, match="a stream is accessed where data says so") as error:
        read_vitis(source, reports=reports)
    assert error.value.code == "not-static"


def test_a_report_without_latencies_fits_by_its_cycles_or_not_at_all(tmp_path):
    source, reports = design(tmp_path, PAIR % ("", "s"), MODULES)
    text = reports.read_text()
    for tag in ("PipelineII", "PipelineDepth"):
        text = re.sub(rf"(<a>.*?)<{tag}>\d+</{tag}>(.*?</a>)", r"\1\2", text)
    reports.write_text(
        text.replace(
            "<Name>a</Name><TripCount>6</TripCount><Latency>13<", "<Name>a</Name><TripCount>6</TripCount><Latency>24<"
        )
    )
    # 24 cycles of six iterations, one after the other
    assert accesses(read_vitis(source, reports=reports), "make")["s", "write"] == [4 * i + 4 for i in range(6)]
    reports.write_text(text.replace("<TripCount>6</TripCount><Latency>13</Latency>", "<TripCount>6</TripCount>", 1))
    with pytest.raises(InputError, match="the report says no iteration latency of loop 'a'") as error:
        read_vitis(source, reports=reports)
    assert error.value.code == "report-does-not-fit"


def test_a_stream_of_a_ternary_may_be_skipped(tmp_path):
    text = (PAIR % ("", "s")).replace("sums[i] = in.read()", "sums[i] = i ? in.read() : 0")
    source, reports = design(tmp_path, text, MODULES)
    with pytest.raises(InputError, match="may be skipped"):
        read_vitis(source, reports=reports)


def test_numbers_that_the_region_passes_are_constants_and_lanes_may_be_worked_out(tmp_path):
    text = """
    void make(hls::stream<int> out[3], int count) {
      a: for (int i = 0; i < count; i++) {
        #pragma HLS pipeline
        for (int k = 0; k < 2; k++) out[k + 1].write(i);
        if (i < count - 1) out[0].write(i);
      }
    }
    void take(hls::stream<int> &in, int count) { b: for (int i = 0; i < count; i++) in.read(); }
    void top() {
      #pragma HLS dataflow
      hls::stream<int> s[3];
      make(s, 5);
      take(s[0], 4);
      take(s[1], 5);
      take(s[2], 5);
    }
    """
    modules = {"make": loop("a", 5), "take": loop("b", 4), "take_1": loop("b", 5), "take_2": loop("b", 5)}
    source, reports = design(tmp_path, text, modules)
    graph = read_vitis(source, reports=reports)
    assert accesses(graph, "make")["s[0]", "write"] == [2, 3, 4, 5]
    assert accesses(graph, "make")["s[2]", "write"] == [2, 3, 4, 5, 6]
    assert simulate(graph).verdict == "done"
