"""Designs of Vitis HLS: when streams are accessed, what is refused, and depths back into the source."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from hls_designs import SOLUTION, design, example, loop

from sttest.core.errors import InputError
from sttest.importers.cpp import read_hls, write_depths
from sttest.sim import simulate

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
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
    """Stages by FIFO and direction, from the first access of each on."""
    found = next(each for each in graph.processes if each.name == process)
    named = {(graph.fifos[op // 2].name, ("read", "write")[op % 2]): op for op in found.trace.ops_used}
    ticks = {key: found.trace.tick[found.trace.op == op] for key, op in named.items()}
    return {key: (each - each[0]).tolist() for key, each in ticks.items()}


def test_a_project_is_read_with_its_headers_macros_and_typedefs():
    graph = read_hls(SOLUTION)
    assert (graph.name, graph.clock_mhz) == ("residual", 250.0)
    assert [(fifo.name, fifo.depth, fifo.bits) for fifo in graph.fifos] == [
        ("body", 2, 32), ("skip", 4, 32), ("filtered[0]", 2, 32), ("filtered[1]", 2, 32)
    ]  # fmt: skip
    writes = [*range(128)]
    assert accesses(graph, "load") == {("body", "write"): writes, ("skip", "write"): writes}


def test_a_loop_around_pipelines_enters_them_again_after_its_iteration_latency():
    graph = read_hls(SOLUTION)
    # A row takes 23: 8 iterations of latency 2, 2 stages between, 4 iterations of latency 6.
    reads = [23 * row + i for row in range(16) for i in range(8)]
    writes = [23 * row + i for row in range(16) for i in range(4)]
    assert accesses(graph, "filter") == {
        ("body", "read"): reads, ("filtered[0]", "write"): writes, ("filtered[1]", "write"): writes
    }  # fmt: skip


def test_unrolled_lanes_access_in_one_stage_and_an_interval_spaces_iterations():
    found = accesses(read_hls(SOLUTION), "join")
    assert found["filtered[1]", "read"] == [2 * i for i in range(64)]
    assert found["skip", "read"] == [*range(128)]  # a FIFO is read once a cycle


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
    graph = read_hls(source, reports=reports)
    written = [i for i in range(12) if (i % 3 == 2 and i >= 3) or i % 5 == 4 or i >= 9]
    assert len(accesses(graph, "make")["s", "write"]) == len(written)
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
    graph = read_hls(source, reports=reports)
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
    graph = read_hls(source, reports=reports)
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
    graph = read_hls(source, reports=reports)
    assert accesses(graph, "make")["s", "write"] == [*range(8)]
    assert accesses(graph, "take")["s", "read"] == [*range(8)]  # one a cycle


def test_a_component_of_the_unified_ide(tmp_path):
    design(tmp_path, PAIR % ("", "s"), MODULES)
    (tmp_path / "hls_config.cfg").write_text("part=xcu55c\n[hls]\nsyn.file=design.cpp\nsyn.top=top\n", encoding="utf-8")
    folder = tmp_path / "hls" / "syn" / "report"
    folder.mkdir(parents=True)
    shutil.move(tmp_path / "csynth.xml", folder)
    assert simulate(read_hls(tmp_path)).verdict == "done"


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
        read_hls(source, reports=reports)


# --- Depths back


def patched(folder, patch):
    subprocess.run(["patch", "-p1", "-d", folder, "-i", patch], check=True, capture_output=True)


def test_depths_go_back_as_a_patch_and_come_again(tmp_path):
    solution = example(tmp_path)
    graph = read_hls(solution)
    sized = graph.with_depths({"body": 5, "skip": 9, "filtered[0]": 3, "filtered[1]": 7})
    write_depths(sized, solution, tmp_path / "depths.patch")
    patched(tmp_path / "example", tmp_path / "depths.patch")
    again = read_hls(solution)
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
    graph = read_hls(source, reports=reports)
    write_depths(graph.with_depths({"s": 7}), source, tmp_path / "depths.patch")
    subprocess.run(
        ["patch", "--binary", "-p1", "-d", tmp_path, "-i", tmp_path / "depths.patch"], check=True, capture_output=True
    )
    assert after.replace("\n", ending).encode() in source.read_bytes()
    assert read_hls(source, reports=reports).fifos[0].depth == 7


def test_a_depth_in_the_type(tmp_path):
    source, reports = design(tmp_path, (PAIR % ("", "s")).replace("stream<int> s;", "stream<int, 4> s;"), MODULES)
    graph = read_hls(source, reports=reports)
    assert graph.fifos[0].depth == 4
    write_depths(graph.with_depths({"s": 7}), source, tmp_path / "depths.patch")
    patched(tmp_path, tmp_path / "depths.patch")
    assert "hls::stream<int, 7> s;" in source.read_text()
    assert read_hls(source, reports=reports).fifos[0].depth == 7


def test_depths_go_back_as_directives(tmp_path):
    sized = read_hls(SOLUTION).with_depths({"skip": 9, "filtered[1]": 3})
    write_depths(sized, SOLUTION, tmp_path / "depths.tcl")
    assert (tmp_path / "depths.tcl").read_text() == (
        'set_directive_stream -depth 9 "residual" skip\nset_directive_stream -depth 3 "residual" filtered\n'
    )


def test_depths_of_another_design_are_refused(tmp_path):
    source, reports = design(tmp_path, PAIR % ("", "s"), MODULES)
    graph = read_hls(source, reports=reports)
    other = tmp_path / "other.cpp"
    other.write_text((PAIR % ("", "t")).replace("(s", "(t"), encoding="utf-8")
    with pytest.raises(InputError, match="no stream of the graph is declared"):
        write_depths(graph, other, tmp_path / "depths.patch")
    assert not (tmp_path / "depths.patch").exists()


def test_a_depth_in_the_type_on_another_line_goes_back_as_a_directive_only(tmp_path):
    declared = (PAIR % ("", "s")).replace("stream<int> s;", "stream<int,\n    4> s;")
    source, reports = design(tmp_path, declared, MODULES)
    sized = read_hls(source, reports=reports).with_depths({"s": 7})
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
    graph = read_hls(source, reports=reports)
    write_depths(graph.with_depths({"s": 7}), source, tmp_path / "depths.patch")
    lines = (tmp_path / "depths.patch").read_text().splitlines()
    assert lines[:2] == ["--- a/my design.cpp\t", "+++ b/my design.cpp\t"]
    assert "\\ No newline at end of file" in lines
    patched(tmp_path, tmp_path / "depths.patch")
    assert source.read_text().endswith("}\n  #pragma HLS stream variable=s depth=7\n")


def test_a_source_whose_name_would_break_a_patch_is_refused(tmp_path):
    source, reports = design(tmp_path, PAIR % ("", "s"), MODULES)
    source = source.rename(tmp_path / "a\nb.cpp")
    with pytest.raises(InputError, match="the name of a source file is not printable") as error:
        read_hls(source, reports=reports)
    assert (error.value.code, "\n" in str(error.value)) == ("bad-name", False)


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
    assert accesses(read_hls(source, reports=reports), "make")["s", "write"] == [4 * i for i in range(6)]
    reports.write_text(text.replace("<TripCount>6</TripCount><Latency>13</Latency>", "<TripCount>6</TripCount>", 1))
    with pytest.raises(InputError, match="the report says no iteration latency of loop 'a'") as error:
        read_hls(source, reports=reports)
    assert error.value.code == "report-does-not-fit"


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
    graph = read_hls(source, reports=reports)
    assert accesses(graph, "make")["s[0]", "write"] == [0, 1, 2, 3]
    assert accesses(graph, "make")["s[2]", "write"] == [0, 1, 2, 3, 4]
    assert simulate(graph).verdict == "done"


def test_loops_of_a_region_are_tasks_that_may_share_a_module(tmp_path) -> None:
    text = """
    void top(int in[4], int out[4]) {
      #pragma HLS dataflow
      hls::stream<int> s;
      hls::stream<int> t;
      first: for (int i = 0; i < 4; i++) { s.write(in[i]); }
      second: for (int i = 0; i < 4; i++) { t.write(s.read()); }
      third: for (int i = 0; i < 4; i++) { out[i] = t.read(); }
    }
    """
    modules = {"Loop_first_proc1": loop("first", 4) + loop("second", 4), "Loop_third_proc": loop("third", 4)}
    source, reports = design(tmp_path, text, modules)
    graph = read_hls(source, reports=reports)
    assert [process.name for process in graph.processes] == ["Loop_first_proc", "Loop_third_proc"]
    assert sorted(set(graph.processes[0].trace.op.tolist())) == [1]  # the first stream stays within one process
    assert simulate(graph).cycles == simulate(graph, engine="simpy").cycles
    source, reports = design(tmp_path, text, {"Loop_third_proc": loop("third", 4)})
    with pytest.raises(InputError, match="no report"):
        read_hls(source, reports=reports)
