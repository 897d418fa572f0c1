// A memory tile that sends each object once, and a core that reads every weight for every activation: the second hang
// of https://github.com/KULeuven-MICAS/stream/pull/115, written for these tests.  Eight activations want the two weights
// sixteen times; the host brings them once and the memory tile has no repeat_count.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %core = aie.tile(0, 2)
    aie.objectfifo @x(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<32xbf16>>
    aie.objectfifo @w_l3(%shim, {%mem}, 1 : i32) : !aie.objectfifo<memref<2x1024xbf16>>
    aie.objectfifo @w_l2(%mem, {%core}, 2 : i32) : !aie.objectfifo<memref<1024xbf16>>
    aie.objectfifo.link [@w_l3] -> [@w_l2]([] [0])
    aie.objectfifo @y(%core, {%shim}, 2 : i32) : !aie.objectfifo<memref<32xbf16>>
    func.func private @matvec(memref<32xbf16>, memref<1024xbf16>, memref<32xbf16>)
    %core_0_2 = aie.core(%core) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %forever = arith.constant 4294967295 : index
      scf.for %i = %c0 to %forever step %c1 {
        %0 = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<32xbf16>>
        %out = aie.objectfifo.subview.access %0[0] : !aie.objectfifosubview<memref<32xbf16>> -> memref<32xbf16>
        %1 = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<32xbf16>>
        %in = aie.objectfifo.subview.access %1[0] : !aie.objectfifosubview<memref<32xbf16>> -> memref<32xbf16>
        scf.for %k = %c0 to %c2 step %c1 {
          %2 = aie.objectfifo.acquire @w_l2(Consume, 1) : !aie.objectfifosubview<memref<1024xbf16>>
          %w = aie.objectfifo.subview.access %2[0] : !aie.objectfifosubview<memref<1024xbf16>> -> memref<1024xbf16>
          func.call @matvec(%in, %w, %out) : (memref<32xbf16>, memref<1024xbf16>, memref<32xbf16>) -> ()
          aie.objectfifo.release @w_l2(Consume, 1)
        }
        aie.objectfifo.release @x(Consume, 1)
        aie.objectfifo.release @y(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence @sequence(%x: memref<8x32xbf16>, %w: memref<2x1024xbf16>, %y: memref<8x32xbf16>) {
      %0 = aiex.dma_configure_task_for @y {
        aie.dma_bd(%y : memref<8x32xbf16>, 0, 256, [<size = 8, stride = 32>, <size = 32, stride = 1>])
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%0)
      %1 = aiex.dma_configure_task_for @x {
        aie.dma_bd(%x : memref<8x32xbf16>, 0, 256)
        aie.end
      }
      aiex.dma_start_task(%1)
      %2 = aiex.dma_configure_task_for @w_l3 {
        aie.dma_bd(%w : memref<2x1024xbf16> offset = 0 len = 2048 sizes = [1, 1, 2, 1024] strides = [0, 0, 1024, 1])
        aie.end
      }
      aiex.dma_start_task(%2)
      aiex.dma_await_task(%0)
      aiex.dma_free_task(%1)
      aiex.dma_free_task(%2)
    }
  }
}
