// PASSES: vectorize{max-bits=512}
// Tokens become vector registers of at most max-bits; a wider tile is cut, its parts follow each other.  The edge case:
// a token that fits is a register as it is.

// CHECK: %in = df.dma_read {{.*}} -> !df.itensor<vector<4x4xf32>, iter_space: [2,2]*[4,4], iter_map: (d0,d1)->(d0,d1)>
// CHECK: df.task "sum" {{.*}} -> !df.itensor<vector<4xf32>, iter_space: [2]*[4], iter_map: (d0)->(d0)>
!sums = !df.itensor<4xf32, iter_space: [2]*[4], iter_map: (d0)->(d0)>
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %k = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%p: tensor<8x8xf32>):
    %in = df.dma_read %p origin "x" : tensor<8x8xf32> -> !rows
    %s = df.task "sum" loops [2,1] tile [4,8] kinds "parallel,reduction" init 0.0 : f32 ins(%in : !rows) -> !sums {
    ^bb0(%i: f32, %acc: f32):
      %e = arith.addf %i, %acc : f32
      df.yield %e : f32
    }
    %out = df.dma_write %s : !sums -> tensor<8xf32>
    df.yield %out : tensor<8xf32>
  }
  func.return %k : tensor<8xf32>
}
