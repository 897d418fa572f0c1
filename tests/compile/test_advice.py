"""What refusals advise works: narrow products, fills of other front ends, schemes of files, memory for fusion."""

from __future__ import annotations

from pathlib import Path

import pytest
from linalg_programs import Program

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.errors import DoesNotFitError, InputError
from sttest.frontend.shipped import lowered_text
from sttest.package import DesignPackage

FILL = "%filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>"
TEXT = f"""
func.func @product(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>) -> tensor<16x64xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x64xf32>
  {FILL}
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
      affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%filled : tensor<16x64xf32>) {{
  ^bb0(%i: f32, %j: f32, %acc: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }} -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}}"""
MAPS = 'indexing_maps = [{}affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]'
GENERALIZED = {
    "scalar-input": f"""%filled = linalg.generic {{{MAPS.format("affine_map<(d0, d1) -> ()>, ")}}}
      ins(%zero : f32) outs(%empty : tensor<16x64xf32>) {{
  ^bb0(%in: f32, %old: f32):
    linalg.yield %in : f32
  }} -> tensor<16x64xf32>""",
    "captured": f"""%filled = linalg.generic {{{MAPS.format("")}}} outs(%empty : tensor<16x64xf32>) {{
  ^bb0(%old: f32):
    linalg.yield %zero : f32
  }} -> tensor<16x64xf32>""",
}


@pytest.mark.parametrize("kind", GENERALIZED)
def test_generalized_fills_are_fills(kind):
    found = [compile_text(text, "own", "u55c") for text in (TEXT, TEXT.replace(FILL, GENERALIZED[kind]))]
    assert found[0].module.is_structurally_equivalent(found[1].module)


def narrow() -> str:
    program = Program()
    lora = program.matmul(program.argument(32, 64), program.argument(64, 8))
    return program.text(program.matmul(lora, program.argument(8, 64)))


def test_the_default_tile_is_no_longer_than_a_dim():
    assert compile_text(narrow(), "lora", "u55c", CompileOptions(precision="fp32")).graph.processes


def test_a_chosen_tile_is_refused_until_the_task_has_its_own():
    wide = CompileOptions(precision="fp32", tile_size=32)
    with pytest.raises(InputError, match=r"larger than the output dim .* --task-tile op=") as caught:
        compile_text(narrow(), "lora", "u55c", wide)
    assert caught.value.where == "op"
    chosen = wide.with_(tiles=("op:32x8x32", "op_2:32x32x8"))
    assert compile_text(narrow(), "lora", "u55c", chosen).graph.processes


def test_fusion_may_fill_what_is_said():
    text = lowered_text("gpt2", "decode", small=True)
    (cost,) = compile_text(text, "own", "u55c").fusion.fusion.costs
    with pytest.raises(DoesNotFitError, match="raise --c-max-bytes"):
        compile_text(text, "own", "u55c", CompileOptions(c_max_bytes=cost.total_bytes - 1))
    assert compile_text(text, "own", "u55c", CompileOptions(c_max_bytes=cost.total_bytes)).graph.processes


def test_a_scheme_of_a_file_stays_with_the_package(tmp_path: Path, sttest, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scheme = tmp_path / "mine.yaml"
    scheme.write_text("extends: w8a8\ngroup: 16\n")
    shape = ("small-gpt2", "--phase", "decode", "--context", 32)
    outcome = sttest("compile", *shape, "--precision", "mine.yaml", "-o", "package")
    assert outcome.exit_code == 0, outcome.stderr
    scheme.unlink()
    kept = DesignPackage.read("package").manifest.configuration.quant_scheme
    assert (kept.name, kept.weights, kept.group) == ("mine", "int8", 16)
    outcome = sttest("compile", *shape, "--precision", "mine.yaml", "-o", "package")
    assert (outcome.exit_code, "mine.yaml: cannot be read" in outcome.stderr) == (2, True)
