// ERRORS: multiply-in-fabric{tasks="scores","grow"}
// A pattern is of a task that multiplies integers.

// CHECK: multiply-in-fabric: no task is called 'scores'; did you mean 'score'?
!rows = !df.itensor<4x8xi8, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "score" loops [2] tile [4] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: i8, %acc: i8):
    %p = arith.muli %i, %i : i8
    df.yield %p : i8
  }
  func.return
}

// -----
// CHECK: multiply-in-fabric: no integers are multiplied by a task called 'grow'; choose one of scores
!rows = !df.itensor<4x8xi8, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "scores" loops [2] tile [4] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: i8, %acc: i8):
    %p = arith.muli %i, %i : i8
    df.yield %p : i8
  }
  %z = df.task "grow" loops [2] tile [4] kinds "parallel" ins(%y : !rows) -> !rows {
  ^bb0(%i: i8, %acc: i8):
    %p = arith.addi %i, %i : i8
    df.yield %p : i8
  }
  func.return
}

// -----
// CHECK: multiply-in-fabric: no task multiplies integers; take a precision that quantizes
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "scores" loops [2] tile [4] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    %p = arith.mulf %i, %i : f32
    df.yield %p : f32
  }
  func.return
}
