"""Committed figures of architectures: bytes by a closed form, rooflines below simulation, fronts in their order."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from experiments.architectures import CONTEXT, LANES, LAYERS, QWEN, SIZES, shapes
from sttest.core.results import table_rows
from sttest.models.parameters import block_parameters, weight_shapes
from sttest_systems.state_space.experiment import matrix_bytes

TABLE = Path(__file__).parents[2] / "results" / "architectures" / "table.csv"


@cache
def rows() -> dict[str, float]:
    return {row["metric"]: float(row["value"]) for row in table_rows(TABLE)}


@pytest.mark.parametrize("lanes", LANES)
def test_bytes_are_those_of_matrices_cache_and_vectors(lanes):
    for shape in shapes():
        config = shape.config(QWEN)
        where = f"[hidden {shape.hidden}, kv {shape.kv_heads}, ffn {shape.ffn}, {lanes} lanes]"
        vectors = block_parameters(config) - sum(a * b for a, b in weight_shapes(config).values())
        # Keys and values are int8 under a scale per head and position.
        cache = 2 * CONTEXT * config.kv_heads * (config.head_dim + 2)
        known = matrix_bytes(config) + cache + 4 * (vectors + 2 * config.hidden)
        # What is left: masks, of one head or of all, and for each head with keys the new entry and rotary tables.
        rest = rows()[f"bytes moved {where}"] - known
        assert 4 * CONTEXT <= rest <= 4 * CONTEXT * config.heads + 1024 * config.kv_heads
        assert rows()[f"error of the roofline {where}"] > 0
        assert rows()[f"roofline {where}"] >= rows()[f"bytes moved {where}"] / 460e3


@pytest.mark.parametrize("lanes", LANES)
def test_what_is_chosen_by_simulation_keeps_the_latency_and_regret_is_no_gain(lanes):
    where = f"[{lanes} lanes]"
    assert rows()[f"architectures {where}"] == len(shapes()) * len(LAYERS)
    assert rows()[f"latency over that of Qwen2.5-0.5B, by simulation {where}"] <= 1
    assert rows()[f"perplexity saved at the latency of Qwen2.5-0.5B, by simulation {where}"] >= 0
    assert all(rows()[f"regret, about {size / 1e6:.0f} M parameters {where}"] >= 0 for size in SIZES)
    losses = [
        each for name, each in rows().items() if name.startswith("expected loss on the front") and name.endswith(where)
    ]
    assert len(losses) > 10
    assert all(a > b for a, b in pairwise(losses))
