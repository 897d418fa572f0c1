// PASSES: assign-channels
// Every DMA gets a channel.  A large parameter comes in slices over several, and a gather takes its place; both keep the
// buffer of a folded DMA.  Memory holds each slice by itself.  The edge cases: inputs are not cut, nor what would move less than a burst.

// CHECK: %w_slice0 = df.dma_read %p layout [8,8,1,1,4,16] beat 512 packed folded slice [0,4] channel 0 origin "w" : tensor<128x128xi8> -> !df.itensor<4x16xi8, iter_space: [8,8]*[4,16], iter_map: (d0,d1)->(d0,d1)>
// CHECK: %w_slice3 = df.dma_read %p layout [8,8,1,1,4,16] beat 512 packed folded slice [3,4] channel 3 origin "w"
// CHECK: %w = df.gather %w_slice0, %w_slice1, %w_slice2, %w_slice3 folded : {{.*}} -> !df.itensor<16x16xi8, iter_space: [8,8]*[16,16]
// CHECK: %x = df.dma_read %q layout [8,8,4,1,4,16] beat 512 channel 4 origin "x" : tensor<128x128xi8> -> !df.itensor<16x16xi8
// CHECK: %b = df.dma_read %r layout [8,1,16] beat 512 packed channel 5 origin "b"
// CHECK: df.task "add" {{.*}} ins(%w, %x, %b
// CHECK: df.dma_write %s channel 6 origin "y"
!tiles = !df.itensor<16x16xi8, iter_space: [8,8]*[16,16], iter_map: (d0,d1)->(d0,d1)>
!rows = !df.itensor<16xi8, iter_space: [8,8]*[16,1], iter_map: (d0,d1)->(d0)>
module attributes {sttest.target = #df.target<"u55c">} {
func.func @main(%weight: tensor<128x128xi8>, %input: tensor<128x128xi8>, %bias: tensor<128xi8>) -> tensor<128x128xi8> {
  %k = df.kernel "k"(%weight, %input, %bias : tensor<128x128xi8>, tensor<128x128xi8>, tensor<128xi8>) -> tensor<128x128xi8> {
  ^bb0(%p: tensor<128x128xi8>, %q: tensor<128x128xi8>, %r: tensor<128xi8>):
    %w = df.dma_read %p layout [8,8,4,1,4,16] beat 512 packed folded origin "w" : tensor<128x128xi8> -> !tiles
    %x = df.dma_read %q layout [8,8,4,1,4,16] beat 512 origin "x" : tensor<128x128xi8> -> !tiles
    %b = df.dma_read %r layout [8,1,16] beat 512 packed origin "b" : tensor<128xi8> -> !rows
    %s = df.task "add" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 256 ins(%w, %x, %b : !tiles, !tiles, !rows) -> !tiles {
    ^bb0(%i: i8, %j: i8, %l: i8, %o: i8):
      %m = arith.addi %i, %j : i8
      %a = arith.addi %m, %l : i8
      df.yield %a : i8
    }
    %out = df.dma_write %s origin "y" : !tiles -> tensor<128x128xi8>
    df.yield %out : tensor<128x128xi8>
  }
  func.return %k : tensor<128x128xi8>
}
}
