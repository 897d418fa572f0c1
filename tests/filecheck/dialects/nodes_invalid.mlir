// ERRORS
// Rules of the other nodes.

// CHECK: df.converter: 2 sources, it must have 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y = df.converter %x, %x : !rows, !rows -> !columns
  func.return
}

// -----
// CHECK: df.converter: 2 results, it must have 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y, %z = df.converter %x : !rows -> !columns, !columns
  func.return
}

// -----
// CHECK: df.converter: data types differ: f32 and i8
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!bytes = !df.itensor<4x8xi8, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.converter %x : !rows -> !bytes
  func.return
}

// -----
// CHECK: df.converter: full shapes differ: (8, 8) and (8, 16)
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!wide = !df.itensor<4x16xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.converter %x : !rows -> !wide
  func.return
}

// -----
// CHECK: df.converter: the buffer (8,) of a tensor of rank 2
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y = df.converter %x buffer [8] : !rows -> !columns
  func.return
}

// -----
// CHECK: df.converter: 2 tokens do not make 3 blocks
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y = df.converter %x buffer [8,8] before 0 blocks 3 : !rows -> !columns
  func.return
}

// -----
// CHECK: df.fork: it has one source and at least one result
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  df.fork %x : !rows
  func.return
}

// -----
// CHECK: df.fork: every result must have the type of the source
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y = df.fork %x : !rows -> !columns
  func.return
}

// -----
// CHECK: df.fork: a result has 2 uses, it may have one; fork it first
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.fork %x : !rows -> !rows
  %z = df.join %y, %y : !rows, !rows -> !rows
  func.return
}

// -----
// CHECK: df.fork: a result is never read, it must have one use
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.fork %x : !rows -> !rows
  func.return
}

// -----
// CHECK: df.join: 0 sources, it must have 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = "df.join"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> !rows
  func.return
}

// -----
// CHECK: df.join: every source must have the type of the result
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y = df.join %x : !rows -> !columns
  func.return
}

// -----
// CHECK: df.dma_read: expected a tensor in external memory, found !df.itensor<
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.dma_read %x : !rows -> !rows
  func.return
}

// -----
// CHECK: df.dma_read: tensor<4x4xf32> is not the tensor that streams, (8, 8) of f32
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<4x4xf32>) {
  %y = df.dma_read %x : tensor<4x4xf32> -> !rows
  func.return
}

// -----
// CHECK: df.dma_read: (8, 8) of f32 is no slice of 1/2 of tensor<8x8xf32>
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.dma_read %x slice [0,2] : tensor<8x8xf32> -> !rows
  func.return
}

// -----
// CHECK: df.dma_read: a slice is [number, of how many], not [2, 2]
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<16x8xf32>) {
  %y = df.dma_read %x slice [2,2] : tensor<16x8xf32> -> !rows
  func.return
}

// -----
// CHECK: df.gather: a source does not stream slices of 1/2 of a token
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!slices = !df.itensor<2x8xf32, iter_space: [2]*[2], iter_map: (d0)->(d0,0)>
func.func @a(%x: !slices, %y: !rows) {
  %z = df.gather %x, %y : !slices, !rows -> !rows
  func.return
}

// -----
// CHECK: df.dma_read: 2 results, it must have 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<8x8xf32>) {
  %y, %z = df.dma_read %x : tensor<8x8xf32> -> !rows, !rows
  func.return
}

// -----
// CHECK: df.dma_write: 0 results, it must have 1
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  df.dma_write %x : !rows
  func.return
}

// -----
// CHECK: df.dma_write: tensor<8x8xi8> is not the tensor that streams, (8, 8) of f32
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.dma_write %x : !rows -> tensor<8x8xi8>
  func.return
}

// -----
// CHECK: df.task: expected an itensor or a stream, found f32
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: f32) {
  %y = df.task "t" loops [2] tile [4] kinds "parallel" ins(%x : f32) -> !rows {
  ^bb0(%i: f32, %acc: f32):
    df.yield %i : f32
  }
  func.return
}
