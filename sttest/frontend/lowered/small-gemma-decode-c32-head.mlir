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
  "func.func"() <{function_type = (tensor<64xf32>, tensor<64x128xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<1x64xf32>, tensor<32xf32>, tensor<1x2x2x16xf32>, tensor<1x32x32xf32>, tensor<1x32x32xf32>, tensor<256xf32>) -> (tensor<1x64xf32>, tensor<1x1x32xf32>, tensor<1x1x32xf32>, tensor<1x256xf32>, tensor<1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<64xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x32xf32>, %arg3: tensor<64x32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<128x64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x256xf32>, %arg10: tensor<64x256xf32>, %arg11: tensor<256x64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<64xf32>, %arg14: tensor<64x256xf32>, %arg15: tensor<1x64xf32>, %arg16: tensor<32xf32>, %arg17: tensor<1x2x2x16xf32>, %arg18: tensor<1x32x32xf32>, %arg19: tensor<1x32x32xf32>, %arg20: tensor<256xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 1.562500e-02 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 3.125000e-02 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 0.176776692 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %9 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %10 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %11 = "arith.constant"() <{value = 2.560000e+02 : f32}> : () -> f32
    %12 = "tensor.empty"() : () -> tensor<1x64xf32>
    %13 = "tensor.empty"() : () -> tensor<1xf32>
    %14 = "linalg.fill"(%0, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg190: f32, %arg191: f32):
      "linalg.yield"(%arg190) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %15 = "linalg.generic"(%arg15, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg188: f32, %arg189: f32):
      %219 = "arith.mulf"(%arg188, %arg188) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %220 = "arith.addf"(%219, %arg189) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%220) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %16 = "linalg.generic"(%15, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg186: f32, %arg187: f32):
      %216 = "arith.mulf"(%arg186, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %217 = "arith.addf"(%216, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %218 = "math.rsqrt"(%217) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%218) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %17 = "linalg.generic"(%arg15, %16, %arg0, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg182: f32, %arg183: f32, %arg184: f32, %arg185: f32):
      %213 = "arith.addf"(%arg184, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %214 = "arith.mulf"(%arg182, %arg183) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %215 = "arith.mulf"(%214, %213) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%215) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %18 = "tensor.empty"() : () -> tensor<1x128xf32>
    %19 = "linalg.fill"(%0, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg180: f32, %arg181: f32):
      "linalg.yield"(%arg180) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x128xf32>) -> tensor<1x128xf32>
    %20 = "linalg.generic"(%17, %arg1, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg177: f32, %arg178: f32, %arg179: f32):
      %211 = "arith.mulf"(%arg177, %arg178) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %212 = "arith.addf"(%arg179, %211) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%212) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x64xf32>, tensor<64x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %21 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 32>}> : (tensor<1x128xf32>) -> tensor<1x4x32xf32>
    %22 = "tensor.empty"() : () -> tensor<1x32xf32>
    %23 = "linalg.fill"(%0, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg175: f32, %arg176: f32):
      "linalg.yield"(%arg175) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x32xf32>) -> tensor<1x32xf32>
    %24 = "linalg.generic"(%17, %arg2, %23) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg172: f32, %arg173: f32, %arg174: f32):
      %209 = "arith.mulf"(%arg172, %arg173) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %210 = "arith.addf"(%arg174, %209) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%210) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x64xf32>, tensor<64x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    %25 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 32>}> : (tensor<1x32xf32>) -> tensor<1x1x32xf32>
    %26 = "tensor.empty"() : () -> tensor<1x4x32xf32>
    %27 = "tensor.empty"() : () -> tensor<1x4xf32>
    %28 = "linalg.fill"(%0, %27) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg170: f32, %arg171: f32):
      "linalg.yield"(%arg170) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %29 = "linalg.generic"(%21, %28) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg168: f32, %arg169: f32):
      %207 = "arith.mulf"(%arg168, %arg168) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %208 = "arith.addf"(%207, %arg169) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%208) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4x32xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %30 = "linalg.generic"(%29, %27) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg166: f32, %arg167: f32):
      %204 = "arith.mulf"(%arg166, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %205 = "arith.addf"(%204, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %206 = "math.rsqrt"(%205) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%206) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %31 = "linalg.generic"(%21, %30, %arg4, %26) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg162: f32, %arg163: f32, %arg164: f32, %arg165: f32):
      %201 = "arith.addf"(%arg164, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %202 = "arith.mulf"(%arg162, %arg163) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %203 = "arith.mulf"(%202, %201) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%203) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4x32xf32>, tensor<1x4xf32>, tensor<32xf32>, tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    %32 = "tensor.empty"() : () -> tensor<1x1x32xf32>
    %33 = "tensor.empty"() : () -> tensor<1x1xf32>
    %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg160: f32, %arg161: f32):
      "linalg.yield"(%arg160) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (f32, tensor<1x1xf32>) -> tensor<1x1xf32>
    %35 = "linalg.generic"(%25, %34) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg158: f32, %arg159: f32):
      %199 = "arith.mulf"(%arg158, %arg158) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %200 = "arith.addf"(%199, %arg159) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%200) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1x32xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %36 = "linalg.generic"(%35, %33) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg156: f32, %arg157: f32):
      %196 = "arith.mulf"(%arg156, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %197 = "arith.addf"(%196, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %198 = "math.rsqrt"(%197) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%198) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %37 = "linalg.generic"(%25, %36, %arg5, %32) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg152: f32, %arg153: f32, %arg154: f32, %arg155: f32):
      %193 = "arith.addf"(%arg154, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %194 = "arith.mulf"(%arg152, %arg153) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %195 = "arith.mulf"(%194, %193) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%195) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1x32xf32>, tensor<1x1xf32>, tensor<32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    %38 = "tensor.expand_shape"(%31) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 1, 4, 2, 16>}> : (tensor<1x4x32xf32>) -> tensor<1x4x2x16xf32>
    %39 = "tensor.expand_shape"(%arg17) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 1, 2, 2, 16>}> : (tensor<1x2x2x16xf32>) -> tensor<1x1x2x2x16xf32>
    %40 = "tensor.empty"() : () -> tensor<1x4x2x16xf32>
    %41 = "linalg.fill"(%0, %40) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg150: f32, %arg151: f32):
      "linalg.yield"(%arg150) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %42 = "linalg.generic"(%38, %arg17, %41) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg147: f32, %arg148: f32, %arg149: f32):
      %191 = "arith.mulf"(%arg147, %arg148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %192 = "arith.addf"(%191, %arg149) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%192) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x4x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %43 = "tensor.expand_shape"(%37) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 1, 1, 2, 16>}> : (tensor<1x1x32xf32>) -> tensor<1x1x2x16xf32>
    %44 = "tensor.empty"() : () -> tensor<1x1x2x16xf32>
    %45 = "linalg.fill"(%0, %44) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg145: f32, %arg146: f32):
      "linalg.yield"(%arg145) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x1x2x16xf32>) -> tensor<1x1x2x16xf32>
    %46 = "linalg.generic"(%43, %39, %45) <{indexing_maps = [#map9, #map12, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg142: f32, %arg143: f32, %arg144: f32):
      %189 = "arith.mulf"(%arg142, %arg143) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %190 = "arith.addf"(%189, %arg144) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%190) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x1x2x16xf32>, tensor<1x1x2x2x16xf32>, tensor<1x1x2x16xf32>) -> tensor<1x1x2x16xf32>
    %47 = "tensor.collapse_shape"(%46) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x1x2x16xf32>) -> tensor<1x1x32xf32>
    %48 = "tensor.expand_shape"(%42) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 1, 4, 2, 16>}> : (tensor<1x4x2x16xf32>) -> tensor<1x1x4x2x16xf32>
    %49 = "tensor.collapse_shape"(%48) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x1x4x2x16xf32>) -> tensor<1x1x4x32xf32>
    %50 = "linalg.generic"(%17, %arg3, %23) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg139: f32, %arg140: f32, %arg141: f32):
      %187 = "arith.mulf"(%arg139, %arg140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %188 = "arith.addf"(%arg141, %187) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%188) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x64xf32>, tensor<64x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    %51 = "tensor.expand_shape"(%50) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 32>}> : (tensor<1x32xf32>) -> tensor<1x1x32xf32>
    %52 = "tensor.empty"() : () -> tensor<1x1x4x32xf32>
    %53 = "linalg.fill"(%0, %52) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32):
      "linalg.yield"(%arg137) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %54 = "linalg.generic"(%49, %arg18, %53) <{indexing_maps = [#map11, #map13, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg134: f32, %arg135: f32, %arg136: f32):
      %185 = "arith.mulf"(%arg134, %arg135) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %186 = "arith.addf"(%185, %arg136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%186) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x1x4x32xf32>, tensor<1x32x32xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %55 = "linalg.generic"(%54, %arg16, %52) <{indexing_maps = [#map15, #map16, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg131: f32, %arg132: f32, %arg133: f32):
      %183 = "arith.mulf"(%arg131, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %184 = "arith.addf"(%183, %arg132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%184) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x1x4x32xf32>, tensor<32xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %56 = "tensor.empty"() : () -> tensor<1x1x4xf32>
    %57 = "linalg.fill"(%0, %56) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32):
      "linalg.yield"(%arg129) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %58 = "linalg.generic"(%49, %47, %57) <{indexing_maps = [#map15, #map17, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32, %arg128: f32):
      %181 = "arith.mulf"(%arg126, %arg127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %182 = "arith.addf"(%181, %arg128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%182) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x1x4x32xf32>, tensor<1x1x32xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %59 = "linalg.generic"(%58, %56) <{indexing_maps = [#map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg124: f32, %arg125: f32):
      %180 = "arith.mulf"(%arg124, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%180) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %60 = "linalg.fill"(%1, %56) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg122: f32, %arg123: f32):
      "linalg.yield"(%arg122) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %61 = "linalg.generic"(%55, %60) <{indexing_maps = [#map15, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg120: f32, %arg121: f32):
      %179 = "arith.maximumf"(%arg120, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%179) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %62 = "linalg.generic"(%61, %59, %56) <{indexing_maps = [#map7, #map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32, %arg119: f32):
      %177 = "arith.cmpf"(%arg117, %arg118) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %178 = "arith.select"(%177, %arg117, %arg118) : (i1, f32, f32) -> f32
      "linalg.yield"(%178) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %63 = "linalg.generic"(%55, %62, %52) <{indexing_maps = [#map15, #map18, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32, %arg116: f32):
      %175 = "arith.subf"(%arg114, %arg115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %176 = "math.exp"(%175) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%176) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %64 = "linalg.generic"(%59, %62, %56) <{indexing_maps = [#map7, #map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32, %arg113: f32):
      %173 = "arith.subf"(%arg111, %arg112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %174 = "math.exp"(%173) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%174) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %65 = "linalg.generic"(%63, %57) <{indexing_maps = [#map15, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32):
      %172 = "arith.addf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%172) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %66 = "linalg.generic"(%63, %arg19, %53) <{indexing_maps = [#map14, #map13, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32, %arg108: f32):
      %170 = "arith.mulf"(%arg106, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %171 = "arith.addf"(%170, %arg108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%171) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x1x4x32xf32>, tensor<1x32x32xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %67 = "linalg.generic"(%66, %64, %51, %65, %52) <{indexing_maps = [#map15, #map18, #map17, #map18, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32, %arg103: f32, %arg104: f32, %arg105: f32):
      %166 = "arith.addf"(%arg104, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %167 = "arith.mulf"(%arg102, %arg103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %168 = "arith.addf"(%arg101, %167) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %169 = "arith.divf"(%168, %166) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%169) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>, tensor<1x1x32xf32>, tensor<1x1x4xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %68 = "tensor.collapse_shape"(%67) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x1x4x32xf32>) -> tensor<1x128xf32>
    %69 = "linalg.fill"(%0, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32):
      "linalg.yield"(%arg99) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (f32, tensor<1x64xf32>) -> tensor<1x64xf32>
    %70 = "linalg.generic"(%68, %arg6, %69) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32, %arg98: f32):
      %164 = "arith.mulf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %165 = "arith.addf"(%arg98, %164) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%165) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %71 = "linalg.generic"(%47, %32) <{indexing_maps = [#map19, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg94: f32, %arg95: f32):
      "linalg.yield"(%arg94) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x1x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    %72 = "linalg.generic"(%51, %32) <{indexing_maps = [#map19, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32):
      "linalg.yield"(%arg92) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x1x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    %73 = "linalg.generic"(%70, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32):
      %162 = "arith.mulf"(%arg90, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %163 = "arith.addf"(%162, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%163) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %74 = "linalg.generic"(%73, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32):
      %159 = "arith.mulf"(%arg88, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "arith.addf"(%159, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %161 = "math.rsqrt"(%160) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%161) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %75 = "linalg.generic"(%arg15, %70, %74, %arg7, %12) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32, %arg85: f32, %arg86: f32, %arg87: f32):
      %155 = "arith.addf"(%arg86, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %156 = "arith.mulf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %157 = "arith.mulf"(%156, %155) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "arith.addf"(%arg83, %157) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %76 = "linalg.generic"(%75, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32):
      %153 = "arith.mulf"(%arg81, %arg81) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %154 = "arith.addf"(%153, %arg82) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%154) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %77 = "linalg.generic"(%76, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32):
      %150 = "arith.mulf"(%arg79, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %151 = "arith.addf"(%150, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "math.rsqrt"(%151) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %78 = "linalg.generic"(%75, %77, %arg8, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32, %arg77: f32, %arg78: f32):
      %147 = "arith.addf"(%arg77, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %148 = "arith.mulf"(%arg75, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.mulf"(%148, %147) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%149) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %79 = "tensor.empty"() : () -> tensor<1x256xf32>
    %80 = "linalg.fill"(%0, %79) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32):
      "linalg.yield"(%arg73) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x256xf32>) -> tensor<1x256xf32>
    %81 = "linalg.generic"(%78, %arg9, %80) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32, %arg72: f32):
      %145 = "arith.mulf"(%arg70, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %146 = "arith.addf"(%arg72, %145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%146) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x64xf32>, tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %82 = "linalg.generic"(%78, %arg10, %80) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32, %arg69: f32):
      %143 = "arith.mulf"(%arg67, %arg68) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %144 = "arith.addf"(%arg69, %143) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%144) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x64xf32>, tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %83 = "linalg.generic"(%81, %82, %79) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32, %arg66: f32):
      %133 = "arith.mulf"(%arg64, %arg64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %134 = "arith.mulf"(%133, %arg64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %135 = "arith.mulf"(%134, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %136 = "arith.addf"(%arg64, %135) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %137 = "arith.mulf"(%136, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %138 = "math.tanh"(%137) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %139 = "arith.addf"(%138, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %140 = "arith.mulf"(%arg64, %139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %141 = "arith.mulf"(%140, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %142 = "arith.mulf"(%141, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%142) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x256xf32>, tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %84 = "linalg.generic"(%83, %arg11, %69) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32, %arg63: f32):
      %131 = "arith.mulf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %132 = "arith.addf"(%arg63, %131) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%132) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x256xf32>, tensor<256x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %85 = "linalg.generic"(%84, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      %129 = "arith.mulf"(%arg59, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %130 = "arith.addf"(%129, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%130) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %86 = "linalg.generic"(%85, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32):
      %126 = "arith.mulf"(%arg57, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %127 = "arith.addf"(%126, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "math.rsqrt"(%127) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %87 = "linalg.generic"(%75, %84, %86, %arg12, %12) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32, %arg54: f32, %arg55: f32, %arg56: f32):
      %122 = "arith.addf"(%arg55, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.mulf"(%arg53, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %124 = "arith.mulf"(%123, %122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%arg52, %124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %88 = "linalg.generic"(%87, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32):
      %120 = "arith.mulf"(%arg50, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %121 = "arith.addf"(%120, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%121) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %89 = "linalg.generic"(%88, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32):
      %117 = "arith.mulf"(%arg48, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.addf"(%117, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "math.rsqrt"(%118) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%119) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %90 = "linalg.generic"(%87, %89, %arg13, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32, %arg46: f32, %arg47: f32):
      %114 = "arith.addf"(%arg46, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.mulf"(%arg44, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "arith.mulf"(%115, %114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %91 = "linalg.generic"(%90, %arg14, %80) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32, %arg43: f32):
      %112 = "arith.mulf"(%arg41, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%arg43, %112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x64xf32>, tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %92 = "tensor.expand_shape"(%91) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 64>}> : (tensor<1x256xf32>) -> tensor<1x4x64xf32>
    %93 = "linalg.fill"(%1, %27) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32):
      "linalg.yield"(%arg39) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %94 = "linalg.generic"(%92, %93) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      %111 = "arith.maximumf"(%arg37, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4x64xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %95 = "tensor.expand_shape"(%arg20) <{reassociation = [[0, 1]], static_output_shape = array<i64: 4, 64>}> : (tensor<256xf32>) -> tensor<4x64xf32>
    %96 = "linalg.fill"(%2, %27) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32):
      "linalg.yield"(%arg35) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %97 = "linalg.generic"(%92, %94, %95, %96) <{indexing_maps = [#map7, #map6, #map20, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32, %arg33: f32, %arg34: f32):
      %107 = "arith.addf"(%arg33, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.cmpf"(%arg31, %arg32) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %109 = "arith.select"(%108, %107, %arg33) : (i1, f32, f32) -> f32
      %110 = "arith.minimumf"(%109, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4x64xf32>, tensor<1x4xf32>, tensor<4x64xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %98 = "linalg.fill"(%1, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      "linalg.yield"(%arg29) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %99 = "linalg.generic"(%94, %98) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      %106 = "arith.maximumf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4xf32>, tensor<1xf32>) -> tensor<1xf32>
    %100 = "linalg.fill"(%2, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      "linalg.yield"(%arg25) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %101 = "linalg.generic"(%94, %99, %97, %100) <{indexing_maps = [#map, #map1, #map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32, %arg24: f32):
      %102 = "arith.addf"(%arg23, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.cmpf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %104 = "arith.select"(%103, %102, %arg23) : (i1, f32, f32) -> f32
      %105 = "arith.minimumf"(%104, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4xf32>, tensor<1xf32>, tensor<1x4xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%87, %71, %72, %91, %101) : (tensor<1x64xf32>, tensor<1x1x32xf32>, tensor<1x1x32xf32>, tensor<1x256xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.q_norm.weight", "attn.k_norm.weight", "attn.o_proj.weight", "attn_post_norm.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "mlp_post_norm.weight", "head.norm.weight", "head.proj.weight", "x", "mask", "rope", "k_cache", "v_cache", "token_ids"], sttest.context = 32 : i64, sttest.inputs_per_layer = ["mask", "rope"], sttest.model = "small-gemma", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
