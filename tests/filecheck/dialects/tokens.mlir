// PASSES:
// Token-level ops: reading and writing inside the nest of the type, and other views of a stream.

!tiles = !df.itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>
!renamed = !df.itensor<2x2xf32, iter_space: [4,1,4]*[2,1,2], iter_map: (d0,d1,d2)->(d0,d2)>
!rows = !df.itensor<2x8xf32, iter_space: [4]*[2], iter_map: (d0)->(d0,0)>
!flat = !df.itensor<16xf32, iter_space: [4]*[16], iter_map: (d0)->(d0)>
!half = !df.itensor<2x8xf32, iter_space: [2]*[2], iter_map: (d0)->(d0,0)>

// CHECK: %e = df.empty : !df.itensor<2x2xf32
// CHECK: %t = df.read %x : !df.itensor<2x2xf32, {{.*}} -> tensor<2x2xf32>
// CHECK: df.write %t into %{{.*}} : tensor<2x2xf32> into !df.itensor<2x2xf32, {{.*}} -> !df.itensor<2x2xf32,
func.func @copy(%x: !tiles) -> !tiles {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %e = df.empty : !tiles
  %r = scf.for %i = %zero to %eight step %two iter_args(%outer = %e) -> (!tiles) {
    %q = scf.for %j = %zero to %eight step %two iter_args(%inner = %outer) -> (!tiles) {
      %t = df.read %x : !tiles -> tensor<2x2xf32>
      %w = df.write %t into %inner : tensor<2x2xf32> into !tiles -> !tiles
      scf.yield %w : !tiles
    }
    scf.yield %q : !tiles
  }
  func.return %r : !tiles
}

// CHECK: %c = df.cast %x : !df.itensor<2x2xf32, iter_space: [4,4]*[2,2], {{.*}} -> !df.itensor<2x2xf32, iter_space: [4,1,4]*[2,1,2],
// CHECK: %flat = df.reassociate %y : !df.itensor<2x8xf32, {{.*}} -> !df.itensor<16xf32
// CHECK: %low, %high = df.chunk %y along 0 : !df.itensor<2x8xf32, iter_space: [4]*[2]
// CHECK: %named = df.instance %y named "edge" : !df.itensor<2x8xf32
func.func @views(%x: !tiles, %y: !rows) -> (!renamed, !flat, !half, !half, !rows) {
  %c = df.cast %x : !tiles -> !renamed
  %flat = df.reassociate %y : !rows -> !flat
  %low, %high = df.chunk %y along 0 : !rows -> !half, !half
  %named = df.instance %y named "edge" : !rows -> !rows
  func.return %c, %flat, %low, %high, %named : !renamed, !flat, !half, !half, !rows
}
