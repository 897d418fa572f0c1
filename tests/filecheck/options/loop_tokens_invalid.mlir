// ERRORS: loop-layers{layers=2},loop-tokens{tokens=3}
// A block whose result is no token has nothing to go on with.

// CHECK: loop-tokens: nothing chooses a token, or reads what one begins with; compile with --head
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