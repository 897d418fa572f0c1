// ERRORS
// Rules of kernels, instances and streams.

// CHECK: df.kernel: the body must end in df.yield
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i: !rows):
    linalg.yield %i : !rows
  }
  func.return
}

// -----
// CHECK: df.kernel: 1 inputs outside but 2 inside
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i: !rows, %j: !rows):
    df.yield %i : !rows
  }
  func.return
}

// -----
// CHECK: df.kernel: 1 results outside but 0 inside
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i: !rows):
    df.yield
  }
  func.return
}

// -----
// CHECK: df.kernel: input 0: tensor<8x8xf32> is not the tensor that streams, (8, 16) of f32
!wide = !df.itensor<4x16xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i: !wide):
    df.yield %i : !wide
  }
  func.return
}

// -----
// CHECK: df.kernel: result 0: tensor<8x8xi8> is not the tensor that streams, (8, 8) of f32
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xi8> {
  ^bb0(%i: !rows):
    df.yield %i : !rows
  }
  func.return
}

// -----
// CHECK: df.kernel: input 0 is tensor<8x8xf32> outside but f32 inside
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.kernel "k"(%x : tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%i: f32):
    df.yield %i : f32
  }
  func.return
}

// -----
// CHECK: df.instance: source and result must have the same type
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @a(%x: !rows) {
  %y = df.instance %x : !rows -> !columns
  func.return
}

// -----
// CHECK: df.instance: a result is never read, it must have one use
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
func.func @a(%x: !rows) {
  %y = df.instance %x : !rows -> !rows
  func.return
}

// -----
// CHECK: df.stream "s": 0 writers and 0 readers, a stream has exactly one of each
!fifo = !df.stream<!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>, depth: 2>
func.func @a() {
  %y = df.stream "s" : !fifo
  func.return
}

// -----
// CHECK: df.stream "s": 2 writers and 0 readers, a stream has exactly one of each
!fifo = !df.stream<!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>, depth: 2>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.stream "s" : !fifo
  df.dma_read %x into %y : tensor<8x8xf32> into !fifo
  df.dma_read %x into %y : tensor<8x8xf32> into !fifo
  func.return
}

// -----
// CHECK: df.stream "s": 1 writers and 2 readers, a stream has exactly one of each
!fifo = !df.stream<!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>, depth: 2>
func.func @a(%x: tensor<8x8xf32>) {
  %y = df.stream "s" : !fifo
  df.dma_read %x into %y : tensor<8x8xf32> into !fifo
  %a = df.dma_write %y : !fifo -> tensor<8x8xf32>
  %b = df.dma_write %y : !fifo -> tensor<8x8xf32>
  func.return
}
