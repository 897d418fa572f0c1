"""Solutions put together: regions in loops and regions that are entered again, tokens, FIFOs, and waits for memory.

A leaf has its access in a state that a test chooses; a leaf whose last state is ``last`` begins its next run in the
cycle behind that one.
"""

import itertools

import pytest
from solution_folders import FIFO_OPERATIONS, Loop, Stages, write_solution
from solution_runs import make_array, runs_here, schedule_of

from sttest.core.errors import InputError
from sttest.importers.solution import read_solution
from sttest.sim import Pipeline, simulate


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch, tmp_path):
    runs_here(monkeypatch, tmp_path)


HEAD = FIFO_OPERATIONS + '@name = private constant [2 x i8] c"q\\00"\n'
LEAVES = (
    HEAD
    + """
define void @source(ptr %q) {
  %x = add i16 2, 3
  call void @_ssdm_op_Write.ap_fifo.volatile.i16P(ptr %q, i16 %x)
  ret void
}
define void @sink(ptr %q) {
  %x = add i16 2, 3
  %v = call i16 @_ssdm_op_Read.ap_fifo.volatile.i16P(ptr %q)
  ret void
}
"""
)
CHANNEL = """  %q = alloca i16
  call i32 (...) @_ssdm_op_SpecChannel(ptr @name, i32 1, ptr @name, ptr @name, i32 2, i32 2, ptr %q, ptr %q)
"""
BOTH = "source(ptr %q)", "sink(ptr %q)"
STREAM = (("q", 2, 0, 1),)


def leaf(at, last):
    """A function with its access in one state, and its end in the last one."""
    return Stages([[(0, 0), (at, 0), (last, 0)]], [(0, last)])


def in_sequence(calls):
    """A function that calls others one behind the other, and ends with the last call."""
    last = 2 * calls - 1
    return Stages([[*((2 * place, 1) for place in range(calls)), (last, 0)]], [(0, last)])


def region(calls=2, channels=STREAM):
    """A function that is a dataflow region, whose stages follow from its channels."""
    return Stages([[(0, 0)] * (calls + 2)], [(0, 0)], [Loop((0,), is_loop=False, is_dataflow=True, channels=channels)])


def region_in_loop(calls=2, channels=STREAM):
    """A function that is a loop with a dataflow region in it."""
    return Stages(
        [[(0, 0)] * 2, [(0, 0)] * 3, [(0, 0)] * (calls + 2), [(1, 0)]], [(0, 0), (0, 0), (0, 0), (1, 1)],
        [Loop((1, 2), is_dataflow=True, channels=channels)],
    )  # fmt: skip


def called(*calls):
    return "".join(f"  call void @{each}\n" for each in calls)


def function(name, *calls, channel=CHANNEL):
    """A function of one block."""
    return f"define void @{name}() {{\n{channel}{called(*calls)}  ret void\n}}\n"


def loop(name, *calls, channel=CHANNEL):
    """A loop of three trips around calls."""
    return f"""define void @{name}() {{
entry:
{channel}  br label %head
head:
  %i = phi i16 [ 0, %entry ], [ %next, %body ]
  %done = icmp eq i16 %i, 3
  br i1 %done, label %exit, label %body
body:
{called(*calls)}  %next = add i16 %i, 1
  br label %head
exit:
  ret void
}}
"""


def names(graph):
    """Of the FIFOs, sorted."""
    return sorted(each.name for each in graph.fifos)


def process(graph, name):
    return next(each for each in graph.processes if each.name == name)


# --- Regions in loops


