"""Masks and rotary tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_inputs, decode_mask, prefill_mask, rope_table, step_masks

GEMMA = small(get_config("gemma"))


@given(st.integers(1, 40), st.sampled_from(["global", "local"]))
def test_each_token_sees_itself_and_what_its_window_holds(tokens, kind):
    seen = (prefill_mask(GEMMA, tokens, kind) == 0).sum(axis=1)
    window = GEMMA.sliding_window if kind == "local" else None
    assert list(seen) == [min(i + 1, window or tokens) for i in range(tokens)]


@given(st.integers(1, 40), st.sampled_from(["global", "local"]), st.integers(0, 5))
def test_decode_mask_is_the_last_row_of_the_prefill_mask(context, kind, padding):
    rows = prefill_mask(GEMMA, context + 1, kind, padding=min(padding, context))
    assert np.array_equal(decode_mask(GEMMA, context, kind, padding=padding), rows[-1, :-1])


@given(st.integers(1, 40), st.integers(2, 6), st.sampled_from(["global", "local"]), st.integers(0, 5))
def test_masks_of_a_step_are_those_of_its_tokens_one_by_one(context, tokens, kind, padding):
    padding = min(padding, context)
    over_cache, over_tokens = step_masks(GEMMA, context, tokens, kind, padding=padding)
    for number in range(tokens):
        whole = decode_mask(GEMMA, context + number, kind, padding=padding)
        assert np.array_equal(over_cache[number], whole[:context])
        assert np.array_equal(over_tokens[number, :number], whole[context:])
    assert (over_tokens[np.triu_indices(tokens)] < 0).all()


def test_tokens_that_pad_a_step_are_seen_by_nobody():
    over_cache, over_tokens = step_masks(GEMMA, 20, 5, "local", padding_tokens=2)
    alone, among = step_masks(GEMMA, 20, 3, "local")
    assert np.array_equal(over_cache[2:], alone)
    assert np.array_equal(over_tokens[2:, 2:], among)
    assert (over_tokens[:, :2] < 0).all()


def test_tables_of_a_step_stand_at_its_positions():
    tables = decode_inputs(GEMMA, 20, 3, "local")
    assert list(tables) == ["mask", "mask_new", "rope"]
    assert np.array_equal(tables["rope"], rope_table(GEMMA, [20, 21, 22], "local"))
    assert list(decode_inputs(small(get_config("gpt2")), 20)) == ["mask"]


def test_padding_is_seen_by_nobody_else():
    mask = prefill_mask(GEMMA, 6, padding=2)
    assert (mask[2:, :2] < 0).all()
    assert (np.diag(mask) == 0).all()


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5))
def test_rotations_keep_lengths(positions):
    table = rope_table(small(get_config("llama-3.2-1b")), positions).astype(np.float64)
    turned = np.einsum("poij,pqij->poqj", table, table)
    assert np.allclose(turned, np.eye(2)[None, :, :, None], atol=1e-6)


def test_rope_is_refused_where_positions_are_learned():
    with pytest.raises(InputError, match="GPT-2 Medium has no rotary embedding"):
        rope_table(get_config("gpt2"), [0])


@pytest.mark.torch
@pytest.mark.parametrize(("name", "kind"), [("qwen", "global"), ("llama-3.2-1b", "global"), ("gemma", "local")])
def test_rope_table_matches_transformers(name, kind):
    pytest.importorskip("transformers")
    from hugging_face import reference

    config = small(get_config(name))
    positions = [0, 1, 7, 100]
    cos, sin = reference(config, kind).cos_sin(positions)
    half = config.head_dim // 2
    table = rope_table(config, positions, kind)
    assert np.allclose(table[:, 0, 0], cos[:, :half], atol=1e-5)
    assert np.allclose(table[:, 1, 0], sin[:, :half], atol=1e-5)
    assert np.array_equal(table[:, 0, 1], -table[:, 1, 0])
    assert np.array_equal(table[:, 0, 0], table[:, 1, 1])
