#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d2)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map10 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map12 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map13 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
#map15 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map18 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1152xf32>, tensor<1152x1024xf32>, tensor<1152x256xf32>, tensor<1152x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x1152xf32>, tensor<1152xf32>, tensor<1152xf32>, tensor<1152x6912xf32>, tensor<1152x6912xf32>, tensor<6912x1152xf32>, tensor<1152xf32>, tensor<32x1152xf32>, tensor<32x32xf32>, tensor<32x2x2x128xf32>) -> (tensor<32x1152xf32>, tensor<1x32x256xf32>, tensor<1x32x256xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1152xf32>, %arg1: tensor<1152x1024xf32>, %arg2: tensor<1152x256xf32>, %arg3: tensor<1152x256xf32>, %arg4: tensor<256xf32>, %arg5: tensor<256xf32>, %arg6: tensor<1024x1152xf32>, %arg7: tensor<1152xf32>, %arg8: tensor<1152xf32>, %arg9: tensor<1152x6912xf32>, %arg10: tensor<1152x6912xf32>, %arg11: tensor<6912x1152xf32>, %arg12: tensor<1152xf32>, %arg13: tensor<32x1152xf32>, %arg14: tensor<32x32xf32>, %arg15: tensor<32x2x2x128xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 8.68055562E-4 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 3.906250e-03 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 6.250000e-02 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %9 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %10 = "tensor.empty"() : () -> tensor<32x1152xf32>
    %11 = "tensor.empty"() : () -> tensor<32xf32>
    %12 = "linalg.fill"(%0, %11) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg143: f32, %arg144: f32):
      "linalg.yield"(%arg143) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<32xf32>) -> tensor<32xf32>
    %13 = "linalg.generic"(%arg13, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg141: f32, %arg142: f32):
      %173 = "arith.mulf"(%arg141, %arg141) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %174 = "arith.addf"(%173, %arg142) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%174) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x1152xf32>, tensor<32xf32>) -> tensor<32xf32>
    %14 = "linalg.generic"(%13, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg139: f32, %arg140: f32):
      %170 = "arith.mulf"(%arg139, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %171 = "arith.addf"(%170, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %172 = "math.rsqrt"(%171) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%172) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %15 = "linalg.generic"(%arg13, %14, %arg0, %10) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg135: f32, %arg136: f32, %arg137: f32, %arg138: f32):
      %167 = "arith.addf"(%arg137, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %168 = "arith.mulf"(%arg135, %arg136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %169 = "arith.mulf"(%168, %167) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%169) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x1152xf32>, tensor<32xf32>, tensor<1152xf32>, tensor<32x1152xf32>) -> tensor<32x1152xf32>
    %16 = "tensor.empty"() : () -> tensor<32x1024xf32>
    %17 = "linalg.fill"(%0, %16) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg133: f32, %arg134: f32):
      "linalg.yield"(%arg133) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %18 = "linalg.generic"(%15, %arg1, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg130: f32, %arg131: f32, %arg132: f32):
      %165 = "arith.mulf"(%arg130, %arg131) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %166 = "arith.addf"(%arg132, %165) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%166) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x1152xf32>, tensor<1152x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32>
    %19 = "tensor.expand_shape"(%18) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 4, 256>}> : (tensor<32x1024xf32>) -> tensor<32x4x256xf32>
    %20 = "tensor.empty"() : () -> tensor<32x256xf32>
    %21 = "linalg.fill"(%0, %20) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg128: f32, %arg129: f32):
      "linalg.yield"(%arg128) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<32x256xf32>) -> tensor<32x256xf32>
    %22 = "linalg.generic"(%15, %arg2, %21) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg125: f32, %arg126: f32, %arg127: f32):
      %163 = "arith.mulf"(%arg125, %arg126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %164 = "arith.addf"(%arg127, %163) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%164) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x1152xf32>, tensor<1152x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %23 = "tensor.expand_shape"(%22) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 1, 256>}> : (tensor<32x256xf32>) -> tensor<32x1x256xf32>
    %24 = "tensor.empty"() : () -> tensor<32x4x256xf32>
    %25 = "tensor.empty"() : () -> tensor<32x4xf32>
    %26 = "linalg.fill"(%0, %25) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32):
      "linalg.yield"(%arg123) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (f32, tensor<32x4xf32>) -> tensor<32x4xf32>
    %27 = "linalg.generic"(%19, %26) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32):
      %161 = "arith.mulf"(%arg121, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %162 = "arith.addf"(%161, %arg122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%162) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<32x4x256xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %28 = "linalg.generic"(%27, %25) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg119: f32, %arg120: f32):
      %158 = "arith.mulf"(%arg119, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %159 = "arith.addf"(%158, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "math.rsqrt"(%159) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%160) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<32x4xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %29 = "linalg.generic"(%19, %28, %arg4, %24) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg115: f32, %arg116: f32, %arg117: f32, %arg118: f32):
      %155 = "arith.addf"(%arg117, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %156 = "arith.mulf"(%arg115, %arg116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %157 = "arith.mulf"(%156, %155) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%157) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<32x4x256xf32>, tensor<32x4xf32>, tensor<256xf32>, tensor<32x4x256xf32>) -> tensor<32x4x256xf32>
    %30 = "tensor.empty"() : () -> tensor<32x1x256xf32>
    %31 = "tensor.empty"() : () -> tensor<32x1xf32>
    %32 = "linalg.fill"(%0, %31) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32):
      "linalg.yield"(%arg113) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (f32, tensor<32x1xf32>) -> tensor<32x1xf32>
    %33 = "linalg.generic"(%23, %32) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32):
      %153 = "arith.mulf"(%arg111, %arg111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %154 = "arith.addf"(%153, %arg112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%154) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<32x1x256xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %34 = "linalg.generic"(%33, %31) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32):
      %150 = "arith.mulf"(%arg109, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %151 = "arith.addf"(%150, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "math.rsqrt"(%151) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %35 = "linalg.generic"(%23, %34, %arg5, %30) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg105: f32, %arg106: f32, %arg107: f32, %arg108: f32):
      %147 = "arith.addf"(%arg107, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %148 = "arith.mulf"(%arg105, %arg106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.mulf"(%148, %147) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%149) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<32x1x256xf32>, tensor<32x1xf32>, tensor<256xf32>, tensor<32x1x256xf32>) -> tensor<32x1x256xf32>
    %36 = "tensor.expand_shape"(%29) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 32, 4, 2, 128>}> : (tensor<32x4x256xf32>) -> tensor<32x4x2x128xf32>
    %37 = "tensor.expand_shape"(%arg15) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 32, 1, 2, 2, 128>}> : (tensor<32x2x2x128xf32>) -> tensor<32x1x2x2x128xf32>
    %38 = "tensor.empty"() : () -> tensor<32x4x2x128xf32>
    %39 = "linalg.fill"(%0, %38) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32):
      "linalg.yield"(%arg103) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<32x4x2x128xf32>) -> tensor<32x4x2x128xf32>
    %40 = "linalg.generic"(%36, %arg15, %39) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg100: f32, %arg101: f32, %arg102: f32):
      %145 = "arith.mulf"(%arg100, %arg101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %146 = "arith.addf"(%145, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%146) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<32x4x2x128xf32>, tensor<32x2x2x128xf32>, tensor<32x4x2x128xf32>) -> tensor<32x4x2x128xf32>
    %41 = "tensor.expand_shape"(%35) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 32, 1, 2, 128>}> : (tensor<32x1x256xf32>) -> tensor<32x1x2x128xf32>
    %42 = "tensor.empty"() : () -> tensor<32x1x2x128xf32>
    %43 = "linalg.fill"(%0, %42) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32):
      "linalg.yield"(%arg98) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<32x1x2x128xf32>) -> tensor<32x1x2x128xf32>
    %44 = "linalg.generic"(%41, %37, %43) <{indexing_maps = [#map9, #map12, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32, %arg97: f32):
      %143 = "arith.mulf"(%arg95, %arg96) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %144 = "arith.addf"(%143, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%144) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<32x1x2x128xf32>, tensor<32x1x2x2x128xf32>, tensor<32x1x2x128xf32>) -> tensor<32x1x2x128xf32>
    %45 = "tensor.collapse_shape"(%44) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<32x1x2x128xf32>) -> tensor<32x1x256xf32>
    %46 = "linalg.generic"(%15, %arg3, %21) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32, %arg94: f32):
      %141 = "arith.mulf"(%arg92, %arg93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %142 = "arith.addf"(%arg94, %141) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%142) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x1152xf32>, tensor<1152x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %47 = "tensor.expand_shape"(%46) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 1, 256>}> : (tensor<32x256xf32>) -> tensor<32x1x256xf32>
    %48 = "tensor.empty"() : () -> tensor<1x32x256xf32>
    %49 = "linalg.generic"(%45, %48) <{indexing_maps = [#map13, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32):
      "linalg.yield"(%arg90) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<32x1x256xf32>, tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
    %50 = "linalg.generic"(%47, %48) <{indexing_maps = [#map13, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32):
      "linalg.yield"(%arg88) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<32x1x256xf32>, tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
    %51 = "tensor.expand_shape"(%arg14) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 1, 32>}> : (tensor<32x32xf32>) -> tensor<32x1x32xf32>
    %52 = "tensor.expand_shape"(%40) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 32, 1, 4, 2, 128>}> : (tensor<32x4x2x128xf32>) -> tensor<32x1x4x2x128xf32>
    %53 = "tensor.collapse_shape"(%52) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<32x1x4x2x128xf32>) -> tensor<32x1x4x256xf32>
    %54 = "tensor.empty"() : () -> tensor<32x1x4x32xf32>
    %55 = "linalg.fill"(%0, %54) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg86: f32, %arg87: f32):
      "linalg.yield"(%arg86) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %56 = "linalg.generic"(%53, %49, %55) <{indexing_maps = [#map11, #map14, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32, %arg85: f32):
      %139 = "arith.mulf"(%arg83, %arg84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %140 = "arith.addf"(%139, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%140) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x1x4x256xf32>, tensor<1x32x256xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %57 = "linalg.generic"(%56, %51, %54) <{indexing_maps = [#map16, #map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32, %arg82: f32):
      %137 = "arith.mulf"(%arg80, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %138 = "arith.addf"(%137, %arg81) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%138) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x1x4x32xf32>, tensor<32x1x32xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %58 = "tensor.empty"() : () -> tensor<32x1x4xf32>
    %59 = "linalg.fill"(%1, %58) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32):
      "linalg.yield"(%arg78) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %60 = "linalg.generic"(%57, %59) <{indexing_maps = [#map16, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32):
      %136 = "arith.maximumf"(%arg76, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%136) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x1x4x32xf32>, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %61 = "linalg.generic"(%57, %60, %54) <{indexing_maps = [#map16, #map18, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32):
      %134 = "arith.subf"(%arg73, %arg74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %135 = "math.exp"(%134) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x1x4x32xf32>, tensor<32x1x4xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %62 = "linalg.fill"(%0, %58) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      "linalg.yield"(%arg71) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %63 = "linalg.generic"(%61, %62) <{indexing_maps = [#map16, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32):
      %133 = "arith.addf"(%arg69, %arg70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x1x4x32xf32>, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %64 = "tensor.empty"() : () -> tensor<32x1x4x256xf32>
    %65 = "linalg.fill"(%0, %64) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32):
      "linalg.yield"(%arg67) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (f32, tensor<32x1x4x256xf32>) -> tensor<32x1x4x256xf32>
    %66 = "linalg.generic"(%61, %50, %65) <{indexing_maps = [#map15, #map14, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32, %arg66: f32):
      %131 = "arith.mulf"(%arg64, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %132 = "arith.addf"(%131, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%132) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<32x1x4x32xf32>, tensor<1x32x256xf32>, tensor<32x1x4x256xf32>) -> tensor<32x1x4x256xf32>
    %67 = "linalg.generic"(%66, %63, %64) <{indexing_maps = [#map16, #map18, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32, %arg63: f32):
      %130 = "arith.divf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%130) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<32x1x4x256xf32>, tensor<32x1x4xf32>, tensor<32x1x4x256xf32>) -> tensor<32x1x4x256xf32>
    %68 = "tensor.collapse_shape"(%67) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<32x1x4x256xf32>) -> tensor<32x1024xf32>
    %69 = "linalg.fill"(%0, %10) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      "linalg.yield"(%arg59) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (f32, tensor<32x1152xf32>) -> tensor<32x1152xf32>
    %70 = "linalg.generic"(%68, %arg6, %69) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %128 = "arith.mulf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %129 = "arith.addf"(%arg58, %128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<32x1024xf32>, tensor<1024x1152xf32>, tensor<32x1152xf32>) -> tensor<32x1152xf32>
    %71 = "linalg.generic"(%70, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32):
      %126 = "arith.mulf"(%arg54, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %127 = "arith.addf"(%126, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%127) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<32x1152xf32>, tensor<32xf32>) -> tensor<32xf32>
    %72 = "linalg.generic"(%71, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32):
      %123 = "arith.mulf"(%arg52, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %124 = "arith.addf"(%123, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "math.rsqrt"(%124) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %73 = "linalg.generic"(%arg13, %70, %72, %arg7, %10) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32, %arg50: f32, %arg51: f32):
      %119 = "arith.addf"(%arg50, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.mulf"(%arg48, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %121 = "arith.mulf"(%120, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.addf"(%arg47, %121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%122) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<32x1152xf32>, tensor<32x1152xf32>, tensor<32xf32>, tensor<1152xf32>, tensor<32x1152xf32>) -> tensor<32x1152xf32>
    %74 = "linalg.generic"(%73, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      %117 = "arith.mulf"(%arg45, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.addf"(%117, %arg46) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x1152xf32>, tensor<32xf32>) -> tensor<32xf32>
    %75 = "linalg.generic"(%74, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32):
      %114 = "arith.mulf"(%arg43, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.addf"(%114, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "math.rsqrt"(%115) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %76 = "linalg.generic"(%73, %75, %arg8, %10) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32, %arg41: f32, %arg42: f32):
      %111 = "arith.addf"(%arg41, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.mulf"(%arg39, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.mulf"(%112, %111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x1152xf32>, tensor<32xf32>, tensor<1152xf32>, tensor<32x1152xf32>) -> tensor<32x1152xf32>
    %77 = "tensor.empty"() : () -> tensor<32x6912xf32>
    %78 = "linalg.fill"(%0, %77) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      "linalg.yield"(%arg37) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<32x6912xf32>) -> tensor<32x6912xf32>
    %79 = "linalg.generic"(%76, %arg9, %78) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32):
      %109 = "arith.mulf"(%arg34, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.addf"(%arg36, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<32x1152xf32>, tensor<1152x6912xf32>, tensor<32x6912xf32>) -> tensor<32x6912xf32>
    %80 = "linalg.generic"(%76, %arg10, %78) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32, %arg33: f32):
      %107 = "arith.mulf"(%arg31, %arg32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%arg33, %107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<32x1152xf32>, tensor<1152x6912xf32>, tensor<32x6912xf32>) -> tensor<32x6912xf32>
    %81 = "linalg.generic"(%79, %80, %77) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32, %arg30: f32):
      %97 = "arith.mulf"(%arg28, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "arith.mulf"(%97, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.mulf"(%98, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %100 = "arith.addf"(%arg28, %99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.mulf"(%100, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "math.tanh"(%101) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %103 = "arith.addf"(%102, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.mulf"(%arg28, %103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.mulf"(%104, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %106 = "arith.mulf"(%105, %arg29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<32x6912xf32>, tensor<32x6912xf32>, tensor<32x6912xf32>) -> tensor<32x6912xf32>
    %82 = "linalg.generic"(%81, %arg11, %69) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32, %arg27: f32):
      %95 = "arith.mulf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "arith.addf"(%arg27, %95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%96) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<32x6912xf32>, tensor<6912x1152xf32>, tensor<32x1152xf32>) -> tensor<32x1152xf32>
    %83 = "linalg.generic"(%82, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32):
      %93 = "arith.mulf"(%arg23, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %94 = "arith.addf"(%93, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<32x1152xf32>, tensor<32xf32>) -> tensor<32xf32>
    %84 = "linalg.generic"(%83, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32):
      %90 = "arith.mulf"(%arg21, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.addf"(%90, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "math.rsqrt"(%91) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %85 = "linalg.generic"(%73, %82, %84, %arg12, %10) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32, %arg18: f32, %arg19: f32, %arg20: f32):
      %86 = "arith.addf"(%arg19, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %87 = "arith.mulf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.mulf"(%87, %86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %89 = "arith.addf"(%arg16, %88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<32x1152xf32>, tensor<32x1152xf32>, tensor<32xf32>, tensor<1152xf32>, tensor<32x1152xf32>) -> tensor<32x1152xf32>
    "func.return"(%85, %49, %50) : (tensor<32x1152xf32>, tensor<1x32x256xf32>, tensor<1x32x256xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.q_norm.weight", "attn.k_norm.weight", "attn.o_proj.weight", "attn_post_norm.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "mlp_post_norm.weight", "x", "mask", "rope"], sttest.context = 0 : i64, sttest.inputs_per_layer = ["mask", "rope"], sttest.model = "gemma", sttest.phase = "prefill", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 32 : i64} : () -> ()
}) : () -> ()
