"""Printed forms of MLIR: where operations on data end, which types and sizes they give, and what is no MLIR."""

import pytest
from mlir_designs import STREAM, aie_design, allo_source, fifo, for_ever, put_times, release, times, use

from sttest.core.errors import InputError
from sttest.importers.aie import places, read_aie, write_depths
from sttest.importers.allo import read_allo
from sttest.importers.places import Place, named_lines
from sttest.sim import simulate
from sttest.sim.graph import MAX_BITS

TAKERS = "".join(
    f"  func.func private @take_{name}({type_})\n"
    for name, type_ in {
        "i1": "i1",
        "i32": "i32",
        "two": "memref<2xi1>",
        "index": "index",
        "f32": "f32",
        "vector": "vector<4xi32>",
        "tensor": "tensor<4xi32>",
        "pointer": "!llvm.ptr",
    }.items()
)
HALVES = "memref<4xi1, strided<[1], offset: ?>>"


def source(tmp_path, body, edit=lambda text: text):
    path = allo_source(tmp_path, body)
    text = path.read_text(encoding="utf-8").replace("module {\n", f"module {{\n{TAKERS}")
    path.write_text(edit(text), encoding="utf-8")
    return path


def refusal(path, read=read_allo):
    with pytest.raises(InputError) as refused:
        read(path)
    return refused.value


# --- Where the text of an operation on data ends


@pytest.mark.parametrize(
    "operation",
    [
        "memref.dealloc %m : memref<4xi1> // a { that nothing closes",
        "memref.dealloc %m // a ( that nothing closes\n  : memref<4xi1>",
        'memref.dealloc %m {note = "}) // ({[<"} : memref<4xi1>',
        "linalg.fill {maps = [affine_map<(d0) -> (d0)>, affine_set<(d0) : (d0 >= 1)>, affine_set<(d0) : (d0 <= 1)>]}\n"
        "  ins(%v : i32)\n  outs(%m : memref<4xi1>)",
        "linalg.generic {a = 1} ins(%m : memref<4xi1>) {\n^bb0(%p: i1):\n  linalg.yield %p : i1\n}",
        "memref.dealloc %m : memref<4xi1> // no allo.stream_put here",
        'memref.dealloc %m {note = "aie.objectfifo.acquire"} : memref<4xi1>',
        "linalg.fill\n  ins(%v : i32) outs(%m\n  // the last\n  : memref<4xi1>)",
        "vector.store %m,\n  %m, // and\n\n  // then\n  %m\n  : memref<4xi1>",
        "scf.if %b { memref.dealloc %m : memref<4xi1> }",
        "scf.if %b { memref.dealloc %m : memref<4xi1> } else { linalg.generic {a = 1} { linalg.yield } }",
    ],
)
def test_what_follows_an_operation_on_data_is_read(tmp_path, operation):
    body = f"%b = memref.load %m[%c0] : memref<4xi1>\nPUT\n{operation}\nPUT\nPUT"
    assert put_times(read_allo(source(tmp_path, body))) == [1, 2, 3]


@pytest.mark.parametrize(
    "end", ["memref.global @g : memref<4xi1>", "memref.global @g : memref<4xi1> // the {last} one"]
)
def test_a_text_may_end_with_an_operation_on_data(tmp_path, end):
    path = source(tmp_path, "PUT", lambda text: text[len("module {\n") : text.rindex("}")] + end)
    assert put_times(read_allo(path)) == [1]


@pytest.mark.parametrize("end", ["memref.alloc {", "memref.alloc // cut off", "memref.alloc() : memref<"])
def test_a_text_that_ends_inside_an_operation_on_data_is_refused_where_it_ends(tmp_path, end):
    path = source(tmp_path, "PUT", lambda text: text[: text.index("  func.func @sink")] + "  func.func @k() {\n" + end)
    error = refusal(path)
    assert error.code == "not-mlir"
    assert error.where == f"{path}:{path.read_text().count(chr(10)) + 1}"


