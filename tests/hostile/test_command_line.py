"""Hostile files on the command line: an exit code, one line on stderr, nothing left behind, no escape sequence."""

import functools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.hostile.cases import make_case
from benchmarks.hostile.seeds import seeds

CODES = (0, 2, 3, 4)
ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
TIMEOUT_S = 240
SCRIPT = "from sttest.cli import main; main()"


def evil(**changes):
    """A valid graph with something in it that a terminal would obey."""
    data = json.loads(next(seed for seed in seeds() if seed.name == "pipelines").files["g.json"])
    return {"g.json": json.dumps(data | changes).encode()}


def evil_process(**changes):
    data = json.loads(next(seed for seed in seeds() if seed.name == "pipelines").files["g.json"])
    data["processes"][0] |= changes
    return {"g.json": json.dumps(data).encode()}


BY_HAND = {
    "valid": evil(),
    "name": evil(name="\x1b[2J\x1b]0;owned\x07"),
    "category": evil_process(category="\x1b[31m"),
    "unknown key": evil(**{"\x1b[31mkey": 1}),
    "kind": evil_process(kind="\x9b31m"),
    "newlines": evil(**{"a\nb\r\nerror: c": 1}),
    "surrogate": evil_process(name="\ud800"),
    "no JSON": {"g.json": b"\x1b[31m"},
    "XML": {"g.xml": b'<sdf3 type="&#x9b;31m"/>'},
    "board": {"b.yaml": b'extends: "\\e[31m"\n'},
}


@functools.cache
def outcomes(folder, cases):
    """By name, what each run gave; two run at a time, for most of it is starting Python."""
    told = dict(BY_HAND)
    for number in range(cases):
        case = make_case(21, number)
        told[f"{number} {case.how}"] = case.files
    with ThreadPoolExecutor(2) as pool:
        folders = [folder / str(place) for place in range(len(told))]
        return dict(zip(told, pool.map(_run, told.values(), folders), strict=True))


def _run(files, folder):
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    entry = next(name for name in files if not name.endswith(".npz"))
    verb = "board" if entry.endswith(".yaml") else "simulate"
    environment = {**os.environ, "STTEST_MAX_ACCESSES": "1000000"}
    command = [sys.executable, "-c", SCRIPT, verb, f"./{entry}"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S, env=environment, check=False)
    left = {path.name for path in folder.iterdir()} - set(files)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode(), left


@pytest.mark.slow
@pytest.mark.parametrize("cases", [4, pytest.param(32, marks=pytest.mark.nightly)])
def test_what_the_command_line_does(cases, tmp_path_factory):
    for name, (code, stdout, stderr, left) in outcomes(tmp_path_factory.mktemp("hostile"), cases).items():
        assert code in CODES, f"{name}: {code} {stderr}"
        assert len(stderr.splitlines()) == (code in (2, 4)), f"{name}: {stderr}"
        assert not stderr or stderr.startswith("error: "), name
        assert "Traceback" not in stdout + stderr, name
        assert not ESCAPES.search(stdout + stderr), name
        assert not left, name
