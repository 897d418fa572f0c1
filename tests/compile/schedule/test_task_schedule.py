"""Cost of tasks by hand, with U55C's operators.

fmul 4 stages, fadd 7, fmax 1, fexp 14, mac 4, iadd 1, sitofp, fptosi and fround 6.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sttest.boards.load import load_board
from sttest.boards.operators import Operator, operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.opt import new_context, parse
from sttest.compile.schedule.operators import instances_of, operators_of_lanes, step_interval
from sttest.compile.schedule.task_schedule import task_schedule
from sttest.core.errors import InputError

PRODUCT = "%p = arith.mulf %a, %b : f32\n%s = arith.addf %p, %acc : f32\ndf.yield %s : f32"
INTEGER_PRODUCT = (
    "%l = arith.extsi %a : i8 to i32\n%r = arith.extsi %b : i8 to i32\n"
    "%p = arith.muli %l, %r : i32\n%s = arith.addi %p, %acc : i32\ndf.yield %s : i32"
)
SUM = "%s = arith.addf %a, %acc : f32\ndf.yield %s : f32"


@pytest.fixture(scope="module")
def library() -> Mapping[str, Operator]:
    return operators(load_board("u55c"))


def dtype_of(itensor: str) -> str:
    """The element type at the end of an itensor's first word."""
    return itensor.split(",")[0].rstrip(">").split("x")[-1]


def task(lanes: int, sources: list[str], result: str, loops: str, payload: str) -> df.TaskOp:
    """A task whose sources and result are given as types."""
    scalars = ", ".join(f"%{name}: {dtype_of(source)}" for name, source in zip("abc", sources, strict=False))
    names = ", ".join(f"%x{number}" for number in range(len(sources)))
    types = ", ".join(f"!df.itensor<{source}>" for source in sources)
    arguments = ", ".join(f"%x{number}: !df.itensor<{source}>" for number, source in enumerate(sources))
    text = (
        f'func.func @a({arguments}) {{\n%y = df.task "t" {loops} lanes {lanes} ins({names} : {types}) '
        f"-> !df.itensor<{result}> {{\n^bb0({scalars}, %acc: {dtype_of(result)}):\n{payload}\n}}\nfunc.return\n}}"
    )
    return all_of(parse(text, "task", new_context()), df.TaskOp)[0]


def matmul(lanes: int, dtype: str, vector: str = "") -> df.TaskOp:
    """16x16x16 tiles of a 32x32x32 product; ``vector`` cuts every source tile into 4 registers of 8x8."""
    space, maps = "[2,2,2]*[16,16,16]", ("(d0,d1,d2)->(d0,d2)", "(d0,d1,d2)->(d2,d1)")
    sources = [f"16x16x{dtype}, iter_space: {space}, iter_map: {each}" for each in maps]
    if vector:
        space = "[2,2,2,2,2]*[16,16,16,8,8]"
        maps = ("(d0,d1,d2,d3,d4)->(d0+d3,d2+d4)", "(d0,d1,d2,d3,d4)->(d2+d3,d1+d4)")
        sources = [f"vector<8x8x{dtype}>, iter_space: {space}, iter_map: {each}" for each in maps]
    total, init, payload = ("i32", "0 : i32", INTEGER_PRODUCT) if dtype == "i8" else ("f32", "0.0 : f32", PRODUCT)
    result = f"16x16x{total}, iter_space: [2,2]*[16,16], iter_map: (d0,d1)->(d0,d1)"
    loops = f'loops [2,2,2] tile [16,16,16] kinds "parallel,parallel,reduction" init {init} contracts'
    return task(lanes, sources, result, loops, payload)


def test_an_integer_product_takes_a_step_per_cycle(library: Mapping[str, Operator]) -> None:
    cost = task_schedule(matmul(64, "i8"), library)
    # 4096 products over 64 lanes: 64 steps.  Lanes fill the 16 columns and 4 rows, none share a result: no tree.
    assert cost.ii == 64
    # 64 steps, then MAC 4, whose addition is its own, and one token out.
    assert cost.latency == 64 + 4 + 1
    assert [len(port.cycles) for port in (*cost.sources, *cost.results)] == [1, 1, 1]


