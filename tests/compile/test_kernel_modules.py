"""Kernels as modules of their own: nothing is lost, and each compiles to a design by itself."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from sttest.boards.load import load_board, require_hbm
from sttest.compile.dialects import df
from sttest.compile.ir.kernel_modules import kernel_modules
from sttest.compile.ir.module_walk import all_of, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import streaming_passes, tiling_passes
from sttest.compile.timing.timed_graph import timed_graph
from sttest.frontend.shipped import lowered_text


@pytest.fixture
def tiled() -> ModuleOp:
    context = new_context()
    module = parse(lowered_text("gpt2", "decode", small=True), "small", context)
    set_target(module, "u55c")
    for each in tiling_passes(CompileOptions()):
        each.apply(context, module)
    return module


def names(module: ModuleOp) -> list[str]:
    return [task.sym_name.data for task in all_of(module, df.TaskOp)]


def test_every_task_is_in_one_module(tiled: ModuleOp) -> None:
    split = [module for _, module in kernel_modules(tiled)]
    assert [name for module in split for name in names(module)] == names(tiled)
    assert all(len(all_of(module, df.KernelOp)) == 1 for module in split)
    for module in split:
        module.verify()


def test_parameters_stay_parameters(tiled: ModuleOp) -> None:
    board = require_hbm(load_board("u55c"))
    context = new_context()
    for name, module in kernel_modules(tiled):
        if name == "mlp_fc1":
            for each in streaming_passes(CompileOptions()):
                each.apply(context, module)
            processes = {process.name for process in timed_graph(module, board, name).processes}
            assert any("mlp_fc1_weight" in process for process in processes)
            reads = [op for op in all_of(module, df.KernelOp)[0].walk() if op.name == "df.dma_read"]
            packed = {str(op.properties["origin"]): "packed" in op.properties for op in reads}
            assert [origin for origin, is_packed in packed.items() if is_packed] == ['"mlp_fc1_weight"']
            return
    raise AssertionError("there is no product in the block")
