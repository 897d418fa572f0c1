"""Where kernels end: groups of kernels that belong together."""

from __future__ import annotations

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.fuse_kernels import merge_groups
from sttest.compile.pipeline import tiling_passes
from sttest.frontend.shipped import lowered_text
from sttest.studies.ablation.measure import by_part


def test_groups_of_parts_never_wait_for_each_other() -> None:
    context = new_context()
    tiled = parse(lowered_text("gpt2", "decode", small=True), "small", context)
    for each in tiling_passes(CompileOptions()):
        each.apply(context, tiled)
    (function,) = functions(tiled)
    kernels = all_of(function, df.KernelOp)
    fusion = by_part(kernels, lambda task: "products" if task.is_contraction else "others")
    assert len(fusion.costs) > 2, "products need what the others make, and the other way round"
    merge_groups(function, fusion)
    tiled.verify()
    assert len(all_of(function, df.KernelOp)) == len(fusion.costs)
