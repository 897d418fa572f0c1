"""Traces in LightningSim's form, written here as its run of the example would write them."""

import random

import pytest
from hls_designs import SOLUTION, loop, report

from sttest.core.errors import SttestError
from sttest.importers.lightningsim import read_lightningsim
from sttest.importers.vitis import read_vitis
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
    source = read_vitis(SOLUTION)
    assert [(fifo.name, fifo.depth) for fifo in found.fifos] == [(name, depth) for name, (_, depth) in FIFOS.items()]
    assert [process.name for process in found.processes] == ["load", "filter", "join"]
    by_name = {process.name: process for process in source.processes}
    for process in found.processes:
        assert sorted(process.trace.op.tolist()) == sorted(by_name[process.name].trace.op.tolist())
    for name in ("load", "join"):
        process = next(each for each in found.processes if each.name == name)
        assert (process.trace, process.end) == (by_name[name].trace, by_name[name].end)
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
