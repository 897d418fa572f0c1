// A systolic product with shared loaders, after tests/dataflow/test_multi_cache_gemm.py of Allo, whose simulator hung in
// https://github.com/cornell-zhang/allo/pull/522 until all streams held 1,024, and written for these tests: 2 x 2 cells,
// two loaders in a chain for rows and for columns, and a chain that collects results.  Streams hold two.
module {
  func.func @offchip_loadA_0(%arg0: memref<16xi16>, %L3_A: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "s_", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %v = affine.load %arg0[%k] {from = "Packed_in", unsigned} : memref<16xi16>
          allo.stream_put(%L3_A, [], %v) : !allo.stream<i16, 2> contains i16
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @offchip_loadB_0(%arg0: memref<16xi16>, %L3_B: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "s_", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %v = affine.load %arg0[%k] {from = "Packed_in", unsigned} : memref<16xi16>
          allo.stream_put(%L3_B, [], %v) : !allo.stream<i16, 2> contains i16
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_0_0(%L3_A: !allo.stream<i16, 2>, %L3_B: !allo.stream<i16, 2>, %L2_A_0: !allo.stream<i16, 2>, %L2_B_0: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "____", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %a = allo.stream_get(%L3_A, []) {name = "a"} : !allo.stream<i16, 2> -> i16
          allo.stream_put(%L2_A_0, [], %a) : !allo.stream<i16, 2> contains i16
          %b = allo.stream_get(%L3_B, []) {name = "b"} : !allo.stream<i16, 2> -> i16
          allo.stream_put(%L2_B_0, [], %b) : !allo.stream<i16, 2> contains i16
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_1_0(%L2_A_0: !allo.stream<i16, 2>, %fifo_A_0_0: !allo.stream<i8, 2>, %L2_A_1: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "___", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %a = allo.stream_get(%L2_A_0, []) {name = "a"} : !allo.stream<i16, 2> -> i16
          %e = arith.trunci %a : i16 to i8
          allo.stream_put(%fifo_A_0_0, [], %e) : !allo.stream<i8, 2> contains i8
          allo.stream_put(%L2_A_1, [], %a) : !allo.stream<i16, 2> contains i16
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_2_0(%L2_A_1: !allo.stream<i16, 2>, %fifo_A_1_0: !allo.stream<i8, 2>) attributes {df.kernel, itypes = "__", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %a = allo.stream_get(%L2_A_1, []) {name = "a"} : !allo.stream<i16, 2> -> i16
          %e = arith.trunci %a : i16 to i8
          allo.stream_put(%fifo_A_1_0, [], %e) : !allo.stream<i8, 2> contains i8
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_0_1(%L2_B_0: !allo.stream<i16, 2>, %fifo_B_0_0: !allo.stream<i8, 2>, %L2_B_1: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "___", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %b = allo.stream_get(%L2_B_0, []) {name = "b"} : !allo.stream<i16, 2> -> i16
          %e = arith.trunci %b : i16 to i8
          allo.stream_put(%fifo_B_0_0, [], %e) : !allo.stream<i8, 2> contains i8
          allo.stream_put(%L2_B_1, [], %b) : !allo.stream<i16, 2> contains i16
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_0_2(%L2_B_1: !allo.stream<i16, 2>, %fifo_B_0_1: !allo.stream<i8, 2>) attributes {df.kernel, itypes = "__", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %b = allo.stream_get(%L2_B_1, []) {name = "b"} : !allo.stream<i16, 2> -> i16
          %e = arith.trunci %b : i16 to i8
          allo.stream_put(%fifo_B_0_1, [], %e) : !allo.stream<i8, 2> contains i8
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_1_1(%fifo_A_0_0: !allo.stream<i8, 2>, %fifo_B_0_0: !allo.stream<i8, 2>, %fifo_A_0_1: !allo.stream<i8, 2>, %fifo_B_1_0: !allo.stream<i8, 2>, %L1_C_0_0: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "_____", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %a = allo.stream_get(%fifo_A_0_0, []) {name = "a"} : !allo.stream<i8, 2> -> i8
          %b = allo.stream_get(%fifo_B_0_0, []) {name = "b"} : !allo.stream<i8, 2> -> i8
          %p = arith.muli %a, %b : i8
          allo.stream_put(%fifo_A_0_1, [], %a) : !allo.stream<i8, 2> contains i8
          allo.stream_put(%fifo_B_1_0, [], %b) : !allo.stream<i8, 2> contains i8
        } {loop_name = "k"}
        %c = arith.constant 0 : i16
        allo.stream_put(%L1_C_0_0, [], %c) : !allo.stream<i16, 2> contains i16
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_1_2(%fifo_A_0_1: !allo.stream<i8, 2>, %fifo_B_0_1: !allo.stream<i8, 2>, %fifo_B_1_1: !allo.stream<i8, 2>, %L1_C_0_1: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "____", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %a = allo.stream_get(%fifo_A_0_1, []) {name = "a"} : !allo.stream<i8, 2> -> i8
          %b = allo.stream_get(%fifo_B_0_1, []) {name = "b"} : !allo.stream<i8, 2> -> i8
          %p = arith.muli %a, %b : i8
          allo.stream_put(%fifo_B_1_1, [], %b) : !allo.stream<i8, 2> contains i8
        } {loop_name = "k"}
        %c = arith.constant 0 : i16
        allo.stream_put(%L1_C_0_1, [], %c) : !allo.stream<i16, 2> contains i16
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_2_1(%fifo_A_1_0: !allo.stream<i8, 2>, %fifo_B_1_0: !allo.stream<i8, 2>, %fifo_A_1_1: !allo.stream<i8, 2>, %L1_C_0_0: !allo.stream<i16, 2>, %L1_C_1_0: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "_____", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %a = allo.stream_get(%fifo_A_1_0, []) {name = "a"} : !allo.stream<i8, 2> -> i8
          %b = allo.stream_get(%fifo_B_1_0, []) {name = "b"} : !allo.stream<i8, 2> -> i8
          %p = arith.muli %a, %b : i8
          allo.stream_put(%fifo_A_1_1, [], %a) : !allo.stream<i8, 2> contains i8
        } {loop_name = "k"}
        %c = allo.stream_get(%L1_C_0_0, []) {name = "c"} : !allo.stream<i16, 2> -> i16
        allo.stream_put(%L1_C_1_0, [], %c) : !allo.stream<i16, 2> contains i16
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_2_2(%fifo_A_1_1: !allo.stream<i8, 2>, %fifo_B_1_1: !allo.stream<i8, 2>, %L1_C_0_1: !allo.stream<i16, 2>, %L1_C_1_1: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "____", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 4 {
          %a = allo.stream_get(%fifo_A_1_1, []) {name = "a"} : !allo.stream<i8, 2> -> i8
          %b = allo.stream_get(%fifo_B_1_1, []) {name = "b"} : !allo.stream<i8, 2> -> i8
          %p = arith.muli %a, %b : i8
        } {loop_name = "k"}
        %c = allo.stream_get(%L1_C_0_1, []) {name = "c"} : !allo.stream<i16, 2> -> i16
        allo.stream_put(%L1_C_1_1, [], %c) : !allo.stream<i16, 2> contains i16
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_3_1(%L1_C_1_1: !allo.stream<i16, 2>, %L2_C_0: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "__", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        %c = allo.stream_get(%L1_C_1_1, []) {name = "c"} : !allo.stream<i16, 2> -> i16
        allo.stream_put(%L2_C_0, [], %c) : !allo.stream<i16, 2> contains i16
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_3_2(%L1_C_1_0: !allo.stream<i16, 2>, %L2_C_1: !allo.stream<i16, 2>, %L2_C_0: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "___", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        %c = allo.stream_get(%L1_C_1_0, []) {name = "c"} : !allo.stream<i16, 2> -> i16
        allo.stream_put(%L2_C_1, [], %c) : !allo.stream<i16, 2> contains i16
        affine.for %q = 0 to 1 {
          %d = allo.stream_get(%L2_C_0, []) {name = "d"} : !allo.stream<i16, 2> -> i16
          allo.stream_put(%L2_C_1, [], %d) : !allo.stream<i16, 2> contains i16
        } {loop_name = "ind"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @gemm_3_3(%L2_C_1: !allo.stream<i16, 2>, %L3_C: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "__", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 2 {
          %c = allo.stream_get(%L2_C_1, []) {name = "c"} : !allo.stream<i16, 2> -> i16
          allo.stream_put(%L3_C, [], %c) : !allo.stream<i16, 2> contains i16
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @offchip_store_0(%arg0: memref<16xi16>, %L3_C: !allo.stream<i16, 2>) attributes {df.kernel, itypes = "s_", otypes = ""} {
    affine.for %m = 0 to 2 {
      affine.for %n = 0 to 2 {
        affine.for %k = 0 to 2 {
          %c = allo.stream_get(%L3_C, []) {name = "c"} : !allo.stream<i16, 2> -> i16
          affine.store %c, %arg0[%k] {to = "C_Packed_out", unsigned} : memref<16xi16>
        } {loop_name = "k", op_name = "S_k_0"}
      } {loop_name = "nt"}
    } {loop_name = "mt", op_name = "S_mt_nt_0"}
    return
  }
  func.func @top(%arg0: memref<16xi16>, %arg1: memref<16xi16>, %arg2: memref<16xi16>) attributes {dataflow, itypes = "uuu"} {
    %L3_A = allo.stream_construct() {name = "L3_A"} : !allo.stream<i16, 2>
    %L3_B = allo.stream_construct() {name = "L3_B"} : !allo.stream<i16, 2>
    %L3_C = allo.stream_construct() {name = "L3_C"} : !allo.stream<i16, 2>
    %L2_A_0 = allo.stream_construct() {name = "L2_A_0"} : !allo.stream<i16, 2>
    %L2_A_1 = allo.stream_construct() {name = "L2_A_1"} : !allo.stream<i16, 2>
    %L2_B_0 = allo.stream_construct() {name = "L2_B_0"} : !allo.stream<i16, 2>
    %L2_B_1 = allo.stream_construct() {name = "L2_B_1"} : !allo.stream<i16, 2>
    %fifo_A_0_0 = allo.stream_construct() {name = "fifo_A_0_0"} : !allo.stream<i8, 2>
    %fifo_A_0_1 = allo.stream_construct() {name = "fifo_A_0_1"} : !allo.stream<i8, 2>
    %fifo_A_1_0 = allo.stream_construct() {name = "fifo_A_1_0"} : !allo.stream<i8, 2>
    %fifo_A_1_1 = allo.stream_construct() {name = "fifo_A_1_1"} : !allo.stream<i8, 2>
    %fifo_B_0_0 = allo.stream_construct() {name = "fifo_B_0_0"} : !allo.stream<i8, 2>
    %fifo_B_0_1 = allo.stream_construct() {name = "fifo_B_0_1"} : !allo.stream<i8, 2>
    %fifo_B_1_0 = allo.stream_construct() {name = "fifo_B_1_0"} : !allo.stream<i8, 2>
    %fifo_B_1_1 = allo.stream_construct() {name = "fifo_B_1_1"} : !allo.stream<i8, 2>
    %L1_C_0_0 = allo.stream_construct() {name = "L1_C_0_0"} : !allo.stream<i16, 2>
    %L1_C_0_1 = allo.stream_construct() {name = "L1_C_0_1"} : !allo.stream<i16, 2>
    %L1_C_1_0 = allo.stream_construct() {name = "L1_C_1_0"} : !allo.stream<i16, 2>
    %L1_C_1_1 = allo.stream_construct() {name = "L1_C_1_1"} : !allo.stream<i16, 2>
    %L2_C_0 = allo.stream_construct() {name = "L2_C_0"} : !allo.stream<i16, 2>
    %L2_C_1 = allo.stream_construct() {name = "L2_C_1"} : !allo.stream<i16, 2>
    call @offchip_loadA_0(%arg0, %L3_A) : (memref<16xi16>, !allo.stream<i16, 2>) -> ()
    call @offchip_loadB_0(%arg1, %L3_B) : (memref<16xi16>, !allo.stream<i16, 2>) -> ()
    call @gemm_0_0(%L3_A, %L3_B, %L2_A_0, %L2_B_0) : (!allo.stream<i16, 2>, !allo.stream<i16, 2>, !allo.stream<i16, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_1_0(%L2_A_0, %fifo_A_0_0, %L2_A_1) : (!allo.stream<i16, 2>, !allo.stream<i8, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_2_0(%L2_A_1, %fifo_A_1_0) : (!allo.stream<i16, 2>, !allo.stream<i8, 2>) -> ()
    call @gemm_0_1(%L2_B_0, %fifo_B_0_0, %L2_B_1) : (!allo.stream<i16, 2>, !allo.stream<i8, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_0_2(%L2_B_1, %fifo_B_0_1) : (!allo.stream<i16, 2>, !allo.stream<i8, 2>) -> ()
    call @gemm_1_1(%fifo_A_0_0, %fifo_B_0_0, %fifo_A_0_1, %fifo_B_1_0, %L1_C_0_0) : (!allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_1_2(%fifo_A_0_1, %fifo_B_0_1, %fifo_B_1_1, %L1_C_0_1) : (!allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_2_1(%fifo_A_1_0, %fifo_B_1_0, %fifo_A_1_1, %L1_C_0_0, %L1_C_1_0) : (!allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i16, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_2_2(%fifo_A_1_1, %fifo_B_1_1, %L1_C_0_1, %L1_C_1_1) : (!allo.stream<i8, 2>, !allo.stream<i8, 2>, !allo.stream<i16, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_3_1(%L1_C_1_1, %L2_C_0) : (!allo.stream<i16, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_3_2(%L1_C_1_0, %L2_C_1, %L2_C_0) : (!allo.stream<i16, 2>, !allo.stream<i16, 2>, !allo.stream<i16, 2>) -> ()
    call @gemm_3_3(%L2_C_1, %L3_C) : (!allo.stream<i16, 2>, !allo.stream<i16, 2>) -> ()
    call @offchip_store_0(%arg2, %L3_C) {last} : (memref<16xi16>, !allo.stream<i16, 2>) -> ()
    return
  }
}
