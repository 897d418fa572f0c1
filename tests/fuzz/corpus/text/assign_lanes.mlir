// PASSES: assign-lanes{overall-unroll=48 first-lanes=8}
// Every task starts with first-lanes; the budget then goes to the slowest, doubling its lanes step by step.
// The edge case: a task whose tile is smaller than first-lanes gets no more lanes than points.

// CHECK: df.task "large" loops [2] tile [32] kinds "parallel" lanes 32
// CHECK: df.task "tiny" loops [2] tile [4] kinds "parallel" lanes 4
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
!long = !df.itensor<32xf32, iter_space: [2]*[32], iter_map: (d0)->(d0)>
func.func @main(%x: !long, %y: !rows) {
    %a = df.task "large" loops [2] tile [32] kinds "parallel" ins(%x : !long) -> !long {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    %b = df.task "tiny" loops [2] tile [4] kinds "parallel" ins(%y : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
  func.return
}