@pytest.mark.parametrize("nested", [False, True], ids=["calls-in-the-loop", "a-region-in-the-loop"])
@pytest.mark.parametrize(("write", "read", "behind"), [(4, 0, 5), (0, 4, 1)])
def test_a_call_in_a_loop_is_one_process_for_all_iterations(tmp_path, write, read, behind, nested):
    schedules = {"source": leaf(write, 4), "sink": leaf(read, 4)}
    if nested:
        text = function("inside", *BOTH) + loop("top", "inside()", channel="  %n = alloca i16\n")
        schedules |= {"inside": region(), "top": region_in_loop(1, ())}
    else:
        text = loop("top", *BOTH)
        schedules |= {"top": region_in_loop()}
    graph = read_solution(write_solution(tmp_path / "s", LEAVES + text, schedules))
    assert [each.name for each in graph.processes] == ["top", "source", "sink"]
    assert names(graph) == ["done.sink", "done.source", "follows.source.sink", "q"]
    assert {each.start for each in graph.processes} == {0}  # tokens hold back what follows another one
    found = simulate(graph)
    # Three runs of five cycles each, from cycle 0 on.  The sink begins a cycle behind the source, and reads in its
    # first state, in the cycle behind the source's write, or only in its last one, when the token has long been there.
    assert found.finish["source"] == 14
    assert found.finish["sink"] == found.finish["top"] == found.cycles == 14 + behind


def test_a_loop_begins_with_its_call_and_its_caller_goes_on_behind_it(tmp_path):
    text = LEAVES + function("inside", *BOTH) + loop("part", "inside()", channel="  %n = alloca i16\n")
    top = Stages([[(0, 1), (11, 0)]], [(0, 11)])
    schedules = {"source": leaf(0, 4), "sink": leaf(4, 4), "inside": region(), "part": region_in_loop(1, ())}
    folder = write_solution(tmp_path / "s", text + function("top", "part()", channel=""), schedules | {"top": top})
    found = simulate(read_solution(folder))
    # The call begins in cycle 1, its sink a cycle behind; ten states follow the call.
    assert found.finish["source"] == 1 + 14
    assert found.finish["sink"] == 1 + 1 + 14
    assert found.finish["top"] == found.cycles == 1 + 1 + 14 + 10


ARRAYS = """
define void @source(ptr %a) {
  %x = add i16 2, 3
  store i16 %x, ptr %a
  ret void
}
define void @sink(ptr %a) {
  %x = add i16 2, 3
  %v = load i16, ptr %a
  ret void
}
"""


def halves(root, source, sink, labels=("a",)):
    """A loop whose source fills arrays that its sink uses up."""
    allocated = "  %q = alloca [4 x i16]\n" + "".join(f"  %q{n} = alloca i16\n" for n in range(1, len(labels)))
    channels = tuple((each, 0, 0, 1) for each in labels)
    top = region_in_loop(2, channels)
    top.stages[0] = [(0, 0)] * (len(labels) + 1)
    text = ARRAYS + loop("top", *BOTH, channel=allocated)
    folder = write_solution(root, text, {"source": leaf(0, source), "sink": leaf(0, sink), "top": top})
    for place in range(len(labels)):
        make_array(folder, place, place + 1)
    return folder


# The sink begins in the cycle behind the end of the source's run, and its own; the source's third run begins in that
# behind the end of the sink's first one, which empties the half that it fills.
@pytest.mark.parametrize(
    ("source", "sink", "filled", "end"),
    [
        (4, 9, 14 + 1 + 4, 4 + 3 * 10),  # the sink's first run is in cycles 5 to 14
        (9, 4, 3 * 10 - 1, 29 + 5),  # the source never waits
    ],
)
def test_an_array_of_a_loop_is_filled_in_one_half_while_the_other_is_used(tmp_path, source, sink, filled, end):
    graph = read_solution(halves(tmp_path / "s", source, sink))
    tokens = {each.name: (each.depth, each.initial_tokens) for each in graph.fifos if each.name.startswith("a.")}
    assert tokens == {"a.source.sink": (2, 0), "a.empty.source.sink": (2, 2)}
    found = simulate(graph)
    assert (found.finish["source"], found.finish["sink"], found.cycles) == (filled, end, end)


