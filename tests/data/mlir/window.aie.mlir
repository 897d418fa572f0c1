// Two readers of one broadcast, of which one waits for the other: a window of three rows that a second core cannot hold.
// Written for these tests after the kind of under-buffered multicast of https://github.com/Xilinx/mlir-aie/pull/3257
// and the skip connection of mlir-aie's programming guide, section 2b.  @rows asks for four objects, and core (2, 3)
// gets two, one more than it acquires at once.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %reader = aie.tile(0, 2)
    %filter = aie.tile(1, 2)
    %merge = aie.tile(2, 3)
    aie.objectfifo @image(%shim, {%reader}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @rows(%reader, {%filter, %merge}, 4 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @edges(%filter, {%merge}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @result(%merge, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    func.func private @gray(memref<64xi32>, memref<64xi32>)
    func.func private @sobel(memref<64xi32>, memref<64xi32>, memref<64xi32>, memref<64xi32>)
    func.func private @blend(memref<64xi32>, memref<64xi32>, memref<64xi32>)
    %core_0_2 = aie.core(%reader) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %forever step %c1 {
        %in = aie.objectfifo.acquire @image(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %a = aie.objectfifo.subview.access %in[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %out = aie.objectfifo.acquire @rows(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
        %b = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        func.call @gray(%a, %b) : (memref<64xi32>, memref<64xi32>) -> ()
        aie.objectfifo.release @image(Consume, 1)
        aie.objectfifo.release @rows(Produce, 1)
      }
      aie.end
    }
    %core_1_2 = aie.core(%filter) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %forever step %c1 {
        %in = aie.objectfifo.acquire @rows(Consume, 3) : !aie.objectfifosubview<memref<64xi32>>
        %a = aie.objectfifo.subview.access %in[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %b = aie.objectfifo.subview.access %in[1] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %c = aie.objectfifo.subview.access %in[2] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        %out = aie.objectfifo.acquire @edges(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
        %d = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        func.call @sobel(%a, %b, %c, %d)
          : (memref<64xi32>, memref<64xi32>, memref<64xi32>, memref<64xi32>) -> ()
        aie.objectfifo.release @rows(Consume, 3)
        aie.objectfifo.release @edges(Produce, 1)
      }
      aie.end
    }
    %core_2_3 = aie.core(%merge) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %forever = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %forever step %c1 {
        %in = aie.objectfifo.acquire @edges(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
        %a = aie.objectfifo.subview.access %in[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
        scf.for %row = %c0 to %c3 step %c1 {
          %line = aie.objectfifo.acquire @rows(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
          %b = aie.objectfifo.subview.access %line[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
          %out = aie.objectfifo.acquire @result(Produce, 1) : !aie.objectfifosubview<memref<64xi32>>
          %c = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xi32>> -> memref<64xi32>
          func.call @blend(%a, %b, %c) : (memref<64xi32>, memref<64xi32>, memref<64xi32>) -> ()
          aie.objectfifo.release @rows(Consume, 1)
          aie.objectfifo.release @result(Produce, 1)
        }
        aie.objectfifo.release @edges(Consume, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%image: memref<1536xi32>, %result: memref<1536xi32>) {
      aiex.npu.dma_memcpy_nd(%image[0, 0, 0, 0][1, 1, 1, 1536][0, 0, 0, 1]) {id = 1 : i64, metadata = @image} : memref<1536xi32>
      aiex.npu.dma_memcpy_nd(%result[0, 0, 0, 0][1, 1, 1, 1536][0, 0, 0, 1]) {id = 0 : i64, metadata = @result} : memref<1536xi32>
      aiex.npu.dma_wait {symbol = @result}
    }
  }
}
