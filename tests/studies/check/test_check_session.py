"""A check ends when its time is over, whatever its process does, and tells what it knows by then."""

from __future__ import annotations

import json
import os
import time

import pytest

from sttest.studies.check import session
from sttest.studies.check.finding import Finding
from sttest.studies.check.request import Asked
from sttest.testing.corpus import case

SAYS = '''
"""Answers as the case of its first input says."""
import json, os, signal, sys, time
request = json.loads(sys.stdin.buffer.readline())
sys.stdin.buffer.read()
def say(number, done, **told):
    finding = {"source": request["inputs"][0][1], "verdict": "done", **told}
    print(json.dumps({"input": number, "done": done, "findings": [finding]}), flush=True)
for number, source in request["inputs"]:
    if source == "hangs":
        time.sleep(60)
    if source == "sizes":
        say(number, False, cycles=7)
        time.sleep(60)
    if source == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if source == "fails":
        raise RuntimeError("of the check")
    say(number, True, name=source)
'''


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """A process of its own in the place of the one that checks."""
    (tmp_path / "a_worker_that_says.py").write_text(SAYS, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(session, "_WORKER", ["-m", "a_worker_that_says"])


def checked(*sources: str, seconds: float = 30.0) -> list[Finding]:
    said = list[str]()
    groups = list(session.check_all(sources, Asked(), b"", seconds, said.append))
    assert len(groups) == len(sources) == len(said)
    return [each for group in groups for each in group]


def test_what_follows_an_input_that_hangs_is_checked_too(worker):
    began = time.monotonic()
    hangs, fine = checked("hangs", "fine", seconds=2.0)
    assert time.monotonic() - began < 20
    assert (hangs.source, hangs.verdict, hangs.exit_code) == ("hangs", "unknown", 4)
    assert "stopped after 2 s; more with --seconds" in hangs.stopped
    assert (fine.verdict, fine.name, fine.stopped) == ("done", "fine", "")


def test_a_verdict_stands_when_there_is_no_time_for_more(worker):
    (found,) = checked("sizes", seconds=2.0)
    assert (found.verdict, found.cycles, found.exit_code) == ("done", 7, 0)
    assert "sizing, and what follows, was stopped after 2 s" in found.stopped


def test_a_process_that_ends_too_early_is_an_error_of_its_input_alone(worker):
    dies, fails, fine = checked("dies", "fails", "fine")
    assert (dies.verdict, dies.exit_code, dies.error["code"]) == ("refused", 4, "worker-died")
    assert (fails.exit_code, fails.error["code"]) == (1, "internal-error")
    assert "RuntimeError: of the check" in fails.error["what"]
    assert fine.verdict == "done"


def test_the_process_that_checks_is_given_standard_input():
    path = case("stage_skew").path
    groups = list(session.check_all(["-", str(path)], Asked(), path.read_bytes(), 60.0, lambda _: None))
    (one,), (other,) = groups
    assert one.model_dump(exclude={"source", "waits", "depths", "change"}) == other.model_dump(
        exclude={"source", "waits", "depths", "change"}
    )
    assert [wait.text for wait in one.waits] == [wait.text for wait in other.waits]
    assert json.loads(one.change.text) == json.loads(other.change.text)
    assert (one.change.edits, bool(other.change.edits)) == ((), True)