@pytest.mark.parametrize(
    ("labels", "told"), [(("a", "b"), ["a", "a.empty", "b", "b.empty"]), (("a", "a"), ["a", "a.empty"])]
)
def test_several_arrays_between_two_calls_have_halves_each_and_one_start(tmp_path, labels, told):
    graph = read_solution(halves(tmp_path / "s", 4, 9, labels))
    between = [f"{each}.source.sink" for each in (*told, "follows")]
    assert names(graph) == sorted(["done.sink", "done.source", *between])
    source, follows = process(graph, "source"), graph.fifo_index["follows.source.sink"]
    assert isinstance(source, Pipeline)
    assert source.trace is not None
    assert list(source.trace.op).count(2 * follows + 1) == 3  # a token for each trip, however many arrays there are
    assert simulate(graph).cycles == 34  # as with one of them


def test_processes_that_call_the_same_loop_have_its_processes_each(tmp_path):
    allocated = "  %q = alloca [4 x i16]\n"
    text = ARRAYS + loop("part", *BOTH, channel=allocated)
    text += function("one", "part()", channel="") + function("two", "part()", channel="")
    part = region_in_loop(2, (("a", 0, 0, 1),))
    schedules = {"source": leaf(0, 4), "sink": leaf(0, 9), "part": part, "top": region(2, ())}
    schedules |= {"one": in_sequence(1), "two": in_sequence(1)}
    folder = write_solution(tmp_path / "s", text + function("top", "one()", "two()", channel=allocated), schedules)
    make_array(folder, 0, 1, "part")
    graph = read_solution(folder)
    assert [each.name for each in graph.processes] == ["top", "one", "source", "sink", "two", "source#2", "sink#2"]
    # As the loop alone, but for the state before its call.
    assert simulate(graph).cycles == 1 + 34


def test_a_loop_with_a_region_that_is_entered_again_is_refused(tmp_path):
    text = LEAVES + loop("part", *BOTH) + function("top", "part()", "part()", channel="")
    schedules = {"source": leaf(4, 4), "sink": leaf(0, 4), "part": region_in_loop(), "top": in_sequence(2)}
    with pytest.raises(InputError, match="with 'source' is in a loop that is entered more than once") as refused:
        read_solution(write_solution(tmp_path / "s", text, schedules))
    assert refused.value.code == "unknown-region"
    assert refused.value.where.endswith("source.sched.adb")


def test_processes_of_a_loop_in_a_process_wait_for_the_start_of_that(tmp_path):
    """``top`` runs the process ``before``, and behind it ``worker``, which is a loop with a region in it."""
    text = LEAVES + loop("worker", *BOTH) + function("first", "before()", channel="") + function(
        "second", "worker()", channel="") + function("top", "first()", "second()", channel="")  # fmt: skip
    text += "define void @before() {\n  %x = add i16 2, 3\n  %y = add i16 2, 3\n  ret void\n}\n"
    alone = Stages([[(0, 0)] * 2], [(0, 0)], [Loop((0,), is_loop=False, is_dataflow=True)])
    schedules = {"source": leaf(0, 4), "sink": leaf(4, 4), "worker": region_in_loop(), "top": in_sequence(2)}
    schedules |= {"before": leaf(0, 8), "first": alone, "second": alone}
    graph = read_solution(write_solution(tmp_path / "s", text, schedules))
    found = simulate(graph)
    # It begins in cycle 1, ends in 9, and top goes on then: a state later it puts the tokens for worker and for what is
    # in its loop, which begin in 11.  Three runs of five cycles each follow, the sink's a cycle later.
    assert found.finish["before"] == 9
    assert found.finish["source"] == 11 + 14
    assert found.finish["sink"] == found.cycles == 11 + 14 + 1
    assert {"start.worker", "start.source"} < set(names(graph))
    assert process(graph, "source").start == process(graph, "worker").start


# --- Regions that are entered again


