"""Small HLS designs: when each way to write a loop accesses its stream, what is refused, and by which cause."""

from __future__ import annotations

import itertools
import re
import shutil
from pathlib import Path

import pytest
from hls_designs import loop, report
from quick_cpp import TAKE, TOP, analyze_here, pair, six, written

from sttest.core.errors import InputError
from sttest.importers.cpp import places, read_hls, write_depths
from sttest.importers.cpp.design import read_design
from sttest.importers.cpp.network import NetworkRuns
from sttest.importers.cpp.verdict import verdict_of
from sttest.sim import TimedGraph
from sttest.sim.graph import MAX_ACCESSES_VARIABLE

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
NESTED = "a: for (int i = 0; i < 2; i++) { %s c: for (int k = 0; k < 3; k++) out.write(i); }"
# Body of a task that writes six tokens, and in which stages.  A task begins in stage 1; the first stage of an iteration
# finds out whether there is one.  A load takes 1 stage, to float and back 6 each, a sum of floats 7, a product 4.
MAKERS = {
    # All loops of a pipelined function are unrolled, and a stream is written once in a stage.
    "pipelined": ("\n#pragma HLS pipeline\n" + NESTED % "", [1, 2, 3, 4, 5, 6]),
    "flattened": (NESTED % "", [2, 3, 4, 5, 6, 7]),
    # Three iterations of two stages end in stage 5, and the next three begin two stages later.
    "not_flattened": (NESTED % "\n#pragma HLS loop_flatten off\n", [2, 3, 4, 8, 9, 10]),
    # The pragma is about loops around the innermost one, in which it stands.
    "not_flattened_within": (
        (NESTED % "").replace("out.write(i);", "{\n#pragma HLS loop_flatten off\nout.write(i); }"),
        [2, 3, 4, 8, 9, 10],
    ),
    # Flattened into the loop around it, which is not into the next one: 2 times 4 iterations.
    "not_flattened_further": (
        "g: for (int h = 0; h < 2; h++) {\n#pragma HLS loop_flatten off\n"
        "a: for (int i = 0; i < 2; i++) c: for (int k = 0; k < 2; k++) if (k < 1 || i) out.write(i); }",
        [2, 4, 5, 9, 11, 12],
    ),
    # Test, load and write: three stages for each.
    "one_by_one": (six("\n#pragma HLS pipeline off\n out.write(p[i]);"), [3, 6, 9, 12, 15, 18]),
    # Two writes are the two stages of an iteration, and make its interval two.
    "twice": (
        "a: for (int i = 0; i < 3; i++) {\n#pragma HLS pipeline II=1\n out.write(i); out.write(-i); }",
        [1, 2, 3, 4, 5, 6],
    ),
    # Iterations 1, 4, 7 and so on write in their second stage.
    "chosen": (
        """int n = 0;
        a: for (int i = 0; i < 18; i++) switch (i % 3) {
          case 0: n++; break;
          case 1: out.write(n); break;
          default: n += 2;
        }""",
        [3, 6, 9, 12, 15, 18],
    ),
    # The table of functions is loaded from, as p is.
    "by_pointer": (
        "int (*const of[2])(int) = {once, twice}; " + six("out.write(of[i & 1](i));"),
        [3, 4, 5, 6, 7, 8],
    ),
    # Around x go a sum, a product and a sum, 18 stages; test, load and two conversions are before the first write, too.
    "summed_twice": (
        "float x = 2; " + six("float t = x + p[i]; float u = t * 3; x = t + u; out.write(x);"),
        [1 + 1 + 1 + 6 + 18 + 6 + 18 * i for i in range(6)],
    ),
    # Around y goes a sum; the first write is 7 and 6 stages after the test.
    "of_both_before": (
        "float x = 1, y = 1; " + six("float t = x + y; x = y; y = t; out.write(t);"),
        [15, 22, 29, 36, 43, 50],
    ),
    # What the runtime of the analysis is called may be called by a design, too.
    "own_name": (six("sttest_site(0); out.write(i);"), [2, 3, 4, 5, 6, 7]),
}  # fmt: skip
# With arguments that are more than pointers and numbers: load, 6 stages to float, 7 of the sum, 6 back.
GIVEN = """
struct Point { float x, y; };
void given_points(const int *p, Point by, hls::stream<int> &out) {
  a: for (int i = 0; i < 6; i++) out.write(p[i] + by.x);
}
void given_reference(const int *p, const int &by, hls::stream<int> &out) {
  a: for (int i = 0; i < 6; i++) out.write(p[i] + by);
}
"""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    analyze_here(monkeypatch)


