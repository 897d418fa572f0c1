// PASSES: linalg-to-kernels{tile-size=4},cascade-products{lengths="*:16","mix:4"},share-engines{share=all}
// Sums of products of integers run down cascades of so many DSPs, by the last entry that names the task; such a task
// shares no engine with one of another length.
// The edge cases: a task that a pattern fits but that sums no products stays as it is.

// CHECK: df.task "scores"
// CHECK-SAME: contracts engine "scores_engine" cascade 16
// CHECK: df.task "steps"
// CHECK-NOT: cascade
// CHECK-SAME: ins(
// CHECK: df.task "mix"
// CHECK-NOT: engine
// CHECK-SAME: contracts cascade 4
// CHECK: df.task "keys"
// CHECK-SAME: contracts engine "scores_engine" cascade 16
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<8x8xi8>, %y: tensor<8x8xi8>, %z: tensor<8x8xi8>)
    -> (tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>)
    attributes {sttest.arg_names = ["x", "y", "z"], sttest.arg_kinds = ["input", "input", "input"]} {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %start = linalg.fill ins(%zero : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %scores = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<8x8xi8>, tensor<8x8xi8>) outs(%start : tensor<8x8xi32>) attrs = {sttest.source = "scores"} {
  ^bb0(%i: i8, %j: i8, %o: i32):
    %l = arith.extsi %i : i8 to i32
    %r = arith.extsi %j : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  } -> tensor<8x8xi32>
  %steps = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<8x8xi32>) outs(%e : tensor<8x8xi32>) attrs = {sttest.source = "steps"} {
  ^bb0(%i: i32, %o: i32):
    %d = arith.addi %i, %i : i32
    linalg.yield %d : i32
  } -> tensor<8x8xi32>
  %mix = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %z : tensor<8x8xi8>, tensor<8x8xi8>) outs(%start : tensor<8x8xi32>) attrs = {sttest.source = "mix"} {
  ^bb0(%i: i8, %j: i8, %o: i32):
    %l = arith.extsi %i : i8 to i32
    %r = arith.extsi %j : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  } -> tensor<8x8xi32>
  %keys = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %z : tensor<8x8xi8>, tensor<8x8xi8>) outs(%start : tensor<8x8xi32>) attrs = {sttest.source = "keys"} {
  ^bb0(%i: i8, %j: i8, %o: i32):
    %l = arith.extsi %i : i8 to i32
    %r = arith.extsi %j : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  } -> tensor<8x8xi32>
  return %steps, %mix, %keys : tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>
}
