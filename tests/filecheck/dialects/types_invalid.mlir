// ERRORS
// Types that break a rule are refused at their place in the text.

// CHECK: types_invalid.mlir:7:29: not valid IR: itensor: the iteration map must not have symbols
// CHECK-NEXT: func.func @a(%0: !df.itensor<2xf32, iter_space: [4]*[2], iter_map: (d0)[s0]->(d0)>)
// CHECK-NEXT: ^
func.func @a(%0: !df.itensor<2xf32, iter_space: [4]*[2], iter_map: (d0)[s0]->(d0)>)

// -----
// CHECK: itensor: 2 trip counts, 2 steps and 1 map dims must be equal
func.func @a(%0: !df.itensor<2xf32, iter_space: [4,4]*[2,2], iter_map: (d0)->(d0)>)

// -----
// CHECK: itensor: 2 trip counts, 1 steps and 2 map dims must be equal
func.func @a(%0: !df.itensor<2xf32, iter_space: [4,4]*[2], iter_map: (d0,d1)->(d0)>)

// -----
// CHECK: itensor: element rank 1 must equal the 2 map results
func.func @a(%0: !df.itensor<2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)>)

// -----
// CHECK: itensor: element sizes, trip counts and steps must be static and at least 1
func.func @a(%0: !df.itensor<?xf32, iter_space: [4]*[2], iter_map: (d0)->(d0)>)

// -----
// CHECK: itensor: element sizes, trip counts and steps must be static and at least 1
func.func @a(%0: !df.itensor<2xf32, iter_space: [0]*[2], iter_map: (d0)->(d0)>)

// -----
// CHECK: itensor: the iteration map must be linear in the loops
func.func @a(%0: !df.itensor<2xf32, iter_space: [4]*[2], iter_map: (d0)->(d0 floordiv 2)>)

// -----
// CHECK: itensor: the data type index has no fixed bit width
func.func @a(%0: !df.itensor<2xindex, iter_space: [4]*[2], iter_map: (d0)->(d0)>)

// -----
// CHECK: stream: depth 0 must be at least 1
func.func @a(%0: !df.stream<!df.itensor<2xf32, iter_space: [4]*[2], iter_map: (d0)->(d0)>, depth: 0>)

// -----
// CHECK: stream: expected an itensor, found tensor<2xf32>
func.func @a(%0: !df.stream<tensor<2xf32>, depth: 2>)
