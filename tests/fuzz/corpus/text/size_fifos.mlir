// PASSES: assign-channels,name-nodes,lower-to-streams,size-fifos{strategy=normal}
// The FIFO on the short way to "add" holds what waits for the long way through "exp"; the others pass tokens on.
// The edge case: the FIFO of a folded DMA keeps its two tiles.

// CHECK: df.stream "load_x__fork_load_x" sized "folded" : !df.stream<{{.*}}, depth: 2>
// CHECK-NEXT: df.stream "fork_load_x__exp" sized "lp-normal" : !df.stream<{{.*}}, depth: 3>
// CHECK-NEXT: df.stream "fork_load_x__add" sized "lp-normal" : !df.stream<{{.*}}, depth: {{[4-9]|[1-9][0-9]+}}>
!rows = !df.itensor<4x8xf32, iter_space: [16]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [16]*[4], iter_map: (d0)->(0,d0)>
module attributes {sttest.target = #df.target<"u55c">} {
func.func @main(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %k = df.kernel "k"(%x : tensor<64x8xf32>) -> tensor<64x8xf32> {
  ^bb0(%p: tensor<64x8xf32>):
    %in = df.dma_read %p layout [16,1,1,2,4,4] beat 512 folded origin "x" : tensor<64x8xf32> -> !rows
    %l, %r = df.fork %in : !rows -> !rows, !rows
    %e = df.task "exp" loops [16] tile [4] kinds "parallel" ins(%l : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    %s = df.task "add" loops [16] tile [4] kinds "parallel" ins(%e, %r : !rows, !rows) -> !rows {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %a = arith.addf %i, %j : f32
      df.yield %a : f32
    }
    %out = df.dma_write %s layout [16,1,1,2,4,4] beat 512 origin "y" : !rows -> tensor<64x8xf32>
    df.yield %out : tensor<64x8xf32>
  }
  func.return %k : tensor<64x8xf32>
}
}
