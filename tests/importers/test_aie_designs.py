"""mlir-aie: which device and sequence are read, who may access which end, links, what the host starts, and limits."""

import pytest
from mlir_designs import acquire, aie_design, fifo, for_ever, release, times, use

from sttest.core.errors import InputError
from sttest.importers.aie import places, read_aie
from sttest.importers.mlir import dma_streams, scripts
from sttest.sim import simulate

OF = fifo("of", "a", "%b")
BOTH = {"a": times(6, use("of", "Produce")), "b": times(6, use("of", "Consume"))}
FROM_HOST, TAKEN = fifo("of", "shim", "%a"), {"a": for_ever(use("of", "Consume"))}
COPY = "aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {metadata = @of} : memref<64xi32>\n"
TASK = """%task = aiex.dma_configure_task_for @of {
  aie.dma_bd(%x : memref<64xi32>, 0, LENGTH)
  aie.end
} {issue_token = true}
aiex.dma_start_task(%task)
"""


def refusal(path, **options):
    with pytest.raises(InputError) as refused:
        read_aie(path, **options)
    return refused.value


def objects(graph, pool):
    """How many objects are put into a pool, of a design that ends."""
    result = simulate(graph, record=True)
    assert result.deadlock is None
    return len(result.write_times[f"{pool}.filled"])


def depths(graph):
    return {each.name: each.depth for each in graph.fifos if not each.name.endswith((".filled", ".done", ".tasks"))}


# --- Which design


def two_devices(tmp_path):
    path = aie_design(tmp_path, OF, BOTH)
    device = path.read_text(encoding="utf-8").removeprefix("module {\n").removesuffix("}\n")
    one, two = (device.replace("(npu1)", f"(npu1) @{name}") for name in ("one", "two"))
    path.write_text(f"module {{\n{one}{two.replace('@of', '@other')}}}\n", encoding="utf-8")
    return path


def test_of_several_devices_one_is_chosen_by_name(tmp_path):
    path = two_devices(tmp_path)
    assert depths(read_aie(path, top="one")) == {"of": 2}
    assert depths(read_aie(path, top="two")) == {"other": 2}
    assert list(places(path, top="two").fifos) == ["other", "other.filled"]
    for top in ("", "three"):
        error = refusal(path, top=top)
        assert (error.code, error.what) == ("no-design", "2 operations aie.device, not one")
        assert error.hints == ("choose one with --top: one, two",)


def test_of_several_sequences_one_is_chosen_by_name(tmp_path):
    sequences = "".join(
        f"aie.runtime_sequence @{name}(%x: memref<64xi32>) {{\n{COPY * count}}}\n"
        for name, count in (("p", 1), ("q", 3))
    )
    path = aie_design(tmp_path, FROM_HOST + sequences, TAKEN)
    assert objects(read_aie(path, top="p"), "of.cons") == 4  # of 16 numbers in 64
    assert objects(read_aie(path, top="q"), "of.cons") == 12
    error = refusal(path)
    assert (error.what, error.hints) == ("2 operations aie.runtime_sequence, not one", ("choose one with --top: p, q",))


def test_a_module_without_a_device_is_no_design(tmp_path):
    path = tmp_path / "design.mlir"
    path.write_text("module {\n}\n", encoding="utf-8")
    error = refusal(path)
    assert (error.what, error.hints) == ("0 operations aie.device, not one", ("name a file of mlir-aie",))


def test_a_device_whose_object_fifos_were_lowered_is_refused(tmp_path):
    error = refusal(aie_design(tmp_path, "", {"a": ""}))
    assert (error.code, error.what) == ("no-object-fifos", "it has no object FIFOs")
    assert error.hints == ("import the text before --aie-objectfifo-stateful-transform",)


# --- Cores and the ends of object FIFOs


