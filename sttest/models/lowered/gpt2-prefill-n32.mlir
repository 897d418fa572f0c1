#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024x4096xf32>, tensor<4096xf32>, tensor<4096x1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>, tensor<32x32xf32>) -> (tensor<32x1024xf32>, tensor<16x32x64xf32>, tensor<16x32x64xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1024xf32>, %arg1: tensor<1024xf32>, %arg2: tensor<1024x1024xf32>, %arg3: tensor<1024xf32>, %arg4: tensor<1024x1024xf32>, %arg5: tensor<1024xf32>, %arg6: tensor<1024x1024xf32>, %arg7: tensor<1024xf32>, %arg8: tensor<1024x1024xf32>, %arg9: tensor<1024xf32>, %arg10: tensor<1024xf32>, %arg11: tensor<1024xf32>, %arg12: tensor<1024x4096xf32>, %arg13: tensor<4096xf32>, %arg14: tensor<4096x1024xf32>, %arg15: tensor<1024xf32>, %arg16: tensor<32x1024xf32>, %arg17: tensor<32x32xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 9.765625E-4 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %9 = "tensor.empty"() : () -> tensor<32x1024xf32>
    %10 = "tensor.empty"() : () -> tensor<32xf32>
    %11 = "linalg.fill"(%0, %10) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg119: f32, %arg120: f32):
      "linalg.yield"(%arg119) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<32xf32>) -> tensor<32xf32>
    %12 = "linalg.generic"(%arg16, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32):
      %118 = "arith.mulf"(%arg117, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "arith.addf"(%118, %arg118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%119) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x1024xf32>, tensor<32xf32>) -> tensor<32xf32>
    %13 = "linalg.generic"(%arg16, %12, %9) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32, %arg116: f32):
      %117 = "arith.subf"(%arg114, %arg115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x1024xf32>, tensor<32xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %14 = "linalg.generic"(%13, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32):
      %115 = "arith.mulf"(%arg112, %arg112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "arith.addf"(%115, %arg113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x1024xf32>, tensor<32xf32>) -> tensor<32xf32>
    %15 = "linalg.generic"(%14, %10) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg110: f32, %arg111: f32):
      %112 = "arith.mulf"(%arg110, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%112, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "math.rsqrt"(%113) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %16 = "linalg.generic"(%13, %15, %arg0, %arg1, %9) <{indexing_maps = [#map, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg105: f32, %arg106: f32, %arg107: f32, %arg108: f32, %arg109: f32):
      %109 = "arith.mulf"(%arg105, %arg106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.mulf"(%109, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.addf"(%110, %arg108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x1024xf32>, tensor<32xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %17 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32):
      "linalg.yield"(%arg103) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %18 = "linalg.generic"(%16, %arg2, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg100: f32, %arg101: f32, %arg102: f32):
      %107 = "arith.mulf"(%arg100, %arg101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%arg102, %107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x1024xf32>, tensor<1024x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %19 = "linalg.generic"(%18, %arg3, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg97: f32, %arg98: f32, %arg99: f32):
      %106 = "arith.addf"(%arg97, %arg98) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %20 = "linalg.generic"(%16, %arg4, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg94: f32, %arg95: f32, %arg96: f32):
      %104 = "arith.mulf"(%arg94, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.addf"(%arg96, %104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x1024xf32>, tensor<1024x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %21 = "linalg.generic"(%20, %arg5, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg91: f32, %arg92: f32, %arg93: f32):
      %103 = "arith.addf"(%arg91, %arg92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %22 = "tensor.expand_shape"(%21) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 16, 64>}> : (tensor<32x1024xf32>) -> tensor<32x16x64xf32>
    %23 = "linalg.generic"(%16, %arg6, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32, %arg90: f32):
      %101 = "arith.mulf"(%arg88, %arg89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "arith.addf"(%arg90, %101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x1024xf32>, tensor<1024x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %24 = "linalg.generic"(%23, %arg7, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32, %arg87: f32):
      %100 = "arith.addf"(%arg85, %arg86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %25 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 16, 64>}> : (tensor<32x1024xf32>) -> tensor<32x16x64xf32>
    %26 = "tensor.empty"() : () -> tensor<16x32x64xf32>
    %27 = "linalg.generic"(%22, %26) <{indexing_maps = [#map7, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32):
      "linalg.yield"(%arg83) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<32x16x64xf32>, tensor<16x32x64xf32>) -> tensor<16x32x64xf32>
    %28 = "linalg.generic"(%25, %26) <{indexing_maps = [#map7, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32):
      "linalg.yield"(%arg81) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<32x16x64xf32>, tensor<16x32x64xf32>) -> tensor<16x32x64xf32>
    %29 = "tensor.expand_shape"(%19) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 16, 64>}> : (tensor<32x1024xf32>) -> tensor<32x16x64xf32>
    %30 = "tensor.empty"() : () -> tensor<32x16x32xf32>
    %31 = "linalg.fill"(%0, %30) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32):
      "linalg.yield"(%arg79) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<32x16x32xf32>) -> tensor<32x16x32xf32>
    %32 = "linalg.generic"(%29, %27, %31) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32, %arg78: f32):
      %98 = "arith.mulf"(%arg76, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.addf"(%98, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x16x64xf32>, tensor<16x32x64xf32>, tensor<32x16x32xf32>) -> tensor<32x16x32xf32>
    %33 = "linalg.generic"(%32, %arg17, %30) <{indexing_maps = [#map8, #map4, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32):
      %96 = "arith.mulf"(%arg73, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.addf"(%96, %arg74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x16x32xf32>, tensor<32x32xf32>, tensor<32x16x32xf32>) -> tensor<32x16x32xf32>
    %34 = "tensor.empty"() : () -> tensor<32x16xf32>
    %35 = "linalg.fill"(%1, %34) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      "linalg.yield"(%arg71) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x16xf32>) -> tensor<32x16xf32>
    %36 = "linalg.generic"(%33, %35) <{indexing_maps = [#map8, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32):
      %95 = "arith.maximumf"(%arg69, %arg70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x16x32xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
    %37 = "linalg.generic"(%33, %36, %30) <{indexing_maps = [#map8, #map6, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg66: f32, %arg67: f32, %arg68: f32):
      %93 = "arith.subf"(%arg66, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %94 = "math.exp"(%93) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x16x32xf32>, tensor<32x16xf32>, tensor<32x16x32xf32>) -> tensor<32x16x32xf32>
    %38 = "linalg.fill"(%0, %34) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32):
      "linalg.yield"(%arg64) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x16xf32>) -> tensor<32x16xf32>
    %39 = "linalg.generic"(%37, %38) <{indexing_maps = [#map8, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32):
      %92 = "arith.addf"(%arg62, %arg63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x16x32xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
    %40 = "tensor.empty"() : () -> tensor<32x16x64xf32>
    %41 = "linalg.fill"(%0, %40) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32):
      "linalg.yield"(%arg60) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (f32, tensor<32x16x64xf32>) -> tensor<32x16x64xf32>
    %42 = "linalg.generic"(%37, %28, %41) <{indexing_maps = [#map11, #map10, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %90 = "arith.mulf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.addf"(%90, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<32x16x32xf32>, tensor<16x32x64xf32>, tensor<32x16x64xf32>) -> tensor<32x16x64xf32>
    %43 = "linalg.generic"(%42, %39, %40) <{indexing_maps = [#map8, #map6, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32, %arg56: f32):
      %89 = "arith.divf"(%arg54, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {sttest.source = "attn.normalise"} : (tensor<32x16x64xf32>, tensor<32x16xf32>, tensor<32x16x64xf32>) -> tensor<32x16x64xf32>
    %44 = "tensor.collapse_shape"(%43) <{reassociation = [[0], [1, 2]]}> : (tensor<32x16x64xf32>) -> tensor<32x1024xf32>
    %45 = "linalg.generic"(%44, %arg8, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32, %arg53: f32):
      %87 = "arith.mulf"(%arg51, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.addf"(%arg53, %87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<32x1024xf32>, tensor<1024x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %46 = "linalg.generic"(%arg16, %45, %arg9, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32, %arg50: f32):
      %85 = "arith.addf"(%arg48, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "arith.addf"(%arg47, %85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<32x1024xf32>, tensor<32x1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %47 = "linalg.generic"(%46, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      %83 = "arith.mulf"(%arg45, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %84 = "arith.addf"(%83, %arg46) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x1024xf32>, tensor<32xf32>) -> tensor<32xf32>
    %48 = "linalg.generic"(%46, %47, %9) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32, %arg44: f32):
      %82 = "arith.subf"(%arg42, %arg43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x1024xf32>, tensor<32xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %49 = "linalg.generic"(%48, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32):
      %80 = "arith.mulf"(%arg40, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %81 = "arith.addf"(%80, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%81) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x1024xf32>, tensor<32xf32>) -> tensor<32xf32>
    %50 = "linalg.generic"(%49, %10) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      %77 = "arith.mulf"(%arg38, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %78 = "arith.addf"(%77, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "math.rsqrt"(%78) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%79) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %51 = "linalg.generic"(%48, %50, %arg10, %arg11, %9) <{indexing_maps = [#map, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32, %arg35: f32, %arg36: f32, %arg37: f32):
      %74 = "arith.mulf"(%arg33, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.mulf"(%74, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %76 = "arith.addf"(%75, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%76) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x1024xf32>, tensor<32xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %52 = "tensor.empty"() : () -> tensor<32x4096xf32>
    %53 = "linalg.fill"(%0, %52) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      "linalg.yield"(%arg31) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (f32, tensor<32x4096xf32>) -> tensor<32x4096xf32>
    %54 = "linalg.generic"(%51, %arg12, %53) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32, %arg30: f32):
      %72 = "arith.mulf"(%arg28, %arg29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %73 = "arith.addf"(%arg30, %72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%73) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (tensor<32x1024xf32>, tensor<1024x4096xf32>, tensor<32x4096xf32>) -> tensor<32x4096xf32>
    %55 = "linalg.generic"(%54, %arg13, %52) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32, %arg27: f32):
      %62 = "arith.addf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
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
    }) {sttest.source = "mlp.act"} : (tensor<32x4096xf32>, tensor<4096xf32>, tensor<32x4096xf32>) -> tensor<32x4096xf32>
    %56 = "linalg.generic"(%55, %arg14, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32, %arg24: f32):
      %60 = "arith.mulf"(%arg22, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %61 = "arith.addf"(%arg24, %60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%61) : (f32) -> ()
    }) {sttest.source = "mlp.fc2"} : (tensor<32x4096xf32>, tensor<4096x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %57 = "linalg.generic"(%46, %56, %arg15, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32, %arg20: f32, %arg21: f32):
      %58 = "arith.addf"(%arg19, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %59 = "arith.addf"(%arg18, %58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%59) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<32x1024xf32>, tensor<32x1024xf32>, tensor<1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    "func.return"(%57, %27, %28) : (tensor<32x1024xf32>, tensor<16x32x64xf32>, tensor<16x32x64xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input"], sttest.arg_names = ["attn_norm.weight", "attn_norm.bias", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "attn.o_proj.bias", "mlp_norm.weight", "mlp_norm.bias", "mlp.fc1.weight", "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias", "x", "mask"], sttest.context = 0 : i64, sttest.model = "gpt2", sttest.phase = "prefill", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 32 : i64} : () -> ()
}) : () -> ()