@pytest.mark.parametrize("last", [6, 40])
def test_a_region_that_is_entered_again_runs_the_same_processes_again(tmp_path, last):
    text = LEAVES + function("part", *BOTH) + function("top", "part()", "part()", channel="")
    schedules = {"source": leaf(0, last), "sink": leaf(last, last), "part": region(), "top": in_sequence(2)}
    graph = read_solution(write_solution(tmp_path / "s", text, schedules))
    assert [each.name for each in graph.processes] == ["top", "source", "sink"]
    assert names(graph) == ["done.sink", "done.source", "q", "start.sink", "start.source"]
    found = simulate(graph)
    # The source begins in cycle 1, the sink in 2; top waits for both until cycle 2 + last.  The second call begins two
    # cycles later, and its sink a cycle behind its source again.
    assert found.finish["source"] == (2 + last) + 2 + last
    assert found.finish["sink"] == found.finish["top"] == found.cycles == (2 + last) + 2 + 1 + last


def test_the_second_run_of_a_process_waits_for_its_caller(tmp_path):
    text = LEAVES + function("part", *BOTH) + function("top", "part()", "part()", channel="")
    late = Stages([[(0, 1), (30, 1), (31, 0)]], [(0, 31)])
    schedules = {"source": leaf(0, 6), "sink": leaf(6, 6), "part": region(), "top": late}
    found = simulate(read_solution(write_solution(tmp_path / "s", text, schedules)))
    # The first call ends in cycle 8 in place of stage 1, the second one begins 29 stages and a state later.
    assert found.finish["source"] == 8 + 29 + 1 + 6
    assert found.cycles == 8 + 29 + 1 + 1 + 6


def test_whoever_ends_before_a_process_does_not_wait_for_it(tmp_path):
    """A function that is a pipeline of depth 1 ends with its first stage, its calls a stage later."""
    top = region()
    top.regions[0].ii, top.regions[0].depth = 1, 1
    text = LEAVES + function("top", *BOTH)
    graph = read_solution(write_solution(tmp_path / "s", text, {"source": leaf(0, 4), "sink": leaf(4, 4), "top": top}))
    assert names(graph) == ["q"]
    found = simulate(graph)
    assert (found.finish["top"], found.finish["source"], found.finish["sink"]) == (0, 4, 5)


# --- What waits for what


def waited_for(root, schedules, *functions):
    """A top that calls ``part`` in its first state, in whose second one the call ends, and has 40 more states."""
    top = Stages([[(0, 1), (41, 0)]], [(0, 41)])
    text = LEAVES + "".join(functions) + function("top", "part()", channel="")
    return simulate(read_solution(write_solution(root, text, schedules | {"top": top})))


@pytest.mark.parametrize("levels", [0, 1, 2, 3])
def test_what_follows_a_region_waits_for_the_regions_in_it(tmp_path, levels):
    """Each level is a region whose only process is the next one; the sink reads in its last state."""
    labels = [f"level{number}" for number in range(levels)]
    names = ["part", *labels]
    schedules = {"source": leaf(0, 50), "sink": leaf(50, 50), names[-1]: region()}
    functions = [function(names[-1], *BOTH)]
    for outer, inner in itertools.pairwise(names):
        schedules[outer] = region(1, ())
        functions.append(function(outer, f"{inner}()", channel="  %n = alloca i16\n"))
    found = waited_for(tmp_path / "s", schedules, *functions)
    # The call begins in cycle 1, its sink one later; 40 states follow the cycle in which that ends.
    assert found.finish["sink"] == 2 + 50
    assert found.finish["top"] == found.cycles == 2 + 50 + 40


def test_what_follows_a_region_waits_for_a_loop_with_a_region_in_a_process(tmp_path):
    schedules = {"source": leaf(0, 50), "sink": leaf(50, 50), "inside": region_in_loop(), "part": region(1, ())}
    functions = loop("inside", *BOTH), function("part", "inside()", channel="  %n = alloca i16\n")
    found = waited_for(tmp_path / "s", schedules, *functions)
    # Three runs of 51 cycles, the sink's a cycle later.
    assert found.finish["sink"] == 1 + 1 + 3 * 51 - 1
    assert found.finish["top"] == found.cycles == found.finish["sink"] + 40


