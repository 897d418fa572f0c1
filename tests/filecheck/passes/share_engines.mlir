// PASSES: linalg-to-kernels{tile-size=4},share-engines{share=weights}
// Products with parameters take turns on one engine.
// The edge cases: a product of two inputs has lanes of its own, and so have tasks that are not alike.

// CHECK: df.task "first"
// CHECK-SAME: contracts pairwise engine "first_engine"
// CHECK: df.task "grow"
// CHECK-NOT: engine
// CHECK-SAME: ins(
// CHECK: df.task "second"
// CHECK-SAME: contracts pairwise engine "first_engine"
// CHECK: df.task "square"
// CHECK-NOT: engine
// CHECK-SAME: ins(
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32>
    attributes {sttest.arg_names = ["x", "w", "v"], sttest.arg_kinds = ["input", "parameter", "parameter"]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %first = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "first"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %grow = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%first : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = {sttest.source = "grow"} {
  ^bb0(%i: f32, %o: f32):
    %g = math.exp %i : f32
    linalg.yield %g : f32
  } -> tensor<8x8xf32>
  %second = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%grow, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "second"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %square = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%second, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "square"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %square : tensor<8x8xf32>
}