@pytest.mark.parametrize(
    ("fifos", "cores", "told"),
    [
        (OF, {**BOTH, "z": use("of", "Consume")}, "the tile of a core is not known"),
        (fifo("of", "z", "%b"), {"b": BOTH["b"]}, "a tile of it is not known"),
        (fifo("of", "a", "%b, %z"), BOTH, "a tile of it is not known"),
        (OF, {**BOTH, "c": use("of", "Consume")}, "it is no consumer of @of"),
        (OF, {**BOTH, "c": use("of", "Produce")}, "it is not the producer of @of"),
        (fifo("of", "a", "%shim"), {"a": BOTH["a"], "b": use("of", "Consume")}, "it is no consumer of @of"),
        (fifo("of", "a", "%b", size="16xindex"), BOTH, "the size of !aie.objectfifo<memref<16xindex>> is not known"),
        (fifo("of", "a", "%b", size="?xi32"), BOTH, "the size of !aie.objectfifo<memref<?xi32>> is not known"),
        (OF, {"a": BOTH["a"] + "aie.dma_bd(%somewhere)\n", "b": BOTH["b"]}, "'aie.dma_bd' in a core is not modeled"),
        (OF, {"a": BOTH["a"]}, "nobody takes objects out of it on core_0_3"),
        (OF, {"b": BOTH["b"]}, "nobody puts objects into it on core_0_2"),
        (OF + fifo("host", "shim", "%shim"), BOTH, "both of its ends are in the host's memory"),
    ],
)
def test_ends_that_cannot_be_are_refused(tmp_path, fifos, cores, told):
    error = refusal(aie_design(tmp_path, fifos, cores, tiles="%z = memref.alloc() : index\n"))
    assert error.what == told


def test_a_core_may_send_to_itself(tmp_path):
    """Two places do for two objects in one memory, and a third that is acquired waits for ever."""
    loop = for_ever(acquire("of", "Produce", 2) + release("of", "Produce", 2) + use("of", "Consume", 2))
    graph = read_aie(aie_design(tmp_path, fifo("of", "a", "%a"), {"a": loop}), frames=3)
    assert depths(graph) == {"of": 2}
    assert objects(graph, "of") == 6
    too_many = loop.replace("(Produce, 2)", "(Produce, 3)")
    assert simulate(read_aie(aie_design(tmp_path, fifo("of", "a", "%a"), {"a": too_many}))).deadlock is not None


def test_cores_without_end_run_so_many_rounds_as_are_asked_which_is_said(tmp_path):
    """Five rounds of two objects are ten, of which the second core takes nine in three rounds of three."""
    cores = {"a": for_ever(use("of", "Produce", 2)), "b": for_ever(use("of", "Consume", 3))}
    path = aie_design(tmp_path, fifo("of", "a", "%b", "9 : i32"), cores)
    notes = []
    graph = read_aie(path, frames=5, notes=notes)
    result = simulate(graph, record=True)
    assert (len(result.write_times["of.filled"]), len(result.read_times["of.filled"])) == (10, 9)
    assert "nothing bounds the cores: core_0_2 runs 5 rounds (--frames), the others what fits" in notes
    notes = []
    ends = aie_design(tmp_path, OF, {"a": cores["a"], "b": BOTH["b"]})
    assert objects(read_aie(ends, frames=5, notes=notes), "of") == 6  # as many as the second core takes
    assert not any("--frames" in note for note in notes)


def test_objects_that_a_core_without_end_still_holds_are_part_of_its_rounds(tmp_path):
    """A window of two: its first round takes two objects, all others one, as in a loop that ends."""
    window = acquire("of", "Consume", 2) + release("of", "Consume", 1)
    path = aie_design(
        tmp_path, fifo("of", "a", "%b", "3 : i32"), {"a": times(6, use("of", "Produce")), "b": times(5, window)}
    )
    ends = simulate(read_aie(path), record=True)
    path = aie_design(
        tmp_path, fifo("of", "a", "%b", "3 : i32"), {"a": times(6, use("of", "Produce")), "b": for_ever(window)}
    )
    endless = simulate(read_aie(path), record=True)
    assert ends.deadlock is endless.deadlock is None
    for name in ("of", "of.filled"):
        assert list(ends.read_times[name]) == list(endless.read_times[name])


HELPER = f"""func.func private @work()
func.func @several(%count: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {{
{use("of", "Consume")}  }}
  func.call @work() : () -> ()
  return
}}
"""


