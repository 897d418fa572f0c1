"""`sttest synth`: all parts of a package are accounted for, synthesized or not."""

import csv
import importlib.util
import json

import pytest

from sttest.boards.resources import KINDS, total
from sttest.core.errors import SttestError
from sttest.package import DesignPackage
from sttest.targets.synth.design_parts import design_parts
from sttest.targets.synth.yosys import Synthesized

FOUND = Synthesized({"LUT2": 10, "SRL16E": 32, "FDRE": 5, "RAMB18E2": 1, "INV": 3}, levels=2, seconds=0.1)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    from typer.testing import CliRunner

    from sttest.cli.app import app

    folder = tmp_path_factory.mktemp("synth") / "package"
    small = ["compile", "small-gpt2", "--phase", "decode", "--context", "32", "--design", "default"]
    arguments = [*small, "-o", str(folder)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return folder


@pytest.fixture
def synth(package, sttest, tmp_path, monkeypatch):
    """Runs the verb with modules that all come out the same, or fail."""

    def run(*arguments, found=FOUND):
        monkeypatch.setattr(
            "sttest.targets.synth.report.synthesize", lambda jobs, *rest: {job.key: found for job in jobs}
        )
        monkeypatch.setattr("sttest.targets.synth.yosys.yosys_version", lambda: "0.70")
        monkeypatch.setattr("sttest.targets.synth.report.yosys_version", lambda: "0.70")
        return sttest("synth", package, "--work-dir", tmp_path / "jobs", *arguments)

    return run


def test_parts_are_what_the_report_on_resources_totals(package, tmp_path):
    parts = design_parts(DesignPackage.read(package), tmp_path)
    table = DesignPackage.read(package).report("resources").set_index("kind")
    predicted = total(part.predicted * part.count for part in parts)
    for kind in KINDS:
        assert getattr(predicted, kind) == pytest.approx(table.loc["total", kind], abs=1)
    assert all((part.job is None) == bool(part.why_not) for part in parts)
    assert all(min(part.predicted) > -0.02 for part in parts)  # reports have two digits


def test_every_distinct_module_has_predicted_beside_synthesized_figures(synth, tmp_path):
    outcome = synth("--json", "-o", tmp_path / "rows.csv")
    told = json.loads(outcome.stdout)
    assert (outcome.exit_code, told["schema"], told["failed"]) == (0, "sttest.synth/1", [])
    modules = {(each["memory"], each["depth_words"], each["word_bits"]): each for each in told["modules"]}
    two = modules["srl", 2, 512]
    assert (two["synthesized_lut"], two["synthesized_srl"], two["synthesized_ff"], two["levels"]) == (42, 32, 5, 2)
    assert two["predicted_lut"] == 530
    assert len(two["names"]) <= two["count"]
    assert told["total"]["synthesized"]["lut"] == 42 * sum(each["count"] for each in told["modules"])
    assert {each["role"] for each in told["not_synthesized"]} == {"tile"}
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(told["modules"])
    assert {(row["kind"], row["source"].startswith("yosys 0.70")) for row in rows} == {("synthesized", True)}


def test_the_text_says_what_was_not_synthesized_and_how_far_the_model_is_off(synth):
    told = synth().stdout
    assert "registers of a process that has no module" in told
    assert "NOT within" in told


def test_a_module_that_fails_is_named_and_the_rest_is_told(synth):
    outcome = synth(found=SttestError("synth-failed", "yosys ended with 1", where="fifo_srl"))
    assert outcome.exit_code == 1
    assert "yosys ended with 1" in outcome.stdout
    assert outcome.stderr.count("\n") == 1


def test_without_yosys_it_says_what_installs_it(package, sttest, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyosys" else find(name))
    outcome = sttest("synth", package)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (5, "", 1)
    assert "pip install 'sttest[rtl]'" in outcome.stderr


def test_a_folder_that_is_no_package(sttest, tmp_path):
    outcome = sttest("synth", tmp_path)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