def test_brackets_of_an_order_of_data_that_are_not_closed_are_refused(tmp_path):
    path = aie_design(tmp_path, "", {})
    text = path.read_text(encoding="utf-8")
    cut = text[: text.index("}")] + "aie.objectfifo @of(%a dimensionsToStream [<size = 4, stride = 1>, {%b}, 2 : i32\n"
    path.write_text(cut, encoding="utf-8")
    assert (refusal(path, read_aie).code, refusal(path, read_aie).where) == ("not-mlir", f"{path}:9")


@pytest.mark.parametrize(
    "access", ["PUT", "%got = allo.stream_get(%s, []) : STREAM -> i32", "aie.objectfifo.release @of(Consume, 1)"]
)
def test_tokens_that_move_inside_an_operation_on_data_are_refused(tmp_path, access):
    inside = f"PUT\nlinalg.generic {{a = 1}} ins(%m : memref<4xi1>) {{\n{access.replace('STREAM', STREAM)}\n}}"
    error = refusal(source(tmp_path, inside))
    assert (error.code, error.what) == (
        "not-mlir",
        "xDSL does not read it: tokens are moved inside an operation on data",
    )


# --- Which types its results have


@pytest.mark.parametrize(
    ("operation", "used", "type_", "name"),
    [
        ("%x = memref.load %m[%c0] : memref<4xi1>", "%x", "i1", "i1"),
        (f"%x = memref.load %h[%c0] : {HALVES}", "%x", "i1", "i1"),
        ("%x = memref.subview %m[0] [2] [1] : memref<4xi1> to memref<2xi1>", "%x", "memref<2xi1>", "two"),
        ("%x = vector.reduction <add>, %y : vector<4xi32> into i32", "%x", "i32", "i32"),
        ("%x = linalg.dot ins(%m, %m : memref<4xi1>, memref<4xi1>)\n  -> (i32)", "%x", "i32", "i32"),
        ("%x = math.absi %v {width = 16 : i16} : i32", "%x", "i32", "i32"),
        ("%x = memref.load %m[%c0] : memref<4xi1> loc(unknown)", "%x", "i1", "i1"),
        ("%x = memref.load %m[%c0] {map = affine_map<(d0) -> (d0)>} : memref<4xi1>", "%x", "i1", "i1"),
        (
            "%x = memref.generic_atomic_rmw %m[%c0] : memref<4xi1> {\n  ^bb0(%p: i1):\n  memref.yield %p : i1\n}",
            "%x",
            "i1",
            "i1",
        ),
        ("%x = memref.atomic_rmw addi %v, %g[%c0] : (i32, memref<10xi32>) -> i32", "%x", "i32", "i32"),
        ("%x = memref.dim %m, %c0 : memref<4xi1>", "%x", "index", "index"),
        ("%x = memref.rank %m : memref<4xi1>", "%x", "index", "index"),
        ("%t = tensor.empty() : tensor<4xi32>\n%x = tensor.extract %t[%c0] : tensor<4xi32>", "%x", "i32", "i32"),
        (
            "%t = tensor.empty() : tensor<4xi32>\n%x = tensor.insert %v into %t[%c0] : tensor<4xi32>",
            "%x",
            "tensor<4xi32>",
            "tensor",
        ),
        ("%t = tensor.empty() : tensor<4xi32>\n%x = tensor.dim %t, %c0 : tensor<4xi32>", "%x", "index", "index"),
        (
            "%x = vector.transfer_read %m[%c0], %b {permutation_map = affine_map<(d0) -> (d0)>} : memref<4xi1>, "
            "vector<4xi32>",
            "%x",
            "vector<4xi32>",
            "vector",
        ),
        ("%x = vector.load %m[%c0] : memref<4xi1>, vector<4xi32>", "%x", "vector<4xi32>", "vector"),
        ("%x = affine.vector_load %m[%c0] : memref<4xi1>, vector<4xi32>", "%x", "vector<4xi32>", "vector"),
        ("%x = affine.load %m[%c0 + 1] : memref<4xi1>", "%x", "i1", "i1"),
        (
            "%x = vector.maskedload %m[%c0], %b, %b : memref<4xi1>, vector<4xi1>, vector<4xi32> into vector<4xi32>",
            "%x",
            "vector<4xi32>",
            "vector",
        ),
        (
            "%x = vector.contract {maps = [affine_map<(d0) -> ()>]} %y, %y,\n  %v : vector<4xi32> into i32",
            "%x",
            "i32",
            "i32",
        ),
        ("%x = vector.extract %y[0] : i32 from vector<4xi32>", "%x", "i32", "i32"),
        ("%x = vector.extractelement %y[%c0 : index] : vector<4xi32>", "%x", "i32", "i32"),
        ("%x = aievec.upd %m[%c0] {index = 0 : i8} : memref<4xi1>, vector<4xi32>", "%x", "vector<4xi32>", "vector"),
        ("%x = math.fpowi %f, %v : f32, i32", "%x", "f32", "f32"),
        ("%x = math.isnan %f : f32", "%x", "i1", "i1"),
        ("%x = index.constant 3", "%x", "index", "index"),
        ("%x = index.add %c0, %c1", "%x", "index", "index"),
        ("%x = index.cmp slt(%c0, %c1)", "%x", "i1", "i1"),
        ("%x = index.casts %c0 : index to i32", "%x", "i32", "i32"),
        ("%x = llvm.mlir.undef : i32", "%x", "i32", "i32"),
        ("%x = llvm.mlir.poison : i32", "%x", "i32", "i32"),
        ("%x = llvm.mlir.constant(3 : i32) : i32", "%x", "i32", "i32"),
        ('%x = llvm.icmp "eq" %v, %v : i32', "%x", "i1", "i1"),
        ("%x = llvm.load %p : !llvm.ptr -> i32", "%x", "i32", "i32"),
        ("%x = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i32", "%x", "!llvm.ptr", "pointer"),
        ("%x = bufferization.to_tensor %m : memref<4xi1> to tensor<4xi32>", "%x", "tensor<4xi32>", "tensor"),
        (
            "%s0, %x, %s2, %s3 = memref.extract_strided_metadata %m : memref<4xi1> -> memref<i1>, index, i1, i1",
            "%x",
            "index",
            "index",
        ),
        ("%x:2 = memref.unpack %m : i1", "%x#1", "i1", "i1"),
        ("%w, %x = memref.unpack %m : i1", "%x", "i1", "i1"),
    ],
)
def test_results_have_the_type_that_the_text_ends_with(tmp_path, operation, used, type_, name):
    """A call of a function of that type is read, one of another type is not."""
    made = (
        f"%h = memref.alloc() : {HALVES}\n%y = vector.iota() : vector<4xi32>\n%p = llvm.mlir.zero : !llvm.ptr\n"
        "%g = memref.alloc() : memref<10xi32>\n%f = arith.constant 1.0 : f32\n%b = memref.load %m[%c0] : memref<4xi1>\n"
        f"{operation}\n"
    )
    path = source(tmp_path, f"{made}func.call @take_{name}({used}) : ({type_}) -> ()\nPUT")
    assert put_times(read_allo(path)) == [2]
    wrong = refusal(source(tmp_path, f"{made}func.call @take_i64({used}) : (i64) -> ()\nPUT"))
    assert f"operand is used with type i64, but has been previously used or defined with type {type_}" in wrong.what


