// PASSES: name-nodes
// Every node has a name and every edge is an instance named after its two ends.  The edge case: two edges between the
// same nodes, told apart by the port.  A concatenation keeps the name that it came with, if no other node has it.

// CHECK: df.dma_read %{{.*}} origin "x" named "load_x"
// CHECK-NEXT: %load_x__fork_load_x = df.instance %in named "load_x__fork_load_x"
// CHECK-NEXT: %l, %r = df.fork %load_x__fork_load_x named "fork_load_x"
// CHECK-NEXT: df.instance %l named "fork_load_x__add_0"
// CHECK-NEXT: df.instance %r named "fork_load_x__add"
// CHECK-NEXT: df.task "add"
// CHECK: df.instance %s named "add__store_y"
// CHECK: df.dma_write %add__store_y origin "y" named "store_y"
// CHECK: %u, %v = df.fork %{{.*}} named "fork_load_x"
// CHECK: df.concat %{{.*}}, %{{.*}} along 0 named "load_x_2"
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %k = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%p: tensor<8x8xf32>):
    %in = df.dma_read %p origin "x" : tensor<8x8xf32> -> !rows
    %l, %r = df.fork %in : !rows -> !rows, !rows
    %s = df.task "add" loops [2] tile [4] kinds "parallel" ins(%l, %r : !rows, !rows) -> !rows {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %a = arith.addf %i, %j : f32
      df.yield %a : f32
    }
    %out = df.dma_write %s origin "y" : !rows -> tensor<8x8xf32>
    df.yield %out : tensor<8x8xf32>
  }
  func.return %k : tensor<8x8xf32>
}

!tall = !df.itensor<4x8xf32, iter_space: [4]*[4], iter_map: (d0)->(d0,0)>
func.func @twice(%x: tensor<8x8xf32>) -> tensor<16x8xf32> {
  %k = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%p: tensor<8x8xf32>):
    %in = df.dma_read %p origin "x" : tensor<8x8xf32> -> !rows
    %u, %v = df.fork %in : !rows -> !rows, !rows
    %w = df.concat %u, %v along 0 named "load_x" : !rows, !rows -> !tall
    %out = df.dma_write %w origin "y" : !tall -> tensor<16x8xf32>
    df.yield %out : tensor<16x8xf32>
  }
  func.return %k : tensor<16x8xf32>
}
