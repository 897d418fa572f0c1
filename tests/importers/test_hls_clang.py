"""HLS C++ read by clang: what is estimated without reports, what is refused, and schedules that keep lanes apart."""

import os
import re
import shutil

import pytest

from sttest.boards.operators import OPERATORS_FILE
from sttest.core.errors import DeadlockError, InputError
from sttest.core.files import read_yaml
from sttest.importers.cpp import read_hls
from sttest.importers.cpp.design import read_design
from sttest.importers.cpp.operators import STAGES
from sttest.importers.cpp.rewrite import marked
from sttest.importers.cpp.verdict import verdict_of
from sttest.sim import simulate

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
PAIR = """
#include <hls_stream.h>
void make(const int *p, hls::stream<int> &out) { a: for (int i = 0; i < 6; i++) { %s out.write(i); } }
void take(hls::stream<int> &in, int *sums) { b: for (int i = 0; i < 6; i++) { sums[i] = in.read(); } }
void top(const int *p, int *sums) {
  #pragma HLS dataflow
  hls::stream<int> s;
  make(p, s);
  take(s, sums);
}
"""
LANES = """
#include <hls_stream.h>
void make(hls::stream<int> out[2][2]) {
  a: for (int i = 0; i < 50; i++) {
    #pragma HLS pipeline II=1
    for (int j = 0; j < 2; j++) for (int k = 0; k < 2; k++) out[j][k].write(i);
  }
}
void take(hls::stream<int> in[2][2], int *m) {
  b: for (int i = 0; i < 50; i++) {
    #pragma HLS pipeline II=1
    for (int j = 0; j < 2; j++) for (int k = 0; k < 2; k++) m[4 * i + j] += in[j][k].read();
  }
}
void top(int *m) {
  #pragma HLS dataflow
  hls::stream<int> lanes[2][2];
  make(lanes); take(lanes, m);
}
"""
BLOCKS = """
#include <hls_streamofblocks.h>
typedef int block[8];
void make(hls::stream_of_blocks<block> &out) {
  a: for (int i = 0; i < 4; i++) { hls::write_lock<block> b(out); for (int k = 0; k < 8; k++) b[k] = i + k; }
}
void take(hls::stream_of_blocks<block> &in, int *m) {
  b: for (int i = 0; i < 4; i++) { hls::read_lock<block> b(in); for (int k = 0; k < 8; k++) m[8 * i + k] = b[k]; }
}
void top(int *m) {
  #pragma HLS dataflow
  hls::stream_of_blocks<block> s;
  make(s); take(s, m);
}
"""


def written(folder, text: str):
    path = folder / "design.cpp"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_reports_intervals_come_from_pragmas_and_that_is_said(tmp_path):
    notes: list[str] = []
    text = (PAIR % "").replace("i++) { out", "i++) {\n#pragma HLS pipeline II=3\nout")
    found = simulate(
        read_hls(written(tmp_path, text.replace("  out.write", "\n#pragma HLS pipeline II=3\n out.write")), notes=notes)
    )
    assert found.verdict == "done"
    assert 5 * 3 < found.cycles < 6 * 3 + 8
    assert any(each.startswith("without reports") for each in notes)


def test_lanes_that_stand_a_stage_apart_halve_the_rate_of_short_fifos(tmp_path):
    network = read_design(written(tmp_path, LANES), None, "", {}, None, None)
    assert [fifo.name for fifo in network.early.fifos] == [f"lanes[{j}][{k}]" for j in range(2) for k in range(2)]
    verdict = verdict_of(network)
    assert verdict.runs["early"].cycles < 60
    assert verdict.runs["apart"].cycles > 95
    assert simulate(network.apart.with_all_depths(3)).cycles < 60


