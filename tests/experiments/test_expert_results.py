"""Committed figures of experts: beside closed forms, and in their order."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from recorded_memories import gb_per_s, memories

from experiments.experts import CACHED, LOCALITIES, MODELS, expert_size
from sttest.core.results import table_rows
from sttest.models.registry import get_config

RESULTS = Path(__file__).parents[2] / "results" / "experts"


@cache
def rows() -> dict[tuple[str, str, str], float]:
    table = table_rows(RESULTS / "table.csv")
    return {(row["model"], row["board"], row["metric"]): float(row["value"]) for row in table}


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
    """And the latencies of both memories: of a read of the lower one, and of a response of the HBM."""
    size, found = expert_size(get_config(model)), memories(RESULTS)
    for source in ("ddr", "host"):
        us = size / gb_per_s(RESULTS, source) / 1e3 + (found[source]["read_ns"] + found["hbm"]["response_ns"]) / 1e3
        assert rows()[model, CACHED, f"expert switch from {source}"] == pytest.approx(us, rel=0.05)


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
