"""The interpreter itself, on a product whose second operand is read transposed."""

import numpy as np
import pytest
from linalg_interpreter import evaluate, parse

PRODUCT = """
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>}> ({
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>):
    %zero = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
    %empty = "tensor.empty"() : () -> tensor<2x4xf32>
    %init = "linalg.fill"(%zero, %empty) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%in: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) : (f32, tensor<2x4xf32>) -> tensor<2x4xf32>
    %y = "linalg.generic"(%a, %b, %init) <{
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>,
                        #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%x: f32, %w: f32, %sum: f32):
      %p = "arith.mulf"(%x, %w) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %s = "arith.addf"(%p, %sum) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    "func.return"(%y) : (tensor<2x4xf32>) -> ()
  }) {sttest.arg_names = ["a", "b"], sttest.result_names = ["y"]} : () -> ()
}) : () -> ()
"""
A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_a_product_starts_from_its_initial_value():
    assert np.array_equal(evaluate(parse(PRODUCT), {"a": A, "b": B})["y"], A @ B.T + 1)


def test_the_order_of_the_output_dims_is_that_of_the_map():
    swapped = PRODUCT.replace("-> (d0, d1)>]", "-> (d1, d0)>]").replace("2x4x", "4x2x")
    assert np.array_equal(evaluate(parse(swapped), {"a": A, "b": B})["y"], (A @ B.T).T + 1)


def test_what_is_read_before_it_is_written_is_not_a_number():
    unwritten = PRODUCT.replace("%b, %init)", "%b, %empty)")
    assert np.isnan(evaluate(parse(unwritten), {"a": A, "b": B})["y"]).all()


def test_arguments_of_another_shape_are_found_out():
    with pytest.raises(AssertionError, match=r"a: \(3, 2\)"):
        evaluate(parse(PRODUCT), {"a": A.T, "b": B})
