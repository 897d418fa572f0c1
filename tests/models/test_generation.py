"""Whole models against transformers' own, from the same checkpoint folder, and fake-quantized."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from hugging_face_models import continued, whole_model

from sttest.core.errors import InputError
from sttest.models.checkpoint import load_model
from sttest.models.language_model import generate, quantize_model
from sttest.models.layers import greedy
from sttest.models.quant.block import observe_peaks
from sttest.models.quant.layers import QuantLinear
from sttest.models.quant.quantizers import sqnr_db
from sttest.models.quant.scheme import QuantScheme, schemes
from sttest.models.registry import get_config, small

pytestmark = pytest.mark.torch

PROMPT = [3, 141, 59, 26, 53, 58, 97, 93, 238, 46, 26, 43]  # with 16 steps, past the small window of 16
STEPS = 17  # the prefill's token and 16 of decode steps


@pytest.mark.parametrize("name", ["gpt2", "qwen", "llama", "gemma"])
def test_tokens_and_logits_are_those_of_transformers(name, tmp_path):
    config = small(get_config(name))
    theirs = whole_model(config)
    theirs.save_pretrained(tmp_path)
    expected, logits = continued(theirs, PROMPT, STEPS)
    found = generate(load_model(config, tmp_path), PROMPT, STEPS)
    assert list(found.tokens) == expected
    assert (found.logits - logits).abs().max() <= 1e-4
    assert len(set(expected)) > 3  # else equal tokens would show little


@pytest.mark.parametrize("name", ["gpt2", "qwen", "llama", "gemma"])
def test_a_prompt_by_decode_steps_leaves_what_a_prefill_leaves(name):
    model = load_model(small(get_config(name)), seed=4)
    at_once, by_steps = (generate(model, PROMPT, STEPS, by_decode=by_decode) for by_decode in (False, True))
    assert at_once.tokens == by_steps.tokens
    assert (at_once.logits - by_steps.logits).abs().max() <= 1e-4
    quantized = quantize_model(model, schemes()["w4a8"])
    expected, found = quantized.prefill(PROMPT), quantized.prefill_by_decode(PROMPT)
    assert found[1].positions == expected[1].positions == len(PROMPT)
    # The two round a token's weight on itself differently, and a random model's integers follow.
    assert sqnr_db(expected[0], found[0]) >= 15.0


@pytest.mark.parametrize("name", ["gpt2", "qwen", "llama", "gemma"])
def test_a_finely_quantized_model_says_nearly_the_same(name):
    config = small(get_config(name))
    model = load_model(config, seed=4)
    quantized = quantize_model(model, schemes()["w8a8"])
    expected, _ = model.prefill(PROMPT)
    found, cache = quantized.prefill(PROMPT)
    # Noise of 6 layers of about 30 dB each adds in power, 10 log10(6) = 8 dB, and the head brings its own.
    assert sqnr_db(expected, found) >= 20.0
    token = greedy(expected)
    assert sqnr_db(model.decode(token, model.prefill(PROMPT)[1])[0], quantized.decode(token, cache)[0]) >= 20.0


@pytest.mark.parametrize("scheme", schemes().values(), ids=schemes())
def test_every_scheme_generates(scheme):
    model = load_model(small(get_config("llama")), seed=4)
    peaks = observe_peaks(model, lambda: model.prefill(PROMPT))
    found = generate(quantize_model(model, scheme, peaks), PROMPT, 3)
    assert torch.isfinite(found.logits).all()
    if scheme.name == "fp32":
        assert torch.equal(found.logits, generate(model, PROMPT, 3).logits)


@pytest.mark.parametrize("name", ["qwen", "llama"])
def test_the_head_is_quantized_like_the_weights_unless_told_otherwise(name):
    model = load_model(small(get_config(name)))
    assert isinstance(quantize_model(model, schemes()["w4a8"]).head, QuantLinear)
    assert quantize_model(model, QuantScheme(lm_head="none")).head is model.head


def test_a_tied_head_is_calibrated_too():
    model = load_model(small(get_config("qwen")))
    peaks = observe_peaks(model, lambda: model.prefill(PROMPT))
    assert peaks["head"] > 0
    assert "layers.5.attn.scores" in peaks


def test_both_phases_share_their_weights():
    model = load_model(small(get_config("gemma")))
    before = sum(parameter.numel() for parameter in model.parameters())
    generate(model, PROMPT, 2)
    assert sum(parameter.numel() for parameter in model.parameters()) == before
    model.layers[0].mlp.down_proj.weight.data.zero_()
    assert not model._decode_blocks()[0].mlp.down_proj.weight.any()


def test_a_seed_gives_one_model_and_different_layers():
    config = small(get_config("qwen"))
    one, same, other = (load_model(config, seed=seed) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert not torch.equal(one.embedding.tokens, other.embedding.tokens)
    assert not torch.equal(one.layers[0].mlp.up_proj.weight, one.layers[1].mlp.up_proj.weight)


def test_equal_logits_give_the_first_token():
    assert greedy(torch.tensor([0.0, 2.0, 2.0, 1.0])) == 1


@pytest.mark.parametrize(
    ("prompt", "steps", "message"),
    [
        ([], 1, "the prompt is empty"),
        ([256], 1, "there is no token 256; use tokens from 0 to 255"),
        ([-1], 1, "there is no token -1"),
        ([1], 0, "0 tokens asked for"),
        ([1] * 100, 30, r"context past the limit of TinyLlama-1.1B \(demand 129 tokens, bound 128 tokens\)"),
    ],
)
def test_what_cannot_be_generated_is_refused(prompt, steps, message):
    model = load_model(small(get_config("llama")))
    with pytest.raises(InputError, match=message):
        generate(model, prompt, steps)
