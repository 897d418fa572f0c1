"""Products of one row with a weight on engines of many lanes: what they get, what follows them, and the same values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from block_goldens import Case, golden_and_found, same_bits
from functional_runs import graph_of

from sttest.boards.operators import OPERATORS_FILE, load_operators, operators
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import tiling_passes
from sttest.compile.resources.nodes import memories
from sttest.compile.schedule.operators import step_interval
from sttest.compile.sharing.functional_units import stream_ends
from sttest.core.errors import DoesNotFitError, InputError
from sttest.frontend.shipped import SHIPPED_MODELS, lowered_text
from sttest.sim import simulate

WIDE = CompileOptions(gemv_lanes=8192, tile_size=64, overall_unroll=32768)
PRODUCTS = ("attn_q_proj", "attn_k_proj", "attn_v_proj", "attn_o_proj", "mlp_fc1", "mlp_fc2")
# A decode step that pays everything but its products and attention one after the other; 3,177 when this was written.
CHAIN_CYCLES = 3_900


def tasks_of(model: str, phase: str, options: CompileOptions, *, small: bool) -> Mapping[str, df.TaskOp]:
    context = new_context()
    module = parse(lowered_text(model, phase, small=small), model, context)
    for each in tiling_passes(options):
        each.apply(context, module)
    return {task.sym_name.data: task for task in all_of(module, df.TaskOp)}


@pytest.fixture(scope="module")
def wide() -> Mapping[str, df.TaskOp]:
    return tasks_of("gpt2", "decode", WIDE, small=False)


def test_the_budget_gives_no_task_more_than_the_most() -> None:
    free = tasks_of("gpt2", "decode", CompileOptions(), small=True)
    held = tasks_of("gpt2", "decode", CompileOptions(most_lanes=8), small=True)
    assert max(task.lane_count for task in free.values()) > 8
    assert max(task.lane_count for task in held.values()) == 8


@pytest.fixture(scope="module")
def design() -> CompiledDesign:
    return compile_text(lowered_text("gpt2", "decode", small=False), "gpt2", "u55c", WIDE)


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_has_all_lanes_groups_outermost(wide: Mapping[str, df.TaskOp], name: str) -> None:
    task = wide[name]
    assert task.lane_count == task.tile_points == 8192
    assert (task.tile_sizes, task.loop_kinds) == ((1, 256, 32), ("parallel", "parallel", "reduction"))


@pytest.mark.parametrize("name", PRODUCTS)
def test_sums_over_groups_keep_the_pace_of_their_product(wide: Mapping[str, df.TaskOp], name: str) -> None:
    sums, product = wide[f"{name}_groups"], wide[name]
    _, library = load_operators(OPERATORS_FILE)
    assert sums.loop_kinds == ("reduction", "parallel")
    assert sums.trip_counts == product.trip_counts[:2]
    assert sums.lane_count == 64
    steps = sums.tile_points // sums.lane_count
    assert steps * step_interval(sums, sums.lane_count, library) == product.trip_counts[2]


@pytest.mark.parametrize("name", ["mlp_act", "mlp_fc1_rescale", "mlp_norm_4", "attn_residual", "attn_norm_4"])
def test_what_lies_between_has_a_lane_per_column_and_cycle(wide: Mapping[str, df.TaskOp], name: str) -> None:
    assert (wide[name].tile_points, wide[name].lane_count) == (256, 64)


def test_attention_keeps_its_tiles(wide: Mapping[str, df.TaskOp]) -> None:
    plain = tasks_of("gpt2", "decode", WIDE.with_(gemv_lanes=0), small=False)
    for name in ("attn_scores", "attn_mix"):
        assert wide[name].tile_sizes == plain[name].tile_sizes


def test_a_prefill_has_no_such_product() -> None:
    plain, asked = (tasks_of("gpt2", "prefill", CompileOptions(gemv_lanes=lanes), small=True) for lanes in (0, 8192))
    assert {name: str(task) for name, task in plain.items()} == {name: str(task) for name, task in asked.items()}


def test_a_budget_that_the_pace_exceeds_is_refused() -> None:
    with pytest.raises(DoesNotFitError) as refused:
        tasks_of("gpt2", "decode", WIDE.with_(overall_unroll=2048), small=False)
    assert refused.value.code == "unroll-budget-too-small"


def test_lanes_are_a_power_of_two() -> None:
    with pytest.raises(InputError, match="take 4096 or 8192"):
        tasks_of("gpt2", "decode", WIDE.with_(gemv_lanes=6000), small=True)


def test_sums_over_groups_hold_every_column(design: CompiledDesign) -> None:
    (kernel,) = all_of(design.module, df.KernelOp)
    found = memories(kernel, stream_ends(kernel), design.graph, operators(design.board))
    held = next(each for each in found if each.name == "attn_q_proj_groups_kept0")
    assert held.depth * held.bits * held.banks == 1024 * 32


def test_the_design_finishes_with_its_sized_fifos_in_both_engines(design: CompiledDesign) -> None:
    exact, fast = simulate(design.graph, engine="simpy"), simulate(design.graph)
    assert exact.verdict == "done"
    assert exact.cycles == fast.cycles


def test_the_chain_with_memory_that_never_waits(design: CompiledDesign) -> None:
    channels = tuple(replace(each, beats_num=64 * each.beats_num) for each in design.graph.channels)
    found = simulate(replace(design.graph, channels=channels), unbounded=True)
    assert found.cycles is not None
    assert found.cycles <= CHAIN_CYCLES


@pytest.mark.torch
@pytest.mark.parametrize("case", [*(Case(model, "decode", "w4a8", 32) for model in SHIPPED_MODELS)], ids=str)
def test_values_agree_with_pytorch_to_the_bit(case: Case) -> None:
    pytest.importorskip("torch")
    graph = graph_of(lowered_text(case.model, case.phase, small=case.small), WIDE.with_(gemv_lanes=512))
    assert same_bits(*golden_and_found(case, graph))


@pytest.mark.torch
def test_groups_outermost_agree_with_pytorch_to_the_bit(design: CompiledDesign) -> None:
    pytest.importorskip("torch")
    from sttest.compile.reference_graph import value_graph

    case = Case("gpt2", "decode", "w4a8", 64, small=False)
    assert same_bits(*golden_and_found(case, value_graph(design.module, "gpt2")))
