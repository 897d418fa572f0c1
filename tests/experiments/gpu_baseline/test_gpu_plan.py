"""Which points are measured, and which go first when time is short."""

import pytest

from experiments.gpu_baseline.__main__ import main
from experiments.gpu_baseline.points import (
    CACHE_LEN,
    LENGTHS,
    MODELS,
    admitted,
    full_plan,
    reserve_s,
    select,
    total_estimate_s,
)


def test_names_are_unique_and_every_model_has_every_row():
    plan = full_plan()
    assert len({point.name for point in plan}) == len(plan)
    names = {point.name for point in plan}
    for model in MODELS:
        for mode in ("eager-bf16", "graph-bf16", "compile-bf16", "compile-int4"):
            assert {f"{model}/{mode}/generation-{length}/time" for length in LENGTHS} <= names
            assert f"{model}/{mode}/decode-{CACHE_LEN}/energy" in names


def test_headline_energy_follows_the_protocol():
    headline = [point for point in full_plan() if point.energy and point.priority == 0]
    assert len(headline) == 2 * len(MODELS)
    assert all(point.window_s >= 10 and point.repeats >= 5 for point in headline)


def test_generations_fit_in_the_cache():
    assert all(2 * point.length <= CACHE_LEN for point in full_plan() if point.phase == "generation")


def test_selection_takes_whole_names():
    plan = full_plan()
    assert {point.mode for point in select(plan, ["qwen/eager-bf16"])} == {"eager-bf16"}
    assert select(plan, ["qwen/eager"]) == []
    assert {point.model for point in select(plan, ["gpt2", "gemma"])} == {"gpt2", "gemma"}
    assert select(plan, []) == plan


@pytest.mark.parametrize("budget_s", [0, 100, 300, 550])
def test_the_budget_is_kept_and_the_least_important_go_first(budget_s):
    plan = select(full_plan(), ["gpt2", "qwen"])
    kept = admitted(plan, budget_s)
    assert total_estimate_s(kept) <= budget_s
    assert kept == [point for point in plan if point in kept]
    headline = [point for point in plan if point.priority == 0]
    if budget_s >= 300:
        assert set(headline) <= set(kept)


def test_reserve_counts_what_is_more_important_with_its_set_up():
    plan = select(full_plan(), ["qwen/compile-bf16"])
    assert reserve_s(plan, 0) == 0
    assert reserve_s(plan, 1) == total_estimate_s([point for point in plan if point.priority == 0])


def test_the_plan_is_printed_without_measuring(capsys, tmp_path):
    assert main(["--plan", "--only", "qwen", "--budget-seconds", "200", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "qwen/eager-bf16/decode-512/energy\n" in printed
    assert "qwen/compile-int8/decode-512/time  dropped" in printed
    assert not (tmp_path / "out").exists()


def test_an_unknown_selection_is_refused(capsys):
    assert main(["--plan", "--only", "qwem"]) == 2
    assert "nothing to measure" in capsys.readouterr().err
