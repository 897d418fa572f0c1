// A row is normalized by its mean square, multiplied by a weight and activated: a reduction, a fork, a converter
// and a contraction.
builtin.module {
  func.func @main(%x: tensor<1x32xf32>, %weight: tensor<32x32xf32>, %bias: tensor<32xf32>) -> tensor<1x32xf32> attributes {sttest.arg_names = ["x", "proj.weight", "proj.bias"], sttest.arg_kinds = ["input", "parameter", "parameter"], sttest.result_names = ["y"]} {
    %zero = arith.constant 0.0 : f32
    %count = arith.constant 32.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %column = tensor.empty() : tensor<1xf32>
    %row = tensor.empty() : tensor<1x32xf32>
    %none = linalg.fill ins(%zero : f32) outs(%column : tensor<1xf32>) -> tensor<1xf32>
    %nothing = linalg.fill ins(%zero : f32) outs(%row : tensor<1x32xf32>) -> tensor<1x32xf32>
    %squares = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x32xf32>) outs(%none : tensor<1xf32>) attrs = {sttest.source = "norm"} {
    ^bb0(%a: f32, %sum: f32):
      %s = arith.mulf %a, %a : f32
      %t = arith.addf %sum, %s : f32
      linalg.yield %t : f32
    } -> tensor<1xf32>
    %normal = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %squares : tensor<1x32xf32>, tensor<1xf32>) outs(%row : tensor<1x32xf32>) attrs = {sttest.source = "norm"} {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.divf %b, %count : f32
      %e = arith.addf %m, %eps : f32
      %r = math.rsqrt %e : f32
      %n = arith.mulf %a, %r : f32
      linalg.yield %n : f32
    } -> tensor<1x32xf32>
    %product = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%normal, %weight : tensor<1x32xf32>, tensor<32x32xf32>) outs(%nothing : tensor<1x32xf32>) attrs = {sttest.source = "proj"} {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %sum, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x32xf32>
    %active = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%product, %bias : tensor<1x32xf32>, tensor<32xf32>) outs(%row : tensor<1x32xf32>) attrs = {sttest.source = "act"} {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      %m = arith.maximumf %s, %zero : f32
      linalg.yield %m : f32
    } -> tensor<1x32xf32>
    func.return %active : tensor<1x32xf32>
  }
}
