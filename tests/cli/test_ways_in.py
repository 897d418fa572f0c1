"""What is no design is called by its name, with the command that makes a design of it; a design comes on stdin, too."""

import importlib.util
import io
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sttest.cli.app import app
from sttest.core.errors import InputError, note
from sttest.core.files import MAX_FILE_BYTES, STANDARD_INPUT, read_bytes
from sttest.importers.formats import formats
from sttest.package.ways_in import way_in
from sttest.sim import load
from sttest.testing.corpus import case

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "examples" / "hls-residual" / "hls_residual" / "solution1"
REPORT = SOLUTION / "syn" / "report" / "csynth.xml"
ONNX = ROOT / "examples" / "finn-residual" / "residual.onnx"
TAPA = ROOT / "examples" / "tapa-vadd" / "graph.json"
SDF3 = ROOT / "tests" / "data" / "sdf3" / "modem.xml"
LIVE = case("stage_skew").live_path

MADE = {  # files by name, what they hold, and what is said of them
    "design.cpp": ("void top() {}", "C++ source", "sttest import hls design.cpp -o"),
    "design.h": ("void top();", "a C++ header", "sttest import hls FILE.cpp -o"),
    "vadd.cpp": ("#include <tapa.h>", "a TAPA program", "sttest import tapa"),
    "report.xml": ("<profile/>", "a synthesis report of Vitis HLS", "sttest import hls FILE.cpp --reports report.xml"),
    "page.xml": ("<html/>", "XML whose outermost element is 'html'", "see 'sttest import'"),
    "model.onnx": ("\x08", "an ONNX model", "sttest import finn model.onnx"),
    "block.mlir": ("module {}", "MLIR text", "sttest compile block.mlir"),
    "array.mlir": ("module { aie.device(npu1) {} }", "MLIR of mlir-aie", "sttest import aie array.mlir"),
    "region.mlir": ("%0 = allo.stream_construct()", "MLIR of Allo", "sttest import allo region.mlir"),
    "my module.py": ("", "Python", "sttest compile 'my module.py':FUNCTION"),
    "model.pt": ("", "pickled PyTorch", "sttest compile FILE.py:FUNCTION"),
    "trace": ("spec_channel\t1\tq\t2\n", "a trace of LightningSim", "sttest import lightningsim trace --reports"),
    "graph.json": ('{"top": "t", "tasks": {}}', "a graph of TAPA", "sttest import tapa graph.json --rates"),
    "config.json": ('{"model_type": "gpt2"}', "a model's configuration", "sttest compile config.json"),
    "folding.json": ('{"Defaults": {}}', "a folding configuration of FINN", "--folding folding.json"),
    "sized.json": ('{"schema": "sttest.sizing/1"}', "what 'sttest size --json' printed", "--depth FIFO=N"),
    "study.yaml": ("axes: {}", "a what-if study", "sttest whatif study.yaml"),
    "board.yaml": ("extends: u55c", "a board", "--board board.yaml"),
    "design.v": ("module top; endmodule", "neither JSON nor XML", "'sttest compile --help'"),
    "empty.json": ("", "neither JSON nor XML", "'sttest import'"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", MADE)
def test_a_file_is_called_what_it_is_with_the_command_that_reads_it(sttest, here, name):
    content, what, command = MADE[name]
    (here / name).write_text(content, encoding="utf-8")
    outcome = sttest("simulate", name)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith(f"error: {name}: {what}")
    assert ", not a design; " in outcome.stderr
    assert command in outcome.stderr
    assert "not valid JSON" not in outcome.stderr
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", ["simulate", "size", "dot", "report", "diff", "emulate"])
def test_every_verb_for_designs_says_so(sttest, here, verb):
    (here / "design.cpp").write_text("void top() {}", encoding="utf-8")
    outcome = sttest(verb, "design.cpp", *([LIVE] if verb == "diff" else []))
    assert outcome.exit_code == 2
    assert "design.cpp: C++ source, not a design; import it" in outcome.stderr


FOLDERS = {
    "solution": (("p/hls.app", "p/solution1/syn/report/csynth.xml"), "p/solution1", "sttest import hls"),
    "schedule": (
        ("s/solution1/.autopilot/db/a.o.3.bc", "s/solution1/.autopilot/db/top.sched.adb"),
        "s/solution1",
        "sttest import solution s/solution1 -o",
    ),
    "project": (("p/hls.app",), "p", "sttest import hls p -o"),
    "component": (("c/hls_config.cfg",), "c", "sttest import hls c -o"),
    "Stream-HLS": (("d/hls/src/D.cpp", "d/hls/hls_D/solution1/syn/report/r.xml"), "d", "sttest import streamhls d -o"),
    "FINN": (("b/intermediate_models/step_1.onnx",), "b", "sttest import finn b/intermediate_models/step_1.onnx -o"),
    "checkpoint": (("m/config.json", "m/model.safetensors"), "m", "sttest compile m --phase"),
    "weights": (("m/config.json", "m/model.safetensors"), "m/model.safetensors", "sttest compile m --phase"),
    "nothing": (("n/notes.txt",), "n", "no design package, manifest.json missing"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_is_called_what_it_is(sttest, here, name):
    files, path, told = FOLDERS[name]
    for each in files:
        (here / each).parent.mkdir(parents=True, exist_ok=True)
        (here / each).write_text("", encoding="utf-8")
    outcome = sttest("simulate", path)
    assert outcome.exit_code == 2
    assert told in outcome.stderr


def test_a_work_directory_of_tapa_is_one(sttest, here):
    (here / "work").mkdir()
    (here / "work" / "graph.json").write_bytes(TAPA.read_bytes())
    assert "a work directory of TAPA, not a design" in sttest("simulate", "work").stderr


def test_names_of_models_and_functions_are_compiled(sttest, here):
    assert "the name of a model, not a design; compile it with 'sttest compile gpt2 " in sttest("size", "gpt2").stderr
    assert "sttest compile small-gpt2 --phase decode --context 32" in sttest("size", "small-gpt2").stderr
    assert "sttest compile my.py:make --precision fp32" in sttest("simulate", "my.py:make").stderr
    assert sttest("simulate", "nothing.json").stderr.startswith("error: nothing.json: no such file or folder; ")


def test_verbs_for_packages_say_what_a_file_is(sttest, here):
    (here / "linear.mlir").write_text("module {}", encoding="utf-8")
    told = sttest("synth", "linear.mlir").stderr
    assert "a file, not a design package: MLIR text; compile it with 'sttest compile linear.mlir" in told


def test_a_file_of_a_package_leads_to_the_package(sttest, here):
    (here / "package" / "hls").mkdir(parents=True)
    (here / "package" / "manifest.json").write_text('{"schema": "sttest.package/1"}', encoding="utf-8")
    (here / "package" / "hls" / "kernel.cpp").write_text("", encoding="utf-8")
    told = sttest("simulate", "package/hls/kernel.cpp").stderr
    assert "a file of a design package, not a design; name the package, package" in told
    (here / "package" / "timed_graph.json").write_text('{"schema": 1}', encoding="utf-8")
    assert "schema is 1, not 'sttest.timed-graph/1'" in sttest("simulate", "package/timed_graph.json").stderr
    assert "a folder of design packages, not a design; name one of them, as in package" in sttest("size", ".").stderr


def test_a_damaged_graph_keeps_its_own_error(sttest, here):
    (here / "graph.json").write_text('{"schema": "sttest.timed-graph/1",}', encoding="utf-8")
    assert "graph.json: not valid JSON (" in sttest("simulate", "graph.json").stderr


def test_every_format_of_another_tool_is_known_by_its_files(here):
    found = set()
    for name, (content, *_) in MADE.items():
        (here / name).write_text(content, encoding="utf-8")
        found.add(getattr(way_in(here / name), "format", ""))
    for files, path, _ in FOLDERS.values():
        for each in files:
            (here / each).parent.mkdir(parents=True, exist_ok=True)
            (here / each).write_text("", encoding="utf-8")
        found.add(getattr(way_in(here / path), "format", ""))
    assert found - {""} == set(formats())


@pytest.mark.parametrize("path", [SOLUTION, REPORT, ONNX], ids=["solution", "report", "onnx"])
def test_the_command_that_is_named_makes_a_design(sttest, here, path):
    if path == ONNX and importlib.util.find_spec("onnx") is None:
        pytest.skip("needs onnx, pip install 'sttest[finn]'")
    (command,) = re.findall(r"'sttest (import [^']*)'", sttest("simulate", path).stderr)
    assert sttest(*shlex.split(command)).exit_code == 0
    assert sttest("simulate", "design.json").exit_code == 3


# --- Import: what is read comes first, where it is written second


def test_an_import_without_a_place_to_write_to_reads_and_tells(sttest, here):
    outcome = sttest("import", "hls", SOLUTION)
    assert outcome.exit_code == 0
    assert outcome.stdout.splitlines()[0].endswith("residual, 3 processes, 4 FIFOs, 768 FIFO accesses")
    assert outcome.stdout.splitlines()[-1].startswith("nothing was written: add -o design.json")
    told = json.loads(sttest("import", "hls", SOLUTION, "--json").stdout)
    assert (told["out"], told["fifos"]) == (None, 4)
    sized = json.dumps({"schema": "sttest.sizing/1", "depths": {"skip": 8}})
    (here / "sized.json").write_text(sized, encoding="utf-8")
    told = sttest("import", "hls", SOLUTION, "--depths", "sized.json").stdout
    assert told.startswith("residual: 1 of 4 depths differ")
    assert "nothing was written: add -o FILE" in told
    assert "tasks:" in sttest("import", "tapa", TAPA, "--template").stdout
    assert [each.name for each in here.iterdir()] == ["sized.json"]


def test_depths_that_cannot_go_back_are_refused_without_a_place_to_write_to(sttest, here):
    reads = formats()["lightningsim"]
    with pytest.raises(InputError, match="depths do not go back to lightningsim"):
        reads.require_writer()
    (here / "trace").write_text("nonsense\n", encoding="utf-8")
    outcome = sttest("import", "lightningsim", "trace", "--reports", REPORT, "--depths", "sized.json")
    assert "unknown entry 'nonsense'" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("hls", "nothing"), "nothing: no such file or folder"),
        (("hls", ONNX), "an ONNX model, not what hls reads; if it has dataflow layers of FINN, import it with"),
        (("lightningsim", TAPA, "--reports", "x"), "a graph of TAPA, not what lightningsim reads"),
        ((SOLUTION,), "a solution of Vitis HLS, where a format is wanted; import it with 'sttest import hls"),
    ],
)
def test_the_problem_of_the_input_is_said_first(sttest, here, arguments, told):
    outcome = sttest("import", *arguments)
    assert outcome.exit_code == 2
    assert told in outcome.stderr
    assert "-o" not in outcome.stderr.partition(told)[0]


# --- Standard input


@pytest.mark.parametrize("path", [LIVE, SDF3], ids=["timed graph", "SDF3"])
def test_a_design_on_standard_input_is_the_one_of_its_file(path, tmp_path):
    for verb in ("simulate", "size", "dot"):
        answers = [_told([verb, "-", "--json"], path.read_bytes()), _told([verb, path, "--json"], b"")]
        for each in answers:
            each.pop("solve_s", None)
        assert answers[0] == answers[1]


def _told(arguments, data):
    result = CliRunner().invoke(app, [str(each) for each in arguments], input=data)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_other_verbs_for_designs_take_standard_input(here):
    data = LIVE.read_bytes()
    assert _told(["diff", "-", LIVE, "--json"], data)["differs"] is False
    assert _told(["report", "-", "--json"], data)["page"] == "design.html"
    sized = json.dumps({"schema": "sttest.sizing/1", "depths": {"skip": 8}}).encode()
    assert _told(["import", "hls", SOLUTION, "--depths", "-", "--json"], sized)["changed"] == {
        "skip": {"from": 4, "to": 8}
    }


@pytest.mark.parametrize(
    ("arguments", "data", "told"),
    [
        (["simulate", "-"], b"", "standard input: neither JSON nor XML"),
        (["simulate", "-"], b"void top() {}", "standard input: neither JSON nor XML"),
        (["size", "-"], b"{", "standard input: not valid JSON"),
        (["diff", "-", "-"], b"{}", "standard input holds one design"),
        (["synth", "-"], b"{}", "standard input: no such folder"),
        (
            ["simulate", "-"],
            json.dumps(
                {
                    "schema": "sttest.timed-graph/1",
                    "name": "g",
                    "clock_mhz": 1.0,
                    "fifos": [],
                    "traces": "t.npz",
                    "processes": [{"name": "p", "kind": "pipeline", "trace": "p"}],
                }
            ).encode(),
            "the graph's traces are in 't.npz', a file beside it, which standard input does not have",
        ),
    ],
)
def test_what_standard_input_cannot_be(arguments, data, told):
    result = CliRunner().invoke(app, arguments, input=data)
    assert result.exit_code == 2
    assert told in result.stderr


def test_standard_input_is_bounded_as_files_are(sttest, monkeypatch):
    class Endless(io.RawIOBase):
        asked = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            self.asked += len(buffer)
            buffer[:] = b" " * len(buffer)
            return len(buffer)

    endless = Endless()

    class Runner:
        buffer = io.BufferedReader(endless, 1 << 20)

        def isatty(self):
            return False

    monkeypatch.setattr(sys, "stdin", Runner())
    with pytest.raises(InputError, match=f"standard input: too large .bound {MAX_FILE_BYTES} bytes"):
        load("-")
    assert endless.asked < MAX_FILE_BYTES + (4 << 20)


def test_a_terminal_is_told_that_it_is_waited_for(tmp_path, monkeypatch):
    note.cache_clear()
    master, slave = os.openpty()
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    with os.fdopen(slave, "r") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        os.write(master, b"{}\n\x04")
        assert read_bytes(STANDARD_INPUT) == b"{}\n"
    os.close(master)
    assert errors.getvalue() == "note: reading standard input from the terminal; end it with Ctrl-D\n"
