// PASSES: online-softmax{chunk=16 maximum=running}
// Under the running maximum the scan gives, per chunk, the largest score so far and what rescales the sums before; the
// weights are under that maximum and their sums are added as they are.  The edge case: nobody needs the last maximum.

// CHECK: "tensor.expand_shape"(%s) {{.*}} : (tensor<2x64xf32>) -> tensor<2x4x16xf32>
// CHECK: sttest.step = "peak"
// CHECK: %[[LAST:.*]], %[[SO_FAR:.*]], %[[A:.*]] = "linalg.generic"
// CHECK-NEXT: ^bb0(%[[OWN:.*]]: f32, %[[RUNNING:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[LARGER:.*]] = "arith.maximumf"(%[[RUNNING]], %[[OWN]])
// CHECK-NEXT: %[[DOWN:.*]] = "arith.subf"(%[[RUNNING]], %[[LARGER]])
// CHECK-NEXT: %[[KEPT:.*]] = "math.exp"(%[[DOWN]])
// CHECK-NEXT: "linalg.yield"(%[[LARGER]], %[[LARGER]], %[[KEPT]])
// CHECK: sttest.step = "rescales"} : {{.*}} -> (tensor<2xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: "linalg.generic"(%{{.*}}, %[[SO_FAR]], %{{.*}})
// CHECK: "math.exp"
// CHECK: -> tensor<2x4x16xf32>
// CHECK: sttest.step = "chunk"
// CHECK: %[[SUM:.*]] = "linalg.generic"(%{{.*}}, %[[A]], %{{.*}})
// CHECK-NOT: "math.exp"
// CHECK: sttest.step = "running"} : {{.*}} -> tensor<2xf32>
// CHECK: %[[MIXED:.*]] = "linalg.generic"(%{{.*}}, %[[A]], %{{.*}})
// CHECK: sttest.step = "running"} : {{.*}} -> tensor<2x8xf32>
// CHECK: "linalg.generic"(%[[MIXED]], %[[SUM]], %[[LAST]], %{{.*}})
#same = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#left = affine_map<(d0, d1, d2) -> (d0, d1)>
#right = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @main(%s: tensor<2x64xf32>, %v: tensor<64x8xf32>) -> tensor<2x8xf32>
    attributes {sttest.arg_names = ["s", "v"], sttest.arg_kinds = ["input", "input"], sttest.result_names = ["y"]} {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %row = tensor.empty() : tensor<2xf32>
  %lowest = linalg.fill ins(%least : f32) outs(%row : tensor<2xf32>) -> tensor<2xf32>
  %peak = linalg.generic {indexing_maps = [#same, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<2x64xf32>) outs(%lowest : tensor<2xf32>) {
  ^bb0(%x: f32, %m: f32):
    %larger = arith.maximumf %x, %m : f32
    linalg.yield %larger : f32
  } -> tensor<2xf32>
  %wide = tensor.empty() : tensor<2x64xf32>
  %p = linalg.generic {indexing_maps = [#same, #rows, #same], iterator_types = ["parallel", "parallel"]}
      ins(%s, %peak : tensor<2x64xf32>, tensor<2xf32>) outs(%wide : tensor<2x64xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<2x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%row : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [#same, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<2x64xf32>) outs(%none : tensor<2xf32>) {
  ^bb0(%x: f32, %t: f32):
    %next = arith.addf %x, %t : f32
    linalg.yield %next : f32
  } -> tensor<2xf32>
  %result = tensor.empty() : tensor<2x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%result : tensor<2x8xf32>) -> tensor<2x8xf32>
  %mix = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%p, %v : tensor<2x64xf32>, tensor<64x8xf32>) outs(%start : tensor<2x8xf32>) {
  ^bb0(%l: f32, %r: f32, %t: f32):
    %product = arith.mulf %l, %r : f32
    %next = arith.addf %product, %t : f32
    linalg.yield %next : f32
  } -> tensor<2x8xf32>
  %y = linalg.generic {indexing_maps = [#same, #rows, #same], iterator_types = ["parallel", "parallel"]}
      ins(%mix, %sum : tensor<2x8xf32>, tensor<2xf32>) outs(%result : tensor<2x8xf32>) {
  ^bb0(%x: f32, %l: f32, %o: f32):
    %q = arith.divf %x, %l : f32
    linalg.yield %q : f32
  } -> tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}