def test_lanes_that_share_a_result_pay_an_adder_tree(library: Mapping[str, Operator]) -> None:
    # All 256 results in parallel and 8 lanes on each: 2 steps, a tree of 3 levels of integer adders.
    cost = task_schedule(matmul(2048, "i8"), library)
    assert (cost.ii, cost.latency) == (2, 2 + 4 + 3 * 1 + 1)


def test_a_port_of_narrow_registers_bounds_the_interval(library: Mapping[str, Operator]) -> None:
    # 4 registers per tile: with 2 steps of work the port is the slower.
    cost = task_schedule(matmul(2048, "i8", vector="8x8"), library)
    assert (cost.ii, [len(port.cycles) for port in cost.sources]) == (4, [4, 4])


def test_a_floating_point_product_waits_for_its_sum(library: Mapping[str, Operator]) -> None:
    # 256 lanes, one per result: each sum comes round in every step, so a fabric adder's loop of 4 cycles bounds it.
    slow = task_schedule(matmul(256, "f32"), library)
    assert slow.ii == 16 * 4
    # 16 lanes, 16 results on each: the sum has 16 steps to come back.
    assert task_schedule(matmul(16, "f32"), library).ii == 4096 // 16


def test_a_maximum_comes_round_in_the_next_cycle(library: Mapping[str, Operator]) -> None:
    sources = ["16x16xf32, iter_space: [2,2]*[16,16], iter_map: (d0,d1)->(d0,d1)"]
    loops = 'loops [2,2] tile [16,16] kinds "parallel,reduction" init 0.0 : f32'
    payload = "%s = arith.maximumf %a, %acc : f32\ndf.yield %s : f32"
    result = "16xf32, iter_space: [2]*[16], iter_map: (d0)->(d0)"
    # 16 steps over 16 rows in parallel; ordered bits compare within a cycle.
    assert task_schedule(task(16, sources, result, loops, payload), library).ii == 16


def test_an_elementwise_task_takes_its_longest_path(library: Mapping[str, Operator]) -> None:
    rows = "16x16xf32, iter_space: [2]*[16], iter_map: (d0)->(d0,0)"
    loops = 'loops [2,1] tile [16,16] kinds "parallel,parallel"'
    payload = "%e = math.exp %a : f32\n%n = arith.negf %b : f32\n%s = arith.addf %e, %n : f32\ndf.yield %s : f32"
    cost = task_schedule(task(16, [rows, rows], rows, loops, payload), library)
    # 256 points over 16 lanes; exp 14 and add 7, the negation is a wire; one token out.
    assert (cost.ii, cost.latency) == (16, 16 + 14 + 7 + 1)


def test_a_scale_that_varies_along_the_sum_makes_the_sum_wait(library: Mapping[str, Operator]) -> None:
    # Values weighted by the softmax: the products are integers, the running sum is not.
    maps = ("(d0,d1)->(d1)", "(d0,d1)->(d1,d0)", "(d0,d1)->(d1)")
    space = "iter_space: [2,2]*[16,16], iter_map:"
    sources = [f"16xi8, {space} {maps[0]}", f"16x16xi8, {space} {maps[1]}", f"16xf16, {space} {maps[2]}"]
    payload = (
        "%l = arith.extsi %a : i8 to i32\n%r = arith.extsi %b : i8 to i32\n%p = arith.muli %l, %r : i32\n"
        "%f = arith.sitofp %p : i32 to f32\n%e = arith.extf %c : f16 to f32\n%m = arith.mulf %f, %e : f32\n"
        "%s = arith.addf %acc, %m : f32\ndf.yield %s : f32"
    )
    loops = 'loops [2,2] tile [16,16] kinds "parallel,reduction" init 0.0 : f32 contracts'
    cost = task_schedule(
        task(16, sources, "16xf32, iter_space: [2]*[16], iter_map: (d0)->(d0)", loops, payload), library
    )
    # 16 lanes on 16 results: each position waits 4 cycles for the sum of the one before.
    assert (cost.ii, cost.latency) == (16 * 4, 16 * 4 + 4 + 6 + 4 + 5 + 1)


