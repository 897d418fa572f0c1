"""What a scheme leaves in floating point is said, and can be refused; arguments are named as weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.opt import new_context, parse, printed
from sttest.compile.options import CompileOptions
from sttest.compile.passes.quantize import Quantize
from sttest.compile.quantization.coverage import coverage, float_factors
from sttest.core.errors import InputError
from sttest.frontend.shipped import SHIPPED_MODELS, lowered_text

TEXTS = Path(__file__).parents[1] / "crosscheck/texts"


def product(
    body: str = "%p = arith.mulf %i, %j : f32", weight: str = "32x64", access: str = "(d2, d1)", kind: str = "parameter"
) -> str:
    """A sum of products with an argument, ``body`` of the factors ``%i`` and ``%j`` in ``%p``."""
    return f"""
func.func @product(%x: tensor<16x32xf32>, %w: tensor<{weight}xf32>) -> tensor<16x64xf32>
    attributes {{sttest.arg_kinds = ["input", "{kind}"], sttest.arg_names = ["x", "w"]}} {{
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<16x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> {access}>,
      affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %w : tensor<16x32xf32>, tensor<{weight}xf32>) outs(%filled : tensor<16x64xf32>) {{
  ^bb0(%i: f32, %j: f32, %acc: f32):
    {body}
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }} -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}}"""


def covered(text: str, scheme: str = "w8a8", **given):
    return compile_text(text, "own", "u55c", CompileOptions(precision=scheme), **given).coverage


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("model", SHIPPED_MODELS)
def test_shipped_blocks_are_in_integers(model, phase):
    context = new_context()
    module = parse(lowered_text(model, phase, small=True), model, context)
    assert float_factors(module) == ()
    Quantize("w4a8").apply(context, module)
    found = coverage(module)
    assert found.is_whole
    assert found.integers == printed(module).count("arith.muli")


def test_a_text_that_does_not_name_its_weights_says_so():
    text = (TEXTS / "mlp.mlir").read_text()
    found = covered(text)
    assert (found.integers, found.floating) == (2, ())
    assert [each.name for each in found.stored] == ["x", "w1", "w2"]
    with pytest.raises(InputError, match=r"x, w1, w2: .* --parameters w2"):
        found.refuse_floats("mlp")
    assert covered(text, parameters=("w1", "w2")).is_whole
    assert covered(text, "fp32") is None


@pytest.mark.parametrize(
    "body",
    [
        "%d = arith.mulf %i, %j : f32\n%p = arith.mulf %d, %two : f32",
        "%a = arith.maximumf %i, %zero : f32\n%p = arith.mulf %a, %j : f32",
    ],
    ids=["scale", "activation"],
)
def test_a_factor_that_is_computed_inside_of_the_sum_stays_in_floating_point(body):
    found = covered(product(body))
    assert found.integers == 0
    assert ["inside of the sum" in each.reason for each in found.floating] == [True]
    assert covered(product()).is_whole


def test_a_weight_of_another_rank_is_named():
    found = covered(product(weight="1x32x64", access="(0, d2, d1)"))
    assert [(each.name, "rank 3" in each.reason) for each in found.stored] == [("w", True)]


def test_a_softmax_meets_a_weight():
    """Mixtures multiply softmax weights with parameters: their constant scale follows the sum."""
    frontend = pytest.importorskip("torch_mlir")
    assert frontend
    import torch
    from torch import nn

    from sttest.frontend.module_source import ModuleSource

    source = ModuleSource.of(nn.Sequential(nn.Linear(32, 16), nn.Softmax(-1), nn.Linear(16, 32)), torch.randn(4, 32))
    for scheme in ("w4a8", "w8a8", "w4a8-g32"):
        assert covered(source.text(), scheme).is_whole


def test_the_command_says_it_and_refuses_it(sttest, tmp_path):
    text, package = TEXTS / "mlp.mlir", tmp_path / "package"
    outcome = sttest("compile", text, "-o", package, "--json")
    assert [each["name"] for each in json.loads(outcome.stdout)["contractions"]["stored"]] == ["x", "w1", "w2"]
    outcome = sttest("compile", text, "-o", tmp_path / "none", "--require-quantized")
    assert (outcome.exit_code, outcome.stderr.count("\n"), (tmp_path / "none").exists()) == (2, 1, False)
    outcome = sttest("compile", text, "-o", package, "--require-quantized", "--parameters", "w1, w2")
    assert (outcome.exit_code, "2 in integers, 0 in floating point\n" in outcome.stdout) == (0, True)
    outcome = sttest("compile", text, "-o", package, "--parameters", "w1,w3")
    assert (outcome.exit_code, "no argument 'w3'" in outcome.stderr) == (2, True)
    outcome = sttest("compile", "small-gpt2", "--phase", "decode", "--context", 32, "--parameters", "x", "-o", package)
    assert (outcome.exit_code, "knows its weights" in outcome.stderr) == (2, True)