def test_a_process_that_calls_a_region_in_sequence_ends_behind_it(tmp_path):
    """``part`` is a region whose process ``inside`` calls a region in its first state and goes on for ten more."""
    schedules = {"source": leaf(0, 50), "sink": leaf(50, 50), "pair": region(), "part": region(1, ())}
    schedules["inside"] = Stages([[(0, 1), (11, 0)]], [(0, 11)])
    functions = function("pair", *BOTH), function("inside", "pair()", channel=""), function(
        "part", "inside()", channel="  %n = alloca i16\n")  # fmt: skip
    found = waited_for(tmp_path / "s", schedules, *functions)
    # A state later than with a region in its place, for a call takes one; ten states of inside, and 40 of top.
    assert found.finish["inside"] == 3 + 50 + 10
    assert found.cycles == 3 + 50 + 10 + 40


def test_a_region_in_a_region_that_is_entered_again_is_waited_for_each_time(tmp_path):
    text = LEAVES + function("inside", *BOTH) + function("part", "inside()", channel="  %n = alloca i16\n")
    text += function("top", "part()", "part()", channel="")
    schedules = {"source": leaf(0, 50), "sink": leaf(50, 50), "inside": region(), "part": region(1, ())}
    found = simulate(read_solution(write_solution(tmp_path / "s", text, schedules | {"top": in_sequence(2)})))
    # As where part itself has the two.
    assert found.finish["source"] == (2 + 50) + 2 + 50
    assert found.finish["top"] == found.cycles == (2 + 50) + 2 + 1 + 50


def test_a_stall_in_the_last_cycle_of_a_process_holds_up_what_follows_it(tmp_path):
    """The sink would end in its state 4, with a read of what its source writes 20 states later."""
    schedules = {"source": leaf(24, 24), "sink": leaf(4, 4), "part": region()}
    found = waited_for(tmp_path / "s", schedules, function("part", *BOTH))
    assert found.finish["source"] == 1 + 24
    assert found.finish["sink"] == 1 + 24 + 1
    assert found.finish["top"] == found.cycles == 1 + 24 + 1 + 40


@pytest.mark.parametrize("levels", [0, 1])
def test_a_stall_of_a_process_of_one_cycle_holds_up_what_follows_it(tmp_path, levels):
    schedules = {"source": leaf(24, 24), "sink": leaf(0, 0), "part": region()}
    functions = [function("part", *BOTH)]
    if levels:
        schedules |= {"inside": region(), "part": region(1, ())}
        functions = [function("inside", *BOTH), function("part", "inside()", channel="  %n = alloca i16\n")]
    assert waited_for(tmp_path / "s", schedules, *functions).cycles == 1 + 24 + 1 + 40


# --- Where a loop with a region in it stands


def behind_a_loop(root, entry=1, behind=0):
    """A loop of three trips, with so many states before it, and a state and more behind it."""
    text = loop("top", *BOTH)
    stages = region_in_loop()
    if entry > 1:
        text = text.replace("  br label %head", "  %n = add i16 1, 2\n  br label %head", 1)
        stages.stages[0], stages.states[0] = [(0, 0), (0, 0), (entry - 1, 0)], (0, entry - 1)
    text = text.replace("exit:\n", "exit:\n  %m = add i16 1, 2\n")
    stages.stages[3], stages.states[3] = [(entry, 0), (entry + behind, 0)], (entry, entry + behind)
    schedules = {"source": leaf(0, 50), "sink": leaf(50, 50), "top": stages}
    return simulate(read_solution(write_solution(root, LEAVES + text, schedules)))


@pytest.mark.parametrize("behind", [0, 1, 40])
def test_states_behind_a_loop_with_a_region_follow_its_end(tmp_path, behind):
    found = behind_a_loop(tmp_path / "s", behind=behind)
    # Three runs of 51 cycles, the sink's a cycle later, which is the first one of what follows.
    assert found.finish["sink"] == 3 * 51
    assert found.finish["top"] == found.cycles == 3 * 51 + behind


