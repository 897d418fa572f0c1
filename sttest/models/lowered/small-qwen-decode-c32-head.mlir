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
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<256x128xf32>, tensor<128xf32>, tensor<128x256xf32>, tensor<1x128xf32>, tensor<32xf32>, tensor<1x2x2x16xf32>, tensor<2x32x32xf32>, tensor<2x32x32xf32>, tensor<256xf32>) -> (tensor<1x128xf32>, tensor<2x1x32xf32>, tensor<2x1x32xf32>, tensor<1x256xf32>, tensor<1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<128xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<128x64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<128x64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<128x128xf32>, %arg8: tensor<128xf32>, %arg9: tensor<128x256xf32>, %arg10: tensor<128x256xf32>, %arg11: tensor<256x128xf32>, %arg12: tensor<128xf32>, %arg13: tensor<128x256xf32>, %arg14: tensor<1x128xf32>, %arg15: tensor<32xf32>, %arg16: tensor<1x2x2x16xf32>, %arg17: tensor<2x32x32xf32>, %arg18: tensor<2x32x32xf32>, %arg19: tensor<256xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 7.812500e-03 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 0.176776692 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 2.560000e+02 : f32}> : () -> f32
    %8 = "tensor.empty"() : () -> tensor<1x128xf32>
    %9 = "tensor.empty"() : () -> tensor<1xf32>
    %10 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg154: f32, %arg155: f32):
      "linalg.yield"(%arg154) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %11 = "linalg.generic"(%arg14, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg152: f32, %arg153: f32):
      %151 = "arith.mulf"(%arg152, %arg152) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "arith.addf"(%151, %arg153) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %12 = "linalg.generic"(%11, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg150: f32, %arg151: f32):
      %148 = "arith.mulf"(%arg150, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.addf"(%148, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %150 = "math.rsqrt"(%149) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%150) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %13 = "linalg.generic"(%arg14, %12, %arg0, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg146: f32, %arg147: f32, %arg148: f32, %arg149: f32):
      %146 = "arith.mulf"(%arg146, %arg147) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %147 = "arith.mulf"(%146, %arg148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %14 = "linalg.fill"(%0, %8) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg144: f32, %arg145: f32):
      "linalg.yield"(%arg144) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x128xf32>) -> tensor<1x128xf32>
    %15 = "linalg.generic"(%13, %arg1, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg141: f32, %arg142: f32, %arg143: f32):
      %144 = "arith.mulf"(%arg141, %arg142) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %145 = "arith.addf"(%arg143, %144) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%145) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x128xf32>, tensor<128x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %16 = "linalg.generic"(%15, %arg2, %8) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg138: f32, %arg139: f32, %arg140: f32):
      %143 = "arith.addf"(%arg138, %arg139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%143) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x128xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %17 = "tensor.empty"() : () -> tensor<1x64xf32>
    %18 = "linalg.fill"(%0, %17) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg136: f32, %arg137: f32):
      "linalg.yield"(%arg136) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x64xf32>) -> tensor<1x64xf32>
    %19 = "linalg.generic"(%13, %arg3, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg133: f32, %arg134: f32, %arg135: f32):
      %141 = "arith.mulf"(%arg133, %arg134) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %142 = "arith.addf"(%arg135, %141) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%142) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %20 = "linalg.generic"(%19, %arg4, %17) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg130: f32, %arg131: f32, %arg132: f32):
      %140 = "arith.addf"(%arg130, %arg131) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%140) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %21 = "tensor.expand_shape"(%16) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 4, 2, 16>}> : (tensor<1x128xf32>) -> tensor<1x4x2x16xf32>
    %22 = "tensor.empty"() : () -> tensor<1x4x2x16xf32>
    %23 = "linalg.fill"(%0, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg128: f32, %arg129: f32):
      "linalg.yield"(%arg128) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %24 = "linalg.generic"(%21, %arg16, %23) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg125: f32, %arg126: f32, %arg127: f32):
      %138 = "arith.mulf"(%arg125, %arg126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %139 = "arith.addf"(%138, %arg127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%139) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x4x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
    %25 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 2, 2, 16>}> : (tensor<1x64xf32>) -> tensor<1x2x2x16xf32>
    %26 = "tensor.empty"() : () -> tensor<1x2x2x16xf32>
    %27 = "linalg.fill"(%0, %26) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32):
      "linalg.yield"(%arg123) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %28 = "linalg.generic"(%25, %arg16, %27) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg120: f32, %arg121: f32, %arg122: f32):
      %136 = "arith.mulf"(%arg120, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %137 = "arith.addf"(%136, %arg122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%137) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %29 = "tensor.collapse_shape"(%28) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x2x2x16xf32>) -> tensor<1x2x32xf32>
    %30 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 2, 2, 2, 16>}> : (tensor<1x4x2x16xf32>) -> tensor<1x2x2x2x16xf32>
    %31 = "tensor.collapse_shape"(%30) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x2x2x2x16xf32>) -> tensor<1x2x2x32xf32>
    %32 = "linalg.generic"(%13, %arg5, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32, %arg119: f32):
      %134 = "arith.mulf"(%arg117, %arg118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %135 = "arith.addf"(%arg119, %134) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %33 = "linalg.generic"(%32, %arg6, %17) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32, %arg116: f32):
      %133 = "arith.addf"(%arg114, %arg115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %34 = "tensor.expand_shape"(%33) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 2, 32>}> : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %35 = "tensor.empty"() : () -> tensor<1x2x2x32xf32>
    %36 = "linalg.fill"(%0, %35) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32):
      "linalg.yield"(%arg112) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %37 = "linalg.generic"(%31, %arg17, %36) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32, %arg111: f32):
      %131 = "arith.mulf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %132 = "arith.addf"(%131, %arg111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%132) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x2x32xf32>, tensor<2x32x32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %38 = "linalg.generic"(%37, %arg15, %35) <{indexing_maps = [#map12, #map13, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32, %arg108: f32):
      %129 = "arith.mulf"(%arg106, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %130 = "arith.addf"(%129, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%130) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x2x32xf32>, tensor<32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %39 = "tensor.empty"() : () -> tensor<1x2x2xf32>
    %40 = "linalg.fill"(%0, %39) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32):
      "linalg.yield"(%arg104) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %41 = "linalg.generic"(%31, %29, %40) <{indexing_maps = [#map12, #map14, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32, %arg103: f32):
      %127 = "arith.mulf"(%arg101, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.addf"(%127, %arg103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x2x32xf32>, tensor<1x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %42 = "linalg.generic"(%41, %39) <{indexing_maps = [#map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32):
      %126 = "arith.mulf"(%arg99, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %43 = "linalg.fill"(%1, %39) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg97: f32, %arg98: f32):
      "linalg.yield"(%arg97) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %44 = "linalg.generic"(%38, %43) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32):
      %125 = "arith.maximumf"(%arg95, %arg96) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %45 = "linalg.generic"(%44, %42, %39) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32, %arg94: f32):
      %123 = "arith.cmpf"(%arg92, %arg93) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %124 = "arith.select"(%123, %arg92, %arg93) : (i1, f32, f32) -> f32
      "linalg.yield"(%124) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %46 = "linalg.generic"(%38, %45, %35) <{indexing_maps = [#map12, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg89: f32, %arg90: f32, %arg91: f32):
      %121 = "arith.subf"(%arg89, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "math.exp"(%121) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%122) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %47 = "linalg.generic"(%42, %45, %39) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg86: f32, %arg87: f32, %arg88: f32):
      %119 = "arith.subf"(%arg86, %arg87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "math.exp"(%119) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %48 = "linalg.generic"(%46, %40) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32):
      %118 = "arith.addf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %49 = "linalg.generic"(%46, %arg18, %36) <{indexing_maps = [#map11, #map10, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32, %arg83: f32):
      %116 = "arith.mulf"(%arg81, %arg82) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.addf"(%116, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x2x2x32xf32>, tensor<2x32x32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %50 = "linalg.generic"(%49, %47, %34, %48, %35) <{indexing_maps = [#map12, #map15, #map14, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32, %arg78: f32, %arg79: f32, %arg80: f32):
      %112 = "arith.addf"(%arg79, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.mulf"(%arg77, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "arith.addf"(%arg76, %113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.divf"(%114, %112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "attn.normalise"} : (tensor<1x2x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x32xf32>, tensor<1x2x2xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %51 = "tensor.collapse_shape"(%50) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x2x2x32xf32>) -> tensor<1x128xf32>
    %52 = "linalg.generic"(%51, %arg7, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32):
      %110 = "arith.mulf"(%arg73, %arg74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.addf"(%arg75, %110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x128xf32>, tensor<128x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %53 = "tensor.empty"() : () -> tensor<2x1x32xf32>
    %54 = "linalg.generic"(%29, %53) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      "linalg.yield"(%arg71) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x2x32xf32>, tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
    %55 = "linalg.generic"(%34, %53) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32):
      "linalg.yield"(%arg69) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x2x32xf32>, tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
    %56 = "linalg.generic"(%arg14, %52, %8) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg66: f32, %arg67: f32, %arg68: f32):
      %109 = "arith.addf"(%arg66, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %57 = "linalg.generic"(%56, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32):
      %107 = "arith.mulf"(%arg64, %arg64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%107, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %58 = "linalg.generic"(%57, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32):
      %104 = "arith.mulf"(%arg62, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.addf"(%104, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %106 = "math.rsqrt"(%105) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %59 = "linalg.generic"(%56, %58, %arg8, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg58: f32, %arg59: f32, %arg60: f32, %arg61: f32):
      %102 = "arith.mulf"(%arg58, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.mulf"(%102, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %60 = "tensor.empty"() : () -> tensor<1x256xf32>
    %61 = "linalg.fill"(%0, %60) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32):
      "linalg.yield"(%arg56) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x256xf32>) -> tensor<1x256xf32>
    %62 = "linalg.generic"(%59, %arg9, %61) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32, %arg55: f32):
      %100 = "arith.mulf"(%arg53, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.addf"(%arg55, %100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %63 = "linalg.generic"(%59, %arg10, %61) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32, %arg52: f32):
      %98 = "arith.mulf"(%arg50, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.addf"(%arg52, %98) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %64 = "linalg.generic"(%62, %63, %60) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32):
      %92 = "arith.negf"(%arg47) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %93 = "math.exp"(%92) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %94 = "arith.addf"(%93, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "arith.divf"(%2, %94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "arith.mulf"(%arg47, %95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.mulf"(%96, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x256xf32>, tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %65 = "linalg.generic"(%64, %arg11, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32, %arg46: f32):
      %90 = "arith.mulf"(%arg44, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.addf"(%arg46, %90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x256xf32>, tensor<256x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %66 = "linalg.generic"(%56, %65, %8) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32, %arg43: f32):
      %89 = "arith.addf"(%arg41, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %67 = "linalg.generic"(%66, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32):
      %87 = "arith.mulf"(%arg39, %arg39) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.addf"(%87, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x128xf32>, tensor<1xf32>) -> tensor<1xf32>
    %68 = "linalg.generic"(%67, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      %84 = "arith.mulf"(%arg37, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %85 = "arith.addf"(%84, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "math.rsqrt"(%85) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %69 = "linalg.generic"(%66, %68, %arg12, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32, %arg35: f32, %arg36: f32):
      %82 = "arith.mulf"(%arg33, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %83 = "arith.mulf"(%82, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%83) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x128xf32>, tensor<1xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %70 = "linalg.generic"(%69, %arg13, %61) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32, %arg32: f32):
      %80 = "arith.mulf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %81 = "arith.addf"(%arg32, %80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%81) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x128xf32>, tensor<128x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %71 = "linalg.fill"(%1, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32):
      "linalg.yield"(%arg28) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %72 = "linalg.generic"(%70, %71) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32):
      %79 = "arith.maximumf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%79) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x256xf32>, tensor<1xf32>) -> tensor<1xf32>
    %73 = "linalg.fill"(%3, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32):
      "linalg.yield"(%arg24) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %74 = "linalg.generic"(%70, %72, %arg19, %73) <{indexing_maps = [#map, #map1, #map3, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32, %arg23: f32):
      %75 = "arith.addf"(%arg22, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %76 = "arith.cmpf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %77 = "arith.select"(%76, %75, %arg22) : (i1, f32, f32) -> f32
      %78 = "arith.minimumf"(%77, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%78) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x256xf32>, tensor<1xf32>, tensor<256xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%66, %54, %55, %70, %74) : (tensor<1x128xf32>, tensor<2x1x32xf32>, tensor<2x1x32xf32>, tensor<1x256xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "head.norm.weight", "head.proj.weight", "x", "mask", "rope", "k_cache", "v_cache", "token_ids"], sttest.context = 32 : i64, sttest.model = "small-qwen", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
