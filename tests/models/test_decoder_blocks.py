"""Our blocks against those of transformers, on the same weights."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from hugging_face import reference

from sttest.core.errors import InputError
from sttest.models.blocks import DecodeBlock, PrefillBlock
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_mask, prefill_mask, rope_table
from sttest.models.weights import layer_state, randomize

pytestmark = pytest.mark.torch

CASES = [
    ("gpt2", "global"),
    ("qwen", "global"),
    ("llama", "global"),
    ("llama-3.2-1b", "global"),
    ("gemma", "global"),
    ("gemma", "local"),
]
TOKENS = 24  # past the small window of 16


def inputs(config, kind, positions):
    extra = {}
    if config.rope_theta is not None:
        extra["rope"] = torch.from_numpy(rope_table(config, positions, kind))
    return extra


def prefill(block, config, kind, x):
    mask = torch.from_numpy(prefill_mask(config, len(x), kind))
    with torch.no_grad():
        return block(x=x, mask=mask, **inputs(config, kind, range(len(x))))


def decode(block, config, kind, x, k_cache, v_cache):
    context = k_cache.shape[1]
    mask = torch.from_numpy(decode_mask(config, context, kind))
    with torch.no_grad():
        return block(x=x, mask=mask, k_cache=k_cache, v_cache=v_cache, **inputs(config, kind, [context]))


def loaded(config, kind):
    theirs = reference(config, kind)
    blocks = PrefillBlock(config), DecodeBlock(config)
    for block in blocks:
        block.load_state_dict(layer_state(config, theirs.layer.state_dict()))
    return theirs, *blocks


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_prefill_matches_transformers(name, kind):
    config = small(get_config(name))
    theirs, ours, _ = loaded(config, kind)
    x = torch.randn(TOKENS, config.hidden, generator=torch.Generator().manual_seed(1))
    y, k_new, _ = prefill(ours, config, kind, x)
    expected = theirs.run(x, torch.from_numpy(prefill_mask(config, TOKENS, kind)))
    assert (y - expected).abs().max() <= 1e-5
    assert k_new.shape == (config.kv_heads, TOKENS, config.head_dim)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_decode_after_prefill_matches_transformers(name, kind):
    config = small(get_config(name))
    theirs, first, then = loaded(config, kind)
    x = torch.randn(TOKENS + 3, config.hidden, generator=torch.Generator().manual_seed(2))
    expected = theirs.run(x, torch.from_numpy(prefill_mask(config, len(x), kind)))
    _, k_cache, v_cache = prefill(first, config, kind, x[:TOKENS])
    for place in range(TOKENS, len(x)):
        y, k_new, v_new = decode(then, config, kind, x[place : place + 1], k_cache, v_cache)
        assert (y[0] - expected[place]).abs().max() <= 1e-5
        k_cache, v_cache = torch.cat([k_cache, k_new], 1), torch.cat([v_cache, v_new], 1)


def test_the_sliding_window_matters():
    config = small(get_config("gemma"))
    _, ours, _ = loaded(config, "local")
    x = torch.randn(TOKENS, config.hidden, generator=torch.Generator().manual_seed(3))
    local, _, _ = prefill(ours, config, "local", x)
    table = torch.from_numpy(rope_table(config, range(TOKENS), "local"))
    with torch.no_grad():
        unbounded, _, _ = ours(x=x, mask=torch.from_numpy(prefill_mask(config, TOKENS, "global")), rope=table)
    differs = (local - unbounded).abs().amax(1) > 1e-4
    assert not differs[: config.sliding_window].any()
    assert differs[config.sliding_window :].all()


def test_both_phases_take_the_same_random_weights():
    config = small(get_config("gemma"))
    first, then = PrefillBlock(config), DecodeBlock(config)
    randomize(first, seed=3)
    randomize(then, seed=3)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), then.parameters(), strict=True))
    assert list(first.state_dict()) == list(then.state_dict())


def test_weights_without_a_place_are_refused():
    config = small(get_config("qwen"))
    with pytest.raises(InputError, match=r"lm_head\.weight: no part of the block"):
        layer_state(config, {"lm_head.weight": torch.zeros(2, 2)})
