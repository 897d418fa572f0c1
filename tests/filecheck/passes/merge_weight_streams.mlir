// PASSES: merge-weight-streams,assign-channels
// Parameters that the tasks of an engine read in turn form a queue, in the order of the turns and on the same channels.
// The edge cases: what only one task reads from memory, inputs, and tasks that share nothing.

// CHECK: %x = df.dma_read
// CHECK-NOT: queue
// CHECK-SAME: origin "x"
// CHECK: %u_slice0 = df.dma_read
// CHECK-NOT: queue
// CHECK-SAME: origin "u"
// CHECK: %w_slice0 = df.dma_read %p layout [8,8,1,1,2,16] beat 512 packed folded slice [0,8] channel 5 queue "twice_weight" origin "first_weight"
// CHECK: %w_slice7 = df.dma_read %p {{.*}} slice [7,8] channel 12 queue "twice_weight" origin "first_weight"
// CHECK: %w = df.gather %w_slice0, {{.*}}, %w_slice7 folded queue "twice_weight" :
// CHECK: %v_slice0 = df.dma_read %r layout [8,8,1,1,2,16] beat 512 packed folded slice [0,8] channel 5 queue "twice_weight" origin "second_weight"
// CHECK: %v = df.gather %v_slice0, {{.*}}, %v_slice7 folded queue "twice_weight" :
// CHECK: %m = df.task "first" {{.*}} ins(%w, %x
// CHECK: %n = df.task "second" {{.*}} ins(%v, %g
!tiles = !df.itensor<16x16xi8, iter_space: [8,8]*[16,16], iter_map: (d0,d1)->(d0,d1)>
module attributes {sttest.target = #df.target<"u55c">} {
func.func @main(%weight: tensor<128x128xi8>, %input: tensor<128x128xi8>, %other: tensor<128x128xi8>, %third: tensor<128x128xi8>) -> tensor<128x128xi8>
    attributes {sttest.arg_names = ["w", "x", "v", "u"], sttest.arg_kinds = ["parameter", "input", "parameter", "parameter"]} {
  %k = df.kernel "k"(%weight, %input, %other, %third : tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>) -> tensor<128x128xi8> {
  ^bb0(%p: tensor<128x128xi8>, %q: tensor<128x128xi8>, %r: tensor<128x128xi8>, %t: tensor<128x128xi8>):
    %v = df.dma_read %r layout [8,8,4,1,4,16] beat 512 packed folded origin "second_weight" : tensor<128x128xi8> -> !tiles
    %x = df.dma_read %q layout [8,8,4,1,4,16] beat 512 origin "x" : tensor<128x128xi8> -> !tiles
    %u = df.dma_read %t layout [8,8,4,1,4,16] beat 512 packed folded origin "u" : tensor<128x128xi8> -> !tiles
    %w = df.dma_read %p layout [8,8,4,1,4,16] beat 512 packed folded origin "first_weight" : tensor<128x128xi8> -> !tiles
    %m = df.task "first" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 256 engine "twice" ins(%w, %x : !tiles, !tiles) -> !tiles {
    ^bb0(%i: i8, %j: i8, %o: i8):
      %a = arith.addi %i, %j : i8
      df.yield %a : i8
    }
    %g = df.task "between" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 256 ins(%m, %u : !tiles, !tiles) -> !tiles {
    ^bb0(%i: i8, %j: i8, %o: i8):
      %a = arith.muli %i, %j : i8
      df.yield %a : i8
    }
    %n = df.task "second" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 256 engine "twice" ins(%v, %g : !tiles, !tiles) -> !tiles {
    ^bb0(%i: i8, %j: i8, %o: i8):
      %a = arith.addi %i, %j : i8
      df.yield %a : i8
    }
    %out = df.dma_write %n origin "y" : !tiles -> tensor<128x128xi8>
    df.yield %out : tensor<128x128xi8>
  }
  func.return %k : tensor<128x128xi8>
}
}
