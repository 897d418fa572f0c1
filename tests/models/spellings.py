"""Configurations of every family as files may spell them, right and wrong, for a comparison with transformers."""

from __future__ import annotations

from typing import Any

_IDS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
_SIZES: dict[str, Any] = {
    "hidden_size": 96, "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 6, "vocab_size": 211,
    "max_position_embeddings": 64, "num_key_value_heads": 2, "head_dim": 16, **_IDS,
}  # fmt: skip
_UNTIED = {**_SIZES, "tie_word_embeddings": False}
_GEMMA_2 = {**_SIZES, "query_pre_attn_scalar": 16, "sliding_window": 5}
ROTARY: dict[str, dict[str, Any]] = {
    "llama": _UNTIED,
    "mistral": _UNTIED,
    "qwen2": _UNTIED,
    "qwen3": _UNTIED,
    "phi3": _UNTIED,
    "gemma": _SIZES,
    "gemma2": _GEMMA_2,
    "gemma3_text": _GEMMA_2,
    "mixtral": {**_UNTIED, "num_local_experts": 4},
    "qwen3_moe": {
        **_UNTIED, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64, "norm_topk_prob": True,
    },
}  # fmt: skip
LEARNED: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 96, "n_layer": 3, "n_head": 6, "vocab_size": 211, "n_positions": 64, **_IDS},
    "opt": {
        "hidden_size": 96, "ffn_dim": 160, "num_hidden_layers": 3, "num_attention_heads": 6, "vocab_size": 211,
        "max_position_embeddings": 64, "word_embed_proj_dim": 96, **_IDS,
    },
}  # fmt: skip

_FULL, _LOCAL = "full_attention", "sliding_attention"
_DEFAULT = {"rope_type": "default"}
_LINEAR, _OLD = {"rope_type": "linear", "factor": 2.0}, {"type": "linear", "factor": 2.0}
_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
_LLAMA_3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
_GLOBAL_ROPE, _LOCAL_ROPE = {**_DEFAULT, "rope_theta": 5e4}, {**_DEFAULT, "rope_theta": 2e3}


def _nested(of_global: Any = _GLOBAL_ROPE, of_local: Any = _LOCAL_ROPE, **more: Any) -> dict[str, Any]:
    return {"rope_parameters": {_FULL: of_global, _LOCAL: of_local, **more}}


