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
  "func.func"() <{function_type = (tensor<2048xf32>, tensor<2048x2048xf32>, tensor<2048x512xf32>, tensor<2048x512xf32>, tensor<2048x2048xf32>, tensor<2048xf32>, tensor<2048x8192xf32>, tensor<2048x8192xf32>, tensor<8192x2048xf32>, tensor<1x2048xf32>, tensor<64xf32>, tensor<1x2x2x32xf32>, tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> (tensor<1x2048xf32>, tensor<8x1x64xf32>, tensor<8x1x64xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2048xf32>, %arg1: tensor<2048x2048xf32>, %arg2: tensor<2048x512xf32>, %arg3: tensor<2048x512xf32>, %arg4: tensor<2048x2048xf32>, %arg5: tensor<2048xf32>, %arg6: tensor<2048x8192xf32>, %arg7: tensor<2048x8192xf32>, %arg8: tensor<8192x2048xf32>, %arg9: tensor<1x2048xf32>, %arg10: tensor<64xf32>, %arg11: tensor<1x2x2x32xf32>, %arg12: tensor<8x64x64xf32>, %arg13: tensor<8x64x64xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 4.8828125E-4 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
    %6 = "tensor.empty"() : () -> tensor<1x2048xf32>
    %7 = "tensor.empty"() : () -> tensor<1xf32>
    %8 = "linalg.fill"(%0, %7) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg118: f32, %arg119: f32):
      "linalg.yield"(%arg118) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %9 = "linalg.generic"(%arg9, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg116: f32, %arg117: f32):
      %121 = "arith.mulf"(%arg116, %arg116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.addf"(%121, %arg117) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%122) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x2048xf32>, tensor<1xf32>) -> tensor<1xf32>
    %10 = "linalg.generic"(%9, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32):
      %118 = "arith.mulf"(%arg114, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "arith.addf"(%118, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "math.rsqrt"(%119) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %11 = "linalg.generic"(%arg9, %10, %arg0, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg110: f32, %arg111: f32, %arg112: f32, %arg113: f32):
      %116 = "arith.mulf"(%arg110, %arg111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.mulf"(%116, %arg112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x2048xf32>, tensor<1xf32>, tensor<2048xf32>, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %12 = "linalg.fill"(%0, %6) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg108: f32, %arg109: f32):
      "linalg.yield"(%arg108) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %13 = "linalg.generic"(%11, %arg1, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg105: f32, %arg106: f32, %arg107: f32):
      %114 = "arith.mulf"(%arg105, %arg106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.addf"(%arg107, %114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x2048xf32>, tensor<2048x2048xf32>, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %14 = "tensor.empty"() : () -> tensor<1x512xf32>
    %15 = "linalg.fill"(%0, %14) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32):
      "linalg.yield"(%arg103) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x512xf32>) -> tensor<1x512xf32>
    %16 = "linalg.generic"(%11, %arg2, %15) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg100: f32, %arg101: f32, %arg102: f32):
      %112 = "arith.mulf"(%arg100, %arg101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%arg102, %112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x2048xf32>, tensor<2048x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %17 = "tensor.expand_shape"(%13) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 32, 2, 32>}> : (tensor<1x2048xf32>) -> tensor<1x32x2x32xf32>
    %18 = "tensor.empty"() : () -> tensor<1x32x2x32xf32>
    %19 = "linalg.fill"(%0, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32):
      "linalg.yield"(%arg98) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x32x2x32xf32>) -> tensor<1x32x2x32xf32>
    %20 = "linalg.generic"(%17, %arg11, %19) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32, %arg97: f32):
      %110 = "arith.mulf"(%arg95, %arg96) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.addf"(%110, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x32x2x32xf32>, tensor<1x2x2x32xf32>, tensor<1x32x2x32xf32>) -> tensor<1x32x2x32xf32>
    %21 = "tensor.expand_shape"(%16) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 8, 2, 32>}> : (tensor<1x512xf32>) -> tensor<1x8x2x32xf32>
    %22 = "tensor.empty"() : () -> tensor<1x8x2x32xf32>
    %23 = "linalg.fill"(%0, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32):
      "linalg.yield"(%arg93) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x8x2x32xf32>) -> tensor<1x8x2x32xf32>
    %24 = "linalg.generic"(%21, %arg11, %23) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32, %arg92: f32):
      %108 = "arith.mulf"(%arg90, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %109 = "arith.addf"(%108, %arg92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x8x2x32xf32>, tensor<1x2x2x32xf32>, tensor<1x8x2x32xf32>) -> tensor<1x8x2x32xf32>
    %25 = "tensor.collapse_shape"(%24) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x8x2x32xf32>) -> tensor<1x8x64xf32>
    %26 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 8, 4, 2, 32>}> : (tensor<1x32x2x32xf32>) -> tensor<1x8x4x2x32xf32>
    %27 = "tensor.collapse_shape"(%26) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x8x4x2x32xf32>) -> tensor<1x8x4x64xf32>
    %28 = "linalg.generic"(%11, %arg3, %15) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32, %arg89: f32):
      %106 = "arith.mulf"(%arg87, %arg88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%arg89, %106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x2048xf32>, tensor<2048x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %29 = "tensor.expand_shape"(%28) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 8, 64>}> : (tensor<1x512xf32>) -> tensor<1x8x64xf32>
    %30 = "tensor.empty"() : () -> tensor<1x8x4x64xf32>
    %31 = "linalg.fill"(%0, %30) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32):
      "linalg.yield"(%arg85) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x8x4x64xf32>) -> tensor<1x8x4x64xf32>
    %32 = "linalg.generic"(%27, %arg12, %31) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32, %arg84: f32):
      %104 = "arith.mulf"(%arg82, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.addf"(%104, %arg84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x8x4x64xf32>, tensor<8x64x64xf32>, tensor<1x8x4x64xf32>) -> tensor<1x8x4x64xf32>
    %33 = "linalg.generic"(%32, %arg10, %30) <{indexing_maps = [#map12, #map13, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32, %arg81: f32):
      %102 = "arith.mulf"(%arg79, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.addf"(%102, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x8x4x64xf32>, tensor<64xf32>, tensor<1x8x4x64xf32>) -> tensor<1x8x4x64xf32>
    %34 = "tensor.empty"() : () -> tensor<1x8x4xf32>
    %35 = "linalg.fill"(%0, %34) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32):
      "linalg.yield"(%arg77) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %36 = "linalg.generic"(%27, %25, %35) <{indexing_maps = [#map12, #map14, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg74: f32, %arg75: f32, %arg76: f32):
      %100 = "arith.mulf"(%arg74, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.addf"(%100, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x8x4x64xf32>, tensor<1x8x64xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %37 = "linalg.generic"(%36, %34) <{indexing_maps = [#map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32):
      %99 = "arith.mulf"(%arg72, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %38 = "linalg.fill"(%1, %34) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32):
      "linalg.yield"(%arg70) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %39 = "linalg.generic"(%33, %38) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      %98 = "arith.maximumf"(%arg68, %arg69) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%98) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x8x4x64xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %40 = "linalg.generic"(%39, %37, %34) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %96 = "arith.cmpf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %97 = "arith.select"(%96, %arg65, %arg66) : (i1, f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %41 = "linalg.generic"(%33, %40, %30) <{indexing_maps = [#map12, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32, %arg64: f32):
      %94 = "arith.subf"(%arg62, %arg63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "math.exp"(%94) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x8x4x64xf32>, tensor<1x8x4xf32>, tensor<1x8x4x64xf32>) -> tensor<1x8x4x64xf32>
    %42 = "linalg.generic"(%37, %40, %34) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32, %arg61: f32):
      %92 = "arith.subf"(%arg59, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %93 = "math.exp"(%92) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %43 = "linalg.generic"(%41, %35) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32):
      %91 = "arith.addf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x8x4x64xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %44 = "linalg.generic"(%41, %arg13, %31) <{indexing_maps = [#map11, #map10, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32, %arg56: f32):
      %89 = "arith.mulf"(%arg54, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.addf"(%89, %arg56) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x8x4x64xf32>, tensor<8x64x64xf32>, tensor<1x8x4x64xf32>) -> tensor<1x8x4x64xf32>
    %45 = "linalg.generic"(%44, %42, %29, %43, %30) <{indexing_maps = [#map12, #map15, #map14, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32, %arg51: f32, %arg52: f32, %arg53: f32):
      %85 = "arith.addf"(%arg52, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "arith.mulf"(%arg50, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %87 = "arith.addf"(%arg49, %86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.divf"(%87, %85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x8x4x64xf32>, tensor<1x8x4xf32>, tensor<1x8x64xf32>, tensor<1x8x4xf32>, tensor<1x8x4x64xf32>) -> tensor<1x8x4x64xf32>
    %46 = "tensor.collapse_shape"(%45) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x8x4x64xf32>) -> tensor<1x2048xf32>
    %47 = "linalg.generic"(%46, %arg4, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32, %arg48: f32):
      %83 = "arith.mulf"(%arg46, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %84 = "arith.addf"(%arg48, %83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x2048xf32>, tensor<2048x2048xf32>, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %48 = "tensor.empty"() : () -> tensor<8x1x64xf32>
    %49 = "linalg.generic"(%25, %48) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      "linalg.yield"(%arg44) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x8x64xf32>, tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
    %50 = "linalg.generic"(%29, %48) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32):
      "linalg.yield"(%arg42) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x8x64xf32>, tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
    %51 = "linalg.generic"(%arg9, %47, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32, %arg41: f32):
      %82 = "arith.addf"(%arg39, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x2048xf32>, tensor<1x2048xf32>, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %52 = "linalg.generic"(%51, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      %80 = "arith.mulf"(%arg37, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %81 = "arith.addf"(%80, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%81) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x2048xf32>, tensor<1xf32>) -> tensor<1xf32>
    %53 = "linalg.generic"(%52, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32):
      %77 = "arith.mulf"(%arg35, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %78 = "arith.addf"(%77, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "math.rsqrt"(%78) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%79) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %54 = "linalg.generic"(%51, %53, %arg5, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32, %arg33: f32, %arg34: f32):
      %75 = "arith.mulf"(%arg31, %arg32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %76 = "arith.mulf"(%75, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%76) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x2048xf32>, tensor<1xf32>, tensor<2048xf32>, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %55 = "tensor.empty"() : () -> tensor<1x8192xf32>
    %56 = "linalg.fill"(%0, %55) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      "linalg.yield"(%arg29) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x8192xf32>) -> tensor<1x8192xf32>
    %57 = "linalg.generic"(%54, %arg6, %56) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32, %arg28: f32):
      %73 = "arith.mulf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %74 = "arith.addf"(%arg28, %73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%74) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x2048xf32>, tensor<2048x8192xf32>, tensor<1x8192xf32>) -> tensor<1x8192xf32>
    %58 = "linalg.generic"(%54, %arg7, %56) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32, %arg25: f32):
      %71 = "arith.mulf"(%arg23, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %72 = "arith.addf"(%arg25, %71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%72) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x2048xf32>, tensor<2048x8192xf32>, tensor<1x8192xf32>) -> tensor<1x8192xf32>
    %59 = "linalg.generic"(%57, %58, %55) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32):
      %65 = "arith.negf"(%arg20) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %66 = "math.exp"(%65) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %67 = "arith.addf"(%66, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "arith.divf"(%2, %67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %69 = "arith.mulf"(%arg20, %68) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %70 = "arith.mulf"(%69, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%70) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x8192xf32>, tensor<1x8192xf32>, tensor<1x8192xf32>) -> tensor<1x8192xf32>
    %60 = "linalg.generic"(%59, %arg8, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
      %63 = "arith.mulf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %64 = "arith.addf"(%arg19, %63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%64) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x8192xf32>, tensor<8192x2048xf32>, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %61 = "linalg.generic"(%51, %60, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32, %arg16: f32):
      %62 = "arith.addf"(%arg14, %arg15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%62) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x2048xf32>, tensor<1x2048xf32>, tensor<1x2048xf32>) -> tensor<1x2048xf32>
    "func.return"(%61, %49, %50) : (tensor<1x2048xf32>, tensor<8x1x64xf32>, tensor<8x1x64xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.o_proj.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "x", "mask", "rope", "k_cache", "v_cache"], sttest.context = 64 : i64, sttest.model = "llama-3.2-1b", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
