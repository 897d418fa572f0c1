// PASSES:
// The stream level: FIFOs with a depth, nodes that push into them, a ping-pong buffer.

!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!fifo = !df.stream<!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>, depth: 2>
!words = !df.stream<!df.itensor<8xf32, iter_space: [8]*[8], iter_map: (d0)->(d0)>, depth: 16>

// CHECK: %a = df.stream "load__double" sized "lp-normal" : !df.stream<!df.itensor<4x8xf32, {{.*}}>, depth: 2>
// CHECK: %b = df.stream "double__store" : !df.stream<
// CHECK: df.dma_read %{{.*}} named "load" into %a : tensor<8x8xf32> into !df.stream<
// CHECK: df.buffer "order" : memref<8x8xf32>
// CHECK: df.task "double" loops [2] tile [4] kinds "parallel" ins(%a : !df.stream<{{.*}}>) into(%b : !df.stream<{{.*}}>) {
// CHECK: df.dma_write %b named "store" : !df.stream<{{.*}}> -> tensor<8x8xf32>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = df.kernel "streams"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%in: tensor<8x8xf32>):
    %a = df.stream "load__double" sized "lp-normal" : !fifo
    %b = df.stream "double__store" : !fifo
    df.dma_read %in named "load" into %a : tensor<8x8xf32> into !fifo
    %memory = df.buffer "order" : memref<8x8xf32>
    df.task "double" loops [2] tile [4] kinds "parallel" ins(%a : !fifo) into (%b : !fifo) {
    ^bb0(%i: f32, %acc: f32):
      %s = arith.addf %i, %i : f32
      df.yield %s : f32
    }
    %written = df.dma_write %b named "store" : !fifo -> tensor<8x8xf32>
    df.yield %written : tensor<8x8xf32>
  }
  func.return %y : tensor<8x8xf32>
}

// CHECK: func.func @tokens
// CHECK: df.stream_write %{{.*}} into %s : tensor<4x8xf32> into !df.stream<
// CHECK: %w = df.stream_cast %s : !df.stream<{{.*}}> -> !df.stream<
// CHECK: %v = df.stream_read %w : !df.stream<{{.*}}> -> vector<8xf32>
func.func @tokens(%token: tensor<4x8xf32>) {
  %s = df.stream "s" : !fifo
  df.stream_write %token into %s : tensor<4x8xf32> into !fifo
  %w = df.stream_cast %s : !fifo -> !words
  %v = df.stream_read %w : !words -> vector<8xf32>
  func.return
}
