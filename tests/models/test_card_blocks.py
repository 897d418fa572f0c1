"""A block over several cards in PyTorch: the same sums in another order, the same bits on every card."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest.models.cards import card_of, check_cards, on_card, put_together, share_of, shared_out
from sttest.models.registry import model_config

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def split(model: str, cards: int):
    from sttest.models.blocks import PrefillBlock
    from sttest.models.card_blocks import split_block
    from sttest.models.weights import randomize

    config = model_config(f"small-{model}")
    config = replace(config, heads=4 * config.group, kv_heads=4) if config.kv_heads < cards else config
    block = PrefillBlock(config)
    randomize(block)
    return config, block, split_block(block, config, cards)


@pytest.mark.parametrize("cards", [2, 4])
@pytest.mark.parametrize("model", ["gpt2", "qwen", "llama", "opt-125m"])
def test_cards_compute_the_block(model, cards):
    from sttest.models.blocks import run_prefill

    config, block, shared = split(model, cards)
    x = torch.randn(7, config.hidden)
    with torch.no_grad():
        (y, k_new, v_new), ours = run_prefill(block, config, x), run_prefill(shared, config, x)
    assert torch.allclose(ours[0], y, atol=1e-5)
    assert not torch.equal(ours[0], y)  # partial sums add up in another order
    assert torch.equal(ours[1], k_new)
    assert torch.equal(ours[2], v_new)


def test_every_card_has_the_same_bits():
    from sttest.models.card_blocks import CardBlocks
    from sttest.models.tables import prefill_inputs

    config, _, shared = split("gpt2", 4)
    inputs = {"x": torch.randn(5, config.hidden)}
    inputs |= {name: torch.from_numpy(table) for name, table in prefill_inputs(config, 5).items()}
    with torch.no_grad():
        results = CardBlocks.forward(shared, **shared_out(inputs, 4))
    first, *others = results[::3]
    assert all(torch.equal(first, y) for y in others)


def test_parameters_are_shared_out_and_norms_copied():
    _, block, shared = split("gpt2", 2)
    state = shared.state_dict()
    assert "cards.1.attn.o_proj.bias" not in state  # the first card's partial sum has it
    assert torch.equal(state["cards.1.attn_norm.weight"], block.attn_norm.weight)
    ours = torch.cat([state[f"cards.{card}.mlp.fc2.weight"] for card in range(2)])
    assert torch.equal(ours, block.mlp.fc2.weight)


def test_inputs_are_shared_out_by_heads_and_come_together_again():
    cache = np.arange(4 * 3 * 2).reshape(4, 3, 2)
    shared = shared_out({"x": np.ones((1, 8)), "k_cache": cache, "k_cache_scale": cache[..., 0]}, 2)
    assert set(shared) == {"x", "k_cache", "k_cache_scale", "x_card1", "k_cache_card1", "k_cache_card1_scale"}
    assert np.array_equal(shared["k_cache_card1"], cache[2:])
    assert np.array_equal(shared["k_cache_card1_scale"], cache[2:, :, 0])
    results = {on_card(name, card): shared[on_card("k_cache", card)] for name in ("k_new",) for card in range(2)}
    assert np.array_equal(put_together(results, np.concatenate)["k_new"], cache)
    assert [card_of(name) for name in ("y", "y_card3", "v_new_card1_scale")] == [("y", 0), ("y", 3), ("v_new_scale", 1)]


@pytest.mark.parametrize(
    ("model", "cards", "told"),
    [
        ("gpt2", 0, "0 cards asked for"),
        ("gpt2", 3, "make no equal shares for 3 cards"),
        ("gemma-2-2b", 2, "without norms behind attention"),
    ],
)
def test_what_no_cards_can_share(model, cards, told):
    with pytest.raises(InputError, match=told):
        check_cards(model_config(model), cards)


def test_the_head_is_on_one_card():
    with pytest.raises(InputError, match="without the head"):
        check_cards(model_config("gpt2"), 2, head=True)


def test_one_card_has_the_whole_block():
    config = model_config("gpt2")
    assert share_of(config, 1) == config
