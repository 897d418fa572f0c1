// PASSES: materialize-dma{beat-bits=512}
// Tensors at the boundary of a kernel pass through DMAs: 64x64 in 16x16 tiles of bytes lies as 4x4 tiles of 2x2 beats
// of 8x8.  Parameters are packed ahead of time.  The edge case: a tile below a beat is its own beat.

// CHECK: df.kernel "k"(%x, %w : tensor<64x64xi8>, tensor<4xi8>) -> tensor<64x64xi8> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<64x64xi8>, %[[W:.*]]: tensor<4xi8>):
// CHECK-NEXT: df.dma_read %[[X]] layout [4,4,2,2,8,8] beat 512 origin "x" : tensor<64x64xi8> -> !df.itensor<16x16xi8
// CHECK-NEXT: df.dma_read %[[W]] layout [2,1,2] beat 512 packed origin "w" : tensor<4xi8> -> !df.itensor<2xi8
// CHECK: %[[OUT:.*]] = df.dma_write %t layout [4,4,2,2,8,8] beat 512 origin "k" : {{.*}} -> tensor<64x64xi8>
// CHECK-NEXT: df.yield %[[OUT]] : tensor<64x64xi8>
!tiles = !df.itensor<16x16xi8, iter_space: [4,4]*[16,16], iter_map: (d0,d1)->(d0,d1)>
!small = !df.itensor<2xi8, iter_space: [4,2,2]*[16,16,2], iter_map: (d0,d1,d2)->(d2)>
!again = !df.itensor<2xi8, iter_space: [8,2]*[1,2], iter_map: (d0,d1)->(d1)>
func.func @main(%x: tensor<64x64xi8>, %w: tensor<4xi8>) -> tensor<64x64xi8>
    attributes {sttest.arg_kinds = ["input", "parameter"]} {
  %k = df.kernel "k"(%x, %w : tensor<64x64xi8>, tensor<4xi8>) -> tensor<64x64xi8> {
  ^bb0(%a: !tiles, %b: !again):
    %t = df.task "t" loops [4,4] tile [16,16] kinds "parallel,parallel" ins(%a, %b : !tiles, !again) -> !tiles {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %s = arith.addf %i, %j : f32
      df.yield %s : f32
    }
    df.yield %t : !tiles
  }
  func.return %k : tensor<64x64xi8>
}
