"""Lanes of a design for one with other tasks: who keeps them, who gets which, and what is said of it."""

from __future__ import annotations

from functools import cache
from statistics import median_high

import pytest

from sttest.compile.compiler import CompiledDesign, choose_lanes, compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.lane_adaptation import LaneAdaptation
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate

OPTIONS = CompileOptions(share="all", gemv_lanes=256, most_lanes=32)
ADAPTED = OPTIONS.with_(adapt_lanes=True)
TEXT = lowered_text("gpt2", "decode", small=True)


@cache
def lanes_of(precision: str = "w4a8", *, head: bool = False) -> dict[str, int]:
    text = lowered_text("gpt2", "decode", small=True, head=head)
    return as_counts(choose_lanes(text, OPTIONS.with_(precision=precision)))


def as_counts(lanes: tuple[str, ...]) -> dict[str, int]:
    return {name: int(count) for name, count in (entry.rsplit(":", 1) for entry in lanes)}


def given(lanes: dict[str, int], **options: str) -> CompileOptions:
    return ADAPTED.with_(lanes=tuple(f"{name}:{count}" for name, count in lanes.items()), **options)


def compiled(options: CompileOptions) -> CompiledDesign:
    return compile_text(TEXT, "small-gpt2", "u55c", options)


def tasks_of(design: CompiledDesign) -> dict[str, df.TaskOp]:
    return {task.sym_name.data: task for task in all_of(design.module, df.TaskOp)}


def test_tasks_of_both_schemes_keep_their_lanes() -> None:
    found = compiled(given(lanes_of(), precision="w4a8-static"))
    tasks = tasks_of(found)
    assert {name: task.lane_count for name, task in tasks.items()} == {name: lanes_of()[name] for name in tasks}
    assert set(found.adaptation.left_out) == lanes_of().keys() - tasks.keys()
    assert all(name.endswith(("_peak", "_scale")) for name in found.adaptation.left_out)
    assert not found.adaptation.added
    assert simulate(found.graph).cycles is not None


def test_the_lanes_of_a_design_itself_are_taken_as_they_are() -> None:
    found = compiled(given(lanes_of()))
    assert found.adaptation == LaneAdaptation()
    assert simulate(found.graph).cycles == simulate(compiled(OPTIONS).graph).cycles


def test_a_design_without_head_leaves_out_the_lanes_of_one() -> None:
    found = compiled(given(lanes_of(head=True)))
    assert all(name.startswith("head_") for name in found.adaptation.left_out)
    assert len(found.adaptation.left_out) == len(lanes_of(head=True)) - len(tasks_of(found))


def test_a_task_without_lanes_has_no_more_than_its_kin() -> None:
    # The other way round: where scales are known, peaks are looked for in attention alone.
    known = lanes_of("w4a8-static")
    static = {name: 2 if name.endswith("_peak") else lanes for name, lanes in known.items()}
    added = as_counts(compiled(given(static)).adaptation.added)
    assert added.keys() == lanes_of().keys() - static.keys()
    assert {lanes for name, lanes in added.items() if name.endswith("_peak")} == {2}


def test_a_task_without_kin_has_no_more_than_what_is_usual() -> None:
    found = compiled(given(lanes_of(), precision="w4a16"))
    added, tasks = as_counts(found.adaptation.added), tasks_of(found)
    alone = {name for name in added if name.endswith(("_halve", "_widen"))}
    assert len(alone) > 5
    usual = median_high(
        [lanes for name, lanes in lanes_of().items() if name in tasks and not tasks[name].is_contraction]
    )
    assert 1 < max(added[name] for name in alone) <= usual < max(lanes_of().values())


def test_a_task_without_lanes_that_takes_turns_has_those_of_its_unit() -> None:
    lanes = dict(lanes_of())
    assert lanes.pop("mlp_fc2") == lanes["mlp_fc1"]
    found = compiled(given(lanes))
    assert found.adaptation == LaneAdaptation(added=(f"mlp_fc2:{lanes['mlp_fc1']}",))


def test_tasks_that_are_alike_and_have_unlike_lanes_take_no_turns() -> None:
    lanes = lanes_of() | {"attn_q_proj_quantize": 8}
    found = compiled(given(lanes))
    tasks = tasks_of(found)
    assert found.adaptation == LaneAdaptation(apart=("attn_q_proj_quantize",))
    assert (tasks["attn_q_proj_quantize"].lane_count, tasks["attn_q_proj_quantize"].engine) == (8, None)
    assert tasks["attn_k_proj_quantize"].engine == tasks["attn_v_proj_quantize"].engine is not None
    with pytest.raises(InputError, match="serves tasks of 8, 16 lanes"):
        compiled(given(lanes).with_(adapt_lanes=False))
    # Of two each is alone.
    both = compiled(given(lanes_of() | {"mlp_norm_quantize": 2})).adaptation
    assert both == LaneAdaptation(apart=("mlp_norm_quantize", "mlp_act_quantize"))


def test_a_mistake_in_a_name_is_said_or_refused() -> None:
    lanes = {name.replace("attn_scores_rescale", "attn_scors_rescale"): count for name, count in lanes_of().items()}
    found = compiled(given(lanes)).adaptation
    assert found.left_out == ("attn_scors_rescale",)
    assert found.lines == [
        "1 given for tasks that are not here: attn_scors_rescale (attn_scores_rescale?)",
        "1 not given: attn_scores_rescale takes 16",
    ]
    with pytest.raises(InputError, match="no lanes are given for task 'attn_scores_rescale'"):
        compiled(given(lanes).with_(adapt_lanes=False))


def test_lanes_of_none_of_the_tasks_are_refused() -> None:
    with pytest.raises(InputError, match="none of the 2 tasks that lanes are given for is in this design"):
        compiled(given({"scan": 4, "conv": 8}))


def test_a_tile_of_fewer_points_has_as_many_lanes() -> None:
    found = compiled(given(lanes_of() | {"attn_norm_3": 64}))
    assert found.adaptation == LaneAdaptation(smaller=("attn_norm_3:1",))
