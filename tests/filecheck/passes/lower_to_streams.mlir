// PASSES: name-nodes,lower-to-streams{start-depth=4}
// Instances become FIFOs of start-depth tokens at the head of the kernel, nodes push into them, a converter gets its
// buffer.  The edge case: the FIFO of a folded DMA is its ping-pong buffer of two tiles.  A concatenation reads several
// FIFOs and fills one.

// CHECK: df.stream "load_x__exp" sized "folded" : !df.stream<!df.itensor<4x8xf32, {{.*}}>, depth: 2>
// CHECK-NEXT: df.stream "exp__order_exp" sized "default" : !df.stream<!df.itensor<4x8xf32, {{.*}}>, depth: 4>
// CHECK-NEXT: df.stream "order_exp__store_y" sized "default" : !df.stream<!df.itensor<8x4xf32, {{.*}}>, depth: 4>
// CHECK-NEXT: df.dma_read %{{.*}} folded origin "x" named "load_x" into %load_x__exp :
// CHECK-NEXT: df.task "exp" {{.*}} ins(%load_x__exp : {{.*}}) into(%exp__order_exp : {{.*}}) {
// CHECK: df.buffer "order_exp" : memref<8x8xf32>
// CHECK-NEXT: df.converter %exp__order_exp buffer [8,8] before 0 blocks 1 named "order_exp" into %order_exp__store_y :
// CHECK: df.concat %{{.*}}, %{{.*}} along 0 named "concat" into %concat__store_y : !df.stream<{{.*}} into !df.stream<{{.*}}[4]*[4]
// CHECK-NOT: df.instance
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %k = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%p: tensor<8x8xf32>):
    %in = df.dma_read %p folded origin "x" : tensor<8x8xf32> -> !rows
    %e = df.task "exp" loops [2] tile [4] kinds "parallel" ins(%in : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    %c = df.converter %e buffer [8,8] before 0 blocks 1 : !rows -> !columns
    %out = df.dma_write %c origin "y" : !columns -> tensor<8x8xf32>
    df.yield %out : tensor<8x8xf32>
  }
  func.return %k : tensor<8x8xf32>
}

!tall = !df.itensor<4x8xf32, iter_space: [4]*[4], iter_map: (d0)->(d0,0)>
func.func @joined(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<16x8xf32> {
  %k = df.kernel "k"(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%p: tensor<8x8xf32>, %q: tensor<8x8xf32>):
    %u = df.dma_read %p origin "x" : tensor<8x8xf32> -> !rows
    %v = df.dma_read %q origin "y" : tensor<8x8xf32> -> !rows
    %w = df.concat %u, %v along 0 : !rows, !rows -> !tall
    %out = df.dma_write %w origin "y" : !tall -> tensor<16x8xf32>
    df.yield %out : tensor<16x8xf32>
  }
  func.return %k : tensor<16x8xf32>
}
