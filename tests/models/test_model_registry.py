"""The registry's numbers, and what `small` keeps."""

from dataclasses import fields, replace

import pytest

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.registry import CONFIGS, get_config, small


def linear_weights_per_layer(config: DecoderConfig) -> int:
    attention = config.hidden * config.head_dim * (2 * config.heads + 2 * config.kv_heads)
    return attention + config.hidden * config.ffn * (3 if config.gated else 2)


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("gpt2", 12_582_912),  # 4 * 1024 * 1024 + 2 * 1024 * 4096
        ("qwen", 14_909_440),  # 896 * 64 * (2 * 14 + 2 * 2) + 3 * 896 * 4864
        ("llama", 44_040_192),  # 2048 * 64 * (2 * 32 + 2 * 4) + 3 * 2048 * 5632
        ("llama-3.2-1b", 60_817_408),  # 2048 * 64 * (2 * 32 + 2 * 8) + 3 * 2048 * 8192
        ("gemma", 26_836_992),  # 1152 * 256 * (2 * 4 + 2 * 1) + 3 * 1152 * 6912
    ],
)
def test_sizes_give_the_published_number_of_weights(name, weights):
    assert linear_weights_per_layer(get_config(name)) == weights


@pytest.mark.parametrize("name", CONFIGS)
def test_every_config_says_where_it_comes_from(name):
    assert "Hugging Face" in get_config(name).source


def test_unknown_model_names_the_nearest():
    with pytest.raises(InputError, match="did you mean 'gemma'"):
        get_config("gema")


@pytest.mark.parametrize("name", CONFIGS)
def test_small_keeps_every_feature(name):
    full, reduced = get_config(name), small(get_config(name))
    sizes = {"hidden", "ffn", "heads", "kv_heads", "head_dim", "layers", "vocab", "max_context", "sliding_window"}
    sizes |= {"experts", "experts_per_token", "state"}
    for field in fields(full):
        if field.name not in sizes | {"name", "source"}:
            assert getattr(full, field.name) == getattr(reduced, field.name), field.name
    assert (reduced.group > 1) == (full.group > 1)
    assert (reduced.sliding_window is None) == (full.sliding_window is None)
    assert (reduced.state > 0) == (full.state > 0)
    assert (reduced.experts > 0) == (full.experts > 0)
    for width in (reduced.hidden, reduced.ffn, reduced.head_dim):
        assert width % 16 == 0


def test_gemma_has_four_global_layers_of_26():
    gemma = get_config("gemma")
    assert [i + 1 for i in range(26) if gemma.layer_kind(i) == "global"] == [6, 12, 18, 24]


@pytest.mark.parametrize(
    ("changed", "own"),
    [
        ({}, ("mask", "mask_new", "rope")),
        ({"local_rope_theta": None}, ("mask", "mask_new")),
        ({"global_every": 1}, ()),
        ({"layers": 5}, ()),
    ],
)
def test_layers_have_inputs_of_their_own_where_their_kinds_differ(changed, own):
    assert replace(get_config("gemma"), **changed).inputs_per_layer == own


def test_layers_outside_of_the_model_are_refused():
    with pytest.raises(InputError, match="from 0 to 23"):
        get_config("gpt2").layer_kind(24)


def test_heads_that_do_not_divide_are_refused():
    with pytest.raises(InputError, match="5 query heads cannot share 2"):
        replace(get_config("gpt2"), heads=5, kv_heads=2)
