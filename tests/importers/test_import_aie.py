"""mlir-aie: object FIFOs as pools, verdicts on designs that hang in public threads, and what is refused."""

import itertools
import random
import re
from pathlib import Path

import pytest
from lock_machine import move, pool, stuck

from sttest.core.errors import InputError
from sttest.importers.aie import places, read_aie, write_depths
from sttest.importers.mlir import execution
from sttest.sim import simulate
from sttest.sim.sizing.finite import size_by_simulation

DATA = Path(__file__).parents[1] / "data" / "mlir"
WINDOW = DATA / "window.aie.mlir"
ONCE = DATA / "weights_once.aie.mlir"
LAYERS = DATA / "two_layers.aie.mlir"


def edited(tmp_path, source, *changes):
    """The text of a file with changes, each of which must change something."""
    text = source.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "design.mlir"
    path.write_text(text, encoding="utf-8")
    return path


def depths_of(graph):
    return {fifo.name: fifo.depth for fifo in graph.fifos if not fifo.name.endswith((".filled", ".done"))}


# --- A broadcast that is under-buffered, as in mlir-aie's pull request 3257


def window_on_locks(depths):
    """What window.aie.mlir does, by hand: 24 rows in, windows of three, one edge for each, 24 rows out."""

    def reader():
        for _ in range(24):
            yield "acquire", "image.cons full", 1
            yield "acquire", "rows.prod free", 1
            yield "release", "image.cons free", 1
            yield "release", "rows.prod full", 1

    def filter_():
        for _ in range(8):
            yield "acquire", "rows.cons0 full", 3
            yield "acquire", "edges.prod free", 1
            yield "release", "rows.cons0 free", 3
            yield "release", "edges.prod full", 1

    def merge():
        for _ in range(8):
            yield "acquire", "edges.cons full", 1
            for _ in range(3):
                yield "acquire", "rows.cons1 full", 1
                yield "acquire", "result.prod free", 1
                yield "release", "rows.cons1 free", 1
                yield "release", "result.prod full", 1
            yield "release", "edges.cons free", 1

    locks = {lock: count for name, depth in depths.items() for lock, count in pool(name, depth).items()}
    processes = {
        "core_0_2": reader(), "core_1_2": filter_(), "core_2_3": merge(),
        "dma image": move(None, ["image.cons"], 24), "dma rows": move("rows.prod", ["rows.cons0", "rows.cons1"], 24),
        "dma edges": move("edges.prod", ["edges.cons"], 8), "dma result": move("result.prod", [], 24),
    }  # fmt: skip
    return stuck(processes, locks)


def test_an_under_buffered_broadcast_deadlocks_with_a_certificate_and_the_least_fix():
    notes = []
    graph = read_aie(WINDOW, notes=notes)
    result = simulate(graph)
    assert result.deadlock is not None
    assert result.deadlock.is_closed
    assert [wait.process for wait in result.deadlock.cycle] == ["core_1_2", "dma rows", "core_2_3", "dma edges"]
    assert result.deadlock.fix == {"rows.cons1": 3}
    assert result.deadlock.is_minimal
    assert any("@rows asks for 4 objects, and core_2_3 gets 2" in note for note in notes)


def test_a_greater_depth_does_not_help_but_one_for_each_tile_does(tmp_path):
    deeper = edited(tmp_path, WINDOW, ("{%filter, %merge}, 4 : i32", "{%filter, %merge}, 64 : i32"))
    assert simulate(read_aie(deeper)).deadlock is not None
    listed = edited(tmp_path, WINDOW, ("{%filter, %merge}, 4 : i32", "{%filter, %merge}, [2, 4, 3]"))
    graph = read_aie(listed)
    assert depths_of(graph)["rows.cons1"] == 3
    assert simulate(graph).deadlock is None


