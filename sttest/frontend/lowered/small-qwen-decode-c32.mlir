#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map16 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map17 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<256x128xf32>, tensor<1x128xf32>, tensor<32xf32>, tensor<1x2x2x16xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> (tensor<1x128xf32>, tensor<2x1x32xf32>, tensor<2x1x32xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<128xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<128x64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<128x64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<128x128xf32>, %arg8: tensor<128xf32>, %arg9: tensor<128x256xf32>, %arg10: tensor<128x256xf32>, %arg11: tensor<256x128xf32>, %arg12: tensor<1x128xf32>, %arg13: tensor<32xf32>, %arg14: tensor<1x2x2x16xf32>, %arg15: tensor<2x32x32xf32>, %arg16: tensor<2x32x32xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 7.812500e-03 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 0.176776692 : f32}> : () -> f32
    %6 = "tensor.empty"() : () -> tensor<1x128xf32>
    %7 = "tensor.empty"() : () -> tensor<1xf32>
    %8 = "linalg.fill"(%0, %7) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg130: f32, %arg131: f32):
      "linalg.yield"(%arg130) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %9 = "linalg.generic"(%arg12, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg128: f32, %arg129: f32):
      %127 = "arith.mulf"(%arg128, %arg128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.addf"(%127, %arg129) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %10 = "linalg.generic"(%9, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32):
      %124 = "arith.mulf"(%arg126, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%124, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %126 = "math.rsqrt"(%125) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %11 = "linalg.generic"(%arg12, %10, %arg0, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg122: f32, %arg123: f32, %arg124: f32, %arg125: f32):
      %122 = "arith.mulf"(%arg122, %arg123) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.mulf"(%122, %arg124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %12 = "linalg.fill"(%0, %6) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg120: f32, %arg121: f32):
      "linalg.yield"(%arg120) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x128xf32>) -> tensor<1x128xf32>
    %13 = "linalg.generic"(%11, %arg1, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32, %arg119: f32):
      %120 = "arith.mulf"(%arg117, %arg118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %121 = "arith.addf"(%arg119, %120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%121) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x128xf32>, tensor<128x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %14 = "linalg.generic"(%13, %arg2, %6) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32, %arg116: f32):
      %119 = "arith.addf"(%arg114, %arg115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%119) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x128xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %15 = "tensor.empty"() : () -> tensor<1x64xf32>
    %16 = "linalg.fill"(%0, %15) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32):
      "linalg.yield"(%arg112) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x64xf32>) -> tensor<1x64xf32>
    %17 = "linalg.generic"(%11, %arg3, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32, %arg111: f32):
      %117 = "arith.mulf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.addf"(%arg111, %117) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %18 = "linalg.generic"(%17, %arg4, %15) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32, %arg108: f32):
      %116 = "arith.addf"(%arg106, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %19 = "tensor.expand_shape"(%14) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 4, 2, 16>}> : (tensor<1x128xf32>) -> tensor<1x4x2x16xf32>
    %20 = "tensor.empty"() : () -> tensor<1x4x2x16xf32>
    %21 = "linalg.fill"(%0, %20) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32):
      "linalg.yield"(%arg104) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %22 = "linalg.generic"(%19, %arg14, %21) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32, %arg103: f32):
      %114 = "arith.mulf"(%arg101, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.addf"(%114, %arg103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x4x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %23 = "tensor.expand_shape"(%18) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 2, 2, 16>}> : (tensor<1x64xf32>) -> tensor<1x2x2x16xf32>
    %24 = "tensor.empty"() : () -> tensor<1x2x2x16xf32>
    %25 = "linalg.fill"(%0, %24) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32):
      "linalg.yield"(%arg99) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %26 = "linalg.generic"(%23, %arg14, %25) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32, %arg98: f32):
      %112 = "arith.mulf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%112, %arg98) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %27 = "tensor.collapse_shape"(%26) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x2x2x16xf32>) -> tensor<1x2x32xf32>
    %28 = "tensor.expand_shape"(%22) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 2, 2, 2, 16>}> : (tensor<1x4x2x16xf32>) -> tensor<1x2x2x2x16xf32>
    %29 = "tensor.collapse_shape"(%28) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x2x2x2x16xf32>) -> tensor<1x2x2x32xf32>
    %30 = "linalg.generic"(%11, %arg5, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %110 = "arith.mulf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.addf"(%arg95, %110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %31 = "linalg.generic"(%30, %arg6, %15) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32, %arg92: f32):
      %109 = "arith.addf"(%arg90, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %32 = "tensor.expand_shape"(%31) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 2, 32>}> : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %33 = "tensor.empty"() : () -> tensor<1x2x2x32xf32>
    %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32):
      "linalg.yield"(%arg88) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %35 = "linalg.generic"(%29, %arg15, %34) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32, %arg87: f32):
      %107 = "arith.mulf"(%arg85, %arg86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%107, %arg87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x2x32xf32>, tensor<2x32x32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %36 = "linalg.generic"(%35, %arg13, %33) <{indexing_maps = [#map12, #map13, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32, %arg84: f32):
      %105 = "arith.mulf"(%arg82, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %106 = "arith.addf"(%105, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x2x32xf32>, tensor<32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %37 = "tensor.empty"() : () -> tensor<1x2x2xf32>
    %38 = "linalg.fill"(%0, %37) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      "linalg.yield"(%arg80) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %39 = "linalg.generic"(%29, %27, %38) <{indexing_maps = [#map12, #map14, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32, %arg79: f32):
      %103 = "arith.mulf"(%arg77, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.addf"(%103, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x2x32xf32>, tensor<1x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %40 = "linalg.generic"(%39, %37) <{indexing_maps = [#map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32):
      %102 = "arith.mulf"(%arg75, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %41 = "linalg.fill"(%1, %37) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32):
      "linalg.yield"(%arg73) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %42 = "linalg.generic"(%36, %41) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      %101 = "arith.maximumf"(%arg71, %arg72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %43 = "linalg.generic"(%42, %40, %37) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32, %arg70: f32):
      %99 = "arith.cmpf"(%arg68, %arg69) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %100 = "arith.select"(%99, %arg68, %arg69) : (i1, f32, f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %44 = "linalg.generic"(%36, %43, %33) <{indexing_maps = [#map12, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %97 = "arith.subf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "math.exp"(%97) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%98) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %45 = "linalg.generic"(%40, %43, %37) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32, %arg64: f32):
      %95 = "arith.subf"(%arg62, %arg63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "math.exp"(%95) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%96) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %46 = "linalg.generic"(%44, %38) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32):
      %94 = "arith.addf"(%arg60, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %47 = "linalg.generic"(%44, %arg16, %34) <{indexing_maps = [#map11, #map10, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %92 = "arith.mulf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %93 = "arith.addf"(%92, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x2x2x32xf32>, tensor<2x32x32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %48 = "linalg.generic"(%47, %45, %32, %46, %33) <{indexing_maps = [#map12, #map15, #map14, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32, %arg54: f32, %arg55: f32, %arg56: f32):
      %88 = "arith.addf"(%arg55, %arg53) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %89 = "arith.mulf"(%arg53, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.addf"(%arg52, %89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.divf"(%90, %88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %49 = "tensor.collapse_shape"(%48) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x2x2x32xf32>) -> tensor<1x128xf32>
    %50 = "linalg.generic"(%49, %arg7, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32, %arg51: f32):
      %86 = "arith.mulf"(%arg49, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %87 = "arith.addf"(%arg51, %86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%87) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x128xf32>, tensor<128x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %51 = "tensor.empty"() : () -> tensor<2x1x32xf32>
    %52 = "linalg.generic"(%27, %51) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32):
      "linalg.yield"(%arg47) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x2x32xf32>, tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
    %53 = "linalg.generic"(%32, %51) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      "linalg.yield"(%arg45) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x2x32xf32>, tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
    %54 = "linalg.generic"(%arg12, %50, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32, %arg44: f32):
      %85 = "arith.addf"(%arg42, %arg43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%85) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %55 = "linalg.generic"(%54, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32):
      %83 = "arith.mulf"(%arg40, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %84 = "arith.addf"(%83, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %56 = "linalg.generic"(%55, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      %80 = "arith.mulf"(%arg38, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %81 = "arith.addf"(%80, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %82 = "math.rsqrt"(%81) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %57 = "linalg.generic"(%54, %56, %arg8, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32, %arg37: f32):
      %78 = "arith.mulf"(%arg34, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "arith.mulf"(%78, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%79) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %58 = "tensor.empty"() : () -> tensor<1x256xf32>
    %59 = "linalg.fill"(%0, %58) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32):
      "linalg.yield"(%arg32) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x256xf32>) -> tensor<1x256xf32>
    %60 = "linalg.generic"(%57, %arg9, %59) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32, %arg31: f32):
      %76 = "arith.mulf"(%arg29, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %77 = "arith.addf"(%arg31, %76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%77) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %61 = "linalg.generic"(%57, %arg10, %59) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32, %arg28: f32):
      %74 = "arith.mulf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.addf"(%arg28, %74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %62 = "linalg.generic"(%60, %61, %58) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32, %arg25: f32):
      %68 = "arith.negf"(%arg23) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %69 = "math.exp"(%68) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %70 = "arith.addf"(%69, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %71 = "arith.divf"(%2, %70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %72 = "arith.mulf"(%arg23, %71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %73 = "arith.mulf"(%72, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%73) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x256xf32>, tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %63 = "linalg.generic"(%62, %arg11, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32):
      %66 = "arith.mulf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %67 = "arith.addf"(%arg22, %66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%67) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x256xf32>, tensor<256x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %64 = "linalg.generic"(%54, %63, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
      %65 = "arith.addf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%65) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    "func.return"(%64, %52, %53) : (tensor<1x128xf32>, tensor<2x1x32xf32>, tensor<2x1x32xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "x", "mask", "rope", "k_cache", "v_cache"], sttest.context = 32 : i64, sttest.model = "small-qwen", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
