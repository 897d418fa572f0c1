"""Processes of emitted C++ as jobs of their own, and what reports mean for the timed graph."""

import re
from typing import Any

import pytest

from sttest.core.errors import InputError
from sttest.importers.hls.csynth_report import LoopReport, ModuleReport
from sttest.package.achieved import Achieved, AchievedLoop, AchievedProcess
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, simulate
from sttest.targets.vitis.calibration import UnmatchedError, calibrated_graph, matched_loops
from sttest.targets.vitis.synthesis_jobs import pieces, synthesis_jobs

CPP = """\
// A design.
#include <hls_stream.h>
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif
#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif
typedef hls::vector<float, 4> token_a;
typedef hls::vector<float, 4> token_b;
typedef float order_block[8];

// Twice a number.
static inline float twice(float value) { return 2 * value; }

static void load(const ap_uint<512>* x, hls::stream<token_a>& to_first) {
words:
  for (int w = 0; w < 4; ++w) {
#pragma HLS pipeline II=1
    to_first.write(x[w]);
  }
}

// "{" in a comment { and a string do not count.
static void first(hls::stream<token_a>& from_load, hls::stream<token_b>& to_second) {
  const char* text = "{";
lanes:
  to_second.write(twice(from_load.read()));
}

static void second(hls::stream<token_b>& from_first,
                   hls::stream<token_a>& to_order) {
  const char* text = "{";
steps:
  to_order.write(twice(from_first.read()));
}

static void order_fill(hls::stream<token_a>& from_second, hls::stream_of_blocks<order_block>& blocks) {
  hls::write_lock<order_block> block(blocks);
  block[0] = from_second.read();
}

static void order_drain(hls::stream_of_blocks<order_block>& blocks, hls::stream<token_a>& to_store) {
  hls::read_lock<order_block> block(blocks);
  to_store.write(block[0]);
}

static void store(ap_uint<512>* y, hls::stream<token_a>& from_order) { y[0] = from_order.read(); }

extern "C" void top(const ap_uint<512>* x, ap_uint<512>* y) {
#pragma HLS interface mode=m_axi port=x bundle=gmem0 offset=slave depth=4 max_widen_bitwidth=512
#pragma HLS interface mode=s_axilite port=x bundle=control
#pragma HLS interface mode=m_axi port=y bundle=gmem1 offset=slave depth=1 max_widen_bitwidth=512
#pragma HLS dataflow
  hls::stream<token_a, 2> load_to_first("load__first");
  hls::stream<token_b, 2> first_to_second("first__second");
  hls::stream<token_a, 2> second_to_order("second__order");
  hls::stream<token_a, 2> order_to_store("order__store");
  hls::stream_of_blocks<order_block, 2> order_blocks;
#pragma HLS array_partition variable=order_blocks type=cyclic factor=4 dim=1
  STTEST_PROCESS(load, x, load_to_first);
  STTEST_PROCESS(first, load_to_first, first_to_second);
  STTEST_PROCESS(second, first_to_second, second_to_order);
  STTEST_PROCESS(order_fill, second_to_order, order_blocks);
  STTEST_PROCESS(order_drain, order_blocks, order_to_store);
  STTEST_PROCESS(store, y, order_to_store);
}
"""


def link(name: str, reads: tuple[str, ...], writes: tuple[str, ...], **more: Any) -> Pipeline:
    events = [Event(fifo, "read", 0) for fifo in reads] + [Event(fifo, "write", 1) for fifo in writes]
    return Pipeline(name, (Loop((4,), more.get("ii", 1), more.get("latency", 2), tuple(events)),))


CHAIN = ("load__first", "first__second", "second__order", "order__blocks", "order__store")
GRAPH = TimedGraph(
    "design",
    250.0,
    tuple(Fifo(name, 2, 32) for name in CHAIN),
    (
        link("load", (), CHAIN[:1]),
        link("first", CHAIN[:1], CHAIN[1:2]),
        link("second.x", CHAIN[1:2], CHAIN[2:3]),
        link("order_fill", CHAIN[2:3], CHAIN[3:4]),
        link("order_drain", CHAIN[3:4], CHAIN[4:]),
        link("store", CHAIN[4:], ()),
    ),
)


def test_processes_that_differ_in_names_alone_are_one_job():
    jobs = {job.name: job for job in synthesis_jobs(CPP, "top", GRAPH)}
    assert list(jobs) == ["load", "first", "order", "store"]
    assert jobs["first"].processes == ("first", "second.x")
    assert jobs["order"].processes == ("order_fill", "order_drain")
    assert jobs["order"].units[0].functions == ("order_fill", "order_drain")


def test_a_constant_that_differs_makes_another_job():
    changed = CPP.replace("to_order.write(twice(from_first.read()))", "to_order.write(1 + twice(from_first.read()))")
    assert len(synthesis_jobs(changed, "top", GRAPH)) == 5


def test_a_job_has_what_its_process_needs_and_nothing_else():
    source = next(job for job in synthesis_jobs(CPP, "top", GRAPH) if job.name == "first").units[0].source
    assert re.findall(r"^.*\b(\w+)\(hls", source, re.M) == ["first"]
    assert "\nvoid first(" in source
    assert "static inline float twice" in source
    assert "#include <hls_stream.h>" in source
    assert "order_block" not in source
    assert "A design" not in source


def test_a_port_of_memory_keeps_its_directive():
    source = synthesis_jobs(CPP, "top", GRAPH)[0].units[0].source
    assert (
        "#pragma HLS interface mode=m_axi bundle=gmem offset=direct port=x depth=4 max_widen_bitwidth=512\n" in source
    )


