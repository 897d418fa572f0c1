// PASSES: loop-layers{layers=3},schedule-processes
// A turn for every node: tasks and what passes tokens on have nests, DMAs walk memory, what enters a layer counts layers.

// CHECK: sched.kernel "group0" layers 3 steps 1 {
// CHECK-NEXT: sched.process "load_x" "dma" {
// CHECK-NEXT: sched.turn "load_x" once origin "x" {
// CHECK-NEXT: sched.walk "read" "load_x__op" tokens 4 bytes 64 bank 0 burst 256 outstanding 16
// CHECK: sched.process "enter_layer" "layers"
// CHECK: sched.port "load_x__op" "read" at [0]
// CHECK: sched.port "layer__layer" "read" at [0]
// CHECK: sched.process "op" "compute"
// CHECK-NEXT: sched.turn "op" origin "op"
// CHECK-NEXT: sched.nest [4] left 0 interval 1 latency 9 gap 2
// CHECK-NEXT: sched.port "load_x__layer" "read" at [0]
// CHECK-NEXT: sched.port "layer__store_op" "write" at [8]
// CHECK: sched.walk "write" "op__store_op"
// CHECK-SAME: gap 4
module attributes {sttest.target = #df.target<"u55c">} {
  func.func @block(%x: tensor<64xf32>) -> tensor<64xf32> attributes {sttest.arg_names = ["x"], sttest.arg_kinds = ["input"], sttest.result_names = ["y"]} {
    %op = df.kernel "group0"(%x : tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%x_1: tensor<64xf32>):
      %load_x__op = df.stream "load_x__op" sized "folded" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
      %op__store_op = df.stream "op__store_op" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 3>
      df.dma_read %x_1 layout [4,1,16] beat 512 folded channel 0 origin "x" named "load_x" into %load_x__op : tensor<64xf32> into !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
      df.task "op" loops [4] tile [16] kinds "parallel" lanes 16 origin "op" accesses [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] ins(%load_x__op : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>) into(%op__store_op : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 3>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %a, %a : f32
        df.yield %s : f32
      }
      %0 = df.dma_write %op__store_op layout [4,1,16] beat 512 channel 1 origin "op" named "store_op" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 3> -> tensor<64xf32>
      df.yield %0 : tensor<64xf32>
    }
    func.return %op : tensor<64xf32>
  }
}
