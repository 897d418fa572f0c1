"""`sttest reproduce`: which experiment is called, with what, and where its results go."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from experiments.registry import EXPERIMENTS, experiment


@pytest.fixture
def called(monkeypatch, tmp_path) -> list[dict[str, object]]:
    calls = []
    fake = SimpleNamespace(reproduce=lambda **options: calls.append(options))
    monkeypatch.setattr("sttest.verbs.reproduce.experiment", lambda name: fake if name == "fake" else experiment(name))
    monkeypatch.chdir(tmp_path)
    return calls


def test_options_reach_the_experiment(called, sttest):
    assert sttest("reproduce", "fake").exit_code == 0
    assert sttest("reproduce", "fake", "-o", "there", "--engine", "des", "-j", "1").exit_code == 0
    assert called == [
        {"out": Path("results/fake"), "engine": "maxplus", "jobs": 2},
        {"out": Path("there"), "engine": "des", "jobs": 1},
    ]


def test_an_unknown_name_lists_the_known_ones(called, sttest):
    outcome = sttest("reproduce", "nothing-like-it")
    assert outcome.exit_code == 2
    assert all(name in outcome.stderr for name in EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_registered_experiment_can_be_reproduced(name):
    assert callable(experiment(name).reproduce)
