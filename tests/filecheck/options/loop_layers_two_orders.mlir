// ERRORS: loop-layers{layers=3}
// Of two DMAs that read what enters a block only one would have what the layer before made.

// CHECK: loop-layers: 2 DMAs read the argument 'x', in different orders
func.func @block(%x: tensor<64xf32>) -> tensor<64xf32> attributes {sttest.arg_names = ["x"], sttest.arg_kinds = ["input"], sttest.result_names = ["y"]} {
  %y = df.kernel "group0"(%x, %x : tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%x_1: tensor<64xf32>, %x_2: tensor<64xf32>):
    %load_x__op = df.stream "load_x__op" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    %load_x_2__op = df.stream "load_x_2__op" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    %op__store_op = df.stream "op__store_op" sized "lp-normal" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    df.dma_read %x_1 layout [4,1,16] beat 512 channel 0 origin "x" named "load_x" into %load_x__op : tensor<64xf32> into !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    df.dma_read %x_2 layout [4,1,16] beat 512 channel 1 origin "x" named "load_x_2" into %load_x_2__op : tensor<64xf32> into !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>
    df.task "op" loops [4] tile [16] kinds "parallel" lanes 16 origin "op" accesses [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] ins(%load_x__op, %load_x_2__op : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>, !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>) into(%op__store_op : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2>) {
    ^bb0(%a0: f32, %a1: f32, %o: f32):
      %s = arith.addf %a0, %a1 : f32
      df.yield %s : f32
    }
    %0 = df.dma_write %op__store_op layout [4,1,16] beat 512 channel 2 origin "op" named "store_op" : !df.stream<!df.itensor<vector<16xf32>, iter_space: [4]*[16], iter_map: (d0)->(d0)>, depth: 2> -> tensor<64xf32>
    df.yield %0 : tensor<64xf32>
  }
  func.return %y : tensor<64xf32>
}