def read(folder: Path, text: str, modules: dict[str, str] | None = None, **options) -> TimedGraph:
    if modules is not None:
        options["reports"] = folder / "csynth.xml"
        options["reports"].write_text(report("top", modules=modules), encoding="utf-8")
    return read_hls(written(folder, text), **options)


def stages(graph: TimedGraph, process: str) -> list[int]:
    """Of the accesses of a task."""
    return next(each for each in graph.processes if each.name == process).trace.tick.tolist()


# --- When streams are accessed


@pytest.fixture(scope="module")
def makers(tmp_path_factory: pytest.TempPathFactory) -> NetworkRuns:
    """All makers, each with a task that takes, in one region."""
    text = 'extern "C" void sttest_site(int);\nint once(int v) { return v; }\nint twice(int v) { return 2 * v; }\n'
    text += "".join(f"void {each}(const int *p, hls::stream<int> &out) {{ {MAKERS[each][0]} }}\n" for each in MAKERS)
    names = [*MAKERS, "given_points", "given_reference"]
    calls = [*("p" for _ in MAKERS), "p, Point{p[0] * 1.0f, 2}", "p, 3"]
    text += f"{GIVEN}{TAKE}void top(const int *p, int *m) {{\n#pragma HLS dataflow\nhls::stream<int> s[{len(names)}];\n"
    text += "".join(
        f"{name}({given}, s[{number}]); take(s[{number}], m);\n"
        for number, (name, given) in enumerate(zip(names, calls, strict=True))
    )
    with pytest.MonkeyPatch.context() as patch:
        analyze_here(patch)
        return read_design(written(tmp_path_factory.mktemp("makers"), text + "}\n"), None, "", {}, None, None)


@pytest.mark.parametrize("name", MAKERS)
def test_each_way_to_write_a_loop_has_its_stages(makers, name):
    assert stages(makers.early, name) == MAKERS[name][1]


def test_structures_by_value_and_numbers_by_reference_are_handed_to_tasks(makers):
    assert stages(makers.early, "given_points") == [1 + 1 + 1 + 6 + 7 + 6 + i for i in range(6)]
    assert stages(makers.early, "given_reference") == [1 + 1 + 1 + i for i in range(6)]
    # A number that exists for a call alone is no buffer between tasks.
    assert [fifo.name for fifo in makers.early.fifos] == [f"s[{number}]" for number in range(len(MAKERS) + 2)]


def test_a_sum_of_many_reads_is_written_when_the_first_of_them_has_gone_through_all_additions(tmp_path):
    text = f"""
    void make(const float *p, hls::stream<float> &out) {{ a: for (int i = 0; i < 70; i++) out.write(p[i]); }}
    void add(hls::stream<float> &in, hls::stream<float> &out) {{
      float x = 0; {"x += in.read(); " * 70} out.write(x);
    }}
    void take(hls::stream<float> &in, float *m) {{ m[0] = in.read(); }}
    void top(const float *p, float *m) {{
      #pragma HLS dataflow
      hls::stream<float> s, t;
      make(p, s); add(s, t); take(t, m);
    }}
    """
    network = read_design(written(tmp_path, text), None, "", {}, None, None)
    # The stream is read once in a stage, from stage 1 on; 70 additions of 7 stages each follow the first read.
    assert stages(network.early, "add") == [*range(1, 71), 1 + 70 * 7]
    # Read as late as may be, each has the additions before it that are left: 70, 69 and so on, one of the last.
    assert stages(network.late, "add") == [1 + 7 * k for k in range(70)] + [1 + 70 * 7]


