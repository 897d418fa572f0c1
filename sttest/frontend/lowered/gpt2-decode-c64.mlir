#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map11 = affine_map<(d0, d1, d2) -> (d2)>
#map12 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024x4096xf32>, tensor<4096xf32>, tensor<4096x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>, tensor<64xf32>, tensor<16x64x64xf32>, tensor<16x64x64xf32>) -> (tensor<1x1024xf32>, tensor<16x1x64xf32>, tensor<16x1x64xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1024xf32>, %arg1: tensor<1024xf32>, %arg2: tensor<1024x1024xf32>, %arg3: tensor<1024xf32>, %arg4: tensor<1024x1024xf32>, %arg5: tensor<1024xf32>, %arg6: tensor<1024x1024xf32>, %arg7: tensor<1024xf32>, %arg8: tensor<1024x1024xf32>, %arg9: tensor<1024xf32>, %arg10: tensor<1024xf32>, %arg11: tensor<1024xf32>, %arg12: tensor<1024x4096xf32>, %arg13: tensor<4096xf32>, %arg14: tensor<4096x1024xf32>, %arg15: tensor<1024xf32>, %arg16: tensor<1x1024xf32>, %arg17: tensor<64xf32>, %arg18: tensor<16x64x64xf32>, %arg19: tensor<16x64x64xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 9.765625E-4 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %9 = "tensor.empty"() : () -> tensor<1x1024xf32>
    %10 = "tensor.empty"() : () -> tensor<1xf32>
    %11 = "linalg.fill"(%0, %10) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg130: f32, %arg131: f32):
      "linalg.yield"(%arg130) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %12 = "linalg.generic"(%arg16, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg128: f32, %arg129: f32):
      %136 = "arith.mulf"(%arg128, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %137 = "arith.addf"(%136, %arg129) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%137) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %13 = "linalg.generic"(%arg16, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32):
      %134 = "arith.mulf"(%arg126, %arg126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %135 = "arith.addf"(%134, %arg127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %14 = "linalg.generic"(%13, %12, %10) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32, %arg125: f32):
      %127 = "arith.mulf"(%arg124, %arg124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.mulf"(%arg123, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %129 = "arith.subf"(%128, %127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %130 = "arith.cmpf"(%129, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %131 = "arith.select"(%130, %129, %0) : (i1, f32, f32) -> f32
      %132 = "arith.addf"(%131, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %133 = "math.rsqrt"(%132) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %15 = "linalg.generic"(%arg16, %12, %14, %arg0, %arg1, %9) <{indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32, %arg119: f32, %arg120: f32, %arg121: f32, %arg122: f32):
      %123 = "arith.subf"(%arg117, %arg118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %124 = "arith.mulf"(%123, %arg119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.mulf"(%124, %arg120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %126 = "arith.addf"(%125, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %16 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg115: f32, %arg116: f32):
      "linalg.yield"(%arg115) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %17 = "linalg.generic"(%15, %arg2, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32, %arg114: f32):
      %121 = "arith.mulf"(%arg112, %arg113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.addf"(%arg114, %121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%122) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %18 = "linalg.generic"(%17, %arg3, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32, %arg111: f32):
      %120 = "arith.addf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %19 = "tensor.expand_shape"(%18) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %20 = "linalg.generic"(%15, %arg4, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32, %arg108: f32):
      %118 = "arith.mulf"(%arg106, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "arith.addf"(%arg108, %118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%119) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %21 = "linalg.generic"(%20, %arg5, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32, %arg105: f32):
      %117 = "arith.addf"(%arg103, %arg104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %22 = "tensor.expand_shape"(%21) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %23 = "linalg.generic"(%15, %arg6, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg100: f32, %arg101: f32, %arg102: f32):
      %115 = "arith.mulf"(%arg100, %arg101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "arith.addf"(%arg102, %115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %24 = "linalg.generic"(%23, %arg7, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg97: f32, %arg98: f32, %arg99: f32):
      %114 = "arith.addf"(%arg97, %arg98) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %25 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %26 = "tensor.empty"() : () -> tensor<1x16x64xf32>
    %27 = "linalg.fill"(%0, %26) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32):
      "linalg.yield"(%arg95) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %28 = "linalg.generic"(%19, %arg18, %27) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32, %arg94: f32):
      %112 = "arith.mulf"(%arg92, %arg93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%112, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x16x64xf32>, tensor<16x64x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %29 = "linalg.generic"(%28, %arg17, %26) <{indexing_maps = [#map10, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg89: f32, %arg90: f32, %arg91: f32):
      %110 = "arith.mulf"(%arg89, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.addf"(%110, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x16x64xf32>, tensor<64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %30 = "tensor.empty"() : () -> tensor<1x16xf32>
    %31 = "linalg.fill"(%0, %30) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32):
      "linalg.yield"(%arg87) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %32 = "linalg.generic"(%19, %22, %31) <{indexing_maps = [#map10, #map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32, %arg86: f32):
      %108 = "arith.mulf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %109 = "arith.addf"(%108, %arg86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x16x64xf32>, tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %33 = "linalg.generic"(%32, %30) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32):
      %107 = "arith.mulf"(%arg82, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %34 = "linalg.fill"(%1, %30) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      "linalg.yield"(%arg80) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %35 = "linalg.generic"(%29, %34) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32):
      %106 = "arith.maximumf"(%arg78, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %36 = "linalg.generic"(%35, %33, %30) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32, %arg77: f32):
      %104 = "arith.cmpf"(%arg75, %arg76) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %105 = "arith.select"(%104, %arg75, %arg76) : (i1, f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %37 = "linalg.generic"(%29, %36, %26) <{indexing_maps = [#map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32, %arg74: f32):
      %102 = "arith.subf"(%arg72, %arg73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "math.exp"(%102) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %38 = "linalg.generic"(%33, %36, %30) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32, %arg71: f32):
      %100 = "arith.subf"(%arg69, %arg70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "math.exp"(%100) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %39 = "linalg.generic"(%37, %31) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32):
      %99 = "arith.addf"(%arg67, %arg68) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %40 = "linalg.generic"(%37, %arg19, %27) <{indexing_maps = [#map9, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32, %arg66: f32):
      %97 = "arith.mulf"(%arg64, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "arith.addf"(%97, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%98) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x16x64xf32>, tensor<16x64x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %41 = "linalg.generic"(%40, %38, %25, %39, %26) <{indexing_maps = [#map10, #map6, #map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32, %arg61: f32, %arg62: f32, %arg63: f32):
      %93 = "arith.addf"(%arg62, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %94 = "arith.mulf"(%arg60, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "arith.addf"(%arg59, %94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "arith.divf"(%95, %93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%96) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %42 = "tensor.collapse_shape"(%41) <{reassociation = [[0], [1, 2]]}> : (tensor<1x16x64xf32>) -> tensor<1x1024xf32>
    %43 = "linalg.generic"(%42, %arg8, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %91 = "arith.mulf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "arith.addf"(%arg58, %91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %44 = "tensor.empty"() : () -> tensor<16x1x64xf32>
    %45 = "linalg.generic"(%22, %44) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32):
      "linalg.yield"(%arg54) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x16x64xf32>, tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
    %46 = "linalg.generic"(%25, %44) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32):
      "linalg.yield"(%arg52) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x16x64xf32>, tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
    %47 = "linalg.generic"(%arg16, %43, %arg9, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32, %arg50: f32, %arg51: f32):
      %89 = "arith.addf"(%arg49, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.addf"(%arg48, %89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %48 = "linalg.generic"(%47, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32):
      %87 = "arith.mulf"(%arg46, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.addf"(%87, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %49 = "linalg.generic"(%47, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      %85 = "arith.mulf"(%arg44, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "arith.addf"(%85, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %50 = "linalg.generic"(%49, %48, %10) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32, %arg43: f32):
      %78 = "arith.mulf"(%arg42, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "arith.mulf"(%arg41, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %80 = "arith.subf"(%79, %78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %81 = "arith.cmpf"(%80, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %82 = "arith.select"(%81, %80, %0) : (i1, f32, f32) -> f32
      %83 = "arith.addf"(%82, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %84 = "math.rsqrt"(%83) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %51 = "linalg.generic"(%47, %48, %50, %arg10, %arg11, %9) <{indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32, %arg37: f32, %arg38: f32, %arg39: f32, %arg40: f32):
      %74 = "arith.subf"(%arg35, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.mulf"(%74, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %76 = "arith.mulf"(%75, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %77 = "arith.addf"(%76, %arg39) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%77) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %52 = "tensor.empty"() : () -> tensor<1x4096xf32>
    %53 = "linalg.fill"(%0, %52) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32):
      "linalg.yield"(%arg33) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (f32, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %54 = "linalg.generic"(%51, %arg12, %53) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32, %arg32: f32):
      %72 = "arith.mulf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %73 = "arith.addf"(%arg32, %72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%73) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (tensor<1x1024xf32>, tensor<1024x4096xf32>, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %55 = "linalg.generic"(%54, %arg13, %52) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32, %arg29: f32):
      %62 = "arith.addf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %63 = "arith.mulf"(%62, %62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %64 = "arith.mulf"(%63, %62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %65 = "arith.mulf"(%64, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %66 = "arith.addf"(%62, %65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %67 = "arith.mulf"(%66, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "math.tanh"(%67) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %69 = "arith.addf"(%68, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %70 = "arith.mulf"(%62, %69) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %71 = "arith.mulf"(%70, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%71) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x4096xf32>, tensor<4096xf32>, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %56 = "linalg.generic"(%55, %arg14, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %60 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %61 = "arith.addf"(%arg26, %60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%61) : (f32) -> ()
    }) {sttest.source = "mlp.fc2"} : (tensor<1x4096xf32>, tensor<4096x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %57 = "linalg.generic"(%47, %56, %arg15, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32, %arg23: f32):
      %58 = "arith.addf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %59 = "arith.addf"(%arg20, %58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%59) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    "func.return"(%57, %45, %46) : (tensor<1x1024xf32>, tensor<16x1x64xf32>, tensor<16x1x64xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "cache", "cache"], sttest.arg_names = ["attn_norm.weight", "attn_norm.bias", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "attn.o_proj.bias", "mlp_norm.weight", "mlp_norm.bias", "mlp.fc1.weight", "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias", "x", "mask", "k_cache", "v_cache"], sttest.context = 64 : i64, sttest.model = "gpt2", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
