"""Schedules: what refers to nothing, stages of loops that skip some, and runs that are not those of their schedule."""

import pytest
from solution_folders import FIFO_OPERATIONS, Loop, Stages, write_report, write_solution, write_vectors
from solution_runs import edit, runs_here, schedule_of
from test_import_solution import CALLER, COUNTER, counter

import sttest.importers.solution as importer
from sttest.core.errors import InputError
from sttest.importers.solution import read_solution
from sttest.importers.solution.dataflow import set_stages
from sttest.importers.solution.folder import find_solution
from sttest.importers.solution.matching import matched
from sttest.importers.solution.stages import staged
from sttest.sim import simulate


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch, tmp_path):
    runs_here(monkeypatch, tmp_path)


def pipelined(root):
    """Seven trips, one begun each cycle, of which each takes three stages."""
    return counter(root, 7, [(1, 0), (3, 0)], ii=1, depth=3)


PIPELINED_CYCLES = 1 + 6 + 3  # entry, six further trips, three stages of the last one


# --- The schedule database


@pytest.mark.parametrize(
    ("pattern", "new", "lacks"),
    [
        ("syndb>", "another>", "syndb"),
        ("<mTag>r0</mTag>", "", "mTag"),
        ("<mII>1</mII>", "", "mII"),
        ("<opcode>phi</opcode>", "", "opcode"),
        ("<blocks>.*</blocks>", "", "blocks"),
        (r"(<name>body</name></Obj><node_objs>).*?(</node_objs>)", r"\1\2", "the instructions of block 1002"),
        (r"(<item><mId>1</mId>.*?<basic_blocks>).*?(</basic_blocks>)", r"\1\2", "the region of block 1001"),
        ("<item>6</item>", "<item>66</item>", "instruction 66 of block 1002"),
    ],
)
def test_a_schedule_that_lacks_a_part_is_refused_with_its_name(tmp_path, pattern, new, lacks):
    folder = edit(pipelined(tmp_path / "s"), pattern, new)
    with pytest.raises(InputError, match=f"cannot be read: it lacks '?{lacks}'?;") as refused:
        read_solution(folder)
    assert refused.value.code == "bad-schedule"
    assert refused.value.where.endswith("top.sched.adb")


LONG = "9" * 5000


@pytest.mark.parametrize(
    ("pattern", "new", "told"),
    [
        ("<mII>1</mII>", "<mII></mII>", "mII is '' where a whole number belongs"),
        ("<mII>1</mII>", "<mII/>", "mII is '' where a whole number belongs"),
        ("<mDepth>3</mDepth>", "<mDepth>three</mDepth>", "mDepth is 'three' where"),
        ("<second>0</second></second></item>", f"<second>{LONG}</second></second></item>",
         f"second/second is '{LONG[:40]}' where"),
        ("<item>1</item>", "<item>1.0</item>", "an item of node_objs is '1.0' where"),
        ("<sub_regions/>", "<sub_regions><item/></sub_regions>", "an item of sub_regions is '' where"),
        ("<mII>1</mII>", "<mII>1</mII><mMinTripCount>x</mMinTripCount>", "mMinTripCount is 'x' where"),
        # The branch of the body, 6, goes back to the header.
        (r"<source_obj>1001(</source_obj><sink_obj>6<)", r"<source_obj>9999\1",
         "block 'body' goes on to 9999, which is no block"),
        (r"(<mId>0</mId>.*?)<sub_regions/>", r"\1<sub_regions><item>0</item></sub_regions>",
         "region 0 is inside of itself"),
        (r"(<mId>0</mId>.*?)<sub_regions/>(.*?)<sub_regions/>",
         r"\1<sub_regions><item>1</item></sub_regions>\2<sub_regions><item>0</item></sub_regions>",
         "region 0 is inside of itself"),
    ],
)  # fmt: skip
def test_a_schedule_with_a_damaged_part_is_refused_with_what_stands_there(tmp_path, pattern, new, told):
    folder = edit(pipelined(tmp_path / "s"), pattern, new)
    with pytest.raises(InputError) as refused:
        read_solution(folder)
    assert refused.value.code == "bad-schedule"
    assert refused.value.what.startswith(f"a schedule database that cannot be read: {told}")


