"""Progress where stderr is no terminal: a line now and then, with an estimate of the time that is left."""

from __future__ import annotations

import json
import re
import sys
import time

import pytest

from sttest.core import progress as module
from sttest.core.processes import run_all
from sttest.core.progress import Told, progress, suggester, tell
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


def test_what_goes_on_within_something_else_is_a_step_of_that(clock):
    with progress("all") as outer:
        with progress("part") as inner:
            inner("3 of 4 points")
        tell("writing")
        assert outer.text() == "all: writing, 0 s"
    tell("to nobody")


def test_usual_seconds_are_an_estimate_until_parts_are_counted_and_none_once_they_are_over(clock):
    told = Told("simulating", usual_s=60)
    clock[0] = 20
    assert told.text() == "simulating, 20 s, about 40 s left"
    told("0 of 10 points")
    clock[0] = 30
    told("5 of 10 points")
    assert told.text() == "simulating: 5 of 10 points, 30 s, about 10 s left"
    told("writing")
    clock[0] = 70
    assert told.text() == "simulating: writing, 70 s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (119.4, "119 s"),
        (120, "2 min"),
        (119 * 60 + 29, "119 min"),
        (119 * 60 + 31, "2 h 0 min"),
        (100_000, "27 h 47 min"),
    ],
)
def test_seconds_are_whole_numbers_of_two_places_or_so(seconds, text):
    assert module.seconds_text(seconds) == text


def test_a_suggestion_says_how_far_the_step_is_or_all_where_there_is_none():
    with progress("all") as told:
        suggest = suggester()
        suggest("1 of 2 parts")
        assert told.text() == "all: 1 of 2 parts, 0 s"
        tell("1 of 3 steps, lowering")
        assert told.text() == "all: 1 of 3 steps, lowering, 0 s"
        suggest("2 of 2 parts")
        assert told.text() == "all: 1 of 3 steps, lowering (2 of 2 parts), 0 s"
    suggester()("to nobody")


@pytest.mark.parametrize("jobs", [1, 2])
def test_work_in_processes_counts_itself(jobs):
    with progress("all") as told:
        assert dict(run_all(abs, {-1: -1, -2: -2, -3: -3}, jobs)) == {-1: 1, -2: 2, -3: 3}
        assert re.match(r"all: [23] of 3 parts", told.text())


def test_on_a_terminal_stdout_gets_what_is_printed_and_stderr_the_live_line(monkeypatch, capfd):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress("sizing"):
        time.sleep(0.2)
        print("a table")
    seen = capfd.readouterr()
    assert seen.out == "a table\n"
    assert "sizing, 0 s" in seen.err
