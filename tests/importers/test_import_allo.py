"""Allo: streams as FIFOs, verdicts on designs whose simulation hung in public threads, and what is refused."""

import itertools
import threading
from pathlib import Path
from queue import Empty, Full, Queue

import pytest

from sttest.core.errors import InputError
from sttest.importers.allo import places, read_allo
from sttest.sim import simulate
from sttest.sim.sizing.finite import size_by_simulation

DATA = Path(__file__).parents[1] / "data" / "mlir"
REPLY = DATA / "reply.allo.mlir"
LOADERS = DATA / "shared_loaders.allo.mlir"
QUESTION, ANSWER = "wrapper_0/inner/question", "wrapper_0/inner/answer"


def edited(tmp_path, source, *changes):
    text = source.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "design.mlir"
    path.write_text(text, encoding="utf-8")
    return path


# --- Kernels that answer each other, as in Allo's issue 561


def test_a_reply_that_comes_too_late_deadlocks_with_a_certificate_and_the_least_fix():
    result = simulate(read_allo(REPLY))
    assert result.deadlock is not None
    assert result.deadlock.is_closed
    assert [(wait.process, wait.waits_to, wait.fifo) for wait in result.deadlock.cycle] == [
        ("wrapper_0/inner/asker_0", "write", QUESTION), ("wrapper_0/inner/answerer_0", "write", ANSWER),
    ]  # fmt: skip
    assert result.deadlock.fix == {QUESTION: 2}
    assert result.deadlock.is_minimal


def test_places_are_the_lines_of_makers_kernels_and_accesses():
    found, lines = places(REPLY), REPLY.read_text(encoding="utf-8").splitlines()
    asker = "wrapper_0/inner/asker_0"
    told = {
        QUESTION: found.fifos[QUESTION], "kernel": found.processes[asker],
        "put": found.of_access(asker, "write", QUESTION), "get": found.of_access(asker, "read", ANSWER),
    }  # fmt: skip
    at = {what: lines[place.line - 1].strip() for what, place in told.items()}
    assert at[QUESTION].startswith('%0 = allo.stream_construct() {name = "question"}')
    assert at["kernel"].startswith("func.func @asker_0(")
    assert at["put"].startswith("allo.stream_put(%arg1")
    assert at["get"].startswith("%0 = allo.stream_get(%arg2")


def test_a_comment_that_names_operations_moves_no_line(tmp_path):
    path = edited(tmp_path, REPLY, ("module {", "module { // allo.stream_put, allo.stream_get and func.func"))
    assert [place.line for place in places(path).fifos.values()] == [26, 27]


def on_threads(question, answer):
    """Whether reply.allo.mlir ends when it is written by hand with threads and bounded queues."""
    asked: Queue[float] = Queue(question)
    told: Queue[float] = Queue(answer)
    ended = []

    def asker():
        for number in range(4):
            asked.put(number, timeout=0.2)
        ended.extend(told.get(timeout=0.2) for _ in range(4))

    def answerer():
        for _ in range(4):
            told.put(asked.get(timeout=0.2) + 1, timeout=0.2)

    def guarded(kernel):
        def run():
            try:
                kernel()
            except (Full, Empty):
                ended.append(None)

        return threading.Thread(target=run)

    threads = [guarded(kernel) for kernel in (asker, answerer)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended == [1, 2, 3, 4]


@pytest.mark.parametrize(("question", "answer"), list(itertools.product((1, 2, 3), repeat=2)))
def test_verdicts_are_those_of_threads_with_queues_that_were_written_by_hand(question, answer):
    graph = read_allo(REPLY).with_depths({QUESTION: question, ANSWER: answer})
    assert (simulate(graph).deadlock is None) == on_threads(question, answer)


# --- A systolic product whose simulation hung until all streams held 1,024, as in Allo's pull request 522


def test_shared_loaders_finish_at_any_depth():
    graph = read_allo(LOADERS)
    assert {fifo.depth for fifo in graph.fifos} == {2}
    assert simulate(graph).deadlock is None
    assert simulate(graph.with_all_depths(1)).deadlock is None
    assert simulate(graph).cycles == simulate(graph, unbounded=True).cycles
    sized = size_by_simulation(graph)
    assert max(sized.depths.values()) <= 4  # of 1,024 that were given


def test_every_kernel_is_a_process_with_as_many_accesses_as_its_loops_make():
    graph = read_allo(LOADERS)
    assert len(graph.processes) == 15
    result = simulate(graph, record=True)
    assert {len(result.write_times[name]) for name in ("L3_A", "L2_B_1", "fifo_A_1_1")} == {2 * 2 * 4}
    assert {len(result.write_times[name]) for name in ("L1_C_0_0", "L2_C_0")} == {2 * 2}
    assert {len(result.write_times[name]) for name in ("L2_C_1", "L3_C")} == {2 * 2 * 2}


# --- What the text means


def test_streams_have_depth_and_bits_of_their_type(tmp_path):
    text = REPLY.read_text(encoding="utf-8").replace("!allo.stream<f32, 1>", "!allo.stream<memref<8x4xi16>, 3>")
    text = text.replace("contains f32", "contains memref<8x4xi16>").replace("-> f32", "-> memref<8x4xi16>")
    lines = [line for line in text.splitlines() if "affine.store" not in line and "arith.addf" not in line]
    text = "\n".join(lines).replace(
        'affine.load %arg0[%arg3] {from = "local_A"} : memref<4xf32>', "memref.alloc() : memref<8x4xi16>"
    )
    (tmp_path / "d.mlir").write_text(text.replace("(%arg2, [], %1)", "(%arg2, [], %0)"), encoding="utf-8")
    assert {(fifo.depth, fifo.bits) for fifo in read_allo(tmp_path / "d.mlir").fifos} == {(3, 8 * 4 * 16)}


def test_conditions_of_loop_indices_are_followed(tmp_path):
    """Of four questions the last is not asked, so one answer is missing whatever the depths are."""
    load = '%0 = affine.load %arg0[%arg3] {from = "local_A"} : memref<4xf32>\n'
    put = "allo.stream_put(%arg1, [], %0) : !allo.stream<f32, 1> contains f32"
    asked = f"affine.if affine_set<(d0) : (2 - d0 >= 0)>(%arg3) {{\n {put}\n }}"
    result = simulate(read_allo(edited(tmp_path, REPLY, (load + "      " + put, load + asked))), record=True)
    assert result.deadlock is not None
    assert result.deadlock.fix == {}


def test_kernels_called_twice_are_two_processes(tmp_path):
    text = REPLY.read_text(encoding="utf-8")
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if "stream_construct" in line)
    block = lines[first : first + 4]
    again = [
        line.replace("%0", "%2").replace("%1", "%3").replace('"question"', '"q"').replace('"answer"', '"a"')
        for line in block
    ]
    (tmp_path / "d.mlir").write_text("\n".join([*lines[: first + 4], *again, *lines[first + 4 :]]), encoding="utf-8")
    graph = read_allo(tmp_path / "d.mlir")
    assert [process.name.rsplit("/", 1)[1] for process in graph.processes] == [
        "asker_0", "answerer_0", "asker_0.2", "answerer_0.2"
    ]  # fmt: skip


