"""Tokens per joule against GPUs: arithmetic on made-up blocks."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from made_up_blocks import model_blocks

from experiments.designs import fitted_overheads
from experiments.emerging import MODELS, SHAPES, compare
from experiments.emerging_asked import asked
from experiments.emerging_report import print_report, write_report
from experiments.emerging_result import Emerging
from experiments.emerging_rows import rows
from experiments.emerging_what_ifs import head_ms, what_ifs
from experiments.gpu_opponents import Opponent, a100_opponents, h200_opponents
from experiments.pages import results
from sttest.boards.board import RULES

RESULTS = Path(__file__).parents[2] / "results" / "emerging" / "table.csv"
OPPONENTS: list[Opponent] = [*a100_opponents(), *h200_opponents()]


@pytest.fixture(scope="module")
def made_up() -> Emerging:
    comparisons = [compare(model, model_blocks(), OPPONENTS) for model in MODELS]
    blocks = {model: model_blocks() for model in MODELS}
    times = [asked(model, blocks[model], SHAPES, OPPONENTS[0], "<1") for model in MODELS]
    return Emerging(comparisons, OPPONENTS, what_ifs(blocks, SHAPES, OPPONENTS[0]), times, "maxplus")


def test_tokens_per_joule_by_hand(made_up: Emerging) -> None:
    """Qwen [32:64]: 24 layers of 1 ms, then 64 x 24 of 0.2 ms, launches and host; 150 W under the TDP rule."""
    qwen = made_up.comparisons[0]
    ours, paid = qwen.ours[32, 64], fitted_overheads()
    latency_s = (24 * (1 + 64 * 0.2) + 24 * 65 * paid.launch_us / 1e3 + paid.host_ms) / 1e3
    assert ours.tokens_per_joule("tdp") == pytest.approx(64 / (150 * latency_s))
    theirs = qwen.theirs["A100 per layer"][32, 64]
    assert qwen.ratio("A100 per layer", "tdp", (32, 64)) == pytest.approx(2 * theirs.latency_s / latency_s)
    assert ours.joules["net"] < ours.joules["drawn"] < ours.joules["tdp"]


def test_the_best_shape_is_the_best(made_up: Emerging) -> None:
    for found in made_up.comparisons:
        best = found.best("A100 eager", "drawn")
        assert best is not None
        assert best[0] == max(found.ratio("A100 eager", "drawn", shape) or 0 for shape in SHAPES)


def test_the_first_what_if_is_the_comparison_itself(made_up: Emerging) -> None:
    for found in made_up.comparisons:
        best = found.best(OPPONENTS[0].name, "tdp")
        assert best is not None
        assert made_up.what_ifs[0].best[found.model] == pytest.approx(best[0])
        ratios = [each.best[found.model] for each in made_up.what_ifs if not each.with_head]
        assert ratios[0] > ratios[1], "a longer launch can only make us worse"


def test_a_ratio_of_one_asks_for_twice_the_time_of_a_gpu_with_twice_the_power(made_up: Emerging) -> None:
    """150 W against 300 W: the card may take as long as twice the A100's generation, TTFT and host taken off."""
    found, qwen = made_up.asked[0], made_up.comparisons[0]
    theirs_s = qwen.theirs[OPPONENTS[0].name][found.shape].latency_s
    ours = qwen.ours[found.shape].time
    expected_ms = 2e3 * theirs_s - ours.ttft_ms - fitted_overheads().host_ms
    assert found.is_bound
    assert found.asked_ms == pytest.approx(expected_ms / found.shape[1] / 24)
    assert found.simulated_ms == pytest.approx(0.2 + fitted_overheads().launch_us / 1e3)
    assert found.missing_ms == pytest.approx(found.asked_ms - found.simulated_ms)


def test_the_head_of_qwen_takes_its_weights_over_256_lanes() -> None:
    assert head_ms("qwen") == pytest.approx(896 * 151936 / 256 / 250e3)


def test_every_opponent_rule_and_model_has_a_row_or_says_why_not(made_up: Emerging) -> None:
    best = [row for row in rows(made_up) if row.metric.startswith("best tokens/J") and "launch" not in row.metric]
    assert len(best) == len(OPPONENTS) * len(RULES) * len(MODELS)
    assert all(row.value is not None or "no reading" in row.note for row in best)
    assert {row.reference for row in best if row.model == "qwen"} == {1.99}
    assert {row.reference for row in best if row.model == "llama"} == {None}
    assert all("published <1" in row.note for row in best if row.model == "llama")


def test_the_report_is_printed_and_written(made_up: Emerging, tmp_path, capsys) -> None:
    print_report(made_up)
    assert "published 1.59" in capsys.readouterr().out
    write_report(made_up, tmp_path / "emerging")
    assert {path.name for path in (tmp_path / "emerging").iterdir()} == {
        "table.csv",
        "table.md",
        "manifest.json",
        "ratios.png",
        "ratios.svg",
    }


def committed() -> pd.DataFrame:
    return results("emerging")


def best_tdp(opponent: str) -> dict[str, float]:
    found = committed()
    found = found[found["metric"] == f"best tokens/J over {opponent}, rule tdp"]
    return dict(zip(found["model"], found["value"], strict=True))


def test_newer_models_beside_an_a100_without_launches() -> None:
    """The published order under the TDP rule: Qwen and Gemma above an A100 that replays graphs, Llama below."""
    ratios = best_tdp("A100 graphs")
    assert ratios["qwen"] > 1
    assert ratios["gemma"] > 1
    assert ratios["llama"] < 1


def test_the_modeled_board_draws_what_such_boards_read() -> None:
    found = committed()
    watts = found[found["metric"].str.startswith("power while decoding")]["value"]
    assert len(watts) == 3 * len(SHAPES) * len(MODELS)
    assert watts.between(30, 57).all()
