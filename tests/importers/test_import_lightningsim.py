"""Traces in LightningSim's form, written here as its run of the example would write them."""

import random

import pytest
from hls_designs import SOLUTION, loop, report

from sttest.core.errors import SttestError
from sttest.importers.cpp import read_hls
from sttest.importers.lightningsim import read_lightningsim
from sttest.sim import simulate

FIFOS = {"body": ("0x10", 2), "skip": ("0x20", 4), "filtered.0": ("0x30", 2), "filtered.1": ("0x38", 2)}


def entries() -> list[tuple]:
    """The example in the order of C simulation: one task after the other."""
    at = {name: address for name, (address, _) in FIFOS.items()}
    found = [("spec_channel", address, name, depth) for name, (address, depth) in FIFOS.items()]
    found += [("spec_interface", "0x90", "gmem", 64), ("ap_ctrl_chain",), ("trace_bb", "residual", 0)]
    found += [("trace_bb", "load", 0), ("axi_readreq", "0x90", 4, 128)]
    for _ in range(128):
        found += [("trace_bb", "load", 1), ("axi_read", "0x90")]
        found += [("fifo_write", at["body"]), ("fifo_write", at["skip"])]
    found += [("trace_bb", "load", 2), ("trace_bb", "filter", 0)]
    for _ in range(16):
        found += [("trace_bb", "filter", 1)]
        for _ in range(8):
            found += [("trace_bb", "filter", 2), ("fifo_read", at["body"])]
        for _ in range(4):
            found += [("trace_bb", "filter", 4), ("fifo_write", at["filtered.0"]), ("fifo_write", at["filtered.1"])]
    found += [("trace_bb", "filter", 5), ("trace_bb", "join", 0)]
    found += [("loop", "sums", 64), ("loop_bb", "join", 1), ("end_loop_blocks", "sums", 64)]
    for _ in range(64):
        for lane in range(2):
            found += [("fifo_read", at[f"filtered.{lane}"]), ("fifo_read", at["skip"])]
    return [*found, ("end_loop", "sums", 64), ("trace_bb", "join", 2)]


def text_of(lines) -> str:
    return "".join("\t".join(map(str, line)) + "\n" for line in lines)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "run.trace"
    path.write_text(text_of(entries()), encoding="utf-8")
    return path


def test_a_trace_gives_the_accesses_that_the_source_gives(trace):
    notes: list[str] = []
    found = read_lightningsim(trace, reports=SOLUTION / "syn" / "report", notes=notes)
    source = read_hls(SOLUTION)
    assert [(fifo.name, fifo.depth) for fifo in found.fifos] == [(name, depth) for name, (_, depth) in FIFOS.items()]
    assert [process.name for process in found.processes] == ["load", "filter", "join"]
    by_name = {process.name: process for process in source.processes}
    for process in found.processes:
        assert sorted(process.trace.op.tolist()) == sorted(by_name[process.name].trace.op.tolist())
        assert abs(process.end - by_name[process.name].end) <= 18  # a stage of each row is not in the trace
    # What is around a loop is not in the trace: a row is entered 2 stages after the row before, not every 23.
    row = found.processes[1].trace
    assert row.tick[row.op == 0].tolist() == [1 + 22 * r + i for r in range(16) for i in range(8)]
    assert simulate(found).deadlock.fix == {"skip": 8}
    assert "tokens have 32 bits" in notes[0]


def test_a_stream_with_one_end_is_left_out(trace):
    lines = [line for line in entries() if line[:2] != ("fifo_write", "0x20")]
    trace.write_text(text_of(lines), encoding="utf-8")
    notes: list[str] = []
    found = read_lightningsim(trace, reports=SOLUTION / "syn" / "report", notes=notes)
    assert [fifo.name for fifo in found.fifos] == ["body", "filtered.0", "filtered.1"]
    assert "'skip' has one end only: never empty, never full" in notes
    assert simulate(found).verdict == "done"


def test_a_loop_that_holds_all_is_entered_as_often_as_its_iterations_say(tmp_path):
    lines = [("spec_channel", "0x1", "s", 8), ("trace_bb", "make", 0)]
    lines += [("trace_bb", "make", 1), ("fifo_write", "0x1")] * 12
    lines += [("trace_bb", "take", 0)] + [("trace_bb", "take", 1), ("fifo_read", "0x1")] * 12
    (tmp_path / "t").write_text(text_of(lines), encoding="utf-8")
    modules = {"make": loop("inner", 4, 2, 3), "take": loop("b", 12)}
    (tmp_path / "csynth.xml").write_text(report("top", modules=modules), encoding="utf-8")
    graph = read_lightningsim(tmp_path / "t", reports=tmp_path / "csynth.xml")
    # An entry takes 3 * 2 + 3 stages, the next begins 2 later.
    assert graph.processes[0].trace.tick.tolist() == [1 + 11 * e + 2 * i + 2 for e in range(3) for i in range(4)]


