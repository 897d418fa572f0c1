// ERRORS
// Rules of df.concat.

// CHECK: df.concat: 0 sources, it must have 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a() {
  %y = "df.concat"() <{dim = 0 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> !rows
  func.return
}

// -----
// CHECK: df.concat: 2 results, it must have 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!half = !df.itensor<4x8xf32, iter_space: [1]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !half) {
  %y, %z = df.concat %x, %x along 0 : !half, !half -> !rows, !rows
  func.return
}

// -----
// CHECK: df.concat: data dim 2 of a tensor of rank 2
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!half = !df.itensor<4x8xf32, iter_space: [1]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !half) {
  %y = df.concat %x, %x along 2 : !half, !half -> !rows
  func.return
}

// -----
// CHECK: df.concat: the parts cover 16 of 8 along dim 0
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.concat %x, %x along 0 : !rows, !rows -> !rows
  func.return
}

// -----
// CHECK: df.concat: parts may differ from the whole only in their size along dim 1
!wide = !df.itensor<4x16xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!half = !df.itensor<4x8xf32, iter_space: [1]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !half) {
  %y = df.concat %x, %x along 1 : !half, !half -> !wide
  func.return
}

// -----
// Other elements.
// CHECK: df.concat: parts may differ from the whole only in their size along dim 0
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!half = !df.itensor<4x8xi8, iter_space: [1]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !half) {
  %y = df.concat %x, %x along 0 : !half, !half -> !rows
  func.return
}

// -----
// Larger tokens: what a token of the source holds would be two of the result.
// CHECK: df.concat: source 1 does not stream as the result does along dim 0; use df.converter
!rows = !df.itensor<2x8xf32, iter_space: [4]*[2], iter_map: (d0)->(d0,0)>
!fine = !df.itensor<2x8xf32, iter_space: [2]*[2], iter_map: (d0)->(d0,0)>
!coarse = !df.itensor<4x8xf32, iter_space: [1]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !fine, %y: !coarse) {
  %z = df.concat %x, %y along 0 : !fine, !coarse -> !rows
  func.return
}

// -----
// Columns of tiles first, in the source alone.
// CHECK: df.concat: source 0 does not stream as the result does along dim 0; use df.converter
!rows = !df.itensor<2x4xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d0,d1)>
!part = !df.itensor<2x4xf32, iter_space: [2,2]*[4,2], iter_map: (d0,d1)->(d1,d0)>
func.func @a(%x: !part) {
  %y = df.concat %x, %x along 0 : !part, !part -> !rows
  func.return
}

// -----
// The result steps by 4 rows, through which two loops walk; a part of 2 rows ends within a step.
// CHECK: df.concat: source 0 does not stream as the result does along dim 0; use df.converter
!rows = !df.itensor<2x4xf32, iter_space: [2,2,2]*[4,4,2], iter_map: (d0,d1,d2)->((d0 + d2),d1)>
!short = !df.itensor<2x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
!long = !df.itensor<2x4xf32, iter_space: [3,2]*[2,4], iter_map: (d0,d1)->(d0,d1)>
func.func @a(%x: !short, %y: !long) {
  %z = df.concat %x, %y along 0 : !short, !long -> !rows
  func.return
}

// -----
// A token that covers the dim leaves nothing to take turns at.
// CHECK: df.concat: source 0 does not stream as the result does along dim 1; use df.converter
!wide = !df.itensor<4x16xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!part = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !part) {
  %y = df.concat %x, %x along 1 : !part, !part -> !wide
  func.return
}