def test_a_task_whose_body_is_a_lambda_has_a_place_and_no_origin(tmp_path):
    text = """
    #include <hls_task.h>
    void top(hls::stream<int> &in, hls::stream<int> &out) {
      hls::stream<int> s;
      hls::task first([](hls::stream<int> &a, hls::stream<int> &b) { b.write(a.read()); }, in, s);
      hls::task second([](hls::stream<int> &a, hls::stream<int> &b) { b.write(a.read()); }, s, out);
    }
    """
    network = read_design(written(tmp_path, text), None, "top", {"tokens": "4"}, None, None)
    assert [(each.name, each.origin) for each in network.early.processes] == [("call", ""), ("call_1", "")]
    assert {name: place.line for name, place in network.places.processes.items()} == {"call": 5, "call_1": 6}
    assert [each.trace.op.tolist() for each in network.early.processes] == [[1] * 4, [0] * 4]
    assert (
        network.notes[-1] == "tasks that run for ever are followed for 4 tokens from outside; --set tokens=N for others"
    )


def test_what_has_no_lines_in_its_debug_information_has_no_places(tmp_path):
    text = """
    [[gnu::nodebug]] void make(int u[4]) { a: for (int i = 0; i < 4; i++) u[i] = i; }
    [[gnu::nodebug]] void take(int u[4], int *o) { b: for (int i = 0; i < 4; i++) o[i] = u[i]; }
    [[gnu::nodebug]] void top(int *o) {
      #pragma HLS dataflow
      int u[4];
      make(u); take(u, o);
    }
    """
    network = read_design(written(tmp_path, text), None, "", {}, None, None)
    assert (network.places.processes, network.places.accesses) == ({}, {})
    assert [each.origin for each in network.early.processes] == ["", ""]
    # A turn is taken at the beginning and given at the end, after 1 + 3 + 2 stages, and with the load 1 + 3 + 3.
    assert (stages(network.early, "_Z4makePi"), stages(network.early, "_Z4takePiS_")) == ([0, 5], [0, 6])


def test_accesses_without_lines_have_no_places_and_none_in_a_header_of_ours(tmp_path):
    text = pair(six("out.write(p[i]);")).replace("void make(", "[[gnu::nodebug]] void make(")
    network = read_design(written(tmp_path, text), None, "", {}, None, None)
    assert {access: place.line for access, place in network.places.accesses.items()} == {("take", "read", "s"): 2}
    with pytest.raises(InputError, match="'full' of a stream depends on time") as caught:
        read(tmp_path, text.replace("out.write", "if (!out.full()) out.write"))
    assert caught.value.where == ""


def test_a_task_without_an_end_reads_once_more_than_there_is(tmp_path):
    endless = "void pass(hls::stream<int> &in, hls::stream<int> &out) { while (true) out.write(in.read()); }\n"
    text = endless + pair(six("out.write(p[i]);")).replace("take(s, m);", "hls::stream<int> t; pass(s, t); take(t, m);")
    network = read_design(written(tmp_path, text), None, "", {}, None, None)
    passes = next(each for each in network.early.processes if each.name == "pass").trace
    number = network.early.fifo_index["s"]
    assert (passes.op == 2 * number).sum() == 6 + 1
    assert verdict_of(network).text == "deadlocks under every schedule; no depths help, tokens are missing"


OUTSIDE = """
hls::stream<int> s;
hls::stream<short, 5> lanes[2];
namespace deep { static hls::stream<int> more("more"); }
void make(const int *p) { a: for (int i = 0; i < 6; i++) { s.write(p[i]); lanes[i & 1].write(i); deep::more.write(i); }}
void take(int *m) { b: for (int i = 0; i < 6; i++) m[i] = s.read() + lanes[i & 1].read() + deep::more.read(); }
void top(const int *p, int *m) {
  #pragma HLS dataflow
  #pragma HLS stream variable=s depth=7
  make(p); take(m);
}
"""


def test_streams_outside_of_functions_are_those_of_the_top(tmp_path):
    network = read_design(written(tmp_path, OUTSIDE), None, "", {}, None, None)
    depths = {fifo.name: (fifo.depth, fifo.bits) for fifo in network.early.fifos}
    assert depths == {"s": (7, 32), "lanes[0]": (5, 16), "lanes[1]": (5, 16), "more": (2, 32)}
    assert verdict_of(network).stuck == []
    assert {name: place.line for name, place in places(tmp_path / "design.cpp").fifos.items()} == {
        "s": 9, "lanes[0]": 3, "lanes[1]": 3, "more": 4,
    }  # fmt: skip


