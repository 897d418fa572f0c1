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
  "func.func"() <{function_type = (tensor<64xf32>, tensor<64x128xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<32x32xf32>, tensor<32x2x2x16xf32>) -> (tensor<32x64xf32>, tensor<1x32x32xf32>, tensor<1x32x32xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<64xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x32xf32>, %arg3: tensor<64x32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<128x64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x256xf32>, %arg10: tensor<64x256xf32>, %arg11: tensor<256x64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<32x64xf32>, %arg14: tensor<32x32xf32>, %arg15: tensor<32x2x2x16xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.562500e-02 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 3.125000e-02 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 0.176776692 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %9 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %10 = "tensor.empty"() : () -> tensor<32x64xf32>
    %11 = "tensor.empty"() : () -> tensor<32xf32>
    %12 = "linalg.fill"(%0, %11) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg141: f32, %arg142: f32):
      "linalg.yield"(%arg141) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<32xf32>) -> tensor<32xf32>
    %13 = "linalg.generic"(%arg13, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg139: f32, %arg140: f32):
      %171 = "arith.mulf"(%arg139, %arg139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %172 = "arith.addf"(%171, %arg140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%172) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %14 = "linalg.generic"(%13, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32):
      %168 = "arith.mulf"(%arg137, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %169 = "arith.addf"(%168, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %170 = "math.rsqrt"(%169) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%170) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %15 = "linalg.generic"(%arg13, %14, %arg0, %10) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg133: f32, %arg134: f32, %arg135: f32, %arg136: f32):
      %165 = "arith.addf"(%arg135, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %166 = "arith.mulf"(%arg133, %arg134) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %167 = "arith.mulf"(%166, %165) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%167) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %16 = "tensor.empty"() : () -> tensor<32x128xf32>
    %17 = "linalg.fill"(%0, %16) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg131: f32, %arg132: f32):
      "linalg.yield"(%arg131) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<32x128xf32>) -> tensor<32x128xf32>
    %18 = "linalg.generic"(%15, %arg1, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg128: f32, %arg129: f32, %arg130: f32):
      %163 = "arith.mulf"(%arg128, %arg129) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %164 = "arith.addf"(%arg130, %163) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%164) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<32x64xf32>, tensor<64x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %19 = "tensor.expand_shape"(%18) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 4, 32>}> : (tensor<32x128xf32>) -> tensor<32x4x32xf32>
    %20 = "tensor.empty"() : () -> tensor<32x32xf32>
    %21 = "linalg.fill"(%0, %20) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32):
      "linalg.yield"(%arg126) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<32x32xf32>) -> tensor<32x32xf32>
    %22 = "linalg.generic"(%15, %arg2, %21) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32, %arg125: f32):
      %161 = "arith.mulf"(%arg123, %arg124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %162 = "arith.addf"(%arg125, %161) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%162) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %23 = "tensor.expand_shape"(%22) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 1, 32>}> : (tensor<32x32xf32>) -> tensor<32x1x32xf32>
    %24 = "tensor.empty"() : () -> tensor<32x4x32xf32>
    %25 = "tensor.empty"() : () -> tensor<32x4xf32>
    %26 = "linalg.fill"(%0, %25) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32):
      "linalg.yield"(%arg121) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (f32, tensor<32x4xf32>) -> tensor<32x4xf32>
    %27 = "linalg.generic"(%19, %26) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg119: f32, %arg120: f32):
      %159 = "arith.mulf"(%arg119, %arg119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "arith.addf"(%159, %arg120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%160) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<32x4x32xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %28 = "linalg.generic"(%27, %25) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32):
      %156 = "arith.mulf"(%arg117, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %157 = "arith.addf"(%156, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "math.rsqrt"(%157) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<32x4xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    %29 = "linalg.generic"(%19, %28, %arg4, %24) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32, %arg115: f32, %arg116: f32):
      %153 = "arith.addf"(%arg115, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %154 = "arith.mulf"(%arg113, %arg114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %155 = "arith.mulf"(%154, %153) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%155) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<32x4x32xf32>, tensor<32x4xf32>, tensor<32xf32>, tensor<32x4x32xf32>) -> tensor<32x4x32xf32>
    %30 = "tensor.empty"() : () -> tensor<32x1x32xf32>
    %31 = "tensor.empty"() : () -> tensor<32x1xf32>
    %32 = "linalg.fill"(%0, %31) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32):
      "linalg.yield"(%arg111) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (f32, tensor<32x1xf32>) -> tensor<32x1xf32>
    %33 = "linalg.generic"(%23, %32) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32):
      %151 = "arith.mulf"(%arg109, %arg109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "arith.addf"(%151, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<32x1x32xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %34 = "linalg.generic"(%33, %31) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg107: f32, %arg108: f32):
      %148 = "arith.mulf"(%arg107, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.addf"(%148, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %150 = "math.rsqrt"(%149) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%150) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %35 = "linalg.generic"(%23, %34, %arg5, %30) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32, %arg105: f32, %arg106: f32):
      %145 = "arith.addf"(%arg105, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %146 = "arith.mulf"(%arg103, %arg104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %147 = "arith.mulf"(%146, %145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<32x1x32xf32>, tensor<32x1xf32>, tensor<32xf32>, tensor<32x1x32xf32>) -> tensor<32x1x32xf32>
    %36 = "tensor.expand_shape"(%29) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 32, 4, 2, 16>}> : (tensor<32x4x32xf32>) -> tensor<32x4x2x16xf32>
    %37 = "tensor.expand_shape"(%arg15) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 32, 1, 2, 2, 16>}> : (tensor<32x2x2x16xf32>) -> tensor<32x1x2x2x16xf32>
    %38 = "tensor.empty"() : () -> tensor<32x4x2x16xf32>
    %39 = "linalg.fill"(%0, %38) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32):
      "linalg.yield"(%arg101) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<32x4x2x16xf32>) -> tensor<32x4x2x16xf32>
    %40 = "linalg.generic"(%36, %arg15, %39) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32, %arg100: f32):
      %143 = "arith.mulf"(%arg98, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %144 = "arith.addf"(%143, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%144) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<32x4x2x16xf32>, tensor<32x2x2x16xf32>, tensor<32x4x2x16xf32>) -> tensor<32x4x2x16xf32>
    %41 = "tensor.expand_shape"(%35) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 32, 1, 2, 16>}> : (tensor<32x1x32xf32>) -> tensor<32x1x2x16xf32>
    %42 = "tensor.empty"() : () -> tensor<32x1x2x16xf32>
    %43 = "linalg.fill"(%0, %42) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32):
      "linalg.yield"(%arg96) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<32x1x2x16xf32>) -> tensor<32x1x2x16xf32>
    %44 = "linalg.generic"(%41, %37, %43) <{indexing_maps = [#map9, #map12, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %141 = "arith.mulf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %142 = "arith.addf"(%141, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%142) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<32x1x2x16xf32>, tensor<32x1x2x2x16xf32>, tensor<32x1x2x16xf32>) -> tensor<32x1x2x16xf32>
    %45 = "tensor.collapse_shape"(%44) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<32x1x2x16xf32>) -> tensor<32x1x32xf32>
    %46 = "linalg.generic"(%15, %arg3, %21) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32, %arg92: f32):
      %139 = "arith.mulf"(%arg90, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %140 = "arith.addf"(%arg92, %139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%140) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %47 = "tensor.expand_shape"(%46) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 1, 32>}> : (tensor<32x32xf32>) -> tensor<32x1x32xf32>
    %48 = "tensor.empty"() : () -> tensor<1x32x32xf32>
    %49 = "linalg.generic"(%45, %48) <{indexing_maps = [#map13, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32):
      "linalg.yield"(%arg88) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<32x1x32xf32>, tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
    %50 = "linalg.generic"(%47, %48) <{indexing_maps = [#map13, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg86: f32, %arg87: f32):
      "linalg.yield"(%arg86) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<32x1x32xf32>, tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
    %51 = "tensor.expand_shape"(%arg14) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 32, 1, 32>}> : (tensor<32x32xf32>) -> tensor<32x1x32xf32>
    %52 = "tensor.expand_shape"(%40) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 32, 1, 4, 2, 16>}> : (tensor<32x4x2x16xf32>) -> tensor<32x1x4x2x16xf32>
    %53 = "tensor.collapse_shape"(%52) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<32x1x4x2x16xf32>) -> tensor<32x1x4x32xf32>
    %54 = "tensor.empty"() : () -> tensor<32x1x4x32xf32>
    %55 = "linalg.fill"(%0, %54) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32):
      "linalg.yield"(%arg84) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %56 = "linalg.generic"(%53, %49, %55) <{indexing_maps = [#map11, #map14, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32, %arg83: f32):
      %137 = "arith.mulf"(%arg81, %arg82) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %138 = "arith.addf"(%137, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%138) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x1x4x32xf32>, tensor<1x32x32xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %57 = "linalg.generic"(%56, %51, %54) <{indexing_maps = [#map16, #map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32, %arg80: f32):
      %135 = "arith.mulf"(%arg78, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %136 = "arith.addf"(%135, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%136) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<32x1x4x32xf32>, tensor<32x1x32xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %58 = "tensor.empty"() : () -> tensor<32x1x4xf32>
    %59 = "linalg.fill"(%1, %58) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32):
      "linalg.yield"(%arg76) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %60 = "linalg.generic"(%57, %59) <{indexing_maps = [#map16, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg74: f32, %arg75: f32):
      %134 = "arith.maximumf"(%arg74, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%134) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x1x4x32xf32>, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %61 = "linalg.generic"(%57, %60, %54) <{indexing_maps = [#map16, #map18, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32, %arg73: f32):
      %132 = "arith.subf"(%arg71, %arg72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %133 = "math.exp"(%132) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x1x4x32xf32>, tensor<32x1x4xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %62 = "linalg.fill"(%0, %58) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32):
      "linalg.yield"(%arg69) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %63 = "linalg.generic"(%61, %62) <{indexing_maps = [#map16, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32):
      %131 = "arith.addf"(%arg67, %arg68) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<32x1x4x32xf32>, tensor<32x1x4xf32>) -> tensor<32x1x4xf32>
    %64 = "linalg.generic"(%61, %50, %55) <{indexing_maps = [#map15, #map14, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32, %arg66: f32):
      %129 = "arith.mulf"(%arg64, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %130 = "arith.addf"(%129, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%130) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<32x1x4x32xf32>, tensor<1x32x32xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %65 = "linalg.generic"(%64, %63, %54) <{indexing_maps = [#map16, #map18, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32, %arg63: f32):
      %128 = "arith.divf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<32x1x4x32xf32>, tensor<32x1x4xf32>, tensor<32x1x4x32xf32>) -> tensor<32x1x4x32xf32>
    %66 = "tensor.collapse_shape"(%65) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<32x1x4x32xf32>) -> tensor<32x128xf32>
    %67 = "linalg.fill"(%0, %10) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      "linalg.yield"(%arg59) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (f32, tensor<32x64xf32>) -> tensor<32x64xf32>
    %68 = "linalg.generic"(%66, %arg6, %67) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %126 = "arith.mulf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %127 = "arith.addf"(%arg58, %126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%127) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<32x128xf32>, tensor<128x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %69 = "linalg.generic"(%68, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32):
      %124 = "arith.mulf"(%arg54, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%124, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %70 = "linalg.generic"(%69, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32):
      %121 = "arith.mulf"(%arg52, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.addf"(%121, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "math.rsqrt"(%122) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %71 = "linalg.generic"(%arg13, %68, %70, %arg7, %10) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32, %arg50: f32, %arg51: f32):
      %117 = "arith.addf"(%arg50, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.mulf"(%arg48, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "arith.mulf"(%118, %117) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.addf"(%arg47, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %72 = "linalg.generic"(%71, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      %115 = "arith.mulf"(%arg45, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "arith.addf"(%115, %arg46) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %73 = "linalg.generic"(%72, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32):
      %112 = "arith.mulf"(%arg43, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%112, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "math.rsqrt"(%113) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %74 = "linalg.generic"(%71, %73, %arg8, %10) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32, %arg41: f32, %arg42: f32):
      %109 = "arith.addf"(%arg41, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.mulf"(%arg39, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.mulf"(%110, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %75 = "tensor.empty"() : () -> tensor<32x256xf32>
    %76 = "linalg.fill"(%0, %75) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      "linalg.yield"(%arg37) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<32x256xf32>) -> tensor<32x256xf32>
    %77 = "linalg.generic"(%74, %arg9, %76) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32):
      %107 = "arith.mulf"(%arg34, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%arg36, %107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<32x64xf32>, tensor<64x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %78 = "linalg.generic"(%74, %arg10, %76) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32, %arg33: f32):
      %105 = "arith.mulf"(%arg31, %arg32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %106 = "arith.addf"(%arg33, %105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<32x64xf32>, tensor<64x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %79 = "linalg.generic"(%77, %78, %75) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32, %arg30: f32):
      %95 = "arith.mulf"(%arg28, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "arith.mulf"(%95, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.mulf"(%96, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "arith.addf"(%arg28, %97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.mulf"(%98, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %100 = "math.tanh"(%99) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %101 = "arith.addf"(%100, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "arith.mulf"(%arg28, %101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.mulf"(%102, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.mulf"(%103, %arg29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<32x256xf32>, tensor<32x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
    %80 = "linalg.generic"(%79, %arg11, %67) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32, %arg27: f32):
      %93 = "arith.mulf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %94 = "arith.addf"(%arg27, %93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<32x256xf32>, tensor<256x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %81 = "linalg.generic"(%80, %12) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32):
      %91 = "arith.mulf"(%arg23, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "arith.addf"(%91, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<32x64xf32>, tensor<32xf32>) -> tensor<32xf32>
    %82 = "linalg.generic"(%81, %11) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32):
      %88 = "arith.mulf"(%arg21, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %89 = "arith.addf"(%88, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "math.rsqrt"(%89) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %83 = "linalg.generic"(%71, %80, %82, %arg12, %10) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32, %arg18: f32, %arg19: f32, %arg20: f32):
      %84 = "arith.addf"(%arg19, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %85 = "arith.mulf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "arith.mulf"(%85, %84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %87 = "arith.addf"(%arg16, %86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%87) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    "func.return"(%83, %49, %50) : (tensor<32x64xf32>, tensor<1x32x32xf32>, tensor<1x32x32xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.q_norm.weight", "attn.k_norm.weight", "attn.o_proj.weight", "attn_post_norm.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "mlp_post_norm.weight", "x", "mask", "rope"], sttest.context = 0 : i64, sttest.inputs_per_layer = ["mask", "rope"], sttest.model = "small-gemma", sttest.phase = "prefill", sttest.result_names = ["y", "k_new", "v_new"], sttest.tokens = 32 : i64} : () -> ()
}) : () -> ()
