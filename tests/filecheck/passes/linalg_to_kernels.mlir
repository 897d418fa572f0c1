// PASSES: linalg-to-kernels{tile-size=16}
// A matmul becomes a kernel of one task: parallel loops outside, the reduction inside, all operands in the order of
// the tile loops.  The edge case: a transpose dissolves into the type of its reader, and an op without a tile of its
// own takes that of what it reads.  A concatenation takes the order of its largest part, with tiles that divide every
// part; a part that is a view is copied first.

// CHECK-NOT: linalg
// CHECK: %attn_q = df.kernel "attn_q"(%x, %attn_q_weight : tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> {
// CHECK-NEXT: ^bb0(%0: !df.itensor<16x16xf32, iter_space: [2,2,2]*[16,16,16], iter_map: (d0,d1,d2)->(d0,d2)>,
// CHECK-SAME: %1: !df.itensor<16x16xf32, iter_space: [2,2,2]*[16,16,16], iter_map: (d0,d1,d2)->(d2,d1)>):
// CHECK-NEXT: df.task "attn_q" loops [2,2,2] tile [16,16,16] kinds "parallel,parallel,reduction"
// CHECK-SAME: init 0.000000e+00 : f32 contracts pairwise origin "attn.q"
// CHECK-SAME: -> !df.itensor<16x16xf32, iter_space: [2,2]*[16,16], iter_map: (d0,d1)->(d0,d1)> {
// CHECK: df.yield %s : f32
// CHECK: df.kernel "op"(%attn_q : tensor<32x32xf32>) -> tensor<32x32xf32> {
// CHECK-NEXT: ^bb0(%{{.*}}: !df.itensor<16x16xf32, iter_space: [2,2]*[16,16], iter_map: (d0,d1)->(d0,d1)>):
// CHECK-NEXT: df.task "op" loops [2,2] tile [16,16] kinds "parallel,parallel" origin "op"
// CHECK-SAME: -> !df.itensor<16x16xf32, iter_space: [2,2]*[16,16], iter_map: (d0,d1)->(d1,d0)>
// CHECK: %sides_copy = df.kernel "sides_copy"(%side : tensor<4x32xf32>) -> tensor<32x4xf32> {
// CHECK: df.task "sides_copy" loops [2,4] tile [16,1] kinds "parallel,parallel" origin "sides"
// CHECK: %sides_concat = df.kernel "sides_concat"(%{{.*}}, %sides_copy, %column : tensor<32x32xf32>, tensor<32x4xf32>, tensor<32x1xf32>) -> tensor<32x37xf32> {
// CHECK-NEXT: ^bb0(%{{.*}}: !df.itensor<16x1xf32, iter_space: [2,32]*[16,1], iter_map: (d0,d1)->(d0,d1)>, %{{.*}}: !df.itensor<16x1xf32, iter_space: [2,4]*[16,1],
// CHECK-SAME: iter_space: [2,1]*[16,1],
// CHECK-NEXT: df.concat %{{.*}}, %{{.*}}, %{{.*}} along 1 origin "sides" named "sides_concat" :
// CHECK-SAME: -> !df.itensor<16x1xf32, iter_space: [2,37]*[16,1], iter_map: (d0,d1)->(d0,d1)>
!m = tensor<32x32xf32>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
func.func @main(%x: !m, %w: !m) -> !m attributes {sttest.arg_names = ["x", "attn.q.weight"]} {
  %zero = arith.constant 0.0 : f32
  %empty = "tensor.empty"() : () -> !m
  %init = "linalg.fill"(%zero, %empty) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }) : (f32, !m) -> !m
  %q = "linalg.generic"(%x, %w, %init) <{indexing_maps = [#rows, #columns, #result],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }) {sttest.source = "attn.q"} : (!m, !m, !m) -> !m
  %t = "linalg.generic"(%q, %empty) <{indexing_maps = [#swap, #same],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }) : (!m, !m) -> !m
  %e = "linalg.generic"(%t, %empty) <{indexing_maps = [#same, #same],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    %e = math.exp %i : f32
    linalg.yield %e : f32
  }) : (!m, !m) -> !m
  func.return %e : !m
}

func.func @sides(%x: !m, %side: tensor<4x32xf32>, %column: tensor<32x1xf32>) -> tensor<32x37xf32> {
  %empty = "tensor.empty"() : () -> !m
  %tall = "tensor.empty"() : () -> tensor<32x4xf32>
  %e = "linalg.generic"(%x, %empty) <{indexing_maps = [#same, #same],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    %e = math.exp %i : f32
    linalg.yield %e : f32
  }) : (!m, !m) -> !m
  %t = "linalg.generic"(%side, %tall) <{indexing_maps = [#swap, #same],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }) : (tensor<4x32xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
  %all = tensor.concat dim(1) %e, %t, %column {sttest.source = "sides"} : (!m, tensor<32x4xf32>, tensor<32x1xf32>) -> tensor<32x37xf32>
  func.return %all : tensor<32x37xf32>
}