def test_a_stream_of_blocks_is_two_streams_of_turns(tmp_path):
    graph = read_hls(written(tmp_path, BLOCKS))
    assert sorted((fifo.depth, fifo.initial_tokens) for fifo in graph.fifos) == [(2, 0), (2, 2)]
    assert simulate(graph).verdict == "done"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("if (*p > i)", "a stream is accessed where data says so"),
        ("for (int j = 0; j < *p; j++)", "depends on data"),
        ("out.write_nb(i);", "'write_nb' of a stream depends on time"),
        ("if (out.full()) continue;", "'full' of a stream depends on time"),
        ("nothing(out);", "use of undeclared identifier 'nothing'"),
    ],
)
def test_what_the_text_does_not_say_is_refused_by_its_cause(tmp_path, line, told):
    with pytest.raises(InputError, match=re.escape(told)):
        read_hls(written(tmp_path, PAIR % line))


def test_data_can_be_followed_for_zeros_when_that_is_asked_for(tmp_path):
    notes: list[str] = []
    text = (PAIR % "if (*p < i)").replace(
        "take(hls::stream<int> &in, int *sums) { b: for (int i = 0; i < 6",
        "take(hls::stream<int> &in, int *sums) { b: for (int i = 0; i < 5",
    )
    graph = read_hls(written(tmp_path, text), values={"data": "0"}, notes=notes)
    assert simulate(graph).verdict == "done"
    assert any("full of zeros" in each for each in notes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("#include <hls_stream.h>\nvoid top() {}\n", "no function has a dataflow region"),
        (
            (PAIR % "") + (PAIR % "").replace("top", "other").replace("make", "make2").replace("take", "take2"),
            "2 functions",
        ),
        ((PAIR % "").replace("make(p, s);", "make(p, s); make(p, s);"), "is written by make and make_1"),
    ],
)
def test_designs_that_are_no_graph_are_refused(tmp_path, text, told):
    with pytest.raises(InputError, match=told):
        read_hls(written(tmp_path, text))


@pytest.mark.parametrize(
    ("pragma", "call"),
    [
        ("#pragma HLS STREAM VARIABLE=a DEPTH=N+1", '::sttest::stream_of(a, "a", (long)(N+1), "");'),
        ("#pragma hls stream variable=a type=pipo depth=3", '::sttest::stream_of(a, "a", (long)(3), "pipo");'),
        ("#pragma HLS stream variable=a off", '::sttest::stream_of(a, "a", (long)(0), "pipo");'),
        ("#pragma HLS pipeline off", "::sttest_pipeline((long)(-1));"),
        ("#pragma HLS unroll factor = 4 // four", "::sttest_unroll((long)(4));"),
        ("#pragma HLS interface m_axi port=p \\\n  offset=slave", "\n"),
        ("#pragma once", "#pragma once"),
    ],
)
def test_pragmas_become_calls_on_their_lines(pragma, call):
    assert marked(f"{pragma}\nint x;\n") == f"{call}\nint x;\n"


def test_a_pragma_between_a_loop_and_its_statement_keeps_the_statement(tmp_path):
    text = (PAIR % "").replace("i++) {  out.write(i); }", "i++)\n#pragma HLS pipeline II=2\n out.write(i);")
    assert simulate(read_hls(written(tmp_path, text))).verdict == "done"


def test_operators_have_the_stages_of_the_boards():
    rows = read_yaml(OPERATORS_FILE)["operators"]
    plain = {name: row["timing"]["stages"] for name, row in rows.items() if row.get("timing")}
    made = {name: sum(plain[each] for each in row["compose"]) for name, row in rows.items() if row.get("compose")}
    assert STAGES.items() <= (plain | made).items()


STATIC = """
#include <hls_stream.h>
static void load(const int *in, hls::stream<int> &out, int n) { for (int i = 0; i < n / 2; i++) out << in[i]; }
static void store(int *out, hls::stream<int> &in, int n) { for (int i = 0; i < n / 2; i++) out[i] = in.read(); }
extern "C" void vadd(const int *in, int *out, int n) {
  static hls::stream<int> in_stream("input");
  #pragma HLS dataflow
  load(in, in_stream, n);
  store(out, in_stream, n);
}
"""


