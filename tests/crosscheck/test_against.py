"""Every layer beside that of transformers: one alteration of one side is found where it was made."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="models need PyTorch")
transformers = pytest.importorskip("transformers", reason="nothing to compare with")

from own_configurations import write_model

from sttest.core.errors import InputError
from sttest.crosscheck.against import hold_against
from sttest.crosscheck.transformers_folder import load_transformers
from sttest.models.blocks import run_prefill
from sttest.models.checkpoint import load_model
from sttest.models.language_model import quantize_model
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config

pytestmark = pytest.mark.torch

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 97,
    "max_position_embeddings": 64,
}
GEMMA = {**SIZES, "head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 5}
KINDS = {"layer_types": ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"]}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", SIZES),
    "qwen2": ("qwen2", {**SIZES, "tie_word_embeddings": True}),
    "qwen3": ("qwen3", {**SIZES, "head_dim": 16, "intermediate_size": 72}),
    "gemma2": ("gemma2", {**GEMMA, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}),
    "gemma3": ("gemma3_text", {**GEMMA, **KINDS}),
    "gpt2": ("gpt2", {"n_embd": 32, "n_inner": 72, "n_layer": 4, "n_head": 4, "vocab_size": 97, "n_positions": 64}),
    "phi3": ("phi3", {**SIZES, "pad_token_id": 0}),
    "mixtral": ("mixtral", {**SIZES, "num_local_experts": 4}),
    "opt": ("opt", {
        "hidden_size": 32, "ffn_dim": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 97,
        "max_position_embeddings": 64, "word_embed_proj_dim": 32,
    }),
}  # fmt: skip
TOKENS = [3, 41, 59, 26, 53, 58, 96, 93, 8, 46, 26]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder per family, and our model of it."""
    made: dict[str, Any] = {}

    def get(family: str):
        if family not in made:
            folder = tmp_path_factory.mktemp("against") / family
            write_model(*MODELS[family], folder)
            made[family] = folder, load_model(model_config(str(folder)), folder)
        return made[family]

    return get


@pytest.fixture
def compared(saved):
    """Our model against transformers', which is altered."""

    def compare(family: str, alter=lambda model: None, precision: str = "fp32"):
        folder, ours = saved(family)
        theirs = load_transformers(folder, ours.config)
        with torch.no_grad():
            alter(theirs.model)
        scheme = load_scheme(precision)
        quantized = quantize_model(ours, scheme) if scheme.quantizes else None
        return hold_against(ours, quantized, theirs, TOKENS, scheme.name)

    return compare


@pytest.mark.parametrize("family", MODELS)
def test_what_is_the_same_is_said_to_be_the_same(family, compared):
    found = compared(family)
    assert found.first is None
    assert found.verdict.startswith("the same as transformers in all 4 layers (at least 1")
    assert [part.name for part in found.parts] == ["embedding", "layer 1", "layer 2", "layer 3", "layer 4", "head"]
    assert min(db for part in found.parts for db in (*part.streams.values(), part.exact.so_far_db)) > 115


def weight(name: str, *place: int):
    """Alters one element of one weight."""

    def alter(model):
        model.get_parameter(name)[place] += 0.25

    return alter


LLAMA, GPT2, LAYER = "model.layers.", "transformer.h.", "model.layers.2."


