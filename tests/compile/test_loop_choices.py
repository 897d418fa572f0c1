"""Tiles and orders of single tasks: what they do, what they must not change, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from functional_runs import graph_of, results_of, whole_tensors
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from linalg_programs import Program, random_whole_program
from linalg_values import values_of
from nest_choices import random_choices, spaces_of

from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.linalg_to_kernels import LinalgToKernels
from sttest.compile.schedule.operators import step_interval
from sttest.core.errors import InputError, SttestError

REFUSALS = {"tile-too-large"}
_, LIBRARY = load_operators(OPERATORS_FILE)


def tasks_of(text: str, *, tiles: tuple[str, ...] = (), orders: tuple[str, ...] = ()) -> dict[str, df.TaskOp]:
    context = new_context()
    module = parse(text, "text", context)
    LinalgToKernels(4, tiles, orders).apply(context, module)
    module.verify()
    return {task.sym_name.data: task for kernel in all_of(module, df.KernelOp) for task in all_of(kernel, df.TaskOp)}


def grouped_sums() -> str:
    """Eight groups of sums of 16 columns are summed on, then doubled."""
    program = Program()
    partial = program.unary(program.argument(8, 16))
    return program.text(program.unary(program.reduce(partial, 0)))


def test_names_and_loops_of_the_text() -> None:
    spaces = spaces_of(grouped_sums())
    assert {name: [space.extent(loop) for loop in space.order] for name, space in spaces.items()} == {
        "op": [8, 16],
        "op_2": [16, 8],
        "op_3": [16],
    }


def test_a_reduction_around_a_parallel_loop_holds_a_running_tile_per_column() -> None:
    task = tasks_of(grouped_sums(), tiles=("op_2:4x1",), orders=("op_2:1,0",))["op_2"]
    assert (task.trip_counts, task.tile_sizes, task.loop_kinds) == ((8, 4), (1, 4), ("reduction", "parallel"))
    assert task.held_loops == (1,)
    assert (task.iterations_per_sum, task.iterations_per_result) == (4, 1)


def test_columns_inside_keep_the_adder_busy() -> None:
    inside, outside = (
        tasks_of(grouped_sums(), tiles=("op_2:4x1",), orders=(f"op_2:{order}",))["op_2"] for order in ("1,0", "0,1")
    )
    # Pairs never wait.
    assert [step_interval(outside, lanes, LIBRARY) for lanes in (1, 2, 4)] == [1, 1, 1]
    for task in (inside, outside):
        del task.properties["pairwise"]
    assert [step_interval(inside, lanes, LIBRARY) for lanes in (1, 2, 4)] == [1, 1, 1]
    # One behind the other: as many sums as columns are left of the tile, and an adder of four stages.
    assert [step_interval(outside, lanes, LIBRARY) for lanes in (1, 2, 4)] == [1, 2, 4]


def test_who_follows_a_chosen_order_keeps_its_reduction_where_it_is() -> None:
    columns_inside = tasks_of(grouped_sums(), orders=("op:0,1",))["op_2"]
    assert columns_inside.loop_kinds == ("reduction", "parallel")
    assert tasks_of(grouped_sums())["op_2"].loop_kinds == ("parallel", "reduction")


def test_the_last_of_several_entries_holds() -> None:
    tiles = ("op*:2", "op_3:16")
    with pytest.raises(InputError, match="2 tiles 1 loops, the task has 2"):
        tasks_of(grouped_sums(), tiles=tiles)
    assert tasks_of(grouped_sums(), tiles=("op_[3]:2", "op_3:16"))["op_3"].tile_sizes == (16,)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"tiles": ("op_4:2",)}, "unknown-task", "no task is called 'op_4'"),
        ({"orders": ("softmax*:1,0",)}, "unknown-task", "no task is called 'softmax*'"),
        ({"tiles": ("op_2",)}, "bad-tile", "write name:64x1x128"),
        ({"tiles": (":4x1",)}, "bad-tile", "does not give a task its tile"),
        ({"tiles": ("op_2:4x-1",)}, "bad-tile", "does not give a task its tile"),
        ({"orders": ("op_2:1x0",)}, "bad-order", "write name:1,0,2"),
        ({"tiles": ("op_2:4x3",)}, "bad-tile", "a tile of 3 does not divide a loop of 8; take one of 1, 2, 4, 8"),
        ({"tiles": ("op_2:0x1",)}, "bad-tile", "a tile of 0 does not divide a loop of 16"),
        ({"tiles": ("op_2:4",)}, "bad-tile", "give one size to each of 16 parallel, 8 reduction"),
        ({"orders": ("op_2:1,1",)}, "bad-order", "1,1 is no permutation of the 2 loops"),
        ({"orders": ("op_2:0,1,2",)}, "bad-order", "order 16 parallel, 8 reduction by their positions from 0"),
    ],
)
def test_a_bad_choice_is_refused(options: dict[str, tuple[str, ...]], code: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        tasks_of(grouped_sums(), **options)
    assert refused.value.code == code
    assert words in str(refused.value)


def test_an_unknown_task_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'op_3'"):
        tasks_of(grouped_sums(), tiles=("op_33:2",))


def test_a_sum_of_floats_keeps_its_order() -> None:
    program = Program()
    left, right = program.argument(4, 4, 6), program.argument(24, 8)
    product = program.matmul(program.collapse(left, 1), right)
    text = program.text(product)
    (space,) = spaces_of(text).values()
    kinds = [space.loops[loop].reduction for loop in space.order]
    assert kinds == [False, False, True, True]
    assert tasks_of(text, orders=("op:2,0,3,1",))["op"].loop_kinds == ("reduction", "parallel") * 2
    with pytest.raises(InputError) as refused:
        tasks_of(text, orders=("op:0,1,3,2",))
    assert refused.value.code == "changes-sum"


def test_a_tile_with_gaps_is_refused() -> None:
    program = Program()
    merged = program.collapse(program.argument(4, 4, 6), 1)
    text = program.text(program.matmul(merged, program.argument(24, 8)))
    with pytest.raises(InputError, match="two of its loops walk one dim"):
        tasks_of(text, tiles=("op:1x1x2x3",))


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.integers(0, 10**6))
def test_any_tiles_and_orders_compute_what_the_text_says(seed: int) -> None:
    text = random_whole_program(seed, ops=4)
    assume("tensor.concat" not in text)
    try:
        tiles, orders = random_choices(text, seed)
        graph = graph_of(
            text, CompileOptions(tiles=tiles, orders=orders, tile_size=1, overall_unroll=10**6, precision="fp32")
        )
    except SttestError as error:
        if error.code in REFUSALS:
            reject()
        raise
    tensors = whole_tensors(graph, seed)
    for found, wanted in zip(results_of(graph, tensors).values(), values_of(text, tensors), strict=True):
        np.testing.assert_array_equal(found, wanted)
