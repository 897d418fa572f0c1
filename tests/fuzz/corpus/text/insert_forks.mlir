// PASSES: insert-forks
// A stream that two nodes read is copied, in the order of the readers.  The edge case: one reader needs no fork, and a
// node that reads one stream twice gets two copies.

// CHECK: %in = df.dma_read
// CHECK-NEXT: %in_copy, %in_copy_1 = df.fork %in : !df.itensor<4x8xf32
// CHECK-NEXT: %e = df.task "exp" {{.*}} ins(%in_copy :
// CHECK: %e_copy, %e_copy_1 = df.fork %e
// CHECK-NEXT: df.task "twice" {{.*}} ins(%e_copy, %e_copy_1 :
// CHECK-NOT: df.fork
// CHECK: df.task "add" {{.*}} ins(%t, %in_copy_1 :
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %k = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%p: tensor<8x8xf32>):
    %in = df.dma_read %p origin "x" : tensor<8x8xf32> -> !rows
    %e = df.task "exp" loops [2] tile [4] kinds "parallel" ins(%in : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    %t = df.task "twice" loops [2] tile [4] kinds "parallel" ins(%e, %e : !rows, !rows) -> !rows {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      df.yield %m : f32
    }
    %s = df.task "add" loops [2] tile [4] kinds "parallel" ins(%t, %in : !rows, !rows) -> !rows {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %a = arith.addf %i, %j : f32
      df.yield %a : f32
    }
    %out = df.dma_write %s origin "y" : !rows -> tensor<8x8xf32>
    df.yield %out : tensor<8x8xf32>
  }
  func.return %k : tensor<8x8xf32>
}
