// ERRORS: linalg-to-kernels{tile-size=4},share-engines{share=weights own="forth"}
// A name is of a task that could share.

// CHECK: share-engines: no task that could share an engine is called 'forth'; did you mean 'fourth'?
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<8x8xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>,
    %d: tensor<8x8xf32>, %f: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {
    sttest.arg_names = ["x", "a", "b", "c", "d", "f"],
    sttest.arg_kinds = ["input", "parameter", "parameter", "parameter", "parameter", "parameter"]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %first = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "first"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %grow_first = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%first : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = {sttest.source = "grow_first"} {
  ^bb0(%i: f32, %o: f32):
    %g = math.exp %i : f32
    linalg.yield %g : f32
  } -> tensor<8x8xf32>
  %second = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%grow_first, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "second"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %grow_second = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%second : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = {sttest.source = "grow_second"} {
  ^bb0(%i: f32, %o: f32):
    %g = math.exp %i : f32
    linalg.yield %g : f32
  } -> tensor<8x8xf32>
  %third = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%grow_second, %c : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "third"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %grow_third = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%third : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = {sttest.source = "grow_third"} {
  ^bb0(%i: f32, %o: f32):
    %g = math.exp %i : f32
    linalg.yield %g : f32
  } -> tensor<8x8xf32>
  %fourth = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%grow_third, %d : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "fourth"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %grow_fourth = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%fourth : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = {sttest.source = "grow_fourth"} {
  ^bb0(%i: f32, %o: f32):
    %g = math.exp %i : f32
    linalg.yield %g : f32
  } -> tensor<8x8xf32>
  %last = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%grow_fourth, %f : tensor<8x8xf32>, tensor<8x8xf32>) outs(%start : tensor<8x8xf32>) attrs = {sttest.source = "last"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %last : tensor<8x8xf32>
}
