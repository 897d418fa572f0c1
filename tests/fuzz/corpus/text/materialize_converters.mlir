// PASSES: materialize-converters
// Each converter gets the smallest buffer that does (here (b) to (c) of docs/itensor.md: 8x2, four times).  The edge
// cases: equal converters of one source become one, and a converter between two names of one order disappears.

// CHECK: %once = df.converter %x buffer [8,2] before 1 blocks 4 : !df.itensor<4x2xf32, iter_space: [4,2]*[2,4],
// CHECK-NOT: df.converter
// CHECK: df.dma_write %once
// CHECK: df.dma_write %once
// CHECK: df.dma_write %x
!b = !df.itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>
!c = !df.itensor<4x2xf32, iter_space: [4,2,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)>
!also_b = !df.itensor<4x2xf32, iter_space: [4,1,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)>
func.func @main(%x: !b) {
  %once = df.converter %x : !b -> !c
  %twice = df.converter %x : !b -> !c
  %none = df.converter %x : !b -> !also_b
  %0 = df.dma_write %once : !c -> tensor<8x8xf32>
  %1 = df.dma_write %twice : !c -> tensor<8x8xf32>
  %2 = df.dma_write %none : !also_b -> tensor<8x8xf32>
  func.return
}
