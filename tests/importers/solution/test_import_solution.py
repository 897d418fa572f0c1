"""Solution folders: each rule of timing on a design written by hand, and each refusal with its cause."""

import pytest
from solution_folders import FIFO_OPERATIONS, Loop, Stages, write_latency, write_report, write_solution, write_vectors

from sttest.core.errors import InputError
from sttest.importers.formats import formats
from sttest.importers.solution import read_solution
from sttest.importers.solution.execute import execute
from sttest.importers.solution.folder import file_name, find_solution
from sttest.sim import simulate

COUNTER = """
define void @top(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %done = icmp eq i32 %i, %n
  br i1 %done, label %exit, label %body
body:
  %next = add i32 %i, 1
  br label %head
exit:
  ret void
}
"""


def counter(root, trips, body, head=(0, 0), ii=-1, depth=-1, **more):
    """A loop of so many trips; ``body`` are the stages of its body's two instructions."""
    last = max(start + length for start, length in body)
    regions = [Loop((1, 2), ii, depth)]
    stages = [[(0, 0)], [(1, 0), (1, 0), (1 + head[0], head[1])], body, [(2 + (last - 1 if ii >= 0 else 0), 0)]]
    states = [(0, 0), (1, 1), (2, 2 + last - 2) if ii < 0 else (1, last), (2, 2)]
    folder = write_solution(root, COUNTER, {"top": Stages(stages, states, regions)}, **more)
    write_vectors(folder, "in", "n", [trips])
    return folder


def cycles(folder):
    """Latency of the imported graph."""
    return simulate(read_solution(folder)).cycles


@pytest.mark.parametrize("trips", [0, 1, 7])
def test_an_fsm_takes_a_state_for_the_header_and_those_of_the_body(tmp_path, trips):
    # Entry, then header and three states of the body per trip, the header's last visit, exit.
    assert cycles(counter(tmp_path / "s", trips, [(2, 2), (4, 0)])) == 1 + trips * 4 + 1


@pytest.mark.parametrize(("trips", "ii", "depth"), [(1000, 1, 3), (10, 2, 5), (3, 4, 4)])
def test_a_pipelined_loop_begins_an_iteration_each_interval(tmp_path, trips, ii, depth):
    # Synthesis reports (trips - 1) * interval + depth - 1 for the loop, 1,001 for the first of these; entry and exit
    # take a stage each.  The test that ends the loop is made where a further iteration would begin.
    folder = counter(tmp_path / "s", trips, [(1, 0), (depth, 0)], ii=ii, depth=depth)
    assert cycles(folder) == max((trips - 1) * ii + depth + 1, trips * ii + 2)


def test_a_loop_that_is_not_entered_counts_only_its_test(tmp_path):
    folder = counter(tmp_path / "s", 0, [(1, 0), (6, 0)], ii=1, depth=6)
    # Entry, the header, exit; the six stages of the body are not waited for.
    assert cycles(folder) == 2


CALLER = """
define i32 @leaf(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
define void @top(ptr %out) {
  %a = call i32 @leaf(i32 4)
  store i32 %a, ptr %out
  ret void
}
"""


@pytest.mark.parametrize(("length", "told"), [(0, 0), (3, 4)])
def test_a_call_that_takes_time_begins_a_state_later(tmp_path, length, told):
    leaf = Stages([[(0, 0), (length, 0)]], [(0, length)])
    spread = 1 if length else 0
    top = Stages([[(0, spread), (spread, 0), (spread, 0)]], [(0, spread)])
    folder = write_solution(tmp_path / "s", CALLER, {"leaf": leaf, "top": top})
    write_vectors(folder, "out", "out", [5])
    checks: list[str] = []
    graph = read_solution(folder, checks=checks)
    assert simulate(graph).cycles == told
    assert "outputs 1/1" in checks


def test_a_function_that_is_a_pipeline_takes_its_depth_less_one(tmp_path):
    leaf = Stages([[(0, 8), (8, 0)]], [(0, 8)], [Loop((0,), 1, 9, is_loop=False)])
    top = Stages([[(0, 8), (8, 0), (8, 0)]], [(0, 8)], [Loop((0,), 1, 9, is_loop=False)])
    assert cycles(write_solution(tmp_path / "s", CALLER, {"leaf": leaf, "top": top})) == 8


