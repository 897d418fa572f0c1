"""Where pipelines drain: what is paced by a product does after each result, what comes in a burst does not."""

from __future__ import annotations

from functools import cache

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import lowered_text
from sttest.sim.graph import Pipeline

HEADS, HIDDEN_TILES = 16, 32


@cache
def pipelines() -> dict[str, Pipeline]:
    options = CompileOptions(
        share="all", gemv_lanes=1024, orders=("*_proj:0,1,2", "mlp_fc?:0,1,2"), overall_unroll=2048
    )
    graph = compile_text(lowered_text("gpt2", "decode", small=False), "gpt2", "u55c", options).graph
    return {each.name: each for each in graph.processes if isinstance(each, Pipeline)}


def trips_of_first_pass(name: str) -> tuple[int, ...]:
    return pipelines()[name].loops[0].trips


@pytest.mark.parametrize("name", ["attn_q_proj_scale", "attn_mix_scale"])
def test_a_scalar_behind_a_slow_peak_drains_after_each(name: str) -> None:
    assert trips_of_first_pass(name) == (1,)
    assert pipelines()[name].repeat == HEADS


def test_an_engine_drains_where_all_of_its_tasks_are_paced() -> None:
    engine = pipelines()["attn_k_proj_scale_engine"]
    assert {loop.trips for loop in engine.loops} == {(1,)}
    assert len(engine.loops) == 2 * HEADS


def test_what_waits_for_a_mean_comes_in_a_burst_and_does_not_drain() -> None:
    # The elements wait for the mean of the same row, however slowly they came.
    assert trips_of_first_pass("attn_norm_peak_engine") == (HIDDEN_TILES,)
    assert trips_of_first_pass("attn_norm_quantize_engine") == (HIDDEN_TILES,)


def test_what_is_behind_a_sum_of_groups_comes_in_a_burst_and_does_not_drain() -> None:
    # Groups around columns: all columns are complete in the last pass, one after another.
    text = lowered_text("gpt2", "decode", small=False)
    graph = compile_text(text, "gpt2", "u55c", CompileOptions(share="all", gemv_lanes=1024, overall_unroll=1536)).graph
    engine = next(each for each in graph.processes if each.name == "attn_q_proj_rescale_engine")
    assert isinstance(engine, Pipeline)
    assert {loop.trips for loop in engine.loops} == {(HIDDEN_TILES,), (4 * HIDDEN_TILES,)}