@pytest.mark.parametrize("entry", [1, 2, 9])
def test_a_loop_with_a_region_begins_behind_the_states_before_it(tmp_path, entry):
    found = behind_a_loop(tmp_path / "s", entry=entry, behind=40)
    begin = entry if entry > 1 else 0  # with its function where that has no states of its own before it
    assert found.finish["source"] == begin + 3 * 51 - 1
    assert found.cycles == begin + 3 * 51 + 40


def test_the_last_of_two_loops_with_regions_begins_behind_the_first(tmp_path):
    second = loop("top", "more(ptr %q)", "less(ptr %q)").replace("%i", "%j").replace("%next", "%then")
    second = second.replace("%done", "%ends").replace("head", "again").replace("body", "turn").replace("exit", "end")
    body = second.partition("  br label %again\n")[2].replace("%entry", "%exit")
    first = loop("top", *BOTH, channel=CHANNEL + CHANNEL.replace("%q", "%p"))
    text = first.replace("exit:\n  ret void\n}\n", "exit:\n  br label %again\n" + body.replace("ptr %q", "ptr %p"))
    text += LEAVES.partition("define void @source")[2].join(["define void @source", ""]).replace(
        "@source", "@more").replace("@sink", "@less")  # fmt: skip
    once = region_in_loop()
    stages = [[(0, 0)] * 3, *once.stages[1:3], [(1, 0)], *once.stages[1:3], [(2, 0)]]
    states = [(0, 0), (0, 0), (0, 0), (1, 1), (1, 1), (1, 1), (2, 2)]
    loops = [
        Loop((1, 2), is_dataflow=True, channels=STREAM),
        Loop((4, 5), is_dataflow=True, channels=(("p", 2, 2, 3),)),
    ]
    top = Stages(stages, states, loops)
    leaves = {"source": leaf(0, 50), "sink": leaf(50, 50), "more": leaf(0, 9), "less": leaf(9, 9)}
    found = simulate(read_solution(write_solution(tmp_path / "s", LEAVES + text, leaves | {"top": top})))
    assert found.finish["sink"] == 3 * 51
    # The block between them is in the cycle in which the first loop ends.
    assert found.finish["more"] == 3 * 51 + 1 + 3 * 10 - 1
    assert found.finish["less"] == found.cycles == 3 * 51 + 1 + 3 * 10


# --- FIFOs


def plain(root, text=LEAVES, calls=BOTH, source=(4, 4), sink=(0, 4), channels=STREAM):
    """A top that is a region."""
    schedules = {"source": leaf(*source), "sink": leaf(*sink), "top": region(len(calls), channels)}
    return write_solution(root, text + function("top", *calls), schedules)


@pytest.mark.parametrize(
    ("implemented", "kind", "cycles"), [("reg [23:0] SRL_SIG [0:4];", "srl", 9), ("reg [23:0] mem [0:4];", "ram", 10)]
)
def test_a_fifo_is_that_of_the_verilog(tmp_path, implemented, kind, cycles):
    folder = plain(tmp_path / "s")
    verilog = folder / "syn" / "verilog"
    verilog.mkdir()
    (verilog / "top_fifo_w24_d5_A.v").write_text(f"module top_fifo_w24_d5_A (\n{implemented}\n")
    (verilog / "top.v").write_text("top_fifo_w24_d5_A q_U(\n")
    graph = read_solution(folder)
    stream = next(each for each in graph.fifos if each.name == "q")
    assert (stream.bits, stream.depth, stream.kind) == (24, 5, kind)
    # The source writes in cycle 4.  The sink reads in its first state, a cycle later, or two through a memory.
    assert simulate(graph).cycles == cycles