@pytest.mark.parametrize(
    ("family", "name", "place", "part", "stream"),
    [
        ("llama", "model.layers.2.self_attn.k_proj.weight", (5, 7), "layer 3", "attn_k_proj"),
        ("llama", "model.layers.1.mlp.down_proj.weight", (5, 7), "layer 2", "mlp_down_proj"),
        ("llama", "model.layers.0.input_layernorm.weight", (9,), "layer 1", "attn_norm"),
        ("llama", "model.layers.3.post_attention_layernorm.weight", (9,), "layer 4", "mlp_norm"),
        ("llama", "model.norm.weight", (9,), "head", "head_norm"),
        ("llama", "model.embed_tokens.weight", (59, 3), "embedding", "embedding"),
        ("llama", "lm_head.weight", (80, 3), "head", "head_proj"),
        ("qwen2", "model.layers.2.self_attn.k_proj.bias", (3,), "layer 3", "attn_k_proj"),
        ("qwen2", "model.layers.1.self_attn.o_proj.weight", (5, 7), "layer 2", "attn_o_proj"),
        ("qwen2", "model.layers.0.mlp.up_proj.weight", (5, 7), "layer 1", "mlp_up_proj"),
        ("qwen2", "model.embed_tokens.weight", (59, 3), "embedding", "embedding"),
        ("qwen2", "model.norm.weight", (9,), "head", "head_norm"),
        ("qwen3", "model.layers.3.self_attn.q_norm.weight", (3,), "layer 4", "attn_q_norm"),
        ("qwen3", "model.layers.0.self_attn.k_norm.weight", (3,), "layer 1", "attn_k_norm"),
        ("qwen3", "model.layers.1.mlp.gate_proj.weight", (5, 7), "layer 2", "mlp_gate_proj"),
        ("gemma2", "model.layers.1.post_attention_layernorm.weight", (5,), "layer 2", "attn_post_norm"),
        ("gemma2", "model.layers.2.pre_feedforward_layernorm.weight", (5,), "layer 3", "mlp_norm"),
        ("gemma2", "model.layers.3.post_feedforward_layernorm.weight", (5,), "layer 4", "mlp_post_norm"),
        ("gemma3", "model.layers.2.self_attn.q_norm.weight", (3,), "layer 3", "attn_q_norm"),
        ("gemma3", "model.layers.2.self_attn.v_proj.weight", (3, 5), "layer 3", "attn_v_proj"),
        ("gpt2", "transformer.h.2.attn.c_attn.weight", (5, 7), "layer 3", "attn_q_proj"),
        ("gpt2", "transformer.h.2.attn.c_attn.weight", (5, 32 + 7), "layer 3", "attn_k_proj"),
        ("gpt2", "transformer.h.0.attn.c_attn.bias", (64 + 7,), "layer 1", "attn_v_proj"),
        ("gpt2", "transformer.h.1.mlp.c_fc.weight", (5, 7), "layer 2", "mlp_fc1"),
        ("gpt2", "transformer.h.1.mlp.c_proj.weight", (5, 7), "layer 2", "mlp_fc2"),
        ("gpt2", "transformer.h.3.ln_2.bias", (5,), "layer 4", "mlp_norm"),
        ("gpt2", "transformer.wpe.weight", (4, 5), "embedding", "embedding_positions"),
        ("gpt2", "transformer.wte.weight", (59, 5), "embedding", "embedding_tokens"),
        ("gpt2", "transformer.ln_f.weight", (5,), "head", "head_norm"),
        ("phi3", "model.layers.2.self_attn.qkv_proj.weight", (32 + 3, 5), "layer 3", "attn_k_proj"),
        ("phi3", "model.layers.2.self_attn.qkv_proj.weight", (32 + 16, 5), "layer 3", "attn_v_proj"),
        ("phi3", "model.layers.1.mlp.gate_up_proj.weight", (3, 5), "layer 2", "mlp_gate_proj"),
        ("phi3", "model.layers.1.mlp.gate_up_proj.weight", (64, 5), "layer 2", "mlp_up_proj"),
        ("mixtral", "model.layers.1.mlp.gate.weight", (2, 5), "layer 2", "mlp_router_proj"),
        ("opt", "model.decoder.layers.1.self_attn.out_proj.bias", (5,), "layer 2", "attn_o_proj"),
        ("opt", "model.decoder.layers.3.fc2.weight", (5, 7), "layer 4", "mlp_fc2"),
    ],
)
def test_an_altered_weight_is_found_where_it_is(family, name, place, part, stream, compared):
    found = compared(family, weight(name, *place))
    assert (found.first.name, found.first.first) == (part, stream)
    assert found.verdict.startswith(f"{part if part.startswith('layer') else f'the {part}'} is the first that differs")
    assert found.verdict.endswith(f"; first stream: {stream}")
    # A tied head has the altered embedding, too; nothing else differs, as each layer is fed what theirs was.
    tied = {"embedding", "head"} if "wte" in name or (family == "qwen2" and part == "embedding") else {part}
    assert {each.name for each in found.parts if each.first} == tied


def other_epsilon(model):
    model.model.layers[1].post_attention_layernorm.variance_epsilon = 1e-2


def other_activation(model):
    model.model.layers[2].mlp.act_fn = torch.nn.GELU()


def other_scale(model):
    model.model.layers[3].self_attn.scaling *= 1.01


def other_cap(model):
    model.model.layers[1].self_attn.attn_logit_softcapping = 2.1


def other_logit_cap(model):
    model.config.final_logit_softcapping = 3.1


def other_window(model):
    model.config.sliding_window = 4


def other_frequencies(model):
    model.model.rotary_emb.inv_freq *= 1.01


def other_global_frequencies(model):
    model.model.rotary_emb.full_attention_inv_freq *= 1.01


