// PASSES: split-products{units=2}
// A product with a weight becomes two, each of half of the columns with half of the lanes: its weight comes in slices of
// columns, the row is copied, and what both make of a token is put together.  Two parts of one DMA share its channel.
// The edge cases: a product with a cache stays whole, as does a sum.

// CHECK: %w_slice0 = df.dma_read %p {{.*}} slice [0,2] channel 3 origin "w" : tensor<8x16xi4> -> !df.itensor<4x4xi4, iter_space: [2,2]*[4,4], iter_map: (d0,d1)->(d1,d0)>
// CHECK: %w_slice1 = df.dma_read %p {{.*}} slice [1,2] channel 3 origin "w"
// CHECK: df.fork %x
// CHECK: %y_unit0of2 = df.task "y_unit0of2" loops [2,2] tile [4,4]
// CHECK-SAME: lanes 8
// CHECK-SAME: engine "e_unit0of2"
// CHECK-SAME: -> !df.itensor<4xi32, iter_space: [2]*[4], iter_map: (d0)->(d0)>
// CHECK: %y_unit1of2 = df.task "y_unit1of2"
// CHECK: %y = df.gather %y_unit0of2, %y_unit1of2 : {{.*}} -> !df.itensor<8xi32, iter_space: [2]*[8], iter_map: (d0)->(d0)>
// CHECK: df.task "z" loops [2,2] tile [8,4]
// CHECK-SAME: lanes 16
!weight = !df.itensor<4x8xi4, iter_space: [2,2]*[8,4], iter_map: (d0,d1)->(d1,d0)>
!cached = !df.itensor<4x8xi8, iter_space: [2,2]*[8,4], iter_map: (d0,d1)->(d1,d0)>
!row = !df.itensor<4xi8, iter_space: [2,2]*[1,4], iter_map: (d0,d1)->(d1)>
!sums = !df.itensor<8xi32, iter_space: [2]*[8], iter_map: (d0)->(d0)>
func.func @main(%weight: tensor<8x16xi4>, %cache: tensor<8x16xi8>, %input: tensor<8xi8>)
    -> (tensor<16xi32>, tensor<16xi32>) {
  %k:2 = df.kernel "k"(%weight, %cache, %input : tensor<8x16xi4>, tensor<8x16xi8>, tensor<8xi8>)
      -> tensor<16xi32>, tensor<16xi32> {
  ^bb0(%p: tensor<8x16xi4>, %q: tensor<8x16xi8>, %r: tensor<8xi8>):
    %w = df.dma_read %p layout [2,2,1,1,4,8] beat 128 packed channel 3 origin "w" : tensor<8x16xi4> -> !weight
    %c = df.dma_read %q layout [2,2,1,1,4,8] beat 256 channel 4 origin "c" : tensor<8x16xi8> -> !cached
    %x = df.dma_read %r layout [2,1,4] beat 32 channel 5 origin "x" : tensor<8xi8> -> !row
    %v = df.dma_read %r layout [2,1,4] beat 32 channel 6 origin "v" : tensor<8xi8> -> !row
    %y = df.task "y" loops [2,2] tile [8,4] kinds "parallel,reduction" init 0 : i32 contracts lanes 16 engine "e"
        accesses [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>]
        ins(%x, %w : !row, !weight) -> !sums {
    ^bb0(%i: i8, %j: i4, %o: i32):
      %l = arith.extsi %i : i8 to i32
      %m = arith.extsi %j : i4 to i32
      %n = arith.muli %l, %m : i32
      %a = arith.addi %o, %n : i32
      df.yield %a : i32
    }
    %z = df.task "z" loops [2,2] tile [8,4] kinds "parallel,reduction" init 0 : i32 contracts lanes 16
        accesses [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>]
        ins(%v, %c : !row, !cached) -> !sums {
    ^bb0(%i: i8, %j: i8, %o: i32):
      %l = arith.extsi %i : i8 to i32
      %m = arith.extsi %j : i8 to i32
      %n = arith.muli %l, %m : i32
      %a = arith.addi %o, %n : i32
      df.yield %a : i32
    }
    %s = df.dma_write %y origin "s" : !sums -> tensor<16xi32>
    %t = df.dma_write %z origin "t" : !sums -> tensor<16xi32>
    df.yield %s, %t : tensor<16xi32>, tensor<16xi32>
  }
  func.return %k#0, %k#1 : tensor<16xi32>, tensor<16xi32>
}
