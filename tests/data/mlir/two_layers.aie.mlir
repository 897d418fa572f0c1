// Two layers of matrix products, after the reproducer of https://github.com/Xilinx/mlir-aie/pull/3257 and written for
// these tests, smaller: two pairs of cores where that has eight.  Weights of both layers are broadcast to a row of cores,
// and a memory tile sends each hidden tile twice.  The object FIFOs cannot deadlock, whatever their depths are.  But the
// host starts eight transfers of @w2_l3 and waits for none, and the queue of a shim channel holds four: hardware drops
// the others, if they are not drained as fast (https://github.com/Xilinx/mlir-aie/pull/3734).
module {
  aie.device(npu2) {
    %shim0 = aie.tile(0, 0)
    %mem0 = aie.tile(0, 1)
    %shim1 = aie.tile(1, 0)
    %mem1 = aie.tile(1, 1)
    %shim2 = aie.tile(2, 0)
    %mem2 = aie.tile(2, 1)
    %shim3 = aie.tile(3, 0)
    %mem3 = aie.tile(3, 1)
    %first0 = aie.tile(0, 2)
    %first1 = aie.tile(2, 2)
    %second0 = aie.tile(0, 4)
    %second1 = aie.tile(2, 4)
    aie.objectfifo @a0_l3(%shim0, {%mem0}, 2 : i32) : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo @a0(%mem0 dimensionsToStream [<size = 4, stride = 128>, <size = 4, stride = 8>, <size = 4, stride = 32>, <size = 8, stride = 1>], {%first0}, 2 : i32) : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo.link [@a0_l3] -> [@a0]([] [0])
    aie.objectfifo @a1_l3(%shim1, {%mem1}, 2 : i32) : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo @a1(%mem1 dimensionsToStream [<size = 4, stride = 128>, <size = 4, stride = 8>, <size = 4, stride = 32>, <size = 8, stride = 1>], {%first1}, 2 : i32) : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo.link [@a1_l3] -> [@a1]([] [0])
    aie.objectfifo @w1_l3(%shim2, {%mem2}, 4 : i32) : !aie.objectfifo<memref<32x32xbf16>>
    aie.objectfifo @w1(%mem2, {%first0, %first1}, 4 : i32) : !aie.objectfifo<memref<32x32xbf16>>
    aie.objectfifo.link [@w1_l3] -> [@w1]([] [0])
    aie.objectfifo @w2_l3(%shim3, {%mem3}, 4 : i32) : !aie.objectfifo<memref<32x32xbf16>>
    aie.objectfifo @w2(%mem3, {%second0, %second1}, 4 : i32) : !aie.objectfifo<memref<32x32xbf16>>
    aie.objectfifo.link [@w2_l3] -> [@w2]([] [0])
    aie.objectfifo @h0(%first0, {%mem0}, 2 : i32) : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo @h0_again(%mem0 dimensionsToStream [<size = 4, stride = 128>, <size = 4, stride = 8>, <size = 4, stride = 32>, <size = 8, stride = 1>], {%second0}, 8 : i32) {repeat_count = 2 : i32} : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo.link [@h0] -> [@h0_again]([] [0])
    aie.objectfifo @c0(%second0, {%mem2}, 2 : i32) : !aie.objectfifo<memref<16x32xf32>>
    aie.objectfifo @c0_l3(%mem2, {%shim2}, 2 : i32) : !aie.objectfifo<memref<16x32xf32>>
    aie.objectfifo.link [@c0] -> [@c0_l3]([] [0])
    aie.objectfifo @h1(%first1, {%mem1}, 2 : i32) : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo @h1_again(%mem1 dimensionsToStream [<size = 4, stride = 128>, <size = 4, stride = 8>, <size = 4, stride = 32>, <size = 8, stride = 1>], {%second1}, 8 : i32) {repeat_count = 2 : i32} : !aie.objectfifo<memref<16x32xbf16>>
    aie.objectfifo.link [@h1] -> [@h1_again]([] [0])
    aie.objectfifo @c1(%second1, {%mem3}, 2 : i32) : !aie.objectfifo<memref<16x32xf32>>
    aie.objectfifo @c1_l3(%mem3, {%shim3}, 2 : i32) : !aie.objectfifo<memref<16x32xf32>>
    aie.objectfifo.link [@c1] -> [@c1_l3]([] [0])
    func.func private @matmul_bf16(memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xbf16>)
    func.func private @matmul_f32(memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xf32>)
    %core_first0 = aie.core(%first0) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %round = %c0 to %forever step %c1 {
        scf.for %p = %c0 to %c8 step %c1 {
          %h = aie.objectfifo.acquire @h0(Produce, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
          %h_0 = aie.objectfifo.subview.access %h[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
          scf.for %k = %c0 to %c2 step %c1 {
            %a = aie.objectfifo.acquire @a0(Consume, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
            %a_0 = aie.objectfifo.subview.access %a[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
            %w = aie.objectfifo.acquire @w1(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
            %w_0 = aie.objectfifo.subview.access %w[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
            func.call @matmul_bf16(%a_0, %w_0, %h_0) : (memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xbf16>) -> ()
            aie.objectfifo.release @a0(Consume, 1)
            aie.objectfifo.release @w1(Consume, 1)
          }
          aie.objectfifo.release @h0(Produce, 1)
        }
      }
      aie.end
    } {stack_size = 3328 : i32}
    %core_first1 = aie.core(%first1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %round = %c0 to %forever step %c1 {
        scf.for %p = %c0 to %c8 step %c1 {
          %h = aie.objectfifo.acquire @h1(Produce, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
          %h_0 = aie.objectfifo.subview.access %h[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
          scf.for %k = %c0 to %c2 step %c1 {
            %a = aie.objectfifo.acquire @a1(Consume, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
            %a_0 = aie.objectfifo.subview.access %a[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
            %w = aie.objectfifo.acquire @w1(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
            %w_0 = aie.objectfifo.subview.access %w[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
            func.call @matmul_bf16(%a_0, %w_0, %h_0) : (memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xbf16>) -> ()
            aie.objectfifo.release @a1(Consume, 1)
            aie.objectfifo.release @w1(Consume, 1)
          }
          aie.objectfifo.release @h1(Produce, 1)
        }
      }
      aie.end
    } {stack_size = 3328 : i32}
    %core_second0 = aie.core(%second0) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %round = %c0 to %forever step %c1 {
        %c = aie.objectfifo.acquire @c0(Produce, 2) : !aie.objectfifosubview<memref<16x32xf32>>
        %c_0 = aie.objectfifo.subview.access %c[0] : !aie.objectfifosubview<memref<16x32xf32>> -> memref<16x32xf32>
        %c_1 = aie.objectfifo.subview.access %c[1] : !aie.objectfifosubview<memref<16x32xf32>> -> memref<16x32xf32>
        scf.for %p = %c0 to %c8 step %c1 {
          %h0 = aie.objectfifo.acquire @h0_again(Consume, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
          %h0_0 = aie.objectfifo.subview.access %h0[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
          %w0 = aie.objectfifo.acquire @w2(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
          %w0_0 = aie.objectfifo.subview.access %w0[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
          func.call @matmul_f32(%h0_0, %w0_0, %c_0) : (memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xf32>) -> ()
          aie.objectfifo.release @h0_again(Consume, 1)
          aie.objectfifo.release @w2(Consume, 1)
          %h1 = aie.objectfifo.acquire @h0_again(Consume, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
          %h1_0 = aie.objectfifo.subview.access %h1[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
          %w1 = aie.objectfifo.acquire @w2(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
          %w1_0 = aie.objectfifo.subview.access %w1[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
          func.call @matmul_f32(%h1_0, %w1_0, %c_1) : (memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xf32>) -> ()
          aie.objectfifo.release @h0_again(Consume, 1)
          aie.objectfifo.release @w2(Consume, 1)
        }
        aie.objectfifo.release @c0(Produce, 2)
      }
      aie.end
    } {stack_size = 3328 : i32}
    %core_second1 = aie.core(%second1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %round = %c0 to %forever step %c1 {
        %c = aie.objectfifo.acquire @c1(Produce, 2) : !aie.objectfifosubview<memref<16x32xf32>>
        %c_0 = aie.objectfifo.subview.access %c[0] : !aie.objectfifosubview<memref<16x32xf32>> -> memref<16x32xf32>
        %c_1 = aie.objectfifo.subview.access %c[1] : !aie.objectfifosubview<memref<16x32xf32>> -> memref<16x32xf32>
        scf.for %p = %c0 to %c8 step %c1 {
          %h0 = aie.objectfifo.acquire @h1_again(Consume, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
          %h0_0 = aie.objectfifo.subview.access %h0[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
          %w0 = aie.objectfifo.acquire @w2(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
          %w0_0 = aie.objectfifo.subview.access %w0[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
          func.call @matmul_f32(%h0_0, %w0_0, %c_0) : (memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xf32>) -> ()
          aie.objectfifo.release @h1_again(Consume, 1)
          aie.objectfifo.release @w2(Consume, 1)
          %h1 = aie.objectfifo.acquire @h1_again(Consume, 1) : !aie.objectfifosubview<memref<16x32xbf16>>
          %h1_0 = aie.objectfifo.subview.access %h1[0] : !aie.objectfifosubview<memref<16x32xbf16>> -> memref<16x32xbf16>
          %w1 = aie.objectfifo.acquire @w2(Consume, 1) : !aie.objectfifosubview<memref<32x32xbf16>>
          %w1_0 = aie.objectfifo.subview.access %w1[0] : !aie.objectfifosubview<memref<32x32xbf16>> -> memref<32x32xbf16>
          func.call @matmul_f32(%h1_0, %w1_0, %c_1) : (memref<16x32xbf16>, memref<32x32xbf16>, memref<16x32xf32>) -> ()
          aie.objectfifo.release @h1_again(Consume, 1)
          aie.objectfifo.release @w2(Consume, 1)
        }
        aie.objectfifo.release @c1(Produce, 2)
      }
      aie.end
    } {stack_size = 3328 : i32}
    aie.runtime_sequence(%a: memref<2048xbf16>, %w1: memref<16384xbf16>, %w2: memref<16384xbf16>, %c: memref<2048xf32>) {
      %c0_len = arith.constant 512 : i32
      %t0 = aiex.dma_configure_task_for @c0_l3 {
        aie.dma_bd(%c : memref<2048xf32> offset = 0 len = %c0_len) {burst_length = 0 : i32}
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t0)
      %c1_len = arith.constant 512 : i32
      %t1 = aiex.dma_configure_task_for @c0_l3 {
        aie.dma_bd(%c : memref<2048xf32> offset = 0 len = %c1_len) {burst_length = 0 : i32}
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t1)
      %c2_len = arith.constant 512 : i32
      %t2 = aiex.dma_configure_task_for @c1_l3 {
        aie.dma_bd(%c : memref<2048xf32> offset = 0 len = %c2_len) {burst_length = 0 : i32}
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t2)
      %c3_len = arith.constant 512 : i32
      %t3 = aiex.dma_configure_task_for @c1_l3 {
        aie.dma_bd(%c : memref<2048xf32> offset = 0 len = %c3_len) {burst_length = 0 : i32}
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t3)
      %c4_len = arith.constant 1024 : i32
      %t4 = aiex.dma_configure_task_for @a0_l3 {
        aie.dma_bd(%a : memref<2048xbf16> offset = 0 len = %c4_len) {burst_length = 0 : i32}
        aie.end
      } {repeat_count = 7 : i32}
      aiex.dma_start_task(%t4)
      %c5_len = arith.constant 1024 : i32
      %t5 = aiex.dma_configure_task_for @a1_l3 {
        aie.dma_bd(%a : memref<2048xbf16> offset = 0 len = %c5_len) {burst_length = 0 : i32}
        aie.end
      } {repeat_count = 7 : i32}
      aiex.dma_start_task(%t5)
      %c6_len = arith.constant 2048 : i32
      %t6 = aiex.dma_configure_task_for @w1_l3 {
        aie.dma_bd(%w1 : memref<16384xbf16> offset = 0 len = %c6_len) {burst_length = 0 : i32}
        aie.end
      } {repeat_count = 7 : i32}
      aiex.dma_start_task(%t6)
      %c7_len = arith.constant 2048 : i32
      %t7 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c7_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t7)
      %c8_len = arith.constant 2048 : i32
      %t8 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c8_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t8)
      %c9_len = arith.constant 2048 : i32
      %t9 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c9_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t9)
      %c10_len = arith.constant 2048 : i32
      %t10 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c10_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t10)
      %c11_len = arith.constant 2048 : i32
      %t11 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c11_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t11)
      %c12_len = arith.constant 2048 : i32
      %t12 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c12_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t12)
      %c13_len = arith.constant 2048 : i32
      %t13 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c13_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t13)
      %c14_len = arith.constant 2048 : i32
      %t14 = aiex.dma_configure_task_for @w2_l3 {
        aie.dma_bd(%w2 : memref<16384xbf16> offset = 0 len = %c14_len) {burst_length = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t14)
      aiex.dma_await_task(%t0)
      aiex.dma_await_task(%t1)
      aiex.dma_await_task(%t2)
      aiex.dma_await_task(%t3)
    }
  }
}
