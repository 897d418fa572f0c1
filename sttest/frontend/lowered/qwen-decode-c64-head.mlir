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
  "func.func"() <{function_type = (tensor<896xf32>, tensor<896x896xf32>, tensor<896xf32>, tensor<896x128xf32>, tensor<128xf32>, tensor<896x128xf32>, tensor<128xf32>, tensor<896x896xf32>, tensor<896xf32>, tensor<896x4864xf32>, tensor<896x4864xf32>, tensor<4864x896xf32>, tensor<896xf32>, tensor<896x152064xf32>, tensor<1x896xf32>, tensor<64xf32>, tensor<1x2x2x32xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>, tensor<152064xf32>) -> (tensor<1x896xf32>, tensor<2x1x64xf32>, tensor<2x1x64xf32>, tensor<1x152064xf32>, tensor<1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<896xf32>, %arg1: tensor<896x896xf32>, %arg2: tensor<896xf32>, %arg3: tensor<896x128xf32>, %arg4: tensor<128xf32>, %arg5: tensor<896x128xf32>, %arg6: tensor<128xf32>, %arg7: tensor<896x896xf32>, %arg8: tensor<896xf32>, %arg9: tensor<896x4864xf32>, %arg10: tensor<896x4864xf32>, %arg11: tensor<4864x896xf32>, %arg12: tensor<896xf32>, %arg13: tensor<896x152064xf32>, %arg14: tensor<1x896xf32>, %arg15: tensor<64xf32>, %arg16: tensor<1x2x2x32xf32>, %arg17: tensor<2x64x64xf32>, %arg18: tensor<2x64x64xf32>, %arg19: tensor<152064xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 0.00111607148 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 1.520640e+05 : f32}> : () -> f32
    %8 = "tensor.empty"() : () -> tensor<1x896xf32>
    %9 = "tensor.empty"() : () -> tensor<1xf32>
    %10 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg166: f32, %arg167: f32):
      "linalg.yield"(%arg166) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %11 = "linalg.generic"(%arg14, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg164: f32, %arg165: f32):
      %165 = "arith.mulf"(%arg164, %arg164) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %166 = "arith.addf"(%165, %arg165) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%166) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x896xf32>, tensor<1xf32>) -> tensor<1xf32>
    %12 = "linalg.generic"(%11, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg162: f32, %arg163: f32):
      %162 = "arith.mulf"(%arg162, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %163 = "arith.addf"(%162, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %164 = "math.rsqrt"(%163) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%164) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %13 = "linalg.generic"(%arg14, %12, %arg0, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg158: f32, %arg159: f32, %arg160: f32, %arg161: f32):
      %160 = "arith.mulf"(%arg158, %arg159) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %161 = "arith.mulf"(%160, %arg160) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%161) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x896xf32>, tensor<1xf32>, tensor<896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %14 = "linalg.fill"(%0, %8) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg156: f32, %arg157: f32):
      "linalg.yield"(%arg156) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x896xf32>) -> tensor<1x896xf32>
    %15 = "linalg.generic"(%13, %arg1, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg153: f32, %arg154: f32, %arg155: f32):
      %158 = "arith.mulf"(%arg153, %arg154) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %159 = "arith.addf"(%arg155, %158) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%159) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x896xf32>, tensor<896x896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %16 = "linalg.generic"(%15, %arg2, %8) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg150: f32, %arg151: f32, %arg152: f32):
      %157 = "arith.addf"(%arg150, %arg151) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%157) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x896xf32>, tensor<896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %17 = "tensor.empty"() : () -> tensor<1x128xf32>
    %18 = "linalg.fill"(%0, %17) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg148: f32, %arg149: f32):
      "linalg.yield"(%arg148) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (f32, tensor<1x128xf32>) -> tensor<1x128xf32>
    %19 = "linalg.generic"(%13, %arg3, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg145: f32, %arg146: f32, %arg147: f32):
      %155 = "arith.mulf"(%arg145, %arg146) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %156 = "arith.addf"(%arg147, %155) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%156) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x896xf32>, tensor<896x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %20 = "linalg.generic"(%19, %arg4, %17) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg142: f32, %arg143: f32, %arg144: f32):
      %154 = "arith.addf"(%arg142, %arg143) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%154) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x128xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %21 = "tensor.expand_shape"(%16) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 14, 2, 32>}> : (tensor<1x896xf32>) -> tensor<1x14x2x32xf32>
    %22 = "tensor.empty"() : () -> tensor<1x14x2x32xf32>
    %23 = "linalg.fill"(%0, %22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg140: f32, %arg141: f32):
      "linalg.yield"(%arg140) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (f32, tensor<1x14x2x32xf32>) -> tensor<1x14x2x32xf32>
    %24 = "linalg.generic"(%21, %arg16, %23) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32, %arg139: f32):
      %152 = "arith.mulf"(%arg137, %arg138) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %153 = "arith.addf"(%152, %arg139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%153) : (f32) -> ()
    }) {sttest.source = "attn.q_rope"} : (tensor<1x14x2x32xf32>, tensor<1x2x2x32xf32>, tensor<1x14x2x32xf32>) -> tensor<1x14x2x32xf32>
    %25 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 1, 2, 2, 32>}> : (tensor<1x128xf32>) -> tensor<1x2x2x32xf32>
    %26 = "tensor.empty"() : () -> tensor<1x2x2x32xf32>
    %27 = "linalg.fill"(%0, %26) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg135: f32, %arg136: f32):
      "linalg.yield"(%arg135) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (f32, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %28 = "linalg.generic"(%25, %arg16, %27) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg132: f32, %arg133: f32, %arg134: f32):
      %150 = "arith.mulf"(%arg132, %arg133) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %151 = "arith.addf"(%150, %arg134) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%151) : (f32) -> ()
    }) {sttest.source = "attn.k_rope"} : (tensor<1x2x2x32xf32>, tensor<1x2x2x32xf32>, tensor<1x2x2x32xf32>) -> tensor<1x2x2x32xf32>
    %29 = "tensor.collapse_shape"(%28) <{reassociation = [[0], [1], [2, 3]]}> : (tensor<1x2x2x32xf32>) -> tensor<1x2x64xf32>
    %30 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2], [3], [4]], static_output_shape = array<i64: 1, 2, 7, 2, 32>}> : (tensor<1x14x2x32xf32>) -> tensor<1x2x7x2x32xf32>
    %31 = "tensor.collapse_shape"(%30) <{reassociation = [[0], [1], [2], [3, 4]]}> : (tensor<1x2x7x2x32xf32>) -> tensor<1x2x7x64xf32>
    %32 = "linalg.generic"(%13, %arg5, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32, %arg131: f32):
      %148 = "arith.mulf"(%arg129, %arg130) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.addf"(%arg131, %148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%149) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x896xf32>, tensor<896x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %33 = "linalg.generic"(%32, %arg6, %17) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32, %arg128: f32):
      %147 = "arith.addf"(%arg126, %arg127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x128xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %34 = "tensor.expand_shape"(%33) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 2, 64>}> : (tensor<1x128xf32>) -> tensor<1x2x64xf32>
    %35 = "tensor.empty"() : () -> tensor<1x2x7x64xf32>
    %36 = "linalg.fill"(%0, %35) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg124: f32, %arg125: f32):
      "linalg.yield"(%arg124) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x2x7x64xf32>) -> tensor<1x2x7x64xf32>
    %37 = "linalg.generic"(%31, %arg17, %36) <{indexing_maps = [#map9, #map10, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32, %arg123: f32):
      %145 = "arith.mulf"(%arg121, %arg122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %146 = "arith.addf"(%145, %arg123) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%146) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x7x64xf32>, tensor<2x64x64xf32>, tensor<1x2x7x64xf32>) -> tensor<1x2x7x64xf32>
    %38 = "linalg.generic"(%37, %arg15, %35) <{indexing_maps = [#map12, #map13, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg118: f32, %arg119: f32, %arg120: f32):
      %143 = "arith.mulf"(%arg118, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %144 = "arith.addf"(%143, %arg119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%144) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x2x7x64xf32>, tensor<64xf32>, tensor<1x2x7x64xf32>) -> tensor<1x2x7x64xf32>
    %39 = "tensor.empty"() : () -> tensor<1x2x7xf32>
    %40 = "linalg.fill"(%0, %39) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg116: f32, %arg117: f32):
      "linalg.yield"(%arg116) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %41 = "linalg.generic"(%31, %29, %40) <{indexing_maps = [#map12, #map14, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg113: f32, %arg114: f32, %arg115: f32):
      %141 = "arith.mulf"(%arg113, %arg114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %142 = "arith.addf"(%141, %arg115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%142) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x7x64xf32>, tensor<1x2x64xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %42 = "linalg.generic"(%41, %39) <{indexing_maps = [#map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32):
      %140 = "arith.mulf"(%arg111, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%140) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x2x7xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %43 = "linalg.fill"(%1, %39) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32):
      "linalg.yield"(%arg109) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %44 = "linalg.generic"(%38, %43) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg107: f32, %arg108: f32):
      %139 = "arith.maximumf"(%arg107, %arg108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%139) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x7x64xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %45 = "linalg.generic"(%44, %42, %39) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32, %arg106: f32):
      %137 = "arith.cmpf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %138 = "arith.select"(%137, %arg104, %arg105) : (i1, f32, f32) -> f32
      "linalg.yield"(%138) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x7xf32>, tensor<1x2x7xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %46 = "linalg.generic"(%38, %45, %35) <{indexing_maps = [#map12, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32, %arg103: f32):
      %135 = "arith.subf"(%arg101, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %136 = "math.exp"(%135) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%136) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x7x64xf32>, tensor<1x2x7xf32>, tensor<1x2x7x64xf32>) -> tensor<1x2x7x64xf32>
    %47 = "linalg.generic"(%42, %45, %39) <{indexing_maps = [#map16, #map16, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32, %arg100: f32):
      %133 = "arith.subf"(%arg98, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %134 = "math.exp"(%133) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%134) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x7xf32>, tensor<1x2x7xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %48 = "linalg.generic"(%46, %40) <{indexing_maps = [#map12, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32):
      %132 = "arith.addf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%132) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x2x7x64xf32>, tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
    %49 = "linalg.generic"(%46, %arg18, %36) <{indexing_maps = [#map11, #map10, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %130 = "arith.mulf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %131 = "arith.addf"(%130, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x2x7x64xf32>, tensor<2x64x64xf32>, tensor<1x2x7x64xf32>) -> tensor<1x2x7x64xf32>
    %50 = "linalg.generic"(%49, %47, %34, %48, %35) <{indexing_maps = [#map12, #map15, #map14, #map15, #map12], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32, %arg90: f32, %arg91: f32, %arg92: f32):
      %126 = "arith.addf"(%arg91, %arg89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %127 = "arith.mulf"(%arg89, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.addf"(%arg88, %127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %129 = "arith.divf"(%128, %126) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x2x7x64xf32>, tensor<1x2x7xf32>, tensor<1x2x64xf32>, tensor<1x2x7xf32>, tensor<1x2x7x64xf32>) -> tensor<1x2x7x64xf32>
    %51 = "tensor.collapse_shape"(%50) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x2x7x64xf32>) -> tensor<1x896xf32>
    %52 = "linalg.generic"(%51, %arg7, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32, %arg87: f32):
      %124 = "arith.mulf"(%arg85, %arg86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%arg87, %124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x896xf32>, tensor<896x896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %53 = "tensor.empty"() : () -> tensor<2x1x64xf32>
    %54 = "linalg.generic"(%29, %53) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32):
      "linalg.yield"(%arg83) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x2x64xf32>, tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
    %55 = "linalg.generic"(%34, %53) <{indexing_maps = [#map17, #map16], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32):
      "linalg.yield"(%arg81) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x2x64xf32>, tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
    %56 = "linalg.generic"(%arg14, %52, %8) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32, %arg80: f32):
      %123 = "arith.addf"(%arg78, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x896xf32>, tensor<1x896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %57 = "linalg.generic"(%56, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32):
      %121 = "arith.mulf"(%arg76, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.addf"(%121, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%122) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x896xf32>, tensor<1xf32>) -> tensor<1xf32>
    %58 = "linalg.generic"(%57, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg74: f32, %arg75: f32):
      %118 = "arith.mulf"(%arg74, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %119 = "arith.addf"(%118, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "math.rsqrt"(%119) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %59 = "linalg.generic"(%56, %58, %arg8, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32, %arg72: f32, %arg73: f32):
      %116 = "arith.mulf"(%arg70, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.mulf"(%116, %arg72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x896xf32>, tensor<1xf32>, tensor<896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %60 = "tensor.empty"() : () -> tensor<1x4864xf32>
    %61 = "linalg.fill"(%0, %60) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      "linalg.yield"(%arg68) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (f32, tensor<1x4864xf32>) -> tensor<1x4864xf32>
    %62 = "linalg.generic"(%59, %arg9, %61) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %114 = "arith.mulf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.addf"(%arg67, %114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "mlp.gate_proj"} : (tensor<1x896xf32>, tensor<896x4864xf32>, tensor<1x4864xf32>) -> tensor<1x4864xf32>
    %63 = "linalg.generic"(%59, %arg10, %61) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32, %arg64: f32):
      %112 = "arith.mulf"(%arg62, %arg63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%arg64, %112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) {sttest.source = "mlp.up_proj"} : (tensor<1x896xf32>, tensor<896x4864xf32>, tensor<1x4864xf32>) -> tensor<1x4864xf32>
    %64 = "linalg.generic"(%62, %63, %60) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32, %arg61: f32):
      %106 = "arith.negf"(%arg59) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %107 = "math.exp"(%106) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %108 = "arith.addf"(%107, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %109 = "arith.divf"(%2, %108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.mulf"(%arg59, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.mulf"(%110, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x4864xf32>, tensor<1x4864xf32>, tensor<1x4864xf32>) -> tensor<1x4864xf32>
    %65 = "linalg.generic"(%64, %arg11, %14) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %104 = "arith.mulf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.addf"(%arg58, %104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "mlp.down_proj"} : (tensor<1x4864xf32>, tensor<4864x896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %66 = "linalg.generic"(%56, %65, %8) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32, %arg55: f32):
      %103 = "arith.addf"(%arg53, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x896xf32>, tensor<1x896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %67 = "linalg.generic"(%66, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32):
      %101 = "arith.mulf"(%arg51, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "arith.addf"(%101, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x896xf32>, tensor<1xf32>) -> tensor<1xf32>
    %68 = "linalg.generic"(%67, %9) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32):
      %98 = "arith.mulf"(%arg49, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.addf"(%98, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %100 = "math.rsqrt"(%99) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %69 = "linalg.generic"(%66, %68, %arg12, %8) <{indexing_maps = [#map, #map1, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32, %arg47: f32, %arg48: f32):
      %96 = "arith.mulf"(%arg45, %arg46) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.mulf"(%96, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%97) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x896xf32>, tensor<1xf32>, tensor<896xf32>, tensor<1x896xf32>) -> tensor<1x896xf32>
    %70 = "tensor.empty"() : () -> tensor<1x152064xf32>
    %71 = "linalg.fill"(%0, %70) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32):
      "linalg.yield"(%arg43) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (f32, tensor<1x152064xf32>) -> tensor<1x152064xf32>
    %72 = "linalg.generic"(%69, %arg13, %71) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %94 = "arith.mulf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "arith.addf"(%arg42, %94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x896xf32>, tensor<896x152064xf32>, tensor<1x152064xf32>) -> tensor<1x152064xf32>
    %73 = "tensor.expand_shape"(%72) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 594, 256>}> : (tensor<1x152064xf32>) -> tensor<1x594x256xf32>
    %74 = "tensor.empty"() : () -> tensor<1x594xf32>
    %75 = "linalg.fill"(%1, %74) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      "linalg.yield"(%arg38) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x594xf32>) -> tensor<1x594xf32>
    %76 = "linalg.generic"(%73, %75) <{indexing_maps = [#map16, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      %93 = "arith.maximumf"(%arg36, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x594x256xf32>, tensor<1x594xf32>) -> tensor<1x594xf32>
    %77 = "tensor.expand_shape"(%arg19) <{reassociation = [[0, 1]], static_output_shape = array<i64: 594, 256>}> : (tensor<152064xf32>) -> tensor<594x256xf32>
    %78 = "linalg.fill"(%3, %74) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32):
      "linalg.yield"(%arg34) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x594xf32>) -> tensor<1x594xf32>
    %79 = "linalg.generic"(%73, %76, %77, %78) <{indexing_maps = [#map16, #map6, #map18, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32, %arg32: f32, %arg33: f32):
      %89 = "arith.addf"(%arg32, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.cmpf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %91 = "arith.select"(%90, %89, %arg32) : (i1, f32, f32) -> f32
      %92 = "arith.minimumf"(%91, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x594x256xf32>, tensor<1x594xf32>, tensor<594x256xf32>, tensor<1x594xf32>) -> tensor<1x594xf32>
    %80 = "linalg.fill"(%1, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32):
      "linalg.yield"(%arg28) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %81 = "linalg.generic"(%76, %80) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32):
      %88 = "arith.maximumf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x594xf32>, tensor<1xf32>) -> tensor<1xf32>
    %82 = "linalg.fill"(%3, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32):
      "linalg.yield"(%arg24) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %83 = "linalg.generic"(%76, %81, %79, %82) <{indexing_maps = [#map, #map1, #map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32, %arg23: f32):
      %84 = "arith.addf"(%arg22, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %85 = "arith.cmpf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %86 = "arith.select"(%85, %84, %arg22) : (i1, f32, f32) -> f32
      %87 = "arith.minimumf"(%86, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%87) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x594xf32>, tensor<1xf32>, tensor<1x594xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%66, %54, %55, %72, %83) : (tensor<1x896xf32>, tensor<2x1x64xf32>, tensor<2x1x64xf32>, tensor<1x152064xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "mlp_norm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight", "head.norm.weight", "head.proj.weight", "x", "mask", "rope", "k_cache", "v_cache", "token_ids"], sttest.context = 64 : i64, sttest.model = "qwen", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
