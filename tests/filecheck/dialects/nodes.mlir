// PASSES:
// Nodes at the itensor level: a kernel of every kind of node.

!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
!slices = !df.itensor<2x8xf32, iter_space: [2]*[2], iter_map: (d0)->(d0,0)>
!sums = !df.itensor<4xf32, iter_space: [2]*[4], iter_map: (d0)->(d0)>

// CHECK: %y = df.kernel "nodes"(%x : tensor<8x8xf32>) -> tensor<8xf32> {
// CHECK: %read = df.dma_read %{{.*}} layout [2,1,1,1,4,8] beat 512 packed folded channel 3 origin "x" named "load" : tensor<8x8xf32> -> !df.itensor<4x8xf32,
// CHECK: %low = df.dma_read %{{.*}} slice [0,2] channel 1 : tensor<8x8xf32> -> !df.itensor<2x8xf32, iter_space: [2]*[2],
// CHECK: %high = df.dma_read %{{.*}} slice [1,2] channel 2 : tensor<8x8xf32> -> !df.itensor<2x8xf32, iter_space: [2]*[2],
// CHECK: %whole = df.gather %low, %high folded named "gather" : !df.itensor<2x8xf32, {{.*}} -> !df.itensor<4x8xf32,
// CHECK: %a, %b = df.fork %read named "copy" : !df.itensor<4x8xf32
// CHECK: %c = df.converter %a buffer [8,8] before 0 blocks 1 named "order" : !df.itensor<4x8xf32, {{.*}} -> !df.itensor<8x4xf32,
// CHECK: %d = df.task "both" loops [2] tile [4] kinds "parallel" lanes 2 origin "attn.q" ins(%b, %c : {{.*}}) -> !df.itensor<4x8xf32
// CHECK: df.yield %{{.*}} : f32
// CHECK: %e = df.task "sum" loops [2,1] tile [4,8] {{.*}}
// CHECK: %joined = df.join %e : !df.itensor<4xf32
// CHECK: %written = df.dma_write %joined layout [2,1,4] beat 512 channel 4 origin "y" named "store" : !df.itensor<4xf32, {{.*}} -> tensor<8xf32>
// CHECK: df.yield %written : tensor<8xf32>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %y = df.kernel "nodes"(%x : tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%in: tensor<8x8xf32>):
    %read = df.dma_read %in layout [2,1,1,1,4,8] beat 512 packed folded channel 3 origin "x" named "load" : tensor<8x8xf32> -> !rows
    %low = df.dma_read %in slice [0,2] channel 1 : tensor<8x8xf32> -> !slices
    %high = df.dma_read %in slice [1,2] channel 2 : tensor<8x8xf32> -> !slices
    %whole = df.gather %low, %high folded named "gather" : !slices, !slices -> !rows
    %a, %b = df.fork %read named "copy" : !rows -> !rows, !rows
    %c = df.converter %a buffer [8,8] before 0 blocks 1 named "order" : !rows -> !columns
    %d = df.task "both" loops [2] tile [4] kinds "parallel" lanes 2 origin "attn.q" ins(%b, %c : !rows, !columns) -> !rows {
    ^bb0(%l: f32, %r: f32, %acc: f32):
      %m = arith.mulf %l, %r : f32
      df.yield %m : f32
    }
    %e = df.task "sum" loops [2,1] tile [4,8] kinds "parallel,reduction" init 0.0 : f32 ins(%d : !rows) -> !sums {
    ^bb0(%i: f32, %acc: f32):
      %s = arith.addf %i, %acc : f32
      df.yield %s : f32
    }
    %joined = df.join %e : !sums -> !sums
    %written = df.dma_write %joined layout [2,1,4] beat 512 channel 4 origin "y" named "store" : !sums -> tensor<8xf32>
    df.yield %written : tensor<8xf32>
  }
  func.return %y : tensor<8xf32>
}
