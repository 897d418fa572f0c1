"""Where the process ends: output that is full, closed or in another encoding; names and files that are not UTF-8."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sttest as st
from sttest.core.errors import InputError
from sttest.core.json_text import to_json
from sttest.package import DesignPackage

SCRIPT = "from sttest.cli import main; main()"
FIFO = {"name": "wörter→µ", "depth": 2, "bits": 32}


def process(name, op):
    events = [{"fifo": FIFO["name"], "op": op, "stage": 0}]
    return {"name": name, "kind": "pipeline", "loops": [{"trips": [4], "ii": 1, "latency": 1, "events": events}]}


GRAPH = {
    "schema": "sttest.timed-graph/1",
    "name": "g",
    "clock_mhz": 100.0,
    "fifos": [FIFO],
    "processes": [process("quelle", "write"), process("senke", "read")],
}


@pytest.fixture
def run(tmp_path):
    """Runs the command line in a process of its own, in a folder with a graph."""
    (tmp_path / "g.json").write_text(json.dumps(GRAPH))

    def run(*arguments, redirect="", **environment):
        words = [sys.executable, "-c", SCRIPT, *arguments]
        command = ["sh", "-c", f'exec "$@" {redirect}', "sh", *words]
        set_to = {**os.environ, "PYTHONUNBUFFERED": "", **environment}
        return subprocess.run(command, cwd=tmp_path, capture_output=True, env=set_to, timeout=240, check=False)

    return run


FULL = b"error: standard output: No space left on device; "
BUG = (b"bug in sttest", b"Traceback", b"Exception ignored")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("compile", "--help"),
        ("models",),
        ("models", "--json"),
        ("models", "--csv"),
        ("simulate", "g.json"),
        ("simulate", "g.json", "--json"),
        ("dot", "g.json"),
    ],
    ids=" ".join,
)
def test_full_output_is_one_line_and_a_documented_code(arguments, unbuffered, run):
    done = run(*arguments, redirect="> /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2
    told = json.loads(done.stderr)["error"]["where"] if "--json" in arguments else done.stderr.decode()
    assert told.removeprefix("error: ").startswith("standard output")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("redirect", ["2> /dev/full", "2>&-"])
def test_errors_that_nobody_hears_have_their_code(redirect, run):
    assert run("simulate", "nothing.json", redirect=redirect).returncode == 2
    done = run("simulate", "g.json", redirect=redirect)
    assert (done.returncode, done.stdout[:6]) == (0, b"g: don")


@pytest.mark.parametrize("redirect", [">&-", ">&- 2>&-"])
def test_output_that_is_closed_goes_nowhere(redirect, run, tmp_path):
    done = run("simulate", "g.json", "--trace", "t.json", redirect=redirect)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "koi8-r", "ascii:surrogateescape"])
@pytest.mark.parametrize("arguments", [("simulate", "g.json"), ("dot", "g.json"), ("board", "u55c")], ids=" ".join)
def test_output_in_another_encoding_escapes_what_it_has_no_sign_for(arguments, encoding, run):
    plain = run(*arguments, PYTHONIOENCODING="utf-8")
    done = run(*arguments, PYTHONIOENCODING=encoding)
    name = encoding.partition(":")[0]
    shown = plain.stdout.decode().encode(name, "backslashreplace")
    assert (done.returncode, done.stdout) == (plain.returncode, shown) == (0, shown)
    said = done.stderr.decode(name)
    assert ("has no sign for some letters" in said) == (b"\\" in shown)
    assert said.count("\n") <= 1


def test_who_asks_for_another_treatment_gets_it(run):
    done = run("simulate", "g.json", PYTHONIOENCODING="ascii:replace")
    assert (done.returncode, b"?s" in done.stdout, done.stderr) == (0, True, b"")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("simulate", b"%s.json"), 0),
        (("simulate", b"%s.json", "--trace", b"%s.trace"), 0),
        (("dot", b"%s.json"), 0),
        (("size", b"%s.json"), 0),
        (("size", b"%s.json", "--json"), 0),
        (("report", b"%s.json", "-o", b"%s.html"), 0),
        (("simulate", b"no%s.json"), 2),
        (("simulate", "g.json", "--depth", b"%s=3"), 2),
        (("board", b"%s.yaml"), 2),
        (("compile", b"%s.mlir"), 2),
        (("compile", b"%s", "--phase", "decode"), 2),
        (("opt", b"%s.mlir", "-p", "canonicalize"), 2),
        (("whatif", b"%s.yaml", "--dry-run"), 2),
        (("reproduce", b"%s"), 2),
        ((b"%s",), 2),
    ],
    ids=repr,
)
def test_names_that_are_not_utf8(arguments, code, run, tmp_path):
    name = b"n\xffm"
    Path(os.fsdecode(bytes(tmp_path) + b"/" + name + b".json")).write_text(json.dumps(GRAPH))
    done = run(*(each % name if isinstance(each, bytes) and b"%" in each else each for each in arguments))
    assert done.returncode == code, done.stderr
    assert not any(word in done.stderr for word in BUG), done.stderr
    assert done.stderr.count(b"\n") == (code != 0) + done.stderr.count(b"note: ")
    done.stdout.decode()
    done.stderr.decode()


# --- Packages


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edges") / "package"
    return st.compile("small-gpt2", phase="decode", context=32, design="default").save(folder)


@pytest.mark.torch
@pytest.mark.parametrize(
    "name",
    [
        "hls/kernel.cpp",
        "hls/parts.h",
        "hls/signature.json",
        "hls/memory.json",
        "ir/00_quantize.mlir",
        "reports/kernels.csv",
        "manifest.json",
    ],
)
@pytest.mark.parametrize("damage", [b"\xff", b"caf\xe9"])
def test_a_part_of_a_package_that_is_not_utf8_is_refused_by_name(name, damage, package):
    part = package / name
    whole = part.read_bytes()
    part.write_bytes(damage + whole)
    try:
        with pytest.raises(InputError, match=name.rpartition("/")[2]) as refusal:
            _all_of(DesignPackage.read(package))
    finally:
        part.write_bytes(whole)
    assert "UTF-8" in str(refusal.value) or "utf-8" in str(refusal.value)


def _all_of(design):
    return design.files.cpp_text, design.files.depths, design.placed_graph, design.ir, design.lanes


@pytest.mark.torch
@pytest.mark.slow
def test_a_package_is_kept_where_nobody_hears_of_it(run, tmp_path):
    done = run("compile", "small-gpt2", "--phase", "decode", "--context", "32", "-o", "p", redirect="> /dev/full")
    assert (done.returncode, done.stderr.splitlines()[-1].startswith(FULL)) == (2, True)
    assert DesignPackage.read(tmp_path / "p").cycles == 1189


def test_errors_that_python_does_not_know_are_escaped(run):
    done = run("models", PYTHONIOENCODING="ascii:bogus")
    assert (done.returncode, done.stdout[:9]) == (0, b"  model  ")
    assert b"\\u2500" in done.stdout


def test_json_of_a_name_that_is_no_utf8_is_taken_by_strict_readers(run, tmp_path):
    (tmp_path / os.fsdecode(b"g\xb5.json")).write_text(json.dumps(GRAPH))
    done = run("check", os.fsdecode(b"g\xb5.json"), "--json")
    document = json.loads(done.stdout)
    assert "g\\xb5.json" in json.dumps(document).replace("\\\\", "\\")
    assert not re.search(rb"\\ud[89a-f]", done.stdout)


def test_json_of_other_letters_is_as_before():
    data = {"µ": ["𝄞", 1.5, None, "\\ud800"], "half": "\ud834\udcb5"}
    text = to_json(data, indent=1)
    assert json.loads(text) == data | {"half": "\\ud834\\xb5"}
    assert to_json({"µ": "𝄞"}) == json.dumps({"µ": "𝄞"})


@pytest.mark.parametrize("verb", ["simulate", "check"])
def test_a_current_folder_that_was_deleted_is_named(run, tmp_path, verb):
    code = f"import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); {SCRIPT}"
    command = [sys.executable, "-P", "-c", code, verb, str(tmp_path / "g.json")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    told = "error: the current folder was deleted; cd to a folder that is there\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