def test_verdicts_are_those_of_locks_that_were_written_by_hand():
    graph = read_aie(WINDOW)
    pools = {name: depth for name, depth in depths_of(graph).items() if not name.endswith(".tasks")}
    assert set(stuck_now := window_on_locks(pools)) == {"core_0_2", "core_1_2", "core_2_3"} | {
        "dma image", "dma rows", "dma edges", "dma result"
    }  # fmt: skip
    assert stuck_now["dma rows"] == "rows.cons1 free"
    chosen = random.Random(46)
    verdicts = set()
    for _ in range(60):
        depths = {name: chosen.randint(1, 5) for name in pools}
        expected = bool(window_on_locks(depths))
        assert (simulate(graph.with_depths(depths)).deadlock is not None) == expected, depths
        verdicts.add(expected)
    assert verdicts == {True, False}


def test_sizing_gives_depths_that_finish_and_none_that_can_be_less():
    graph = read_aie(WINDOW)
    sized = size_by_simulation(graph)
    pools = {name: sized.depths[name] for name in depths_of(graph) if not name.endswith(".tasks")}
    assert not window_on_locks(pools)
    assert pools["rows.cons1"] >= 3


def test_depths_go_back_into_the_text_and_cure_it(tmp_path):
    graph = read_aie(WINDOW)
    write_depths(graph.with_depths({"rows.cons1": 3}), WINDOW, tmp_path / "cured.mlir")
    assert "@rows(%reader, {%filter, %merge}, [4, 4, 3])" in (tmp_path / "cured.mlir").read_text(encoding="utf-8")
    cured = read_aie(tmp_path / "cured.mlir")
    assert depths_of(cured)["rows.cons1"] == 3
    assert simulate(cured).deadlock is None
    write_depths(graph, WINDOW, tmp_path / "same.mlir")
    assert (tmp_path / "same.mlir").read_text(encoding="utf-8") == WINDOW.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "depths"),
    [
        (LAYERS, {"h0.cons": 5, "w2.cons1": 4, "w1_l3.cons": 3, "c0.cons": 1}),
        (DATA / "halves.aie.mlir", {"in0.prod": 3, "in1.prod": 3, "out0.cons": 4, "out1.cons": 4, "in0.cons": 5}),
        (DATA / "generic.aie.mlir", {"of": 7}),
        (ONCE, {"w_l3.cons": 2, "w_l2.cons": 3}),
    ],
    ids=lambda each: each.stem if isinstance(each, Path) else "",
)
def test_depths_of_links_and_of_generic_text_go_back_too(tmp_path, source, depths):
    write_depths(read_aie(source).with_depths(depths), source, tmp_path / "d.mlir")
    assert depths_of(read_aie(tmp_path / "d.mlir")) == depths_of(read_aie(source)) | depths


def test_what_no_text_gives_is_refused(tmp_path):
    graph = read_aie(WINDOW)
    with pytest.raises(InputError, match="gets 2 objects, whatever the text asks for"):
        write_depths(graph.with_depths({"rows.prod": 5}), WINDOW, tmp_path / "d.mlir")
    with pytest.raises(InputError, match="was not read from this file"):
        write_depths(graph, ONCE, tmp_path / "d.mlir")


# --- Hangs of Stream's pull request 115


def test_a_memory_tile_that_cannot_send_again_starves_its_reader(tmp_path):
    result = simulate(read_aie(ONCE))
    assert result.deadlock is not None
    assert result.deadlock.fix == {}  # no depths help
    assert [wait.process for wait in result.deadlock.cycle] == ["core_0_2", "dma w_l2"]
    assert result.deadlock.cycle[0].fifo == "w_l2.cons.filled"
    assert result.deadlock.cycle[0].token == 2  # the third weight of sixteen
    told = "{%core}, 2 : i32) : !aie.objectfifo<memref<1024xbf16>>"
    again = edited(tmp_path, ONCE, (told, told.replace(") :", ") {repeat_count = 8 : i32} :")))
    assert simulate(read_aie(again)).deadlock is None
    too_few = edited(tmp_path, ONCE, (told, told.replace(") :", ") {repeat_count = 7 : i32} :")))
    assert simulate(read_aie(too_few)).deadlock is not None