def other_angles_in_one_layer(model):
    def turned(_module, args, named):
        cos, sin = named["position_embeddings"]
        return args, {**named, "position_embeddings": (cos, -sin)}

    model.model.layers[2].self_attn.register_forward_pre_hook(turned, with_kwargs=True)


def other_expert(model):
    model.model.layers[2].mlp.experts.down_proj[:, 3, 5] += 0.25


@pytest.mark.parametrize(
    ("family", "alter", "part", "stream"),
    [
        ("llama", other_epsilon, "layer 2", "mlp_norm"),
        ("llama", other_activation, "layer 3", "mlp_act"),
        ("llama", other_scale, "layer 4", "attn_softmax"),
        ("llama", other_frequencies, "layer 1", "rope"),
        ("llama", other_angles_in_one_layer, "layer 3", "rope"),
        ("gemma2", other_cap, "layer 2", "attn_softmax"),
        ("gemma2", other_logit_cap, "head", "logits"),
        ("gemma2", other_window, "layer 1", "mask"),
        ("gemma3", other_global_frequencies, "layer 3", "rope"),
        ("mixtral", other_expert, "layer 3", "mlp"),
    ],
)
def test_an_altered_computation_is_found_where_it_is(family, alter, part, stream, compared):
    found = compared(family, alter)
    assert (found.first.name, found.first.first) == (part, stream)


def decibels(wanted, found):
    """Signal to noise, in numpy."""
    wanted, found = (np.asarray(each.detach(), dtype=np.float64) for each in (wanted, found))
    return 10 * np.log10((wanted**2).sum() / ((wanted - found) ** 2).sum())


def test_decibels_are_those_of_transformers_hidden_states(saved, compared):
    """Of its own record of them, which ends before the last layer; the last one is normed there."""
    folder, ours = saved("llama")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager")
    with torch.no_grad():
        theirs = model(torch.tensor([TOKENS]), output_hidden_states=True)
    found = compared("llama", precision="w8a8")
    quantized = quantize_model(ours, load_scheme("w8a8"))
    so_far = {"fp32": ours.embedding(TOKENS, 0), "w8a8": ours.embedding(TOKENS, 0)}
    for number in range(3):
        given, wanted = (theirs.hidden_states[number + more][0] for more in (0, 1))
        part = found.parts[number + 1]
        for name, ran, told in (("fp32", ours, part.exact), ("w8a8", quantized, part.rounded)):
            so_far[name] = run_prefill(ran.layers[number], ran.config, so_far[name])[0]
            own = run_prefill(ran.layers[number], ran.config, given)[0]
            assert told.own_db == pytest.approx(decibels(wanted, own), abs=1e-6)
            assert told.so_far_db == pytest.approx(decibels(wanted, so_far[name]), abs=1e-6)
    last = run_prefill(quantized.layers[3], ours.config, so_far["w8a8"])[0]
    logits = decibels(theirs.logits[0], quantized.logits(last))
    assert found.parts[-1].rounded.so_far_db == pytest.approx(logits, abs=1e-6)


def test_a_difference_stays_in_its_layer_and_adds_up_behind_it(compared):
    found = compared("llama", weight("model.layers.1.mlp.down_proj.weight", 5, 7))
    own, so_far = zip(*((part.exact.own_db, part.exact.so_far_db) for part in found.parts), strict=True)
    assert [db < 100 for db in own] == [False, False, True, False, False, False]
    assert [db < 100 for db in so_far] == [False, False, True, True, True, True]


def test_the_layer_that_loses_most_to_the_precision_is_named(compared):
    found = compared("gpt2", precision="w4a8")
    layers = {part.name: part.rounded.own_db for part in found.parts if part.rounded}
    assert found.loses_most.name == min(layers, key=layers.get)
    assert max(layers.values()) > 10 > min(layers.values()) - 10
    assert found.first is None  # of a precision nothing is asked


def altered_both(saved, alter, family="gpt2"):
    """Ours and theirs with the same other weights."""
    folder, _ = saved(family)
    ours = load_model(model_config(str(folder)), folder)
    theirs = load_transformers(folder, ours.config)
    with torch.no_grad():
        alter(theirs.model, ours)
    return hold_against(ours, None, theirs, TOKENS, "fp32")


def test_digits_that_float32_does_not_have_are_no_difference(saved):
    """Large keys that are the same for all positions: the softmax sees what is left of their difference."""

    def alter(theirs, ours):
        for block, layer in zip(theirs.transformer.h, ours.layers, strict=True):
            block.attn.c_attn.bias[32:64] = 1e4
            layer.attn.k_proj.bias.fill_(1e4)

    found = altered_both(saved, alter)
    assert found.least_db < 90
    assert found.first is None
    assert "which has no more digits there" in found.verdict


