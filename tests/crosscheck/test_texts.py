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
    assert sttest("compile", text, "--precision", "w4a8", "-o", package).exit_code == 0
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


def _of_weights_stored_as(outputs_first: bool, rows: int, columns: int) -> str:
    """One product with a weight [inputs, outputs] or [outputs, inputs]."""
    shape, access = (f"{columns}x{rows}", "(d1, d2)") if outputs_first else (f"{rows}x{columns}", "(d2, d1)")
    result = f"tensor<16x{columns}xf32>"
    return f"""
func.func @product(%x: tensor<16x{rows}xf32>, %w: tensor<{shape}xf32>) -> {result}
    attributes {{sttest.arg_kinds = ["input", "parameter"], sttest.arg_names = ["x", "w"]}} {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {result}
  %filled = linalg.fill ins(%zero : f32) outs(%empty : {result}) -> {result}
  %y = linalg.generic {{
    indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> {access}>,
                     affine_map<(d0, d1, d2) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  }} ins(%x, %w : tensor<16x{rows}xf32>, tensor<{shape}xf32>) outs(%filled : {result}) {{
  ^bb0(%i: f32, %j: f32, %acc: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }} -> {result}
  func.return %y : {result}
}}
"""


@pytest.mark.parametrize("outputs_first", [False, True])
def test_a_weight_is_quantized_along_the_dim_that_is_summed(outputs_first, sttest, tmp_path):
    from sttest.crosscheck.case import WeightSource
    from sttest.crosscheck.text_case import float_arguments, make_text_case
    from sttest.package import DesignPackage

    rows, columns, group = 256, 256, 128
    (tmp_path / "product.mlir").write_text(_of_weights_stored_as(outputs_first, rows, columns))
    outcome = sttest("compile", tmp_path / "product.mlir", "-o", tmp_path / "package")
    assert outcome.exit_code == 0, outcome.stderr
    package = DesignPackage.read(tmp_path / "package")
    plain = float_arguments(package.reference_graph, WeightSource())["w"]
    found = make_text_case(package, WeightSource()).arguments
    scale = found["w_scale"].astype(np.float32)
    assert scale.shape == (rows // group, columns)
    each = scale.repeat(group, axis=0).T if outputs_first else scale.repeat(group, axis=0)
    assert (np.abs(found["w"] * each - plain) <= 0.51 * each).all()


@pytest.mark.parametrize("verb", ["simulate", "size", "emulate", "pack"])
def test_verbs_of_designs_say_how_a_text_becomes_one(verb, sttest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mlp.mlir").write_text((TEXTS / "mlp.mlir").read_text())
    outcome = sttest(verb, "mlp.mlir")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "sttest compile mlp.mlir -o build/mlp" in outcome.stderr


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("scalar_parameter", "fp32"),
        ("dot_to_scalar", "w8a8"),
        pytest.param("scalar_parameter", "w4a8", marks=pytest.mark.nightly),
        pytest.param("dot_to_scalar", "fp32", marks=pytest.mark.nightly),
    ],
)
def test_tensors_of_rank_0(text, precision, sttest, tmp_path):
    outcome = sttest(
        "crosscheck", TEXTS / f"{text}.mlir", "--precision", precision, "-o", tmp_path / "package", *ENGINES
    )
    assert outcome.exit_code == 0, outcome.stderr
    told = json.loads(outcome.stdout)
    assert (told["streams"]["verdict"], told["disagreements"]) == ("same", [])
    assert told["sqnr_db"] is None or told["sqnr_db"] > 20


def test_errors_name_the_file_and_the_line(sttest, tmp_path):
    text = tmp_path / "wrong.mlir"
    text.write_text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = foo.bar %x : tensor<4xf32>\n}\n")
    outcome = sttest("compile", text, "-o", tmp_path / "package")
    assert (outcome.exit_code, f"{text}:2:8" in outcome.stderr) == (2, True)


def test_a_result_that_is_an_argument_is_refused(sttest, tmp_path):
    source, kind = (TEXTS / "scalar_parameter.mlir").read_text(), "tensor<16x32xf32>"
    text = tmp_path / "passes.mlir"
    source = source.replace(f"-> {kind}\n", f"-> ({kind}, {kind})\n", 1)
    text.write_text(source.replace(f"return %y : {kind}", f"return %y, %x : {kind}, {kind}"))
    outcome = sttest("compile", text, "-o", tmp_path / "package", "--precision", "fp32")
    assert (outcome.exit_code, "result 1 is an argument" in outcome.stderr) == (2, True)


@pytest.mark.parametrize(("terms", "fits"), [(133_144, True), (133_145, False)])
def test_sums_that_could_wrap_are_refused(terms, fits, sttest, tmp_path):
    """127 * 127 * 133,144 is just below 2 ** 31."""
    (tmp_path / "channel.yaml").write_text("extends: w8a8\ngroup: null\n")
    (tmp_path / "long.mlir").write_text(_of_weights_stored_as(False, terms, 2).replace("16x", "1x"))
    options = ("--precision", tmp_path / "channel.yaml", "-o", tmp_path / "package", "--tile-size", 2)
    outcome = sttest("compile", tmp_path / "long.mlir", *options)
    assert outcome.exit_code == (0 if fits else 2), outcome.stderr
    assert ("exceeds 32 bits" in outcome.stderr) != fits
