"""Shapes around a model: parameters against PyTorch, the published law, and choices against all pairs."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from sttest.core.errors import InputError
from sttest.models.parameters import block_parameters
from sttest.models.registry import get_config
from sttest.studies.architectures import (
    Candidate,
    LayerShape,
    expected_loss,
    front,
    largest,
    layer_shapes,
    model_parameters,
    perplexity_saved,
    regret,
)

QWEN = get_config("qwen")
SHAPES = [*layer_shapes(QWEN, (512, 896, 1280), (2, 4, QWEN.ffn / QWEN.hidden))]


def drawn(count: int) -> list[Candidate]:
    random = Random(3)
    return [
        Candidate(LayerShape(64 * each, 1, 128), each, random.randrange(50, 150), random.random(), random.random())
        for each in range(1, count + 1)
    ]


def test_the_base_is_one_of_its_neighbors_with_its_published_parameters():
    shape = LayerShape(QWEN.hidden, QWEN.kv_heads, QWEN.ffn)
    assert shape in SHAPES
    assert len(SHAPES) == len({*SHAPES}) == 27
    assert model_parameters(shape.config(QWEN)) == 494_032_768  # Hugging Face, Qwen/Qwen2.5-0.5B: safetensors


@pytest.mark.parametrize("shape", SHAPES[::5], ids=str)
def test_parameters_are_those_of_the_matrices_and_vectors(shape):
    hidden, key = shape.hidden, shape.kv_heads * 64
    layer = 2 * hidden * hidden + 2 * hidden * key + 3 * hidden * shape.ffn + hidden + 2 * key + 2 * hidden
    config = replace(shape.config(QWEN), layers=10)
    assert block_parameters(config) == layer
    assert model_parameters(config) == 10 * layer + QWEN.vocab * hidden + hidden


def test_parameters_are_those_of_the_model():
    torch = pytest.importorskip("torch")
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = replace(LayerShape(128, 1, 384).config(QWEN), layers=3, vocab=100)
    with torch.device("meta"):
        model = Qwen2ForCausalLM(
            Qwen2Config(
                vocab_size=100,
                hidden_size=128,
                intermediate_size=384,
                num_hidden_layers=3,
                num_attention_heads=2,
                num_key_value_heads=1,
                tie_word_embeddings=True,
            )
        )
        model.tie_weights()
    assert model_parameters(config) == sum(each.numel() for each in model.parameters())


def test_the_law_falls_with_parameters_and_tokens_towards_its_floor():
    losses = [expected_loss(10**exponent, 1e10) for exponent in range(7, 13)]
    assert losses == sorted(losses, reverse=True)
    assert expected_loss(1e9, 1e12) < expected_loss(1e9, 1e10)
    assert expected_loss(1e60, 1e60) == pytest.approx(1.69)
    assert 0 == perplexity_saved(10**9, 10**9) < perplexity_saved(2 * 10**9, 10**9) < 1


def test_the_front_is_what_no_other_one_beats():
    models = drawn(60)
    beaten = {
        each.layers
        for each in models
        if any(other.simulated_us < each.simulated_us and other.parameters >= each.parameters for other in models)
    }
    found = front(models)
    assert {each.layers for each in found} == {each.layers for each in models} - beaten
    assert all(a.simulated_us < b.simulated_us and a.parameters < b.parameters for a, b in pairwise(found))


def test_a_latency_buys_no_fewer_parameters_when_it_is_longer():
    models = drawn(60)
    bought = [largest(models, budget).parameters for budget in (0.2, 0.4, 0.8)]
    assert bought == sorted(bought)
    assert largest(models, 0.5) in front(models)
    assert largest(models, 0.5, by_roofline=True).roofline_us <= 0.5
    with pytest.raises(InputError, match="no architecture is that fast"):
        largest(models, 0.0)


def test_regret_is_what_the_choice_by_the_roofline_costs():
    shape = LayerShape(64, 1, 128)
    models = [Candidate(shape, 1, 100, 5.0, 1.0), Candidate(shape, 2, 102, 4.0, 2.0), Candidate(shape, 3, 200, 1, 0.5)]
    found = regret(models, 100, 0.05)
    assert (found.chosen.layers, found.best.layers, found.of, found.share) == (1, 2, 2, 0.25)
    assert all(regret(drawn(60), size, 0.2).share >= 0 for size in (70, 100, 130))
    with pytest.raises(InputError, match="no architecture has about"):
        regret(models, 1000, 0.05)


def test_a_width_that_heads_do_not_divide_is_refused():
    with pytest.raises(InputError, match="heads of 64"):
        LayerShape(100, 1, 128).config(QWEN)
