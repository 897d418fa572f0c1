"""Integer products in LUTs: what their tasks take, that nothing else changes, and what the C++ asks for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from sttest.boards.energy import activity_of, energy
from sttest.boards.resources import Resources
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.reports import activity_table, kernel_table
from sttest.compile.resources.design import design_resources
from sttest.compile.sharing.functional_units import engines_of
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate

ATTENTION = ("attn_scores", "attn_mix")


@cache
def design(*fabric: str, share: str = "none") -> CompiledDesign:
    options = CompileOptions(precision="w4a8", fabric=fabric, share=share)  # type: ignore[arg-type]
    return compile_text(lowered_text("gpt2", "prefill", small=True), "small", "u55c", options)


def logic(found: CompiledDesign) -> dict[str, Resources]:
    return {node.name: node.logic for node in design_resources(found).nodes}


def lanes(found: CompiledDesign) -> dict[str, int]:
    return {task.sym_name.data: min(task.lane_count, task.tile_points) for task in all_of(found.module, df.TaskOp)}


def dsp_tasks(found: CompiledDesign) -> set[str]:
    return {task.sym_name.data for task in all_of(found.module, df.TaskOp) if not task.multiplies_in_fabric}


def test_attention_has_no_dsps_and_its_lanes_have_the_luts_of_a_product() -> None:
    """int8 x int8: the adder stays, and the 40 LUTs of the product come on top of it."""
    before, after = logic(design()), logic(design(*ATTENTION))
    for name in ATTENTION:
        assert before[name].dsp == lanes(design())[name] > 0
        assert after[name] == replace(before[name], dsp=0, lut=pytest.approx(before[name].lut + 40 * before[name].dsp))
    assert {name for name in before if before[name] != after[name]} == set(ATTENTION)


def test_a_product_with_int4_weights_has_nothing_to_correct() -> None:
    before, after = logic(design())["mlp_fc1"], logic(design("mlp_fc1"))["mlp_fc1"]
    many = lanes(design())["mlp_fc1"]
    assert (before.dsp, after.dsp) == (many / 2, 0)
    assert after.lut - before.lut == pytest.approx((40 - 6) * many)
    assert after.ff - before.ff == pytest.approx(-6 * many)


def test_times_lanes_and_depths_stay() -> None:
    before, after = design(), design(*ATTENTION)
    assert lanes(before) == lanes(after)
    assert before.graph == after.graph
    assert kernel_table(before) == kernel_table(after)


def test_energy_is_that_of_the_slices_that_they_replace() -> None:
    """No cost of a LUT is known: a design does not look thriftier for it."""
    before, after = (activity_table(found) for found in (design(), design(*ATTENTION)))
    assert before == after
    run = simulate(design(*ATTENTION).graph)
    busy = {name: process.busy_cycles for name, process in run.breakdown.items()}
    done = activity_of(after, busy, run.cycles or 0, 250)
    assert energy(done, design().board.energy_costs, "high").dsp_j > 0


def test_an_engine_is_made_of_one_kind_of_product() -> None:
    def groups(found: CompiledDesign) -> set[frozenset[str]]:
        return {frozenset(task.sym_name.data for task in tasks) for tasks in engines_of(found.module).values()}

    projections = frozenset({"attn_q_proj", "attn_k_proj", "attn_v_proj", "attn_o_proj"})
    (engine,) = (group for group in groups(design(share="weights")) if "attn_q_proj" in group)
    assert projections <= engine
    split = groups(design("attn_[kv]_proj", share="weights"))
    assert frozenset({"attn_k_proj", "attn_v_proj"}) in split
    assert engine - {"attn_k_proj", "attn_v_proj"} in split


def test_the_kernel_binds_these_products_and_is_else_the_same() -> None:
    before, after = (emit_design(found).text for found in (design(), design(*ATTENTION)))
    bound = "ap_int<32> product;\n#pragma HLS bind_op variable=product op=mul impl=fabric\n"
    assert "lut_product" not in before
    assert bound in after
    functions = {text.split("{")[0]: text for text in before.split("\n\n")}
    others = {text.split("{")[0]: text for text in after.split("\n\n")}
    changed = [text for head, text in others.items() if functions.get(head) != text]
    assert sum("lut_product(" in text for text in changed) == len(ATTENTION) + 1  # and the function itself
    assert len(changed) <= len(ATTENTION) + 1
