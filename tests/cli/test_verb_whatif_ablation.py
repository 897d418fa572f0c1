"""`sttest whatif` of an ablation: what it prints and where its results go."""

import json

import pytest

FORM = """
title: tiny
reference: fused
parts: [{name: step, model: small-gpt2, context: 32}]
lines: [{name: fused}, {name: tasks, cut: tasks}]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(FORM, encoding="utf-8")
    return tmp_path


def test_an_ablation_ends_in_a_folder_of_results_and_is_not_run_twice(here, sttest):
    plan = json.loads(sttest("whatif", "tiny.yaml", "--dry-run", "--json").stdout)
    assert (plan["rows"], plan["designs"], plan["stored"]) == (2, 2, 0)
    outcome = sttest("whatif", "tiny.yaml", "-j", "1", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    fused, tasks = json.loads(outcome.stdout)["rows"]
    assert fused["speedup"] == 1 > tasks["speedup"] > tasks["speedup_with_launches"]
    assert {path.suffix for path in (here / "results" / "tiny").iterdir()} == {".csv", ".md", ".png", ".svg", ".json"}
    assert json.loads(sttest("whatif", "tiny.yaml", "--dry-run", "--json").stdout)["stored"] == 2


def test_shipped_ablations_are_listed_and_a_cluster_is_refused(here, sttest):
    assert {"attention", "fusion", "modes", "schedules"} <= json.loads(sttest("whatif", "--json").stdout)[
        "studies"
    ].keys()
    outcome = sttest("whatif", "tiny.yaml", "--scheduler", "tcp://nobody:1")
    assert outcome.exit_code == 2
    assert "runs on this machine" in outcome.stderr