def test_a_top_is_chosen_by_name(tmp_path):
    assert {fifo.name for fifo in read_allo(REPLY, top="inner").fifos} == {"question", "answer"}
    with pytest.raises(InputError, match="no function 'iner'; did you mean 'inner'"):
        read_allo(REPLY, top="iner")
    with pytest.raises(InputError, match="@top makes no streams"):
        read_allo(edited(tmp_path, REPLY, ("    call @wrapper_0", "    // call @wrapper_0")), top="top")


# --- What is refused


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "affine.for %arg3 = 0 to 4 {\n      %0 = affine.load",
            "affine.while {\n      %0 = affine.load",
            "the printed form of 'affine.while' is not read",
        ),
        (
            '{name = "question"} : !allo.stream<f32, 1>',
            '{name = "question"} : !allo.stream<f32, 0>',
            "xDSL does not read it",
        ),
        ("!allo.stream<f32, 1>", "!allo.stream<f32, 0>", "has no depth from 1 on"),
        ("allo.stream_put(%arg2, [], %1)", "allo.stream_put(%arg1, [], %1)", "2 kernels"),
        ("allo.stream_construct()", "allo.stream_make()", "the printed form of 'allo.stream_make' is not read"),
        ("    call @answerer_0", "    // call @answerer_0", "no kernel gets from it"),
        (
            "module {",
            'module {\n  "allo.stream_global"() {sym_name = "s"} : () -> ()',
            "'allo.stream_global' is not modeled",
        ),
        ("module {", "module {\n  aie.device(npu2) { }", "import it with 'sttest import aie'"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(tmp_path, old, new, told):
    with pytest.raises(InputError) as refused:
        read_allo(edited(tmp_path, REPLY, (old, new)))
    assert told in str(refused.value)


def test_bounds_that_depend_on_data_are_refused(tmp_path):
    head = "affine.for %arg3 = 0 to 4 {\n      %0 = affine.load"
    bounded = "%n = memref.load %arg0[] : memref<index>\n affine.for %arg3 = 0 to %n {\n      %0 = affine.load"
    with pytest.raises(
        InputError, match=r"cannot be counted: the bounds of a loop around them are not known \(affine.for\)"
    ):
        read_allo(edited(tmp_path, REPLY, (head, bounded)))


def test_a_region_between_accesses_is_refused(tmp_path):
    put = "allo.stream_put(%arg2, [], %1) : !allo.stream<f32, 1> contains f32"
    with pytest.raises(InputError, match="it calls the region @inner between accesses"):
        read_allo(
            edited(tmp_path, REPLY, (put, f"{put}\n call @inner(%arg0, %arg0) : (memref<4xf32>, memref<4xf32>) -> ()")),
            top="inner",
        )


def test_an_empty_module_has_no_top(tmp_path):
    (tmp_path / "d.mlir").write_text("module {}", encoding="utf-8")
    with pytest.raises(InputError, match="none calls kernels with streams"):
        read_allo(tmp_path / "d.mlir")
