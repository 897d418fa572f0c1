// PASSES: quantize{scheme=w4a8}
// A product with a weight becomes integer sums per group of 128 rows, which FP16 scales join in floating point, and a
// scale per token; the weight becomes int4 and brings its scales along.  What the cache takes leaves as int8 with
// FP16 scales.  The edge case: the entry is returned through a transpose, and its scales are transposed too.

// CHECK: func.func @main(%x: tensor<4x256xf32>, %w: tensor<256x16xi4>, %{{.*}}: tensor<2x16xf16>)
// CHECK-SAME: -> (tensor<2x4x8xi8>, tensor<2x4xf16>)
// CHECK-SAME: sttest.arg_names = ["x", "fc.weight", "fc.weight_scale"]
// CHECK-SAME: sttest.arg_kinds = ["input", "parameter", "parameter"]
// CHECK-SAME: sttest.result_names = ["k_new", "k_new_scale"]
// CHECK: ins(%x : tensor<4x256xf32>) {{.*}}sttest.step = "peak"
// CHECK: math.absf
// CHECK-NEXT: arith.bitcast %{{.*}} : f32 to i32
// CHECK-NEXT: arith.maxsi
// CHECK: sttest.step = "scale"
// CHECK: arith.divf
// CHECK: sttest.step = "reciprocal"
// CHECK: sttest.step = "quantize"
// CHECK: arith.mulf
// CHECK-NEXT: math.roundeven
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: arith.fptosi %{{.*}} : f32 to i8
// CHECK: : tensor<4x256xi8> into tensor<4x2x128xi8>
// CHECK: %w {{.*}} : tensor<256x16xi4> into tensor<2x128x16xi4>
// CHECK: iterator_types = ["parallel", "parallel", "reduction", "parallel"]
// CHECK-SAME: outs(%{{.*}} : tensor<4x16x2xi32>)
// CHECK: arith.muli
// CHECK-NEXT: arith.addi
// CHECK: sttest.step = "groups"
// CHECK: arith.sitofp
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: %y = linalg.generic {{.*}}sttest.step = "rescale"
// CHECK: outs(%{{.*}} : tensor<4x2xf16>) {{.*}}sttest.step = "scale"
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: outs(%{{.*}} : tensor<4x2x8xi8>) {{.*}}sttest.step = "quantize"
// CHECK: outs(%{{.*}} : tensor<2x4xf16>)
// CHECK: func.return %{{.*}}, %{{.*}} : tensor<2x4x8xi8>, tensor<2x4xf16>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#swap = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
func.func @main(%x: tensor<4x256xf32>, %w: tensor<256x16xf32>) -> tensor<2x4x8xf32>
    attributes {sttest.arg_names = ["x", "fc.weight"], sttest.arg_kinds = ["input", "parameter"],
                sttest.result_names = ["k_new"]} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %init = "linalg.fill"(%zero, %empty) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }) : (f32, tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = "linalg.generic"(%x, %w, %init) <{indexing_maps = [#rows, #columns, #result],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }) {sttest.source = "fc"} : (tensor<4x256xf32>, tensor<256x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %heads = "tensor.expand_shape"(%y) <{reassociation = [[0 : i64], [1 : i64, 2 : i64]],
      static_output_shape = array<i64: 4, 2, 8>}> : (tensor<4x16xf32>) -> tensor<4x2x8xf32>
  %turned = tensor.empty() : tensor<2x4x8xf32>
  %k = "linalg.generic"(%heads, %turned) <{indexing_maps = [#swap, #same],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }) : (tensor<4x2x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  func.return %k : tensor<2x4x8xf32>
}