@pytest.mark.parametrize(
    "operation",
    [
        "%x = llvm.extractvalue %e[0] : !llvm.struct<(i32, f32)>",
        "%x = vector.extract %e[0] : vector<4xi32>",
        "%x = vector.shuffle %e, %e [0, 1] : vector<4xi32>, vector<4xi32>",
        "%x = linalg.reduce { arith.addi } ins(%e : tensor<4xi32>) outs(%e : tensor<i32>) dimensions = [0]",
        "%x = bufferization.to_tensor %e restrict : memref<4xi1>",
        "%x, %y = llvm.pair %e : i32, i1, i1",
    ],
)
def test_results_whose_type_the_text_does_not_say_have_the_one_that_they_are_used_with(tmp_path, operation):
    made = f"%e = memref.alloc() : memref<4xi1>\n{operation}\n"
    for name, type_ in (("i32", "i32"), ("two", "memref<2xi1>")):
        path = source(tmp_path, f"{made}func.call @take_{name}(%x) : ({type_}) -> ()\nPUT")
        assert put_times(read_allo(path)) == [2]
    both = "func.call @take_i32(%x) : (i32) -> ()\nfunc.call @take_i1(%x) : (i1) -> ()"
    error = refusal(source(tmp_path, f"{made}{both}\nPUT"))
    assert "operand is used with type i1, but has been previously used or defined with type i32" in error.what


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        ("%x = memref.alloc() : memref<4xj32>", "Expected shape type."),
        ("%x = memref.load %m[%c0] : i32", "i32 has no elements"),
        ("%x = memref.load %m[%c0]", "the type of its result is missing"),
        ("%x = memref.alloc() : %m", "type expected"),
    ],
)
def test_what_is_wrong_with_the_type_of_a_result_is_said_at_its_line(tmp_path, operation, told):
    path = source(tmp_path, f"PUT\nPUT\n{operation}\nPUT")
    error = refusal(path)
    assert told in error.what
    line = next(n for n, each in enumerate(path.read_text().splitlines(), 1) if operation in each)
    assert error.where == f"{path}:{line}"


