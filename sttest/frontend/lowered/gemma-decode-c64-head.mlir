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
#map13 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
#map14 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map17 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map18 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map19 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map20 = affine_map<(d0, d1, d2) -> (d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1152xf32>, tensor<1152x1024xf32>, tensor<1152x256xf32>, tensor<1152x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x1152xf32>, tensor<1152xf32>, tensor<1152xf32>, tensor<1152x6912xf32>, tensor<1152x6912xf32>, tensor<6912x1152xf32>, tensor<1152xf32>, tensor<1152xf32>, tensor<1152x262144xf32>, tensor<1x1152xf32>, tensor<64xf32>, tensor<1x2x2x128xf32>, tensor<1x64x256xf32>, tensor<1x64x256xf32>, tensor<262144xf32>) -> (tensor<1x1152xf32>, tensor<1x1x256xf32>, tensor<1x1x256xf32>, tensor<1x262144xf32>, tensor<1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1152xf32>, %arg1: tensor<1152x1024xf32>, %arg2: tensor<1152x256xf32>, %arg3: tensor<1152x256xf32>, %arg4: tensor<256xf32>, %arg5: tensor<256xf32>, %arg6: tensor<1024x1152xf32>, %arg7: tensor<1152xf32>, %arg8: tensor<1152xf32>, %arg9: tensor<1152x6912xf32>, %arg10: tensor<1152x6912xf32>, %arg11: tensor<6912x1152xf32>, %arg12: tensor<1152xf32>, %arg13: tensor<1152xf32>, %arg14: tensor<1152x262144xf32>, %arg15: tensor<1x1152xf32>, %arg16: tensor<64xf32>, %arg17: tensor<1x2x2x128xf32>, %arg18: tensor<1x64x256xf32>, %arg19: tensor<1x64x256xf32>, %arg20: tensor<262144xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 8.68055562E-4 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 3.906250e-03 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 6.250000e-02 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %9 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %10 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %11 = "arith.constant"() <{value = 2.621440e+05 : f32}> : () -> f32
    %12 = "tensor.empty"() : () -> tensor<1x1152xf32>
    %13 = "tensor.empty"() : () -> tensor<1xf32>
    %14 = "linalg.fill"(%0, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg194: f32, %arg195: f32):
      "linalg.yield"(%arg194) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %15 = "linalg.generic"(%arg15, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg192: f32, %arg193: f32):
      %223 = "arith.mulf"(%arg192, %arg192) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %224 = "arith.addf"(%223, %arg193) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%224) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1152xf32>, tensor<1xf32>) -> tensor<1xf32>
    %16 = "linalg.generic"(%15, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg190: f32, %arg191: f32):
      %220 = "arith.mulf"(%arg190, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %221 = "arith.addf"(%220, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %222 = "math.rsqrt"(%221) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%222) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %17 = "linalg.generic"(%arg15, %16, %arg0, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg186: f32, %arg187: f32, %arg188: f32, %arg189: f32):
      %217 = "arith.addf"(%arg188, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %218 = "arith.mulf"(%arg186, %arg187) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %219 = "arith.mulf"(%218, %217) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%219) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1152xf32>, tensor<1xf32>, tensor<1152xf32>, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %18 = "tensor.empty"() : () -> tensor<1x1024xf32>
    %19 = "linalg.fill"(%0, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg184: f32, %arg185: f32):
      "linalg.yield"(%arg184) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %20 = "linalg.generic"(%17, %arg1, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg181: f32, %arg182: f32, %arg183: f32):
      %215 = "arith.mulf"(%arg181, %arg182) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %216 = "arith.addf"(%arg183, %215) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%216) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x1152xf32>, tensor<1152x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %21 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 256>}> : (tensor<1x1024xf32>) -> tensor<1x4x256xf32>
    %22 = "tensor.empty"() : () -> tensor<1x256xf32>
    %23 = "linalg.fill"(%0, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg179: f32, %arg180: f32):
      "linalg.yield"(%arg179) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x256xf32>) -> tensor<1x256xf32>
    %24 = "linalg.generic"(%17, %arg2, %23) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg176: f32, %arg177: f32, %arg178: f32):
      %213 = "arith.mulf"(%arg176, %arg177) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %214 = "arith.addf"(%arg178, %213) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%214) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x1152xf32>, tensor<1152x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %25 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 256>}> : (tensor<1x256xf32>) -> tensor<1x1x256xf32>
    %26 = "tensor.empty"() : () -> tensor<1x4x256xf32>
    %27 = "tensor.empty"() : () -> tensor<1x4xf32>
    %28 = "linalg.fill"(%0, %27) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg174: f32, %arg175: f32):
      "linalg.yield"(%arg174) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %29 = "linalg.generic"(%21, %28) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg172: f32, %arg173: f32):
      %211 = "arith.mulf"(%arg172, %arg172) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %212 = "arith.addf"(%211, %arg173) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%212) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4x256xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %30 = "linalg.generic"(%29, %27) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg170: f32, %arg171: f32):
      %208 = "arith.mulf"(%arg170, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %209 = "arith.addf"(%208, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %210 = "math.rsqrt"(%209) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%210) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %31 = "linalg.generic"(%21, %30, %arg4, %26) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg166: f32, %arg167: f32, %arg168: f32, %arg169: f32):
      %205 = "arith.addf"(%arg168, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %206 = "arith.mulf"(%arg166, %arg167) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %207 = "arith.mulf"(%206, %205) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%207) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4x256xf32>, tensor<1x4xf32>, tensor<256xf32>, tensor<1x4x256xf32>) -> tensor<1x4x256xf32>
    %32 = "tensor.empty"() : () -> tensor<1x1x256xf32>
    %33 = "tensor.empty"() : () -> tensor<1x1xf32>
    %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg164: f32, %arg165: f32):
      "linalg.yield"(%arg164) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (f32, tensor<1x1xf32>) -> tensor<1x1xf32>
    %35 = "linalg.generic"(%25, %34) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg162: f32, %arg163: f32):
      %203 = "arith.mulf"(%arg162, %arg162) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %204 = "arith.addf"(%203, %arg163) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%204) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1x256xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %36 = "linalg.generic"(%35, %33) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg160: f32, %arg161: f32):
      %200 = "arith.mulf"(%arg160, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %201 = "arith.addf"(%200, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %202 = "math.rsqrt"(%201) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%202) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %37 = "linalg.generic"(%25, %36, %arg5, %32) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg156: f32, %arg157: f32, %arg158: f32, %arg159: f32):
      %197 = "arith.addf"(%arg158, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %198 = "arith.mulf"(%arg156, %arg157) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %199 = "arith.mulf"(%198, %197) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%199) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1x256xf32>, tensor<1x1xf32>, tensor<256xf32>, tensor<1x1x256xf32>) -> tensor<1x1x256xf32>
    %38 = "tensor.expand_shape"(%31) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 1, 4, 2, 128>}> : (tensor<1x4x256xf32>) -> tensor<1x4x2x128xf32>
    %39 = "tensor.expand_shape"(%arg17) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 1, 2, 2, 128>}> : (tensor<1x2x2x128xf32>) -> tensor<1x1x2x2x128xf32>
    %40 = "tensor.empty"() : () -> tensor<1x4x2x128xf32>
    %41 = "linalg.fill"(%0, %40) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg154: f32, %arg155: f32):
      "linalg.yield"(%arg154) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x4x2x128xf32>) -> tensor<1x4x2x128xf32>
    %42 = "linalg.generic"(%38, %arg17, %41) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg151: f32, %arg152: f32, %arg153: f32):
      %195 = "arith.mulf"(%arg151, %arg152) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %196 = "arith.addf"(%195, %arg153) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%196) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x4x2x128xf32>, tensor<1x2x2x128xf32>, tensor<1x4x2x128xf32>) -> tensor<1x4x2x128xf32>
    %43 = "tensor.expand_shape"(%37) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 1, 1, 2, 128>}> : (tensor<1x1x256xf32>) -> tensor<1x1x2x128xf32>
    %44 = "tensor.empty"() : () -> tensor<1x1x2x128xf32>
    %45 = "linalg.fill"(%0, %44) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg149: f32, %arg150: f32):
      "linalg.yield"(%arg149) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x1x2x128xf32>) -> tensor<1x1x2x128xf32>
    %46 = "linalg.generic"(%43, %39, %45) <{indexing_maps = [#map9, #map12, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg146: f32, %arg147: f32, %arg148: f32):
      %193 = "arith.mulf"(%arg146, %arg147) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %194 = "arith.addf"(%193, %arg148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%194) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x1x2x128xf32>, tensor<1x1x2x2x128xf32>, tensor<1x1x2x128xf32>) -> tensor<1x1x2x128xf32>
    %47 = "tensor.collapse_shape"(%46) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x1x2x128xf32>) -> tensor<1x1x256xf32>
    %48 = "tensor.expand_shape"(%42) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 1, 4, 2, 128>}> : (tensor<1x4x2x128xf32>) -> tensor<1x1x4x2x128xf32>
    %49 = "tensor.collapse_shape"(%48) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x1x4x2x128xf32>) -> tensor<1x1x4x256xf32>
    %50 = "linalg.generic"(%17, %arg3, %23) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg143: f32, %arg144: f32, %arg145: f32):
      %191 = "arith.mulf"(%arg143, %arg144) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %192 = "arith.addf"(%arg145, %191) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%192) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x1152xf32>, tensor<1152x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %51 = "tensor.expand_shape"(%50) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 256>}> : (tensor<1x256xf32>) -> tensor<1x1x256xf32>
    %52 = "tensor.empty"() : () -> tensor<1x1x4x64xf32>
    %53 = "linalg.fill"(%0, %52) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg141: f32, %arg142: f32):
      "linalg.yield"(%arg141) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x1x4x64xf32>) -> tensor<1x1x4x64xf32>
    %54 = "linalg.generic"(%49, %arg18, %53) <{indexing_maps = [#map11, #map13, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg138: f32, %arg139: f32, %arg140: f32):
      %189 = "arith.mulf"(%arg138, %arg139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %190 = "arith.addf"(%189, %arg140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%190) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x1x4x256xf32>, tensor<1x64x256xf32>, tensor<1x1x4x64xf32>) -> tensor<1x1x4x64xf32>
    %55 = "linalg.generic"(%54, %arg16, %52) <{indexing_maps = [#map15, #map16, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg135: f32, %arg136: f32, %arg137: f32):
      %187 = "arith.mulf"(%arg135, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %188 = "arith.addf"(%187, %arg136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%188) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x1x4x64xf32>, tensor<64xf32>, tensor<1x1x4x64xf32>) -> tensor<1x1x4x64xf32>
    %56 = "tensor.empty"() : () -> tensor<1x1x4x256xf32>
    %57 = "tensor.empty"() : () -> tensor<1x1x4xf32>
    %58 = "linalg.fill"(%0, %57) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg133: f32, %arg134: f32):
      "linalg.yield"(%arg133) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %59 = "linalg.generic"(%49, %47, %58) <{indexing_maps = [#map15, #map17, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg130: f32, %arg131: f32, %arg132: f32):
      %185 = "arith.mulf"(%arg130, %arg131) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %186 = "arith.addf"(%185, %arg132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%186) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x1x4x256xf32>, tensor<1x1x256xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %60 = "linalg.generic"(%59, %57) <{indexing_maps = [#map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg128: f32, %arg129: f32):
      %184 = "arith.mulf"(%arg128, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%184) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %61 = "linalg.fill"(%1, %57) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32):
      "linalg.yield"(%arg126) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %62 = "linalg.generic"(%55, %61) <{indexing_maps = [#map15, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg124: f32, %arg125: f32):
      %183 = "arith.maximumf"(%arg124, %arg125) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%183) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x64xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %63 = "linalg.generic"(%62, %60, %57) <{indexing_maps = [#map7, #map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32, %arg123: f32):
      %181 = "arith.cmpf"(%arg121, %arg122) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %182 = "arith.select"(%181, %arg121, %arg122) : (i1, f32, f32) -> f32
      "linalg.yield"(%182) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %64 = "linalg.generic"(%55, %63, %52) <{indexing_maps = [#map15, #map18, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg118: f32, %arg119: f32, %arg120: f32):
      %179 = "arith.subf"(%arg118, %arg119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %180 = "math.exp"(%179) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%180) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x64xf32>, tensor<1x1x4xf32>, tensor<1x1x4x64xf32>) -> tensor<1x1x4x64xf32>
    %65 = "linalg.generic"(%60, %63, %57) <{indexing_maps = [#map7, #map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg115: f32, %arg116: f32, %arg117: f32):
      %177 = "arith.subf"(%arg115, %arg116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %178 = "math.exp"(%177) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%178) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %66 = "linalg.generic"(%64, %58) <{indexing_maps = [#map15, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32):
      %176 = "arith.addf"(%arg113, %arg114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%176) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x64xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %67 = "linalg.fill"(%0, %56) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32):
      "linalg.yield"(%arg111) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (f32, tensor<1x1x4x256xf32>) -> tensor<1x1x4x256xf32>
    %68 = "linalg.generic"(%64, %arg19, %67) <{indexing_maps = [#map14, #map13, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg108: f32, %arg109: f32, %arg110: f32):
      %174 = "arith.mulf"(%arg108, %arg109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %175 = "arith.addf"(%174, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%175) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x1x4x64xf32>, tensor<1x64x256xf32>, tensor<1x1x4x256xf32>) -> tensor<1x1x4x256xf32>
    %69 = "linalg.generic"(%68, %65, %51, %66, %56) <{indexing_maps = [#map15, #map18, #map17, #map18, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32, %arg105: f32, %arg106: f32, %arg107: f32):
      %170 = "arith.addf"(%arg106, %arg104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %171 = "arith.mulf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %172 = "arith.addf"(%arg103, %171) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %173 = "arith.divf"(%172, %170) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%173) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x1x4x256xf32>, tensor<1x1x4xf32>, tensor<1x1x256xf32>, tensor<1x1x4xf32>, tensor<1x1x4x256xf32>) -> tensor<1x1x4x256xf32>
    %70 = "tensor.collapse_shape"(%69) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x1x4x256xf32>) -> tensor<1x1024xf32>
    %71 = "linalg.fill"(%0, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32):
      "linalg.yield"(%arg101) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (f32, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %72 = "linalg.generic"(%70, %arg6, %71) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32, %arg100: f32):
      %168 = "arith.mulf"(%arg98, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %169 = "arith.addf"(%arg100, %168) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%169) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x1024xf32>, tensor<1024x1152xf32>, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %73 = "linalg.generic"(%47, %32) <{indexing_maps = [#map19, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32):
      "linalg.yield"(%arg96) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x1x256xf32>, tensor<1x1x256xf32>) -> tensor<1x1x256xf32>
    %74 = "linalg.generic"(%51, %32) <{indexing_maps = [#map19, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg94: f32, %arg95: f32):
      "linalg.yield"(%arg94) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x1x256xf32>, tensor<1x1x256xf32>) -> tensor<1x1x256xf32>
    %75 = "linalg.generic"(%72, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32):
      %166 = "arith.mulf"(%arg92, %arg92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %167 = "arith.addf"(%166, %arg93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%167) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<1x1152xf32>, tensor<1xf32>) -> tensor<1xf32>
    %76 = "linalg.generic"(%75, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32):
      %163 = "arith.mulf"(%arg90, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %164 = "arith.addf"(%163, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %165 = "math.rsqrt"(%164) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%165) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %77 = "linalg.generic"(%arg15, %72, %76, %arg7, %12) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32, %arg87: f32, %arg88: f32, %arg89: f32):
      %159 = "arith.addf"(%arg88, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "arith.mulf"(%arg86, %arg87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %161 = "arith.mulf"(%160, %159) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %162 = "arith.addf"(%arg85, %161) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%162) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x1152xf32>, tensor<1x1152xf32>, tensor<1xf32>, tensor<1152xf32>, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %78 = "linalg.generic"(%77, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32):
      %157 = "arith.mulf"(%arg83, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "arith.addf"(%157, %arg84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1152xf32>, tensor<1xf32>) -> tensor<1xf32>
    %79 = "linalg.generic"(%78, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32):
      %154 = "arith.mulf"(%arg81, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %155 = "arith.addf"(%154, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %156 = "math.rsqrt"(%155) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%156) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %80 = "linalg.generic"(%77, %79, %arg8, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32, %arg79: f32, %arg80: f32):
      %151 = "arith.addf"(%arg79, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "arith.mulf"(%arg77, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %153 = "arith.mulf"(%152, %151) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%153) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1152xf32>, tensor<1xf32>, tensor<1152xf32>, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %81 = "tensor.empty"() : () -> tensor<1x6912xf32>
    %82 = "linalg.fill"(%0, %81) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32):
      "linalg.yield"(%arg75) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x6912xf32>) -> tensor<1x6912xf32>
    %83 = "linalg.generic"(%80, %arg9, %82) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32, %arg74: f32):
      %149 = "arith.mulf"(%arg72, %arg73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %150 = "arith.addf"(%arg74, %149) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%150) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x1152xf32>, tensor<1152x6912xf32>, tensor<1x6912xf32>) -> tensor<1x6912xf32>
    %84 = "linalg.generic"(%80, %arg10, %82) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32, %arg71: f32):
      %147 = "arith.mulf"(%arg69, %arg70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %148 = "arith.addf"(%arg71, %147) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%148) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x1152xf32>, tensor<1152x6912xf32>, tensor<1x6912xf32>) -> tensor<1x6912xf32>
    %85 = "linalg.generic"(%83, %84, %81) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg66: f32, %arg67: f32, %arg68: f32):
      %137 = "arith.mulf"(%arg66, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %138 = "arith.mulf"(%137, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %139 = "arith.mulf"(%138, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %140 = "arith.addf"(%arg66, %139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %141 = "arith.mulf"(%140, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %142 = "math.tanh"(%141) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %143 = "arith.addf"(%142, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %144 = "arith.mulf"(%arg66, %143) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %145 = "arith.mulf"(%144, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %146 = "arith.mulf"(%145, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%146) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x6912xf32>, tensor<1x6912xf32>, tensor<1x6912xf32>) -> tensor<1x6912xf32>
    %86 = "linalg.generic"(%85, %arg11, %71) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32, %arg65: f32):
      %135 = "arith.mulf"(%arg63, %arg64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %136 = "arith.addf"(%arg65, %135) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%136) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x6912xf32>, tensor<6912x1152xf32>, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %87 = "linalg.generic"(%86, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32):
      %133 = "arith.mulf"(%arg61, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %134 = "arith.addf"(%133, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%134) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<1x1152xf32>, tensor<1xf32>) -> tensor<1xf32>
    %88 = "linalg.generic"(%87, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      %130 = "arith.mulf"(%arg59, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %131 = "arith.addf"(%130, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %132 = "math.rsqrt"(%131) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%132) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %89 = "linalg.generic"(%77, %86, %88, %arg12, %12) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32, %arg56: f32, %arg57: f32, %arg58: f32):
      %126 = "arith.addf"(%arg57, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %127 = "arith.mulf"(%arg55, %arg56) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.mulf"(%127, %126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %129 = "arith.addf"(%arg54, %128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x1152xf32>, tensor<1x1152xf32>, tensor<1xf32>, tensor<1152xf32>, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %90 = "linalg.generic"(%89, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32):
      %124 = "arith.mulf"(%arg52, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%124, %arg53) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x1152xf32>, tensor<1xf32>) -> tensor<1xf32>
    %91 = "linalg.generic"(%90, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32):
      %121 = "arith.mulf"(%arg50, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.addf"(%121, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "math.rsqrt"(%122) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %92 = "linalg.generic"(%89, %91, %arg13, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32, %arg48: f32, %arg49: f32):
      %118 = "arith.addf"(%arg48, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "arith.mulf"(%arg46, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.mulf"(%119, %118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x1152xf32>, tensor<1xf32>, tensor<1152xf32>, tensor<1x1152xf32>) -> tensor<1x1152xf32>
    %93 = "tensor.empty"() : () -> tensor<1x262144xf32>
    %94 = "linalg.fill"(%0, %93) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      "linalg.yield"(%arg44) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (f32, tensor<1x262144xf32>) -> tensor<1x262144xf32>
    %95 = "linalg.generic"(%92, %arg14, %94) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32, %arg43: f32):
      %116 = "arith.mulf"(%arg41, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.addf"(%arg43, %116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x1152xf32>, tensor<1152x262144xf32>, tensor<1x262144xf32>) -> tensor<1x262144xf32>
    %96 = "tensor.expand_shape"(%95) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1024, 256>}> : (tensor<1x262144xf32>) -> tensor<1x1024x256xf32>
    %97 = "linalg.fill"(%1, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32):
      "linalg.yield"(%arg39) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %98 = "linalg.generic"(%96, %97) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      %115 = "arith.maximumf"(%arg37, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x1024x256xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %99 = "tensor.expand_shape"(%arg20) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1024, 256>}> : (tensor<262144xf32>) -> tensor<1024x256xf32>
    %100 = "linalg.fill"(%2, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32):
      "linalg.yield"(%arg35) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %101 = "linalg.generic"(%96, %98, %99, %100) <{indexing_maps = [#map7, #map6, #map20, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32, %arg33: f32, %arg34: f32):
      %111 = "arith.addf"(%arg33, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.cmpf"(%arg31, %arg32) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %113 = "arith.select"(%112, %111, %arg33) : (i1, f32, f32) -> f32
      %114 = "arith.minimumf"(%113, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x1024x256xf32>, tensor<1x1024xf32>, tensor<1024x256xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %102 = "linalg.fill"(%1, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      "linalg.yield"(%arg29) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %103 = "linalg.generic"(%98, %102) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      %110 = "arith.maximumf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %104 = "linalg.fill"(%2, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      "linalg.yield"(%arg25) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %105 = "linalg.generic"(%98, %103, %101, %104) <{indexing_maps = [#map, #map1, #map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32, %arg24: f32):
      %106 = "arith.addf"(%arg23, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.cmpf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %108 = "arith.select"(%107, %106, %arg23) : (i1, f32, f32) -> f32
      %109 = "arith.minimumf"(%108, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%89, %73, %74, %95, %105) : (tensor<1x1152xf32>, tensor<1x1x256xf32>, tensor<1x1x256xf32>, tensor<1x262144xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.q_norm.weight", "attn.k_norm.weight", "attn.o_proj.weight", "attn_post_norm.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "mlp_post_norm.weight", "head.norm.weight", "head.proj.weight", "x", "mask", "rope", "k_cache", "v_cache", "token_ids"], sttest.context = 64 : i64, sttest.inputs_per_layer = ["mask", "rope"], sttest.model = "gemma", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