def test_a_replica_that_no_transfer_fills_is_named_and_closes_a_cycle_through_the_host(tmp_path):
    text = re.sub(
        r"      %2 = aiex.dma_configure_task_for @w_l3 \{.*?dma_start_task\(%2\)\n", "", ONCE.read_text(), flags=re.S
    )
    (tmp_path / "d.mlir").write_text(text.replace("      aiex.dma_free_task(%2)\n", ""), encoding="utf-8")
    notes = []
    result = simulate(read_aie(tmp_path / "d.mlir", notes=notes))
    assert "no transfer of @w_l3 is started: it is taken to come after the sequence's end" in notes
    assert result.deadlock is not None
    assert result.deadlock.is_closed
    assert result.deadlock.fix == {}
    assert {"host", "core_0_2", "dma w_l3", "dma y"} <= {wait.process for wait in result.deadlock.cycle}


# --- The reproducer of pull request 3257: its object FIFOs do not deadlock


def test_two_layers_finish_at_any_depths_and_the_queue_of_tasks_is_named():
    notes = []
    graph = read_aie(LAYERS, notes=notes)
    assert simulate(graph).deadlock is None
    least = {name: 2 if re.fullmatch(r"c\d\.prod", name) else 1 for name in depths_of(graph)}
    assert simulate(graph.with_depths(least)).deadlock is None
    (queue,) = (note for note in notes if "tasks are started" in note)
    assert queue.startswith("@w2_l3: 8 tasks are started before one is awaited")
    waiting = simulate(graph, unbounded=True).max_occupancy["w2_l3.tasks"]
    assert waiting > 4  # so hardware that does not wait drops some


def test_fewer_tasks_than_the_queue_holds_are_not_named(tmp_path):
    text = LAYERS.read_text(encoding="utf-8")
    starts = [match.group() for match in re.finditer(r"      aiex.dma_start_task\(%t\d+\)\n", text)]
    for start in starts[-4:]:
        text = text.replace(start, "")
    (tmp_path / "d.mlir").write_text(text.replace("%c8 = arith.constant 8", "%c8 = arith.constant 4"), encoding="utf-8")
    notes = []
    read_aie(tmp_path / "d.mlir", notes=notes)
    assert not any("tasks are started" in note for note in notes)


def test_waiting_before_what_is_needed_was_started_deadlocks(tmp_path):
    wait = "      aiex.npu.dma_wait {symbol = @result}\n"
    text = WINDOW.read_text(encoding="utf-8").replace("{%filter, %merge}, 4 : i32", "{%filter, %merge}, [2, 4, 3]")
    copies = re.findall(r"      aiex.npu.dma_memcpy_nd.*\n", text)
    path = tmp_path / "d.mlir"
    path.write_text(text.replace(copies[0], "").replace(wait, wait + copies[0]), encoding="utf-8")
    result = simulate(read_aie(path))
    assert result.deadlock is not None
    assert result.deadlock.fix == {}
    assert "host" in {wait.process for wait in result.deadlock.cycle}


# --- What the text means


SMALL = """
module {{
  aie.device({device}) {{
    %a = aie.tile({a})
    %b = aie.tile({b})
    aie.objectfifo @of(%a, {{%b}}, {depth}) {attributes} : !aie.objectfifo<memref<16xi32>>
    %core_a = aie.core(%a) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {trips} : index
      scf.for %i = %c0 to %n step %c1 {{
        %0 = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        {produce}
        aie.objectfifo.release @of(Produce, 1)
      }}
      aie.end
    }}
    %core_b = aie.core(%b) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {trips} : index
      scf.for %i = %c0 to %n step %c1 {{
        %0 = aie.objectfifo.acquire @of(Consume, {acquire}) : !aie.objectfifosubview<memref<16xi32>>
        {consume}
        aie.objectfifo.release @of(Consume, {release})
      }}
      aie.end
    }}
  }}
}}
"""
PLAIN = {
    "device": "npu1", "a": "0, 2", "b": "0, 3", "depth": "4 : i32", "attributes": "", "trips": 6, "acquire": 1,
    "release": 1, "produce": "", "consume": "",
}  # fmt: skip


