"""Allo's kernels: functions that they call, what calls take, regions inside regions, and tops that are no design."""

import pytest
from mlir_designs import GET, PUT, STREAM, allo_source, put_times

from sttest.core.errors import InputError
from sttest.importers.allo import read_allo
from sttest.sim import simulate

KERNELS = f"""
  func.func @make(%s: {STREAM}) {{
    %v = arith.constant 7 : i32
    {PUT}
    return
  }}
  func.func @use(%s: {STREAM}) {{
    {GET}
    return
  }}
"""
SIGNATURE = f"({STREAM}) -> ()"
PIPE = f"""  func.func @NAME() attributes {{dataflow}} {{
    %0 = allo.stream_construct() {{name = "pipe"}} : {STREAM}
    call @make(%0) : {SIGNATURE}
    call @use(%0) : {SIGNATURE}
    return
  }}
"""


def written(tmp_path, *functions):
    path = tmp_path / "design.mlir"
    path.write_text(f"module {{{''.join(functions)}}}\n", encoding="utf-8")
    return path


def function(name, body, arguments=""):
    return f"  func.func @{name}({arguments}) {{\n{body}\n    return\n  }}\n"


def refusal(path, **options):
    with pytest.raises(InputError) as refused:
        read_allo(path, **options)
    return refused.value


# --- What kernels call


def test_calls_of_functions_without_streams_take_what_is_stated(tmp_path):
    """A call is made between the PUTs: these happen in cycles 1 and 2 + what it takes."""
    path = allo_source(tmp_path, "PUT\nfunc.call @work() : () -> ()\n%h = func.call @check() : () -> i1\nPUT")
    notes = []
    assert put_times(read_allo(path, cycles=["work=10", "check=100"], notes=notes)) == [1, 112]
    assert notes == []
    assert put_times(read_allo(path, cycles=["work=10"], notes=notes)) == [1, 13]
    assert notes == [
        "a call takes 1 cycle where --cycles does not say (here check): times are too short; whether it deadlocks, and "
        "the depths that lift that, do not depend on times"
    ]


def test_of_many_calls_without_stated_cycles_five_are_named(tmp_path):
    names = [f"f{number}" for number in range(7)]
    path = allo_source(tmp_path, "PUT\n" + "".join(f"func.call @{name}() : () -> ()\n" for name in names))
    path.write_text(path.read_text().replace("module {", "module {" + "".join(function(n, "") for n in names)))
    notes = []
    read_allo(path, notes=notes)
    assert "(here f0, f1, f2, f3, f4 and 2 more)" in notes[0]


def test_cycles_of_what_is_never_called_are_refused_with_the_nearest_name(tmp_path):
    path = allo_source(tmp_path, "PUT\nfunc.call @work() : () -> ()")
    error = refusal(path, cycles=["wor=10"], notes=[])
    assert (error.code, error.what, error.hints) == ("unknown-kernel", "no call of 'wor'", ("did you mean 'work'?",))
    error = refusal(allo_source(tmp_path, "PUT"), cycles=["work=10"], notes=[])
    assert error.hints == ("leave it out: nothing is called",)


def test_what_a_call_gives_is_not_known(tmp_path):
    body = "%h = func.call @check() : () -> i1\nscf.if %h {\n  PUT\n}"
    assert "whether they happen depends on data (scf.if)" in refusal(allo_source(tmp_path, body)).what
    body = f"%h = func.call @ask(%s, %v) : ({STREAM}, i32) -> i1\nscf.if %h {{\n  PUT\n}}"
    ask = f"func.func @ask(%s: {STREAM}, %v: i32) -> i1 {{\n {PUT}\n %t = arith.constant true\n return %t : i1\n}}\n"
    path = allo_source(tmp_path, body)
    path.write_text(path.read_text().replace("module {", "module {" + ask))
    assert "whether they happen depends on data (scf.if)" in refusal(path).what