def test_processes_that_share_blocks_are_synthesized_under_one_function():
    source = next(job for job in synthesis_jobs(CPP, "top", GRAPH) if job.name == "order").units[0].source
    assert source.endswith("""\
void order(hls::stream<token_a>& from_second_0, hls::stream<token_a>& to_store_1) {
#pragma HLS dataflow
  hls::stream_of_blocks<order_block, 2> order_blocks;
#pragma HLS array_partition variable=order_blocks type=cyclic factor=4 dim=1
  order_fill(from_second_0, order_blocks);
  order_drain(order_blocks, to_store_1);
}
""")


def test_the_files_of_a_job():
    files = synthesis_jobs(CPP, "top", GRAPH)[1].files("xcu55c-fsvh2892-2L-e", 300.0)
    assert "part=xcu55c-fsvh2892-2L-e\n\n[hls]\nflow_target=vivado\nclock=3.33333ns\n" in files["hls_config.cfg"]
    assert "syn.file=process.cpp\nsyn.top=first\n" in files["hls_config.cfg"]
    assert "set_top first\nadd_files process.cpp\n" in files["run.tcl"]
    assert "set_part {xcu55c-fsvh2892-2L-e}\ncreate_clock -period 3.33333 -name default\n" in files["run.tcl"]


def test_pieces_lose_nothing():
    kept = "\n".join(piece.text for piece in pieces(CPP))
    assert kept.split() == CPP.removeprefix("// A design.\n").split()


@pytest.mark.parametrize("change", [("top(", "other("), ("order__store", "nowhere"), ("(store, y", "(missing, y")])
def test_other_cpp_is_refused(change):
    with pytest.raises(InputError, match=r"emitted C\+\+: .*compile the package again"):
        synthesis_jobs(CPP.replace(*change), "top", GRAPH)


# --- What a report means


def matched(
    *loops: LoopReport, trips: int = 16, repeat: int = 1, cycles: int | None = None
) -> tuple[AchievedLoop, ...]:
    pipeline = Pipeline("p", (Loop((trips,), 1, 4),), repeat=repeat)
    return matched_loops(pipeline, ModuleReport("p", cycles, None, loops))


@pytest.mark.parametrize(
    ("found", "ii", "latency"),
    [
        (LoopReport("as claimed", 16, 20, 5, 1), 1, 5),
        (LoopReport("four steps", 64, 140, 12, 2), 8, 18),
        (LoopReport("four tokens a step", 4, 14, 6, 2), 1, 6),
        (LoopReport("not pipelined", 16, 160, 10, None), 10, 10),
        (LoopReport("not flattened", 4, 80, 20, None, (LoopReport("inner", 4, 17, 14, 1),)), 5, 14),
    ],
    ids=lambda value: value.name if isinstance(value, LoopReport) else "",
)
def test_steps_of_the_loop_are_counted_per_iteration_of_the_graph(found, ii, latency):
    assert matched(found) == (AchievedLoop(ii=ii, latency=latency),)


def test_layers_are_flattened_or_a_loop_around():
    flat = matched(LoopReport("all", 48, 60, 9, 1), repeat=3)
    around = matched(LoopReport("layers", 3, 90, 30, None, (LoopReport("one", 16, 24, 9, 1),)), repeat=3)
    assert flat == around == (AchievedLoop(ii=1, latency=9),)


def test_one_loop_for_all_turns():
    pipeline = Pipeline("p", (Loop((4,), 1, 3), Loop((8,), 1, 3)), repeat=2)
    found = matched_loops(pipeline, ModuleReport("p", None, None, (LoopReport("turns", 48, None, 7, 3),)))
    assert found == (AchievedLoop(ii=6, latency=10),) * 2


def test_one_iteration_needs_no_loop():
    blocks = LoopReport("blocks", 4, 24, 6, None)
    assert matched(blocks, trips=1, repeat=4, cycles=26) == (AchievedLoop(ii=6, latency=6),)
    assert matched(trips=1, cycles=31) == (AchievedLoop(ii=31, latency=31),)


@pytest.mark.parametrize(
    ("loops", "says"),
    [
        ((), "0 loops in the report, 1 in the timed graph"),
        ((LoopReport("a", 5, 9, 3, 1),), "5 iterations in the report, 16 in the timed graph"),
        ((LoopReport("a", None, None, 3, 1),), "no trip count in the report"),
        ((LoopReport("a", 16, None, 3, None),), "no latency in the report"),
    ],
)
def test_what_does_not_fit_says_why(loops, says):
    with pytest.raises(UnmatchedError, match=says):
        matched(*loops)


def achieved(**loops: tuple[int, int]) -> Achieved:
    processes = [
        AchievedProcess(process=name, job=name, loops=(AchievedLoop(ii=ii, latency=latency),))
        for name, (ii, latency) in loops.items()
    ]
    return Achieved(schema="sttest.achieved/1", kernel_sha256="", jobs=(), processes=tuple(processes))


def test_the_graph_takes_what_was_achieved_and_keeps_the_rest():
    graph, changed = calibrated_graph(GRAPH, achieved(first=(5, 11)))
    assert changed == 1
    wanted = link("first", CHAIN[:1], CHAIN[1:2], ii=5, latency=11).loops[0]
    (loop,) = next(each.loops for each in graph.processes if isinstance(each, Pipeline) and each.name == "first")
    assert (loop.ii, loop.latency, [each.stage for each in loop.events]) == (5, 11, [0, 10])
    assert wanted.trips == loop.trips
    before, after = simulate(GRAPH).cycles, simulate(graph).cycles
    assert before is not None
    assert after is not None
    assert after - before == 3 * (5 - 1) + (11 - 2)  # `first` is the slowest, once for every iteration but the first