# --- Dataflow

DATAFLOW = FIFO_OPERATIONS + """
@name = private constant [2 x i8] c"q\\00"
define void @source(ptr %q) {
entry:
  br label %head
head:
  %i = phi i16 [ 0, %entry ], [ %next, %body ]
  %done = icmp eq i16 %i, 8
  br i1 %done, label %exit, label %body
body:
  call void @_ssdm_op_Write.ap_fifo.volatile.i16P(ptr %q, i16 %i)
  %next = add i16 %i, 1
  br label %head
exit:
  ret void
}
define void @sink(ptr %q, ptr %out) {
entry:
  br label %head
head:
  %i = phi i16 [ 0, %entry ], [ %next, %body ]
  %sum = phi i16 [ 0, %entry ], [ %more, %body ]
  %done = icmp eq i16 %i, 8
  br i1 %done, label %exit, label %body
body:
  %v = call i16 @_ssdm_op_Read.ap_fifo.volatile.i16P(ptr %q)
  %more = add i16 %sum, %v
  %next = add i16 %i, 1
  br label %head
exit:
  store i16 %sum, ptr %out
  ret void
}
define void @top(ptr %out) {
  %q = alloca i16
  call i32 (...) @_ssdm_op_SpecChannel(ptr @name, i32 1, ptr @name, ptr @name, i32 DEPTH, i32 DEPTH, ptr %q, ptr %q)
  call void @source(ptr %q)
  call void @sink(ptr %q, ptr %out)
  ret void
}
"""  # fmt: skip


def dataflow(root, depth, interval):
    """A source that writes each cycle, and a sink that reads at an interval."""
    source = Stages(
        [[(0, 0)], [(1, 0)] * 3, [(1, 0), (1, 0), (1, 0)], [(2, 0)]],
        [(0, 0), (1, 1), (1, 1), (2, 2)],
        [Loop((1, 2), 1, 1)],
    )
    sink = Stages(
        [[(0, 0)], [(1, 0)] * 4, [(1, 0)] * 4, [(2, 0), (2, 0)]], [(0, 0), (1, 1), (1, 1), (2, 2)],
        [Loop((1, 2), interval, 1)],
    )  # fmt: skip
    region = Loop((0,), is_loop=False, is_dataflow=True, channels=(("q", depth, 0, 1),))
    top = Stages([[(5, 0)] * 4], [(0, 3)], [region])
    return write_solution(root, DATAFLOW.replace("DEPTH", str(depth)), {"source": source, "sink": sink, "top": top})


def test_processes_are_joined_by_fifos_and_their_caller_waits_for_them(tmp_path):
    folder = dataflow(tmp_path / "s", 2, 4)
    write_vectors(folder, "out", "out", [28])
    write_latency(folder, 40)
    notes, checks = [], []
    with pytest.raises(InputError, match=r"co-simulation 40, this graph \d+; nobody knows why"):
        read_solution(folder)
    graph = read_solution(folder, anyway=True, notes=notes, checks=checks)
    stream = next(each for each in graph.fifos if each.name == "q")
    assert (stream.depth, stream.bits, stream.kind) == (2, 16, "srl")
    assert {each.name for each in graph.processes} == {"top", "source", "sink"}
    found = simulate(graph)
    # Stages of the sink: entry, eight reads at its interval, exit; the caller ends with whoever ends last.
    assert (found.finish["sink"] or 0) >= 7 * 4 + 2
    assert found.finish["top"] == found.cycles == max(each or 0 for each in found.finish.values())
    assert "outputs 1/1" in checks
    assert checks[0].startswith(f"co-simulation 40, this graph {found.cycles} (")


def test_a_full_fifo_stalls_the_source_and_whoever_waits_for_it(tmp_path):
    shallow = simulate(read_solution(dataflow(tmp_path / "s", 1, 4)))
    deep = simulate(read_solution(dataflow(tmp_path / "d", 8, 4)))
    assert (shallow.finish["source"] or 0) > (deep.finish["source"] or 0) > 0
    assert (shallow.finish["sink"] or 0) >= (deep.finish["sink"] or 0) > 0


OUTLINED = [[(0, 0)], [(0, 0)] * 3, [(0, 0), (2, 0)], [(0, 0)]], [(0, 0), (1, 1), (1, 3), (2, 2)]


