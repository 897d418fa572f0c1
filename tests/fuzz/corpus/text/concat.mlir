// PASSES:
// Concatenations at both levels: along the outermost loop there is one turn, along an inner one as many as rows of tiles.

!tall = !df.itensor<2x4xf32, iter_space: [3,2]*[2,4], iter_map: (d0,d1)->(d0,d1)>
!wide = !df.itensor<2x4xf32, iter_space: [2,3]*[2,4], iter_map: (d0,d1)->(d0,d1)>
!part = !df.itensor<2x4xf32, iter_space: [2,2]*[2,4], iter_map: (d0,d1)->(d0,d1)>
!row = !df.itensor<2x4xf32, iter_space: [1,2]*[2,4], iter_map: (d0,d1)->(d0,d1)>
// The same order by another name: a loop of one trip counts for nothing.
!column = !df.itensor<2x4xf32, iter_space: [2]*[2], iter_map: (d0)->(d0,0)>
!part_fifo = !df.stream<!part, depth: 2>
!column_fifo = !df.stream<!column, depth: 2>
!wide_fifo = !df.stream<!wide, depth: 3>

// CHECK: %rows = df.concat %a, %b along 0 : !df.itensor<2x4xf32, {{.*}} -> !df.itensor<2x4xf32, iter_space: [3,2]
// CHECK: %columns = df.concat %a, %c along 1 origin "attn.mix" named "attn_mix_concat" : !df.itensor<2x4xf32, {{.*}} -> !df.itensor<2x4xf32, iter_space: [2,3]
func.func @itensors(%a: !part, %b: !row, %c: !column) -> (!tall, !wide) {
  %rows = df.concat %a, %b along 0 : !part, !row -> !tall
  %columns = df.concat %a, %c along 1 origin "attn.mix" named "attn_mix_concat" : !part, !column -> !wide
  func.return %rows, %columns : !tall, !wide
}

// CHECK: df.concat %a, %c along 1 named "join" into %w : !df.stream<!df.itensor<2x4xf32, {{.*}} into !df.stream<{{.*}} depth: 3>
func.func @streams(%a: !part_fifo, %c: !column_fifo, %w: !wide_fifo) {
  df.concat %a, %c along 1 named "join" into %w : !part_fifo, !column_fifo into !wide_fifo
  func.return
}
