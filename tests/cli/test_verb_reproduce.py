"""`sttest reproduce`: which experiment is called, with what, and where its results go."""

import subprocess
from inspect import signature

import pytest

from experiments.registry import experiment
from sttest.studies.tables import programs, questions


def test_an_experiment_runs_and_leaves_its_results(tmp_path, monkeypatch, sttest):
    out = tmp_path / "there"
    assert sttest("reproduce", "hida", "-o", out, "-j", "1").exit_code == 0
    assert (out / "table.csv").is_file()


def test_options_reach_the_program_of_the_experiments(monkeypatch, sttest):
    calls = []

    def run(command, **options):
        calls.append(command[command.index("experiments") :])
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr("sttest.studies.tables.subprocess.run", run)
    assert sttest("reproduce", "hida", "-o", "there", "-j", "1").exit_code == 3
    assert calls == [["experiments", "reproduce", "hida", "--engine", "maxplus", "--jobs", "1", "--out", "there"]]


def test_outside_of_a_checkout_one_line_says_so(monkeypatch, tmp_path, sttest):
    monkeypatch.setattr("sttest.studies.tables.__file__", str(tmp_path / "a" / "b" / "tables.py"))
    monkeypatch.chdir(tmp_path)
    outcome = sttest("reproduce", "hida")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "clone of the repository" in outcome.stderr


def test_an_unknown_name_lists_the_known_ones(sttest):
    outcome = sttest("reproduce", "nothing-like-it")
    assert outcome.exit_code == 2
    assert all(name in outcome.stderr for name in questions())


@pytest.mark.parametrize("name", programs())
def test_every_registered_experiment_can_be_reproduced(name):
    pytest.importorskip("torch")
    assert {"out", "engine", "jobs"} <= signature(experiment(name)).parameters.keys()
