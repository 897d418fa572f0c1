"""MLIR that would keep a reader busy without end, or break it: an answer or a refusal by name, in bounded time."""

import time

import pytest
from mlir_designs import GET, PUT, STREAM, aie_design, allo_source, fifo, for_ever, put_times, times, use

from sttest.core.errors import InputError
from sttest.importers import allo
from sttest.importers.aie import read_aie
from sttest.importers.allo import read_allo
from sttest.importers.formats import formats
from sttest.importers.mlir import execution
from sttest.importers.sniffing import HEAD_BYTES, Sight

SECONDS = 20
"""As of a fuzz target; what is meant to be fast takes less than one."""
CONSTANTS = "%yes = arith.constant true\n%no = arith.constant false\n%q = memref.load %n[] : memref<index>\n"
SIGNATURE = f"({STREAM}, i32) -> ()"


def within(seconds, call):
    """What a call gives or refuses, in time."""
    began = time.process_time()
    try:
        found = call()
    except InputError as error:
        found = error
    assert time.process_time() - began < seconds
    return found


def refusal(path, read=read_allo, **options):
    found = within(SECONDS, lambda: read(path, **options))
    assert isinstance(found, InputError)
    return found


# --- Texts of one thing


FILLS = {
    "newlines": "\n", "blanks": " ", "lines": " \r\n", "quotes": '"', "escapes": '\\"', "opened": "(", "closed": ")",
    "angles": "<", "letters": "a", "dots": "a.", "commas": ", ", "comments": "// \n", "digits": "9",
}  # fmt: skip
AROUND = {
    "module": ("module {\n", "\n}\n"),
    "data": ("module {\nmemref.alloc ", "\n : i32\n}\n"),
    "list": ("module {\nmemref.alloc {\n", "\n} : i32\n}\n"),
    "unread": ("module {\naie.nothing ", "\n}\n"),
    "descriptor": ("module {\naie.device(npu1) {\n%0 = aie.tile(0, 2)\naie.dma_bd(%0 : memref<64xi32>,", ")\n}\n}\n"),
    "stream": ("module {\nfunc.func @f() {\n%0 = allo.stream_construct() : !allo.stream<i32,", "4>\nreturn\n}\n}\n"),
}


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("around", AROUND)
def test_a_long_text_of_one_thing_is_read_in_time_that_grows_with_its_length(tmp_path, around, fill):
    """Of 64 KiB: what is quadratic takes seconds."""
    before, after = AROUND[around]
    path = tmp_path / "design.mlir"
    path.write_text(before + FILLS[fill] * (65536 // len(FILLS[fill])) + after, encoding="utf-8")
    for read in (read_allo, read_aie):
        assert isinstance(within(2, lambda read=read: read(path)), InputError)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("before", ["", "syn.file", "[hls]\nsyn.top"])
def test_a_long_text_of_one_thing_is_told_in_time_that_grows_with_its_length(tmp_path, before, fill):
    path = tmp_path / "hls_config.cfg"
    path.write_bytes((before + FILLS[fill] * HEAD_BYTES)[:HEAD_BYTES].encode())
    for each in formats().values():
        assert within(2, lambda each=each: each.sniffs(Sight(path))) is False


# --- Loops that do nothing


@pytest.mark.parametrize(
    "loop",
    [
        "%h = arith.constant 1000000000 : index\nscf.for %i = %c0 to %h step %c1 {\nscf.if %no {\nPUT\n}\n}",
        "affine.for %i = 0 to 1000000000 {\nscf.if %no {\nPUT\n}\n}",
        "%h = arith.constant 1000000 : index\nscf.for %i = %c0 to %h step %c1 {\nscf.for %j = %c0 to %h step %c1 {\n"
        "scf.for %k = %c0 to %c0 step %c1 {\nPUT\n}\n}\n}",
        "%w = scf.while (%i = %c0) : (index) -> index {\n%l = arith.cmpi sge, %i, %c0 : index\n"
        "scf.condition(%l) %i : index\n} do {\n^bb0(%i: index):\nscf.if %no {\nPUT\n}\n"
        "%more = arith.addi %i, %c1 : index\nscf.yield %more : index\n}",
    ],
)  # fmt: skip
def test_a_loop_that_executes_no_access_is_bounded(tmp_path, monkeypatch, loop):
    monkeypatch.setattr(execution, "MAX_OPERATIONS", 50_000)
    error = refusal(allo_source(tmp_path, f"{CONSTANTS}PUT\n{loop}"))
    assert (error.code, error.where.rpartition(" ")[2]) == ("too-many-operations", "source")
    assert error.what == "more than 50,000 operations decide which FIFO accesses it makes"


def test_an_endless_loop_that_executes_no_access_ends_what_its_kernel_does(tmp_path):
    loop = """%w = scf.while (%i = %q) : (index) -> index {
      scf.condition(%yes) %i : index
    } do {
    ^bb0(%i: index):
      scf.if %no {
        PUT
      }
      scf.yield %i : index
    }"""
    assert put_times(read_allo(allo_source(tmp_path, f"{CONSTANTS}PUT\n{loop}\nPUT"))) == [1]


def test_operations_of_all_processes_are_bounded(tmp_path, monkeypatch):
    """Each of three cores needs fewer than one may."""
    monkeypatch.setattr(execution, "MAX_ALL_OPERATIONS", 2000)
    idle = times(300, "  %no = arith.constant false\n  scf.if %no {\n" + use("of", "Produce") + "  }\n")
    idle = idle.replace("%of_Produce", "%never")
    cores = {"a": use("of", "Produce") + idle, "b": use("of", "Consume")}
    read_aie(aie_design(tmp_path, fifo("of", "a", "%b"), cores))
    more = fifo("of", "a", "%b") + fifo("to", "b", "%c")
    cores["b"] += use("to", "Produce") + idle.replace("@of(Produce", "@to(Produce")
    error = refusal(aie_design(tmp_path, more, {**cores, "c": use("to", "Consume")}), read_aie)
    assert error.what == "more than 2,000 operations decide which FIFO accesses its processes make"


# --- Calls


def calling(tmp_path, levels, body):
    """Functions that call the next one twice, the last of which has a body."""
    text = "".join(
        f"func.func @f{n}(%s: {STREAM}, %v: i32) {{\n"
        + f"func.call @f{n + 1}(%s, %v) : {SIGNATURE}\n" * 2
        + "return\n}\n"
        for n in range(levels)
    )
    path = allo_source(tmp_path, f"PUT\nfunc.call @f0(%s, %v) : {SIGNATURE}")
    text += f"func.func @f{levels}(%s: {STREAM}, %v: i32) {{\n{body}\nreturn\n}}\n"
    path.write_text(path.read_text(encoding="utf-8").replace("module {\n", f"module {{\n{text}"), encoding="utf-8")
    return path


def test_functions_that_are_called_twice_on_each_level_are_looked_at_once(tmp_path, monkeypatch):
    assert len(put_times(read_allo(calling(tmp_path, 6, PUT)))) == 1 + 2**6
    graph = within(2, lambda: read_allo(calling(tmp_path, 60, "")))
    assert len(put_times(graph)) == 1
    monkeypatch.setattr(execution, "MAX_STEPS", 1000)
    assert refusal(calling(tmp_path, 60, PUT)).code == "too-many-steps"


def regions(tmp_path, levels, name="f"):
    """Regions that call the next one twice, the last of which has a stream."""
    text = f"""module {{
func.func @make(%s: {STREAM}) {{
%v = arith.constant 7 : i32
{PUT}
return
}}
func.func @use(%s: {STREAM}) {{
{GET}
return
}}
func.func @{name}{levels}() {{
%0 = allo.stream_construct() {{name = "p"}} : {STREAM}
func.call @make(%0) : ({STREAM}) -> ()
func.call @use(%0) : ({STREAM}) -> ()
return
}}
"""
    for n in range(levels):
        text += f"func.func @{name}{n}() {{\n" + f"func.call @{name}{n + 1}() : () -> ()\n" * 2 + "return\n}\n"
    path = tmp_path / "design.mlir"
    path.write_text(text + "}\n", encoding="utf-8")
    return path


def test_regions_that_are_called_twice_on_each_level_are_as_many_as_a_graph_may_have(tmp_path, monkeypatch):
    assert len(read_allo(regions(tmp_path, 4)).fifos) == 2**4
    monkeypatch.setattr(allo, "MAX_PROCESSES", 100)
    error = refusal(regions(tmp_path, 30))
    assert (error.code, error.what) == ("too-large", "there are more than 100 kernels")


def test_a_name_that_is_too_long_says_where_it_comes_from(tmp_path):
    for path in (regions(tmp_path, 20, name="a_region_of_a_long_name_"), regions(tmp_path, 1, name="x" * 300)):
        error = refusal(path)
        assert error.code == "bad-name"
        assert "design.mlir: @" in error.where
    long = "x" * 250
    error = refusal(
        aie_design(tmp_path, fifo(long, "a", "%b"), {"a": use(long, "Produce"), "b": use(long, "Consume")}), read_aie
    )
    assert (error.code, error.where) == ("bad-name", str(tmp_path / "design.mlir"))


def recursive(tmp_path, text, call):
    path = allo_source(tmp_path, f"PUT\n{call}")
    path.write_text(path.read_text(encoding="utf-8").replace("module {\n", f"module {{\n{text}"), encoding="utf-8")
    return path


def test_functions_with_accesses_that_call_themselves_are_refused(tmp_path):
    kernel = f"func.call @source(%s, %m, %n) : ({STREAM}, memref<4xi1>, memref<index>) -> ()"
    error = refusal(allo_source(tmp_path, f"PUT\n{kernel}"))
    assert (error.code, error.what) == ("nested-calls", "@source calls itself")
    links = "".join(
        f"func.func @{one}(%s: {STREAM}, %v: i32) {{\n{PUT}\nfunc.call @{other}(%s, %v) : {SIGNATURE}\nreturn\n}}\n"
        for one, other in (("one", "two"), ("two", "three"), ("three", "one"))
    )
    error = refusal(recursive(tmp_path, links, f"func.call @one(%s, %v) : {SIGNATURE}"))
    assert (error.code, error.what) == ("nested-calls", "@one calls itself, through @two, @three")
    assert error.where.endswith("design.mlir: @one")


def test_functions_without_accesses_may_call_themselves(tmp_path):
    text = "func.func @again() {\nfunc.call @again() : () -> ()\nreturn\n}\n"
    path = recursive(tmp_path, text, "func.call @again() : () -> ()\nPUT")
    assert put_times(read_allo(path, cycles=["again=10"])) == [1, 12]


def test_functions_that_a_core_calls_and_that_call_themselves_are_refused(tmp_path):
    helper = f"func.func @again() {{\n{use('of', 'Consume')}  func.call @again() : () -> ()\n  return\n}}\n"
    cores = {"a": use("of", "Produce"), "b": "func.call @again() : () -> ()\n"}
    error = refusal(aie_design(tmp_path, fifo("of", "a", "%b") + helper, cores), read_aie)
    assert (error.code, error.what) == ("nested-calls", "@again calls itself")


def test_conditions_and_calls_inside_each_other_are_bounded(tmp_path):
    """Each of five functions has 60 conditions around a call of the next."""
    text = "".join(
        f"func.func @g{n}(%s: {STREAM}, %v: i32) {{\n%yes = arith.constant true\n" + "scf.if %yes {\n" * 60
        + (f"func.call @g{n + 1}(%s, %v) : {SIGNATURE}\n" if n < 4 else f"{PUT}\n") + "}\n" * 60
        + f"{PUT}\nreturn\n}}\n"
        for n in range(5)
    )  # fmt: skip
    error = refusal(recursive(tmp_path, text, f"func.call @g0(%s, %v) : {SIGNATURE}"))
    assert (error.code, error.what) == ("nested-control", "more than 128 loops, conditions and calls inside each other")


# --- Numbers and structures that cannot be


@pytest.mark.parametrize(
    "body",
    [
        "%x = affine.apply affine_map<(d0) -> (d0 floordiv 0)>(%c3)",
        "%x = affine.apply affine_map<(d0) -> (d0 mod 0)>(%c3)",
        "%x = affine.apply affine_map<(d0) -> (d0" + " + d0" * 2000 + ")>(%c3)",
        "%x = arith.addi %q, %c1 : index\naffine.for %i = max affine_map<() -> ()>() to 4 {\nPUT\n}",
    ],
)
def test_expressions_that_have_no_value_bound_no_loop(tmp_path, body):
    error = refusal(allo_source(tmp_path, f"{CONSTANTS}{body}\nscf.for %i = %c0 to %x step %c1 {{\nPUT\n}}"))
    assert error.code == "unknown-control"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('"allo.stream_put"() : () -> ()', "mlir-structure"),
        ('"scf.while"() ({\nPUT\n}, {\nPUT\n}) : () -> ()', "unknown-control"),
        ("%x:1000000000 = memref.alloc() : i32", "not-mlir"),
    ],
)
def test_operations_that_lack_a_part_are_refused(tmp_path, body, code):
    assert refusal(allo_source(tmp_path, f"PUT\n{body}")).code == code


