"""Committed figures of memory tiers: beside bytes over bandwidth, counted anew, and in their order."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from recorded_memories import gb_per_s

from experiments.memory_tiers import (
    CAPACITIES,
    CHOSEN,
    EXPERT_BYTES,
    EXPERT_LAYERS,
    LOCALITIES,
    LOWER,
    PLACED,
    POLICIES,
    SWITCHED,
    WINDOWED,
    config_of,
)
from sttest.core.results import table_rows

RESULTS = Path(__file__).parents[2] / "results" / "memory-tiers"


@cache
def rows() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["model"], row["metric"]): row for row in table_rows(RESULTS / "table.csv")}


def figure(metric: str, model: str = "") -> float:
    return float(rows()[model, metric]["value"])


@pytest.mark.parametrize("model", SWITCHED)
def test_a_switch_takes_its_bytes_over_the_bandwidth(model):
    size = figure("weights of all layers", model)
    config = config_of(model)
    attention = (2 * config.heads + 2 * config.kv_heads) * config.head_dim
    matrices = config.layers * config.hidden * (attention + 3 * config.ffn)
    assert size == pytest.approx(matrices * (1 / 2 + 1 / 64), rel=0.01)  # int4, scales of two bytes for 128; norms
    for source in LOWER:
        assert figure(f"switch from {source}", model) == pytest.approx(size / gb_per_s(RESULTS, source) / 1e9, rel=0.01)


@pytest.mark.parametrize("model", PLACED)
def test_no_step_is_faster_than_its_roofline_and_lower_is_slower(model):
    cycles = [figure(f"layer [{each}]", model) for each in ("all in HBM", "FFN in DDR", "all weights in DDR")]
    assert cycles == sorted(cycles)
    assert all(0 < figure(metric, name) < 1 for name, metric in rows() if metric.startswith("share of the roofline"))


def test_seventy_billion_weights_have_room_only_in_both_memories():
    speeds = {metric for (model, metric), row in rows().items() if model == PLACED[1] and row["value"]}
    assert {metric for metric in speeds if metric.startswith("speed [") and " in " in metric and "," not in metric} == {
        "speed [FFN in DDR]"
    }


@pytest.mark.parametrize("model", WINDOWED)
def test_a_window_gives_no_more_tokens_than_its_memory_gives_layers(model):
    count = config_of(model).layers
    for (name, metric), row in rows().items():
        found = re.fullmatch(r"speed \[weights in (host|flash), .*\]", metric)
        if name != model or found is None:
            continue
        stay, layers = (int(each) for each in re.findall(r"^(\d+) of (\d+) layers", row["note"])[0])
        assert layers == count
        bound = gb_per_s(RESULTS, found[1]) * 1e9 / ((count - stay) * layer_bytes(model))
        assert float(row["value"]) == pytest.approx(bound, rel=0.02)


def layer_bytes(model: str) -> float:
    config = config_of(model)
    attention = (2 * config.heads + 2 * config.kv_heads) * config.head_dim
    return config.hidden * (attention + 3 * config.ffn) * (1 / 2 + 1 / 64)


@pytest.mark.parametrize("name", LOCALITIES)
def test_hit_rates_and_waits_of_experts_agree(name):
    for room in CAPACITIES:
        where = f"[{name}, room for {room}, lru]"
        shares = [
            float(row["value"])
            for (_, metric), row in rows().items()
            if re.fullmatch(rf"layers with \d+ missing {re.escape(where)}", metric)
        ]
        assert sum(shares) == pytest.approx(1, abs=1e-4)
        missing = sum(count * share for count, share in enumerate(shares))
        assert missing == pytest.approx(CHOSEN * (1 - figure(f"hit rate {where}")), abs=1e-3)
        for source in LOWER[:2]:
            ms = EXPERT_LAYERS * missing * EXPERT_BYTES / gb_per_s(RESULTS, source) / 1e6
            assert figure(f"waiting per token from {source}, mean {where}") == pytest.approx(ms, rel=0.02)
        best = figure(f"hit rate [{name}, room for {room}, belady]")
        assert all(figure(f"hit rate [{name}, room for {room}, {rule}]") <= best for rule in POLICIES)
