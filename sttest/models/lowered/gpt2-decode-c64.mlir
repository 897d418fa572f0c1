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
    ^bb0(%arg132: f32, %arg133: f32):
      "linalg.yield"(%arg132) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %12 = "linalg.generic"(%arg16, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg130: f32, %arg131: f32):
      %130 = "arith.mulf"(%arg130, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %131 = "arith.addf"(%130, %arg131) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %13 = "linalg.generic"(%arg16, %12, %9) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg127: f32, %arg128: f32, %arg129: f32):
      %129 = "arith.subf"(%arg127, %arg128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %14 = "linalg.generic"(%13, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg125: f32, %arg126: f32):
      %127 = "arith.mulf"(%arg125, %arg125) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.addf"(%127, %arg126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %15 = "linalg.generic"(%14, %10) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32):
      %124 = "arith.mulf"(%arg123, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%124, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %126 = "math.rsqrt"(%125) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %16 = "linalg.generic"(%13, %15, %arg0, %arg1, %9) <{indexing_maps = [#map, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg118: f32, %arg119: f32, %arg120: f32, %arg121: f32, %arg122: f32):
      %121 = "arith.mulf"(%arg118, %arg119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.mulf"(%121, %arg120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.addf"(%122, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %17 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg116: f32, %arg117: f32):
      "linalg.yield"(%arg116) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %18 = "linalg.generic"(%16, %arg2, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32, %arg115: f32):
      %119 = "arith.mulf"(%arg113, %arg114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.addf"(%arg115, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %19 = "linalg.generic"(%18, %arg3, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg110: f32, %arg111: f32, %arg112: f32):
      %118 = "arith.addf"(%arg110, %arg111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %20 = "tensor.expand_shape"(%19) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %21 = "linalg.generic"(%16, %arg4, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg107: f32, %arg108: f32, %arg109: f32):
      %116 = "arith.mulf"(%arg107, %arg108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.addf"(%arg109, %116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %22 = "linalg.generic"(%21, %arg5, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32, %arg106: f32):
      %115 = "arith.addf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %23 = "tensor.expand_shape"(%22) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %24 = "linalg.generic"(%16, %arg6, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32, %arg103: f32):
      %113 = "arith.mulf"(%arg101, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "arith.addf"(%arg103, %113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %25 = "linalg.generic"(%24, %arg7, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32, %arg100: f32):
      %112 = "arith.addf"(%arg98, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%112) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %26 = "tensor.expand_shape"(%25) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %27 = "tensor.empty"() : () -> tensor<1x16x64xf32>
    %28 = "linalg.fill"(%0, %27) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32):
      "linalg.yield"(%arg96) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %29 = "linalg.generic"(%20, %arg18, %28) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %110 = "arith.mulf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.addf"(%110, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x16x64xf32>, tensor<16x64x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %30 = "linalg.generic"(%29, %arg17, %27) <{indexing_maps = [#map10, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32, %arg92: f32):
      %108 = "arith.mulf"(%arg90, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %109 = "arith.addf"(%108, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x16x64xf32>, tensor<64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %31 = "tensor.empty"() : () -> tensor<1x16xf32>
    %32 = "linalg.fill"(%0, %31) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32):
      "linalg.yield"(%arg88) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %33 = "linalg.generic"(%20, %23, %32) <{indexing_maps = [#map10, #map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32, %arg87: f32):
      %106 = "arith.mulf"(%arg85, %arg86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%106, %arg87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x16x64xf32>, tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %34 = "linalg.generic"(%33, %31) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32):
      %105 = "arith.mulf"(%arg83, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %35 = "linalg.fill"(%1, %31) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32):
      "linalg.yield"(%arg81) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %36 = "linalg.generic"(%30, %35) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32):
      %104 = "arith.maximumf"(%arg79, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %37 = "linalg.generic"(%36, %34, %31) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32, %arg78: f32):
      %102 = "arith.cmpf"(%arg76, %arg77) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %103 = "arith.select"(%102, %arg76, %arg77) : (i1, f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %38 = "linalg.generic"(%30, %37, %27) <{indexing_maps = [#map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32):
      %100 = "arith.subf"(%arg73, %arg74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "math.exp"(%100) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %39 = "linalg.generic"(%34, %37, %31) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32, %arg72: f32):
      %98 = "arith.subf"(%arg70, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "math.exp"(%98) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %40 = "linalg.generic"(%38, %32) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      %97 = "arith.addf"(%arg68, %arg69) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %41 = "linalg.generic"(%38, %arg19, %28) <{indexing_maps = [#map9, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %95 = "arith.mulf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "arith.addf"(%95, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%96) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x16x64xf32>, tensor<16x64x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %42 = "linalg.generic"(%41, %39, %26, %40, %27) <{indexing_maps = [#map10, #map6, #map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32, %arg62: f32, %arg63: f32, %arg64: f32):
      %91 = "arith.addf"(%arg63, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "arith.mulf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %93 = "arith.addf"(%arg60, %92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %94 = "arith.divf"(%93, %91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {sttest.source = "attn.normalise"} : (tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %43 = "tensor.collapse_shape"(%42) <{reassociation = [[0], [1, 2]]}> : (tensor<1x16x64xf32>) -> tensor<1x1024xf32>
    %44 = "linalg.generic"(%43, %arg8, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %89 = "arith.mulf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.addf"(%arg59, %89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %45 = "tensor.empty"() : () -> tensor<16x1x64xf32>
    %46 = "linalg.generic"(%23, %45) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg55: f32, %arg56: f32):
      "linalg.yield"(%arg55) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x16x64xf32>, tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
    %47 = "linalg.generic"(%26, %45) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32):
      "linalg.yield"(%arg53) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x16x64xf32>, tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
    %48 = "linalg.generic"(%arg16, %44, %arg9, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32, %arg51: f32, %arg52: f32):
      %87 = "arith.addf"(%arg50, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.addf"(%arg49, %87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %49 = "linalg.generic"(%48, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32):
      %85 = "arith.mulf"(%arg47, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "arith.addf"(%85, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %50 = "linalg.generic"(%48, %49, %9) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32, %arg46: f32):
      %84 = "arith.subf"(%arg44, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %51 = "linalg.generic"(%50, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32):
      %82 = "arith.mulf"(%arg42, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %83 = "arith.addf"(%82, %arg43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%83) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %52 = "linalg.generic"(%51, %10) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32):
      %79 = "arith.mulf"(%arg40, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %80 = "arith.addf"(%79, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %81 = "math.rsqrt"(%80) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%81) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %53 = "linalg.generic"(%50, %52, %arg10, %arg11, %9) <{indexing_maps = [#map, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32, %arg37: f32, %arg38: f32, %arg39: f32):
      %76 = "arith.mulf"(%arg35, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %77 = "arith.mulf"(%76, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %78 = "arith.addf"(%77, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%78) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %54 = "tensor.empty"() : () -> tensor<1x4096xf32>
    %55 = "linalg.fill"(%0, %54) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32):
      "linalg.yield"(%arg33) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (f32, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %56 = "linalg.generic"(%53, %arg12, %55) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32, %arg32: f32):
      %74 = "arith.mulf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.addf"(%arg32, %74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (tensor<1x1024xf32>, tensor<1024x4096xf32>, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %57 = "linalg.generic"(%56, %arg13, %54) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32, %arg29: f32):
      %64 = "arith.addf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %65 = "arith.mulf"(%64, %64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %66 = "arith.mulf"(%65, %64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %67 = "arith.mulf"(%66, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "arith.addf"(%64, %67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %69 = "arith.mulf"(%68, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %70 = "math.tanh"(%69) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %71 = "arith.addf"(%70, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %72 = "arith.mulf"(%64, %71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %73 = "arith.mulf"(%72, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%73) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x4096xf32>, tensor<4096xf32>, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %58 = "linalg.generic"(%57, %arg14, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %62 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %63 = "arith.addf"(%arg26, %62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%63) : (f32) -> ()
    }) {sttest.source = "mlp.fc2"} : (tensor<1x4096xf32>, tensor<4096x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %59 = "linalg.generic"(%48, %58, %arg15, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32, %arg23: f32):
      %60 = "arith.addf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %61 = "arith.addf"(%arg20, %60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%61) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    "func.return"(%59, %46, %47) : (tensor<1x1024xf32>, tensor<16x1x64xf32>, tensor<16x1x64xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "cache", "cache"], sttest.arg_names = ["attn_norm.weight", "attn_norm.bias", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "attn.o_proj.bias", "mlp_norm.weight", "mlp_norm.bias", "mlp.fc1.weight", "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias", "x", "mask", "k_cache", "v_cache"], sttest.context = 64 : i64, sttest.model = "gpt2", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