def test_a_loop_that_is_the_top_takes_two_cycles_less_than_synthesis_reports(tmp_path):
    folder = write_solution(tmp_path / "s", COUNTER, {"top": Stages(*OUTLINED, [Loop((1, 2), 1, 3)])})
    write_vectors(folder, "in", "n", [32])
    write_report(folder, "top", 35)
    checks: list[str] = []
    graph = read_solution(folder, checks=checks)
    # The last of 32 iterations begins in cycle 31 and is at its last stage two cycles later; the report adds two.
    assert simulate(graph).cycles == 33
    assert "1 of 1 functions of fixed latency equal csynth" in checks


def test_a_loop_that_is_called_takes_two_cycles_less_than_synthesis_reports_too(tmp_path):
    """As in public folders of 2021.2 to 2025.1: 514 calls in a row take 1,028 cycles less than csynth says."""
    text = COUNTER.replace("@top", "@loop") + "define void @top(i32 %n) {\n  call void @loop(i32 %n)\n  ret void\n}\n"
    loop = Stages(*OUTLINED, [Loop((1, 2), 1, 3)])
    folder = write_solution(tmp_path / "s", text, {"loop": loop, "top": Stages([[(0, 1), (1, 0)]], [(0, 1)])})
    write_vectors(folder, "in", "n", [32])
    write_report(folder, "loop", 35)
    checks: list[str] = []
    graph = read_solution(folder, checks=checks)
    assert simulate(graph).cycles == 1 + 33
    assert "1 of 1 functions of fixed latency equal csynth" in checks


@pytest.mark.parametrize(("second", "latency", "reported"), [((0, 1), 34, 36), ((2, 1), 69, 73)])
def test_loops_that_begin_together_are_over_reported_once(tmp_path, second, latency, reported):
    """As in public folders of 2022.1 and 2022.2; one after the other, each counts."""
    calls = 2 * "  call void @loop(i32 %n)\n"
    text = COUNTER.replace("@top", "@loop") + f"define void @top(i32 %n) {{\n{calls}  ret void\n}}\n"
    loop = Stages(*OUTLINED, [Loop((1, 2), 1, 3)])
    last = sum(second)
    top = Stages([[(0, 1), second, (last, 0)]], [(0, last)])
    folder = write_solution(tmp_path / "s", text, {"loop": loop, "top": top})
    write_vectors(folder, "in", "n", [32])
    write_report(folder, "top", reported)
    checks: list[str] = []
    assert simulate(read_solution(folder, checks=checks)).cycles == latency
    assert "1 of 1 functions of fixed latency equal csynth" in checks


def test_what_synthesis_reports_is_compared_if_loops_ran_as_often_as_it_was_told(tmp_path):
    folder = counter(tmp_path / "s", 3, [(1, 0), (3, 0)], ii=1, depth=3)
    path = folder / ".autopilot" / "db" / "top.sched.adb"
    write_report(folder, "top", 1002)
    with pytest.raises(InputError, match="top 6, csynth 1,002"):
        read_solution(folder)
    told = "<mMinTripCount>1000</mMinTripCount><mMaxTripCount>1000</mMaxTripCount>"
    path.write_text(path.read_text().replace("<mII>1</mII>", f"<mII>1</mII>{told}"))
    checks: list[str] = []
    assert simulate(read_solution(folder, checks=checks)).cycles == 6
    assert "0 of 0 functions of fixed latency equal csynth" in checks


def dated(root, scheduled, cosimulated, top="top"):
    """A folder with a latency that is far off, and with dates."""
    folder = counter(root, 3, [(2, 2), (4, 0)])
    write_latency(folder, 400)
    (folder / "sim" / "report" / f"{top}_cosim.rpt").write_text(f"Report time       : {cosimulated}.\n")
    (folder / ".autopilot" / "db" / "top.verbose.sched.rpt").write_text(f"* Date:           {scheduled}\n")
    return folder