@pytest.mark.parametrize(
    ("tag", "item"),
    [
        ("node_label_latency", "<first>555</first><second><first>90</first><second>90</second></second>"),
        ("bblk_ent_exit", "<first>5555</first><second><first>0</first><second>90</second></second>"),
        ("sub_regions", "77"),
    ],
)
def test_what_is_said_of_something_that_is_not_there_changes_nothing(tmp_path, tag, item):
    folder = pipelined(tmp_path / "s")
    filled = f"<{tag}><item>{item}</item></{tag}>" if tag == "sub_regions" else rf"<{tag}><item>{item}</item>"
    edit(folder, f"<{tag}/>" if tag == "sub_regions" else f"<{tag}>", filled)
    assert simulate(read_solution(folder)).cycles == PIPELINED_CYCLES


def test_a_stretch_of_a_loop_is_pipelined_with_it(tmp_path):
    """The body is a region of its own, one of the loop's."""
    stages = [[(0, 0)], [(1, 0)] * 3, [(1, 0), (3, 0)], [(4, 0)]]
    regions = [Loop((1,), 1, 3), Loop((2,), is_loop=False)]
    states = [(0, 0), (1, 1), (1, 3), (2, 2)]
    folder = write_solution(tmp_path / "s", COUNTER, {"top": Stages(stages, states, regions)})
    write_vectors(folder, "in", "n", [7])
    edit(folder, r"(<mId>1</mId>.*?)<sub_regions/>", r"\1<sub_regions><item>2</item></sub_regions>")
    assert simulate(read_solution(folder)).cycles == PIPELINED_CYCLES


# --- Stages of loops


@pytest.mark.parametrize("first", [1, 2, 9])
def test_a_loop_is_entered_in_the_next_state_whatever_stages_lie_between(tmp_path, first):
    stages = [[(0, 0)], [(first, 0)] * 3, [(first, 0), (first + 2, 0)], [(first + 3, 0)]]
    top = Stages(stages, [(0, 0), (1, 1), (1, 3), (2, 2)], [Loop((1, 2), 1, 3)])
    folder = write_solution(tmp_path / "s", COUNTER, {"top": top})
    write_vectors(folder, "in", "n", [7])
    assert simulate(read_solution(folder)).cycles == PIPELINED_CYCLES


LATE_END = COUNTER.replace("  ret void", "  %more = add i32 %n, 1\n  ret void")


@pytest.mark.parametrize(
    ("name", "blocks", "reported"),
    [
        ("counted", (1, 2), 37),
        # Of one that the tool took out, what its iterations take and two: 32 intervals, and the last but one stage.
        ("top_Pipeline_counted", (1, 2), 32 + 1 + 2),
        ("top_Pipeline_counted", (0, 1, 2), 37),  # it begins with its first iteration: it is no loop in a function
    ],
)
def test_a_loop_that_was_taken_out_is_reported_by_its_iterations(tmp_path, name, blocks, reported):
    """Besides its loop, the function takes two states behind it, which synthesis reports unless the tool made it."""
    text = LATE_END.replace("@top", f"@{name}")
    text += f"define void @top(i32 %n) {{\n  call void @{name}(i32 %n)\n  ret void\n}}\n"
    stages = [[(0, 0)], [(1, 0)] * 3, [(1, 0), (3, 0)], [(4, 0), (6, 0)]]
    called = Stages(stages, [(0, 0), (1, 1), (1, 3), (2, 4)], [Loop(blocks, 1, 3)])
    top = Stages([[(0, 1), (1, 0)]], [(0, 1)])
    folder = write_solution(tmp_path / "s", text, {name: called, "top": top})
    write_vectors(folder, "in", "n", [32])
    write_report(folder, name, reported)
    checks: list[str] = []
    # The call begins in cycle 1; the last iteration begins 32 cycles later, takes three, and its end three.
    assert simulate(read_solution(folder, checks=checks)).cycles == 1 + 32 + 2 + 3
    assert "1 of 1 functions of fixed latency equal csynth" in checks


# --- Runs that are not those of the schedule


def text_of(body, write="%r = call i16 @_autotb_FifoWrite_i16(ptr %p, i16 %v)"):
    """A top with a stream, and what else a body may call."""
    operations = FIFO_OPERATIONS.replace("%r = call i16 @_autotb_FifoWrite_i16(ptr %p, i16 %v)", write)
    leaf = "define void @leaf() {\n  ret void\n}\n"
    return f"{operations}{leaf}define void @top(ptr %p) {{\nentry:\n{body}  br label %end\nend:\n  ret void\n}}\n"


