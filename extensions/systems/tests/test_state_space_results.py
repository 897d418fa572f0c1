"""Committed figures of state-space blocks: bytes by closed forms, ratios in their order."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sttest.core.results import table_rows
from sttest.models.parameters import block_parameters, weight_shapes
from sttest.models.registry import get_config
from sttest_systems.state_space.experiment import (
    ATTENTION,
    CONTEXTS,
    HYBRIDS,
    STATE,
    STATE_LANES,
    crossing,
    entry_bytes,
    matrix_bytes,
    state_bytes,
)

TABLE = Path(__file__).parents[3] / "results" / "state-space" / "table.csv"


@cache
def rows() -> dict[tuple[str, str], float]:
    return {(row["model"], row["metric"]): float(row["value"] or "nan") for row in table_rows(TABLE)}


def test_bytes_of_a_step_are_matrices_state_and_vectors():
    config = get_config(STATE)
    vectors = block_parameters(config) - sum(a * b for a, b in weight_shapes(config).values())
    known = matrix_bytes(config) + state_bytes(config) + 4 * (vectors + 2 * config.hidden)
    for name in STATE_LANES:
        # What is left is padding of small parameters to whole tokens of their ports.
        rest = rows()[STATE, f"bytes moved per block [state lanes {name}]"] - known
        assert 0 <= rest < 256


def test_bytes_of_attention_grow_by_its_entries():
    found = [rows()[ATTENTION, f"bytes moved per block [context {context}]"] for context in CONTEXTS]
    for context, moved in zip(CONTEXTS, found, strict=True):
        assert moved - found[0] == (context - CONTEXTS[0]) * entry_bytes(get_config(ATTENTION))


@pytest.mark.parametrize("name", STATE_LANES)
@pytest.mark.parametrize("scope", ["block", "model"])
def test_attention_falls_behind_as_the_context_grows(scope, name):
    where = f"[state lanes {name}]"
    ratios = [rows()[STATE, f"attention over state space, {scope}, context {each} {where}"] for each in CONTEXTS]
    assert ratios == sorted(ratios)
    assert ratios[0] < 1 < ratios[-1]
    meets = rows()[STATE, f"crossover, {scope} {where}"]
    at = max(each for each in CONTEXTS if each <= meets)
    assert rows()[STATE, f"attention over state space, {scope}, context {at} {where}"] <= 1
    # No time of a design beats that of its bytes by much: the closed form is the least that a crossover can be.
    assert meets > rows()[STATE, f"crossover of bytes, {scope}"]


@pytest.mark.parametrize("name", STATE_LANES)
def test_hybrids_lie_between(name):
    means = [
        [
            rows()[STATE, f"mean block of a hybrid, one with attention in {every}, context {each} [state lanes {name}]"]
            for every in HYBRIDS
        ]
        for each in (CONTEXTS[0], CONTEXTS[-1])
    ]
    assert means[0] == sorted(means[0])
    assert means[1] == sorted(means[1], reverse=True)


def test_a_crossing_is_between_the_contexts_around_it():
    times: dict[int, float] = dict(zip(CONTEXTS, (1.0, 2.0, 4.0, 8.0, 16.0, 32.0), strict=True))
    assert crossing(times, 3.0) == (1024 + 4096) / 2
    assert crossing(times, 0.5) == 0
    assert crossing(times, 33.0) is None
