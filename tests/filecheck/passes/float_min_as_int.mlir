// PASSES: float-min-as-int
// The smallest of numbers that are never negative is found among bits, its readers have the number.  Edge cases: one
// reader shows it in another shape and one returns it; of what may be negative, the smallest stays as it is.

// CHECK: func.func @least
// CHECK: %[[INF:[a-z_0-9]+]] = arith.constant 2139095040 : i32
// CHECK: linalg.fill {{.*}}ins(%[[INF]] : i32) outs({{.*}} : tensor<2xi32>)
// CHECK: %[[BITS:[a-z_0-9]+]] = linalg.generic {{.*}}ins(%tokens, %hidden
// CHECK-NEXT: ^bb{{.*}}(%{{[a-z_0-9]+}}: f32, %{{[a-z_0-9]+}}: f32, %[[RUNNING:[a-z_0-9]+]]: i32)
// CHECK: %[[SELECTED:[a-z_0-9]+]] = arith.select
// CHECK-NEXT: %[[READ:[a-z_0-9]+]] = arith.bitcast %[[SELECTED]] : f32 to i32
// CHECK-NEXT: %[[LEAST:[a-z_0-9]+]] = arith.minsi %[[READ]], %[[RUNNING]] : i32
// CHECK-NEXT: linalg.yield %[[LEAST]] : i32
// CHECK: %[[NUMBER:[a-z_0-9]+]] = linalg.generic {{.*}}ins(%[[BITS]] : tensor<2xi32>)
// CHECK-SAME: sttest.step = "number"
// CHECK: arith.bitcast {{.*}} : i32 to f32
// CHECK: linalg.generic {{.*}}ins(%[[BITS]] : tensor<2xi32>)
// CHECK: arith.bitcast {{.*}} : i32 to f32
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic {{.*}}ins(%hidden
// CHECK: arith.minimumf
// CHECK: func.return %[[NUMBER]],
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @least(%tokens: tensor<2x4xf32>, %hidden: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) attributes {sttest.arg_names = ["token_ids", "hidden"]} {
  %inf = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0.0 : f32
  %far = arith.constant 8.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %start = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %first = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%tokens, %hidden : tensor<2x4xf32>, tensor<2x4xf32>) outs(%start : tensor<2xf32>) attrs = {sttest.source = "choice"} {
  ^bb0(%t: f32, %h: f32, %o: f32):
    %later = arith.addf %t, %far : f32
    %is_hidden = arith.cmpf olt, %h, %zero : f32
    %s = arith.select %is_hidden, %later, %t : f32
    %m = arith.minimumf %s, %o : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  %next = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%first : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%t: f32, %o: f32):
    %a = arith.addf %t, %far : f32
    linalg.yield %a : f32
  } -> tensor<2xf32>
  %signed = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%hidden : tensor<2x4xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%h: f32, %o: f32):
    %m = arith.minimumf %h, %o : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  func.return %first, %next, %signed : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