@pytest.mark.parametrize(
    ("type_", "bits"),
    [
        ("i32", 32), ("i1", 1), ("bf16", 16), ("index", 64), ("i1000000", 1_000_000),
        ("memref<8x4xi16>", 8 * 4 * 16), ("tuple<i32, i32>", 1),
        ("memref<4096x4096x4096xi64>", MAX_BITS),
    ],
)  # fmt: skip
def test_a_stream_is_as_wide_as_its_type(tmp_path, type_, bits):
    """One bit where the type does not say; no more than a FIFO may have."""
    path = source(
        tmp_path,
        "%d = memref.get() : i32\nPUT",
        lambda text: text.replace("%d = memref.get() : i32", f"%d = memref.get() : {type_}"),
    )
    text = path.read_text(encoding="utf-8").replace("[], %v)", "[], %d)").replace("contains i32", f"contains {type_}")
    path.write_text(
        text.replace("stream<i32", f"stream<{type_}").replace("> -> i32", f"> -> {type_}"), encoding="utf-8"
    )
    assert [fifo.bits for fifo in read_allo(path).fifos] == [bits]


# --- What is no MLIR, or not in the form that is read


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('%x = "arith.addi"(%c0) : (index) -> index', "Expected 2 operands, but got 1"),
        ('"scf.for"(%c0, %c1) ({\n}) : (index, index) -> ()', "Expected at least 3 operands, but got 2"),
        ("%x = arith.constant 300 : i8", "Integer value 300 is out of range for type i8"),
        ("%x = arith.cmpi near, %c0, %c1 : index", "Unknown comparison mnemonic: near"),
    ],
)
def test_what_a_dialect_does_not_allow_is_refused_in_one_line(tmp_path, body, told):
    error = refusal(source(tmp_path, f"{body}\nPUT"))
    assert error.code == "not-mlir"
    assert told in error.what
    assert "\n" not in str(error)
    assert error.hints == ("print the generic form: module.operation.get_asm(print_generic_op_form=True) in Python",)


@pytest.mark.parametrize("nested", [("scf.execute_region {\n", "}\n"), ("%x = arith.constant [", "]\n")])
def test_deep_nesting_is_refused(tmp_path, nested):
    before, after = nested
    if "[" in before:
        before, after = before + "[" * 2999, "]" * 2999 + after
    else:
        before, after = before * 400, after * 400
    error = refusal(source(tmp_path, f"PUT\n{before}{after}"))
    assert (error.code, error.what) == ("not-mlir", "it is nested too deeply")


