// PASSES: linalg-to-kernels{tile-size=4 gemv-lanes=64},assign-lanes{gemv-lanes=64 overall-unroll=64}
// One row times a weight on 64 lanes: eight columns of eight points.  A sum in floating point lies around the columns, so
// that an adder has eight of them to go round; then its results come in a row, and the task that reads them keeps pace.

// CHECK: df.task "q" loops [4,8] tile [8,8] kinds "reduction,parallel" init
// CHECK-SAME: contracts pairwise lanes 64
// CHECK: df.task "e" loops [8] tile [8] kinds "parallel" lanes 8
#parallel = #linalg.iterator_type<parallel>
#reduction = #linalg.iterator_type<reduction>
func.func @main(%x: tensor<1x32xf32>, %w: tensor<32x64xf32>) -> tensor<1x64xf32> attributes {sttest.arg_names = ["x", "w"]} {
  %zero = arith.constant 0.0 : f32
  %out = "tensor.empty"() : () -> tensor<1x64xf32>
  %start = "linalg.fill"(%zero, %out) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%in: f32, %old: f32):
    linalg.yield %in : f32
  }) : (f32, tensor<1x64xf32>) -> tensor<1x64xf32>
  %q = "linalg.generic"(%x, %w, %start) <{indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = [#parallel, #parallel, #reduction], operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }) {sttest.source = "q"} : (tensor<1x32xf32>, tensor<32x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %e = "linalg.generic"(%q, %out) <{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = [#parallel, #parallel], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    %v = math.exp %i : f32
    linalg.yield %v : f32
  }) {sttest.source = "e"} : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  func.return %e : tensor<1x64xf32>
}
