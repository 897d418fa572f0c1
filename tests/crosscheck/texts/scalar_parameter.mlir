func.func @f(%x: tensor<16x32xf32>, %s: tensor<f32>) -> tensor<16x32xf32>
    attributes {sttest.arg_kinds = ["input", "parameter"], sttest.arg_names = ["x", "s"]} {
  %e = tensor.empty() : tensor<16x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
     ins(%x, %s : tensor<16x32xf32>, tensor<f32>) outs(%e : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