DIRECT = "  %r = call i16 @_autotb_FifoWrite_i16(ptr %p, i16 1)\n"
WRITE = "  call void @_ssdm_op_Write.ap_fifo.volatile.i16P(ptr %p, i16 1)\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (text_of(DIRECT), "'top' makes an access that its schedule does not have"),
        (text_of(f"{DIRECT}  call void @leaf()\n"), "'top' makes an access where its schedule has a call"),
        (text_of(WRITE, "call void @leaf()"), "'top' makes a call of 'leaf' that its schedule does not have"),
    ],
)
def test_a_run_that_does_what_its_schedule_does_not_have_is_refused(tmp_path, text, told):
    entry = [(0, 0)] * (2 + ("call void @leaf()\n  br" in text))
    schedules = {"leaf": Stages([[(0, 0)]], [(0, 0)]), "top": Stages([entry, [(0, 0)]], [(0, 0), (0, 0)])}
    with pytest.raises(InputError, match=told) as refused:
        read_solution(write_solution(tmp_path / "s", text, schedules))
    assert refused.value.code == "schedule-mismatch"


def test_an_access_behind_all_that_the_top_does_is_refused(tmp_path):
    text = f"{FIFO_OPERATIONS}define void @top(ptr %p) {{\nentry:\n{DIRECT}  ret void\n}}\n"
    folder = write_solution(tmp_path / "s", text, {"top": Stages([[(0, 0)] * 2], [(0, 0)])})
    with pytest.raises(InputError, match="'top' makes an access that its schedule does not have") as refused:
        read_solution(folder)
    assert refused.value.code == "schedule-mismatch"


@pytest.mark.parametrize("kept", [0, 1, -1])
def test_a_trace_that_ends_before_the_top_returns_is_refused(tmp_path, kept):
    solution = find_solution(pipelined(tmp_path / "s"))
    run = importer.execute(solution)
    functions = matched(solution, run.code)
    for function in functions.values():
        set_stages(function)
    assert staged(functions, run.code, run.trace).end == PIPELINED_CYCLES
    with pytest.raises(InputError, match="the run did not return") as refused:
        staged(functions, run.code, run.trace[:kept])
    assert refused.value.code == "trace-cut"


# --- Schedules of other code


def test_a_function_without_a_schedule_is_named(tmp_path):
    leaf = Stages([[(0, 0), (0, 0)]], [(0, 0)])
    top = Stages([[(0, 0)] * 3], [(0, 0)])
    text = CALLER.replace("@leaf", "@leaf.3")
    folder = write_solution(tmp_path / "s", text, {"leaf.3": leaf, "top": top})
    written = schedule_of(folder, "leaf.3")
    written.rename(schedule_of(folder, "leaf_3"))
    assert simulate(read_solution(folder)).cycles == 0
    schedule_of(folder, "leaf_3").unlink()
    with pytest.raises(InputError, match=r"of the function 'leaf\.3', leaf_3\.sched\.adb, is missing") as refused:
        read_solution(folder)
    assert refused.value.code == "no-schedule"


@pytest.mark.parametrize(
    ("pattern", "new", "told"),
    [
        # Identities of blocks in the order of the text: entry 1000, head, body, exit; the body's branch goes to head.
        (r"<source_obj>1001(</source_obj><sink_obj>6<)", r"<source_obj>1003\1",
         "block 'exit' is entered from elsewhere"),
        (r"<item>6</item>(\s*</node_objs>)", r"\1", "block 'body' has 1 instructions, 2 in the bitcode"),
        (r"<edge_type>2(</edge_type><source_obj>1001</source_obj><sink_obj>6<)", r"<edge_type>1\1",
         "block 'body' ends in 0 ways, 1 in the bitcode"),
    ],
)  # fmt: skip
def test_a_schedule_whose_blocks_are_others_is_refused(tmp_path, pattern, new, told):
    folder = pipelined(tmp_path / "s")
    with pytest.raises(InputError, match=told) as refused:
        read_solution(edit(folder, pattern, new))
    assert refused.value.code == "schedule-mismatch"
    assert refused.value.where == str(schedule_of(folder))
