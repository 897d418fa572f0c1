// PASSES: fuse-kernels{c-max-bytes=3000}
// Kernels join one group while their converters and tiles fit; two readers that want one order share a converter.
// The edge case: a kernel that no longer fits opens a group of its own, and the tensor between them goes to memory.

// CHECK: %{{.*}} = df.kernel "group0"(%x : tensor<8x8xf32>) -> tensor<8x8xf32>, tensor<8x8xf32> {
// CHECK: %first = df.task "first"
// CHECK: %first_ordered = df.converter %first : {{.*}} -> !df.itensor<8x4xf32
// CHECK: df.task "second" {{.*}} ins(%first_ordered :
// CHECK-NOT: df.converter
// CHECK: df.task "third" {{.*}} ins(%first_ordered :
// CHECK: df.kernel "group1"(%{{.*}} : tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NOT: df.converter
// CHECK: df.task "fourth"
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %a = df.kernel "first"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i0: !rows):
    %t = df.task "first" loops [2] tile [4] kinds "parallel" ins(%i0 : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    df.yield %t : !rows
  }
  %b = df.kernel "second"(%a : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i0: !columns):
    %t = df.task "second" loops [2] tile [4] kinds "parallel" ins(%i0 : !columns) -> !columns {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    df.yield %t : !columns
  }
  %c = df.kernel "third"(%a : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i0: !columns):
    %t = df.task "third" loops [2] tile [4] kinds "parallel" ins(%i0 : !columns) -> !columns {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    df.yield %t : !columns
  }
  %d = df.kernel "fourth"(%b : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i0: !rows):
    %t = df.task "fourth" loops [2] tile [4] kinds "parallel" ins(%i0 : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    df.yield %t : !rows
  }
  func.return %c, %d : tensor<8x8xf32>, tensor<8x8xf32>
}
