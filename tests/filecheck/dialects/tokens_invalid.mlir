// ERRORS
// Rules of token-level ops.

// CHECK: df.read: the token tensor<8x8xf32> does not have the element shape (4, 8)
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %t = df.read %x : !rows -> tensor<8x8xf32>
  func.return
}

// -----
// CHECK: df.read: the token tensor<4x8xi8> does not have the data type f32
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %t = df.read %x : !rows -> tensor<4x8xi8>
  func.return
}

// -----
// CHECK: df.read: the enclosing loops must have the (trip, step) sequence {{\[\(2, 4\)\]}}
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %t = df.read %x : !rows -> tensor<4x8xf32>
  func.return
}

// -----
// CHECK: df.read: the enclosing loops must have the (trip, step) sequence {{\[\(2, 4\)\]}}
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows, %n: index) {
  %low = arith.constant 0 : index
  %step = arith.constant 2 : index
  %high = arith.constant 8 : index
  scf.for %i = %low to %high step %step {
    %t = df.read %x : !rows -> tensor<4x8xf32>
    scf.yield
  }
  func.return
}

// -----
// CHECK: df.read: enclosing loops must count up from 0
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows, %n: index) {
  %low = arith.constant 1 : index
  %step = arith.constant 2 : index
  %high = arith.constant 8 : index
  scf.for %i = %low to %high step %step {
    %t = df.read %x : !rows -> tensor<4x8xf32>
    scf.yield
  }
  func.return
}

// -----
// CHECK: df.read: enclosing loops must have constant bounds
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows, %n: index) {
  %low = arith.constant 0 : index
  %step = arith.constant 2 : index
  %high = arith.constant 8 : index
  scf.for %i = %low to %n step %step {
    %t = df.read %x : !rows -> tensor<4x8xf32>
    scf.yield
  }
  func.return
}

// -----
// CHECK: df.write: target and result must have the same type
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows, %t: tensor<4x8xf32>) {
  %w = df.write %t into %x : tensor<4x8xf32> into !rows -> !columns
  func.return
}

// -----
// CHECK: df.write: the token tensor<8x8xf32> does not have the element shape (4, 8)
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows, %t: tensor<8x8xf32>) {
  %w = df.write %t into %x : tensor<8x8xf32> into !rows -> !rows
  func.return
}

// -----
// CHECK: df.cast: data types differ: f32 and i8
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!bytes = !df.itensor<4x8xi8, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.cast %x : !rows -> !bytes
  func.return
}

// -----
// CHECK: df.cast: full shapes differ: (8, 8) and (8, 16)
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!wide = !df.itensor<4x16xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.cast %x : !rows -> !wide
  func.return
}

// -----
// CHECK: df.cast: the two types stream in different orders; use df.converter
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y = df.cast %x : !rows -> !columns
  func.return
}

// -----
// CHECK: df.reassociate: data types differ: f32 and i8
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!bytes = !df.itensor<4x8xi8, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.reassociate %x : !rows -> !bytes
  func.return
}

// -----
// CHECK: df.reassociate: the products of shapes differ: 64 and 128
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!wide = !df.itensor<4x16xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.reassociate %x : !rows -> !wide
  func.return
}

// -----
// CHECK: df.reassociate: the products of elements differ: 32 and 4
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!tiles = !df.itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>
func.func @a(%x: !rows) {
  %y = df.reassociate %x : !rows -> !tiles
  func.return
}

// -----
// CHECK: df.chunk: data dim 2 of a tensor of rank 2
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.chunk %x along 2 : !rows -> !rows
  func.return
}

// -----
// CHECK: df.chunk: the parts cover 4 of 8 along dim 0
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!half = !df.itensor<4x8xf32, iter_space: [1]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.chunk %x along 0 : !rows -> !half
  func.return
}

// -----
// CHECK: df.chunk: the parts must have one type
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!half = !df.itensor<4x8xf32, iter_space: [1]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y, %z = df.chunk %x along 0 : !rows -> !half, !rows
  func.return
}

// -----
// CHECK: df.stream_read: the token vector<4xf32> does not have the element shape (4, 8)
!fifo = !df.stream<!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>, depth: 2>
func.func @a(%x: !fifo) {
  %t = df.stream_read %x : !fifo -> vector<4xf32>
  func.return
}

// -----
// CHECK: df.stream_write: the token tensor<4x8xi8> does not have the data type f32
!fifo = !df.stream<!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>, depth: 2>
func.func @a(%x: !fifo, %t: tensor<4x8xi8>) {
  df.stream_write %t into %x : tensor<4x8xi8> into !fifo
  func.return
}

// -----
// CHECK: df.stream_cast: the streams carry different numbers of bits
!wide = !df.itensor<4x16xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!fifo = !df.stream<!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>, depth: 2>
func.func @a(%x: !fifo) {
  %y = df.stream_cast %x : !fifo -> !df.stream<!wide, depth: 2>
  func.return
}
