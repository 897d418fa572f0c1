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
#map13 = affine_map<(d0, d1, d2) -> (d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<1x64xf32>, tensor<32xf32>, tensor<4x32x16xf32>, tensor<4x32x16xf32>, tensor<256xf32>) -> (tensor<1x64xf32>, tensor<4x1x16xf32>, tensor<4x1x16xf32>, tensor<1x256xf32>, tensor<1xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64x64xf32>, %arg5: tensor<64xf32>, %arg6: tensor<64x64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64x64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<64x128xf32>, %arg13: tensor<128xf32>, %arg14: tensor<128x64xf32>, %arg15: tensor<64xf32>, %arg16: tensor<64xf32>, %arg17: tensor<64xf32>, %arg18: tensor<64x256xf32>, %arg19: tensor<1x64xf32>, %arg20: tensor<32xf32>, %arg21: tensor<4x32x16xf32>, %arg22: tensor<4x32x16xf32>, %arg23: tensor<256xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0x7F800000 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 1.562500e-02 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 2.500000e-01 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %9 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %10 = "arith.constant"() <{value = 2.560000e+02 : f32}> : () -> f32
    %11 = "tensor.empty"() : () -> tensor<1x64xf32>
    %12 = "tensor.empty"() : () -> tensor<1xf32>
    %13 = "linalg.fill"(%0, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg172: f32, %arg173: f32):
      "linalg.yield"(%arg172) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %14 = "linalg.generic"(%arg19, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg170: f32, %arg171: f32):
      %183 = "arith.mulf"(%arg170, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %184 = "arith.addf"(%183, %arg171) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%184) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %15 = "linalg.generic"(%arg19, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg168: f32, %arg169: f32):
      %181 = "arith.mulf"(%arg168, %arg168) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %182 = "arith.addf"(%181, %arg169) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%182) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %16 = "linalg.generic"(%15, %14, %12) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg165: f32, %arg166: f32, %arg167: f32):
      %174 = "arith.mulf"(%arg166, %arg166) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %175 = "arith.mulf"(%arg165, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %176 = "arith.subf"(%175, %174) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %177 = "arith.cmpf"(%176, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %178 = "arith.select"(%177, %176, %0) : (i1, f32, f32) -> f32
      %179 = "arith.addf"(%178, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %180 = "math.rsqrt"(%179) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%180) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %17 = "linalg.generic"(%arg19, %14, %16, %arg0, %arg1, %11) <{indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb0(%arg159: f32, %arg160: f32, %arg161: f32, %arg162: f32, %arg163: f32, %arg164: f32):
      %170 = "arith.subf"(%arg159, %arg160) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %171 = "arith.mulf"(%170, %arg161) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %172 = "arith.mulf"(%171, %arg162) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %173 = "arith.addf"(%172, %arg163) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%173) : (f32) -> ()
    }) {sttest.source = "attn_norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %18 = "linalg.fill"(%0, %11) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg157: f32, %arg158: f32):
      "linalg.yield"(%arg157) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (f32, tensor<1x64xf32>) -> tensor<1x64xf32>
    %19 = "linalg.generic"(%17, %arg2, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg154: f32, %arg155: f32, %arg156: f32):
      %168 = "arith.mulf"(%arg154, %arg155) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %169 = "arith.addf"(%arg156, %168) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%169) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %20 = "linalg.generic"(%19, %arg3, %11) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg151: f32, %arg152: f32, %arg153: f32):
      %167 = "arith.addf"(%arg151, %arg152) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%167) : (f32) -> ()
    }) {sttest.source = "attn.q_proj"} : (tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %21 = "tensor.expand_shape"(%20) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 16>}> : (tensor<1x64xf32>) -> tensor<1x4x16xf32>
    %22 = "linalg.generic"(%17, %arg4, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg148: f32, %arg149: f32, %arg150: f32):
      %165 = "arith.mulf"(%arg148, %arg149) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %166 = "arith.addf"(%arg150, %165) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%166) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %23 = "linalg.generic"(%22, %arg5, %11) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg145: f32, %arg146: f32, %arg147: f32):
      %164 = "arith.addf"(%arg145, %arg146) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%164) : (f32) -> ()
    }) {sttest.source = "attn.k_proj"} : (tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %24 = "tensor.expand_shape"(%23) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 16>}> : (tensor<1x64xf32>) -> tensor<1x4x16xf32>
    %25 = "linalg.generic"(%17, %arg6, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg142: f32, %arg143: f32, %arg144: f32):
      %162 = "arith.mulf"(%arg142, %arg143) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %163 = "arith.addf"(%arg144, %162) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%163) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %26 = "linalg.generic"(%25, %arg7, %11) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg139: f32, %arg140: f32, %arg141: f32):
      %161 = "arith.addf"(%arg139, %arg140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%161) : (f32) -> ()
    }) {sttest.source = "attn.v_proj"} : (tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %27 = "tensor.expand_shape"(%26) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 16>}> : (tensor<1x64xf32>) -> tensor<1x4x16xf32>
    %28 = "tensor.empty"() : () -> tensor<1x4x32xf32>
    %29 = "linalg.fill"(%0, %28) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32):
      "linalg.yield"(%arg137) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (f32, tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    %30 = "linalg.generic"(%21, %arg21, %29) <{indexing_maps = [#map7, #map8, #map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg134: f32, %arg135: f32, %arg136: f32):
      %159 = "arith.mulf"(%arg134, %arg135) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %160 = "arith.addf"(%159, %arg136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%160) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x4x16xf32>, tensor<4x32x16xf32>, tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    %31 = "linalg.generic"(%30, %arg20, %28) <{indexing_maps = [#map10, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg131: f32, %arg132: f32, %arg133: f32):
      %157 = "arith.mulf"(%arg131, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %158 = "arith.addf"(%157, %arg132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%158) : (f32) -> ()
    }) {sttest.source = "attn.scores"} : (tensor<1x4x32xf32>, tensor<32xf32>, tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    %32 = "tensor.empty"() : () -> tensor<1x4x16xf32>
    %33 = "tensor.empty"() : () -> tensor<1x4xf32>
    %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32):
      "linalg.yield"(%arg129) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %35 = "linalg.generic"(%21, %24, %34) <{indexing_maps = [#map10, #map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32, %arg128: f32):
      %155 = "arith.mulf"(%arg126, %arg127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %156 = "arith.addf"(%155, %arg128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%156) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %36 = "linalg.generic"(%35, %33) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg124: f32, %arg125: f32):
      %154 = "arith.mulf"(%arg124, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%154) : (f32) -> ()
    }) {sttest.source = "attn.own_score"} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %37 = "linalg.fill"(%1, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg122: f32, %arg123: f32):
      "linalg.yield"(%arg122) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %38 = "linalg.generic"(%31, %37) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg120: f32, %arg121: f32):
      %153 = "arith.maximumf"(%arg120, %arg121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%153) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x4x32xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %39 = "linalg.generic"(%38, %36, %33) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32, %arg119: f32):
      %151 = "arith.cmpf"(%arg117, %arg118) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %152 = "arith.select"(%151, %arg117, %arg118) : (i1, f32, f32) -> f32
      "linalg.yield"(%152) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %40 = "linalg.generic"(%31, %39, %28) <{indexing_maps = [#map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32, %arg116: f32):
      %149 = "arith.subf"(%arg114, %arg115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %150 = "math.exp"(%149) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%150) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x4x32xf32>, tensor<1x4xf32>, tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    %41 = "linalg.generic"(%36, %39, %33) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32, %arg113: f32):
      %147 = "arith.subf"(%arg111, %arg112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %148 = "math.exp"(%147) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%148) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %42 = "linalg.generic"(%40, %34) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32):
      %146 = "arith.addf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%146) : (f32) -> ()
    }) {sttest.source = "attn.softmax"} : (tensor<1x4x32xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %43 = "linalg.fill"(%0, %32) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg107: f32, %arg108: f32):
      "linalg.yield"(%arg107) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (f32, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
    %44 = "linalg.generic"(%40, %arg22, %43) <{indexing_maps = [#map9, #map8, #map7], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32, %arg106: f32):
      %144 = "arith.mulf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %145 = "arith.addf"(%144, %arg106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%145) : (f32) -> ()
    }) {sttest.source = "attn.mix"} : (tensor<1x4x32xf32>, tensor<4x32x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
    %45 = "linalg.generic"(%44, %41, %27, %42, %32) <{indexing_maps = [#map10, #map6, #map10, #map6, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32, %arg101: f32, %arg102: f32, %arg103: f32):
      %140 = "arith.addf"(%arg102, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %141 = "arith.mulf"(%arg100, %arg101) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %142 = "arith.addf"(%arg99, %141) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %143 = "arith.divf"(%142, %140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%143) : (f32) -> ()
    }) {sttest.source = "attn.normalize"} : (tensor<1x4x16xf32>, tensor<1x4xf32>, tensor<1x4x16xf32>, tensor<1x4xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
    %46 = "tensor.collapse_shape"(%45) <{reassociation = [[0], [1, 2]]}> : (tensor<1x4x16xf32>) -> tensor<1x64xf32>
    %47 = "linalg.generic"(%46, %arg8, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32, %arg98: f32):
      %138 = "arith.mulf"(%arg96, %arg97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %139 = "arith.addf"(%arg98, %138) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%139) : (f32) -> ()
    }) {sttest.source = "attn.o_proj"} : (tensor<1x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %48 = "tensor.empty"() : () -> tensor<4x1x16xf32>
    %49 = "linalg.generic"(%24, %48) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg94: f32, %arg95: f32):
      "linalg.yield"(%arg94) : (f32) -> ()
    }) {sttest.source = "attn.k_new"} : (tensor<1x4x16xf32>, tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %50 = "linalg.generic"(%27, %48) <{indexing_maps = [#map12, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32):
      "linalg.yield"(%arg92) : (f32) -> ()
    }) {sttest.source = "attn.v_new"} : (tensor<1x4x16xf32>, tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %51 = "linalg.generic"(%arg19, %47, %arg9, %11) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32, %arg90: f32, %arg91: f32):
      %136 = "arith.addf"(%arg89, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %137 = "arith.addf"(%arg88, %136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%137) : (f32) -> ()
    }) {sttest.source = "attn_residual"} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %52 = "linalg.generic"(%51, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg86: f32, %arg87: f32):
      %134 = "arith.mulf"(%arg86, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %135 = "arith.addf"(%134, %arg87) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %53 = "linalg.generic"(%51, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32):
      %132 = "arith.mulf"(%arg84, %arg84) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %133 = "arith.addf"(%132, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %54 = "linalg.generic"(%53, %52, %12) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32, %arg83: f32):
      %125 = "arith.mulf"(%arg82, %arg82) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %126 = "arith.mulf"(%arg81, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %127 = "arith.subf"(%126, %125) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.cmpf"(%127, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %129 = "arith.select"(%128, %127, %0) : (i1, f32, f32) -> f32
      %130 = "arith.addf"(%129, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %131 = "math.rsqrt"(%130) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %55 = "linalg.generic"(%51, %52, %54, %arg10, %arg11, %11) <{indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32, %arg77: f32, %arg78: f32, %arg79: f32, %arg80: f32):
      %121 = "arith.subf"(%arg75, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %122 = "arith.mulf"(%121, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.mulf"(%122, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %124 = "arith.addf"(%123, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%124) : (f32) -> ()
    }) {sttest.source = "mlp_norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %56 = "tensor.empty"() : () -> tensor<1x128xf32>
    %57 = "linalg.fill"(%0, %56) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32):
      "linalg.yield"(%arg73) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (f32, tensor<1x128xf32>) -> tensor<1x128xf32>
    %58 = "linalg.generic"(%55, %arg12, %57) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32, %arg72: f32):
      %119 = "arith.mulf"(%arg70, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.addf"(%arg72, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {sttest.source = "mlp.fc1"} : (tensor<1x64xf32>, tensor<64x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %59 = "linalg.generic"(%58, %arg13, %56) <{indexing_maps = [#map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32, %arg69: f32):
      %109 = "arith.addf"(%arg67, %arg68) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %110 = "arith.mulf"(%109, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %111 = "arith.mulf"(%110, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.mulf"(%111, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%109, %112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %114 = "arith.mulf"(%113, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "math.tanh"(%114) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %116 = "arith.addf"(%115, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.mulf"(%109, %116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.mulf"(%117, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) {sttest.source = "mlp.act"} : (tensor<1x128xf32>, tensor<128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %60 = "linalg.generic"(%59, %arg14, %18) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32, %arg66: f32):
      %107 = "arith.mulf"(%arg64, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%arg66, %107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) {sttest.source = "mlp.fc2"} : (tensor<1x128xf32>, tensor<128x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %61 = "linalg.generic"(%51, %60, %arg15, %11) <{indexing_maps = [#map, #map, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32, %arg62: f32, %arg63: f32):
      %105 = "arith.addf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %106 = "arith.addf"(%arg60, %105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) {sttest.source = "mlp_residual"} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %62 = "linalg.generic"(%61, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg58: f32, %arg59: f32):
      %103 = "arith.mulf"(%arg58, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %104 = "arith.addf"(%103, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %63 = "linalg.generic"(%61, %13) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32):
      %101 = "arith.mulf"(%arg56, %arg56) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %102 = "arith.addf"(%101, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x64xf32>, tensor<1xf32>) -> tensor<1xf32>
    %64 = "linalg.generic"(%63, %62, %12) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32, %arg55: f32):
      %94 = "arith.mulf"(%arg54, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "arith.mulf"(%arg53, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %96 = "arith.subf"(%95, %94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %97 = "arith.cmpf"(%96, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %98 = "arith.select"(%97, %96, %0) : (i1, f32, f32) -> f32
      %99 = "arith.addf"(%98, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %100 = "math.rsqrt"(%99) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %65 = "linalg.generic"(%61, %62, %64, %arg16, %arg17, %11) <{indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 5, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32, %arg50: f32, %arg51: f32, %arg52: f32):
      %90 = "arith.subf"(%arg47, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.mulf"(%90, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "arith.mulf"(%91, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %93 = "arith.addf"(%92, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) {sttest.source = "head.norm"} : (tensor<1x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %66 = "tensor.empty"() : () -> tensor<1x256xf32>
    %67 = "linalg.fill"(%0, %66) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      "linalg.yield"(%arg45) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (f32, tensor<1x256xf32>) -> tensor<1x256xf32>
    %68 = "linalg.generic"(%65, %arg18, %67) <{indexing_maps = [#map4, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32, %arg44: f32):
      %88 = "arith.mulf"(%arg42, %arg43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %89 = "arith.addf"(%arg44, %88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) {sttest.source = "head.proj"} : (tensor<1x64xf32>, tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    %69 = "tensor.expand_shape"(%68) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 4, 64>}> : (tensor<1x256xf32>) -> tensor<1x4x64xf32>
    %70 = "linalg.generic"(%69, %37) <{indexing_maps = [#map10, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32):
      %87 = "arith.maximumf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%87) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4x64xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %71 = "tensor.expand_shape"(%arg23) <{reassociation = [[0, 1]], static_output_shape = array<i64: 4, 64>}> : (tensor<256xf32>) -> tensor<4x64xf32>
    %72 = "linalg.fill"(%2, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      "linalg.yield"(%arg38) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1x4xf32>) -> tensor<1x4xf32>
    %73 = "linalg.generic"(%69, %70, %71, %72) <{indexing_maps = [#map10, #map6, #map13, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32, %arg37: f32):
      %83 = "arith.addf"(%arg36, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %84 = "arith.cmpf"(%arg34, %arg35) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %85 = "arith.select"(%84, %83, %arg36) : (i1, f32, f32) -> f32
      %86 = "arith.minimumf"(%85, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4x64xf32>, tensor<1x4xf32>, tensor<4x64xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %74 = "linalg.fill"(%1, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32):
      "linalg.yield"(%arg32) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %75 = "linalg.generic"(%70, %74) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32):
      %82 = "arith.maximumf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4xf32>, tensor<1xf32>) -> tensor<1xf32>
    %76 = "linalg.fill"(%2, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32):
      "linalg.yield"(%arg28) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (f32, tensor<1xf32>) -> tensor<1xf32>
    %77 = "linalg.generic"(%70, %75, %73, %76) <{indexing_maps = [#map, #map1, #map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32, %arg27: f32):
      %78 = "arith.addf"(%arg26, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %79 = "arith.cmpf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (f32, f32) -> i1
      %80 = "arith.select"(%79, %78, %arg26) : (i1, f32, f32) -> f32
      %81 = "arith.minimumf"(%80, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%81) : (f32) -> ()
    }) {sttest.source = "head.choice"} : (tensor<1x4xf32>, tensor<1xf32>, tensor<1x4xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%61, %49, %50, %68, %77) : (tensor<1x64xf32>, tensor<4x1x16xf32>, tensor<4x1x16xf32>, tensor<1x256xf32>, tensor<1xf32>) -> ()
  }) {sttest.arg_kinds = ["parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "parameter", "input", "input", "cache", "cache", "input"], sttest.arg_names = ["attn_norm.weight", "attn_norm.bias", "attn.q_proj.weight", "attn.q_proj.bias", "attn.k_proj.weight", "attn.k_proj.bias", "attn.v_proj.weight", "attn.v_proj.bias", "attn.o_proj.weight", "attn.o_proj.bias", "mlp_norm.weight", "mlp_norm.bias", "mlp.fc1.weight", "mlp.fc1.bias", "mlp.fc2.weight", "mlp.fc2.bias", "head.norm.weight", "head.norm.bias", "head.proj.weight", "x", "mask", "k_cache", "v_cache", "token_ids"], sttest.context = 32 : i64, sttest.model = "small-gpt2", sttest.phase = "decode", sttest.result_names = ["y", "k_new", "v_new", "logits", "token"], sttest.tokens = 1 : i64} : () -> ()
}) : () -> ()
