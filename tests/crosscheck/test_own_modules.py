"""A module of the user's through every verb that takes a model; its golden is itself."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch_mlir")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
OWN = """
import torch
from torch import nn


def make():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32), nn.LayerNorm(32)), torch.randn(8, 32)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


@pytest.mark.daily
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize(
    ("precision", "golden", "verdict", "sqnr_db"),
    [
        ("fp32", "torch", "close", 100),
        ("w8a8", "reference", "same", 30),
        pytest.param("w4a8", "reference", "same", 12, marks=pytest.mark.nightly),
    ],
)
def test_all_engines_agree_on_a_module(precision, golden, verdict, sqnr_db, here, sttest):
    engines = ("--engines", "torch,reference,simpy,maxplus,csim", "--json")
    outcome = sttest("crosscheck", "own.py:make", "--precision", precision, *engines)
    assert outcome.exit_code == 0, outcome.stderr
    told = json.loads(outcome.stdout)
    rows = {row["engine"]: row for row in told["engines"]}
    assert (rows["torch"]["verdict"], rows["torch"]["seconds"] > 0) == ("done", True)
    assert rows["simpy"]["cycles"] == rows["maxplus"]["cycles"] > 0
    assert (told["results"]["csim"]["golden"], told["results"]["csim"]["verdict"]) == (golden, verdict)
    assert told["streams"]["verdict"] == "same"
    assert told["sqnr_db"] > sqnr_db
    assert (here / "build" / "own-u55c" / "manifest.json").is_file()


def test_a_module_has_its_weights(here, sttest):
    outcome = sttest("crosscheck", "own.py:make", "--checkpoint", here)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "leave it out" in outcome.stderr


def test_a_study_makes_the_module_once(here, sttest):
    (here / "own.py").write_text(OWN.replace("def make():", "def make():\n    open('made', 'a').write('x')"))
    study = "title: own\nbase: {model: own.py:make}\naxes: {board.hbm.bandwidth: [57.6, 460]}\n"
    (here / "own.yaml").write_text(study, encoding="utf-8")
    outcome = sttest("whatif", "own.yaml", "-j", 1, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    assert (here / "made").read_text() == "x"
    assert (here / "results" / "own" / "table.csv").is_file()
