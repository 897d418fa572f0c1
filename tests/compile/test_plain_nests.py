"""Loop nests as torch-mlir prints them: results that nobody reads, and tensors of one constant."""

from __future__ import annotations

import numpy as np
import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.opt import parse, printed
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError
from sttest.reference import memory_images, read_results, run

POSITIONS = """
      %at = linalg.index 1 : index
      %place = arith.index_cast %at : index to i64
      %more = arith.cmpf ogt, %in, %old : f32
      %pick = arith.select %more, %place, %old_place : i64"""
STARTS = {
    "fills": """
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<4x1xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x1xf32>) -> tensor<4x1xf32>""",
    "constants": "%start = arith.constant dense<0.0> : tensor<4x1xf32>",
}
SOFTMAX = """
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0, d1) -> (d0, 0)>
module {{
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
    %first = arith.constant 0 : i64
    %least = arith.constant 0xFF800000 : f32
    %places = tensor.empty() : tensor<4xi64>
    %place_start = linalg.fill ins(%first : i64) outs(%places : tensor<4xi64>) -> tensor<4xi64>
    %rows = tensor.empty() : tensor<4xf32>
    %row_start = linalg.fill ins(%least : f32) outs(%rows : tensor<4xf32>) -> tensor<4xf32>
    {start}
    %top:2 = linalg.generic {{indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}}
        ins(%x : tensor<4x8xf32>) outs(%row_start, %place_start : tensor<4xf32>, tensor<4xi64>) {{
    ^bb0(%in: f32, %old: f32, %old_place: i64):{positions}
      %max = arith.maximumf %in, %old : f32
      linalg.yield %max, {second} : f32, i64
    }} -> (tensor<4xf32>, tensor<4xi64>)
    %wide = tensor.expand_shape %top#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %none = tensor.empty() : tensor<4x8xf32>
    %less = linalg.generic {{indexing_maps = [#all, #one, #all], iterator_types = ["parallel", "parallel"]}}
        ins(%x, %wide : tensor<4x8xf32>, tensor<4x1xf32>) outs(%none : tensor<4x8xf32>) {{
    ^bb0(%in: f32, %max: f32, %old: f32):
      %d = arith.subf %in, %max : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
    }} -> tensor<4x8xf32>
    %sum = linalg.generic {{indexing_maps = [#all, #one], iterator_types = ["parallel", "reduction"]}}
        ins(%less : tensor<4x8xf32>) outs(%start : tensor<4x1xf32>) {{
    ^bb0(%in: f32, %old: f32):
      %s = arith.addf %in, %old : f32
      linalg.yield %s : f32
    }} -> tensor<4x1xf32>
    %y = linalg.generic {{indexing_maps = [#all, #one, #all], iterator_types = ["parallel", "parallel"]}}
        ins(%less, %sum : tensor<4x8xf32>, tensor<4x1xf32>) outs(%none : tensor<4x8xf32>) {{
    ^bb0(%in: f32, %total: f32, %old: f32):
      %q = arith.divf %in, %total : f32
      linalg.yield %q : f32
    }} -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }}
}}"""


def values(text: str, **tensors: np.ndarray) -> np.ndarray:
    design = compile_text(text, "own", "u55c", CompileOptions(precision="fp32"))
    graph = value_graph(design.module, "own")
    (found,) = read_results(graph, run(graph, memory_images(graph, tensors)).results).values()
    return found


@pytest.mark.parametrize("start", STARTS)
def test_a_softmax_whose_indices_nobody_reads(start):
    x = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    text = SOFTMAX.format(start=STARTS[start], positions=POSITIONS, second="%pick")
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(values(text, x=x), e / e.sum(1, keepdims=True), rtol=1e-6)
    left = printed(parse(text, "own"))
    assert "xi64" not in left
    assert parse(left, "own").is_structurally_equivalent(parse(text, "own"))


def test_what_is_made_of_dead_results_alone_is_dead():
    text = SOFTMAX.format(start=STARTS["fills"], positions=POSITIONS, second="%pick")
    wide = "%far = tensor.expand_shape %top#1 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>"
    more = text.replace("    %none = ", f"    {wide}\n    %none = ")
    assert more != text
    assert parse(more, "own").is_structurally_equivalent(parse(text, "own"))


def test_both_forms_of_several_results_are_read():
    text = SOFTMAX.format(start=STARTS["fills"], positions=POSITIONS, second="%pick")
    kept = text.replace("return %y", "return %y, %top#1").replace(
        "-> tensor<4x8xf32> {\n    %first", "-> (tensor<4x8xf32>, tensor<4xi64>) {\n    %first"
    )
    kept = kept.replace("%top#1 : tensor<4x8xf32>", "%top#1 : tensor<4x8xf32>, tensor<4xi64>")
    module = parse(kept, "own")
    assert printed(module).count("linalg.index") == 1  # it is read now
    assert parse(printed(module), "own").is_structurally_equivalent(module)


PAIR = """
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %y:3 = linalg.generic {{indexing_maps = [#all, #row, #row, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<4x8xf32>) outs(%start, %start, %start : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {{
  ^bb0(%in: f32, %a: f32, %b: f32, %c: f32):
    %one = arith.addf %in, %a : f32
    %two = arith.addf %in, %b : f32
    %three = arith.addf %in, {third} : f32
    linalg.yield %one, %two, %three : f32, f32, f32
  }} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %y#{read} : tensor<4xf32>
}}"""


@pytest.mark.parametrize("read", [0, 1, 2])
def test_any_of_the_results_may_be_the_one_that_is_read(read):
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    np.testing.assert_array_equal(values(PAIR.format(third="%c", read=read), x=x), x.sum(1))


def test_a_result_whose_old_value_another_one_needs_is_not_left_out():
    assert printed(parse(PAIR.format(third="%b", read=1), "own")).count("arith.addf") == 1
    assert printed(parse(PAIR.format(third="%b", read=2), "own")).count("arith.addf") == 2
    with pytest.raises(InputError, match="1 of 2 results are never read"):
        values(PAIR.format(third="%b", read=2), x=np.zeros((4, 8), np.float32))


def test_a_tensor_of_one_constant_is_a_number_in_the_body():
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    text = SUM.format("dense<2.5>")
    np.testing.assert_array_equal(values(text, x=x), x + 2.5)
    with pytest.raises(InputError, match="a constant tensor cannot be streamed"):
        values(SUM.format(f"dense<{[[0.0] * 7 + [1.0]] * 4}>"), x=x)


SUM = """
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %c = arith.constant {} : tensor<4x8xf32>
  %none = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {{indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%c, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%none : tensor<4x8xf32>) {{
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }} -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}}"""


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("return %y#0", "return %y#1", "give positions as an argument, a tensor of float32"),
        ("linalg.generic", "linalg.batch_matmul", "turn linalg.batch_matmul into linalg.generic with 'mlir-opt"),
    ],
)
def test_a_hint_says_what_to_do(old, new, hint):
    text = PAIR.format(third="%c", read=0).replace("%one = arith.addf %in, %a : f32", INDEXED).replace(old, new)
    text = text.replace("%y#1", "%y#0")
    with pytest.raises(InputError) as caught:
        values(text, x=np.zeros((4, 8), np.float32))
    assert hint in str(caught.value)
    assert "turn linalg.index" not in str(caught.value)


INDEXED = """%at = linalg.index 1 : index
    %place = arith.index_cast %at : index to i32
    %number = arith.sitofp %place : i32 to f32
    %one = arith.addf %number, %a : f32"""
