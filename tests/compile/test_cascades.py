"""Sums of products down cascades of DSPs: stages, operators and the C++ of a schedule that has them."""

from __future__ import annotations

import re

import pytest
from integer_contractions import contraction

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.schedule.operators import operators_of_lanes
from sttest.compile.schedule.task_schedule import task_schedule
from sttest.core.errors import InputError
from sttest.sim import simulate

LIBRARY = operators(require_hbm(load_board("u55c")))


def design(depth: int = 32, *cascades: str, **others: tuple[str, ...]) -> CompiledDesign:
    """A product of one result row, four columns at a time, so many lanes to each."""
    options = CompileOptions(
        tiles=(f"op:1x4x{depth}",),
        lanes=(f"op:{4 * depth}",),
        precision="fp32",
        cascades=cascades,
        **others,  # type: ignore[arg-type]
    )
    return compile_text(contraction(2, 2 * depth, 8), "contraction", "u55c", options)


def the_task(found: CompiledDesign) -> df.TaskOp:
    (task,) = all_of(found.module, df.TaskOp)
    return task


@pytest.mark.parametrize(
    ("depth", "length", "stages"),
    # 4 of a product and its sum, a cycle for each further product of a chain, a level for each doubling of chains.
    [
        (32, 2, 4 + 1 + 4),
        (32, 4, 4 + 3 + 3),
        (32, 8, 4 + 7 + 2),
        (32, 16, 4 + 15 + 1),
        (16, 16, 4 + 15),
        (6, 16, 4 + 5),
        (24, 16, 4 + 15 + 1),
    ],
)
def test_stages_are_those_of_a_chain_and_a_tree_over_chains(depth: int, length: int, stages: int) -> None:
    before, after = design(depth), design(depth, f"op:{length}")
    assert task_schedule(the_task(after), LIBRARY).stages == stages
    later = stages - task_schedule(the_task(before), LIBRARY).stages
    assert simulate(after.graph).cycles == (simulate(before.graph).cycles or 0) + later


def test_only_the_last_product_of_a_chain_has_an_adder_in_luts() -> None:
    assert operators_of_lanes(the_task(design()), 128) == {"mac_w4a8_packed": 128}
    chains = {"mac_w4a8_packed": 8, "mac_w4a8_packed_cascaded": 120}
    assert operators_of_lanes(the_task(design(32, "op:16")), 128) == chains
    # 24 lanes of a result are a chain of 16 and one of 8.
    chains = {"mac_w4a8_packed": 8, "mac_w4a8_packed_cascaded": 88}
    assert operators_of_lanes(the_task(design(24, "op:16")), 96) == chains


def test_the_kernel_is_the_same_but_for_depths() -> None:
    before, after = (emit_design(found).text for found in (design(), design(32, "*:16")))
    numbers = re.compile(r"(depth|latency)\s*=\s*\d+")
    assert numbers.sub("", before) == numbers.sub("", after)


@pytest.mark.parametrize("entry", ["op", "op:3", "op:32", ":4"])
def test_a_length_that_no_cascade_has_is_refused(entry: str) -> None:
    with pytest.raises(InputError) as refusal:
        design(32, entry)
    assert refusal.value.code == "bad-cascade"


def test_products_in_luts_have_no_cascade() -> None:
    with pytest.raises(InputError) as refusal:
        design(32, "op:4", fabric=("op",))
    assert refusal.value.code == "no-integer-product"