def test_depths_of_streams_outside_of_functions_go_back_where_a_pragma_or_a_type_has_them(tmp_path):
    graph = read(tmp_path, OUTSIDE)
    out = tmp_path / "depths.patch"
    write_depths(graph.with_depths({"s": 9, "lanes[0]": 6}), tmp_path / "design.cpp", out)
    added = [line for line in out.read_text(encoding="utf-8").splitlines() if line.startswith("+ ")]
    assert "+  #pragma HLS stream variable=s depth=9" in added
    with pytest.raises(InputError, match="stream 'more' is declared outside of functions") as caught:
        write_depths(graph.with_depths({"more": 9}), tmp_path / "design.cpp", out)
    assert (caught.value.where, caught.value.hints) == (
        "design.cpp line 4", ("write '#pragma HLS stream variable=more depth=9' into 'top'",)
    )  # fmt: skip


def test_a_task_outside_of_functions_is_refused_by_its_cause(tmp_path):
    outside = """
    #include <hls_task.h>
    hls::stream<int> s, t;
    void pass(hls::stream<int> &a, hls::stream<int> &b) { b.write(a.read()); }
    hls::task one(pass, s, t);
    void make(const int *p) { a: for (int i = 0; i < 6; i++) s.write(p[i]); }
    void take(int *m) { b: for (int i = 0; i < 6; i++) m[i] = t.read(); }
    void top(const int *p, int *m) {
      #pragma HLS dataflow
      make(p); take(m);
    }
    """
    with pytest.raises(InputError, match=r"an hls::task.* is declared outside of functions") as caught:
        read(tmp_path, outside)
    assert (caught.value.code, caught.value.hints) == ("nested-tasks", ("declare it in the top itself",))


# --- Reports


# Body of a task, reports of its loops, and stages of its writes.
REPORTED = {
    # Writes in the third stage of an iteration; the loop ends in stage 6, what is unrolled follows two later.
    "beside": (
        "a: for (int i = 0; i < 3; i++) out.write(p[i]);\n"
        "u: for (int i = 0; i < 3; i++) {\n#pragma HLS unroll\n out.write(i); }",
        loop("a", 3, 1, 3), [3, 4, 5, 8, 9, 10],
    ),
    # The one loop of that name is part of another module, with an interval of 2.
    "elsewhere": (six("out.write(p[i]);").replace("a:", "e:"), "", [3, 5, 7, 9, 11, 13]),
    # Three iterations of two stages end in stage 5, and nothing says how long an iteration around them takes.
    "around": (NESTED.replace("a:", "f:") % "", loop("c", 3, 1, 2), [2, 3, 4, 8, 9, 10]),
    # It takes 9.
    "around_nine": (
        NESTED.replace("a:", "g:") % "",
        "<g><Name>g</Name><TripCount>2</TripCount><Latency>18</Latency><IterationLatency>9</IterationLatency>"
        f"{loop('c', 3, 1, 2)}</g>", [2, 3, 4, 11, 12, 13],
    ),
}  # fmt: skip


def test_reports_say_when_loops_access(tmp_path):
    text = "".join(
        f"void {name}(const int *p, hls::stream<int> &out) {{ {body} }}\n" for name, (body, _, _) in REPORTED.items()
    )
    calls = "".join(f"{name}(p, s[{number}]); take(s[{number}], m);\n" for number, name in enumerate(REPORTED))
    text += f"{TAKE}void top(const int *p, int *m) {{\n#pragma HLS dataflow\nhls::stream<int> s[4];\n{calls}}}\n"
    modules = {name: loops for name, (_, loops, _) in REPORTED.items()}
    modules |= {"part": loop("e", 6, 2, 3), "take": loop("b", 6)}
    notes: list[str] = []
    graph = read(tmp_path, text, modules, notes=notes)
    assert {name: stages(graph, name) for name in REPORTED} == {name: each[2] for name, each in REPORTED.items()}
    assert notes == []


# --- What is left out, and what is refused


