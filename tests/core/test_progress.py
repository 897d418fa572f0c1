"""Progress where stderr is no terminal: a line now and then, with an estimate of the time that is left."""

from __future__ import annotations

import json
import re
import time

import pytest

from sttest.core import progress as module
from sttest.core.progress import Told, progress
from sttest.core.terminal import styled


@pytest.fixture
def clock(monkeypatch):
    """Seconds that a test sets."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_the_time_left_is_that_of_the_parts_that_are_done(clock):
    told = Told("simulating")
    assert told.text() == "simulating, 0 s"
    clock[0] = 5
    told("56 of 256 points")  # found in a store: they took no time
    assert told.left_s() is None
    clock[0] = 40
    told("126 of 256 points")
    assert told.text() == "simulating: 126 of 256 points, 40 s, about 65 s left"
    clock[0] = 50
    assert told.text() == "simulating: 126 of 256 points, 50 s, about 55 s left"
    told("writing")
    assert told.text() == "simulating: writing, 50 s"
    told("1,000 of 2,000 requests")
    assert told.left_s() is None


def test_a_file_gets_a_line_now_and_then(monkeypatch, capfd):
    monkeypatch.setattr(module, "_EVERY_S", 0.05)
    with progress("sizing") as say:
        say("1 of 4 points")
        time.sleep(0.12)
        say("2 of 4 points")
        time.sleep(0.12)
    time.sleep(0.1)
    lines = capfd.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 6
    assert lines[0] == "sizing: 1 of 4 points, 0 s"
    assert re.fullmatch(r"sizing: 2 of 4 points, 0 s, about 0 s left", lines[-1])


def test_with_json_the_lines_are_json(monkeypatch, capfd):
    monkeypatch.setattr(module, "_EVERY_S", 0.02)
    with styled(json=True), progress("sizing") as say:
        say("1 of 4 points")
        time.sleep(0.1)
    told = json.loads(capfd.readouterr().err.splitlines()[0])
    assert (told["schema"], told["what"], told["left_s"]) == ("sttest.progress/1", "sizing", None)


def test_what_is_quick_says_nothing(capfd):
    with progress("sizing"):
        pass
    assert capfd.readouterr().err == ""