def test_a_scalar_is_followed_into_tasks_that_are_given_static_streams_before_it(tmp_path):
    source = written(tmp_path, STATIC)
    with pytest.raises(InputError, match="'n' of 'vadd' decides"):
        read_hls(source)
    graph = read_hls(source, values={"n": "20"})
    assert [fifo.name for fifo in graph.fifos] == ["in_stream"]
    assert simulate(graph).fifo_events == 2 * 10


def test_tasks_that_share_nothing_are_no_dataflow_design(tmp_path):
    text = (PAIR % "").replace("for (int i = 0; i < 6", "for (int i = 0; i < 0")
    with pytest.raises(InputError, match="no token passes between any two of them"):
        read_hls(written(tmp_path, text))


ASKING = """
#include <hls_stream.h>
void ask(hls::stream<int> &req, hls::stream<int> &rep, const int *p, int *m) {
  a: for (int i = 0; i < 40; i++) { req.write(p[i]); ap_wait(); m[0] += rep.read(); }
}
void answer(hls::stream<int> &req, hls::stream<int> &rep) {
  b: for (int i = 0; i < 40; i++) { int v = req.read(); rep.write(2 * v); }
}
void top(const int *p, int *m) {
  #pragma HLS dataflow
  hls::stream<int> req, rep;
  ask(req, rep, p, m); answer(req, rep);
}
"""


def test_what_deadlocks_under_one_schedule_alone_is_the_graph_and_another_waits_for_each_answer(tmp_path):
    checks: list[str] = []
    graph = read_hls(written(tmp_path, ASKING), checks=checks)
    assert simulate(graph).verdict == "deadlock"
    assert checks[0].startswith("it deadlocks only if reads stand early and writes late")
    network = read_design(tmp_path / "design.cpp", None, "", {}, None, None)
    assert simulate(network.first).cycles == 2 * 40 + 3  # a published design of this kind: 4,053 for 2,025


def test_tasks_that_both_read_first_wait_whatever_the_depths_are(tmp_path):
    text = ASKING.replace("req.write(p[i]); ap_wait(); m[0] += rep.read();", "m[0] += rep.read(); req.write(p[i]);")
    with pytest.raises(DeadlockError, match=r"ask waits for 'rep' \(design.cpp line 4\); answer waits for 'req'"):
        read_hls(written(tmp_path, text))


def test_a_shift_register_and_files_with_one_header_without_a_guard(tmp_path):
    (tmp_path / "n.h").write_text("const int N = 6; struct pair_of { int a; };", encoding="utf-8")
    parts = (PAIR % "").replace("out.write(i)", "static ap_shift_reg<int, 3> r; out.write(r.shift(i))")
    (tmp_path / "top.cpp").write_text('#include "ap_shift_reg.h"\n#include "n.h"\n' + parts, encoding="utf-8")
    (tmp_path / "more.cpp").write_text('#include "n.h"\nint more() { return N; }', encoding="utf-8")
    (tmp_path / "run.tcl").write_text("add_files top.cpp\nadd_files more.cpp\nset_top top\n", encoding="utf-8")
    notes: list[str] = []
    assert simulate(read_hls(tmp_path / "top.cpp", notes=notes)).verdict == "done"
    assert notes[0] == "files, top and settings are those of run.tcl, which names the source"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("int v; while (in.read_nb(v) == false) { n++; } sums[i] = v + n;", ""),
        ("while (in.empty()) { n++; } sums[i] = in.read() + n;", ""),
        ("int v; while (in.read_nb(v)) { n++; } sums[i] = v + n;", "'read_nb' of a stream depends on time"),
        ("int v; if (in.read_nb(v)) sums[i] = v;", "'read_nb' of a stream depends on time"),
        ("int v; for (int j = 0; j < 9; j++) if (!in.empty()) break; sums[i] = in.read();", "'empty' of a stream dep"),
    ],
)
def test_asking_until_there_is_something_is_a_read_that_waits_and_other_asking_is_refused(tmp_path, line, told):
    text = (PAIR % "").replace("sums[i] = in.read();", line).replace("int *sums) { b:", "int *sums) { int n = 0; b:")
    source = written(tmp_path, text)
    if told:
        with pytest.raises(InputError, match=told):
            read_hls(source)
    else:
        found = simulate(read_hls(source))
        assert (found.verdict, found.fifo_events) == ("done", 12)