@pytest.mark.parametrize(
    ("more", "before", "told"),
    [
        ("more.write(i);", "", "nobody reads 't': it is left out, and hangs where it takes more than its depth"),
        ("if (i == 0) more.read();", "t.write(1);", "nobody writes 't' after its first tokens: it is left out"),
    ],
)
def test_a_stream_with_one_end_is_left_out(tmp_path, more, before, told):
    text = (
        f"void make(const int *p, hls::stream<int> &out, hls::stream<int> &more) {{ {six('out.write(i); ' + more)} }}\n"
    )
    top = TOP.replace("make(p, s);", f"hls::stream<int> t; {before} make(p, s, t);")
    notes: list[str] = []
    graph = read(tmp_path, text + TAKE + top, notes=notes)
    assert told in notes
    assert [fifo.name for fifo in graph.fifos] == ["s"]
    assert [each.trace.op.tolist() for each in graph.processes] == [[1] * 6, [0] * 6]


@pytest.mark.parametrize(
    ("read_when", "values", "told", "hint"),
    [
        ("", {}, "'take' reads stream 's', which nobody writes", "write to it, or do not read it"),
        (
            "if (m[i] < 9)", {"data": "0"},
            "'take' reads stream 's', which nobody writes for memory and streams full of zeros",
            "name a part of the design with --top",
        ),
    ],
)  # fmt: skip
def test_a_stream_that_nobody_writes_is_named_with_its_reader(tmp_path, read_when, values, told, hint):
    text = TAKE.replace("m[i] =", f"{read_when} m[i] =") + TOP.replace("make(p, s);", "")
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, values=values)
    assert (caught.value.code, caught.value.what) == ("never-written", told)
    assert hint in caught.value.hints


@pytest.mark.parametrize(
    ("text", "code", "where", "told"),
    [
        (
            pair(six("\nint n = 0; if (p[i] > 3) for (int k = 0; k < 4; k++) n += p[k]; out.write(n);")), "not-static",
            "design.cpp line 2", "a loop runs where data says so, and so does what comes after it",
        ),
        (
            pair("\nif (out.empty()) out.write(1);"), "not-static", "design.cpp line 2",
            "'empty' of a stream depends on time",
        ),
        (
            "int nothing(int);\n" + pair(six("out.write(nothing(i));")), "cpp-failed", "",
            "undefined reference to `nothing(int)'",
        ),
    ],
    ids=["loop where data says", "empty outside of loops", "undefined function"],
)  # fmt: skip
def test_what_the_text_does_not_say_is_refused_by_its_cause(tmp_path, text, code, where, told):
    with pytest.raises(InputError, match=re.escape(told)) as caught:
        read(tmp_path, text)
    assert (caught.value.code, caught.value.where) == (code, where)
    if "undefined" in told:
        assert caught.value.hints == ("name the folder of the project, which names all sources",)


@pytest.mark.parametrize("pragma", ["#pragma HLS pipeline", "#pragma HLS unroll"])
def test_a_loop_that_is_unrolled_takes_no_time_wherever_data_lets_it_run(tmp_path, pragma):
    outer, inner = (pragma, "") if "pipeline" in pragma else ("", pragma)
    body = f"\n{outer}\nint n = 0; if (p[i] > 3) for (int k = 0; k < 4; k++) {{\n{inner}\nn += p[k]; }} out.write(n);"
    # Test, two loads one after the other in the text and a write: the tokens come one in a cycle.
    writes = stages(read(tmp_path, pair(six(body))), "make")
    assert [later - first for first, later in itertools.pairwise(writes)] == [1] * 5


def test_a_top_that_is_not_there_is_named(tmp_path):
    source = written(tmp_path, pair(six("out.write(i);")))
    with pytest.raises(InputError) as caught:
        read_hls(source, top="tpo")
    assert (caught.value.code, caught.value.what, caught.value.where) == ("no-top", "no function 'tpo'", str(source))


def test_a_run_with_more_accesses_than_a_simulation_may_make_is_refused(tmp_path, monkeypatch):
    source = written(tmp_path, pair(six("out.write(i);")))
    monkeypatch.setenv(MAX_ACCESSES_VARIABLE, "11")  # six writes and six reads are twelve
    with pytest.raises(InputError, match="too many accesses") as caught:
        read_hls(source)
    assert (caught.value.code, caught.value.where, caught.value.bound) == ("too-large", "top", 11)
