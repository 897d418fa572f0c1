// PASSES: assign-channels,name-nodes,lower-to-streams,share-streams
// What the tasks of one engine hand to those of another goes through one FIFO, in the order of their turns.
// The edge cases: a single stream between two engines, a task without one, and DMAs.

// CHECK: df.stream "load_x__a1" sized "default" :
// CHECK: df.stream "a1__b1" sized "default" queue "first__second" :
// CHECK: df.stream "b1__a2" sized "default" :
// CHECK: df.stream "a2__b2" sized "default" queue "first__second" :
// CHECK: df.stream "b2__t" sized "default" :
// CHECK: df.stream "t__store_y" sized "default" :
!tokens = !df.itensor<16xf32, iter_space: [8]*[16], iter_map: (d0)->(d0)>
module attributes {sttest.target = #df.target<"u55c">} {
func.func @main(%x: tensor<128xf32>) -> tensor<128xf32> {
  %k = df.kernel "k"(%x : tensor<128xf32>) -> tensor<128xf32> {
  ^bb0(%p: tensor<128xf32>):
    %in = df.dma_read %p layout [8,1,16] beat 512 origin "x" : tensor<128xf32> -> !tokens
    %r1 = df.task "a1" loops [8] tile [16] kinds "parallel" lanes 16 engine "first" ins(%in : !tokens) -> !tokens {
    ^bb0(%i: f32, %o: f32):
      %z = arith.addf %i, %i : f32
      df.yield %z : f32
    }
    %r2 = df.task "b1" loops [8] tile [16] kinds "parallel" lanes 16 engine "second" ins(%r1 : !tokens) -> !tokens {
    ^bb0(%i: f32, %o: f32):
      %z = arith.mulf %i, %i : f32
      df.yield %z : f32
    }
    %r3 = df.task "a2" loops [8] tile [16] kinds "parallel" lanes 16 engine "first" ins(%r2 : !tokens) -> !tokens {
    ^bb0(%i: f32, %o: f32):
      %z = arith.addf %i, %i : f32
      df.yield %z : f32
    }
    %r4 = df.task "b2" loops [8] tile [16] kinds "parallel" lanes 16 engine "second" ins(%r3 : !tokens) -> !tokens {
    ^bb0(%i: f32, %o: f32):
      %z = arith.mulf %i, %i : f32
      df.yield %z : f32
    }
    %r5 = df.task "t" loops [8] tile [16] kinds "parallel" lanes 16 ins(%r4 : !tokens) -> !tokens {
    ^bb0(%i: f32, %o: f32):
      %z = arith.addf %i, %i : f32
      df.yield %z : f32
    }
    %out = df.dma_write %r5 layout [8,1,16] beat 512 origin "y" : !tokens -> tensor<128xf32>
    df.yield %out : tensor<128xf32>
  }
  func.return %k : tensor<128xf32>
}
}