def test_what_a_get_gives_is_not_known(tmp_path):
    again = GET.replace("%got", "%more")
    body = f"{GET}\n %k = arith.constant 0 : i32\n %h = arith.cmpi eq, %got, %k : i32\n scf.if %h {{\n {again}\n }}"
    error = refusal(written(tmp_path, KERNELS.replace(GET, body), PIPE.replace("NAME", "top")))
    assert error.where.endswith("design.mlir: use")
    assert "whether they happen depends on data (scf.if)" in error.what


REPEAT = f"""module {{
  func.func @repeat(%t: {STREAM}, %often: index, %v: i32) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %often step %c1 {{
      {PUT.replace("%s", "%t")}
    }}
    return
  }}
"""


def repeated(tmp_path, body):
    """A kernel that calls @repeat, which puts so often."""
    path = allo_source(tmp_path, body.replace("REPEAT", f": ({STREAM}, index, i32) -> ()"))
    path.write_text(path.read_text(encoding="utf-8").replace("module {\n", REPEAT), encoding="utf-8")
    return path


def test_a_function_that_a_kernel_calls_accesses_its_streams_and_knows_its_numbers(tmp_path):
    """A PUT, three of the first call, 10 cycles of @work, two of the second call."""
    first, second = (f"func.call @repeat(%s, {often}, %v) REPEAT\n" for often in ("%c3", "%c2"))
    path = repeated(tmp_path, f"PUT\n{first}func.call @work() : () -> ()\n{second}")
    assert put_times(read_allo(path, cycles=["work=10"])) == [1, 2, 3, 4, 15, 16]
    unknown = "%q = memref.load %n[] : memref<index>\nfunc.call @repeat(%s, %q, %v) REPEAT"
    error = refusal(repeated(tmp_path, f"PUT\n{unknown}"))
    assert error.where.endswith("design.mlir: source")
    assert "the bounds of a loop around them are not known (scf.for)" in error.what


# --- Regions


def test_kernels_that_are_called_in_a_loop_of_the_top_are_refused(tmp_path):
    loop = f"affine.for %i = 0 to 4 {{\n      call @make(%0) : {SIGNATURE}\n    }}"
    path = written(tmp_path, KERNELS, PIPE.replace("NAME", "top").replace(f"call @make(%0) : {SIGNATURE}", loop))
    error = refusal(path)
    assert error.what == "kernels with streams are called inside 'affine.for'"
    assert error.where.endswith("design.mlir: @top")
    computed = loop.replace(f"call @make(%0) : {SIGNATURE}", "%x = arith.addi %i, %i : index")
    text = PIPE.replace("NAME", "top").replace("    call @make", f"    {computed}\n    call @make")
    assert put_times(read_allo(written(tmp_path, KERNELS, text))) == [1]


def test_streams_of_one_name_and_streams_without_a_name_stay_apart(tmp_path):
    def stream(number, attributes):
        text = f"%{number} = allo.stream_construct() {attributes} : {STREAM}\n"
        return text + f"call @make(%{number}) : {SIGNATURE}\ncall @use(%{number}) : {SIGNATURE}\n"

    body = stream(0, '{name = "pipe"}') + stream(1, '{name = "pipe"}') + stream(2, "")
    graph = read_allo(written(tmp_path, KERNELS, function("top", body)))
    assert [fifo.name for fifo in graph.fifos] == ["pipe", "pipe.1", "stream2"]
    assert [process.name for process in graph.processes] == ["make", "use", "make.2", "use.2", "make.3", "use.3"]


def test_a_function_of_the_top_that_moves_nothing_is_no_process(tmp_path):
    setup = function("setup", "") + "  func.func private @outside()\n"
    text = PIPE.replace("NAME", "top").replace(
        "    call @make", "    call @setup() : () -> ()\n    call @outside() : () -> ()\n    call @make"
    )
    graph = read_allo(written(tmp_path, KERNELS, setup, text))
    assert [process.name for process in graph.processes] == ["make", "use"]