def test_control_that_was_lowered_to_branches_is_refused(tmp_path):
    branch = "aie.end\n}\n%z = aie.core(%c) {\ncf.br ^bb1\n^bb1:\n"
    path = aie_design(tmp_path, fifo("of", "a", "%b"), {"a": times(2, use("of", "Produce")) + branch})
    error = refusal(path, read_aie)
    assert (error.code, error.what) == ("mlir-structure", "'aie.core' has 2 blocks, not one")
    assert error.hints == ("import the text before control is lowered to branches",)
    assert error.where.endswith("core_3_2")


# --- Forms of mlir-aie


BOTH = {"a": times(6, use("of", "Produce")), "b": times(6, use("of", "Consume"))}


def objects(graph, pool):
    """How many objects are put into a pool, of a design that ends."""
    result = simulate(graph, record=True)
    assert result.deadlock is None
    return len(result.write_times[f"{pool}.filled"])


def pools(graph):
    """Depth and bits of pools."""
    return {
        fifo.name: (fifo.depth, fifo.bits)
        for fifo in graph.fifos
        if not fifo.name.endswith((".filled", ".done", ".tasks"))
    }


def test_a_logical_tile_that_says_where_it_is_reaches_its_neighbor(tmp_path):
    def design(one, other):
        tiles = f"%la = aie.logical_tile<CoreTile>({one})\n%lb = aie.logical_tile<CoreTile>({other})\n"
        cores = {"la": BOTH["a"], "lb": BOTH["b"]}
        return read_aie(aie_design(tmp_path, fifo("of", "la", "%lb"), cores, tiles=tiles))

    assert pools(design("0, 2", "0, 3")) == {"of": (2, 512)}
    assert pools(design("0, 2", "2, 2")) == {"of.prod": (2, 512), "of.cons": (2, 512)}
    assert pools(design("0, ?", "3, ?")) == {"of.prod": (2, 512), "of.cons": (2, 512)}  # whatever the rows are


def test_consumers_may_see_smaller_objects(tmp_path):
    """Each of six objects of 16 numbers is two of 8, which only DMA can do, although both cores reach one memory."""
    smaller = fifo("of", "a", "%b").rstrip() + " -> !aie.objectfifo<memref<8xi32>>\n"
    graph = read_aie(aie_design(tmp_path, smaller, {"a": BOTH["a"], "b": times(12, use("of", "Consume"))}))
    assert pools(graph) == {"of.prod": (2, 512), "of.cons": (2, 256)}
    assert (objects(graph, "of.prod"), objects(graph, "of.cons")) == (6, 12)


def test_objects_that_are_there_at_the_start_are_taken_first(tmp_path):
    """Of six objects that are taken two were there, so four are made."""
    initial = fifo("of", "a", "%b", "3 : i32").rstrip() + " = [dense<0> : memref<16xi32>, dense<1> : memref<16xi32>]\n"
    cores = {"a": times(4, use("of", "Produce")), "b": BOTH["b"]}
    graph = read_aie(aie_design(tmp_path, initial, cores))
    assert next((each.name, each.depth, each.initial_tokens) for each in graph.fifos) == ("of", 3, 2)
    assert objects(graph, "of") == 4
    few = read_aie(aie_design(tmp_path, fifo("of", "a", "%b", "3 : i32"), cores))
    assert simulate(few).deadlock is not None
    far = read_aie(aie_design(tmp_path, initial.replace("%b", "%c"), {"a": cores["a"], "c": cores["b"]}))
    assert [(each.name, each.depth, each.initial_tokens) for each in far.fifos if not each.name.endswith("filled")] == [
        ("of.prod", 3, 2), ("of.cons", 2, 0)
    ]  # fmt: skip
    error = refusal(aie_design(tmp_path, initial.replace("%a", "%mem"), {"b": BOTH["b"]}), read_aie)
    assert (error.code, error.where) == ("not-modeled", "@of")
    assert error.what == "objects that a memory tile has at the start, and sends by itself, are not modeled"