def test_a_function_that_a_core_calls_accesses_and_takes_time(tmp_path):
    """Five objects and one; each call of the function calls one that takes 100 cycles."""
    calls = "".join(f"func.call @several(%c{count}) : (index) -> ()\n" for count in (5, 1))
    path = aie_design(tmp_path, OF + HELPER, {"a": BOTH["a"], "b": calls})
    assert objects(read_aie(path), "of") == 6
    fast, slow = (simulate(read_aie(path, cycles=[f"work={cycles}"])).cycles for cycles in (1, 101))
    assert slow - fast == 2 * 100
    unknown = "%n = memref.alloc() : index\nfunc.call @several(%n) : (index) -> ()\n"
    error = refusal(aie_design(tmp_path, OF + HELPER, {"a": BOTH["a"], "b": unknown}))
    assert (error.code, error.where.rpartition(" ")[2]) == ("unknown-control", "core_0_3")


def test_a_function_accesses_by_what_it_calls(tmp_path):
    """Five objects of each of two calls of what only calls @several."""
    body = "  %five = arith.constant 5 : index\n  func.call @several(%five) : (index) -> ()\n  return\n"
    outer = f"func.func @outer() {{\n{body}}}\n"
    calls = "func.call @outer() : () -> ()\n" * 2
    made = {"a": times(10, use("of", "Produce"))}
    path = aie_design(tmp_path, OF + HELPER + outer, {**made, "b": calls})
    assert objects(read_aie(path), "of") == 10
    unknown = "%x = memref.alloc() : memref<4xi1>\n%h = memref.load %x[%c0] : memref<4xi1>\n"
    error = refusal(aie_design(tmp_path, OF + HELPER + outer, {**made, "b": f"{unknown}scf.if %h {{\n{calls}}}\n"}))
    assert error.what == "FIFO accesses cannot be counted: whether they happen depends on data (scf.if)"


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("0, ?", "0, ?", None), ("0, ?", "1, ?", None), ("0, 2", "0, ?", None), ("?, 2", "?, 2", None),
        ("?, ?", "5, 2", None), ("?, 2", "1, 3", None), ("0, ?", "2, ?", True), ("?, 2", "?, 4", True),
        ("0, 2", "1, 3", True), ("0, 2", "0, 3", False),
    ],
)  # fmt: skip
def test_cores_that_may_be_neighbors_are_to_be_placed(tmp_path, one, other, far):
    tiles = f"%la = aie.logical_tile<CoreTile>({one})\n%lb = aie.logical_tile<CoreTile>({other})\n"
    path = aie_design(tmp_path, fifo("of", "la", "%lb"), {"la": BOTH["a"], "lb": BOTH["b"]}, tiles=tiles)
    if far is None:
        error = refusal(path)
        assert (error.code, error.where) == ("not-placed", "@of")
        return
    assert set(depths(read_aie(path))) == ({"of.prod", "of.cons"} if far else {"of"})


@pytest.mark.parametrize("number", ["", ", -1"])
def test_a_release_of_no_number_of_objects_is_refused(tmp_path, number):
    cores = {**BOTH, "b": times(6, acquire("of", "Consume") + f"aie.objectfifo.release @of(Consume{number})\n")}
    error = refusal(aie_design(tmp_path, OF, cores))
    assert (error.code, error.hints) == ("unknown-size", ("say how many, as in @of(Consume, 1)",))
    assert error.where.endswith("core_0_3")


# --- Links


def test_a_linked_pool_has_one_of_two_depths_and_the_other_is_said_to_count_for_nothing(tmp_path):
    link = "aie.objectfifo.link [@in] -> [@of]([] [0])\n"
    fifos = fifo("in", "shim", "%mem", "3 : i32") + fifo("of", "mem", "%a", "5 : i32") + link
    notes = []
    graph = read_aie(aie_design(tmp_path, fifos, {"a": BOTH["b"]}), notes=notes)
    assert depths(graph) == {"in.cons": 3, "of.cons": 2}  # a core that acquires one object gets two
    told = "@in and @of meet in one pool of 3 objects, the depth of @in: that of @of, 5, counts for nothing on mem_0_1"
    assert told in notes


@pytest.mark.parametrize(
    ("outs", "told"),
    [
        ("[@of, @none]", "a link names @none, which is not there"),
        ("[@of, @of2]", "its parts have 384 bits in all, an object has 512"),  # of 8 and 4 numbers
    ],
)
def test_links_that_cannot_be_are_refused(tmp_path, outs, told):
    fifos = fifo("in", "shim", "%mem") + fifo("of", "mem", "%a", size="8xi32") + fifo("of2", "mem", "%b", size="4xi32")
    cores = {"a": BOTH["b"], "b": BOTH["b"].replace("@of", "@of2")}
    assert refusal(aie_design(tmp_path, f"{fifos}aie.objectfifo.link [@in] -> {outs}([] [0, 8])\n", cores)).what == told


