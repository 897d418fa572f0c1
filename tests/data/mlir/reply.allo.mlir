// A region inside a region whose kernels answer each other, after https://github.com/cornell-zhang/allo/issues/561 and
// written for these tests: the asker sends four questions before it takes an answer, and both streams hold one.
module {
  func.func @asker_0(%arg0: memref<4xf32>, %arg1: !allo.stream<f32, 1>, %arg2: !allo.stream<f32, 1>) attributes {df.kernel, itypes = "___", otypes = "", stypes = "_oi"} {
    affine.for %arg3 = 0 to 4 {
      %0 = affine.load %arg0[%arg3] {from = "local_A"} : memref<4xf32>
      allo.stream_put(%arg1, [], %0) : !allo.stream<f32, 1> contains f32
    } {loop_name = "i", op_name = "S_i_0"}
    affine.for %arg3 = 0 to 4 {
      %0 = allo.stream_get(%arg2, []) {name = "r"} : !allo.stream<f32, 1> -> f32
      affine.store %0, %arg0[%arg3] {to = "local_A"} : memref<4xf32>
    } {loop_name = "i", op_name = "S_i_1"}
    return
  }
  func.func @answerer_0(%arg0: memref<4xf32>, %arg1: !allo.stream<f32, 1>, %arg2: !allo.stream<f32, 1>) attributes {df.kernel, itypes = "___", otypes = "", stypes = "_io"} {
    %cst = arith.constant 1.000000e+00 : f32
    affine.for %arg3 = 0 to 4 {
      %0 = allo.stream_get(%arg1, []) {name = "v"} : !allo.stream<f32, 1> -> f32
      affine.store %0, %arg0[%arg3] {to = "local_B"} : memref<4xf32>
      %1 = arith.addf %0, %cst : f32
      allo.stream_put(%arg2, [], %1) : !allo.stream<f32, 1> contains f32
    } {loop_name = "i", op_name = "S_i_0"}
    return
  }
  func.func @inner(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {dataflow, itypes = "__", otypes = ""} {
    %0 = allo.stream_construct() {name = "question"} : !allo.stream<f32, 1>
    %1 = allo.stream_construct() {name = "answer"} : !allo.stream<f32, 1>
    call @asker_0(%arg0, %0, %1) : (memref<4xf32>, !allo.stream<f32, 1>, !allo.stream<f32, 1>) -> ()
    call @answerer_0(%arg1, %0, %1) {last} : (memref<4xf32>, !allo.stream<f32, 1>, !allo.stream<f32, 1>) -> ()
    return
  }
  func.func @wrapper_0(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {df.kernel, itypes = "__", otypes = ""} {
    call @inner(%arg0, %arg1) : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }
  func.func @top(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {dataflow, itypes = "__"} {
    call @wrapper_0(%arg0, %arg1) {last} : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }
}
