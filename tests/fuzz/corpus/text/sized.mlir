builtin.module attributes {sttest.target = #df.target<"u55c">} {
  func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x128xf32>) -> tensor<32x128xf32> {
    %op = df.kernel "group0"(%x, %w : tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32> {
    ^bb0(%x_1: tensor<32x64xf32>, %w_1: tensor<64x128xf32>):
      %load_x__op = df.stream "load_x__op" sized "folded" : !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,4,8,8]*[16,16,16,2,2], iter_map: (d0,d1,d2,d3,d4)->((d0 + d3),(d2 + d4))>, depth: 2>
      %load_w__op = df.stream "load_w__op" sized "folded" : !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,4,8,8]*[16,16,16,2,2], iter_map: (d0,d1,d2,d3,d4)->((d2 + d3),(d1 + d4))>, depth: 2>
      %op__store_op = df.stream "op__store_op" sized "lp-normal" : !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,8,8]*[16,16,2,2], iter_map: (d0,d1,d2,d3)->((d0 + d2),(d1 + d3))>, depth: 78>
      df.dma_read %x_1 layout [2,4,8,8,2,2] beat 512 folded channel 0 origin "x" named "load_x" into %load_x__op : tensor<32x64xf32> into !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,4,8,8]*[16,16,16,2,2], iter_map: (d0,d1,d2,d3,d4)->((d0 + d3),(d2 + d4))>, depth: 2>
      df.dma_read %w_1 layout [4,8,8,8,2,2] beat 512 folded channel 1 origin "w" named "load_w" into %load_w__op : tensor<64x128xf32> into !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,4,8,8]*[16,16,16,2,2], iter_map: (d0,d1,d2,d3,d4)->((d2 + d3),(d1 + d4))>, depth: 2>
      df.task "op" loops [2,8,4] tile [16,16,16] kinds "parallel,parallel,reduction" init 0.000000e+00 : f32 contracts pairwise lanes 64 origin "op" accesses [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>] ins(%load_x__op, %load_w__op : !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,4,8,8]*[16,16,16,2,2], iter_map: (d0,d1,d2,d3,d4)->((d0 + d3),(d2 + d4))>, depth: 2>, !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,4,8,8]*[16,16,16,2,2], iter_map: (d0,d1,d2,d3,d4)->((d2 + d3),(d1 + d4))>, depth: 2>) into(%op__store_op : !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,8,8]*[16,16,2,2], iter_map: (d0,d1,d2,d3)->((d0 + d2),(d1 + d3))>, depth: 78>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %sum, %p : f32
        df.yield %s : f32
      }
      %0 = df.dma_write %op__store_op layout [2,8,8,8,2,2] beat 512 channel 2 origin "op" named "store_op" : !df.stream<!df.itensor<vector<2x2xf32>, iter_space: [2,8,8,8]*[16,16,2,2], iter_map: (d0,d1,d2,d3)->((d0 + d2),(d1 + d3))>, depth: 78> -> tensor<32x128xf32>
      df.yield %0 : tensor<32x128xf32>
    }
    func.return %op : tensor<32x128xf32>
  }
}