def test_regions_that_a_kernel_calls_in_turn_are_said_to_start_together(tmp_path):
    first, second = (PIPE.replace("NAME", name) for name in ("first", "second"))
    wrapper = function("both", "call @first() : () -> ()\ncall @second() : () -> ()")
    notes = []
    path = written(tmp_path, KERNELS, first, second, wrapper, function("top", "call @both() : () -> ()"))
    graph = read_allo(path, top="top", notes=notes)
    assert [fifo.name for fifo in graph.fifos] == ["both/first/pipe", "both/second/pipe"]
    assert notes == ["both calls 2 regions one after another: they are taken to start together"]
    result = simulate(graph, record=True)
    assert result.write_times["both/first/pipe"] == result.write_times["both/second/pipe"] == [1]


def test_a_kernel_without_end_runs_as_often_as_others_ask(tmp_path):
    """Once one PUT, then two a round: two rounds for five that are taken."""
    loop = "scf.while () : () -> () {\nscf.condition(%yes)\n} do {\nPUT\nPUT\nscf.yield\n}"
    body = f"%yes = arith.cmpi eq, %c1, %c1 : index\nPUT\n{loop}"
    assert put_times(read_allo(allo_source(tmp_path, body, takes=5))) == [1, 2, 3, 4, 5]


# --- What is refused


def test_functions_that_call_each_other_too_deeply_are_refused(tmp_path):
    def chain(length):
        links = [function(f"f{n}", f"call @f{n + 1}() : () -> ()") for n in range(length)]
        last = PIPE.replace("NAME", f"f{length}").replace(" attributes {dataflow}", "")
        return written(tmp_path, KERNELS, *links, last)

    assert len(read_allo(chain(40), top="f0").fifos) == 1
    error = refusal(chain(70), top="f0")
    assert (error.code, error.what) == ("nested-calls", "more than 64 calls inside each other")
    pipe = PIPE.replace("NAME", "one").replace("    return", "    call @other() : () -> ()\n    return")
    other = function("other", "call @one() : () -> ()")
    error = refusal(written(tmp_path, KERNELS, pipe, other, function("top", "call @one() : () -> ()")), top="top")
    assert (error.code, error.what) == ("nested-calls", "@one calls itself, through @other")


def test_a_stream_that_is_no_argument_of_its_kernel_is_refused(tmp_path):
    own = f'%s = allo.stream_construct() {{name = "own"}} : {STREAM}'
    body = function("alone", f"%v = arith.constant 7 : i32\n{own}\n{PUT}\n{GET}")
    text = PIPE.replace("NAME", "top").replace("    call @use", "    call @alone() : () -> ()\n    call @use")
    error = refusal(written(tmp_path, KERNELS, body, text))
    assert (error.code, error.what) == ("unknown-stream", "it accesses a stream that is not among its arguments")
    assert error.where.endswith("design.mlir: alone")


def test_a_kernel_that_was_lowered_to_branches_is_named(tmp_path):
    branch = "cf.br ^bb1\n^bb1:"
    error = refusal(allo_source(tmp_path, f"PUT\n{branch}\nPUT"))
    assert (error.code, error.what) == ("mlir-structure", "'func.func' has 2 blocks, not one")
    assert error.where.endswith("design.mlir: @source")
    error = refusal(
        written(tmp_path, KERNELS, PIPE.replace("NAME", "top").replace("    return", f"    {branch}\n    return"))
    )
    assert error.where.endswith("design.mlir: @top")
    helper = f"func.func @help(%s: {STREAM}, %v: i32) {{\n{PUT}\n{branch}\nreturn\n}}\n"
    path = allo_source(tmp_path, f"PUT\nfunc.call @help(%s, %v) : ({STREAM}, i32) -> ()")
    path.write_text(path.read_text().replace("module {", "module {" + helper))
    assert refusal(path).where.endswith("design.mlir: source: @help")


def test_several_tops_are_named(tmp_path):
    path = written(tmp_path, KERNELS, PIPE.replace("NAME", "one"), PIPE.replace("NAME", "two"))
    error = refusal(path)
    assert (error.code, error.what) == ("no-top", "2 functions may be the top, not one: one, two")
    assert [fifo.name for fifo in read_allo(path, top="two").fifos] == ["pipe"]
