"""`--share auto`: who takes turns is chosen by volume of data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.linalg_to_kernels import LinalgToKernels
from sttest.compile.passes.share_engines import ShareEngines, given_bytes
from sttest.compile.pipeline import tiling_passes
from sttest.compile.sharing.functional_units import engines_of
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate


@cache
def design(share: str) -> CompiledDesign:
    return compile_text(lowered_text("gpt2", "decode", small=True), "small", "u55c", CompileOptions(share=share))  # type: ignore[arg-type]


def tiled(monkeypatch, room_bytes: int) -> ModuleOp:
    """The small decode block with engines by a board with so much memory on chip."""
    context = new_context()
    module = parse(lowered_text("gpt2", "decode", small=True), "small", context)
    set_target(module, "u55c")
    monkeypatch.setattr("sttest.boards.part.Fabric.usable_onchip_bytes", room_bytes)
    for each in tiling_passes(CompileOptions(share="auto")):
        each.apply(context, module)
        if isinstance(each, ShareEngines):
            break
    return module


def test_an_engine_ends_where_what_it_keeps_has_no_room():
    """Four products, of which the second and the third alone are close enough; see the text."""
    context = new_context()
    module = parse((Path(__file__).parent / "share_by_volume.mlir").read_text(encoding="utf-8"), "volumes", context)
    LinalgToKernels(tile_size=16).apply(context, module)
    ShareEngines("auto").apply(context, module)
    named = {name: [task.sym_name.data for task in tasks] for name, tasks in engines_of(module).items()}
    assert named == {"second_engine": ["second", "third"]}


def test_where_all_fits_all_that_is_alike_shares():
    found = design("auto")
    assert engines_of(found.module).keys() == engines_of(design("all").module).keys()
    assert simulate(found.graph).cycles == simulate(found.graph, "simpy").cycles == simulate(design("all").graph).cycles


def test_without_room_nothing_shares(monkeypatch):
    assert engines_of(tiled(monkeypatch, 0)) == {}


@pytest.mark.parametrize("room_bytes", [2000, 8000, 30_000])
def test_what_is_given_within_an_engine_fits(monkeypatch, room_bytes):
    module = tiled(monkeypatch, room_bytes)
    kernels = all_of(module, df.KernelOp)
    engines = engines_of(module)
    assert engines, "some tasks share"
    for members in engines.values():
        first, last = (
            next(n for n, k in enumerate(kernels) if k is task.parent_op()) for task in members[:: len(members) - 1]
        )
        assert sum(given_bytes(kernel) for kernel in kernels[first : last + 1]) <= room_bytes


def test_more_room_lets_no_fewer_tasks_share(monkeypatch):
    shared = [sum(map(len, engines_of(tiled(monkeypatch, room)).values())) for room in (0, 2000, 8000, 10**9)]
    assert shared == sorted(shared)
    assert shared[0] < shared[-1]
