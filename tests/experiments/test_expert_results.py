"""Committed figures of experts: beside closed forms, and in their order."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from experiments.experts import CACHED, LOCALITIES, MODELS, card, expert_size
from sttest.core.results import table_rows
from sttest.models.registry import get_config
from sttest.studies.tier_copy import copy_seconds

TABLE = Path(__file__).parents[2] / "results" / "experts" / "table.csv"


@cache
def rows() -> dict[tuple[str, str, str], float]:
    return {(row["model"], row["board"], row["metric"]): float(row["value"]) for row in table_rows(TABLE)}


@pytest.mark.parametrize("model", MODELS)
def test_operations_per_byte_are_those_of_the_shapes(model):
    """With 16 bits, a weight is used once: 2 operations on 2 bytes; a key or value by all heads of its group."""
    config = get_config(model)
    assert rows()[model, "u55c", "operations per byte of experts, if 16 bits each"] == 1
    assert rows()[model, "u55c", "operations per byte of grouped-query attention, if 16 bits each"] == config.group
    # int4 with two bytes of scale per 128 weights
    assert rows()[model, "u55c", "operations per byte of experts"] == pytest.approx(2 / (1 / 2 + 1 / 64), rel=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_a_switch_is_bytes_over_bandwidth(model):
    size = expert_size(get_config(model))
    for source in ("ddr", "host"):
        us = rows()[model, CACHED, f"expert switch from {source}"]
        assert us == pytest.approx(1e6 * copy_seconds(card(CACHED), source, size), rel=0.05)


@pytest.mark.parametrize("model", MODELS)
def test_missing_experts_cost_and_room_helps(model):
    config, found = get_config(model), rows()
    layers = [found[model, CACHED, f"layer with {n} experts missing"] for n in range(config.experts_per_token + 1)]
    assert layers == sorted(layers)
    assert layers[0] == found[model, CACHED, "layer [experts in HBM]"]
    for name in LOCALITIES:
        speeds = [
            value
            for (each, _, metric), value in found.items()
            if each == model and metric.startswith(f"speed [{name}, room for")
        ]
        assert speeds == sorted(speeds)
    for metric in ("share of the roofline [experts in HBM]", "share of the roofline [experts in DDR]"):
        assert 0 < found[model, CACHED, metric] <= 1