def test_bits_that_stand_nowhere_are_a_word_and_a_note(tmp_path):
    notes: list[str] = []
    graph = read_solution(plain(tmp_path / "s", LEAVES.replace("volatile.i16P", "volatile.bundleP")), notes=notes)
    assert next(each.bits for each in graph.fifos if each.name == "q") == 32
    assert "tokens of 'q' have 32 bits: neither Verilog nor bitcode says it" in notes


def test_a_fifo_that_nobody_reads_is_left_out_with_a_note(tmp_path):
    notes: list[str] = []
    graph = read_solution(plain(tmp_path / "s", calls=BOTH[:1], channels=()), notes=notes)
    assert names(graph) == ["done.source"]
    assert "'q' is left out: it is only written" in notes


@pytest.mark.parametrize(
    ("calls", "told"),
    [((*BOTH, BOTH[0]), "'q' has 2 writers and 1 readers"), ((BOTH[0], BOTH[0], BOTH[1], BOTH[1]), "2 .* 2 readers")],
)
def test_a_fifo_with_several_ends_is_refused(tmp_path, calls, told):
    with pytest.raises(InputError, match=told) as refused:
        read_solution(plain(tmp_path / "s", calls=calls))
    assert refused.value.code == "shared-fifo"


def test_an_access_before_its_process_begins_is_refused(tmp_path):
    folder = plain(tmp_path / "s")
    early = Stages([[(3, 0), (1, 0), (4, 0)]], [(3, 4)])  # its states are 3 and 4, its write is in 1
    other = write_solution(tmp_path / "t", LEAVES, {"source": early}, top="source")
    schedule_of(other, "source").replace(schedule_of(folder, "source"))
    with pytest.raises(InputError, match="process 'source' accesses a FIFO before it begins") as refused:
        read_solution(folder)
    assert refused.value.code == "before-start"


PACKETS = """
declare i1 @_autotb_FifoRead_i1(ptr)
declare i1 @_autotb_FifoWrite_i1(ptr, i1)
define i16 @_ssdm_op_Read.ap_fifo.volatile.i16P.i1P(ptr %p, ptr %l) {
  %v = call i16 @_autotb_FifoRead_i16(ptr %p)
  %m = call i1 @_autotb_FifoRead_i1(ptr %l)
  ret i16 %v
}
define void @_ssdm_op_Write.ap_fifo.volatile.i16P.i1P(ptr %p, ptr %l, i16 %v, i1 %m) {
  %r = call i16 @_autotb_FifoWrite_i16(ptr %p, i16 %v)
  %s = call i1 @_autotb_FifoWrite_i1(ptr %l, i1 %m)
  ret void
}
define void @source(ptr %q, ptr %l) {
  %x = add i16 2, 3
  call void @_ssdm_op_Write.ap_fifo.volatile.i16P.i1P(ptr %q, ptr %l, i16 %x, i1 true)
  ret void
}
define void @sink(ptr %q, ptr %l) {
  %x = add i16 2, 3
  %v = call i16 @_ssdm_op_Read.ap_fifo.volatile.i16P.i1P(ptr %q, ptr %l)
  ret void
}
"""


def test_a_token_with_a_mark_beside_it_is_a_fifo_each(tmp_path):
    channels = CHANNEL + CHANNEL.replace("%q", "%last")
    text = HEAD + PACKETS + function("top", "source(ptr %q, ptr %last)", "sink(ptr %q, ptr %last)", channel=channels)
    top = region(3, (("q", 2, 0, 1), ("last", 2, 0, 1)))
    schedules = {"source": leaf(4, 4), "sink": leaf(0, 4), "top": top}
    graph = read_solution(write_solution(tmp_path / "s", text, schedules))
    assert {each.name: each.bits for each in graph.fifos if not each.name.startswith("done")} == {"q": 16, "last": 1}
    assert simulate(graph).cycles == 9  # written in cycle 4, read in 5, four states later the end


# --- Memory