def test_depths_of_nothing_and_names_that_stand_twice(trace, tmp_path):
    lines = [("spec_channel", "0x1", "s", 0), ("spec_channel", "0x2", "s", 6)]
    for name, op in (("make", "fifo_write"), ("take", "fifo_read")):
        lines += [("trace_bb", name, 0), (op, "0x1"), (op, "0x2")]
    trace.write_text("\r\n" + text_of(lines).replace("\n", "\r\n"), encoding="utf-8")
    (tmp_path / "csynth.xml").write_text(report("top", modules={"make": "", "take": ""}), encoding="utf-8")
    graph = read_lightningsim(trace, reports=tmp_path / "csynth.xml")
    assert [(fifo.name, fifo.depth) for fifo in graph.fifos] == [("s", 1), ("s#1", 6)]
    # The reports say that a function without a loop takes 100 cycles, of which the first is its entry.
    assert [process.end for process in graph.processes] == [100, 100]
    assert [process.trace.op.tolist() for process in graph.processes] == [[1, 3], [0, 2]]


def test_what_follows_a_loop_and_what_comes_between_two_is_timed_by_itself(tmp_path):
    """Before, between and after two loops the task writes once."""
    once = lambda block: [("trace_bb", "make", block), ("fifo_write", "0x1")]  # noqa: E731
    lines = [("spec_channel", "0x1", "s", 8), *once(0)]
    lines += once(1) * 5 + once(2)
    lines += once(3) * 7 + once(4)
    lines += [("trace_bb", "take", 0)] + [("trace_bb", "take", 1), ("fifo_read", "0x1")] * 15
    (tmp_path / "t").write_text(text_of(lines), encoding="utf-8")
    modules = {"make": loop("a", 5, 1, 2) + loop("b", 7, 1, 2), "take": loop("c", 15, 1, 2)}
    (tmp_path / "csynth.xml").write_text(report("top", modules=modules), encoding="utf-8")
    graph = read_lightningsim(tmp_path / "t", reports=tmp_path / "csynth.xml")
    make = graph.processes[0].trace
    assert make.op.tolist() == [1] * 15
    # In a stage after its entry, each loop 2 later: what is once, five and what follows it, seven and what follows.
    first, second = 4, 4 + (5 - 1) + 2 + 2
    assert make.tick.tolist() == [
        1, *(first + i + 1 for i in range(4)), *[first + 5] * 2, *(second + i + 1 for i in range(6)), *[second + 7] * 2
    ]  # fmt: skip
    assert simulate(graph).cycles == simulate(graph, engine="simpy").cycles


def test_a_loop_without_accesses_takes_its_time(tmp_path):
    quiet = [("loop", "wait", 9), ("loop_bb", "make", 5), ("end_loop_blocks", "wait", 9), ("end_loop", "wait", 9)]
    busy = [("loop", "go", 3), ("loop_bb", "make", 6), ("end_loop_blocks", "go", 3)] + [("fifo_write", "0x1")] * 3
    lines = [("spec_channel", "0x1", "s", 8), ("trace_bb", "make", 0), *quiet, *busy, ("end_loop", "go", 3)]
    lines += [("trace_bb", "take", 0)] + [("trace_bb", "take", 1), ("fifo_read", "0x1")] * 3
    (tmp_path / "t").write_text(text_of(lines), encoding="utf-8")
    modules = {"make": loop("wait", 9, 4, 6) + loop("go", 3), "take": loop("c", 3)}
    (tmp_path / "csynth.xml").write_text(report("top", modules=modules), encoding="utf-8")
    make = read_lightningsim(tmp_path / "t", reports=tmp_path / "csynth.xml").processes[0].trace
    assert make.tick.tolist() == [1 + (8 * 4 + 6) + 2 + i + 1 for i in range(3)]


