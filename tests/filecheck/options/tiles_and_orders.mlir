// PASSES: linalg-to-kernels{tile-size=8 tiles="p*:4x1x4" orders="parts:1,0,2"}
// A tile and an order for one task: groups outermost, then columns.  The sum over the groups takes both from the stream
// that it reads, its reduction around its columns: it needs no converter, and meets a column again after all others.

// CHECK: df.task "parts" loops [4,4,1] tile [1,4,4] kinds "parallel,parallel,reduction" init
// CHECK-SAME: -> !df.itensor<4x1xf32, iter_space: [4,4]*[1,4], iter_map: (d0,d1)->(d1,d0)>
// CHECK: df.task "sums" loops [4,4] tile [1,4] kinds "reduction,parallel" init
// CHECK-SAME: ins(%{{.*}} : !df.itensor<4x1xf32, iter_space: [4,4]*[1,4], iter_map: (d0,d1)->(d1,d0)>)
// CHECK-SAME: -> !df.itensor<4xf32, iter_space: [4]*[4], iter_map: (d0)->(d0)>
#parallel = #linalg.iterator_type<parallel>
#reduction = #linalg.iterator_type<reduction>
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4x16xf32>) -> tensor<16xf32> attributes {sttest.arg_names = ["x", "w"]} {
  %zero = arith.constant 0.0 : f32
  %out = "tensor.empty"() : () -> tensor<16x4xf32>
  %start = "linalg.fill"(%zero, %out) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%in: f32, %old: f32):
    linalg.yield %in : f32
  }) : (f32, tensor<16x4xf32>) -> tensor<16x4xf32>
  %parts = "linalg.generic"(%x, %w, %start) <{indexing_maps = [affine_map<(n, g, k) -> (g, k)>,
      affine_map<(n, g, k) -> (g, k, n)>, affine_map<(n, g, k) -> (n, g)>],
      iterator_types = [#parallel, #parallel, #reduction], operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }) {sttest.source = "parts"} : (tensor<4x4xf32>, tensor<4x4x16xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %sum = "tensor.empty"() : () -> tensor<16xf32>
  %none = "linalg.fill"(%zero, %sum) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%in: f32, %old: f32):
    linalg.yield %in : f32
  }) : (f32, tensor<16xf32>) -> tensor<16xf32>
  %all = "linalg.generic"(%parts, %none) <{indexing_maps = [affine_map<(n, g) -> (n, g)>, affine_map<(n, g) -> (n)>],
      iterator_types = [#parallel, #reduction], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %acc: f32):
    %s = arith.addf %i, %acc : f32
    linalg.yield %s : f32
  }) {sttest.source = "sums"} : (tensor<16x4xf32>, tensor<16xf32>) -> tensor<16xf32>
  func.return %all : tensor<16xf32>
}
