// A memory tile that distributes halves of each object to two cores and joins theirs, written for these tests after
// sections 2b of mlir-aie's programming guide.
module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %core0 = aie.tile(0, 2)
    %core1 = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<128xi8>>
    aie.objectfifo @in0(%mem, {%core0}, 2 : i32) : !aie.objectfifo<memref<64xi8>>
    aie.objectfifo @in1(%mem, {%core1}, 2 : i32) : !aie.objectfifo<memref<64xi8>>
    aie.objectfifo.link [@in] -> [@in0, @in1]([] [0, 64])
    aie.objectfifo @out0(%core0, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi8>>
    aie.objectfifo @out1(%core1, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi8>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<128xi8>>
    aie.objectfifo.link [@out0, @out1] -> [@out]([0, 64] [])
    %core_0_2 = aie.core(%core0) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 8 : index
      scf.for %i = %c0 to %n step %c1 {
        %0 = aie.objectfifo.acquire @in0(Consume, 1) : !aie.objectfifosubview<memref<64xi8>>
        %1 = aie.objectfifo.acquire @out0(Produce, 1) : !aie.objectfifosubview<memref<64xi8>>
        aie.objectfifo.release @in0(Consume, 1)
        aie.objectfifo.release @out0(Produce, 1)
      }
      aie.end
    }
    %core_0_3 = aie.core(%core1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 8 : index
      scf.for %i = %c0 to %n step %c1 {
        %0 = aie.objectfifo.acquire @in1(Consume, 1) : !aie.objectfifosubview<memref<64xi8>>
        %1 = aie.objectfifo.acquire @out1(Produce, 1) : !aie.objectfifosubview<memref<64xi8>>
        aie.objectfifo.release @in1(Consume, 1)
        aie.objectfifo.release @out1(Produce, 1)
      }
      aie.end
    }
  }
}
