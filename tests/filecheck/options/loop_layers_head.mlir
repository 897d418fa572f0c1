// PASSES: loop-layers{layers=3}
// What reads a block's result besides its DMA, here a head with a parameter of its own, has that of the last layer:
// it stands behind `df.leave`, before which nothing but the block is left.

// CHECK: df.kernel "group0" layers 3(
// CHECK: df.enter
// CHECK: df.task "op"
// CHECK-SAME: into(%[[MADE:[a-z_0-9]+]] :
// CHECK: df.leave %[[MADE]] named "leave_layer" into %{{[a-z_0-9]+}}, %[[LAST:[a-z_0-9]+]]
// CHECK: df.fork %[[LAST]]
// CHECK-SAME: into %[[STORE:[a-z_0-9]+]], %[[HEAD:[a-z_0-9]+]] :
// CHECK: df.task "head"
// CHECK-SAME: ins(%[[HEAD]],
// CHECK: df.dma_write %[[STORE]]
func.func @block(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) attributes {sttest.arg_names = ["x", "head.weight"], sttest.arg_kinds = ["input", "parameter"], sttest.result_names = ["y", "logits"]} {
  %y, %logits = df.kernel "group0"(%x, %w : tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>, tensor<64xf32> {
  ^bb0(%x_1: tensor<64xf32>, %w_1: tensor<64xf32>):
    %load_x__op = df.stream "load_x__op" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    %op__fork_op = df.stream "op__fork_op" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    %fork_op__store_op = df.stream "fork_op__store_op" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    %fork_op__head = df.stream "fork_op__head" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    %load_w__head = df.stream "load_w__head" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    %head__store_head = df.stream "head__store_head" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    df.dma_read %x_1 layout [4,1,16] beat 512 channel 0 origin "x" named "load_x" into %load_x__op : tensor<64xf32> into !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    df.task "op" loops [4] tile [16] kinds "parallel" lanes 16 origin "op" accesses [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] ins(%load_x__op : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>) into(%op__fork_op : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>) {
    ^bb0(%a0: f32, %o: f32):
      %s = arith.addf %a0, %a0 : f32
      df.yield %s : f32
    }
    df.fork %op__fork_op named "fork_op" into %fork_op__store_op, %fork_op__head : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2> into !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>, !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    df.dma_read %w_1 layout [4,1,16] beat 512 channel 1 origin "head.weight" named "load_w" into %load_w__head : tensor<64xf32> into !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    df.task "head" loops [4] tile [16] kinds "parallel" lanes 16 origin "head" accesses [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] ins(%fork_op__head, %load_w__head : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>, !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>) into(%head__store_head : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      df.yield %s : f32
    }
    %0 = df.dma_write %fork_op__store_op layout [4,1,16] beat 512 channel 2 origin "op" named "store_op" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2> -> tensor<64xf32>
    %1 = df.dma_write %head__store_head layout [4,1,16] beat 512 channel 3 origin "head" named "store_head" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2> -> tensor<64xf32>
    df.yield %0, %1 : tensor<64xf32>, tensor<64xf32>
  }
  func.return %y, %logits : tensor<64xf32>, tensor<64xf32>
}
