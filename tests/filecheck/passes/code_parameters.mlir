// PASSES: code-parameters{codes=i3,base-3}
// A parameter of three bits is read as the bytes of its tokens, 12 for 32 elements; a gather with the code makes the
// tokens.  Two bits are coded as the pass is told: 32 in 7 bytes.  The edge cases: four bits lie there as they are, and
// so does what is no parameter.  A loop that only repeats reads the same bytes again.

// CHECK: df.kernel "k"
// CHECK: %[[A:[a-z_0-9]+]] = df.dma_read %{{[a-z_0-9]+}} layout [2,1,12] beat 512 packed code "i3" origin "w" : tensor<8x8xi3> -> !df.itensor<12xi8, iter_space: [3,2]*[1,12], iter_map: (d0,d1)->(d1)>
// CHECK: df.gather %[[A]] folded code "i3" : !df.itensor<12xi8, iter_space: [3,2]*[1,12], iter_map: (d0,d1)->(d1)> -> !df.itensor<4x8xi3, iter_space: [3,2]*[1,4], iter_map: (d0,d1)->(d1,0)>
// CHECK: df.dma_read %{{[a-z_0-9]+}} layout [2,1,7] beat 512 packed code "base-3" origin "v" : tensor<8x8xi2> -> !df.itensor<7xi8,
// CHECK: df.gather %{{[a-z_0-9]+}} code "base-3"
// CHECK: df.dma_read %{{[a-z_0-9]+}} layout [2,1,1,1,4,8] beat 512 packed origin "u" : tensor<8x8xi4> -> !df.itensor<4x8xi4,
// CHECK: df.dma_read %{{[a-z_0-9]+}} layout [2,1,1,1,4,8] beat 512 origin "t" : tensor<8x8xi3> -> !df.itensor<4x8xi3,
!rows3 = !df.itensor<4x8xi3, iter_space: [3,2]*[1,4], iter_map: (d0,d1)->(d1,0)>
!rows2 = !df.itensor<4x8xi2, iter_space: [3,2]*[1,4], iter_map: (d0,d1)->(d1,0)>
!rows4 = !df.itensor<4x8xi4, iter_space: [3,2]*[1,4], iter_map: (d0,d1)->(d1,0)>
!out = !df.itensor<4x8xi8, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @main(%w: tensor<8x8xi3>, %v: tensor<8x8xi2>, %u: tensor<8x8xi4>, %t: tensor<8x8xi3>) -> tensor<8x8xi8> {
  %r = df.kernel "k"(%w, %v, %u, %t : tensor<8x8xi3>, tensor<8x8xi2>, tensor<8x8xi4>, tensor<8x8xi3>) -> tensor<8x8xi8> {
  ^bb0(%w_1: tensor<8x8xi3>, %v_1: tensor<8x8xi2>, %u_1: tensor<8x8xi4>, %t_1: tensor<8x8xi3>):
    %a = df.dma_read %w_1 layout [2,1,1,1,4,8] beat 512 packed folded origin "w" : tensor<8x8xi3> -> !rows3
    %b = df.dma_read %v_1 layout [2,1,1,1,4,8] beat 512 packed origin "v" : tensor<8x8xi2> -> !rows2
    %c = df.dma_read %u_1 layout [2,1,1,1,4,8] beat 512 packed origin "u" : tensor<8x8xi4> -> !rows4
    %d = df.dma_read %t_1 layout [2,1,1,1,4,8] beat 512 origin "t" : tensor<8x8xi3> -> !rows3
    %y = df.task "sum" loops [3,2] tile [1,32] kinds "reduction,parallel" init 0 : i8 ins(%a, %b, %c, %d : !rows3, !rows2, !rows4, !rows3) -> !out {
    ^bb0(%i: i3, %j: i2, %k: i4, %l: i3, %o: i8):
      %s = arith.extsi %i : i3 to i8
      %n = arith.addi %s, %o : i8
      df.yield %n : i8
    }
    %z = df.dma_write %y layout [2,1,1,1,4,8] beat 512 origin "z" : !out -> tensor<8x8xi8>
    df.yield %z : tensor<8x8xi8>
  }
  func.return %r : tensor<8x8xi8>
}