ROPE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a base": {"rope_theta": 5e4},
    "a whole base": {"rope_theta": 50_000},
    "flat": {"rope_parameters": _GLOBAL_ROPE},
    "flat, no kind": {"rope_parameters": {"rope_theta": 5e4}},
    "flat beside a base": {"rope_theta": 7e3, "rope_parameters": _GLOBAL_ROPE},
    "flat without its base": {"rope_theta": 7e3, "rope_parameters": _DEFAULT},
    "flat, null base": {"rope_parameters": {**_DEFAULT, "rope_theta": None}},
    "flat, null kind": {"rope_parameters": {"rope_type": None, **_OLD}},
    "flat, linear": {"rope_parameters": _LINEAR},
    "flat, type": {"rope_parameters": _OLD},
    "empty": {"rope_parameters": {}},
    "linear": {"rope_scaling": _LINEAR},
    "type": {"rope_scaling": _OLD},
    "linear with a base": {"rope_scaling": {**_LINEAR, "rope_theta": 5e4}},
    "both": {"rope_scaling": _LINEAR, "rope_parameters": _GLOBAL_ROPE},
    "empty and linear": {"rope_scaling": _LINEAR, "rope_parameters": {}},
    "no scaling": {"rope_scaling": {}},
    "yarn": {"rope_scaling": _YARN},
    "yarn, attention_factor": {"rope_scaling": {**_YARN, "attention_factor": 1.7}},
    "yarn, attn_factor": {"rope_scaling": {**_YARN, "attn_factor": 1.7}},
    "yarn, misspelled": {"rope_scaling": {**_YARN, "beta_fasts": 9.0, "mscale_all_dims": 2.0}},
    "yarn, not truncated": {"rope_scaling": {**_YARN, "truncate": False}},
    "yarn, betas": {"rope_scaling": {**_YARN, "beta_fast": 20, "beta_slow": 2}},
    "yarn, mscale": {"rope_scaling": {**_YARN, "mscale": 0.7, "mscale_all_dim": 1.3}},
    "yarn, half": {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}},
    "llama3": {"rope_scaling": _LLAMA_3, "rope_theta": 5e4},
    "llama3, misspelled": {"rope_scaling": {**_LLAMA_3, "low_frequency_factor": 2.0}},
    "llama3, turned around": {"rope_scaling": {**_LLAMA_3, "low_freq_factor": 5.0}},
    "llama3, equal": {"rope_scaling": {**_LLAMA_3, "low_freq_factor": 4.0}},
    "null base": {"rope_theta": None},
    "null local base": {"rope_local_base_freq": None},
    "null part": {"partial_rotary_factor": None},
    "linear, misspelled": {"rope_scaling": {**_LINEAR, "factors": 3.0}},
    "by kind": _nested(),
    "by kind, linear": _nested({**_LINEAR, "rope_theta": 5e4}),
    "by kind, type": _nested({**_OLD, "rope_theta": 5e4}),
    "by kind, yarn": _nested({**_YARN, "rope_theta": 5e4}),
    "by kind, yarn not truncated": _nested({**_YARN, "rope_theta": 5e4, "truncate": False}),
    "by kind, local scaled": _nested(of_local={**_LINEAR, "rope_theta": 2e3}),
    "by kind, one alone": {"rope_parameters": {_FULL: _GLOBAL_ROPE}},
    "by kind, the other alone": {"rope_parameters": {_LOCAL: _LOCAL_ROPE}},
    "by kind, bases outside": {**_nested(_DEFAULT, _DEFAULT), "rope_theta": 6e4, "rope_local_base_freq": 3e3},
    "by kind, empty": _nested({}, {}),
    "by kind, null": _nested(None, None),
    "by kind and flat": _nested(rope_theta=4e4),
    "by kind and linear": {**_nested(), "rope_scaling": _LINEAR},
    "scaling by kind": {"rope_scaling": {_FULL: _LINEAR, _LOCAL: _DEFAULT}},
    "a local base": {"rope_local_base_freq": 2e3},
    "both bases": {"rope_local_base_freq": 2e3, "rope_theta": 5e4},
    "half turned": {"partial_rotary_factor": 0.5},
    "all turned": {"partial_rotary_factor": 1.0},
    "an original length": {"original_max_position_embeddings": 32, "rope_scaling": _YARN},
}
LAYERS: dict[str, dict[str, Any]] = {
    "a window": {"sliding_window": 5},
    "no window": {"sliding_window": None},
    "a window of nothing": {"sliding_window": 0},
    "a window of itself": {"sliding_window": 1},
    "a window in use": {"use_sliding_window": True, "sliding_window": 5},
    "windows behind layer 2": {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 2},
    "windows behind layer 0": {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 0},
    "all full": {"layer_types": [_FULL] * 4},
    "all full, a window": {"layer_types": [_FULL] * 4, "sliding_window": 5},
    "all local": {"layer_types": [_LOCAL] * 4},
    "all local, a window": {"layer_types": [_LOCAL] * 4, "sliding_window": 5},
    "all local, a window in use": {"layer_types": [_LOCAL] * 4, "sliding_window": 5, "use_sliding_window": True},
    "irregular": {"layer_types": [_FULL, _LOCAL, _LOCAL, _FULL], "sliding_window": 5},
    "irregular, in use": {
        "layer_types": [_FULL, _LOCAL, _LOCAL, _FULL], "sliding_window": 5, "use_sliding_window": True,
    },
    "full first": {"layer_types": [_FULL, _LOCAL, _FULL, _LOCAL], "sliding_window": 5, "use_sliding_window": True},
    "irregular, no window": {"layer_types": [_FULL, _LOCAL, _LOCAL, _FULL], "sliding_window": None},
    "too few": {"layer_types": [_FULL, _LOCAL]},
    "another kind": {"layer_types": [_FULL, _FULL, _FULL, "chunked_attention"]},
    "every third": {"sliding_window_pattern": 3},
    "every third, not read": {"_sliding_window_pattern": 3},
    "every": {"sliding_window_pattern": 1},
    "chunks": {"attention_chunk_size": 4},
}  # fmt: skip
OTHERS: dict[str, dict[str, Any]] = {
    "a window's other name": {"sliding_window": 5, "sliding_window_size": 5},
    "another window": {"sliding_window": 5, "sliding_window_size": 6},
    "gelu": {"hidden_act": "gelu"},
    "gelu by the other name": {"hidden_activation": "gelu"},
    "silu": {"hidden_act": "silu"},
    "swish": {"hidden_act": "swish"},
    "both activations": {"hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh"},
    "null activation": {"hidden_act": None},
    "the other null": {"hidden_activation": None},
    "heads that do not divide": {"hidden_size": 100},
    "null key-value heads": {"num_key_value_heads": None},
    "null head_dim": {"head_dim": None},
    "tied": {"tie_word_embeddings": True},
    "untied": {"tie_word_embeddings": False},
    "biases": {"attention_bias": True},
    "biases of the network": {"mlp_bias": True},
    "experts": {"num_experts": 4, "num_local_experts": 4},
    "other experts": {"num_experts": 4, "num_local_experts": 8},
    "not both ways": {"use_bidirectional_attention": False},
    "both ways": {"use_bidirectional_attention": True},
    "a cap of scores": {"attn_logit_softcapping": 2.0},
    "a cap of logits": {"final_logit_softcapping": 3.0},
    "no caps": {"attn_logit_softcapping": None, "final_logit_softcapping": None},
    "a scale": {"query_pre_attn_scalar": 20},
    "a broken scale": {"query_pre_attn_scalar": 20.5},
    "probabilities": {"norm_topk_prob": False},
    "layers without experts": {"mlp_only_layers": [1]},
    "misspelled": {"rope_thetta": 5e4, "hiddensize": 48, "num_key_values_heads": 3, "rms_norm_epsilon": 0.5},
    "of others": {"clip_qkv": 0.01, "logits_scaling": 3.0, "residual_multiplier": 0.5, "embedding_multiplier": 9.0},
    "lengths": {"max_sequence_length": 9, "model_max_length": 9, "n_ctx": 9},
    "generation": {"max_length": 9, "temperature": 0.1, "top_k": 3, "num_beams": 4, "epsilon_cutoff": 0.5},
    "labels": {"_num_labels": 1, "id2label": {"0": "A"}, "label2id": {"A": 0}, "classifier_dropout": 0.1},
    "a padding token": {"pad_token_id": -1},
}
OF_GPT2: dict[str, dict[str, Any]] = {
    "nothing": {},
    "untied": {"tie_word_embeddings": False},
    "a width's other name": {"hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 6},
    "another width": {"hidden_size": 48},
    "layers of another name": {"num_hidden_layers": 2},
    "heads of another name": {"num_attention_heads": 3},
    "lengths": {"n_ctx": 9, "max_sequence_length": 9},
    "misspelled": {"n_layers": 2, "n_inners": 5, "rope_theta": 3e3},
    "labels": OTHERS["labels"],
}
OF_OPT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "misspelled": {"ffn_dims": 2, "n_inner": 5},
    "no last norm": {"_remove_final_layer_norm": True},
    "a last norm": {"_remove_final_layer_norm": False},
    "labels": OTHERS["labels"],
}

GROUPS: dict[str, tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]] = {
    "rope": (ROTARY, ROPE),
    "layers": (ROTARY, LAYERS),
    "others": (ROTARY, OTHERS),
    "gpt2": ({"gpt2": LEARNED["gpt2"]}, OF_GPT2),
    "opt": ({"opt": LEARNED["opt"]}, OF_OPT),
}
"""Families and spellings of each."""