def test_a_difference_is_found_among_such_digits_too(saved):
    def alter(theirs, ours):
        theirs.transformer.h[2].attn.c_attn.bias[32:64] = 1e4
        ours.layers[2].attn.k_proj.bias.fill_(1e4)
        theirs.transformer.h[2].attn.c_proj.weight[3, 5] += 0.25

    found = altered_both(saved, alter)
    assert (found.first.name, found.first.first) == ("layer 3", "attn_o_proj")


def test_digits_that_only_we_lose_are_a_difference(saved):
    """Our LayerNorm squares the mean; theirs subtracts it first."""

    def alter(theirs, ours):
        theirs.transformer.wte.weight += 300.0
        ours.embedding.tokens += 300.0

    found = altered_both(saved, alter)
    assert (found.first.name, found.first.first) == ("layer 1", "attn_norm")
    assert "by our rounding" in found.verdict


def test_a_difference_that_the_result_hides_is_found_in_its_stream(saved):
    """A branch of a hundred thousandth of the residual stream, of which a hundredth is wrong."""

    def alter(theirs, ours):
        theirs.model.layers[2].self_attn.o_proj.weight *= 1e-5
        ours.layers[2].attn.o_proj.weight *= 1e-5
        theirs.model.layers[2].self_attn.v_proj.weight[5, 7] += 0.05

    found = altered_both(saved, alter, "llama")
    assert found.parts[3].exact.own_db > 100
    assert (found.first.name, found.first.first) == ("layer 3", "attn_v_proj")
    assert "transformers: attn_v_proj has" in found.verdict


def test_a_class_that_turns_neighbors_instead_of_halves(saved):
    folder, ours = saved("llama")
    found = hold_against(ours, None, load_transformers(folder, ours.config, "HeliumForCausalLM"), TOKENS, "fp32")
    assert found.reference == "HeliumForCausalLM"
    assert (found.first.name, found.first.first) == ("layer 1", "attn_k_rope")


def test_a_family_without_a_table_is_compared_by_its_results(saved, tmp_path):
    folder, ours = saved("llama")
    copy = shutil.copytree(folder, tmp_path / "helium")
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "model_type": "helium"}))
    found = hold_against(ours, None, load_transformers(copy, ours.config), TOKENS, "fp32")
    assert found.first.name == "layer 1"
    assert "first stream" not in found.verdict
    assert "is not known" in found.notes[0]


def test_other_sizes_are_refused(saved, tmp_path):
    kind, fields = MODELS["llama"]
    write_model(kind, {**fields, "num_hidden_layers": 3}, tmp_path / "short")
    write_model(kind, {**fields, "intermediate_size": 96}, tmp_path / "wide")
    _, ours = saved("llama")
    with pytest.raises(InputError, match="num_hidden_layers is 3 in transformers' model, 4 in llama"):
        load_transformers(tmp_path / "short", ours.config)
    short = load_transformers(tmp_path / "short", replace(ours.config, layers=3))
    with pytest.raises(InputError, match="num_hidden_layers is 3"):
        hold_against(ours, None, short, TOKENS, "fp32")
    with pytest.raises(InputError, match="mlp_gate_proj has 96 channels in transformers' model, 64 in ours"):
        hold_against(ours, None, load_transformers(tmp_path / "wide", ours.config), TOKENS, "fp32")


def test_what_goes_wrong_in_ours_is_not_told_as_theirs(saved, monkeypatch):
    folder, ours = saved("llama")

    def broken(*_given):
        raise ValueError("ours")

    monkeypatch.setattr("sttest.crosscheck.against.run_with_streams", broken)
    with pytest.raises(ValueError, match="ours"):
        hold_against(ours, None, load_transformers(folder, ours.config), TOKENS, "fp32")


def test_of_long_texts_no_more_is_asked_than_angles_have_in_float32(tmp_path):
    """A position times a frequency has 24 bits, and an angle of 500 leaves 15 behind the point."""
    kind, fields = MODELS["llama"]
    write_model(kind, {**fields, "num_hidden_layers": 1, "max_position_embeddings": 500}, tmp_path / "long")
    ours = load_model(model_config(str(tmp_path / "long")), tmp_path / "long")
    tokens = torch.randint(97, (500,), generator=torch.Generator().manual_seed(1)).tolist()
    found = hold_against(ours, None, load_transformers(tmp_path / "long", ours.config), tokens, "fp32")
    assert found.first is None
    asked = found.parts[1].asked_db
    assert (asked["attn_k_proj"], round(asked["rope"]), round(asked["attn_softmax"])) == (100.0, 91, 91)