@pytest.mark.parametrize(
    ("lines", "code", "told"),
    [
        ([("trace_bb", "f", 0)], "no-tasks", "no function accesses a FIFO"),
        ([("fifo_read", "0x1")], "bad-trace", "an access before any block"),
        ([("loop", "l", 3)], "bad-trace", "a loop inside of a loop, or outside of any function"),
        (
            [("trace_bb", "f", 0), ("loop", "l", 3), ("loop", "m", 3)], "bad-trace",
            "a loop inside of a loop, or outside of any function",
        ),
        (
            [("trace_bb", "f", 0), ("loop", "l", 2), *[("fifo_read", "0x1")] * 3, ("end_loop", "l", 2)], "bad-trace",
            "3 accesses in 2 iterations",
        ),
        (
            [("trace_bb", "f", 0), ("loop", "l", 1), ("end_loop", "l", 1), ("fifo_read", "0x1")], "bad-trace",
            "an access after a loop, before any block",
        ),
        (
            [("trace_bb", "f", 0), *[("trace_bb", "f", 1), ("fifo_read", "0x1")] * 4], "report-does-not-fit",
            "no report of 'f' has a loop of 4 iterations",
        ),
        ([("trace_bb", "f", n) for n in range(65_537)], "bad-trace", "an iteration of more than 65536 blocks"),
        ([("spec_channel", "0x2", "s", "1" * 13)], "bad-trace", "depth '1111111111111' is no number"),
    ],
    ids=["no access", "no block", "loop alone", "loop in loop", "uneven", "after a loop", "report", "blocks", "depth"],
)  # fmt: skip
def test_traces_that_cannot_be_are_refused(tmp_path, lines, code, told):
    path = tmp_path / "t"
    path.write_text(text_of([("spec_channel", "0x1", "s", 8), *lines]), encoding="utf-8")
    (tmp_path / "csynth.xml").write_text(report("top", modules={"f": loop("a", 3)}), encoding="utf-8")
    with pytest.raises(SttestError) as error:
        read_lightningsim(path, reports=tmp_path / "csynth.xml")
    assert error.value.code == code
    assert told in str(error.value)


def test_a_trace_needs_reports_and_a_file(tmp_path):
    with pytest.raises(SttestError) as error:
        read_lightningsim(tmp_path / "t")
    assert (error.value.code, error.value.hints) == ("no-reports", ("add --reports PROJECT/solution1/syn/report",))
    for make, told in ((lambda path: None, "No such file"), (lambda path: path.mkdir(), "Is a directory")):
        make(tmp_path / "t")
        with pytest.raises(SttestError, match=told) as error:
            read_lightningsim(tmp_path / "t", reports=SOLUTION)
        assert (error.value.code, error.value.where) == ("unreadable-file", str(tmp_path / "t"))


def test_a_trace_that_is_no_text(tmp_path):
    (tmp_path / "t").write_bytes(b"trace_bb\tf\t0\ntrace_bb\t\xff\t0\n")
    with pytest.raises(SttestError) as error:
        read_lightningsim(tmp_path / "t", reports=SOLUTION)
    assert (error.value.what, error.value.where) == ("not UTF-8", f"{tmp_path / 't'} line 2")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("fifo_raed", "0x10"), "did you mean 'fifo_read'?"),
        (("fifo_read",), "'fifo_read' has 0 fields, not 1"),
        (("fifo_read", "0xdead"), "no FIFO at address '0xdead'"),
        (("spec_channel", "0x1", "s", "-4"), "depth '-4' is no number"),
        (("spec_channel", "0x1", "s\x1b[2J", "4"), "printable characters"),
        (("end_loop", "x", 3), "the end of a loop that did not begin"),
        (("loop", "x", "0"), "no number above 0"),
        (("x" * 5000,), "longer than 4096 characters"),
    ],
)
def test_lines_that_are_none_are_refused(trace, line, told):
    lines = entries()
    trace.write_text(text_of([*lines[:20], line, *lines[20:]]), encoding="utf-8")
    with pytest.raises(SttestError) as error:
        read_lightningsim(trace, reports=SOLUTION / "syn" / "report")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_damaged_traces_are_read_or_refused_in_one_line(trace):
    whole, chosen, refused = trace.read_bytes(), random.Random(3), list[str]()
    for _ in range(40):
        place = chosen.randrange(len(whole))
        middle = chosen.choice([b"", b"\xff", b"\t", b"9" * 40, b"loop\tx\t4\n", b"trace_bb\tf\t1\n", b"\0"])
        trace.write_bytes(whole[:place] + middle + whole[place + chosen.randrange(60) :])
        try:
            read_lightningsim(trace, reports=SOLUTION / "syn" / "report")
        except SttestError as error:
            refused.append(str(error))
    assert len(refused) > 20
    assert not any("\n" in each for each in refused)
