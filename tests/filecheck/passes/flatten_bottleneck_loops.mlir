// PASSES: assign-channels,name-nodes,lower-to-streams,flatten-bottleneck-loops
// Eight rows stream through a quick task and one of half its lanes.  The slow one would set another pace if it drained
// after every row, so it walks all of them in one loop; the quick one has the time, and what it gives is copied row by
// row.  The edge cases: a fork behind the slow task, and one of what memory gives.

// CHECK: df.fork %load_x__fork_load_x named
// CHECK: df.task "quick" loops [8,64] tile [1,16] kinds "parallel,parallel" lanes 16 ins
// CHECK: df.fork %quick__fork_quick passes 8 named
// CHECK: df.task "slow" loops [8,64] tile [1,16] kinds "parallel,parallel" lanes 8 whole ins
// CHECK: df.fork %slow__fork_slow named
!rows = !df.itensor<1x16xf32, iter_space: [8,64]*[1,16], iter_map: (d0,d1)->(d0,d1)>
!tensor = tensor<8x1024xf32>
module attributes {sttest.target = #df.target<"u55c">} {
func.func @main(%x: !tensor) -> (!tensor, !tensor, !tensor, !tensor) {
  %k:4 = df.kernel "k"(%x : !tensor) -> !tensor, !tensor, !tensor, !tensor {
  ^bb0(%p: !tensor):
    %in = df.dma_read %p layout [8,1,1,1024] beat 512 origin "x" : !tensor -> !rows
    %x0, %x1 = df.fork %in : !rows -> !rows, !rows
    %q = df.task "quick" loops [8,64] tile [1,16] kinds "parallel,parallel" lanes 16 ins(%x0 : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %z = arith.addf %i, %i : f32
      df.yield %z : f32
    }
    %q0, %q1 = df.fork %q : !rows -> !rows, !rows
    %s = df.task "slow" loops [8,64] tile [1,16] kinds "parallel,parallel" lanes 8 ins(%q0 : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %z = arith.mulf %i, %i : f32
      df.yield %z : f32
    }
    %s0, %s1 = df.fork %s : !rows -> !rows, !rows
    %a = df.dma_write %x1 layout [8,1,1,1024] beat 512 origin "a" : !rows -> !tensor
    %b = df.dma_write %q1 layout [8,1,1,1024] beat 512 origin "b" : !rows -> !tensor
    %c = df.dma_write %s0 layout [8,1,1,1024] beat 512 origin "c" : !rows -> !tensor
    %d = df.dma_write %s1 layout [8,1,1,1024] beat 512 origin "d" : !rows -> !tensor
    df.yield %a, %b, %c, %d : !tensor, !tensor, !tensor, !tensor
  }
  func.return %k#0, %k#1, %k#2, %k#3 : !tensor, !tensor, !tensor, !tensor
}
}
