"""`sttest check`: one input of each kind, a deadlock in C++ from its lines to its cure, and what it prints where."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

import sttest as st
from sttest.cli.app import app
from sttest.testing.corpus import case
from tests.terminal import COLUMNS, seen_here

HLS = "hls"
"""Who reads C++ of Vitis HLS."""
ROOT = Path(__file__).parents[2]
VIEWER = ROOT / "tests" / "data" / "check" / "viewer.cpp"
EXAMPLES, SDF3 = ROOT / "examples", ROOT / "tests" / "data" / "sdf3" / "samplerate.xml"
MLIR = ROOT / "tests" / "data" / "mlir"
SKEW, LIVE = case("stage_skew").path, case("stage_skew").live_path
ACTION = ROOT / ".github" / "actions" / "sttest-check" / "action.yml"
QUIET_S = 3.0
"""Seconds of a check of C++ on a quiet machine."""
SHARED = 2.5
"""Times as long may it take on one whose cores are shared, where a second of a processor does less."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the C++ of UG1399's deadlock viewer, its report, and the corpus' deadlock."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(VIEWER, "viewer.cpp")
    shutil.copy(VIEWER.parent / "csynth.xml", "csynth.xml")
    shutil.copy(SKEW, "skew.json")
    return tmp_path


def told(outcome, code=0):
    assert outcome.exit_code == code, outcome.stderr
    found = json.loads(outcome.stdout)
    assert (found["schema"], found["exit_code"]) == ("sttest.check/1", code)
    return found["findings"]


