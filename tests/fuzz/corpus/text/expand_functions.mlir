// PASSES: expand-functions
// Functions that no unit computes become those that one does, roundings, powers and comparisons with PyTorch's f64 too.
// What has an operator stays.

// CHECK: func.func @functions
// CHECK: linalg.generic
// CHECK-NEXT: ^bb
// CHECK-NOT: extf
// CHECK: arith.cmpf ogt, %{{[a-z_0-9]+}}, %{{[a-z_0-9]+}} : f32
// CHECK: math.exp
// CHECK: %[[NEAREST:[a-z_0-9]+]] = math.roundeven %[[VALUE:[a-z_0-9]+]] : f32
// CHECK: arith.cmpf ogt, %[[NEAREST]], %[[VALUE]] : f32
// CHECK: %[[SQUARE:[a-z_0-9]+]] = arith.mulf %[[BASE:[a-z_0-9]+]], %[[BASE]] : f32
// CHECK-NEXT: arith.mulf %[[BASE]], %[[SQUARE]] : f32
// CHECK-NEXT: arith.constant 1.000000e+00 : f32
// CHECK-NEXT: arith.divf
// CHECK: arith.bitcast %{{[a-z_0-9]+}} : f32 to i32
// CHECK-NOT: math.{{log|floor|powf}}
// CHECK: linalg.yield
#all = affine_map<(d0) -> (d0)>
func.func @functions(%x: tensor<8xf32>) -> tensor<8xf32> {
  %three = arith.constant -3.0 : f32
  %limit = arith.constant 20.0 : f64
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %far = arith.cmpf ogt, %wide, %limit : f64
    %b = math.exp %a : f32
    %c = arith.select %far, %a, %b : f32
    %d = math.floor %c : f32
    %f = math.powf %d, %three : f32
    %g = math.log %f : f32
    linalg.yield %g : f32
  } -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
