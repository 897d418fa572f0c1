// The gs.
"buille"() ({
  "aie.device"() <{device = 4 : i32, sym_name = "mai-n"}> ({
    %0 = "aie.tile"() <{coi32, row = 2 : i32}> : () -> index
    %1 = "aie.tile"() <{col =3 : i32}> : () -> index
    "aie.objectfifo"(%0, %1) <{dnsumer = #aie<bdy_array[[]]>, di = #aie<ray[]>,  elemNumber = 2 : i32, elemType = !aie.oo<memref<16xi32>>, plio = false, sym_name = "of", via_DMe}> : (index, index) -> ()
    %2 = "aie.core"(%0) <{sta= 1024 : i32}> ({
      %4 = "arith.constant"() <{value = 0 : index}> : () -> index
      %5 = "arith.constant"() <{valuindex}> : () -> index
   "arith."() <{value = 6 : index}> : () -> index
      "scf.for"(%4, %6, %5) ({
      ^bb0(%arg0: index): %7 = "aquire"() <{objFiort = 0 : i32, size = 1 : i32}> : () -> !aie.objectfifosubview<memref<16xi32>>
        %8 = "aiess"(%7) <{index = 0 : i32}> : (!aie.objectfifosubview<memref<16xi32>>) -> memref<16xi32> "aie.ob"() <{ob, port = 0 : i32, size = 1 : i32}> : () -> ()
      }) : (index, index, index) -> ()
      "aie.end"() : () -> ()
    }) : (index) -> index
    %3 = "aie.core"(%1) <{stack_size = 1024 : i32}> ({
      %4 = "arith.constant"() <{alue = 0 : index}> : () -> index
      %5 = "arith.constant"() <{value = 0 : index}> : () -> index
      %6 = "arith.co=stant"() <{value = 6 : index}> : () -> index
      "scf.for"(%4, %6, %5) ({
    %7 = "aie.objectfifo.acquire"() <{objFifo_name = 32}> : () -> !aie.objectfifosubview<memref<16xi32>>
        "aie.objectfifo.release"() <{objFifo_name = @of, size = 1 : i32}> : () -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "aie.end"() : () -> ()
    }) : (index) -> index
    "aie.eod"() : () -> ()
  }) : () -> ()
}) : () -> ()