def test_newer_text_acquires_as_many_objects_as_there_are_results(tmp_path):
    """Two at once, so the pool at the far core has three; mlir-aie allocates one more than are acquired."""
    body = "%x, %y = aie.objectfifo.acquire @of(Consume) : memref<16xi32>, memref<16xi32>\n" + release(
        "of", "Consume", 2
    )
    cores = {"a": BOTH["a"], "c": times(3, body)}
    graph = read_aie(aie_design(tmp_path, fifo("of", "a", "%c", "9 : i32"), cores))
    assert pools(graph) == {"of.prod": (2, 512), "of.cons": (3, 512)}
    assert objects(graph, "of.cons") == 6


def test_what_configures_hardware_is_passed_over(tmp_path):
    plain = read_aie(aie_design(tmp_path, fifo("of", "a", "%b"), BOTH))
    configured = """aie.flow(%a, DMA : 0, %b, DMA : 1)
aie.packet_flow(0x1) {
  aie.packet_source<%a, DMA : 0>
  aie.packet_dest<%b, DMA : 0>
}
%switch = aie.switchbox(%a) {
  aie.connect<DMA : 0, North : 1>
}
aie.shim_dma_allocation @of_alloc(MM2S, 0, 0)
"""
    graph = read_aie(aie_design(tmp_path, configured + fifo("of", "a", "%b"), BOTH))
    assert (graph.fifos, graph.processes) == (plain.fifos, plain.processes)


def moved(tmp_path, sequence, **changes):
    """How many objects of 16 numbers the host sends to a core."""
    cores = {"a": for_ever(use("of", "Consume"))}
    graph = read_aie(aie_design(tmp_path, fifo("of", "shim", "%a"), cores, sequence=sequence), **changes)
    return objects(graph, "of.cons")


@pytest.mark.parametrize(
    ("copy", "count"),
    [
        ("%x[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]", 4),
        ("0, 0, %x[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]", 4),  # the tile, in texts of 2024
        ("%x[0, 0, 0, 0][1, 1, 1, 48][0, 0, 0, 1], packet = <pkt_id = 1, pkt_type = 0>", 3),
        ("%x[0, 0, 0, 0][2, 1, 3, 16][0, 0, 0, 1]", 6),
        ("%x[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]", 2),
        ("%x[0, 0, %u, %u][1, %three, 1, %n][0, %u, 0, 1]", 6),  # where it begins does not matter
    ],
)
def test_a_transfer_moves_as_many_objects_as_its_sizes_say(tmp_path, copy, count):
    numbers = (
        "%n = arith.constant 32 : i64\n%three = arith.constant 3 : i64\n%u = memref.load %x[%c0] : memref<64xi64>\n"
    )
    assert (
        moved(tmp_path, f"{numbers}aiex.npu.dma_memcpy_nd({copy}) {{id = 0 : i64, metadata = @of}} : memref<64xi32>\n")
        == count
    )


def test_sizes_of_a_transfer_in_generic_text_may_be_any_array(tmp_path):
    sizes = "metadata = @of, static_sizes = SIZES"
    for told in ("array<i64: 1, 1, 1, 64>", "[1, 1, 1, 64]", "[64 : i32]"):
        copy = f'"aiex.npu.dma_memcpy_nd"(%x) <{{{sizes.replace("SIZES", told)}}}> : (memref<64xi32>) -> ()\n'
        assert moved(tmp_path, copy) == 4
    with pytest.raises(InputError, match="a transfer of 4 bytes ends inside an object of 64"):
        moved(tmp_path, copy.replace("64 : i32", '64 : i32, "1"'))