@pytest.mark.daily
def test_cpp_that_deadlocks_is_cured_by_the_patch_of_one_command(here):
    command = [sys.executable, "-m", "sttest", "check", "viewer.cpp"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 3, done.stderr
    lines = (here / "viewer.cpp").read_text(encoding="utf-8").splitlines()
    (write,) = re.findall(r"viewer\.cpp:(\d+): pipeline first.* waits to write token 8 to FIFO ch", done.stdout)
    assert "ch.write" in lines[int(write) - 1]
    (declared,) = re.findall(r"^  ch .* viewer\.cpp:(\d+)$", done.stdout, re.MULTILINE)
    assert "hls::stream<int> ch" in lines[int(declared) - 1]
    assert "-  #pragma HLS stream variable=ch depth=8\n+  #pragma HLS stream variable=ch depth=10\n" in done.stdout
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < QUIET_S * SHARED


def test_a_change_is_written_to_a_file_or_made(sttest, here):
    source = (here / "viewer.cpp").read_text(encoding="utf-8")
    outcome = sttest("check", "viewer.cpp", "-o", "depths.patch")
    assert outcome.exit_code == 3
    assert outcome.stdout.endswith("depths.patch: written\n")
    assert (here / "viewer.cpp").read_text(encoding="utf-8") == source
    assert sttest("check", "viewer.cpp", "--apply").stdout.endswith("\nviewer.cpp: written\n")
    assert (here / "viewer.cpp").read_text(encoding="utf-8") == source.replace("depth=8", "depth=10")
    if shutil.which("patch"):
        (here / "again").mkdir()
        (here / "again" / "viewer.cpp").write_text(source, encoding="utf-8")
        subprocess.run(["patch", "-s", "-p1", "-d", "again", "-i", "../depths.patch"], check=True)
        assert (here / "again" / "viewer.cpp").read_bytes() == (here / "viewer.cpp").read_bytes()
    (found,) = told(sttest("check", "viewer.cpp", "--json"))
    assert (found["verdict"], found["cycles"], found["change"]) == ("done", 37, None)
    assert sttest("check", "viewer.cpp", "--apply").stdout.endswith("\nnothing was written\n")


def test_one_input_of_each_kind(sttest, here):
    pytest.importorskip("onnx")
    st.compile("small-gpt2", phase="decode", context=32).save(here / "package")
    shutil.copytree(EXAMPLES / "tapa-vadd", here / "tapa")
    rates = "tasks:\n  Load: {iterations: 8, interval: 1, latency: 70, streams: {elements: 1}}\n"
    rates += "  Add: {iterations: 8, interval: 1, latency: 8, streams: {left: 1, right: 1, sum: 1}}\n"
    rates += "  Store: {iterations: 8, interval: 2, latency: 5, streams: {elements: 1}}\n"
    (here / "tapa" / "rates.yaml").write_text(rates, encoding="utf-8")
    (here / "trace").write_text(trace(), encoding="utf-8")
    shutil.copy(ROOT / "tests" / "fuzz" / "corpus" / "text" / "linear.mlir", here / "linear.mlir")
    solution = EXAMPLES / "hls-residual" / "hls_residual" / "solution1"
    inputs = {
        "skew.json": ("a timed graph", "deadlock"),
        str(SDF3): ("an SDF3 graph", "done"),
        "package": ("a design package", "done"),
        "viewer.cpp": (HLS, "deadlock"),
        str(solution): (HLS, "deadlock"),
        str(solution.parent / "hls.app"): (HLS, "deadlock"),
        "tapa": ("tapa", "done"),
        "tapa/graph.json": ("tapa", "done"),
        "trace": ("lightningsim", "deadlock"),
        str(EXAMPLES / "finn-residual" / "residual.onnx"): ("finn", "deadlock"),
        "linear.mlir": ("linalg text", "done"),
        str(MLIR / "window.aie.mlir"): ("aie", "deadlock"),
        str(MLIR / "reply.allo.mlir"): ("allo", "deadlock"),
    }
    found = told(sttest("check", *inputs, "--json"), 3)
    assert [(each["form"], each["verdict"]) for each in found] == list(inputs.values())
    assert all(each["error"] is None and not each["stopped"] for each in found)
    assert all(wait["spot"] for each in found if each["form"] in (HLS, "aie", "allo") for wait in each["waits"])
    assert [bool(each["waits"]) for each in found] == [each["verdict"] == "deadlock" for each in found]
    some = ["trace", str(solution.parent / "hls.app"), "tapa"]
    table, _, details = sttest("check", *some).stdout.partition("\n\n")
    assert [line.split()[0] for line in table.splitlines()[2:]] == some
    assert "trace: deadlock" in details
    assert "tapa: done" not in details


def trace() -> str:
    """A task of the viewer's report that writes a FIFO and then another one, and one that reads them in turn."""
    found = ["spec_channel\t0x1\tp\t4", "spec_channel\t0x2\tq\t4"]
    for fifo in ("0x1", "0x2"):
        found += ["trace_bb\tfirst\tb" + fifo] + [f"trace_bb\tfirst\tw{fifo}\nfifo_write\t{fifo}"] * 10
    found += ["trace_bb\tsecond\tb"] + ["trace_bb\tsecond\tr\nfifo_read\t0x1\nfifo_read\t0x2"] * 10
    return "\n".join(found) + "\n"


def test_standard_input_is_a_design(here):
    outcome = CliRunner().invoke(app, ["check", "-", "--json"], input=SKEW.read_bytes())
    (found,) = told(outcome, 3)
    assert (found["source"], found["change"]["files"]) == ("-", [])
    assert "standard input has no file" in found["change"]["why_not"]


def test_what_is_refused_among_others_does_not_hide_them(sttest, here):
    (here / "words").write_text("hello", encoding="utf-8")
    outcome = sttest("check", "words", LIVE, "nothing.json")
    assert outcome.exit_code == 2
    assert "not checked: words: neither JSON nor XML, which is none of what is checked" in outcome.stdout
    assert "not checked: nothing.json: no such file or folder" in outcome.stdout
    found = told(sttest("check", "words", "skew.json", "--json"), 3)
    assert [each["verdict"] for each in found] == ["refused", "deadlock"]
    alone = sttest("check", "words")
    assert (alone.exit_code, alone.stdout, alone.stderr.count("\n")) == (2, "", 1)
    assert alone.stderr.startswith("error: words: neither JSON nor XML")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("skew.json", "--json", "--annotations"), "two forms"),
        (("-", "-"), "standard input holds one design"),
        (("skew.json", "viewer.cpp", "-o", "x"), "a file holds the change of one input"),
        (("skew.json", "-o", "nowhere/x"), "its folder is not there"),
        (("viewer.cpp", "--rates", "csynth.xml"), "hls has no 'rates'"),
        (("viewer.cpp", "--format", "hsl"), "did you mean 'hls'?"),
        ((), "INPUT"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(sttest, here, arguments, what):
    outcome = sttest("check", *arguments)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert what in outcome.stderr


def test_it_says_that_there_was_no_time(sttest, here):
    outcome = sttest("check", "skew.json", "--seconds", "0.1")
    assert outcome.exit_code == 4
    assert "skew.json: not known" in outcome.stdout
    assert "stopped after 0.1 s; more with --seconds" in outcome.stdout


def test_a_change_in_place_of_what_has_depths_in_its_file(sttest, here):
    assert sttest("check", "skew.json", "--apply").exit_code == 3
    text = SKEW.read_text(encoding="utf-8")
    assert (here / "skew.json").read_text(encoding="utf-8") == text.replace('"skip", "depth": 2', '"skip", "depth": 8')
    assert sttest("check", "skew.json").exit_code == 0
    shutil.copy(SKEW, "skew.json")
    (here / "trace").write_text(trace(), encoding="utf-8")
    outcome = sttest("check", "trace", "skew.json", "--apply")
    assert outcome.exit_code == 3
    assert "Depths do not go back: import: depths do not go back to lightningsim" in outcome.stdout
    assert outcome.stdout.endswith("\nskew.json: written\n")


# --- Where it is printed


def test_a_terminal_of_80_columns_has_lines_that_fit(here):
    for line in (["viewer.cpp"], ["skew.json"], ["skew.json", str(LIVE)]):
        seen = seen_here("check", *line)
        assert seen.exit_code == 3
        assert [each for each in seen.lines if len(each) > COLUMNS and len(each.split()) > 1] == []


def test_annotations_follow_the_text_which_gives_no_commands(sttest, here):
    graph = json.loads(SKEW.read_bytes()) | {"name": "::error file=x::of a name"}
    (here / "evil.json").write_text(json.dumps(graph), encoding="utf-8")
    lines = sttest("check", "evil.json", "--annotations").stdout.splitlines()
    (begin,) = [line for line in lines if line.startswith("::stop-commands::")]
    end = lines.index(f"::{begin.rpartition('::')[2]}::")
    assert lines.index(begin) == 0
    assert any("::error file=x::" in line for line in lines[:end])
    commands = lines[end + 1 :]
    assert [line.partition(",")[0] for line in commands] == ["::error file=evil.json"] * 3 + ["::notice file=evil.json"]
    assert all("title=%3A%3Aerror file=x%3A%3Aof a name%3A deadlock::" in line for line in commands)


# --- The action


def test_the_action_runs_the_command_on_what_it_is_given(here):
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    install, check = action["runs"]["steps"]
    assert all("${{" not in step["run"] and step["shell"] == "bash" for step in (install, check))
    names = {name for step in (install, check) for name in re.findall(r"inputs\.([\w-]+)", json.dumps(step))}
    assert names == set(action["inputs"])
    (here / "bin").mkdir()
    (here / "bin" / "sttest").write_text(f'#!/bin/sh\nexec {sys.executable} -m sttest "$@"\n', encoding="utf-8")
    (here / "bin" / "sttest").chmod(0o755)
    (here / "a folder").mkdir()
    shutil.copy(LIVE, here / "a folder" / "live.json")
    environment = {
        **os.environ,
        "PATH": f"{here / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "DESIGNS": "sk*.json\n\na folder/*.json\n$(touch taken)\n",
        "OPTIONS": "--seconds 120",
    }
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]]
    done = subprocess.run(script, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 3, done.stderr
    assert "::error file=skew.json,line=" in done.stdout
    assert re.search(r"^  a folder/live\.json +a timed graph", done.stdout, re.MULTILINE)
    assert "::error file=$(touch taken),line=1,title=not checked::" in done.stdout
    assert not (here / "taken").exists()
