#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map11 = affine_map<(d0, d1, d2) -> (d2)>
#map12 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024x4096xf32>, tensor<4096xf32>, tensor<4096x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024x50432xf32>, tensor<1x1024xf32>, tensor<64xf32>, tensor<16x64x64xf32>, tensor<16x64x64xf32>, tensor<50432xf32>) -> (tensor<1x1024xf32>, tensor<16x1x64xf32>, tensor<16x1x64xf32>, tensor<1x50432xf32>, tensor<1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1024xf32>, %arg1: tensor<1024xf32>, %arg2: tensor<1024x1024xf32>, %arg3: tensor<1024xf32>, %arg4: tensor<1024x1024xf32>, %arg5: tensor<1024xf32>, %arg6: tensor<1024x1024xf32>, %arg7: tensor<1024xf32>, %arg8: tensor<1024x1024xf32>, %arg9: tensor<1024xf32>, %arg10: tensor<1024xf32>, %arg11: tensor<1024xf32>, %arg12: tensor<1024x4096xf32>, %arg13: tensor<4096xf32>, %arg14: tensor<4096x1024xf32>, %arg15: tensor<1024xf32>, %arg16: tensor<1024xf32>, %arg17: tensor<1024xf32>, %arg18: tensor<1024x50432xf32>, %arg19: tensor<1x1024xf32>, %arg20: tensor<64xf32>, %arg21: tensor<16x64x64xf32>, %arg22: tensor<16x64x64xf32>, %arg23: tensor<50432xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 9.765625E-4 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %9 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %10 = "arith.constant"() <{value = 5.043200e+04 : f32}> : () -> f32
    %11 = "tensor.empty"() : () -> tensor<1x1024xf32>
    %12 = "tensor.empty"() : () -> tensor<1xf32>
    %13 = "linalg.fill"(%0, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg165: f32, %arg166: f32):
      "linalg.yield"(%arg165) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %14 = "linalg.generic"(%arg19, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg163: f32, %arg164: f32):
      %162 = "arith.mulf"(%arg163, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %163 = "arith.addf"(%162, %arg164) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%163) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %15 = "linalg.generic"(%arg19, %14, %11) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg160: f32, %arg161: f32, %arg162: f32):
      %161 = "arith.subf"(%arg160, %arg161) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%161) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %16 = "linalg.generic"(%15, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg158: f32, %arg159: f32):
      %159 = "arith.mulf"(%arg158, %arg158) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "arith.addf"(%159, %arg159) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%160) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %17 = "linalg.generic"(%16, %12) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg156: f32, %arg157: f32):
      %156 = "arith.mulf"(%arg156, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %157 = "arith.addf"(%156, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "math.rsqrt"(%157) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %18 = "linalg.generic"(%15, %17, %arg0, %arg1, %11) <{indexing_maps = [#map, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg151: f32, %arg152: f32, %arg153: f32, %arg154: f32, %arg155: f32):
      %153 = "arith.mulf"(%arg151, %arg152) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %154 = "arith.mulf"(%153, %arg153) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %155 = "arith.addf"(%154, %arg154) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%155) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %19 = "linalg.fill"(%0, %11) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg149: f32, %arg150: f32):
      "linalg.yield"(%arg149) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %20 = "linalg.generic"(%18, %arg2, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg146: f32, %arg147: f32, %arg148: f32):
      %151 = "arith.mulf"(%arg146, %arg147) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %152 = "arith.addf"(%arg148, %151) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %21 = "linalg.generic"(%20, %arg3, %11) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg143: f32, %arg144: f32, %arg145: f32):
      %150 = "arith.addf"(%arg143, %arg144) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%150) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %22 = "tensor.expand_shape"(%21) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %23 = "linalg.generic"(%18, %arg4, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg140: f32, %arg141: f32, %arg142: f32):
      %148 = "arith.mulf"(%arg140, %arg141) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %149 = "arith.addf"(%arg142, %148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%149) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %24 = "linalg.generic"(%23, %arg5, %11) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32, %arg139: f32):
      %147 = "arith.addf"(%arg137, %arg138) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %25 = "tensor.expand_shape"(%24) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %26 = "linalg.generic"(%18, %arg6, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg134: f32, %arg135: f32, %arg136: f32):
      %145 = "arith.mulf"(%arg134, %arg135) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %146 = "arith.addf"(%arg136, %145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%146) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %27 = "linalg.generic"(%26, %arg7, %11) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg131: f32, %arg132: f32, %arg133: f32):
      %144 = "arith.addf"(%arg131, %arg132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%144) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %28 = "tensor.expand_shape"(%27) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 16, 64>}> : (tensor<1x1024xf32>) -> tensor<1x16x64xf32>
    %29 = "tensor.empty"() : () -> tensor<1x16x64xf32>
    %30 = "linalg.fill"(%0, %29) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32):
      "linalg.yield"(%arg129) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %31 = "linalg.generic"(%22, %arg21, %30) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32, %arg128: f32):
      %142 = "arith.mulf"(%arg126, %arg127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %143 = "arith.addf"(%142, %arg128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%143) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x16x64xf32>, tensor<16x64x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %32 = "linalg.generic"(%31, %arg20, %29) <{indexing_maps = [#map10, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32, %arg125: f32):
      %140 = "arith.mulf"(%arg123, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %141 = "arith.addf"(%140, %arg124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%141) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x16x64xf32>, tensor<64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %33 = "tensor.empty"() : () -> tensor<1x16xf32>
    %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32):
      "linalg.yield"(%arg121) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %35 = "linalg.generic"(%22, %25, %34) <{indexing_maps = [#map10, #map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg118: f32, %arg119: f32, %arg120: f32):
      %138 = "arith.mulf"(%arg118, %arg119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %139 = "arith.addf"(%138, %arg120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%139) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x16x64xf32>, tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %36 = "linalg.generic"(%35, %33) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg116: f32, %arg117: f32):
      %137 = "arith.mulf"(%arg116, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%137) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %37 = "linalg.fill"(%1, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32):
      "linalg.yield"(%arg114) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %38 = "linalg.generic"(%32, %37) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32):
      %136 = "arith.maximumf"(%arg112, %arg113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%136) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %39 = "linalg.generic"(%38, %36, %33) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32, %arg111: f32):
      %134 = "arith.cmpf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %135 = "arith.select"(%134, %arg109, %arg110) : (i1, f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %40 = "linalg.generic"(%32, %39, %29) <{indexing_maps = [#map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32, %arg108: f32):
      %132 = "arith.subf"(%arg106, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %133 = "math.exp"(%132) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %41 = "linalg.generic"(%36, %39, %33) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32, %arg105: f32):
      %130 = "arith.subf"(%arg103, %arg104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %131 = "math.exp"(%130) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %42 = "linalg.generic"(%40, %34) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32):
      %129 = "arith.addf"(%arg101, %arg102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x16x64xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %43 = "linalg.generic"(%40, %arg22, %30) <{indexing_maps = [#map9, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32, %arg100: f32):
      %127 = "arith.mulf"(%arg98, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.addf"(%127, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x16x64xf32>, tensor<16x64x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %44 = "linalg.generic"(%43, %41, %28, %42, %29) <{indexing_maps = [#map10, #map6, #map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32, %arg96: f32, %arg97: f32):
      %123 = "arith.addf"(%arg96, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %124 = "arith.mulf"(%arg94, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%arg93, %124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %126 = "arith.divf"(%125, %123) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) {sttest.source = "attn.normalise"} : (tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>, tensor<1x16xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
    %45 = "tensor.collapse_shape"(%44) <{reassociation = [[0], [1, 2]]}> : (tensor<1x16x64xf32>) -> tensor<1x1024xf32>
    %46 = "linalg.generic"(%45, %arg8, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32, %arg92: f32):
      %121 = "arith.mulf"(%arg90, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.addf"(%arg92, %121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%122) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %47 = "tensor.empty"() : () -> tensor<16x1x64xf32>
    %48 = "linalg.generic"(%25, %47) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32):
      "linalg.yield"(%arg88) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x16x64xf32>, tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
    %49 = "linalg.generic"(%28, %47) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg86: f32, %arg87: f32):
      "linalg.yield"(%arg86) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x16x64xf32>, tensor<16x1x64xf32>) -> tensor<16x1x64xf32>
    %50 = "linalg.generic"(%arg19, %46, %arg9, %11) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32, %arg84: f32, %arg85: f32):
      %119 = "arith.addf"(%arg83, %arg84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.addf"(%arg82, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %51 = "linalg.generic"(%50, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      %117 = "arith.mulf"(%arg80, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.addf"(%117, %arg81) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %52 = "linalg.generic"(%50, %51, %11) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32, %arg79: f32):
      %116 = "arith.subf"(%arg77, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %53 = "linalg.generic"(%52, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32):
      %114 = "arith.mulf"(%arg75, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.addf"(%114, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %54 = "linalg.generic"(%53, %12) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32):
      %111 = "arith.mulf"(%arg73, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.addf"(%111, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "math.rsqrt"(%112) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %55 = "linalg.generic"(%52, %54, %arg10, %arg11, %11) <{indexing_maps = [#map, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32, %arg70: f32, %arg71: f32, %arg72: f32):
      %108 = "arith.mulf"(%arg68, %arg69) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %109 = "arith.mulf"(%108, %arg70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.addf"(%109, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %56 = "tensor.empty"() : () -> tensor<1x4096xf32>
    %57 = "linalg.fill"(%0, %56) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg66: f32, %arg67: f32):
      "linalg.yield"(%arg66) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (f32, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %58 = "linalg.generic"(%55, %arg12, %57) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32, %arg65: f32):
      %106 = "arith.mulf"(%arg63, %arg64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%arg65, %106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (tensor<1x1024xf32>, tensor<1024x4096xf32>, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %59 = "linalg.generic"(%58, %arg13, %56) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32, %arg62: f32):
      %96 = "arith.addf"(%arg60, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.mulf"(%96, %96) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "arith.mulf"(%97, %96) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %99 = "arith.mulf"(%98, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %100 = "arith.addf"(%96, %99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %101 = "arith.mulf"(%100, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "math.tanh"(%101) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %103 = "arith.addf"(%102, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.mulf"(%96, %103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %105 = "arith.mulf"(%104, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x4096xf32>, tensor<4096xf32>, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %60 = "linalg.generic"(%59, %arg14, %19) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %94 = "arith.mulf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "arith.addf"(%arg59, %94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) {sttest.source = "mlp.fc2"} : (tensor<1x4096xf32>, tensor<4096x1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %61 = "linalg.generic"(%50, %60, %arg15, %11) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32, %arg55: f32, %arg56: f32):
      %92 = "arith.addf"(%arg54, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %93 = "arith.addf"(%arg53, %92) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %62 = "linalg.generic"(%61, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32):
      %90 = "arith.mulf"(%arg51, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.addf"(%90, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %63 = "linalg.generic"(%61, %62, %11) <{indexing_maps = [#map, #map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32, %arg50: f32):
      %89 = "arith.subf"(%arg48, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %64 = "linalg.generic"(%63, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32):
      %87 = "arith.mulf"(%arg46, %arg46) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %88 = "arith.addf"(%87, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x1024xf32>, tensor<1xf32>) -> tensor<1xf32>
    %65 = "linalg.generic"(%64, %12) <{indexing_maps = [#map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      %84 = "arith.mulf"(%arg44, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %85 = "arith.addf"(%84, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %86 = "math.rsqrt"(%85) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %66 = "linalg.generic"(%63, %65, %arg16, %arg17, %11) <{indexing_maps = [#map, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32, %arg41: f32, %arg42: f32, %arg43: f32):
      %81 = "arith.mulf"(%arg39, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %82 = "arith.mulf"(%81, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %83 = "arith.addf"(%82, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%83) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %67 = "tensor.empty"() : () -> tensor<1x50432xf32>
    %68 = "linalg.fill"(%0, %67) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      "linalg.yield"(%arg37) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (f32, tensor<1x50432xf32>) -> tensor<1x50432xf32>
    %69 = "linalg.generic"(%66, %arg18, %68) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32):
      %79 = "arith.mulf"(%arg34, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %80 = "arith.addf"(%arg36, %79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%80) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x1024xf32>, tensor<1024x50432xf32>, tensor<1x50432xf32>) -> tensor<1x50432xf32>
    %70 = "linalg.fill"(%1, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32):
      "linalg.yield"(%arg32) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %71 = "linalg.generic"(%69, %70) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32):
      %78 = "arith.maximumf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%78) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x50432xf32>, tensor<1xf32>) -> tensor<1xf32>
    %72 = "linalg.fill"(%2, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32):
      "linalg.yield"(%arg28) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %73 = "linalg.generic"(%69, %71, %arg23, %72) <{indexing_maps = [#map, #map1, #map3, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32, %arg27: f32):
      %74 = "arith.addf"(%arg26, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.cmpf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %76 = "arith.select"(%75, %74, %arg26) : (i1, f32, f32) -> f32
      %77 = "arith.minimumf"(%76, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%77) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x50432xf32>, tensor<1xf32>, tensor<50432xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%61, %48, %49, %69, %73) : (tensor<1x1024xf32>, tensor<16x1x64xf32>, tensor<16x1x64xf32>, tensor<1x50432xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn_norm.bias", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "attn.o_proj.bias", "mlp_norm.weight", "mlp_norm.bias", "mlp.fc1.weight", "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias", "head.norm.weight", "head.norm.bias", "head.proj.weight", "x", "mask", "k_cache", "v_cache", "token_ids"], sttest.context = 64 : i64, sttest.model = "gpt2", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