MEMORY = """
@table = private constant [4 x i32] zeroinitializer
declare i1 @_ssdm_op_ReadReq.m_axi.i32P(ptr, i32)
declare i32 @_ssdm_op_Read.m_axi.i32P(ptr)
declare i1 @_ssdm_op_WriteReq.m_axi.i32P(ptr, i32)
declare void @_ssdm_op_Write.m_axi.i32P(ptr, i32)
declare i1 @_ssdm_op_WriteResp.m_axi.i32P(ptr)
"""


def memory(root, *operations, last):
    """A top that accesses memory: operation, pointer, first state and length, and ends in its last state."""
    lines = ["  %far = getelementptr i32, ptr %a, i64 64"]
    for place, (kind, pointer, _, _) in enumerate(operations):
        result = {"Read": f"%r{place} = call i32", "Write": "call void"}.get(kind, f"%r{place} = call i1")
        more = "" if kind in ("Read", "WriteResp") else ", i32 2"
        lines.append(f"  {result} @_ssdm_op_{kind}.m_axi.i32P(ptr {pointer}{more})")
    text = "\n".join([MEMORY, "define void @top(ptr %a, ptr %b) {", *lines, "  ret void", "}", ""])
    stages = [(0, 0), *((start, length) for _, _, start, length in operations), (last, 0)]
    return write_solution(root, text, {"top": Stages([stages], [(0, last)])})


# From a request to its first beat are at least 1 + 12 cycles, whatever the schedule says.
@pytest.mark.parametrize(
    ("beats", "last", "cycles"),
    [
        ((("ReadReq", "%a", 0, 6), ("Read", "%a", 7, 0)), 9, 13 + 2),
        ((("ReadReq", "%a", 0, 6), ("Read", "%a", 20, 0)), 22, 22),  # it is there long before
        ((("ReadReq", "%a", 0, 6), ("Read", "%a", 7, 0), ("Read", "%a", 8, 0), ("Read", "%a", 10, 0)), 10, 13 + 3),
        ((("ReadReq", "%a", 0, 6), ("Read", "%far", 7, 0)), 9, 13 + 2),  # elsewhere in the same memory
        ((("ReadReq", "@table", 0, 6), ("Read", "@table", 7, 0)), 9, 13 + 2),
        ((("ReadReq", "%a", 0, 6), ("Read", "%b", 7, 0)), 9, 9),  # nothing was requested there
        # The second request is in cycle 13 + 1, its beat 13 later.
        (
            (("ReadReq", "%a", 0, 6), ("Read", "%a", 7, 0), ("ReadReq", "%a", 8, 6), ("Read", "%a", 15, 0)),
            16, 14 + 13 + 1,
        ),
        # Two ports wait at the same time.
        (
            (("ReadReq", "%a", 0, 6), ("ReadReq", "%b", 1, 6), ("Read", "%a", 7, 0), ("Read", "%b", 8, 0)),
            8, 14,
        ),
    ],
)  # fmt: skip
def test_the_first_beat_of_a_burst_waits_for_the_memory(tmp_path, beats, last, cycles):
    assert simulate(read_solution(memory(tmp_path / "s", *beats, last=last))).cycles == cycles


# From the last beat to the response are at least 1 + 7 cycles.
@pytest.mark.parametrize(
    ("beats", "last", "cycles"),
    [
        ((("Write", "%a", 2, 0), ("WriteResp", "%a", 3, 4)), 8, 2 + 8 + 1),
        ((("Write", "%a", 2, 0), ("Write", "%a", 4, 0), ("WriteResp", "%a", 5, 4)), 10, 4 + 8 + 1),
        ((("Write", "%a", 2, 0), ("WriteResp", "%a", 3, 9)), 13, 13),  # the schedule waits longer
        ((("Write", "%b", 2, 0), ("WriteResp", "%a", 3, 4)), 8, 8),  # that of another port
    ],
)
def test_the_response_waits_for_the_memory(tmp_path, beats, last, cycles):
    folder = memory(tmp_path / "s", ("WriteReq", "%a", 0, 0), *beats, last=last)
    assert simulate(read_solution(folder)).cycles == cycles