@pytest.mark.parametrize("zone", ["", " CET", " SEAST", " +0800"])
def test_a_co_simulation_that_is_older_than_the_schedule_is_no_judge(tmp_path, zone):
    first, second = f"Tue Mar  9 14:21:34{zone} 2021", f"Tue Mar  9 16:23:04{zone} 2021"
    with pytest.raises(InputError, match="co-simulation 400, this graph 14"):
        read_solution(dated(tmp_path / "s", first, second))
    notes: list[str] = []
    read_solution(dated(tmp_path / "t", second, first), notes=notes)
    assert any("older than the schedule" in each for each in notes)
    notes.clear()
    read_solution(dated(tmp_path / "u", first, second, "another"), notes=notes)
    assert any("older than the schedule" in each for each in notes)


# --- Refusals


def test_a_schedule_of_other_code_is_refused_by_name(tmp_path):
    folder = counter(tmp_path / "s", 3, [(2, 0), (2, 0)])
    path = folder / ".autopilot" / "db" / "top.sched.adb"
    path.write_text(path.read_text().replace("<name>next</name>", "<name>other</name>"))
    with pytest.raises(InputError, match="block 'body' has 'other', 'next' in the bitcode"):
        read_solution(folder)


def test_what_is_missing_is_named(tmp_path):
    folder = counter(tmp_path / "s", 3, [(2, 0), (2, 0)])
    with pytest.raises(InputError, match="the bitcode has no function 'nothing'"):
        read_solution(folder, top="nothing")
    with pytest.raises(InputError, match="a solution is read by executing its bitcode"):
        formats()["solution"].read(folder, {"no_run": True})
    (folder / ".autopilot" / "db" / "a.o.3.bc").write_bytes(b"")
    with pytest.raises(InputError, match="no bitcode is there"):
        read_solution(folder)
    (folder / ".autopilot" / "db" / "top.sched.adb").unlink()
    with pytest.raises(InputError, match="no schedule database"):
        read_solution(folder)
    with pytest.raises(InputError, match="so it is no solution"):
        read_solution(tmp_path / "nowhere")


def run_of(root, body, tokens=None):
    """What executing one body says; ``tokens`` are the vectors of its port."""
    text = f"declare i32 @system(ptr)\n{FIFO_OPERATIONS}\ndefine void @top(ptr %p) {{\nentry:\n{body}\n}}\n"
    folder = write_solution(root, text, {})
    (folder / ".autopilot" / "db" / "top.sched.adb").write_text("<x/>")
    if tokens is not None:
        write_vectors(folder, "in", "p", tokens)
    return execute(find_solution(folder), most_entries=100_000)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("  %r = call i32 @system(ptr %p)\n  ret void", "the bitcode calls 'system', which is not in it"),
        ("  store i32 1, ptr null\n  ret void", "ended with signal 11"),
        ("  br label %l\nl:\n  %x = load volatile i32, ptr %p\n  br label %l", "more than 100,000 blocks"),
        ('  call void asm sideeffect "nop", ""()\n  ret void', "contains assembly language"),
    ],
)
def test_bitcode_that_misbehaves_ends_its_own_process_only(tmp_path, body, told):
    with pytest.raises(InputError, match=told):
        run_of(tmp_path / "s", body)


READ_TWICE = """  %u = call i16 @_ssdm_op_Read.ap_fifo.volatile.i16P(ptr %p)
  %v = call i16 @_ssdm_op_Read.ap_fifo.volatile.i16P(ptr %p)
  %zero = icmp eq i16 %v, 0
  br i1 %zero, label %end, label %end
end:
  ret void"""


def test_a_stream_has_the_tokens_of_its_vectors_or_zeros_where_there_are_none(tmp_path):
    assert run_of(tmp_path / "two", READ_TWICE, [7, 8]).missing == []
    with pytest.raises(InputError, match="the stream 'p' is read before anything is written to it"):
        run_of(tmp_path / "one", READ_TWICE, [7])
    assert run_of(tmp_path / "none", READ_TWICE).missing == ["p"]


WAITS_FOR_A_MARK = """
declare i1 @_autotb_FifoRead_i1(ptr)
define i1 @_ssdm_op_Read.ap_fifo.volatile.i1P(ptr %p) {
  %v = call i1 @_autotb_FifoRead_i1(ptr %p)
  ret i1 %v
}
define void @top(ptr %last) {
entry:
  br label %head
head:
  %is_last = call i1 @_ssdm_op_Read.ap_fifo.volatile.i1P(ptr %last)
  br i1 %is_last, label %exit, label %head
exit:
  ret void
}
"""