def small(tmp_path, **changes):
    path = tmp_path / "small.mlir"
    path.write_text(SMALL.format(**{**PLAIN, **changes}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "pools"),
    [
        ({}, {"of": 4}),  # one above the other: a memory that both reach
        ({"a": "1, 2", "b": "2, 2"}, {"of": 4}),
        ({"a": "0, 2", "b": "2, 2"}, {"of.prod": 2, "of.cons": 2}),
        ({"a": "0, 2", "b": "0, 4", "acquire": 3, "release": 3, "trips": 2}, {"of.prod": 2, "of.cons": 4}),
        ({"a": "0, 2", "b": "0, 4", "depth": "1 : i32"}, {"of.prod": 1, "of.cons": 1}),
        ({"a": "0, 2", "b": "0, 4", "depth": "[2, 7]"}, {"of.prod": 2, "of.cons": 7}),
        ({"attributes": "{via_DMA = true}"}, {"of.prod": 2, "of.cons": 2}),
        ({"device": "xcvc1902", "a": "1, 2", "b": "2, 2"}, {"of": 4}),
        ({"device": "xcvc1902", "a": "1, 1", "b": "3, 1"}, {"of.prod": 2, "of.cons": 2}),
    ],
)
def test_pools_are_those_that_mlir_aie_allocates(tmp_path, changes, pools):
    if changes.get("acquire") == 3:
        path = tmp_path / "small.mlir"
        text = SMALL.format(**{**PLAIN, **changes}).replace("%n = arith.constant 2", "%n = arith.constant 6", 1)
        path.write_text(text, encoding="utf-8")
    else:
        path = small(tmp_path, **changes)
    graph = read_aie(path)
    assert depths_of(graph) == pools
    assert simulate(graph).deadlock is None


def test_an_object_that_is_held_keeps_its_place(tmp_path):
    """Six times acquire three, release one: a window that moves. Eight rows make six windows, and three places do."""
    text = SMALL.format(**{**PLAIN, "acquire": 3, "depth": "3 : i32"}).replace(
        "arith.constant 6", "arith.constant 8", 1
    )
    (tmp_path / "d.mlir").write_text(text, encoding="utf-8")
    graph = read_aie(tmp_path / "d.mlir")
    assert simulate(graph).deadlock is None
    assert simulate(graph.with_depths({"of": 2})).deadlock.fix == {"of": 3}


def test_objects_of_different_sizes_are_one_stream():
    """The host's object of two weights fills the pool of the memory tile once, and the core's pool twice."""
    graph = read_aie(ONCE)
    result = simulate(graph, record=True)
    assert len(result.write_times["w_l3.cons.filled"]) == 1
    assert len(result.write_times["w_l2.cons.filled"]) == 2


@pytest.mark.parametrize("link", ["join", "distribute"])
def test_parts_of_an_object_have_places_of_their_own(tmp_path, link):
    text = (DATA / "halves.aie.mlir").read_text(encoding="utf-8")
    graph = read_aie(DATA / "halves.aie.mlir")
    assert "aie.objectfifo.link" in text
    names = {"join": ("out0.cons", "out1.cons"), "distribute": ("in0.prod", "in1.prod")}[link]
    assert all(depths_of(graph)[name] == 2 for name in names)
    result = simulate(graph, record=True)
    assert result.deadlock is None
    assert all(len(result.write_times[f"{name}.filled"]) == 8 for name in names)


def test_calls_take_what_is_stated(tmp_path):
    declared = "    func.func private @work(memref<16xi32>)\n    %core_a"
    path = small(tmp_path, produce="func.call @work() : () -> ()")
    path.write_text(path.read_text().replace("    %core_a", declared.replace("memref<16xi32>", "")), encoding="utf-8")
    fast, slow = simulate(read_aie(path)), simulate(read_aie(path, cycles=["work=1000"]))
    assert slow.cycles - fast.cycles == 6 * 999
    notes = []
    read_aie(path, notes=notes)
    assert any("--cycles does not say (here work)" in note for note in notes)


