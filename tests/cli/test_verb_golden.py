"""`sttest golden`: a folder for hardware of one's own, and what is refused before any work."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sttest.cli import golden as room

pytestmark = pytest.mark.torch
TEXT = Path(__file__).parents[1] / "crosscheck" / "texts" / "mlp_with_names.mlir"
OWN = """
import torch
from torch import nn


def make():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(20, 30), nn.ReLU(), nn.Linear(30, 10)), torch.randn(3, 20)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    from sttest.studies.compile_request import Request, compile_package

    folder = tmp_path_factory.mktemp("golden") / "package"
    compile_package(Request(str(TEXT), work_dir=folder))
    return folder


def manifest_of(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text())


@pytest.mark.daily
def test_a_block_of_a_model(sttest, tmp_path):
    out = tmp_path / "golden"
    shape = ("--phase", "decode", "--context", 32)
    outcome = sttest("golden", "small-gpt2", *shape, "-o", out, "--work-dir", tmp_path / "package")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    first, *others = outcome.stdout.splitlines()
    assert first.endswith("small-gpt2-decode-c32-u55c: 22 parameters, 6 inputs, 194 streams, 5 outputs")
    assert "torch and reference: the same results, to the bit" in outcome.stdout
    assert "SQNR" in others[-1]
    told = manifest_of(out)
    assert (told["workload"]["model"], told["precision"]["name"]) == ("small-gpt2", "w8a8")
    assert (tmp_path / "package" / "values.json").is_file()


def test_a_package_is_taken_as_it_is(package, sttest, tmp_path):
    outcome = sttest("golden", package, "-o", tmp_path / "golden", "--only", "fc2*, *__fc1", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    told = json.loads(outcome.stdout)
    assert (told["schema"], told["checks"]) == ("sttest.goldens/1", [])
    streams = [each["name"] for each in manifest_of(tmp_path / "golden")["entries"] if each["kind"] == "stream"]
    assert len(streams) == told["entries"]["stream"]
    assert all(name.startswith("fc2") or name.endswith("__fc1") for name in streams)
    files = [path for path in (tmp_path / "golden").rglob("*") if path.is_file()]
    assert len(files) == told["files"]
    sizes = {path.name: path.stat().st_size for path in files}
    assert told["bytes"] == sum(sizes.values()) - sizes["manifest.json"]


def test_a_text_says_that_nobody_else_has_its_bits(sttest, tmp_path):
    outcome = sttest("golden", TEXT, "--precision", "w8a8", "-o", tmp_path / "golden")
    assert outcome.exit_code == 0, outcome.stderr
    assert "held against no other engine" in outcome.stdout
    assert manifest_of(tmp_path / "golden")["precision"]["name"] == "w8a8"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("precision", "checks"), [("fp32", ["close"]), ("w8a8", [])])
def test_a_module_of_ones_own(precision, checks, sttest, tmp_path):
    pytest.importorskip("torch_mlir")
    (tmp_path / "own.py").write_text(OWN)
    outcome = sttest("golden", f"{tmp_path}/own.py:make", "--precision", precision, "-o", tmp_path / "golden")
    assert outcome.exit_code == 0, outcome.stderr
    told = manifest_of(tmp_path / "golden")
    assert [each["verdict"] for each in told["checks"]] in (checks, ["same"] * len(checks))
    arrays = np.load(tmp_path / "golden" / "golden.npz")
    (y,) = [arrays[each["array"]] for each in told["entries"] if each["kind"] == "output"]
    assert y.shape == (3, 10)
    assert np.abs(y - own_result()).max() < (1e-5 if precision == "fp32" else 0.05)


def own_result() -> np.ndarray:
    import torch

    names: dict = {}
    exec(OWN, names)
    module, x = names["make"]()
    with torch.no_grad():
        return module(x).numpy()


def test_what_engines_disagree_on_is_not_written(package, sttest, tmp_path, monkeypatch):
    def wrong(*arguments):
        case: Any = made(*arguments)
        return replace(case, golden_name="torch", golden={name: each + 1 for name, each in case.golden.items()})

    made = room.package_case
    monkeypatch.setattr(room, "package_case", wrong)
    outcome = sttest("golden", package, "-o", tmp_path / "golden")
    assert (outcome.exit_code, outcome.stdout) == (6, "")
    assert "results differ" in outcome.stderr
    assert not (tmp_path / "golden").exists()


def test_a_foreign_folder_is_refused_before_any_work(sttest, tmp_path, monkeypatch):
    monkeypatch.setattr(room, "compile_package", None)
    (tmp_path / "notes.txt").write_text("mine")
    outcome = sttest("golden", TEXT, "-o", tmp_path)
    assert (outcome.exit_code, "that is no folder of goldens" in outcome.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_earlier_goldens_are_replaced(package, sttest, tmp_path):
    out = tmp_path / "golden"
    assert sttest("golden", package, "-o", out).exit_code == 0
    assert sttest("golden", package, "-o", out, "--only", "fc1*").exit_code == 0
    streams = [each["name"] for each in manifest_of(out)["entries"] if each["kind"] == "stream"]
    assert sorted(path.stem for path in (out / "hex" / "stream").iterdir()) == sorted(streams)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--phase", "decode"), "the design is compiled already"),
        (("--precision", "w4a8"), "the design is compiled already"),
        (("--only", "fc9*"), "no stream is called 'fc9*'"),
    ],
)
def test_what_a_package_cannot_be_asked(options, told, package, sttest, tmp_path):
    outcome = sttest("golden", package, *options, "-o", tmp_path / "golden")
    assert (outcome.exit_code, told in outcome.stderr) == (2, True), outcome.stderr
    assert not (tmp_path / "golden").exists()


def test_a_folder_must_be_named(sttest):
    outcome = sttest("golden", "small-gpt2")
    assert outcome.exit_code == 2
    assert "--out" in outcome.stderr
