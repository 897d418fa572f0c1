"""What a kernel makes of its block's result, and what that is worth where channels are chosen."""

from __future__ import annotations

from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.assign_channels import AssignChannels
from sttest.compile.pipeline import all_passes
from sttest.compile.sharing.layers import behind_result
from sttest.frontend.shipped import lowered_text

WIDE = CompileOptions(precision="w4a8", gemv_lanes=1024, overall_unroll=1536, share="all", layers=24)


def with_dmas(head: bool, options: CompileOptions, *, small: bool) -> ModuleOp:
    """As `assign-channels` finds it."""
    context = new_context()
    module = parse(lowered_text("gpt2", "decode", small=small, head=head), "block", context)
    set_target(module, "u55c")
    for each in all_passes(options):
        if isinstance(each, AssignChannels):
            break
        each.apply(context, module)
    return module


@pytest.mark.parametrize("share", ["none", "all"])
def test_a_head_is_behind_its_block(share: str) -> None:
    (kernel,) = all_of(with_dmas(True, CompileOptions(share=share), small=True), df.KernelOp)  # type: ignore[arg-type]
    behind = behind_result(kernel)
    tasks = {task.sym_name.data: task in behind for task in all_of(kernel, df.TaskOp)}
    assert {name for name, is_behind in tasks.items() if is_behind} == {name for name in tasks if "head" in name}
    loads = {load.origin.data for load in all_of(kernel, df.DmaReadOp) if load in behind and load.origin}
    assert loads == {"head_norm_weight", "head_norm_bias", "head_proj_weight", "head_proj_weight_scale", "token_ids"}
    assert sum(store in behind for store in all_of(kernel, df.DmaWriteOp)) == 2


def test_nothing_is_behind_a_block_alone() -> None:
    (kernel,) = all_of(with_dmas(False, CompileOptions(), small=True), df.KernelOp)
    assert behind_result(kernel) == set()


@cache
def slices(layers: int) -> dict[str, int]:
    """How many channels each tensor of GPT-2 Medium comes over."""
    module = with_dmas(True, WIDE, small=False)
    AssignChannels(layers).apply(new_context(), module)
    found: dict[str, int] = {}
    for dma in all_of(module, df.DmaReadOp):
        name = dma.origin.data if dma.origin else ""
        found[name] = max(found.get(name, 1), dma.slice_of[1] if dma.slice else 1)
    return found


def test_a_head_counts_once_where_a_launch_runs_many_layers() -> None:
    # The head has four times the weights of a layer: against one layer the cache gets what it leaves.
    assert slices(24)["k_cache"] > slices(1)["k_cache"]
    assert slices(24)["head_proj_weight"] == slices(1)["head_proj_weight"]
