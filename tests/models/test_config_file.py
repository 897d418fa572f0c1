"""Reading a config.json: what published files mean, and what is refused by its name."""

import json
from dataclasses import fields, replace

import pytest

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig, LinearScaling, Llama3Scaling
from sttest.models.config_file import read_config
from sttest.models.registry import CONFIGS, SMALL, described_config, description, model_config, small

LLAMA = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "hidden_act": "silu", "hidden_size": 576,
    "initializer_range": 0.041666666666666664, "intermediate_size": 1536, "is_llama_config": True,
    "max_position_embeddings": 8192, "mlp_bias": False, "model_type": "llama", "num_attention_heads": 9,
    "num_hidden_layers": 30, "num_key_value_heads": 3, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
    "rope_interleaved": False, "rope_scaling": None, "rope_theta": 100000, "tie_word_embeddings": True,
    "torch_dtype": "bfloat16", "transformers_version": "4.40.1", "use_cache": True, "vocab_size": 49152,
}  # fmt: skip
"""That of SmolLM2-135M."""
LLAMA_3_1 = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
    "bos_token_id": 128000, "eos_token_id": 128001, "hidden_act": "silu", "hidden_size": 4096,
    "initializer_range": 0.02, "intermediate_size": 14336, "max_position_embeddings": 131072, "mlp_bias": False,
    "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "pretraining_tp": 1, "rms_norm_eps": 1e-05,
    "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 8192, "rope_type": "llama3"},
    "rope_theta": 500000.0, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.43.0.dev0", "use_cache": True, "vocab_size": 128256,
}  # fmt: skip
GPT2_XL = {
    "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
    "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 1600, "n_head": 25, "n_layer": 48,
    "n_positions": 1024, "output_past": True, "resid_pdrop": 0.1, "summary_activation": None,
    "summary_first_dropout": 0.1, "summary_proj_to_labels": True, "summary_type": "cls_index",
    "summary_use_proj": True, "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    "vocab_size": 50257,
}  # fmt: skip
QWEN3_8B = {
    "architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 151643,
    "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 12288, "max_position_embeddings": 40960, "max_window_layers": 36, "model_type": "qwen3",
    "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8, "rms_norm_eps": 1e-06,
    "rope_scaling": None, "rope_theta": 1000000, "sliding_window": None, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "transformers_version": "4.51.0", "use_cache": True, "use_sliding_window": False,
    "vocab_size": 151936,
}  # fmt: skip
MISTRAL = {
    "architectures": ["MistralForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
    "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336, "max_position_embeddings": 32768,
    "model_type": "mistral", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "sliding_window": 4096, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "transformers_version": "4.34.0.dev0", "use_cache": True, "vocab_size": 32000,
}  # fmt: skip
GEMMA_2 = {
    "architectures": ["Gemma2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
    "attn_logit_softcapping": 50.0, "bos_token_id": 2, "cache_implementation": "hybrid", "eos_token_id": 1,
    "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_act": "gelu_pytorch_tanh",
    "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304, "initializer_range": 0.02,
    "intermediate_size": 9216, "max_position_embeddings": 8192, "model_type": "gemma2", "num_attention_heads": 8,
    "num_hidden_layers": 26, "num_key_value_heads": 4, "pad_token_id": 0, "query_pre_attn_scalar": 256,
    "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "sliding_window": 4096, "torch_dtype": "float32",
    "transformers_version": "4.42.4", "use_cache": True, "vocab_size": 256000,
}  # fmt: skip
GEMMA_3_4B = {
    "architectures": ["Gemma3ForConditionalGeneration"],
    "boi_token_index": 255999,
    "eoi_token_index": 256000,
    "image_token_index": 262144,
    "initializer_range": 0.02,
    "mm_tokens_per_image": 256,
    "model_type": "gemma3",
    "text_config": {
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "model_type": "gemma3_text",
        "num_hidden_layers": 34,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        "sliding_window": 1024,
    },
    "torch_dtype": "bfloat16",
    "transformers_version": "4.50.0.dev0",
    "vision_config": {"hidden_size": 1152, "model_type": "siglip_vision_model"},
}
OPT = {
    "_name_or_path": "opt-125m", "activation_dropout": 0.0, "activation_function": "relu",
    "architectures": ["OPTForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 2, "do_layer_norm_before": True,
    "dropout": 0.1, "eos_token_id": 2, "ffn_dim": 3072, "hidden_size": 768, "init_std": 0.02, "layerdrop": 0.0,
    "max_position_embeddings": 2048, "model_type": "opt", "num_attention_heads": 12, "num_hidden_layers": 12,
    "pad_token_id": 1, "prefix": "</s>", "torch_dtype": "float16", "transformers_version": "4.21.0.dev0",
    "use_cache": True, "vocab_size": 50272, "word_embed_proj_dim": 768,
}  # fmt: skip
PHI_3 = {
    "architectures": ["Phi3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
    "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config"}, "bos_token_id": 1, "embd_pdrop": 0.0,
    "eos_token_id": 32000, "hidden_act": "silu", "hidden_size": 3072, "initializer_range": 0.02,
    "intermediate_size": 8192, "max_position_embeddings": 4096, "model_type": "phi3", "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 32, "original_max_position_embeddings": 4096,
    "pad_token_id": 32000, "resid_pdrop": 0.0, "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 10000.0,
    "sliding_window": 2047, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "transformers_version": "4.40.2", "use_cache": True, "vocab_size": 32064,
}  # fmt: skip


LLAMA_1 = {
    "architectures": ["LLaMAForCausalLM"], "bos_token_id": 0, "eos_token_id": 1, "hidden_act": "silu",
    "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 11008, "max_position_embeddings": 2048,
    "max_sequence_length": 2048, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 32,
    "pad_token_id": -1, "rms_norm_eps": 1e-06, "torch_dtype": "float16", "transformers_version": "4.27.0.dev0",
    "use_cache": True, "vocab_size": 32000,
}  # fmt: skip
VICUNA_16K = {
    **LLAMA_1, "_name_or_path": "vicuna-7b-v1.5-16k", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
    "max_position_embeddings": 4096, "max_sequence_length": 16384, "num_key_value_heads": 32, "pretraining_tp": 1,
    "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 4.0, "type": "linear"}, "tie_word_embeddings": False,
}  # fmt: skip
DISTILGPT2 = {
    **GPT2_XL, "_num_labels": 1, "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}, "n_embd": 768, "n_head": 12,
    "n_layer": 6,
}  # fmt: skip
GEMMA_2_9B = {
    **GEMMA_2, "hidden_size": 3584, "intermediate_size": 14336, "num_attention_heads": 16, "num_hidden_layers": 42,
    "num_key_value_heads": 8, "sliding_window_size": 4096, "transformers_version": "4.42.0.dev0",
}  # fmt: skip
RELEASED = {
    "llama-1": (LLAMA_1, {"hidden": 4096, "eps": 1e-6, "max_context": 2048, "rope_scaling": None}),
    "vicuna-16k": (VICUNA_16K, {"hidden": 4096, "max_context": 4096, "rope_scaling": LinearScaling(4.0)}),
    "distilgpt2": (DISTILGPT2, {"hidden": 768, "layers": 6, "heads": 12, "max_context": 1024}),
    "gemma-2-9b": (GEMMA_2_9B, {"hidden": 3584, "layers": 42, "sliding_window": 4096, "global_every": 2}),
}
"""Files with fields of no effect, or that double another, and some of what they say."""


def read(tmp_path, data, name="own/config.json"):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return read_config(path)


def facts(config: DecoderConfig):
    return {f.name: getattr(config, f.name) for f in fields(config) if f.name not in ("name", "public_name", "source")}


@pytest.mark.parametrize(
    ("published", "name"),
    [
        (LLAMA, "smollm2-135m"),
        (LLAMA_3_1, "llama-3.1-8b"),
        (GPT2_XL, "gpt2-xl"),
        (QWEN3_8B, "qwen3-8b"),
        (MISTRAL, "mistral-7b"),
        (GEMMA_2, "gemma-2-2b"),
        (GEMMA_3_4B, "gemma-3-4b"),
        (OPT, "opt-125m"),
        (PHI_3, "phi-3-mini"),
    ],
)
def test_published_files_are_the_models_of_the_registry(published, name, tmp_path):
    assert facts(read(tmp_path, published)) == facts(CONFIGS[name])


@pytest.mark.parametrize(("published", "told"), RELEASED.values(), ids=RELEASED)
def test_fields_of_no_effect_are_passed_over(published, told, tmp_path):
    found = facts(read(tmp_path, published))
    assert {name: found[name] for name in told} == told


def test_a_field_that_doubles_another_says_the_same(tmp_path):
    with pytest.raises(InputError, match=r"sliding_window_size: 512 where sliding_window, .*, is 4096"):
        read(tmp_path, {**GEMMA_2_9B, "sliding_window_size": 512})


def test_layers_of_any_order_have_a_kind_each(tmp_path):
    types = ["full_attention", "sliding_attention", "sliding_attention"] * 2
    own = read(tmp_path, {**GEMMA_2, "num_hidden_layers": 6, "layer_types": types})
    assert [own.layer_kind(number) for number in range(6)] == ["global", "local", "local"] * 2
    assert described_config(own.name, description(own)) == own
    late = read(tmp_path, {**QWEN3_8B, "use_sliding_window": True, "sliding_window": 9, "max_window_layers": 30})
    assert [late.layer_kind(number) for number in (0, 29, 30, 35)] == ["global", "global", "local", "local"]
    assert set(map(small(late).layer_kind, range(6))) == {"global", "local"}
    with pytest.raises(InputError, match="6 kinds for 7 layers"):
        replace(own, layers=7)


def test_a_folder_and_a_file_have_names(tmp_path):
    assert read(tmp_path, LLAMA, "My Model!/config.json").name == "my-model"
    assert read(tmp_path, LLAMA, "own/wide.json").name == "wide"
    assert model_config(str(tmp_path / "My Model!")).name == "my-model"
    reduced = model_config(f"{SMALL}{tmp_path}/own/wide.json")
    assert (reduced.name, reduced.hidden, reduced.heads) == ("small-wide", 192, 3)


def test_a_name_of_the_registry_is_not_a_folder(tmp_path, monkeypatch):
    read(tmp_path, LLAMA, "gpt2/config.json")
    monkeypatch.chdir(tmp_path)
    assert model_config("gpt2").hidden == 1024
    assert model_config("./gpt2").hidden == 576


def test_a_package_keeps_what_the_registry_does_not_have(tmp_path):
    own = read(tmp_path, LLAMA_3_1, "gpt2/config.json")
    told = description(own)
    assert told is not None
    assert described_config(own.name, told) == own
    assert isinstance(own.rope_scaling, Llama3Scaling)
    assert description(CONFIGS["gpt2"]) is description(small(CONFIGS["gpt2"])) is None


REFUSED = {
    "another family": ({"model_type": "mamba"}, "unknown-family", "model_type: no block of the family 'mamba'"),
    "no family": ({"model_type": None}, "unknown-family", "no block of the family"),
    "an unknown field": ({"clip_qkv": 8.0}, "unknown-field", "clip_qkv: no block has this field"),
    "a misspelt field": ({"rope_thetta": 1e6}, "unknown-field", "delete it .*: transformers ignores it"),
    "a line break": ({"a\nb": 1}, "unknown-field", r"a\\nb: no block"),
    "quantized weights": ({"quantization_config": {"bits": 4}}, "quantized-checkpoint", "quantization_config"),
    "an activation": ({"hidden_act": "gelu"}, "unknown-activation", "hidden_act: no block has the activation 'gelu'"),
    "long rope": ({"rope_scaling": {"type": "longrope"}}, "unknown-rope", "rope_scaling: .*kind 'longrope'"),
    "dynamic rope": ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "unknown-rope", "kind 'dynamic'"),
    "half a scaling": (
        {"rope_scaling": {"type": "llama3", "factor": 2.0}},
        "bad-value",
        "low_freq_factor: .* needs it",
    ),
    "a scaling's unknown field": ({"rope_scaling": {"type": "linear", "factor": 2.0, "x": 1}}, "bad-value", "'x'"),
    "a scaling of 0": ({"rope_scaling": {"type": "linear", "factor": 0}}, "bad-value", "0 is no positive number"),
    "a kind that is no name": ({"rope_scaling": {"type": [1], "factor": 2.0}}, "unknown-rope", "kind "),
    "a switch that is none": (
        {"rope_scaling": {"type": "yarn", "factor": 2.0, "original_max_position_embeddings": 9, "truncate": "x"}},
        "bad-value",
        "truncate: 'x' is neither true nor false",
    ),
    "a name's end": ({"model_type": ["llama"]}, "unknown-family", "no block of the family"),
    "partial rotation": ({"partial_rotary_factor": 0.5}, "bad-value", "partial_rotary_factor: no block turns a part"),
    "a width as text": ({"hidden_size": "576"}, "bad-value", "hidden_size"),
    "a width that no memory holds": ({"hidden_size": 2**40}, "bad-value", "hidden_size"),
    "no layers": ({"num_hidden_layers": 0}, "bad-value", "num_hidden_layers"),
    "heads that do not divide": ({"num_attention_heads": 7}, "bad-value", "7 heads do not divide a width of 576"),
    "shared heads": ({"num_key_value_heads": 2}, "bad-config", "9 query heads cannot share 2"),
    "epsilon": ({"rms_norm_eps": 0.0}, "bad-value", "rms_norm_eps"),
}


@pytest.mark.parametrize(("change", "code", "told"), REFUSED.values(), ids=REFUSED)
def test_what_no_block_has_is_refused_by_name(change, code, told, tmp_path):
    with pytest.raises(InputError, match=told) as caught:
        read(tmp_path, {**LLAMA, **change})
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({**OPT, "do_layer_norm_before": False}, "do_layer_norm_before"),
        ({**OPT, "word_embed_proj_dim": 512}, "word_embed_proj_dim: no block has embeddings of another width"),
        ({**GPT2_XL, "scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
        ({**MISTRAL, "layer_types": ["sliding_attention"]}, "layer_types: 1 entries for 32 layers"),
        ([], "no configuration of Hugging Face"),
    ],
)
def test_features_that_no_block_has_are_refused_by_name(data, told, tmp_path):
    with pytest.raises(InputError, match=told):
        read(tmp_path, data)


def test_a_folder_without_a_configuration(tmp_path):
    with pytest.raises(InputError, match=r"config\.json: cannot be read.*give a config\.json"):
        read_config(tmp_path)
