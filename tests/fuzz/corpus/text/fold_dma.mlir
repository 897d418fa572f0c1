// PASSES: fold-dma
// A DMA whose one reader is a task shares its tile buffer.  The edge case: what two nodes read, or a converter, keeps
// its FIFO.

// CHECK: %a = df.dma_read %x folded :
// CHECK: %b = df.dma_read %x :
// CHECK: %c = df.dma_read %x :
!rows = !df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>
!columns = !df.itensor<8x4xf32, iter_space: [2]*[4], iter_map: (d0)->(0,d0)>
func.func @main(%x: tensor<8x8xf32>) {
    %a = df.dma_read %x : tensor<8x8xf32> -> !rows
    %b = df.dma_read %x : tensor<8x8xf32> -> !rows
    %c = df.dma_read %x : tensor<8x8xf32> -> !rows
    %d = df.task "one" loops [2] tile [4] kinds "parallel" ins(%a : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %e = math.exp %i : f32
      df.yield %e : f32
    }
    %e = df.task "two" loops [2] tile [4] kinds "parallel" ins(%b : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %s = math.exp %i : f32
      df.yield %s : f32
    }
    %f = df.task "three" loops [2] tile [4] kinds "parallel" ins(%b : !rows) -> !rows {
    ^bb0(%i: f32, %o: f32):
      %u = math.exp %i : f32
      df.yield %u : f32
    }
    %g = df.converter %c : !rows -> !columns
  func.return
}
