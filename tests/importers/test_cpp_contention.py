"""Accesses of one stream: those of exclusive branches do not contend, those of one iteration do, and none overtakes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hls_designs import loop, report
from quick_cpp import TAKE, analyze_here, six, written

from sttest.importers.cpp.design import read_design
from sttest.importers.cpp.network import NetworkRuns
from sttest.importers.cpp.verdict import verdict_of
from sttest.sim import Pipeline, TimedGraph, Trace

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
THREE = "if (i % 3 == 0) out.write(7); else if (i % 3 == 1) out.write(p[i]); else out.write(p[0] + 2);"
# Body of a task that writes six tokens, and the stages of its writes where they stand late. A task begins in stage 1; a
# load takes 1 stage, to float and back 6 each, a product 4.
MAKERS = {
    "three_ways": (six(f"\n#pragma HLS pipeline II=1\n{THREE}"), [1 + 1 + 1 + i for i in range(6)]),
    "a_switch": (
        six("switch (i % 3) { case 0: out.write(7); break; case 1: out.write(p[i]); break; default: out.write(*p); }"),
        [1 + 1 + 1 + i for i in range(6)],
    ),
    "two_ways": (six("if (i % 2) out.write(7); else out.write(p[i]);"), [1 + 1 + 1 + i for i in range(6)]),
    # What one branch writes at once waits until the other one's would be there.
    "unequal": (six("if (i % 2) out.write(7); else out.write(p[i] * 1.5f);"), [1 + 1 + 17 + i for i in range(6)]),
    # Two writes of one branch have a stage each, and make the interval two.
    "two_each": (
        six("if (i % 2) { out.write(7); out.write(5); } else { out.write(p[i]); out.write(p[i]); }").replace("6", "3"),
        [2, 3, 4, 5, 6, 7],
    ),
    # Nothing says that no iteration comes to both: each has a stage of its own, and the interval is two.
    "maybe_both": (six("if (i < 3) out.write(1); if (i > 2) out.write(2);"), [1, 3, 5, 8, 10, 12]),
    # Of lanes, one in each iteration, behind the test whether there is one.
    "lanes": (
        six("for (int k = 0; k < 2; k++) {\n#pragma HLS unroll\nif (k) if (i % 2) out.write(1); else out.write(2); }"),
        [2, 3, 4, 5, 6, 7],
    ),
}  # fmt: skip
# Body of a task that reads six tokens from depth 1: it does so in six stages, whatever the schedule.
TAKERS = {
    "exclusive": "b: for (int i = 0; i < 6; i++) { if (i % 2) m[i] = in.read(); else m[0] += in.read(); }",
    "unrolled": "int n = 0; b: for (int k = 0; k < 6; k++) {\n#pragma HLS unroll\nn += in.read(); } m[0] = n;",
    "in_threes": """b: for (int i = 0; i < 2; i++) { int n = 0; for (int k = 0; k < 3; k++) {
        #pragma HLS unroll
        n += in.read();
      } m[i] = n; }""",
}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    analyze_here(monkeypatch)


def read(folder: Path, text: str, modules: dict[str, str] | None = None, **values: str) -> NetworkRuns:
    reports = None
    if modules is not None:
        reports = folder / "csynth.xml"
        reports.write_text(report("top", modules=modules), encoding="utf-8")
    return read_design(written(folder, text), reports, "", values, None, None)


def trace_of(graph: TimedGraph, process: str) -> Trace:
    """The accesses of a task."""
    found = next(each for each in graph.processes if each.name == process)
    assert isinstance(found, Pipeline)
    assert found.trace is not None
    return found.trace


def stages(graph: TimedGraph, process: str) -> list[int]:
    """Of the accesses of a task."""
    return trace_of(graph, process).tick.tolist()


def made(names: list[str]) -> str:
    """A region with these makers, each with a task that takes."""
    text = "".join(f"void {each}(const int *p, hls::stream<int> &out) {{ {MAKERS[each][0]} }}\n" for each in names)
    calls = "".join(f"{name}(p, s[{number}]); take(s[{number}], m);\n" for number, name in enumerate(names))
    top = f"void top(const int *p, int *m) {{\n#pragma HLS dataflow\nhls::stream<int> s[{len(names)}];\n{calls}}}\n"
    return text + TAKE + top


def test_one_token_is_written_for_each_iteration_whichever_branch_it_takes(tmp_path):
    network = read(tmp_path, made(list(MAKERS)))
    assert {name: stages(network.early, name) for name in MAKERS} == {name: each[1] for name, each in MAKERS.items()}
    for graph in network.schedules.values():
        for name in MAKERS:
            assert len(set(stages(graph, name))) == 6, "two writes in a stage"
    assert verdict_of(network).stuck == []


def test_a_report_says_the_interval_of_branches_that_only_a_tool_tells_apart(tmp_path):
    names = ["three_ways", "a_switch", "two_ways", "maybe_both"]
    modules = {name: loop("a", 6, 1, 3) for name in names} | {"take": loop("b", 6)}
    network = read(tmp_path, made(names), modules)
    for name in names:
        assert stages(network.early, name) == [1 + 2 + i for i in range(6)]
    assert verdict_of(network).stuck == []


def test_reads_of_one_stream_are_no_lanes(tmp_path):
    text = "".join(f"void {each}(hls::stream<int> &in, int *m) {{ {body} }}\n" for each, body in TAKERS.items())
    text += f"void make(const int *p, hls::stream<int> &out) {{ {six('out.write(p[i]);')} }}\n"
    calls = "".join(f"make(p, s[{number}]); {name}(s[{number}], m);\n" for number, name in enumerate(TAKERS))
    text += f"void top(const int *p, int *m) {{\n#pragma HLS dataflow\nhls::stream<int, 1> s[3];\n{calls}}}\n"
    network = read(tmp_path, text)
    for graph in network.schedules.values():
        for name in TAKERS:
            assert len(set(stages(graph, name))) == 6, "two reads in a stage"
    assert stages(network.apart, "unrolled") == stages(network.apart, "in_threes") == [1, 2, 3, 4, 5, 6]
    assert verdict_of(network).stuck == []


def test_lanes_of_other_streams_stand_a_stage_apart_and_those_of_the_same_follow_each_other(tmp_path):
    text = """
    void make(const int *p, hls::stream<int> (&out)[2]) {
      a: for (int i = 0; i < 6; i++) for (int k = 0; k < 4; k++) {
        #pragma HLS unroll
        out[k / 2].write(p[i]);
      }
    }
    void take(hls::stream<int> (&in)[2], int *m) {
      b: for (int i = 0; i < 6; i++) { int n = 0; for (int k = 0; k < 4; k++) {
        #pragma HLS unroll
        n += in[k / 2].read();
      } m[i] = n; }
    }
    void top(const int *p, int *m) {
      #pragma HLS dataflow
      hls::stream<int> s[2];
      make(p, s); take(s, m);
    }
    """
    network = read(tmp_path, text, {"make": loop("a", 6, 2, 4), "take": loop("b", 6, 2, 5)})
    trace = trace_of(network.apart, "take")
    lanes = [trace.tick[trace.op == 2 * network.apart.fifo_index[f"s[{k}]"]].tolist() for k in range(2)]
    assert lanes == [[2 + i for i in range(12)], [3 + i for i in range(12)]]


def test_tokens_of_a_task_are_no_lanes(tmp_path):
    text = """
    #include <hls_task.h>
    void pass(hls::stream<int> &a, hls::stream<int> &b) { b.write(a.read()); }
    void top(hls::stream<int> &in, hls::stream<int> &out) {
      hls::stream<int, 1> s;
      hls::task first(pass, in, s);
      hls::task second(pass, s, out);
    }
    """
    network = read(tmp_path, text, tokens="4")
    assert stages(network.apart, "pass_1") == stages(network.early, "pass_1")
    assert verdict_of(network).stuck == []
