"""`sttest import` of TAPA and FINN: every verb, depths back, templates, and options of other formats."""

import json
from pathlib import Path

import pytest

from sttest.importers.tapa import template

EXAMPLES = Path(__file__).parents[2] / "examples"
VADD = EXAMPLES / "tapa-vadd/graph.json"
RESIDUAL = EXAMPLES / "finn-residual/residual.onnx"
BYPASS = "fork__join"


def told(outcome):
    assert outcome.exit_code in (0, 3), outcome.stderr
    return json.loads(outcome.stdout)


@pytest.fixture
def rates(tmp_path):
    """A template that is filled in."""
    path = tmp_path / "rates.yaml"
    text = template(VADD).replace("iterations: TODO", "iterations: 32").replace("latency: TODO", "latency: 4")
    path.write_text(text.replace("TODO", "1"))
    return path


def test_a_finn_model_goes_through_every_verb_and_its_depths_go_back(sttest, tmp_path):
    pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")
    design, sized, folding = (tmp_path / name for name in ("design.json", "sized.json", "folding.json"))
    report = told(sttest("import", "finn", RESIDUAL, "-o", design, "--json"))
    assert (report["processes"], report["fifos"]) == (8, 8)
    assert any("lockstep" in each for each in report["assumed"])
    dead = told(sttest("simulate", design, "--json"))
    assert dead["verdict"] == "deadlock"
    sized.write_text(sttest("size", design, "--json").stdout)
    changed = told(sttest("import", "finn", RESIDUAL, "--depths", sized, "-o", folding, "--json"))["changed"]
    assert changed[BYPASS]["from"] == 2
    assert sttest("import", "finn", RESIDUAL, "--folding", folding, "-o", design).exit_code == 0
    live = told(sttest("simulate", design, "--check", "--json"))
    assert (live["verdict"], live["cycles"]) == ("done", json.loads(sized.read_text())["cycles"])
    more = told(sttest("import", "finn", RESIDUAL, "--folding", folding, "--frames", "2", "-o", design, "--json"))
    assert more["accesses"] == 2 * report["accesses"]


def test_a_tapa_graph_from_its_template_to_its_depths(sttest, tmp_path, rates):
    design, blank = tmp_path / "design.json", tmp_path / "template.yaml"
    assert sttest("import", "tapa", VADD, "--template", "-o", blank).exit_code == 0
    assert blank.read_text() == template(VADD)
    assert told(sttest("import", "tapa", VADD, "--template", "-o", blank, "--json"))["out"] == str(blank)
    assert sttest("import", "tapa", VADD, "--rates", rates, "-o", design).exit_code == 0
    assert told(sttest("simulate", design, "--json"))["verdict"] == "done"
    deeper = json.loads(design.read_text())
    deeper["fifos"][0]["depth"] = 5
    design.write_text(json.dumps(deeper))
    for name in ("graph.json", "depths.txt"):
        back = sttest("import", "tapa", VADD, "--rates", rates, "--depths", design, "-o", tmp_path / name)
        assert back.exit_code == 0
    assert (
        json.loads((tmp_path / "graph.json").read_text())["tasks"]["AddVectors"]["fifos"]["left_AddVectors"]["depth"]
        == 5
    )
    assert "tapa::stream<T, 5> left" in (tmp_path / "depths.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("tapa", VADD, "-o", "x.json"), "--template -o rates.yaml"),
        (("tapa", VADD, "-o", "x.json", "--frames", "2"), "tapa has no 'frames'"),
        (("tapa", RESIDUAL, "-o", "x.json"), "an ONNX model, not what tapa reads"),
        (("finn", VADD, "-o", "x.json"), "a graph of TAPA, not what finn reads"),
        (("finn", RESIDUAL, "-o", "x.json", "--frames", "0"), "frames is 0, at least 1"),
        (("finn", RESIDUAL, "-o", "x.json", "--rates", "x"), "finn has no 'rates'"),
        (("finn", RESIDUAL, "-o", "x.yaml", "--template"), "nothing is to be stated for finn"),
        (("finn", EXAMPLES, "-o", "x.json"), "cannot be read"),
    ],
)
def test_what_is_wrong_with_an_import_is_told_in_one_line(sttest, arguments, hint, tmp_path, monkeypatch):
    pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")
    monkeypatch.chdir(tmp_path)
    outcome = sttest("import", *arguments)
    assert outcome.exit_code == 2
    assert hint in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not any(tmp_path.iterdir())
