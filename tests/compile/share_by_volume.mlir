// 43.6 MB of a U55C are room for two of these tensors of 16.8 MB, not for three.  The first product and the second, with
// what is between them, give three; the second and the third stand next to each other and give two; what comes between
// the third and the last is one, and the last gives its result to memory, but with the second it would be three.
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>
module attributes {sttest.target = #df.target<"u55c">} {
func.func @main(%x: tensor<2048x2048xf32>, %w: tensor<2048x2048xf32>, %v: tensor<2048x2048xf32>, %u: tensor<2048x2048xf32>, %t: tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    attributes {sttest.arg_names = ["x", "w", "v", "u", "t"],
      sttest.arg_kinds = ["input", "parameter", "parameter", "parameter", "parameter"]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %first = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%start : tensor<2048x2048xf32>) attrs = {sttest.source = "first"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<2048x2048xf32>
  %grow = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%first : tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) attrs = {sttest.source = "grow"} {
  ^bb0(%i: f32, %o: f32):
    %g = math.exp %i : f32
    linalg.yield %g : f32
  } -> tensor<2048x2048xf32>
  %second = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%grow, %v : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%start : tensor<2048x2048xf32>) attrs = {sttest.source = "second"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<2048x2048xf32>
  %third = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%grow, %u : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%start : tensor<2048x2048xf32>) attrs = {sttest.source = "third"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<2048x2048xf32>
  %both = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%second, %third : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) attrs = {sttest.source = "both"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %g = arith.addf %i, %j : f32
    linalg.yield %g : f32
  } -> tensor<2048x2048xf32>
  %last = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%both, %t : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%start : tensor<2048x2048xf32>) attrs = {sttest.source = "last"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<2048x2048xf32>
  return %last : tensor<2048x2048xf32>
}
}
