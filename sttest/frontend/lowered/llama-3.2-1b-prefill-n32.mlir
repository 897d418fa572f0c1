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
  "func.func"() <{function_type = (tensor<2048xf32>, tensor<2048x2048xf32>, tensor<2048x512xf32>, tensor<2048x512xf32>, tensor<2048x2048xf32>, tensor<2048xf32>, tensor<2048x8192xf32>, tensor<2048x8192xf32>, tensor<8192x2048xf32>, tensor<32x2048xf32>, tensor<32x32xf32>, tensor<32x2x2x32xf32>) -> (tensor<32x2048xf32>, tensor<8x32x64xf32>, tensor<8x32x64xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2048xf32>, %arg1: tensor<2048x2048xf32>, %arg2: tensor<2048x512xf32>, %arg3: tensor<2048x512xf32>, %arg4: tensor<2048x2048xf32>, %arg5: tensor<2048xf32>, %arg6: tensor<2048x8192xf32>, %arg7: tensor<2048x8192xf32>, %arg8: tensor<8192x2048xf32>, %arg9: tensor<32x2048xf32>, %arg10: tensor<32x32xf32>, %arg11: tensor<32x2x2x32xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 4.8828125E-4 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
    %6 = "tensor.empty"() : () -> tensor<32x2048xf32>
    %7 = "tensor.empty"() : () -> tensor<32xf32>
    %8 = "linalg.fill"(%0, %7) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg105: f32, %arg106: f32):
      "linalg.yield"(%arg105) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<32xf32>) -> tensor<32xf32>
    %9 = "linalg.generic"(%arg9, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32):
      %109 = "arith.mulf"(%arg103, %arg103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.addf"(%109, %arg104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x2048xf32>, tensor<32xf32>) -> tensor<32xf32>
    %10 = "linalg.generic"(%9, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32):
      %106 = "arith.mulf"(%arg101, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%106, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "math.rsqrt"(%107) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %11 = "linalg.generic"(%arg9, %10, %arg0, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg97: f32, %arg98: f32, %arg99: f32, %arg100: f32):
      %104 = "arith.mulf"(%arg97, %arg98) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.mulf"(%104, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x2048xf32>, tensor<32xf32>, tensor<2048xf32>, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    %12 = "linalg.fill"(%0, %6) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32):
      "linalg.yield"(%arg95) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    %13 = "linalg.generic"(%11, %arg1, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32, %arg94: f32):
      %102 = "arith.mulf"(%arg92, %arg93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.addf"(%arg94, %102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x2048xf32>, tensor<2048x2048xf32>, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    %14 = "tensor.empty"() : () -> tensor<32x512xf32>
    %15 = "linalg.fill"(%0, %14) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32):
      "linalg.yield"(%arg90) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<32x512xf32>) -> tensor<32x512xf32>
    %16 = "linalg.generic"(%11, %arg2, %15) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32, %arg89: f32):
      %100 = "arith.mulf"(%arg87, %arg88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.addf"(%arg89, %100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x2048xf32>, tensor<2048x512xf32>, tensor<32x512xf32>) -> tensor<32x512xf32>
    %17 = "tensor.expand_shape"(%13) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 32, 32, 2, 32>}> : (tensor<32x2048xf32>) -> tensor<32x32x2x32xf32>
    %18 = "tensor.empty"() : () -> tensor<32x32x2x32xf32>
    %19 = "linalg.fill"(%0, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32):
      "linalg.yield"(%arg85) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<32x32x2x32xf32>) -> tensor<32x32x2x32xf32>
    %20 = "linalg.generic"(%17, %arg11, %19) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32, %arg84: f32):
      %98 = "arith.mulf"(%arg82, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.addf"(%98, %arg84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<32x32x2x32xf32>, tensor<32x2x2x32xf32>, tensor<32x32x2x32xf32>) -> tensor<32x32x2x32xf32>
    %21 = "tensor.expand_shape"(%16) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 32, 8, 2, 32>}> : (tensor<32x512xf32>) -> tensor<32x8x2x32xf32>
    %22 = "tensor.empty"() : () -> tensor<32x8x2x32xf32>
    %23 = "linalg.fill"(%0, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      "linalg.yield"(%arg80) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<32x8x2x32xf32>) -> tensor<32x8x2x32xf32>
    %24 = "linalg.generic"(%21, %arg11, %23) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32, %arg79: f32):
      %96 = "arith.mulf"(%arg77, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.addf"(%96, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<32x8x2x32xf32>, tensor<32x2x2x32xf32>, tensor<32x8x2x32xf32>) -> tensor<32x8x2x32xf32>
    %25 = "tensor.collapse_shape"(%24) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<32x8x2x32xf32>) -> tensor<32x8x64xf32>
    %26 = "linalg.generic"(%11, %arg3, %15) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg74: f32, %arg75: f32, %arg76: f32):
      %94 = "arith.mulf"(%arg74, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "arith.addf"(%arg76, %94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x2048xf32>, tensor<2048x512xf32>, tensor<32x512xf32>) -> tensor<32x512xf32>
    %27 = "tensor.expand_shape"(%26) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 8, 64>}> : (tensor<32x512xf32>) -> tensor<32x8x64xf32>
    %28 = "tensor.empty"() : () -> tensor<8x32x64xf32>
    %29 = "linalg.generic"(%25, %28) <{indexing_maps = [#map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32):
      "linalg.yield"(%arg72) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<32x8x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %30 = "linalg.generic"(%27, %28) <{indexing_maps = [#map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32):
      "linalg.yield"(%arg70) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<32x8x64xf32>, tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
    %31 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 32, 8, 4, 2, 32>}> : (tensor<32x32x2x32xf32>) -> tensor<32x8x4x2x32xf32>
    %32 = "tensor.collapse_shape"(%31) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<32x8x4x2x32xf32>) -> tensor<32x8x4x64xf32>
    %33 = "tensor.empty"() : () -> tensor<32x8x4x32xf32>
    %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      "linalg.yield"(%arg68) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<32x8x4x32xf32>) -> tensor<32x8x4x32xf32>
    %35 = "linalg.generic"(%32, %29, %34) <{indexing_maps = [#map9, #map12, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %92 = "arith.mulf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %93 = "arith.addf"(%92, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x8x4x64xf32>, tensor<8x32x64xf32>, tensor<32x8x4x32xf32>) -> tensor<32x8x4x32xf32>
    %36 = "linalg.generic"(%35, %arg10, %33) <{indexing_maps = [#map14, #map15, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32, %arg64: f32):
      %90 = "arith.mulf"(%arg62, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.addf"(%90, %arg63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x8x4x32xf32>, tensor<32x32xf32>, tensor<32x8x4x32xf32>) -> tensor<32x8x4x32xf32>
    %37 = "tensor.empty"() : () -> tensor<32x8x4xf32>
    %38 = "linalg.fill"(%1, %37) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32):
      "linalg.yield"(%arg60) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x8x4xf32>) -> tensor<32x8x4xf32>
    %39 = "linalg.generic"(%36, %38) <{indexing_maps = [#map14, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg58: f32, %arg59: f32):
      %89 = "arith.maximumf"(%arg58, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x8x4x32xf32>, tensor<32x8x4xf32>) -> tensor<32x8x4xf32>
    %40 = "linalg.generic"(%36, %39, %33) <{indexing_maps = [#map14, #map16, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg55: f32, %arg56: f32, %arg57: f32):
      %87 = "arith.subf"(%arg55, %arg56) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "math.exp"(%87) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x8x4x32xf32>, tensor<32x8x4xf32>, tensor<32x8x4x32xf32>) -> tensor<32x8x4x32xf32>
    %41 = "linalg.fill"(%0, %37) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32):
      "linalg.yield"(%arg53) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x8x4xf32>) -> tensor<32x8x4xf32>
    %42 = "linalg.generic"(%40, %41) <{indexing_maps = [#map14, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32):
      %86 = "arith.addf"(%arg51, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x8x4x32xf32>, tensor<32x8x4xf32>) -> tensor<32x8x4xf32>
    %43 = "tensor.empty"() : () -> tensor<32x8x4x64xf32>
    %44 = "linalg.fill"(%0, %43) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32):
      "linalg.yield"(%arg49) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (f32, tensor<32x8x4x64xf32>) -> tensor<32x8x4x64xf32>
    %45 = "linalg.generic"(%40, %30, %44) <{indexing_maps = [#map13, #map12, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32, %arg48: f32):
      %84 = "arith.mulf"(%arg46, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %85 = "arith.addf"(%84, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%85) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<32x8x4x32xf32>, tensor<8x32x64xf32>, tensor<32x8x4x64xf32>) -> tensor<32x8x4x64xf32>
    %46 = "linalg.generic"(%45, %42, %43) <{indexing_maps = [#map14, #map16, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32, %arg45: f32):
      %83 = "arith.divf"(%arg43, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%83) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<32x8x4x64xf32>, tensor<32x8x4xf32>, tensor<32x8x4x64xf32>) -> tensor<32x8x4x64xf32>
    %47 = "tensor.collapse_shape"(%46) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<32x8x4x64xf32>) -> tensor<32x2048xf32>
    %48 = "linalg.generic"(%47, %arg4, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %81 = "arith.mulf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %82 = "arith.addf"(%arg42, %81) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<32x2048xf32>, tensor<2048x2048xf32>, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    %49 = "linalg.generic"(%arg9, %48, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32, %arg39: f32):
      %80 = "arith.addf"(%arg37, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%80) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<32x2048xf32>, tensor<32x2048xf32>, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    %50 = "linalg.generic"(%49, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32):
      %78 = "arith.mulf"(%arg35, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "arith.addf"(%78, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%79) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x2048xf32>, tensor<32xf32>) -> tensor<32xf32>
    %51 = "linalg.generic"(%50, %7) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32):
      %75 = "arith.mulf"(%arg33, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %76 = "arith.addf"(%75, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %77 = "math.rsqrt"(%76) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%77) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %52 = "linalg.generic"(%49, %51, %arg5, %6) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32, %arg31: f32, %arg32: f32):
      %73 = "arith.mulf"(%arg29, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %74 = "arith.mulf"(%73, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%74) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x2048xf32>, tensor<32xf32>, tensor<2048xf32>, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    %53 = "tensor.empty"() : () -> tensor<32x8192xf32>
    %54 = "linalg.fill"(%0, %53) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      "linalg.yield"(%arg27) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<32x8192xf32>) -> tensor<32x8192xf32>
    %55 = "linalg.generic"(%52, %arg6, %54) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %71 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %72 = "arith.addf"(%arg26, %71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%72) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<32x2048xf32>, tensor<2048x8192xf32>, tensor<32x8192xf32>) -> tensor<32x8192xf32>
    %56 = "linalg.generic"(%52, %arg7, %54) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32):
      %69 = "arith.mulf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %70 = "arith.addf"(%arg23, %69) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%70) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<32x2048xf32>, tensor<2048x8192xf32>, tensor<32x8192xf32>) -> tensor<32x8192xf32>
    %57 = "linalg.generic"(%55, %56, %53) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
      %63 = "arith.negf"(%arg18) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %64 = "math.exp"(%63) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %65 = "arith.addf"(%64, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %66 = "arith.divf"(%2, %65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %67 = "arith.mulf"(%arg18, %66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "arith.mulf"(%67, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%68) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<32x8192xf32>, tensor<32x8192xf32>, tensor<32x8192xf32>) -> tensor<32x8192xf32>
    %58 = "linalg.generic"(%57, %arg8, %12) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32, %arg17: f32):
      %61 = "arith.mulf"(%arg15, %arg16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %62 = "arith.addf"(%arg17, %61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%62) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<32x8192xf32>, tensor<8192x2048xf32>, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    %59 = "linalg.generic"(%49, %58, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32, %arg14: f32):
      %60 = "arith.addf"(%arg12, %arg13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%60) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<32x2048xf32>, tensor<32x2048xf32>, tensor<32x2048xf32>) -> tensor<32x2048xf32>
    "func.return"(%59, %29, %30) : (tensor<32x2048xf32>, tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.o_proj.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "x", "mask", "rope"], sttest.context = 0 : i64, sttest.model = "llama-3.2-1b", sttest.phase = "prefill", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 32 : i64} : () -> ()
}) : () -> ()
