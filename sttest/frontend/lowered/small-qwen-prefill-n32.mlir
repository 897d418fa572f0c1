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
#map10 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map11 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<256x128xf32>, tensor<32x128xf32>, tensor<32x32xf32>, tensor<32x2x2x16xf32>) -> (tensor<32x128xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<128xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<128x64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<128x64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<128x128xf32>, %arg8: tensor<128xf32>, %arg9: tensor<128x256xf32>, %arg10: tensor<128x256xf32>, %arg11: tensor<256x128xf32>, %arg12: tensor<32x128xf32>, %arg13: tensor<32x32xf32>, %arg14: tensor<32x2x2x16xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 7.812500e-03 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 0.176776692 : f32}> : () -> f32
    %6 = "tensor.empty"() : () -> tensor<32x128xf32>
    %7 = "tensor.empty"() : () -> tensor<32xf32>
    %8 = "linalg.fill"(%0, %7) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg115: f32, %arg116: f32):
      "linalg.yield"(%arg115) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<32xf32>) -> tensor<32xf32>
    %9 = "linalg.generic"(%arg12, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32):
      %113 = "arith.mulf"(%arg113, %arg113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "arith.addf"(%113, %arg114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x128xf32>, tensor<32xf32>) -> tensor<32xf32>
    %10 = "linalg.generic"(%9, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32):
      %110 = "arith.mulf"(%arg111, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.addf"(%110, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "math.rsqrt"(%111) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%112) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %11 = "linalg.generic"(%arg12, %10, %arg0, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg107: f32, %arg108: f32, %arg109: f32, %arg110: f32):
      %108 = "arith.mulf"(%arg107, %arg108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %109 = "arith.mulf"(%108, %arg109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x128xf32>, tensor<32xf32>, tensor<128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %12 = "linalg.fill"(%0, %6) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg105: f32, %arg106: f32):
      "linalg.yield"(%arg105) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<32x128xf32>) -> tensor<32x128xf32>
    %13 = "linalg.generic"(%11, %arg1, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg102: f32, %arg103: f32, %arg104: f32):
      %106 = "arith.mulf"(%arg102, %arg103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%arg104, %106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x128xf32>, tensor<128x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %14 = "linalg.generic"(%13, %arg2, %6) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32, %arg101: f32):
      %105 = "arith.addf"(%arg99, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x128xf32>, tensor<128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %15 = "tensor.empty"() : () -> tensor<32x64xf32>
    %16 = "linalg.fill"(%0, %15) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg97: f32, %arg98: f32):
      "linalg.yield"(%arg97) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<32x64xf32>) -> tensor<32x64xf32>
    %17 = "linalg.generic"(%11, %arg3, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg94: f32, %arg95: f32, %arg96: f32):
      %103 = "arith.mulf"(%arg94, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.addf"(%arg96, %103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x128xf32>, tensor<128x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %18 = "linalg.generic"(%17, %arg4, %15) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg91: f32, %arg92: f32, %arg93: f32):
      %102 = "arith.addf"(%arg91, %arg92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %19 = "tensor.expand_shape"(%14) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 32, 4, 2, 16>}> : (tensor<32x128xf32>) -> tensor<32x4x2x16xf32>
    %20 = "tensor.empty"() : () -> tensor<32x4x2x16xf32>
    %21 = "linalg.fill"(%0, %20) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg89: f32, %arg90: f32):
      "linalg.yield"(%arg89) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<32x4x2x16xf32>) -> tensor<32x4x2x16xf32>
    %22 = "linalg.generic"(%19, %arg14, %21) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg86: f32, %arg87: f32, %arg88: f32):
      %100 = "arith.mulf"(%arg86, %arg87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.addf"(%100, %arg88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<32x4x2x16xf32>, tensor<32x2x2x16xf32>, tensor<32x4x2x16xf32>) -> tensor<32x4x2x16xf32>
    %23 = "tensor.expand_shape"(%18) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 32, 2, 2, 16>}> : (tensor<32x64xf32>) -> tensor<32x2x2x16xf32>
    %24 = "tensor.empty"() : () -> tensor<32x2x2x16xf32>
    %25 = "linalg.fill"(%0, %24) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32):
      "linalg.yield"(%arg84) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<32x2x2x16xf32>) -> tensor<32x2x2x16xf32>
    %26 = "linalg.generic"(%23, %arg14, %25) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32, %arg83: f32):
      %98 = "arith.mulf"(%arg81, %arg82) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.addf"(%98, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<32x2x2x16xf32>, tensor<32x2x2x16xf32>, tensor<32x2x2x16xf32>) -> tensor<32x2x2x16xf32>
    %27 = "tensor.collapse_shape"(%26) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<32x2x2x16xf32>) -> tensor<32x2x32xf32>
    %28 = "linalg.generic"(%11, %arg5, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32, %arg80: f32):
      %96 = "arith.mulf"(%arg78, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.addf"(%arg80, %96) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x128xf32>, tensor<128x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %29 = "linalg.generic"(%28, %arg6, %15) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32, %arg77: f32):
      %95 = "arith.addf"(%arg75, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %30 = "tensor.expand_shape"(%29) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 2, 32>}> : (tensor<32x64xf32>) -> tensor<32x2x32xf32>
    %31 = "tensor.empty"() : () -> tensor<2x32x32xf32>
    %32 = "linalg.generic"(%27, %31) <{indexing_maps = [#map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32):
      "linalg.yield"(%arg73) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<32x2x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
    %33 = "linalg.generic"(%30, %31) <{indexing_maps = [#map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      "linalg.yield"(%arg71) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<32x2x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
    %34 = "tensor.expand_shape"(%22) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 32, 2, 2, 2, 16>}> : (tensor<32x4x2x16xf32>) -> tensor<32x2x2x2x16xf32>
    %35 = "tensor.collapse_shape"(%34) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<32x2x2x2x16xf32>) -> tensor<32x2x2x32xf32>
    %36 = "tensor.empty"() : () -> tensor<32x2x2x32xf32>
    %37 = "linalg.fill"(%0, %36) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32):
      "linalg.yield"(%arg69) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<32x2x2x32xf32>) -> tensor<32x2x2x32xf32>
    %38 = "linalg.generic"(%35, %32, %37) <{indexing_maps = [#map9, #map12, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg66: f32, %arg67: f32, %arg68: f32):
      %93 = "arith.mulf"(%arg66, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %94 = "arith.addf"(%93, %arg68) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x2x2x32xf32>, tensor<2x32x32xf32>, tensor<32x2x2x32xf32>) -> tensor<32x2x2x32xf32>
    %39 = "linalg.generic"(%38, %arg13, %36) <{indexing_maps = [#map14, #map15, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32, %arg65: f32):
      %91 = "arith.mulf"(%arg63, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "arith.addf"(%91, %arg64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x2x2x32xf32>, tensor<32x32xf32>, tensor<32x2x2x32xf32>) -> tensor<32x2x2x32xf32>
    %40 = "tensor.empty"() : () -> tensor<32x2x2xf32>
    %41 = "linalg.fill"(%1, %40) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32):
      "linalg.yield"(%arg61) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x2x2xf32>) -> tensor<32x2x2xf32>
    %42 = "linalg.generic"(%39, %41) <{indexing_maps = [#map14, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      %90 = "arith.maximumf"(%arg59, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x2x2x32xf32>, tensor<32x2x2xf32>) -> tensor<32x2x2xf32>
    %43 = "linalg.generic"(%39, %42, %36) <{indexing_maps = [#map14, #map16, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %88 = "arith.subf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %89 = "math.exp"(%88) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x2x2x32xf32>, tensor<32x2x2xf32>, tensor<32x2x2x32xf32>) -> tensor<32x2x2x32xf32>
    %44 = "linalg.fill"(%0, %40) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32):
      "linalg.yield"(%arg54) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x2x2xf32>) -> tensor<32x2x2xf32>
    %45 = "linalg.generic"(%43, %44) <{indexing_maps = [#map14, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32):
      %87 = "arith.addf"(%arg52, %arg53) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%87) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x2x2x32xf32>, tensor<32x2x2xf32>) -> tensor<32x2x2xf32>
    %46 = "linalg.generic"(%43, %33, %37) <{indexing_maps = [#map13, #map12, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32, %arg51: f32):
      %85 = "arith.mulf"(%arg49, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "arith.addf"(%85, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<32x2x2x32xf32>, tensor<2x32x32xf32>, tensor<32x2x2x32xf32>) -> tensor<32x2x2x32xf32>
    %47 = "linalg.generic"(%46, %45, %36) <{indexing_maps = [#map14, #map16, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32, %arg48: f32):
      %84 = "arith.divf"(%arg46, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<32x2x2x32xf32>, tensor<32x2x2xf32>, tensor<32x2x2x32xf32>) -> tensor<32x2x2x32xf32>
    %48 = "tensor.collapse_shape"(%47) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<32x2x2x32xf32>) -> tensor<32x128xf32>
    %49 = "linalg.generic"(%48, %arg7, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32, %arg45: f32):
      %82 = "arith.mulf"(%arg43, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %83 = "arith.addf"(%arg45, %82) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%83) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<32x128xf32>, tensor<128x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %50 = "linalg.generic"(%arg12, %49, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %81 = "arith.addf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%81) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %51 = "linalg.generic"(%50, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      %79 = "arith.mulf"(%arg38, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %80 = "arith.addf"(%79, %arg39) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%80) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x128xf32>, tensor<32xf32>) -> tensor<32xf32>
    %52 = "linalg.generic"(%51, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      %76 = "arith.mulf"(%arg36, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %77 = "arith.addf"(%76, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %78 = "math.rsqrt"(%77) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%78) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %53 = "linalg.generic"(%50, %52, %arg8, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32, %arg34: f32, %arg35: f32):
      %74 = "arith.mulf"(%arg32, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.mulf"(%74, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x128xf32>, tensor<32xf32>, tensor<128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %54 = "tensor.empty"() : () -> tensor<32x256xf32>
    %55 = "linalg.fill"(%0, %54) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32):
      "linalg.yield"(%arg30) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<32x256xf32>) -> tensor<32x256xf32>
    %56 = "linalg.generic"(%53, %arg9, %55) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32, %arg29: f32):
      %72 = "arith.mulf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %73 = "arith.addf"(%arg29, %72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%73) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<32x128xf32>, tensor<128x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %57 = "linalg.generic"(%53, %arg10, %55) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %70 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %71 = "arith.addf"(%arg26, %70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%71) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<32x128xf32>, tensor<128x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %58 = "linalg.generic"(%56, %57, %54) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32):
      %64 = "arith.negf"(%arg21) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %65 = "math.exp"(%64) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %66 = "arith.addf"(%65, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %67 = "arith.divf"(%2, %66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "arith.mulf"(%arg21, %67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %69 = "arith.mulf"(%68, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%69) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<32x256xf32>, tensor<32x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %59 = "linalg.generic"(%58, %arg11, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
      %62 = "arith.mulf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %63 = "arith.addf"(%arg20, %62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%63) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<32x256xf32>, tensor<256x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %60 = "linalg.generic"(%50, %59, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32, %arg17: f32):
      %61 = "arith.addf"(%arg15, %arg16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%61) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    "func.return"(%60, %32, %33) : (tensor<32x128xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "x", "mask", "rope"], sttest.context = 0 : i64, sttest.model = "small-qwen", sttest.phase = "prefill", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 32 : i64} : () -> ()
}) : () -> ()