def test_a_conversion_to_integers_rounds_and_clamps_by_itself(library: Mapping[str, Operator]) -> None:
    rows = "16x16x{}, iter_space: [2,2]*[16,16], iter_map: (d0,d1)->(d0,d1)"
    payload = (
        "%h = arith.constant 127.0 : f32\n%p = arith.mulf %a, %h : f32\n%w = math.roundeven %p : f32\n"
        "%u = arith.minimumf %w, %h : f32\n%n = arith.negf %h : f32\n%v = arith.maximumf %u, %n : f32\n"
        "%q = arith.fptosi %v : f32 to i8\ndf.yield %q : i8"
    )
    loops = 'loops [2,2] tile [16,16] kinds "parallel,parallel"'
    cost = task_schedule(task(16, [rows.format("f32")], rows.format("i8"), loops, payload), library)
    assert (cost.ii, cost.latency) == (16, 16 + 4 + 6 + 1)


def test_an_op_without_an_operator_is_named(library: Mapping[str, Operator]) -> None:
    rows = "16x16xf32, iter_space: [2]*[16], iter_map: (d0)->(d0,0)"
    payload = "%s = math.atan %a : f32\ndf.yield %s : f32"
    with pytest.raises(InputError, match=r"no operator of the library stands for 'math\.atan'"):
        task_schedule(task(1, [rows], rows, 'loops [2,1] tile [16,16] kinds "parallel,parallel"', payload), library)


def row_sums(lanes: int, properties: str) -> df.TaskOp:
    """Sums of 32 rows of 64 elements, in tiles of 16 x 16."""
    source = "16x16xf32, iter_space: [2,4]*[16,16], iter_map: (d0,d1)->(d0,d1)"
    loops = f'loops [2,4] tile [16,16] kinds "parallel,reduction" init 0.0 : f32 {properties}'
    return task(lanes, [source], "16xf32, iter_space: [2]*[16], iter_map: (d0)->(d0)", loops, SUM)


def test_a_pairwise_sum_waits_for_no_adder(library: Mapping[str, Operator]) -> None:
    # 16 lanes along a row: 15 adders in a tree, and 2 levels for its 4 steps; one row per step.
    found = row_sums(16, "pairwise")
    cost = task_schedule(found, library)
    assert (cost.walk.lanes, cost.interval, cost.ii) == ((1, 16), 1, 16)
    instances = instances_of(operators_of_lanes(found, 16), step_interval(found, 16, library))
    assert instances == {"fadd": 15 + 2}
    # 4 levels of the tree and 2 of steps; the payload's own addition is counted as well, which is 7 stages too many.
    assert cost.stages == (1 + 4 + 2) * 7


def test_lanes_of_a_chain_lie_one_behind_the_other(library: Mapping[str, Operator]) -> None:
    # 16 rows in parallel leave nothing in between: 4 cycles per step.  32 lanes are two terms of each row: 8 cycles.
    intervals = {lanes: task_schedule(row_sums(lanes, ""), library).interval for lanes in (1, 4, 8, 16, 32)}
    assert intervals == {1: 1, 4: 1, 8: 2, 16: 4, 32: 8}


def test_tokens_pass_in_the_steps_that_need_them(library: Mapping[str, Operator]) -> None:
    cost = task_schedule(matmul(64, "i8", vector="8x8"), library)
    # 64 steps, the columns of the weight outermost: each of its registers is read in the step that first needs it.
    assert [len(port.cycles) for port in cost.sources] == [4, 4]
    assert all(0 <= cycle < cost.ii for port in cost.sources for cycle in port.cycles)
    assert all(list(port.cycles) == sorted(port.cycles) for port in (*cost.sources, *cost.results))