def test_generic_text_is_the_same_design(tmp_path):
    graph = read_aie(DATA / "generic.aie.mlir")
    assert depths_of(graph) == {"of": 2}
    assert simulate(graph).cycles == simulate(read_aie(small(tmp_path, depth="2 : i32"))).cycles


def test_what_an_endless_core_does_per_round_may_depend_on_the_round(tmp_path):
    """What a loop carries decides: every second round consumes two objects."""
    path = small(tmp_path)
    body = """
      %t = arith.constant true
      %f = arith.constant false
      %forever = arith.constant 4294967295 : index
      %last = scf.for %i = %c0 to %forever step %c1 iter_args(%odd = %f) -> (i1) {
        scf.if %odd {
          %0 = aie.objectfifo.acquire @of(Consume, 2) : !aie.objectfifosubview<memref<16xi32>>
          aie.objectfifo.release @of(Consume, 2)
        } else {
          %0 = aie.objectfifo.acquire @of(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
          aie.objectfifo.release @of(Consume, 1)
        }
        %next = arith.select %odd, %f, %t : i1
        scf.yield %next : i1
      }
      aie.end"""
    head, tail = path.read_text().split("%core_b")
    tail = tail[: tail.index("      scf.for")] + body.lstrip("\n") + "\n    }\n  }\n}\n"
    path.write_text(head + "%core_b" + tail, encoding="utf-8")
    graph = read_aie(path)
    result = simulate(graph, record=True)
    assert result.deadlock is None
    assert len(result.read_times["of.filled"]) == 6


# --- What is refused


REFUSED = [
    ({"trips": "6 : index\n      %m = memref.load"}, "xDSL does not read it"),
    ({"attributes": "{disable_synchronization = true}"}, "'disable_synchronization' is not modeled"),
    ({"depth": "[2, 2, 2]"}, "depths [2, 2, 2] for 2 tiles"),
    ({"depth": "0 : i32"}, "from 1 on"),
    ({"release": 2}, "it releases 2 objects of of and holds 1"),
    ({"consume": "aie.objectfifo.release @off(Consume, 1)"}, "no object FIFO @off; did you mean 'of'?"),
    ({"consume": "aie.objectfifo.release @of(Produce, 1)"}, "it is not the producer of @of"),
    ({"consume": 'aie.use_lock(%a, "Acquire", 1)'}, "the printed form of 'aie.use_lock' is not read"),
    ({"consume": '"aie.use_lock"(%a) : (index) -> ()'}, "'aie.use_lock' in a core is not modeled"),
    ({"acquire": 0, "release": 0}, "nobody takes objects out of it on core_0_3"),
]


@pytest.mark.parametrize(("changes", "told"), REFUSED)
def test_what_is_not_understood_is_refused_by_name(tmp_path, changes, told):
    with pytest.raises(InputError) as refused:
        read_aie(small(tmp_path, **changes))
    assert told in str(refused.value)


def test_loops_that_are_too_long_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "MAX_STEPS", 1000)
    with pytest.raises(InputError, match="it makes more than 1,000 FIFO accesses and calls"):
        read_aie(small(tmp_path, trips=2_000_000))
    assert simulate(read_aie(small(tmp_path, trips=500))).deadlock is None