COPIED = """
struct Point { int x, y, z, w; };
void make(const Point *p, Point out[8]) { a: for (int i = 0; i < 8; i++) out[i] = p[i]; }
void take(Point in[8], Point *m) { b: for (int i = 0; i < 8; i++) m[i] = in[i]; }
void top(const Point *p, Point *m) {
  Point between[8];
  #pragma HLS dataflow
  make(p, between); take(between, m);
}
"""


def test_a_buffer_of_structures_that_are_copied_whole_is_a_buffer(tmp_path):
    graph = read_hls(written(tmp_path, COPIED))
    assert [fifo.name for fifo in graph.fifos] == ["between.take.full", "between.take.empty"]
    assert simulate(graph).verdict == "done"


FARMED = """
#include <hls_stream.h>
#include <hls_task.h>
#include <hls_np_channel.h>
void work(hls::stream<int> &in, hls::stream<int> &out) { out.write(in.read() + 1); }
void feed(const int *p, hls::stream<int> &out) { a: for (int i = 0; i < 16; i++) out.write(p[i]); }
void take(hls::stream<int> &in, int *sums) { b: for (int i = 0; i < 16; i++) sums[i] = in.read(); }
void farm(hls::stream<int> &in, hls::stream<int> &out) {
  hls_thread_local hls::task t(work, in, out);
}
void top(const int *p, int *sums) {
  hls_thread_local hls::split::round_robin<int, 4> fork;
  hls_thread_local hls::merge::round_robin<int, 4> join;
  #pragma HLS dataflow
  feed(p, fork.in);
  hls_thread_local hls::task t[4];
  for (int i = 0; i < 4; i++) {
    #pragma HLS unroll
    t[i](work, fork.out[i], join.in[i]);
  }
  take(join.out, sums);
}
"""


def test_tasks_of_a_loop_are_apart_from_those_of_channels_before_it(tmp_path):
    (tmp_path / "d.cpp").write_text(FARMED)
    graph = read_hls(tmp_path / "d.cpp", top="top")
    assert len([each for each in graph.processes if each.name.startswith("work")]) == 4
    assert simulate(graph).verdict == "done"


def test_tasks_that_a_function_starts_are_refused(tmp_path):
    (tmp_path / "d.cpp").write_text(
        FARMED.replace("t[i](work, fork.out[i], join.in[i]);", "").replace(
            "hls_thread_local hls::task t[4];", "farm(fork.out[0], join.in[0]);"
        )
    )
    with pytest.raises(InputError, match="an hls::task is started in a loop or a function"):
        read_hls(tmp_path / "d.cpp", top="top")


@pytest.mark.parametrize(
    "line", ['#include "p"', '#define P "p"\n#include P', '#include \\\n "own.h"', '#include "/dev/zero"']
)
def test_an_include_that_might_never_end_is_refused_by_its_name(tmp_path, line):
    """Clang would wait for a named pipe, and read a device until there is no memory."""
    os.mkfifo(tmp_path / "p")
    (tmp_path / "own.h").write_bytes(b"// \xb5s\n#if __has_include(<p>)\n#endif\n")
    (tmp_path / "design.cpp").write_text(f"{line}\n{PAIR % ''}")
    with pytest.raises(InputError, match=r"includes .*: it is a (named pipe|device)"):
        read_hls(tmp_path / "design.cpp")
