"""`sttest emulate`: exit codes and output."""

import json
import shutil

import pytest

from sttest.cli.app import app
from sttest.cli.emulate import _text
from sttest.package import load_graph
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, simulate, write_timed_graph
from sttest.targets.rtl import Comparison
from sttest.targets.rtl.drive import RtlRun, WrongToken

needs_icarus = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="iverilog not found; apt-get install iverilog"
)


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as left:
        app([*args])
    code = left.value.code
    return 0 if code is None else int(code)


@pytest.fixture
def graph_file(tmp_path):
    """A fork whose short way holds two tokens while the long way takes five before it gives one."""
    a = Pipeline("a", (Loop((5,), 1, 1, (Event("long", "write", 0), Event("short", "write", 0))),))
    b = Pipeline("b", (Loop((5,), 1, 1, (Event("long", "read", 0), Event("out", "write", 0, (4,), 5))),))
    c = Pipeline("c", (Loop((5,), 1, 1, (Event("out", "read", 0), Event("short", "read", 0))),))
    fifos = (Fifo("long", 2, 8), Fifo("short", 5, 8), Fifo("out", 5, 8))
    write_timed_graph(TimedGraph("fork", 300.0, fifos, (a, b, c)), tmp_path / "fork.json")
    return tmp_path / "fork.json"


def emulate(graph_file, *more: str) -> int:
    return run("emulate", str(graph_file), "--simulator", "icarus", "-o", str(graph_file.parent / "work"), *more)


@needs_icarus
def test_the_same_in_every_cycle_is_exit_code_0(graph_file, capsys):
    assert emulate(graph_file) == 0
    assert "the same as maxplus in all 30 FIFO accesses" in capsys.readouterr().out


@needs_icarus
def test_a_deadlock_that_both_see_is_exit_code_3(graph_file, capsys):
    assert emulate(graph_file, "--depth", "short=2", "--json") == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["cycles"], told["comparison"]["exact"]) == ("deadlock", None, True)
    assert {"process": "a", "waits_to": "write", "fifo": "short", "need": 1, "have": 0} in told["blocked"]


@needs_icarus
def test_a_disagreement_is_exit_code_6_and_names_the_first_difference(graph_file, capsys, monkeypatch):
    from sttest.targets.rtl import compare as real

    monkeypatch.setattr(
        "sttest.cli.emulate.compare", lambda graph, ran, engine: real(graph.with_depths({"long": 1}), ran, engine)
    )
    assert emulate(graph_file) == 6
    assert "FIFO 'long', write of token 1: cycle 1 in hardware, cycle 2 in the engine" in capsys.readouterr().out


def test_no_simulator_is_exit_code_5_in_one_line(graph_file, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert emulate(graph_file) == 5
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "apt-get install iverilog" in told
    assert not (tmp_path / "work").exists()


@needs_icarus
def test_the_clock_limit_and_a_foreign_folder_are_told(graph_file, capsys):
    assert emulate(graph_file, "--max-clocks", "3") == 1
    assert "raise --max-clocks" in capsys.readouterr().err
    foreign = graph_file.parent / "work" / "rtl"
    (foreign / "twin.json").unlink()
    assert emulate(graph_file) == 2
    assert "holds something that is no RTL twin" in capsys.readouterr().err
    assert (foreign / "graphs.sv").exists()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator not found; apt-get install verilator")
def test_a_waveform_holds_the_cycles_around_another(graph_file, capsys):
    wave = graph_file.parent / "waves" / "fork.vcd"
    options = ["-o", str(graph_file.parent / "work"), "--wave", str(wave), "--around", "3", "--window", "2"]
    assert run("emulate", str(graph_file), *options) == 0
    assert "2 cycles before and behind cycle 3" in capsys.readouterr().out
    times = [int(line[1:]) for line in wave.read_text().splitlines() if line.startswith("#")]
    assert (times[0], times[-1]) == (20, 65)
    assert "fifo_1_short" in wave.read_text()


@pytest.mark.parametrize(
    ("options", "told"),
    [(["--wave", "a.txt"], "a .fst or .vcd file"), (["--wave", "a.fst", "--simulator", "icarus"], "need Verilator")],
)
def test_waveforms_that_cannot_be_written_are_refused_at_once(graph_file, options, told, capsys, monkeypatch):
    monkeypatch.setattr("sttest.cli.emulate.find_simulator", lambda _: None)
    assert run("emulate", str(graph_file), *options) == 2
    assert told.replace("a .fst", ".fst") in capsys.readouterr().err


def test_a_wrong_value_is_named_by_stream_token_and_cycle(graph_file):
    graph = load_graph(graph_file)
    ran = RtlRun("fork", "verilator", "done", 20, {}, {}, {}, wrong=(WrongToken("long", 3, 17),))
    told = _text(ran, Comparison("maxplus", simulate(graph), 30, None), "")
    assert "values differ from the reference in 1 FIFOs, first in token 3 of 'long', cycle 17" in told