def test_control_that_depends_on_data_is_refused(tmp_path):
    body = "%m = memref.alloc() : memref<4xi1>\n %v = memref.load %m[%i] : memref<4xi1>\n scf.if %v {{ {} }}"
    access = "aie.objectfifo.release @of(Consume, 0)"
    with pytest.raises(InputError, match="FIFO accesses cannot be counted: whether they happen depends on data"):
        read_aie(small(tmp_path, consume=body.format(access)))
    notes = []
    read_aie(small(tmp_path, consume=body.format("func.call @f() : () -> ()")), notes=notes)
    assert any("calls whose number is not known count once" in note for note in notes)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[1, 1, 1, 1536]", "[1, 1, 1, 1500]", "a transfer of 6,000 bytes ends inside an object of 256"),
        ("metadata = @image", "metadata = @picture", "a transfer names @picture"),
        (
            "aiex.npu.dma_wait {symbol = @result}",
            "aiex.npu.dma_wait {symbol = @image}",
            "none of whose tasks tells its end",
        ),
        ("aiex.npu.dma_wait {symbol = @result}", '"aiex.npu.sync"() : () -> ()', "'aiex.npu.sync' is not modeled"),
        ("aie.tile(2, 3)", "aie.logical_tile<CoreTile>(?, ?)", "depends on where they are placed"),
    ],
)
def test_a_host_that_cannot_be_is_refused(tmp_path, old, new, told):
    with pytest.raises(InputError) as refused:
        read_aie(edited(tmp_path, WINDOW, (old, new)))
    assert told in str(refused.value)


@pytest.mark.parametrize("cycles", ["sobel", "sobel=", "sobel=-1", "=3", "sobel=1e9"])
def test_cycles_have_a_form(cycles):
    with pytest.raises(InputError, match="states no cycles"):
        read_aie(WINDOW, cycles=[cycles])


@pytest.mark.parametrize("length", [0, 200, 1500, 4000])
def test_a_text_that_ends_early_is_refused(tmp_path, length):
    path = tmp_path / "cut.mlir"
    path.write_text(WINDOW.read_text(encoding="utf-8")[:length], encoding="utf-8")
    with pytest.raises(InputError):
        read_aie(path)


def test_quotes_that_are_not_closed_are_refused_at_once(tmp_path):
    path = edited(tmp_path, DATA / "generic.aie.mlir", ('%5 = "arith.constant"', '%5 =arith.constant"'))
    with pytest.raises(InputError, match=r"design.mlir:9: text in quotes is not closed"):
        read_aie(path)
    path = edited(tmp_path, DATA / "generic.aie.mlir", ("port = 0 : i32", "port = 0 : i4294967296"))
    with pytest.raises(InputError, match=r"design.mlir:13: an integer of more than 16,777,215 bits"):
        read_aie(path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "binary.mlir"
    path.write_bytes(bytes(itertools.chain(range(256), range(256))))
    with pytest.raises(InputError, match="no text in UTF-8"):
        read_aie(path)


def test_places_are_the_lines_of_object_fifos_cores_acquires_and_releases():
    found, lines = places(WINDOW), WINDOW.read_text(encoding="utf-8").splitlines()
    told = {
        "fifo": found.fifos["rows.cons1"], "core": found.processes["core_1_2"], "dma": found.processes["dma rows"],
        "acquire": found.of_access("core_1_2", "read", "rows.cons0.filled"),
        "release": found.of_access("core_1_2", "read", "rows.cons0"),
        "fill": found.of_access("core_1_2", "write", "edges.prod.filled"),
    }  # fmt: skip
    at = {what: lines[place.line - 1].strip() for what, place in told.items()}
    assert at["fifo"] == at["dma"]
    assert at["fifo"].startswith("aie.objectfifo @rows(")
    assert "aie.core(" in at["core"]
    assert "aie.objectfifo.acquire @rows(Consume" in at["acquire"]
    assert at["release"].startswith("aie.objectfifo.release @rows(Consume")
    assert at["fill"].startswith("aie.objectfifo.release @edges(Produce")


def test_places_of_the_generic_form_are_those_of_its_lines():
    source = DATA / "generic.aie.mlir"
    lines = source.read_text(encoding="utf-8").splitlines()
    found = places(source)
    assert found.accesses
    for (_, does, fifo), place in found.accesses.items():
        wanted = "acquire" if (does == "write") != fifo.endswith(".filled") else "release"
        assert f'"aie.objectfifo.{wanted}"' in lines[place.line - 1]
