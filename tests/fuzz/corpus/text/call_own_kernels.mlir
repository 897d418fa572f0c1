// PASSES: linalg-to-kernels{tile-size=4},call-own-kernels{file="tests/filecheck/own/kernels.yaml"}
// The payload of a named task is a call with the figures of one instance; other tasks stay, and the C++ is in the module.

// CHECK: sttest.own_cpp = {gate_of = "static float gate_of(float a, float b) { return a * b; }\0A"}
// CHECK: df.task "gate"
// CHECK: "df.call"(%{{.*}}, %{{.*}}) <{callee = "gate_of", interval = 2 : i64, dsp = 0 : i64, ff = 0 : i64, lut = 40 : i64, stages = 9 : i64}> : (f32, f32) -> f32
// CHECK-NEXT: df.yield
// CHECK: df.task "twice"
// CHECK: arith.addf
#same = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32>
    attributes {sttest.arg_names = ["x", "y"], sttest.arg_kinds = ["input", "input"]} {
  %e = tensor.empty() : tensor<8x8xf32>
  %gate = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = {sttest.source = "gate"} {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.divf %i, %j : f32
    linalg.yield %p : f32
  } -> tensor<8x8xf32>
  %twice = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%gate : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) attrs = {sttest.source = "twice"} {
  ^bb0(%i: f32, %o: f32):
    %d = arith.addf %i, %i : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  return %twice : tensor<8x8xf32>
}
