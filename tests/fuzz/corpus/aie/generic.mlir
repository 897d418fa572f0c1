// The generic form, as aie-opt --mlir-print-op-generic prints it; written for these tests.
"builtin.module"() ({
  "aie.device"() <{device = 4 : i32, sym_name = "main"}> ({
    %0 = "aie.tile"() <{col = 0 : i32, row = 2 : i32}> : () -> index
    %1 = "aie.tile"() <{col = 0 : i32, row = 3 : i32}> : () -> index
    "aie.objectfifo"(%0, %1) <{dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>, dimensionsToStream = #aie<bd_dim_layout_array[]>, disable_synchronization = false, elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<16xi32>>, plio = false, sym_name = "of", via_DMA = false}> : (index, index) -> ()
    %2 = "aie.core"(%0) <{stack_size = 1024 : i32}> ({
      %4 = "arith.constant"() <{value = 0 : index}> : () -> index
      %5 = "arith.constant"() <{value = 1 : index}> : () -> index
      %6 = "arith.constant"() <{value = 6 : index}> : () -> index
      "scf.for"(%4, %6, %5) ({
      ^bb0(%arg0: index):
        %7 = "aie.objectfifo.acquire"() <{objFifo_name = @of, port = 0 : i32, size = 1 : i32}> : () -> !aie.objectfifosubview<memref<16xi32>>
        %8 = "aie.objectfifo.subview.access"(%7) <{index = 0 : i32}> : (!aie.objectfifosubview<memref<16xi32>>) -> memref<16xi32>
        "aie.objectfifo.release"() <{objFifo_name = @of, port = 0 : i32, size = 1 : i32}> : () -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "aie.end"() : () -> ()
    }) : (index) -> index
    %3 = "aie.core"(%1) <{stack_size = 1024 : i32}> ({
      %4 = "arith.constant"() <{value = 0 : index}> : () -> index
      %5 = "arith.constant"() <{value = 1 : index}> : () -> index
      %6 = "arith.constant"() <{value = 6 : index}> : () -> index
      "scf.for"(%4, %6, %5) ({
      ^bb0(%arg0: index):
        %7 = "aie.objectfifo.acquire"() <{objFifo_name = @of, port = 1 : i32, size = 1 : i32}> : () -> !aie.objectfifosubview<memref<16xi32>>
        "aie.objectfifo.release"() <{objFifo_name = @of, port = 1 : i32, size = 1 : i32}> : () -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "aie.end"() : () -> ()
    }) : (index) -> index
    "aie.end"() : () -> ()
  }) : () -> ()
}) : () -> ()
