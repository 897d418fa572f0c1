// PASSES: index-dmas
// The numbers go to the DMA of the parameter as well; its two parts of four come in one run of words each.  A DMA of a
// parameter that is not indexed stays as it is.

// CHECK: %[[NUMBERS:[a-z_0-9]+]] = df.stream "index_store_choice__load_w" : !df.stream<{{.*}}, depth: 2>
// CHECK: df.dma_read %{{[a-z_0-9]+}}, %[[NUMBERS]] layout [2,1,1,1,1,16] beat 512 packed channel 1 parts [2,4,0,1]
// CHECK: df.dma_read %{{[a-z_0-9]+}} layout [1,1,1,1,1,16] beat 512 packed channel 2 origin "v"
// CHECK: df.fork %{{[a-z_0-9]+}} named "index_store_choice" into %[[STORED:[a-z_0-9]+]], %[[NUMBERS]]
// CHECK: df.dma_write %[[STORED]]
func.func @step(%x: tensor<2x16xf32>, %w: tensor<2x16xf32>, %v: tensor<1x16xf32>) -> (tensor<1x2xf32>, tensor<2x16xf32>, tensor<1x16xf32>) attributes {sttest.arg_names = ["x", "w", "v"], sttest.arg_kinds = ["input", "parameter", "parameter"], sttest.result_names = ["choice", "y", "z"], sttest.indexed = ["w:0"], sttest.index = "choice", sttest.index_range = 4 : i64} {
  %r:3 = df.kernel "group0"(%x, %w, %v : tensor<2x16xf32>, tensor<2x16xf32>, tensor<1x16xf32>) -> tensor<1x2xf32>, tensor<2x16xf32>, tensor<1x16xf32> {
  ^bb0(%x_1: tensor<2x16xf32>, %w_1: tensor<2x16xf32>, %v_1: tensor<1x16xf32>):
    %load_x__choice = df.stream "load_x__choice" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %choice__store = df.stream "choice__store" : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [2]*[1], iter_map: (d0)->(0,d0)>, depth: 2>
    %load_w__store = df.stream "load_w__store" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %load_v__store = df.stream "load_v__store" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    df.dma_read %x_1 layout [2,1,1,1,1,16] beat 512 channel 0 origin "x" named "load_x" into %load_x__choice : tensor<2x16xf32> into !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    df.dma_read %w_1 layout [2,1,1,1,1,16] beat 512 packed channel 1 origin "w" named "load_w" into %load_w__store : tensor<2x16xf32> into !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    df.dma_read %v_1 layout [1,1,1,1,1,16] beat 512 packed channel 2 origin "v" named "load_v" into %load_v__store : tensor<1x16xf32> into !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    df.task "choice" loops [2,1] tile [1,16] kinds "parallel,reduction" init 0.000000e+00 : f32 lanes 1 origin "choice" accesses [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d0)>] ins(%load_x__choice : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) into(%choice__store : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [2]*[1], iter_map: (d0)->(0,d0)>, depth: 2>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      df.yield %s : f32
    }
    %0 = df.dma_write %choice__store layout [1,2,1,1,1,1] beat 512 channel 3 origin "choice" named "store_choice" : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [2]*[1], iter_map: (d0)->(0,d0)>, depth: 2> -> tensor<1x2xf32>
    %1 = df.dma_write %load_w__store layout [2,1,1,1,1,16] beat 512 channel 4 origin "y" named "store_y" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2> -> tensor<2x16xf32>
    %2 = df.dma_write %load_v__store layout [1,1,1,1,1,16] beat 512 channel 5 origin "z" named "store_z" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2> -> tensor<1x16xf32>
    df.yield %0, %1, %2 : tensor<1x2xf32>, tensor<2x16xf32>, tensor<1x16xf32>
  }
  func.return %r#0, %r#1, %r#2 : tensor<1x2xf32>, tensor<2x16xf32>, tensor<1x16xf32>
}
