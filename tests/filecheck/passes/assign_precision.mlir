// PASSES: linalg-to-kernels,assign-precision{precision=w4a8}
// A parameter that only contractions read becomes a 4-bit weight, a tensor that contractions read 8-bit activations,
// everything else stays floating point; payloads too.  The edge case: a view between producer and contraction is
// retyped with both.

// CHECK: func.func @main(%x: tensor<32x32xi8>, %fc_weight: tensor<32x32xi4>) -> tensor<32x32xf32>
// CHECK: %fc = df.kernel "fc"(%x, %fc_weight : tensor<32x32xi8>, tensor<32x32xi4>) -> tensor<32x32xi8> {
// CHECK-NEXT: ^bb0(%{{.*}}: !df.itensor<16x16xi8, {{.*}}>, %{{.*}}: !df.itensor<16x16xi4, {{.*}}>):
// CHECK: arith.mulf %l, %r : f32
// CHECK: df.kernel "fc_2"(%fc, %fc_weight : tensor<32x32xi8>, tensor<32x32xi4>) -> tensor<32x32xf32> {
!m = tensor<32x32xf32>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
func.func @main(%x: !m, %w: !m) -> !m
    attributes {sttest.arg_names = ["x", "fc.weight"], sttest.arg_kinds = ["input", "parameter"]} {
  %zero = arith.constant 0.0 : f32
  %empty = "tensor.empty"() : () -> !m
  %init = "linalg.fill"(%zero, %empty) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }) : (f32, !m) -> !m
  %y = "linalg.generic"(%x, %w, %init) <{indexing_maps = [#rows, #columns, #result],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }) : (!m, !m, !m) -> !m
  %t = "linalg.generic"(%y, %empty) <{indexing_maps = [#swap, #same],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }) : (!m, !m) -> !m
  %z = "linalg.generic"(%t, %w, %init) <{indexing_maps = [#rows, #columns, #result],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }) : (!m, !m, !m) -> !m
  func.return %z : !m
}
