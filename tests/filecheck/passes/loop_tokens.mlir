// PASSES: loop-layers{layers=2},loop-tokens{tokens=3}
// The token goes back to the DMA of the input, and new entries go to the DMA of the cache, which has room for a whole one.
// The edge case: the last of the three places for entries is the cache's last.

// CHECK: df.kernel "group0" layers 2 steps 3(
// CHECK: %[[ENTRY:[a-z_0-9]+]] = df.stream "again_store_entry__load_k_cache" sized "tokens" : !df.stream<{{.*}}, depth: 2>
// CHECK: %[[CHOSEN:[a-z_0-9]+]] = df.stream "again_store_choice__load_x" sized "tokens"
// CHECK: df.dma_read %{{[a-z_0-9]+}}, %[[CHOSEN]] layout [1,1,1,1,1,16] beat 512 channel 0 rows 16
// CHECK: df.enter
// CHECK: df.dma_read %{{[a-z_0-9]+}}, %[[ENTRY]] layout [2,1,1,1,1,16] beat 512 channel 1
// CHECK: df.fork %{{[a-z_0-9]+}} named "again_store_entry" into %[[STORED:[a-z_0-9]+]], %[[ENTRY]]
// CHECK: df.dma_write %[[STORED]]
// CHECK: df.leave
// CHECK: df.fork %{{[a-z_0-9]+}} named "again_store_choice" into %{{[a-z_0-9]+}}, %[[CHOSEN]]
func.func @step(%x: tensor<1x16xf32>, %k: tensor<2x16xf32>) -> (tensor<1x16xf32>, tensor<1x2xf32>, tensor<1x16xf32>, tensor<1x1xf32>) attributes {sttest.arg_names = ["x", "k_cache"], sttest.arg_kinds = ["input", "cache"], sttest.result_names = ["y", "k_new", "logits", "token"]} {
  %r:4 = df.kernel "group0"(%x, %k : tensor<1x16xf32>, tensor<2x16xf32>) -> tensor<1x16xf32>, tensor<1x2xf32>, tensor<1x16xf32>, tensor<1x1xf32> {
  ^bb0(%x_1: tensor<1x16xf32>, %k_1: tensor<2x16xf32>):
    %load_x__op = df.stream "load_x__op" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %load_k__entry = df.stream "load_k__entry" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %entry__store = df.stream "entry__store" sized "lp-normal" : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [2]*[1], iter_map: (d0)->(0,d0)>, depth: 2>
    %op__fork = df.stream "op__fork" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %fork__store = df.stream "fork__store" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %fork__head = df.stream "fork__head" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %head__fork = df.stream "head__fork" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %fork__logits = df.stream "fork__logits" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %fork__choice = df.stream "fork__choice" sized "lp-normal" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %choice__store = df.stream "choice__store" sized "lp-normal" : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    df.dma_read %x_1 layout [1,1,1,1,1,16] beat 512 channel 0 origin "x" named "load_x" into %load_x__op : tensor<1x16xf32> into !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    df.dma_read %k_1 layout [2,1,1,1,1,16] beat 512 channel 1 origin "k_cache" named "load_k_cache" into %load_k__entry : tensor<2x16xf32> into !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    df.task "entry" loops [2,1] tile [1,16] kinds "parallel,reduction" init 0.000000e+00 : f32 lanes 1 origin "entry" accesses [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d0)>] ins(%load_k__entry : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [2]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) into(%entry__store : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [2]*[1], iter_map: (d0)->(0,d0)>, depth: 2>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      df.yield %s : f32
    }
    %0 = df.dma_write %entry__store layout [1,2,1,1,1,1] beat 512 channel 2 origin "entry" named "store_entry" : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [2]*[1], iter_map: (d0)->(0,d0)>, depth: 2> -> tensor<1x2xf32>
    df.task "op" loops [1,1] tile [1,16] kinds "parallel,parallel" lanes 1 origin "op" accesses [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] ins(%load_x__op : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) into(%op__fork : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      df.yield %s : f32
    }
    df.fork %op__fork named "fork_op" into %fork__store, %fork__head : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2> into !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>, !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %1 = df.dma_write %fork__store layout [1,1,1,1,1,16] beat 512 channel 3 origin "op" named "store_op" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2> -> tensor<1x16xf32>
    df.task "head" loops [1,1] tile [1,16] kinds "parallel,parallel" lanes 1 origin "head" accesses [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] ins(%fork__head : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) into(%head__fork : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.mulf %a, %a : f32
      df.yield %s : f32
    }
    df.fork %head__fork named "fork_head" into %fork__logits, %fork__choice : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2> into !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>, !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>
    %2 = df.dma_write %fork__logits layout [1,1,1,1,1,16] beat 512 channel 4 origin "head" named "store_head" : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2> -> tensor<1x16xf32>
    df.task "choice" loops [1,1] tile [1,16] kinds "parallel,reduction" init 0.000000e+00 : f32 lanes 1 origin "choice" accesses [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>] ins(%fork__choice : !df.stream<!df.itensor<vector<1x16xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) into(%choice__store : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.minimumf %a, %o : f32
      df.yield %s : f32
    }
    %3 = df.dma_write %choice__store layout [1,1,1,1,1,1] beat 512 channel 5 origin "choice" named "store_choice" : !df.stream<!df.itensor<vector<1x1xf32>, iter_space: [1]*[1], iter_map: (d0)->(d0,0)>, depth: 2> -> tensor<1x1xf32>
    df.yield %1, %0, %2, %3 : tensor<1x16xf32>, tensor<1x2xf32>, tensor<1x16xf32>, tensor<1x1xf32>
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<1x16xf32>, tensor<1x2xf32>, tensor<1x16xf32>, tensor<1x1xf32>
}
