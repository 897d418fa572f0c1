func.func @f(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<f32>
    attributes {sttest.arg_kinds = ["input", "input"], sttest.arg_names = ["x", "w"]} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
     ins(%x, %w : tensor<64xf32>, tensor<64xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
