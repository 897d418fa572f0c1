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
    ^bb0(%arg180: f32, %arg181: f32):
      "linalg.yield"(%arg180) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %15 = "linalg.generic"(%arg15, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg178: f32, %arg179: f32):
      %208 = "arith.mulf"(%arg178, %arg178) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %209 = "arith.addf"(%208, %arg179) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%209) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %16 = "linalg.generic"(%15, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg176: f32, %arg177: f32):
      %205 = "arith.mulf"(%arg176, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %206 = "arith.addf"(%205, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %207 = "math.rsqrt"(%206) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%207) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %17 = "linalg.generic"(%arg15, %16, %arg0, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg172: f32, %arg173: f32, %arg174: f32, %arg175: f32):
      %202 = "arith.addf"(%arg174, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %203 = "arith.mulf"(%arg172, %arg173) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %204 = "arith.mulf"(%203, %202) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%204) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %18 = "tensor.empty"() : () -> tensor<1x128xf32>
    %19 = "linalg.fill"(%0, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg170: f32, %arg171: f32):
      "linalg.yield"(%arg170) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x128xf32>) -> tensor<1x128xf32>
    %20 = "linalg.generic"(%17, %arg1, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg167: f32, %arg168: f32, %arg169: f32):
      %200 = "arith.mulf"(%arg167, %arg168) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %201 = "arith.addf"(%arg169, %200) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%201) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x64xf32>, tensor<64x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %21 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 32>}> : (tensor<1x128xf32>) -> tensor<1x4x32xf32>
    %22 = "tensor.empty"() : () -> tensor<1x32xf32>
    %23 = "linalg.fill"(%0, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg165: f32, %arg166: f32):
      "linalg.yield"(%arg165) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x32xf32>) -> tensor<1x32xf32>
    %24 = "linalg.generic"(%17, %arg2, %23) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg162: f32, %arg163: f32, %arg164: f32):
      %198 = "arith.mulf"(%arg162, %arg163) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %199 = "arith.addf"(%arg164, %198) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%199) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x64xf32>, tensor<64x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    %25 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 32>}> : (tensor<1x32xf32>) -> tensor<1x1x32xf32>
    %26 = "tensor.empty"() : () -> tensor<1x4x32xf32>
    %27 = "tensor.empty"() : () -> tensor<1x4xf32>
    %28 = "linalg.fill"(%0, %27) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg160: f32, %arg161: f32):
      "linalg.yield"(%arg160) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %29 = "linalg.generic"(%21, %28) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg158: f32, %arg159: f32):
      %196 = "arith.mulf"(%arg158, %arg158) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %197 = "arith.addf"(%196, %arg159) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%197) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4x32xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %30 = "linalg.generic"(%29, %27) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg156: f32, %arg157: f32):
      %193 = "arith.mulf"(%arg156, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %194 = "arith.addf"(%193, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %195 = "math.rsqrt"(%194) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%195) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %31 = "linalg.generic"(%21, %30, %arg4, %26) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg152: f32, %arg153: f32, %arg154: f32, %arg155: f32):
      %190 = "arith.addf"(%arg154, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %191 = "arith.mulf"(%arg152, %arg153) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %192 = "arith.mulf"(%191, %190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%192) : (f32) -> ()
    }) {sttest.source = "attn.q_norm"} : (tensor<1x4x32xf32>, tensor<1x4xf32>, tensor<32xf32>, tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    %32 = "tensor.empty"() : () -> tensor<1x1x32xf32>
    %33 = "tensor.empty"() : () -> tensor<1x1xf32>
    %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg150: f32, %arg151: f32):
      "linalg.yield"(%arg150) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (f32, tensor<1x1xf32>) -> tensor<1x1xf32>
    %35 = "linalg.generic"(%25, %34) <{indexing_maps = [#map7, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg148: f32, %arg149: f32):
      %188 = "arith.mulf"(%arg148, %arg148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %189 = "arith.addf"(%188, %arg149) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%189) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1x32xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %36 = "linalg.generic"(%35, %33) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg146: f32, %arg147: f32):
      %185 = "arith.mulf"(%arg146, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %186 = "arith.addf"(%185, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %187 = "math.rsqrt"(%186) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%187) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %37 = "linalg.generic"(%25, %36, %arg5, %32) <{indexing_maps = [#map7, #map6, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg142: f32, %arg143: f32, %arg144: f32, %arg145: f32):
      %182 = "arith.addf"(%arg144, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %183 = "arith.mulf"(%arg142, %arg143) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %184 = "arith.mulf"(%183, %182) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%184) : (f32) -> ()
    }) {sttest.source = "attn.k_norm"} : (tensor<1x1x32xf32>, tensor<1x1xf32>, tensor<32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    %38 = "tensor.expand_shape"(%31) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 1, 4, 2, 16>}> : (tensor<1x4x32xf32>) -> tensor<1x4x2x16xf32>
    %39 = "tensor.expand_shape"(%arg17) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 1, 2, 2, 16>}> : (tensor<1x2x2x16xf32>) -> tensor<1x1x2x2x16xf32>
    %40 = "tensor.empty"() : () -> tensor<1x4x2x16xf32>
    %41 = "linalg.fill"(%0, %40) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg140: f32, %arg141: f32):
      "linalg.yield"(%arg140) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %42 = "linalg.generic"(%38, %arg17, %41) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32, %arg139: f32):
      %180 = "arith.mulf"(%arg137, %arg138) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %181 = "arith.addf"(%180, %arg139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%181) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x4x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %43 = "tensor.expand_shape"(%37) <{reassociation = [[0], [1], [2, 3]], static_output_shape = array<i64: 1, 1, 2, 16>}> : (tensor<1x1x32xf32>) -> tensor<1x1x2x16xf32>
    %44 = "tensor.empty"() : () -> tensor<1x1x2x16xf32>
    %45 = "linalg.fill"(%0, %44) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg135: f32, %arg136: f32):
      "linalg.yield"(%arg135) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x1x2x16xf32>) -> tensor<1x1x2x16xf32>
    %46 = "linalg.generic"(%43, %39, %45) <{indexing_maps = [#map9, #map12, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg132: f32, %arg133: f32, %arg134: f32):
      %178 = "arith.mulf"(%arg132, %arg133) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %179 = "arith.addf"(%178, %arg134) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%179) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x1x2x16xf32>, tensor<1x1x2x2x16xf32>, tensor<1x1x2x16xf32>) -> tensor<1x1x2x16xf32>
    %47 = "tensor.collapse_shape"(%46) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x1x2x16xf32>) -> tensor<1x1x32xf32>
    %48 = "tensor.expand_shape"(%42) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 1, 4, 2, 16>}> : (tensor<1x4x2x16xf32>) -> tensor<1x1x4x2x16xf32>
    %49 = "tensor.collapse_shape"(%48) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x1x4x2x16xf32>) -> tensor<1x1x4x32xf32>
    %50 = "linalg.generic"(%17, %arg3, %23) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32, %arg131: f32):
      %176 = "arith.mulf"(%arg129, %arg130) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %177 = "arith.addf"(%arg131, %176) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%177) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x64xf32>, tensor<64x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    %51 = "tensor.expand_shape"(%50) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 32>}> : (tensor<1x32xf32>) -> tensor<1x1x32xf32>
    %52 = "tensor.empty"() : () -> tensor<1x1x4x32xf32>
    %53 = "linalg.fill"(%0, %52) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg127: f32, %arg128: f32):
      "linalg.yield"(%arg127) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %54 = "linalg.generic"(%49, %arg18, %53) <{indexing_maps = [#map11, #map13, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg124: f32, %arg125: f32, %arg126: f32):
      %174 = "arith.mulf"(%arg124, %arg125) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %175 = "arith.addf"(%174, %arg126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%175) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x1x4x32xf32>, tensor<1x32x32xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %55 = "linalg.generic"(%54, %arg16, %52) <{indexing_maps = [#map15, #map16, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32, %arg123: f32):
      %172 = "arith.mulf"(%arg121, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %173 = "arith.addf"(%172, %arg122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%173) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x1x4x32xf32>, tensor<32xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %56 = "tensor.empty"() : () -> tensor<1x1x4xf32>
    %57 = "linalg.fill"(%0, %56) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg119: f32, %arg120: f32):
      "linalg.yield"(%arg119) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %58 = "linalg.generic"(%49, %47, %57) <{indexing_maps = [#map15, #map17, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg116: f32, %arg117: f32, %arg118: f32):
      %170 = "arith.mulf"(%arg116, %arg117) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %171 = "arith.addf"(%170, %arg118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%171) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x1x4x32xf32>, tensor<1x1x32xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %59 = "linalg.generic"(%58, %56) <{indexing_maps = [#map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32):
      %169 = "arith.mulf"(%arg114, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%169) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %60 = "linalg.fill"(%1, %56) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32):
      "linalg.yield"(%arg112) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %61 = "linalg.generic"(%55, %60) <{indexing_maps = [#map15, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg110: f32, %arg111: f32):
      %168 = "arith.maximumf"(%arg110, %arg111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%168) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %62 = "linalg.generic"(%61, %59, %56) <{indexing_maps = [#map7, #map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg107: f32, %arg108: f32, %arg109: f32):
      %166 = "arith.cmpf"(%arg107, %arg108) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %167 = "arith.select"(%166, %arg107, %arg108) : (i1, f32, f32) -> f32
      "linalg.yield"(%167) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %63 = "linalg.generic"(%55, %62, %52) <{indexing_maps = [#map15, #map18, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32, %arg106: f32):
      %164 = "arith.subf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %165 = "math.exp"(%164) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%165) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %64 = "linalg.generic"(%59, %62, %56) <{indexing_maps = [#map7, #map7, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32, %arg103: f32):
      %162 = "arith.subf"(%arg101, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %163 = "math.exp"(%162) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%163) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %65 = "linalg.generic"(%63, %57) <{indexing_maps = [#map15, #map18], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32):
      %161 = "arith.addf"(%arg99, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%161) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %66 = "linalg.generic"(%63, %arg19, %53) <{indexing_maps = [#map14, #map13, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32, %arg98: f32):
      %159 = "arith.mulf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "arith.addf"(%159, %arg98) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%160) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x1x4x32xf32>, tensor<1x32x32xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %67 = "linalg.generic"(%66, %64, %51, %65, %52) <{indexing_maps = [#map15, #map18, #map17, #map18, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg91: f32, %arg92: f32, %arg93: f32, %arg94: f32, %arg95: f32):
      %155 = "arith.addf"(%arg94, %arg92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %156 = "arith.mulf"(%arg92, %arg93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %157 = "arith.addf"(%arg91, %156) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "arith.divf"(%157, %155) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {sttest.source = "attn.normalise"} : (tensor<1x1x4x32xf32>, tensor<1x1x4xf32>, tensor<1x1x32xf32>, tensor<1x1x4xf32>, tensor<1x1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %68 = "tensor.collapse_shape"(%67) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x1x4x32xf32>) -> tensor<1x128xf32>
    %69 = "linalg.fill"(%0, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg89: f32, %arg90: f32):
      "linalg.yield"(%arg89) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (f32, tensor<1x64xf32>) -> tensor<1x64xf32>
    %70 = "linalg.generic"(%68, %arg6, %69) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg86: f32, %arg87: f32, %arg88: f32):
      %153 = "arith.mulf"(%arg86, %arg87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %154 = "arith.addf"(%arg88, %153) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%154) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %71 = "linalg.generic"(%47, %32) <{indexing_maps = [#map19, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32):
      "linalg.yield"(%arg84) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x1x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    %72 = "linalg.generic"(%51, %32) <{indexing_maps = [#map19, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32):
      "linalg.yield"(%arg82) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x1x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    %73 = "linalg.generic"(%70, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      %151 = "arith.mulf"(%arg80, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "arith.addf"(%151, %arg81) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %74 = "linalg.generic"(%73, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32):
      %148 = "arith.mulf"(%arg78, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.addf"(%148, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %150 = "math.rsqrt"(%149) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%150) : (f32) -> ()
    }) {sttest.source = "attn_post_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %75 = "linalg.generic"(%arg15, %70, %74, %arg7, %12) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32, %arg76: f32, %arg77: f32):
      %144 = "arith.addf"(%arg76, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %145 = "arith.mulf"(%arg74, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %146 = "arith.mulf"(%145, %144) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %147 = "arith.addf"(%arg73, %146) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %76 = "linalg.generic"(%75, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      %142 = "arith.mulf"(%arg71, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %143 = "arith.addf"(%142, %arg72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%143) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %77 = "linalg.generic"(%76, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32):
      %139 = "arith.mulf"(%arg69, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %140 = "arith.addf"(%139, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %141 = "math.rsqrt"(%140) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%141) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %78 = "linalg.generic"(%75, %77, %arg8, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32, %arg68: f32):
      %136 = "arith.addf"(%arg67, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %137 = "arith.mulf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %138 = "arith.mulf"(%137, %136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%138) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %79 = "tensor.empty"() : () -> tensor<1x256xf32>
    %80 = "linalg.fill"(%0, %79) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32):
      "linalg.yield"(%arg63) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x256xf32>) -> tensor<1x256xf32>
    %81 = "linalg.generic"(%78, %arg9, %80) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32, %arg62: f32):
      %134 = "arith.mulf"(%arg60, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %135 = "arith.addf"(%arg62, %134) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x64xf32>, tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %82 = "linalg.generic"(%78, %arg10, %80) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %132 = "arith.mulf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %133 = "arith.addf"(%arg59, %132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x64xf32>, tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %83 = "linalg.generic"(%81, %82, %79) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32, %arg56: f32):
      %122 = "arith.mulf"(%arg54, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.mulf"(%122, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %124 = "arith.mulf"(%123, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%arg54, %124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %126 = "arith.mulf"(%125, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %127 = "math.tanh"(%126) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %128 = "arith.addf"(%127, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %129 = "arith.mulf"(%arg54, %128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %130 = "arith.mulf"(%129, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %131 = "arith.mulf"(%130, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x256xf32>, tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %84 = "linalg.generic"(%83, %arg11, %69) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32, %arg53: f32):
      %120 = "arith.mulf"(%arg51, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %121 = "arith.addf"(%arg53, %120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%121) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x256xf32>, tensor<256x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %85 = "linalg.generic"(%84, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32):
      %118 = "arith.mulf"(%arg49, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "arith.addf"(%118, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%119) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %86 = "linalg.generic"(%85, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32):
      %115 = "arith.mulf"(%arg47, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "arith.addf"(%115, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "math.rsqrt"(%116) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "mlp_post_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %87 = "linalg.generic"(%75, %84, %86, %arg12, %12) <{indexing_maps = [#map, #map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32, %arg44: f32, %arg45: f32, %arg46: f32):
      %111 = "arith.addf"(%arg45, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.mulf"(%arg43, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.mulf"(%112, %111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "arith.addf"(%arg42, %113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %88 = "linalg.generic"(%87, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32):
      %109 = "arith.mulf"(%arg40, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.addf"(%109, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %89 = "linalg.generic"(%88, %13) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      %106 = "arith.mulf"(%arg38, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%106, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "math.rsqrt"(%107) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %90 = "linalg.generic"(%87, %89, %arg13, %12) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32, %arg37: f32):
      %103 = "arith.addf"(%arg36, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.mulf"(%arg34, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.mulf"(%104, %103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %91 = "linalg.generic"(%90, %arg14, %80) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32, %arg33: f32):
      %101 = "arith.mulf"(%arg31, %arg32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "arith.addf"(%arg33, %101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x64xf32>, tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %92 = "linalg.fill"(%1, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      "linalg.yield"(%arg29) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %93 = "linalg.generic"(%91, %92) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      %100 = "arith.maximumf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x256xf32>, tensor<1xf32>) -> tensor<1xf32>
    %94 = "linalg.fill"(%2, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      "linalg.yield"(%arg25) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %95 = "linalg.generic"(%91, %93, %arg20, %94) <{indexing_maps = [#map, #map1, #map3, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32, %arg24: f32):
      %96 = "arith.addf"(%arg23, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.cmpf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %98 = "arith.select"(%97, %96, %arg23) : (i1, f32, f32) -> f32
      %99 = "arith.minimumf"(%98, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x256xf32>, tensor<1xf32>, tensor<256xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%87, %71, %72, %91, %95) : (tensor<1x64xf32>, tensor<1x1x32xf32>, tensor<1x1x32xf32>, tensor<1x256xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.q_norm.weight", "attn.k_norm.weight", "attn.o_proj.weight", "attn_post_norm.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "mlp_post_norm.weight", "head.norm.weight", "head.proj.weight", "x", "mask", "rope", "k_cache", "v_cache", "token_ids"], sttest.context = 32 : i64, sttest.inputs_per_layer = ["mask", "rope"], sttest.model = "small-gemma", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
