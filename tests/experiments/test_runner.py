"""How experiments are run: all tell how far they are, whatever they say themselves, and say how long they took."""

from __future__ import annotations

import ast
import json
import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from experiments import all as everything
from experiments import registry, seconds
from sttest.core import progress
from sttest.core.results import ResultFolder, Row
from sttest.studies import seconds as usual
from sttest.studies.steps import step_counter
from sttest.studies.tables import ALL, programs, questions

ROOT = Path(__file__).parents[2]
NAMES = list(programs())


@pytest.fixture
def silent(monkeypatch):
    """Every experiment is one that takes a while, says nothing, and prints a table."""

    def reproduce(out, engine, jobs):
        time.sleep(0.4)
        print(f"table of {out.name}")
        with ResultFolder(out, made_by="experiments.hida", config={}) as folder:
            folder.add(Row(out.name, "speed", 1.0, "tokens/s", "simulated"))

    monkeypatch.setattr(registry, "experiment", lambda name: reproduce)
    monkeypatch.setattr(progress, "_EVERY_S", 0.05)


def test_one_that_says_nothing_tells_its_name_and_the_time_on_stderr_alone(silent, tmp_path, capfd):
    assert registry.run("block-sparse", tmp_path / "block-sparse", "maxplus", 2) == "table of block-sparse\n"
    seen = capfd.readouterr()
    assert seen.out == ""
    lines = seen.err.splitlines()
    assert len(lines) >= 2
    assert all(re.fullmatch(r"block-sparse, \d+ s(, about \d+ \w+ left)?", line) for line in lines)
    manifest = json.loads((tmp_path / "block-sparse" / "manifest.json").read_text())
    assert manifest["wall_s"] >= 0.4


def test_all_of_them_are_run_so_and_each_is_numbered(silent, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(everything, "programs", lambda: ("hida", "peers"))
    everything.reproduce(tmp_path)
    seen = capfd.readouterr()
    assert "table of hida\ntable of peers\n" in seen.out
    assert "hida, 1 of 2, 0 s" in seen.err
    assert "peers, 2 of 2, 0 s" in seen.err
    assert [
        json.loads((tmp_path / name / "manifest.json").read_text())["wall_s"] < 0.8 for name in ("hida", "peers")
    ] == [True, True]


def test_nothing_runs_an_experiment_in_another_way():
    """Only the runner calls ``reproduce`` of a module that it was given."""
    for path in ROOT.glob("experiments/*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "experiment"
        ]
        assert len(calls) == (path.name == "registry.py"), path


def test_steps_are_counted():
    with progress.progress("serving") as told:
        say = step_counter(3)
        say("one")
        say("two")
        assert told.text().startswith("serving: 2 of 3 steps, two, 0 s")


# --- Seconds


def test_every_experiment_has_its_seconds_in_the_list_and_all_is_their_sum(sttest):
    outcome = sttest("reproduce", "--json")
    found = json.loads(outcome.stdout)["seconds"]
    assert {name for name, each in found.items() if not each} == set()
    assert found[ALL] == pytest.approx(sum(found[name] for name in NAMES))
    shown = {line.split()[0]: line.split()[-1] for line in sttest("reproduce").stdout.splitlines()[2:-1]}
    assert shown == {name: f"{found[name]:,g}" for name in questions()}


def test_the_table_of_seconds_has_what_the_committed_results_took():
    assert usual.SECONDS.read_text(encoding="utf-8") == seconds.table(), "python -m experiments.seconds"


def result(name, **manifest):
    facts = {"taken_over": 0, "wall_s": 12.3, "cpus": 2, "finished_utc": "2026-11-27T10:00:00+00:00", **manifest}
    return SimpleNamespace(name=name, manifest=facts)


def test_what_was_taken_over_says_nothing_of_what_all_of_it_takes():
    known = [{"command": "sttest reproduce hida", "seconds": "7", "source": "measured"}]
    assert seconds.updated(known, [result("hida", taken_over=1), result("gpu_baseline")]) == [
        ("sttest reproduce hida", "7", "measured")
    ]
    assert seconds.updated(known, [result("hida"), result("clock", config={"study": {}})]) == [
        ("sttest reproduce hida", "12", "results/hida, 2026-11-27, 2 cores"),
        ("sttest whatif clock", "12", "results/clock, 2026-11-27, 2 cores"),
    ]
