"""`sttest whatif`: what it prints and where its results go."""

import json
from pathlib import Path

import pandas as pd
import pytest

STUDY = "title: tiny\nbase: {model: small-gpt2, context: 32}\naxes: {board.hbm.channels: [1, 16, 32]}\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(STUDY, encoding="utf-8")
    return tmp_path


@pytest.mark.daily
def test_a_study_ends_in_a_folder_of_results(here, sttest):
    outcome = sttest("whatif", "mine.yaml", "-j", "1")
    assert outcome.exit_code == 0, outcome.stderr
    assert "written: results/mine" in outcome.stdout
    assert "more DMAs than pseudo-channels" in outcome.stdout
    folder = here / "results" / "mine"
    assert {path.name for path in folder.iterdir()} == {
        "table.csv",
        "table.md",
        "figure.png",
        "figure.svg",
        "manifest.json",
    }
    table = pd.read_csv(folder / "table.csv")
    assert table["unit"].notna().all()
    assert table["kind"].notna().all()
    of_most = table[table["board.hbm.channels"] == 32].set_index("metric")["value"]
    gains = of_most[of_most.index.str.startswith("gain of a tenth more")]
    assert len(gains) == 6
    assert ((gains >= -0.001) & (gains < 0.101)).all()
    assert of_most["speed"] < of_most["roofline"]


def test_json_is_one_document_and_the_same_numbers(here, sttest):
    outcome = sttest("whatif", "mine.yaml", "-j", "1", "--json")
    document = json.loads(outcome.stdout)
    assert document["schema"] == "sttest.whatif/2"
    refused, *simulated = document["points"]
    assert "refused" in refused
    for point in simulated:
        gains = point["gains_of_a_tenth_more"]
        assert point["helped_most_by"] == max(gains.keys() - {"clock"}, key=gains.get)
        assert len(str(point["tokens_per_s"])) > 10, "it is not rounded"


def test_a_dry_run_says_how_many_and_writes_and_simulates_nothing(here, sttest):
    for _ in range(2):
        plan = json.loads(sttest("whatif", "mine.yaml", "--dry-run", "--json").stdout)
        assert (plan["points"], plan["blocks"], plan["stored"], plan["estimate_s"]) == (3, 3, 0, None)
    assert "the time is not known before one was simulated" in sttest("whatif", "mine.yaml", "--dry-run").stdout
    assert not (here / "results").exists()


def test_without_a_name_the_studies_are_listed(sttest):
    outcome = sttest("whatif")
    assert outcome.exit_code == 0
    assert "hbm-bandwidth" in outcome.stdout
    assert "launch" in json.loads(sttest("whatif", "--json").stdout)["studies"]


def test_an_unknown_study_names_the_nearest(sttest):
    outcome = sttest("whatif", "hbm-bandwith")
    assert outcome.exit_code == 2
    assert "did you mean 'hbm-bandwidth'?" in outcome.stderr


def test_a_folder_of_something_else_is_left_alone(here, sttest):
    (here / "keep").mkdir()
    (here / "keep" / "letter.txt").write_text("dear", encoding="utf-8")
    outcome = sttest("whatif", "mine.yaml", "-o", "keep")
    assert outcome.exit_code == 2
    assert (here / "keep" / "letter.txt").read_text() == "dear"
    assert not (here / "build").exists()


def test_a_study_of_a_text_beside_it(here, sttest):
    text = Path(__file__).parents[1] / "crosscheck/texts/mlp_with_names.mlir"
    (here / "mlp.mlir").write_text(text.read_text())
    study = "title: text\nbase: {model: mlp.mlir}\naxes: {board.hbm.bandwidth: [115, 460]}\n"
    (here / "text.yaml").write_text(study, encoding="utf-8")
    outcome = sttest("whatif", "text.yaml", "-j", "1")
    assert outcome.exit_code == 0, outcome.stderr
    table = pd.read_csv(here / "results" / "text" / "table.csv")
    slow, fast = table[table["metric"] == "speed"].sort_values("board.hbm.bandwidth")["value"]
    assert slow < fast
    (here / "text.yaml").write_text(study.replace("mlp.mlir", "mlp.mlir, phase: decode"), encoding="utf-8")
    outcome = sttest("whatif", "text.yaml", "-j", "1")
    assert (outcome.exit_code, "the text has its shape already" in outcome.stderr) == (2, True)
