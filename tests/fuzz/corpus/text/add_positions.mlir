// PASSES: add-positions
// All readers of the input read the sum; the new argument has a name and a kind.  The edge case: the input is read twice.

// CHECK: func.func @step(%x: tensor<1x4xf32>, %[[POSITION:[a-z_0-9]+]]: tensor<1x4xf32>)
// CHECK-SAME: sttest.arg_names = ["x", "position"], sttest.arg_kinds = ["input", "input"]
// CHECK: %[[SUM:[a-z_0-9]+]] = linalg.generic
// CHECK-SAME: ins(%x, %[[POSITION]] : tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK-SAME: sttest.source = "embed"
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[SUM]], %[[SUM]] :
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @step(%x: tensor<1x4xf32>) -> tensor<1x4xf32> attributes {sttest.arg_names = ["x"], sttest.arg_kinds = ["input"], sttest.result_names = ["y"]} {
  %e = tensor.empty() : tensor<1x4xf32>
  %y = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<1x4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}
