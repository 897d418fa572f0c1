"""The command line as a whole: what it refuses, in which words, and how it leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sttest as package
from sttest.cli.verbs import VERBS

COMMAND = (sys.executable, "-c", "from sttest.cli import main; main()")
BLOCK = Path(__file__).parents[2] / "examples/residual-block/designs/block.json"
SMALL = ("compile", "small-gpt2", "--phase", "decode", "--context", "32")
UNSUPPORTED = """
func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = "tensor.pad"(%x) ({
  ^bb0(%i: index, %j: index):
    %z = "arith.constant"() <{value = 0.0 : f32}> : () -> f32
    "tensor.yield"(%z) : (f32) -> ()
  }) {static_low = array<i64: 0, 0>, static_high = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 0, 0>}
    : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = "tensor.cast"(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  func.return %b : tensor<16x16xf32>
}
"""


def process(name, op, fifo):
    events = [{"fifo": fifo, "op": op, "stage": 0}]
    return {"name": name, "kind": "pipeline", "loops": [{"trips": [4], "ii": 1, "latency": 1, "events": events}]}


def graph(*processes, depth=2):
    fifos = [{"name": "words", "depth": depth, "bits": 32}]
    data = {"schema": "sttest.timed-graph/1", "name": "g", "clock_mhz": 100.0, "fifos": fifos}
    return json.dumps(data | {"processes": list(processes)})


SOURCE, SINK = process("source", "write", "words"), process("sink", "read", "words")
GRAPHS = {
    "good.json": graph(SOURCE, SINK),
    "two_readers.json": graph(SOURCE, SINK, process("second", "read", "words")),
    "missing_fifo.json": graph(SOURCE, process("sink", "read", "wordz")),
    "depth0.json": graph(SOURCE, SINK, depth=0),
    "cut.json": graph(SOURCE, SINK)[:90],
}


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A working folder with one file per kind of bad input."""
    for name, text in GRAPHS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "typo.yaml").write_text("extends: u55c\nclock_mzh: {value: 1, unit: MHz, source: x, kind: assumed}\n")
    (tmp_path / "unsupported.mlir").write_text(UNSUPPORTED)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{}")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "manifest.json").write_text('{"schema": "sttest.results/1"}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listing(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))