# --- What the host starts


def test_the_host_starts_transfers_in_loops(tmp_path):
    """Three of four objects each; waiting for each keeps the queue of tasks short."""
    notes = []
    path = aie_design(tmp_path, FROM_HOST, TAKEN, sequence=times(3, COPY) + "aie.end\n")
    assert objects(read_aie(path, notes=notes), "of.cons") == 12
    assert notes == []
    path = aie_design(tmp_path, FROM_HOST, TAKEN, sequence=times(6, COPY) + "aie.end\n")
    assert objects(read_aie(path, notes=notes), "of.cons") == 24
    assert notes[0].startswith("@of: 6 tasks are started before one is awaited, and its channel's queue holds 4:")
    notes = []
    awaited = TASK.replace("LENGTH", "64") + "aiex.dma_await_task(%task)\naiex.dma_free_task(%task)\n"
    path = aie_design(tmp_path, FROM_HOST, TAKEN, sequence=times(6, awaited) + "aie.end\n")
    assert objects(read_aie(path, notes=notes), "of.cons") == 24
    assert notes == []


UNKNOWN = "%u = memref.load %x[%c0] : memref<64xi64>\n%v = memref.load %x[%c0] : memref<64xi32>\n"


@pytest.mark.parametrize(
    ("sequence", "code", "told"),
    [
        (for_ever(COPY) + "aie.end\n", "endless-host", "the host's sequence has no end"),
        (COPY.replace("64]", "%u]"), "unknown-size", "a transfer of @of has no known size"),
        (TASK.replace("LENGTH", "%v"), "unknown-size", "a transfer of @of has no known length"),
        ("%t = memref.alloc() : index\naiex.dma_await_task(%t)\n", "unknown-task",
         "aiex.dma_await_task names a task that is not known"),
        ("%t = memref.alloc() : index\naiex.dma_start_task(%t)\n", "unknown-task",
         "aiex.dma_start_task names a task that is not known"),
        (f"%h = memref.load %x[%c0] : memref<64xi1>\nscf.if %h {{\n{COPY}}}\naie.end\n", "unknown-control",
         "FIFO accesses cannot be counted: whether they happen depends on data (scf.if)"),
        (COPY + "aiex.npu.dma_wait {symbol = @of}\n", "nobody-tells",
         "the sequence waits 1 times for @of, none of whose tasks tells its end"),
    ],
)  # fmt: skip
def test_sequences_that_are_not_known_before_they_run_are_refused(tmp_path, sequence, code, told):
    error = refusal(aie_design(tmp_path, FROM_HOST, TAKEN, sequence=UNKNOWN + sequence))
    assert (error.code, error.what) == (code, told)
    assert error.where.endswith("design.mlir: runtime sequence")


# --- Limits


def test_transfers_of_too_many_objects_are_refused(tmp_path, monkeypatch):
    """Of each object its place is taken and it is put: two steps, after one that takes the task."""
    monkeypatch.setattr(dma_streams, "MAX_STREAM_STEPS", 1 + 2 * 4)
    assert objects(read_aie(aie_design(tmp_path, FROM_HOST, TAKEN, sequence=COPY)), "of.cons") == 4
    error = refusal(aie_design(tmp_path, FROM_HOST, TAKEN, sequence=COPY.replace("64]", "80]")))
    assert (error.code, error.what) == ("too-many-steps", "it takes and puts more than 9 objects")
    assert error.where == "@of"


def test_designs_with_too_many_accesses_are_refused(tmp_path, monkeypatch):
    """Of each object its producer and its consumer take and give a place: four accesses."""
    monkeypatch.setattr(scripts, "MAX_ACCESSES", 4 * 6)
    assert objects(read_aie(aie_design(tmp_path, OF, BOTH)), "of") == 6
    seven = {tile: body.replace("constant 6 :", "constant 7 :") for tile, body in BOTH.items()}
    error = refusal(aie_design(tmp_path, OF, seven))
    assert (error.code, error.what) == ("too-many-accesses", "more than 24 FIFO accesses")
    assert error.hints == ("import it with smaller bounds",)
