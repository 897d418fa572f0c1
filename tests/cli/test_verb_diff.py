"""`sttest diff`: what differs between two designs, as two runs of `sttest simulate --json` have it."""

import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from sttest.sim import Fifo, MemoryPort, load, write_timed_graph
from sttest.testing.corpus import case

SKEW, LIVE = case("stage_skew").path, case("stage_skew").live_path


def compared(sttest, *arguments, exit_code=0):
    outcome = sttest("diff", *arguments, "--json")
    assert outcome.exit_code == exit_code, outcome.stderr
    return json.loads(outcome.stdout)


def test_a_deadlock_and_its_cure(sttest):
    told = compared(sttest, SKEW, LIVE)
    assert told["schema"] == "sttest.design-diff/1"
    assert (told["a"]["verdict"], told["b"]["verdict"], told["b"]["cycles"]) == ("deadlock", "done", 53)
    assert told["depths"] == {"skip": {"a": 2, "b": 8}}
    assert told["processes"] == {"added": [], "removed": [], "changed": []}
    text = sttest("diff", SKEW, LIVE).stdout
    assert "A: deadlock, B: 53 cycles" in text
    assert "+6 (+300.0%)" in text


def test_the_critical_paths_are_those_of_the_two_runs(sttest, tmp_path):
    write_timed_graph(load(LIVE).with_depths({"skip": 10}), tmp_path / "deeper.json")
    told = compared(sttest, LIVE, tmp_path / "deeper.json")
    runs = [json.loads(sttest("simulate", each, "--json").stdout) for each in (LIVE, tmp_path / "deeper.json")]
    assert [told[side]["cycles"] for side in "ab"] == [run["cycles"] for run in runs] == [53, 29]
    a, b = (run["critical_path"]["by_process"] for run in runs)
    pairs = {name: {"a": a.get(name, 0), "b": b.get(name, 0)} for name in {*a, *b}}
    assert told["critical_path"]["by_process"] == {name: pair for name, pair in pairs.items() if pair["a"] != pair["b"]}
    text = sttest("diff", LIVE, tmp_path / "deeper.json").stdout
    assert "B takes 24 fewer cycles: 29, not 53 (-45.28%)" in text


def test_processes_and_fifos_that_only_one_has(sttest, tmp_path):
    graph = load(LIVE)
    changed = [replace(each, start=each.start + 3) if each.name == "filter" else each for each in graph.processes]
    fifos = [replace(each, bits=64) if each.name == "main" else each for each in graph.fifos]
    write_timed_graph(replace(graph, processes=tuple(changed), fifos=tuple(fifos)), tmp_path / "b.json")
    told = compared(sttest, LIVE, tmp_path / "b.json")
    assert told["processes"]["changed"] == ["filter"]
    assert told["fifos"]["changed"] == {"main": {"bits": {"a": 32, "b": 64}}}
    other = compared(sttest, LIVE, case("fork_join_residual").live_path)
    names = [{each.name for each in load(path).processes} for path in (LIVE, case("fork_join_residual").live_path)]
    assert set(other["processes"]["added"]) == names[1] - names[0]
    assert set(other["processes"]["removed"]) == names[0] - names[1]


def test_the_exit_code_says_whether_they_differ_only_if_asked(sttest):
    assert sttest("diff", SKEW, LIVE).exit_code == 0
    assert sttest("diff", SKEW, LIVE, "--exit-code").exit_code == 1
    same = sttest("diff", LIVE, LIVE, "--exit-code")
    assert (same.exit_code, same.stdout.splitlines()[0]) == (0, "nothing differs")
    assert compared(sttest, LIVE, LIVE)["differs"] is False


def test_actors_have_a_throughput(sttest):
    told = compared(sttest, "tests/data/sdf3/samplerate.xml", SKEW)
    assert (told["a"]["throughput"], told["a"]["cycles"]) == ("1/960", None)
    assert "A: 1/960 iterations per cycle, B: deadlock" in sttest("diff", "tests/data/sdf3/samplerate.xml", SKEW).stdout


@pytest.mark.parametrize("missing", ["a", "b"])
def test_what_is_no_design_is_one_line(sttest, missing):
    pair = ["nothing.json", SKEW] if missing == "a" else [SKEW, "nothing.json"]
    outcome = sttest("diff", *pair)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr.count("\n") == 1
    assert "nothing.json" in outcome.stderr


def wide_pair(folder):
    """Two graphs with many long names that differ in everything."""
    for name, count, depth in (("a", 60, 4), ("b", 50, 123_456)):
        graph = load(LIVE)
        more = [Fifo(f"{'very_long_name_' * 6}{number}_{number % 2 and name}", depth, 512) for number in range(count)]
        ports = [
            MemoryPort(f"{op}_{fifo.name}", op, fifo.name, 1000, 64, ("hbm0",))
            for fifo in more
            for op in ("read", "write")
        ]
        channels = load(case("shared_memory_port").path).channels
        channel = replace(channels[0], name="hbm0") if channels else None
        assert channel is not None
        made = replace(graph, fifos=(*graph.fifos, *more), processes=(*graph.processes, *ports), channels=(channel,))
        write_timed_graph(made, folder / f"{name}.json")
    return folder / "a.json", folder / "b.json"


def test_it_fits_a_terminal_of_80_columns_and_60_lines(tmp_path):
    pair = wide_pair(tmp_path)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "LINES": "40", "TERM": "xterm"}
    command = [sys.executable, "-m", "sttest", "diff", *map(str, pair)]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(theirs)
        printed = b""
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:
                break
            if not data:
                break
            printed += data
        assert process.wait() == 0
    os.close(ours)
    lines = re.sub(r"\x1b\[[\d;]*m", "", printed.decode()).replace("\r\n", "\n").split("\n")
    assert max(len(line) for line in lines if str(tmp_path) not in line) <= 80  # a path is not broken
    assert len(lines) <= 60
    assert any("123,456" in line and "4 " in line and "+123,452" in line for line in lines)