@pytest.mark.parametrize("type_", ["i32, " + "9" * 5000, "memref<" + "9" * 5000 + "xi32>, 0", "i32"])
def test_streams_of_impossible_types_are_refused(tmp_path, type_):
    path = allo_source(tmp_path, "PUT")
    path.write_text(path.read_text(encoding="utf-8").replace("stream<i32, 64", f"stream<{type_}"), encoding="utf-8")
    assert refusal(path).code == "bad-stream"


@pytest.mark.parametrize("calls", [1, 10_000])
def test_more_cycles_than_a_simulation_has_are_refused(tmp_path, calls):
    loop = f"%k = arith.constant {calls} : index\nscf.for %i = %c0 to %k step %c1 {{\nfunc.call @work() : () -> ()\n}}"
    error = refusal(allo_source(tmp_path, f"PUT\n{loop}\nPUT"), cycles=["work=1125899906842624"])
    assert (error.code, error.what) == ("too-large", "source takes more than 1,125,899,906,842,624 cycles")


FROM_HOST, TAKEN = fifo("of", "shim", "%a"), {"a": for_ever(use("of", "Consume"))}
HOST = "%task = aiex.dma_configure_task_for @of {\n  DESCRIPTOR\n  aie.end\n}\naiex.dma_start_task(%task)\n"


