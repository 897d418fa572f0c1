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
#map18 = affine_map<(d0, d1, d2) -> (d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<128xf32>, tensor<128x128xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<256x128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<1x128xf32>, tensor<32xf32>, tensor<1x2x2x16xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>, tensor<256xf32>) -> (tensor<1x128xf32>, tensor<2x1x32xf32>, tensor<2x1x32xf32>, tensor<1x256xf32>, tensor<1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<128xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<128x64xf32>, %arg3: tensor<128x64xf32>, %arg4: tensor<128x128xf32>, %arg5: tensor<128xf32>, %arg6: tensor<128x256xf32>, %arg7: tensor<128x256xf32>, %arg8: tensor<256x128xf32>, %arg9: tensor<128xf32>, %arg10: tensor<128x256xf32>, %arg11: tensor<1x128xf32>, %arg12: tensor<32xf32>, %arg13: tensor<1x2x2x16xf32>, %arg14: tensor<2x32x32xf32>, %arg15: tensor<2x32x32xf32>, %arg16: tensor<256xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 7.812500e-03 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 0.176776692 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 2.560000e+02 : f32}> : () -> f32
    %8 = "tensor.empty"() : () -> tensor<1x128xf32>
    %9 = "tensor.empty"() : () -> tensor<1xf32>
    %10 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg152: f32, %arg153: f32):
      "linalg.yield"(%arg152) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %11 = "linalg.generic"(%arg11, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg150: f32, %arg151: f32):
      %157 = "arith.mulf"(%arg150, %arg150) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "arith.addf"(%157, %arg151) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %12 = "linalg.generic"(%11, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg148: f32, %arg149: f32):
      %154 = "arith.mulf"(%arg148, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %155 = "arith.addf"(%154, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %156 = "math.rsqrt"(%155) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%156) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %13 = "linalg.generic"(%arg11, %12, %arg0, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg144: f32, %arg145: f32, %arg146: f32, %arg147: f32):
      %152 = "arith.mulf"(%arg144, %arg145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %153 = "arith.mulf"(%152, %arg146) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%153) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %14 = "linalg.fill"(%0, %8) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg142: f32, %arg143: f32):
      "linalg.yield"(%arg142) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x128xf32>) -> tensor<1x128xf32>
    %15 = "linalg.generic"(%13, %arg1, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg139: f32, %arg140: f32, %arg141: f32):
      %150 = "arith.mulf"(%arg139, %arg140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %151 = "arith.addf"(%arg141, %150) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%151) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x128xf32>, tensor<128x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %16 = "tensor.empty"() : () -> tensor<1x64xf32>
    %17 = "linalg.fill"(%0, %16) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32):
      "linalg.yield"(%arg137) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x64xf32>) -> tensor<1x64xf32>
    %18 = "linalg.generic"(%13, %arg2, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg134: f32, %arg135: f32, %arg136: f32):
      %148 = "arith.mulf"(%arg134, %arg135) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.addf"(%arg136, %148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%149) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %19 = "tensor.expand_shape"(%15) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 4, 2, 16>}> : (tensor<1x128xf32>) -> tensor<1x4x2x16xf32>
    %20 = "tensor.empty"() : () -> tensor<1x4x2x16xf32>
    %21 = "linalg.fill"(%0, %20) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg132: f32, %arg133: f32):
      "linalg.yield"(%arg132) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %22 = "linalg.generic"(%19, %arg13, %21) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32, %arg131: f32):
      %146 = "arith.mulf"(%arg129, %arg130) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %147 = "arith.addf"(%146, %arg131) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x4x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %23 = "tensor.expand_shape"(%18) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 2, 2, 16>}> : (tensor<1x64xf32>) -> tensor<1x2x2x16xf32>
    %24 = "tensor.empty"() : () -> tensor<1x2x2x16xf32>
    %25 = "linalg.fill"(%0, %24) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg127: f32, %arg128: f32):
      "linalg.yield"(%arg127) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %26 = "linalg.generic"(%23, %arg13, %25) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg124: f32, %arg125: f32, %arg126: f32):
      %144 = "arith.mulf"(%arg124, %arg125) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %145 = "arith.addf"(%144, %arg126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%145) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %27 = "tensor.collapse_shape"(%26) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x2x2x16xf32>) -> tensor<1x2x32xf32>
    %28 = "tensor.expand_shape"(%22) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 2, 2, 2, 16>}> : (tensor<1x4x2x16xf32>) -> tensor<1x2x2x2x16xf32>
    %29 = "tensor.collapse_shape"(%28) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x2x2x2x16xf32>) -> tensor<1x2x2x32xf32>
    %30 = "linalg.generic"(%13, %arg3, %17) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32, %arg123: f32):
      %142 = "arith.mulf"(%arg121, %arg122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %143 = "arith.addf"(%arg123, %142) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%143) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %31 = "tensor.expand_shape"(%30) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 2, 32>}> : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %32 = "tensor.empty"() : () -> tensor<1x2x2x32xf32>
    %33 = "linalg.fill"(%0, %32) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg119: f32, %arg120: f32):
      "linalg.yield"(%arg119) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %34 = "linalg.generic"(%29, %arg14, %33) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg116: f32, %arg117: f32, %arg118: f32):
      %140 = "arith.mulf"(%arg116, %arg117) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %141 = "arith.addf"(%140, %arg118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%141) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x2x32xf32>, tensor<2x32x32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %35 = "linalg.generic"(%34, %arg12, %32) <{indexing_maps = [#map12, #map13, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32, %arg115: f32):
      %138 = "arith.mulf"(%arg113, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %139 = "arith.addf"(%138, %arg114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%139) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x2x32xf32>, tensor<32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %36 = "tensor.empty"() : () -> tensor<1x2x2xf32>
    %37 = "linalg.fill"(%0, %36) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32):
      "linalg.yield"(%arg111) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %38 = "linalg.generic"(%29, %27, %37) <{indexing_maps = [#map12, #map14, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg108: f32, %arg109: f32, %arg110: f32):
      %136 = "arith.mulf"(%arg108, %arg109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %137 = "arith.addf"(%136, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%137) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x2x32xf32>, tensor<1x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %39 = "linalg.generic"(%38, %36) <{indexing_maps = [#map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32):
      %135 = "arith.mulf"(%arg106, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %40 = "linalg.fill"(%1, %36) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32):
      "linalg.yield"(%arg104) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %41 = "linalg.generic"(%35, %40) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg102: f32, %arg103: f32):
      %134 = "arith.maximumf"(%arg102, %arg103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%134) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %42 = "linalg.generic"(%41, %39, %36) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32, %arg101: f32):
      %132 = "arith.cmpf"(%arg99, %arg100) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %133 = "arith.select"(%132, %arg99, %arg100) : (i1, f32, f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %43 = "linalg.generic"(%35, %42, %32) <{indexing_maps = [#map12, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32, %arg98: f32):
      %130 = "arith.subf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %131 = "math.exp"(%130) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %44 = "linalg.generic"(%39, %42, %36) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %128 = "arith.subf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %129 = "math.exp"(%128) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %45 = "linalg.generic"(%43, %37) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg91: f32, %arg92: f32):
      %127 = "arith.addf"(%arg91, %arg92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%127) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %46 = "linalg.generic"(%43, %arg15, %33) <{indexing_maps = [#map11, #map10, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32, %arg90: f32):
      %125 = "arith.mulf"(%arg88, %arg89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %126 = "arith.addf"(%125, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x2x2x32xf32>, tensor<2x32x32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %47 = "linalg.generic"(%46, %44, %31, %45, %32) <{indexing_maps = [#map12, #map15, #map14, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32, %arg85: f32, %arg86: f32, %arg87: f32):
      %121 = "arith.addf"(%arg86, %arg84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.mulf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.addf"(%arg83, %122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %124 = "arith.divf"(%123, %121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%124) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %48 = "tensor.collapse_shape"(%47) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x2x2x32xf32>) -> tensor<1x128xf32>
    %49 = "linalg.generic"(%48, %arg4, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32, %arg82: f32):
      %119 = "arith.mulf"(%arg80, %arg81) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.addf"(%arg82, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x128xf32>, tensor<128x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %50 = "tensor.empty"() : () -> tensor<2x1x32xf32>
    %51 = "linalg.generic"(%27, %50) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32):
      "linalg.yield"(%arg78) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x2x32xf32>, tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
    %52 = "linalg.generic"(%31, %50) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32):
      "linalg.yield"(%arg76) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x2x32xf32>, tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
    %53 = "linalg.generic"(%arg11, %49, %8) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32):
      %118 = "arith.addf"(%arg73, %arg74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %54 = "linalg.generic"(%53, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      %116 = "arith.mulf"(%arg71, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.addf"(%116, %arg72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %55 = "linalg.generic"(%54, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32):
      %113 = "arith.mulf"(%arg69, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "arith.addf"(%113, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "math.rsqrt"(%114) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %56 = "linalg.generic"(%53, %55, %arg5, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32, %arg68: f32):
      %111 = "arith.mulf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.mulf"(%111, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%112) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %57 = "tensor.empty"() : () -> tensor<1x256xf32>
    %58 = "linalg.fill"(%0, %57) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32):
      "linalg.yield"(%arg63) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x256xf32>) -> tensor<1x256xf32>
    %59 = "linalg.generic"(%56, %arg6, %58) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32, %arg62: f32):
      %109 = "arith.mulf"(%arg60, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.addf"(%arg62, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %60 = "linalg.generic"(%56, %arg7, %58) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %107 = "arith.mulf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%arg59, %107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %61 = "linalg.generic"(%59, %60, %57) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32, %arg56: f32):
      %101 = "arith.negf"(%arg54) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %102 = "math.exp"(%101) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %103 = "arith.addf"(%102, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.divf"(%2, %103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.mulf"(%arg54, %104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %106 = "arith.mulf"(%105, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x256xf32>, tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %62 = "linalg.generic"(%61, %arg8, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32, %arg53: f32):
      %99 = "arith.mulf"(%arg51, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %100 = "arith.addf"(%arg53, %99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x256xf32>, tensor<256x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %63 = "linalg.generic"(%53, %62, %8) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32, %arg50: f32):
      %98 = "arith.addf"(%arg48, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%98) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %64 = "linalg.generic"(%63, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32):
      %96 = "arith.mulf"(%arg46, %arg46) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.addf"(%96, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %65 = "linalg.generic"(%64, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      %93 = "arith.mulf"(%arg44, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %94 = "arith.addf"(%93, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "math.rsqrt"(%94) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %66 = "linalg.generic"(%63, %65, %arg9, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32, %arg43: f32):
      %91 = "arith.mulf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "arith.mulf"(%91, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %67 = "linalg.generic"(%66, %arg10, %58) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32, %arg39: f32):
      %89 = "arith.mulf"(%arg37, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.addf"(%arg39, %89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %68 = "tensor.expand_shape"(%67) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 64>}> : (tensor<1x256xf32>) -> tensor<1x4x64xf32>
    %69 = "tensor.empty"() : () -> tensor<1x4xf32>
    %70 = "linalg.fill"(%1, %69) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32):
      "linalg.yield"(%arg35) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %71 = "linalg.generic"(%68, %70) <{indexing_maps = [#map16, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32):
      %88 = "arith.maximumf"(%arg33, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4x64xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %72 = "tensor.expand_shape"(%arg16) <{reassociation = [[0, 1]], static_output_shape = array<i64: 4, 64>}> : (tensor<256xf32>) -> tensor<4x64xf32>
    %73 = "linalg.fill"(%3, %69) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      "linalg.yield"(%arg31) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %74 = "linalg.generic"(%68, %71, %72, %73) <{indexing_maps = [#map16, #map6, #map18, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32, %arg29: f32, %arg30: f32):
      %84 = "arith.addf"(%arg29, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %85 = "arith.cmpf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %86 = "arith.select"(%85, %84, %arg29) : (i1, f32, f32) -> f32
      %87 = "arith.minimumf"(%86, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%87) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4x64xf32>, tensor<1x4xf32>, tensor<4x64xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %75 = "linalg.fill"(%1, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      "linalg.yield"(%arg25) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %76 = "linalg.generic"(%71, %75) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32):
      %83 = "arith.maximumf"(%arg23, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%83) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4xf32>, tensor<1xf32>) -> tensor<1xf32>
    %77 = "linalg.fill"(%3, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32):
      "linalg.yield"(%arg21) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %78 = "linalg.generic"(%71, %76, %74, %77) <{indexing_maps = [#map, #map1, #map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32, %arg20: f32):
      %79 = "arith.addf"(%arg19, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %80 = "arith.cmpf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %81 = "arith.select"(%80, %79, %arg19) : (i1, f32, f32) -> f32
      %82 = "arith.minimumf"(%81, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4xf32>, tensor<1xf32>, tensor<1x4xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%63, %51, %52, %67, %78) : (tensor<1x128xf32>, tensor<2x1x32xf32>, tensor<2x1x32xf32>, tensor<1x256xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.k_proj.weight", "attn.v_proj.weight", "attn.o_proj.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "head.norm.weight", "head.proj.weight", "x", "mask", "rope", "k_cache", "v_cache", "token_ids"], sttest.context = 32 : i64, sttest.model = "small-llama", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
