// ERRORS
// Rules of df.task.

// CHECK: task_invalid.mlir:9:8: not valid IR: df.task: trips, tile and iterators must name the same loops
// CHECK-NEXT:   %y = df.task "t"
// CHECK-NEXT: ^
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4,8] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task: trips and tile sizes must be at least 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [0] tile [4] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task: a loop is parallel or reduction, not 'window'
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4] kinds "window" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task: 0 lanes, there must be at least 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4] kinds "parallel" lanes 0 ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task "t": a stream of 2 tokens is read 4 times by the loop nest
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [4] tile [2] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task "t": a stream of 2 tokens is written 1 times by the loop nest
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4] kinds "reduction" init 0.0 : f32 ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task: the payload has 1 arguments, one per source and result makes 2
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task: the payload yields 2 values for 1 results
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i, %i : f32, f32
  }
  func.return
}

// -----
// CHECK: df.task: a reduction needs the value that it starts from (init)
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2,1] tile [4,8] kinds "parallel,reduction" ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task: a contraction has two factors and a reduction loop
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4] kinds "parallel" contracts ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.task: fabric is for products of integers, and the payload has none
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "t" loops [2] tile [4] kinds "parallel" fabric ins(%x : !rows) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    %p = arith.mulf %i, %i : f32
    df.yield %p : f32
  }
  func.return
}
