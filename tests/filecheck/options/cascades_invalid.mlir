// ERRORS: cascade-products{lengths="square:16"}
// A pattern is of a task that sums products of integers.

// CHECK: cascade-products: no task multiplies integers
!rows = !df.itensor<4x8xi8, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.task "square" loops [2] tile [4] kinds "parallel" ins(%x : !rows) -> !rows {
  ^bb0(%i: i8, %acc: i8):
    %p = arith.muli %i, %i : i8
    df.yield %p : i8
  }
  func.return
}
