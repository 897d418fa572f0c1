// PASSES: buffer-rereads{kib=1}
// A mask of 256 positions that is streamed for each of 16 heads is read once and repeated behind a converter.  The edge
// cases: what is streamed once stays as it is, and so does what is larger than there is room for.

// CHECK: ^bb0(%mask: !df.itensor<64xf32, iter_space: [4]*[64], iter_map: (d0)->(d0)>, %once: !df.itensor<64xf32, iter_space: [4]*[64], iter_map: (d0)->(d0)>, %large: !df.itensor<64xf32, iter_space: [16,8]*[1,64], iter_map: (d0,d1)->(d1)>):
// CHECK-NEXT: %mask_ordered = df.converter %mask kept : !df.itensor<64xf32, iter_space: [4]*[64], iter_map: (d0)->(d0)> -> !df.itensor<64xf32, iter_space: [16,4]*[1,64], iter_map: (d0,d1)->(d1)>
// CHECK-NOT: df.converter %once
// CHECK-NOT: df.converter %large
!heads = !df.itensor<64xf32, iter_space: [16,4]*[1,64], iter_map: (d0,d1)->(d1)>
!once = !df.itensor<64xf32, iter_space: [4]*[64], iter_map: (d0)->(d0)>
!large = !df.itensor<64xf32, iter_space: [16,8]*[1,64], iter_map: (d0,d1)->(d1)>
func.func @main(%m: tensor<256xf32>, %o: tensor<256xf32>, %l: tensor<512xf32>) -> tensor<256xf32> {
  %k = df.kernel "k"(%m, %o, %l : tensor<256xf32>, tensor<256xf32>, tensor<512xf32>) -> tensor<256xf32> {
  ^bb0(%mask: !heads, %once: !once, %large: !large):
    %t = df.task "t" loops [16,4] tile [1,64] kinds "parallel,parallel" ins(%mask : !heads) -> !heads {
    ^bb0(%i: f32, %r: f32):
      df.yield %i : f32
    }
    %u = df.task "u" loops [16,8] tile [1,64] kinds "parallel,parallel" ins(%large : !large) -> !large {
    ^bb0(%i: f32, %r: f32):
      df.yield %i : f32
    }
    df.yield %once : !once
  }
  func.return %k : tensor<256xf32>
}
