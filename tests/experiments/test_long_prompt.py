"""Committed times of long prompts: what attention moves is counted anew, and lies above what it must move."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.long_prompt import LONGEST_EXACT, PROMPTS, contexts, simulated_contexts
from sttest.core.results import table_rows
from sttest.models.registry import get_config

TABLE = Path(__file__).parents[2] / "results" / "long-prompt" / "table.csv"
MOST_OVER_THE_LEAST = 24
"""Per key-value head a schedule by blocks reads 2 d bytes of keys and values for 16 queries at a time, and holds 5 d of
each query and its output: 10 times the bound.  Qwen has two; chunks that are read whole, and scales, are the rest."""


def figure(metric: str, tokens: int) -> float:
    rows = {row["metric"]: row for row in table_rows(TABLE)}
    return float(rows[f"{metric} [{tokens} tokens, blocks of 16]"]["value"])


@pytest.mark.parametrize("tokens", [tokens for tokens in PROMPTS if tokens <= LONGEST_EXACT])
def test_keys_and_values_are_read_once_per_block(tokens):
    """Both in int8, with a scale per position and head, of which those of the values are read twice."""
    config = get_config("qwen")
    per_position = config.kv_heads * (2 * (config.head_dim + 2) + 2)
    assert contexts(tokens, 16) == [max(128, -(-done // 128) * 128) for done in range(0, tokens, 16)]
    assert simulated_contexts(tokens, 16) == list(range(128, tokens + 1, 128))
    assert figure("keys and values moved per layer", tokens) == per_position * sum(contexts(tokens, 16))


@pytest.mark.parametrize("tokens", PROMPTS)
def test_no_schedule_moves_less_than_it_must(tokens):
    moved, least = (figure(name, tokens) for name in ("keys and values moved per layer", "least with all that is held"))
    assert moved >= least
    by_blocks = figure("least with a block's queries and outputs", tokens)
    assert by_blocks <= moved <= MOST_OVER_THE_LEAST * by_blocks


def test_memory_on_chip_does_not_grow_with_the_prompt():
    held = [figure("held on chip", tokens) for tokens in PROMPTS]
    assert max(held) < 1.1 * min(held)


def test_the_time_of_a_prompt_is_that_of_its_blocks():
    """Longer prompts take longer per token, as attention grows; weights are read for every block."""
    per_token = [figure("time to first token", tokens) / tokens for tokens in PROMPTS]
    assert per_token == sorted(per_token)