@pytest.mark.parametrize(
    ("descriptors", "attributes", "count"),
    [
        (["%x : memref<64xi32>, 0, 32"], "", 2),
        (["%x : memref<64xi32> offset = 0 len = 48 sizes = [3, 16] strides = [16, 1]"], "", 3),
        (["%x : memref<64xi32>"], "", 4),  # all of it
        (["%x : memref<64xi32>, 0, %n"], "", 3),
        (["%x : memref<64xi32>, %n, 16"], "", 1),
        (["%x : memref<64xi32>, 0, 32, [<size = 2, stride = 16>, <size = 16, stride = 1>]"], "", 2),
        (["%x : memref<64xi32>, 0, 32", "%x : memref<64xi32>, 32, 16"], "", 3),
        (["%x : memref<64xi32>, 0, 32"], "repeat_count = 2 : i32, ", 6),
        (["%h : memref<64xbf16, 1>, 0, 64"], "", 2),  # 16 bits each
    ],
)
def test_a_task_moves_what_its_descriptors_say(tmp_path, descriptors, attributes, count):
    made = "%n = arith.constant 48 : i32\n%h = memref.alloc() : memref<64xbf16, 1>\n"
    inner = "".join(f"aie.dma_bd({each})\n" for each in descriptors)
    task = f"%task = aiex.dma_configure_task_for @of {{\n{inner}aie.end\n}} {{{attributes}issue_token = true}}\n"
    assert moved(tmp_path, f"{made}{task}aiex.dma_start_task(%task)\naiex.dma_await_task(%task)\n") == count


def test_an_object_fifo_that_states_no_depth_is_refused(tmp_path):
    path = aie_design(
        tmp_path,
        '"aie.objectfifo"(%a, %b) <{elemType = memref<16xi32>, sym_name = "of"}> : (index, index) -> ()\n',
        BOTH,
    )
    error = refusal(path, read_aie)
    assert (error.code, error.what) == ("bad-depth", "depths [] for 2 tiles; one number, or one for each, from 1 on")


# --- Lines, and the way back into a text


def test_text_that_names_an_operation_elsewhere_gives_no_lines(tmp_path):
    path = aie_design(tmp_path, fifo("of", "a", "%b", more='{note = "name"}'), BOTH)
    found = places(path)
    assert found.fifos["of"] == Place(path, 8)
    assert set(found.processes) == {"dma of", "core_0_2", "core_0_3"}
    path.write_text(path.read_text().replace('"name"', '"an aie.core fills it"'), encoding="utf-8")
    found = places(path)
    assert (found.fifos, found.processes, found.accesses) == ({}, {}, {})


def test_depths_of_generic_text_that_is_spelled_otherwise_find_no_way_back(tmp_path):
    stated = 'elemNumber = 2 : i32, elemType = memref<16xi32>, sym_name = "of"'
    path = aie_design(tmp_path, f'"aie.objectfifo"(%a, %b) <{{{stated}}}> : (index, index) -> ()\n', BOTH)
    graph = read_aie(path)
    write_depths(graph.with_depths({"of": 5}), path, tmp_path / "out.mlir")
    assert pools(read_aie(tmp_path / "out.mlir")) == {"of": (5, 512)}
    for new in ("elemNumber=2 : i32", "elemNumber\n= 2 : i32"):
        path.write_text(path.read_text().replace("elemNumber = 2 : i32", new).replace("elemNumber=2 : i32", new))
        with pytest.raises(
            InputError, match="@of: its depth was not found in the text; print it with aie-opt"
        ) as refused:
            write_depths(graph.with_depths({"of": 5}), path, tmp_path / "none.mlir")
        assert refused.value.code == "no-way-back"
        assert not (tmp_path / "none.mlir").exists()


def test_names_stand_on_their_first_line(tmp_path):
    text = "fifo a\n\nfifo b  # fifo c\nfifo a\nfifo\n d\n"
    found = named_lines(tmp_path, text, r"^fifo\s+(?P<name>\w+)")
    assert found == {"a": Place(tmp_path, 1), "b": Place(tmp_path, 3), "d": Place(tmp_path, 6)}
    assert named_lines(tmp_path, "", r"(?P<name>a)") == {}
