"""A foreign linalg text through every engine: what it computes is the reference engine's, to the bit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("needs_compiler")]
TEXTS = Path(__file__).with_name("texts")
ENGINES = ("--engines", "torch,reference,simpy,maxplus,csim", "--json")


@pytest.mark.parametrize(
    ("text", "precision", "sqnr_db"),
    [("mlp", "fp32", 100), ("mlp_with_names", "w4a8", 15), ("mlp_with_names", "w8a8", 30)],
)
def test_all_engines_agree_on_a_text(text, precision, sqnr_db, sttest, tmp_path):
    outcome = sttest(
        "crosscheck", TEXTS / f"{text}.mlir", "--precision", precision, "-o", tmp_path / "package", *ENGINES
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    rows = {row["engine"]: row for row in told["engines"]}
    assert (rows["torch"]["verdict"], "no PyTorch module" in rows["torch"]["note"]) == ("missing", True)
    assert rows["simpy"]["cycles"] == rows["maxplus"]["cycles"] > 0
    assert told["results"]["csim"]["golden"] == "reference"
    assert (told["streams"]["verdict"], told["disagreements"]) == ("same", [])
    assert told["sqnr_db"] is None or told["sqnr_db"] > sqnr_db  # None: the same in every bit


def test_parameters_come_from_a_file_by_name(sttest, tmp_path):
    st = pytest.importorskip("safetensors.numpy")
    from sttest.crosscheck.case import WeightSource
    from sttest.crosscheck.text_case import make_text_case
    from sttest.package import DesignPackage

    text, package, weights = TEXTS / "mlp_with_names.mlir", tmp_path / "package", tmp_path / "w.safetensors"
    assert sttest("compile", text, "-o", package).exit_code == 0
    st.save_file({"fc1.weight": np.full((32, 64), 0.5, np.float32)}, weights)
    case = make_text_case(DesignPackage.read(package), WeightSource(0, weights))
    assert (case.arguments["fc1.weight"] == 7).all()
    assert (case.arguments["fc1.weight_scale"] == np.float16(0.5 / 7)).all()
    seeded = make_text_case(DesignPackage.read(package), WeightSource(0))
    assert np.array_equal(case.arguments["x"], seeded.arguments["x"])


@pytest.mark.parametrize(
    ("name", "shape", "wanted"),
    [("fc9.weight", (32, 64), "takes no"), ("fc1.weight", (64, 32), "[32, 64] in the design")],
)
def test_tensors_that_the_text_does_not_take_are_refused(name, shape, wanted, sttest, tmp_path):
    st = pytest.importorskip("safetensors.numpy")
    weights = tmp_path / "w.safetensors"
    st.save_file({name: np.zeros(shape, np.float32)}, weights)
    text = TEXTS / "mlp_with_names.mlir"
    outcome = sttest("crosscheck", text, "--checkpoint", weights, "-o", tmp_path / "package", *ENGINES)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert name in outcome.stderr
    assert wanted in outcome.stderr


@pytest.mark.parametrize("options", [["--phase", "decode"], ["--small"]])
def test_a_shape_of_a_text_is_refused(options, sttest, tmp_path):
    outcome = sttest("crosscheck", TEXTS / "mlp.mlir", *options, "-o", tmp_path / "package")
    assert (outcome.exit_code, "leave" in outcome.stderr) == (2, True)
