// PASSES:
// The types and attributes of the dialect print as they are read.

!tiles = !df.itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>
!again = !df.itensor<4x2xf32, iter_space: [4,2,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)>
!vectors = !df.itensor<vector<2x4xi8>, iter_space: [2,2]*[8,8], iter_map: (d0,d1)->(d1,d0)>
!summed = !df.itensor<4x8xi4, iter_space: [2,2,2,3]*[8,4,16,8], iter_map: (d0,d1,d2,d3)->(d1,d0 + d3)>
!scalar = !df.itensor<f32, iter_space: []*[], iter_map: ()->()>

// CHECK: func.func @types
// CHECK-SAME: !df.itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>
// CHECK-SAME: !df.itensor<4x2xf32, iter_space: [4,2,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)>
// CHECK-SAME: !df.itensor<vector<2x4xi8>, iter_space: [2,2]*[8,8], iter_map: (d0,d1)->(d1,d0)>
// CHECK-SAME: !df.itensor<4x8xi4, iter_space: [2,2,2,3]*[8,4,16,8], iter_map: (d0,d1,d2,d3)->(d1,(d0 + d3))>
// CHECK-SAME: !df.itensor<f32, iter_space: []*[], iter_map: ()->()>
// CHECK-SAME: !df.stream<!df.itensor<2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>, depth: 3>
// CHECK-SAME: numbers = #df.ints[1,16], none = #df.ints[]
func.func @types(%0: !tiles, %1: !again, %2: !vectors, %3: !summed, %4: !scalar, %5: !df.stream<!tiles, depth: 3>)
    attributes {numbers = #df.ints[1,16], none = #df.ints[]} {
  func.return
}
