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
  "func.func"() <{function_type = (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<32x32xf32>) -> (tensor<32x64xf32>, tensor<4x32x16xf32>, tensor<4x32x16xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64x64xf32>, %arg5: tensor<64xf32>, %arg6: tensor<64x64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64x64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<64x128xf32>, %arg13: tensor<128xf32>, %arg14: tensor<128x64xf32>, %arg15: tensor<64xf32>, %arg16: tensor<32x64xf32>, %arg17: tensor<32x32xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.562500e-02 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 2.500000e-01 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %9 = "tensor.empty"() : () -> tensor<32x64xf32>
    %10 = "tensor.empty"() : () -> tensor<32xf32>
    %11 = "linalg.fill"(%0, %10) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32):
      "linalg.yield"(%arg117) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<32xf32>) -> tensor<32xf32>
    %12 = "linalg.generic"(%arg16, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg115: f32, %arg116: f32):
      %124 = "arith.mulf"(%arg115, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%124, %arg116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %13 = "linalg.generic"(%arg16, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32):
      %122 = "arith.mulf"(%arg113, %arg113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.addf"(%122, %arg114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %14 = "linalg.generic"(%13, %12, %10) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg110: f32, %arg111: f32, %arg112: f32):
      %115 = "arith.mulf"(%arg111, %arg111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "arith.mulf"(%arg110, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.subf"(%116, %115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.cmpf"(%117, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %119 = "arith.select"(%118, %117, %0) : (i1, f32, f32) -> f32
      %120 = "arith.addf"(%119, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %121 = "math.rsqrt"(%120) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%121) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %15 = "linalg.generic"(%arg16, %12, %14, %arg0, %arg1, %9) <{indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32, %arg106: f32, %arg107: f32, %arg108: f32, %arg109: f32):
      %111 = "arith.subf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.mulf"(%111, %arg106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.mulf"(%112, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "arith.addf"(%113, %arg108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x64xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %16 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg102: f32, %arg103: f32):
      "linalg.yield"(%arg102) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<32x64xf32>) -> tensor<32x64xf32>
    %17 = "linalg.generic"(%15, %arg2, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32, %arg101: f32):
      %109 = "arith.mulf"(%arg99, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.addf"(%arg101, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %18 = "linalg.generic"(%17, %arg3, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32, %arg98: f32):
      %108 = "arith.addf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %19 = "linalg.generic"(%15, %arg4, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %106 = "arith.mulf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%arg95, %106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %20 = "linalg.generic"(%19, %arg5, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32, %arg92: f32):
      %105 = "arith.addf"(%arg90, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %21 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 4, 16>}> : (tensor<32x64xf32>) -> tensor<32x4x16xf32>
    %22 = "linalg.generic"(%15, %arg6, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32, %arg89: f32):
      %103 = "arith.mulf"(%arg87, %arg88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.addf"(%arg89, %103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %23 = "linalg.generic"(%22, %arg7, %9) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32, %arg86: f32):
      %102 = "arith.addf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %24 = "tensor.expand_shape"(%23) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 4, 16>}> : (tensor<32x64xf32>) -> tensor<32x4x16xf32>
    %25 = "tensor.empty"() : () -> tensor<4x32x16xf32>
    %26 = "linalg.generic"(%21, %25) <{indexing_maps = [#map7, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32):
      "linalg.yield"(%arg82) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<32x4x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
    %27 = "linalg.generic"(%24, %25) <{indexing_maps = [#map7, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      "linalg.yield"(%arg80) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<32x4x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
    %28 = "tensor.expand_shape"(%18) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 4, 16>}> : (tensor<32x64xf32>) -> tensor<32x4x16xf32>
    %29 = "tensor.empty"() : () -> tensor<32x4x32xf32>
    %30 = "linalg.fill"(%0, %29) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32):
      "linalg.yield"(%arg78) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<32x4x32xf32>) -> tensor<32x4x32xf32>
    %31 = "linalg.generic"(%28, %26, %30) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32, %arg77: f32):
      %100 = "arith.mulf"(%arg75, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.addf"(%100, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x4x16xf32>, tensor<4x32x16xf32>, tensor<32x4x32xf32>) -> tensor<32x4x32xf32>
    %32 = "linalg.generic"(%31, %arg17, %29) <{indexing_maps = [#map8, #map4, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32, %arg74: f32):
      %98 = "arith.mulf"(%arg72, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.addf"(%98, %arg73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x4x32xf32>, tensor<32x32xf32>, tensor<32x4x32xf32>) -> tensor<32x4x32xf32>
    %33 = "tensor.empty"() : () -> tensor<32x4xf32>
    %34 = "linalg.fill"(%1, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32):
      "linalg.yield"(%arg70) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x4xf32>) -> tensor<32x4xf32>
    %35 = "linalg.generic"(%32, %34) <{indexing_maps = [#map8, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      %97 = "arith.maximumf"(%arg68, %arg69) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x4x32xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %36 = "linalg.generic"(%32, %35, %29) <{indexing_maps = [#map8, #map6, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %95 = "arith.subf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "math.exp"(%95) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%96) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x4x32xf32>, tensor<32x4xf32>, tensor<32x4x32xf32>) -> tensor<32x4x32xf32>
    %37 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32):
      "linalg.yield"(%arg63) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x4xf32>) -> tensor<32x4xf32>
    %38 = "linalg.generic"(%36, %37) <{indexing_maps = [#map8, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32):
      %94 = "arith.addf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x4x32xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %39 = "tensor.empty"() : () -> tensor<32x4x16xf32>
    %40 = "linalg.fill"(%0, %39) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      "linalg.yield"(%arg59) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (f32, tensor<32x4x16xf32>) -> tensor<32x4x16xf32>
    %41 = "linalg.generic"(%36, %27, %40) <{indexing_maps = [#map11, #map10, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %92 = "arith.mulf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %93 = "arith.addf"(%92, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<32x4x32xf32>, tensor<4x32x16xf32>, tensor<32x4x16xf32>) -> tensor<32x4x16xf32>
    %42 = "linalg.generic"(%41, %38, %39) <{indexing_maps = [#map8, #map6, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32, %arg55: f32):
      %91 = "arith.divf"(%arg53, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<32x4x16xf32>, tensor<32x4xf32>, tensor<32x4x16xf32>) -> tensor<32x4x16xf32>
    %43 = "tensor.collapse_shape"(%42) <{reassociation = [[0], [1, 2]]}> : (tensor<32x4x16xf32>) -> tensor<32x64xf32>
    %44 = "linalg.generic"(%43, %arg8, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32, %arg52: f32):
      %89 = "arith.mulf"(%arg50, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.addf"(%arg52, %89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<32x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %45 = "linalg.generic"(%arg16, %44, %arg9, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32, %arg48: f32, %arg49: f32):
      %87 = "arith.addf"(%arg47, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.addf"(%arg46, %87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %46 = "linalg.generic"(%45, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      %85 = "arith.mulf"(%arg44, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "arith.addf"(%85, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %47 = "linalg.generic"(%45, %11) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32):
      %83 = "arith.mulf"(%arg42, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %84 = "arith.addf"(%83, %arg43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %48 = "linalg.generic"(%47, %46, %10) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32, %arg41: f32):
      %76 = "arith.mulf"(%arg40, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %77 = "arith.mulf"(%arg39, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %78 = "arith.subf"(%77, %76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "arith.cmpf"(%78, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %80 = "arith.select"(%79, %78, %0) : (i1, f32, f32) -> f32
      %81 = "arith.addf"(%80, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %82 = "math.rsqrt"(%81) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %49 = "linalg.generic"(%45, %46, %48, %arg10, %arg11, %9) <{indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32, %arg35: f32, %arg36: f32, %arg37: f32, %arg38: f32):
      %72 = "arith.subf"(%arg33, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %73 = "arith.mulf"(%72, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %74 = "arith.mulf"(%73, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.addf"(%74, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x64xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %50 = "tensor.empty"() : () -> tensor<32x128xf32>
    %51 = "linalg.fill"(%0, %50) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      "linalg.yield"(%arg31) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (f32, tensor<32x128xf32>) -> tensor<32x128xf32>
    %52 = "linalg.generic"(%49, %arg12, %51) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32, %arg30: f32):
      %70 = "arith.mulf"(%arg28, %arg29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %71 = "arith.addf"(%arg30, %70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%71) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (tensor<32x64xf32>, tensor<64x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %53 = "linalg.generic"(%52, %arg13, %50) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32, %arg27: f32):
      %60 = "arith.addf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %61 = "arith.mulf"(%60, %60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %62 = "arith.mulf"(%61, %60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %63 = "arith.mulf"(%62, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %64 = "arith.addf"(%60, %63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %65 = "arith.mulf"(%64, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %66 = "math.tanh"(%65) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %67 = "arith.addf"(%66, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "arith.mulf"(%60, %67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %69 = "arith.mulf"(%68, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%69) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<32x128xf32>, tensor<128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %54 = "linalg.generic"(%53, %arg14, %16) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32, %arg24: f32):
      %58 = "arith.mulf"(%arg22, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %59 = "arith.addf"(%arg24, %58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%59) : (f32) -> ()
    }) {sttest.source = "mlp.fc2"} : (tensor<32x128xf32>, tensor<128x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %55 = "linalg.generic"(%45, %54, %arg15, %9) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32, %arg20: f32, %arg21: f32):
      %56 = "arith.addf"(%arg19, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %57 = "arith.addf"(%arg18, %56) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%57) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    "func.return"(%55, %26, %27) : (tensor<32x64xf32>, tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input"], sttest.arg_names = ["attn_norm.weight", "attn_norm.bias", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "attn.o_proj.bias", "mlp_norm.weight", "mlp_norm.bias", "mlp.fc1.weight", "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias", "x", "mask"], sttest.context = 0 : i64, sttest.model = "small-gpt2", sttest.phase = "prefill", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 32 : i64} : () -> ()
}) : () -> ()