# Arguments, and the parts that the one line must have: what, where, the way out.
BAD_INPUT = {
    "unknown model": (("compile", "gtp2", *SMALL[2:]), ("'gtp2'", "did you mean 'gpt2'")),
    "misspelt board key": ((*SMALL, "--board", "typo.yaml"), ("typo.yaml", "'clock_mzh'", "'clock_mhz'")),
    "board without HBM": ((*SMALL, "--board", "a100"), ("'a100'", "HBM", "u55c")),
    "zero tokens": (("compile", "gpt2", "--phase", "prefill", "--tokens", "0"), ("0 tokens", "at least 1")),
    "context past the limit": (
        ("compile", "gpt2", "--phase", "decode", "--context", "1024"),
        ("gpt2", "1025 tokens", "1024 tokens", "shorten"),
    ),
    "tile larger than a dim": (
        (*SMALL, "--design", "default", "--tile-size", "100"),
        ("attn_q_proj", "reduction", "64", "at most 64"),
    ),
    "unsupported ops": (("compile", "unsupported.mlir"), ("tensor.pad", "tensor.cast", "rewrite")),
    "folder that is no package": (("simulate", "broken"), ("broken", "schema is None", "sttest compile")),
    "cut graph": (("simulate", "cut.json"), ("cut.json", "not valid JSON")),
    "unwritable folder": ((*SMALL, "-o", "good.json/below"), ("good.json/below", "can't write", "-o")),
    "two readers": (("simulate", "two_readers.json"), ("words", "sink", "second")),
    "missing FIFO": (("simulate", "missing_fifo.json"), ("'wordz'", "did you mean 'words'")),
    "depth of 0": (("simulate", "depth0.json"), ("words", "depth is 0", "at least 1")),
    "depth option of 0": (("simulate", "good.json", "--depth", "words=0"), ("words", "depth is 0", "at least 1")),
    "depth of an unknown FIFO": (("simulate", "good.json", "--depth", "wods=3"), ("'wods'", "did you mean 'words'")),
    "depth that is no assignment": (("simulate", "good.json", "--depth", "words"), ("'words'", "--depth qkv=16")),
    "no such path": (("simulate", "nothing.json"), ("nothing.json", "no such file")),
    "no such text": (("compile", "nothing.mlir"), ("nothing.mlir", "sttest models")),
    "a file in the way": ((*SMALL, "-o", "good.json"), ("good.json", "name a folder")),
    "somebody's folder": ((*SMALL, "-o", "."), ("no design package", "-o")),
    "a shape for a file": (("compile", "unsupported.mlir", "--tokens", "4"), ("--tokens", "leave out")),
    "no phase": (("compile", "gpt2"), ("--phase is missing", "prefill")),
    "lanes from nowhere": ((*SMALL, "--lanes-from", "broken"), ("broken", "kernels.csv", "sttest compile")),
    "unknown board": ((*SMALL, "--board", "u55"), ("'u55'", "did you mean 'u55c'")),
    "a package on somebody's results": ((*SMALL, "-o", "results"), ("results", "no design package", "-o")),
    "results on somebody's folder": (("reproduce", "gpt2", "-o", "broken"), ("broken", "no folder of results", "-o")),
    "results below a file": (("reproduce", "gpt2", "-o", "good.json/x"), ("good.json", "can't write", "-o")),
    "unknown experiment": (("reproduce", "gtp2"), ("'gtp2'", "gpt2")),
    "unknown verb": (("simulat",), ("simulat", "--help")),
    "unknown option": (("simulate", "good.json", "--dpeth", "a=1"), ("--dpeth", "sttest simulate --help")),
    "unknown engine": (("simulate", "good.json", "--engine", "rtl"), ("rtl", "maxplus")),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_refused_in_one_line_and_leaves_nothing_behind(name, place, sttest):
    arguments, parts = BAD_INPUT[name]
    before = listing(place)
    outcome = sttest(*arguments)
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("error: ")
    assert outcome.stderr.count("\n") == 1
    assert [part for part in parts if part not in outcome.stderr] == []
    assert listing(place) == before


@pytest.mark.parametrize("name", ["unknown model", "two readers", "unknown option"])
def test_errors_are_json_on_stderr_where_json_is_asked_for(name, place, sttest):
    outcome = sttest(*BAD_INPUT[name][0], "--json")
    told = json.loads(outcome.stderr)
    assert outcome.stdout == ""
    assert told["exit_code"] == outcome.exit_code == 2
    assert told["error"]["what"]
    assert told["error"]["hints"] or told["error"]["where"]


def test_a_bug_is_one_line_and_a_traceback_only_under_debug(place, sttest, monkeypatch):
    def broken(*_arguments, **_options):
        raise KeyError("lost")

    monkeypatch.setattr("sttest.cli.simulate.load_graph", broken)
    plain = sttest("simulate", "good.json")
    assert (plain.exit_code, plain.stderr.count("\n")) == (1, 1)
    assert "KeyError: 'lost'" in plain.stderr
    assert "report" in plain.stderr
    assert "Traceback" in sttest("--debug", "simulate", "good.json").stderr
    monkeypatch.setenv("STTEST_DEBUG", "1")
    assert "Traceback" in sttest("simulate", "good.json").stderr


def test_trouble_with_a_file_is_no_bug(place, sttest, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device", "build/graph.npz")

    monkeypatch.setattr("sttest.cli.simulate.load_graph", full)
    outcome = sttest("simulate", "good.json")
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("error: build/graph.npz: No space left on device; ")


def test_version_and_help(sttest):
    assert sttest("--version").stdout == f"sttest {package.__version__}\n"
    overview = sttest("--help")
    assert overview.exit_code == 0
    assert sttest().stdout == overview.stdout


@pytest.mark.parametrize("verb", ["compile", "simulate", "synth", "board", "models", "reproduce"])
def test_help_of_every_verb_shows_an_example(verb, sttest):
    assert f"sttest {verb}" in sttest(verb, "--help").stdout.split("Example", 1)[1]


def test_help_starts_without_heavy_imports():
    heavy = "torch numba xdsl scipy pandas numpy simpy matplotlib"
    code = f"import sys, sttest.cli; print([name for name in {heavy.split()} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_summaries_of_the_verbs_are_what_their_own_help_begins_with(sttest):
    for name, verb in VERBS.items():
        told = " ".join(sttest(name, "--help").stdout.split("\n\n")[1].split())
        assert told.startswith(verb.summary.removesuffix(".")), name


def test_a_package_is_read_without_the_compiler():
    code = "import sys, sttest.package; print([name for name in sys.modules if name in ('xdsl', 'sttest.compile.ir')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_a_reader_that_leaves_early_is_no_error():
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w") as stdout:
        done = subprocess.run([*COMMAND, "--help"], stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_leaves_with_130_and_no_traceback(tmp_path, heed_interrupts):
    command = [*COMMAND, "opt", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_interrupts
    ) as running:
        _wait_until_it_waits(running.pid)
        running.send_signal(signal.SIGINT)
        try:
            _, stderr = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == 130
    assert stderr == b"interrupted\n"


@pytest.mark.timeout(60)
def test_a_pipe_of_the_file_system_is_not_waited_for(tmp_path, sttest):
    os.mkfifo(tmp_path / "waiting.mlir")
    pipe = tmp_path / "waiting.mlir"
    for arguments in (
        ["compile", pipe],
        ["opt", pipe],
        ["simulate", pipe],
        ["simulate", BLOCK, "--trace", pipe],
        ["report", BLOCK, "-o", pipe],
    ):
        outcome = sttest(*arguments)
        assert outcome.exit_code == 2, arguments
        assert "waiting.mlir" in outcome.stderr
        assert len(outcome.stderr.splitlines()) == 1


def _wait_until_it_waits(pid: int) -> None:
    """Until the process sleeps with little CPU time used in between: it waits for its input."""
    deadline = time.monotonic() + 60
    used, calm = -1, 0
    while time.monotonic() < deadline and calm < 5:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        now = int(fields[11]) + int(fields[12])
        calm = calm + 1 if now == used and fields[0] == "S" else 0
        used = now
        time.sleep(0.1)


def test_names_of_the_version_before_work_with_a_note(sttest):
    outcome = sttest("ladder", "--help")
    assert (outcome.exit_code, "crosscheck" in outcome.stdout) == (0, True)
    for option in (("--backend", "double"), ("--backend=double",)):
        outcome = sttest("run", "nothing", *option)
        assert (outcome.exit_code, "no such folder" in outcome.stderr) == (2, True)


def test_many_options_stand_below_headings(sttest):
    page = sttest("compile", "--help").stdout
    found = [line for line in page.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert found[0] == "Arguments:"
    assert len(found) >= 9
    for heading, option in (("Workload:", "--context N"), ("Attention:", "--attention-chunk N"), ("Output:", "--csv")):
        assert option in page.split(f"\n{heading}\n")[1].split("\n\n")[0]
    few = sttest("dot", "--help").stdout
    assert [line for line in few.splitlines() if line.endswith(":") and not line.startswith(" ")] == [
        "Arguments:",
        "Options:",
        "Output:",
    ]


def test_commands_of_help_can_be_copied(sttest):
    page = sttest("compile", "--help").stdout.split("Examples:\n")[1].split("\n\nArguments")[0]
    lines = [line for line in page.replace(" \\\n", " ").splitlines() if line]
    assert all(line.split()[:2] == ["sttest", "compile"] for line in lines)
    assert "--beat-bits 256" in page