@pytest.mark.parametrize(
    ("descriptor", "told"),
    [
        ("aie.dma_bd(%x)", "does not say which memory it moves, a memref"),
        ("aie.dma_bd(%x : tensor<64xi32>, 0, 32)", "does not say which memory it moves, a memref"),
        ('"aie.dma_bd"() : () -> ()', "does not say which memory it moves, a memref"),
        ('%t = tensor.empty() : tensor<64xi32>\n"aie.dma_bd"(%t) : (tensor<64xi32>) -> ()', "which memory it moves"),
        ('"aie.dma_bd"(%x) <{len = -16 : i32}> : (memref<64xi32>) -> ()', "has no known length"),
    ],
)
def test_descriptors_that_name_no_memory_are_refused(tmp_path, descriptor, told):
    path = aie_design(tmp_path, FROM_HOST, TAKEN, sequence=HOST.replace("DESCRIPTOR", descriptor))
    error = refusal(path, read_aie)
    assert error.code == "unknown-size"
    assert told in error.what


def test_a_descriptor_in_generic_text_moves_all_of_its_memory(tmp_path):
    generic = '"aie.dma_bd"(%x) : (memref<64xi32>) -> ()'
    graphs = [
        read_aie(aie_design(tmp_path, FROM_HOST, TAKEN, sequence=HOST.replace("DESCRIPTOR", each)))
        for each in (generic, "aie.dma_bd(%x : memref<64xi32>)")
    ]
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize(
    "sequence",
    [
        '"aiex.dma_start_task"() : () -> ()\n',
        '"aiex.dma_configure_task_for"() <{alloc = @of}> ({\n"aie.dma_bd"(%x) : (memref<64xi32>) -> ()\n'
        '"aie.end"() : () -> ()\n}) : () -> ()\n',
        '"aiex.npu.dma_memcpy_nd"() <{metadata = @of, static_sizes = [64]}> : () -> ()\n',
    ],
)
def test_a_sequence_whose_operations_lack_a_part_is_refused(tmp_path, sequence):
    error = refusal(aie_design(tmp_path, FROM_HOST, TAKEN, sequence=sequence), read_aie)
    assert error.code == "mlir-structure"