def test_a_loop_that_waits_for_a_mark_that_is_not_in_the_folder_ends(tmp_path):
    stages = Stages([[(0, 0)], [(1, 0), (1, 0)], [(2, 0)]], [(0, 0), (1, 1), (2, 2)], [Loop((1,))])
    notes: list[str] = []
    read_solution(write_solution(tmp_path / "s", WAITS_FOR_A_MARK, {"top": stages}), notes=notes)
    said = "no vectors for last: it got zeros, a mark of one bit ones, and what depends on that is for those"
    assert said in notes


REWOUND = """
declare void @_ssdm_op_Return(...)
define void @top(ptr %out) {
entry:
  br label %head
head:
  %begins = phi i1 [ true, %entry ], [ false, %body ], [ true, %last ]
  %i = phi i16 [ 0, %entry ], [ %next, %body ], [ 0, %last ]
  br i1 %begins, label %init, label %body
init:
  br label %body
body:
  %next = add i16 %i, 1
  %done = icmp eq i16 %next, 9
  br i1 %done, label %last, label %head
last:
  store i16 %next, ptr %out
  call void (...) @_ssdm_op_Return()
  br label %head
}
"""


def test_a_loop_that_is_rewound_ends_its_call_where_it_begins_the_next(tmp_path):
    """Stages as in a public folder of 2020.1, which has nine iterations, and 10 cycles in co-simulation."""
    stages = Stages(
        [[(0, 0)], [(1, 0)] * 3, [(2, 0)], [(1, 0)] * 3, [(1, 0), (2, 0), (1, 0)]],
        [(0, 0), (1, 1), (2, 2), (1, 2), (1, 2)],
        [Loop((1, 2, 3, 4), 1, 2)],
    )
    folder = write_solution(tmp_path / "s", REWOUND, {"top": stages})
    write_vectors(folder, "out", "out", [9])
    write_latency(folder, 10)
    checks: list[str] = []
    assert simulate(read_solution(folder, checks=checks)).cycles == 10
    assert "outputs 1/1" in checks


BITS = """
declare i8 @llvm.part.select.i8(i8, i32, i32)
declare i8 @llvm.part.set.i8.i4(i8, i4, i32, i32)
declare i4 @_ssdm_op_PartSelect.i4.i8.i32.i32(i8, i32, i32)
declare i3 @_ssdm_op_PartSelect.i3.i8.i32(i8, i32)
declare i12 @_ssdm_op_BitConcatenate.i12.i8.i4(i8, i4)
"""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("call i8 @llvm.part.select.i8(i8 180, i32 2, i32 5)", 0b1101),
        ("call i8 @llvm.part.select.i8(i8 180, i32 5, i32 2)", 0b1011),
        ("call i8 @llvm.part.set.i8.i4(i8 0, i4 3, i32 2, i32 5)", 0b1100),
        ("call i8 @llvm.part.set.i8.i4(i8 -1, i4 3, i32 5, i32 2)", 0b11110011),
        ("call i4 @_ssdm_op_PartSelect.i4.i8.i32.i32(i8 180, i32 4, i32 7)", 0b1011),
        ("call i3 @_ssdm_op_PartSelect.i3.i8.i32(i8 180, i32 2)", 0b101),
        ("call i12 @_ssdm_op_BitConcatenate.i12.i8.i4(i8 18, i4 5)", 0x125),
    ],
)
def test_operations_on_bits(tmp_path, expression, value):
    kind = expression.split()[1]
    body = f"  %v = {expression}\n  %w = zext {kind} %v to i32\n  store i32 %w, ptr %out\n  ret void"
    text = f"{BITS}\ndefine void @top(ptr %out) {{\n{body}\n}}\n"
    folder = write_solution(tmp_path / "s", text, {"top": Stages([[(0, 0)] * 4], [(0, 0)])})
    write_vectors(folder, "out", "out", [value])
    checks: list[str] = []
    read_solution(folder, checks=checks)
    assert "outputs 1/1" in checks


@pytest.mark.parametrize(
    ("name", "told"), [("read", "read_r"), ("a<b, 3>", "a_b_3_s"), ("plain", "plain"), ("_begins", "p_begins")]
)
def test_files_are_called_as_the_tool_calls_them(name, told):
    assert file_name(name) == told
