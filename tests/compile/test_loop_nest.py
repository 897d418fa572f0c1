"""Loop nests and the types that follow: tasks touch exactly the elements that linalg touches."""

from __future__ import annotations

import pytest
from linalg_programs import Program, random_program
from touched_elements import assert_same_elements

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.linalg.loop_nest import tile_of
from sttest.compile.opt import new_context, parse
from sttest.compile.passes.linalg_to_kernels import LinalgToKernels
from sttest.core.errors import InputError


def kernels_of(text: str, tile_size: int) -> list[df.KernelOp]:
    """The kernels of a text, checked element by element against the text."""
    context = new_context()
    module = parse(text, "text", context)
    before = module.clone()
    LinalgToKernels(tile_size).apply(context, module)
    kernels = all_of(module, df.KernelOp)
    assert_same_elements(before, kernels)
    return kernels


def task_of(kernel: df.KernelOp) -> df.TaskOp:
    (task,) = all_of(kernel, df.TaskOp)
    return task


def source_text(task: df.TaskOp, source: int) -> str:
    """Element, space and map of a source's type."""
    return str(df.itensor_of(task.sources[source])).removeprefix("!df.itensor<").removesuffix(">")


def test_matmul_reads_the_right_factor_again_for_every_row_tile() -> None:
    program = Program()
    product = program.matmul(program.argument(32, 32), program.argument(32, 32))
    (kernel,) = kernels_of(program.text(product), 16)
    task = task_of(kernel)
    assert task.is_contraction
    assert (task.trip_counts, task.tile_sizes) == ((2, 2, 2), (16, 16, 16))
    assert source_text(task, 1) == "16x16xf32, iter_space: [2,2,2]*[16,16,16], iter_map: (d0,d1,d2)->(d2,d1)"


def test_values_by_head_are_read_in_long_pieces() -> None:
    # Positions are summed, and a position's channels lie side by side: four tiles of them at once.
    program = Program()
    mixed = program.matmul(program.argument(2, 1, 64), program.argument(2, 64, 128))
    assert task_of(kernels_of(program.text(mixed), 16)[0]).tile_sizes == (1, 64, 16)
    # With rows too; but not what is computed here, nor a weight.
    program = Program()
    mixed = program.matmul(program.argument(2, 32, 64), program.argument(2, 64, 128))
    assert task_of(kernels_of(program.text(mixed), 16)[0]).tile_sizes == (1, 16, 64, 16)
    program = Program()
    mixed = program.matmul(program.argument(2, 32, 64), program.unary(program.argument(2, 64, 128)))
    assert task_of(kernels_of(program.text(mixed), 16)[1]).tile_sizes == (1, 16, 16, 16)


def test_a_transpose_dissolves_into_the_map() -> None:
    program = Program()
    turned = program.transpose(program.argument(8, 12), [1, 0])
    (kernel,) = kernels_of(program.text(program.matmul(turned, program.argument(8, 16))), 4)
    assert source_text(task_of(kernel), 0) == "4x4xf32, iter_space: [3,4,2]*[4,4,4], iter_map: (d0,d1,d2)->(d2,d0)"


def test_a_broadcast_streams_its_source_again() -> None:
    program = Program()
    wide = program.broadcast(program.argument(8), 0, 16)
    (kernel,) = kernels_of(program.text(program.unary(wide)), 8)
    assert source_text(task_of(kernel), 0) == "8xf32, iter_space: [2,1]*[8,8], iter_map: (d0,d1)->(d1)"


def test_heads_split_the_loop_over_merged_channels() -> None:
    # [4 rows, 2 heads x 8 channels], per head times its own transpose: the channel loop is split in head and channel.
    program = Program()
    rows = program.argument(4, 16)
    queries = program.transpose(program.expand(rows, 1, 2), [1, 0, 2])
    keys = program.transpose(program.expand(program.argument(4, 16), 1, 2), [1, 2, 0])
    (kernel,) = kernels_of(program.text(program.matmul(queries, keys)), 4)
    assert source_text(task_of(kernel), 0) == (
        "4x4xf32, iter_space: [2,1,1,2]*[8,4,4,4], iter_map: (d0,d1,d2,d3)->(d1,(d0 + d3))"
    )


def test_a_product_over_merged_dims_tiles_the_inner_one() -> None:
    # 32 x 6 merged: tiling the longer, outer dim over single inner points would leave gaps in the slice.
    program = Program()
    merged = program.collapse(program.transpose(program.argument(32, 4, 6), [1, 0, 2]), 1)
    (kernel,) = kernels_of(program.text(program.matmul(merged, program.argument(192, 4))), 4)
    assert df.itensor_of(task_of(kernel).sources[1]).element_shape == (3, 4)


def test_what_is_merged_and_cut_elsewhere_is_copied_in_between() -> None:
    # 4 x 6 as 3 x 8: a step of 8 is a row and a third, which no loop over rows takes.
    program = Program()
    merged = program.collapse(program.argument(4, 6), 0)
    copy, kernel = kernels_of(program.text(program.unary(program.expand(merged, 0, 3))), 4)
    assert copy.inputs[0] in copy.parent_block().args
    assert list(kernel.inputs) == list(copy.outputs)
    assert df.itensor_of(task_of(copy).produced[0]).full_shape == (24,)


def test_what_several_read_of_a_merge_is_copied_once_and_only_for_those_who_cut_it_elsewhere() -> None:
    program = Program()
    merged = program.collapse(program.transpose(program.argument(4, 2, 6), [1, 0, 2]), 1)
    by_eight, by_six = program.expand(merged, 1, 3), program.expand(merged, 1, 4)
    text = program.text(program.unary(by_eight), program.unary(by_six), program.unary(by_eight))
    first, *readers = kernels_of(text, 4)
    assert first.sym_name.data == "op_copy"
    assert [each.inputs[0].owner is first for each in readers] == [True, False, True]


def test_an_elementwise_op_takes_tile_and_order_of_its_producer() -> None:
    program = Program()
    product = program.matmul(program.argument(24, 32), program.argument(32, 40))
    *_, kernel = kernels_of(program.text(program.unary(program.transpose(product, [1, 0]))), 16)
    # 24 rows in tiles of 12, 40 columns in tiles of 10, row tiles outermost, as the product leaves them.
    assert task_of(kernel).tile_sizes == (12, 10)
    assert source_text(task_of(kernel), 0) == "12x10xf32, iter_space: [2,4]*[12,10], iter_map: (d0,d1)->(d0,d1)"


def test_a_reduction_to_a_scalar() -> None:
    program = Program()
    (kernel,) = kernels_of(program.text(program.reduce(program.argument(8), 0)), 4)
    task = task_of(kernel)
    assert task.loop_kinds == ("reduction",)
    assert df.itensor_of(task.produced[0]).full_shape == ()


@pytest.mark.parametrize(("extent", "tile", "found"), [(64, 16, 16), (40, 16, 10), (7, 16, 7), (7, 4, 1), (1, 16, 1)])
def test_a_tile_divides_its_loop(extent: int, tile: int, found: int) -> None:
    assert tile_of(extent, tile) == found


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_touch_the_elements_of_linalg(seed: int) -> None:
    try:
        kernels_of(random_program(seed), (1, 2, 3, 4, 8, 16)[seed % 6])
    except InputError as refused:
        assert refused.code == "tile-too-large"  # noqa: PT017
