"""Reduced models of every family, as transformers writes them: a folder of config.json and safetensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM

_SIZES: dict[str, Any] = {
    "hidden_size": 96,
    "intermediate_size": 160,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "vocab_size": 211,
    "max_position_embeddings": 64,
    "num_key_value_heads": 2,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
    "rope_theta": 500_000.0,
}
_LINEAR = {"rope_type": "linear", "factor": 2.5, "rope_theta": 10_000.0}
_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "rope_theta": 10_000.0}
_GPT = {"n_embd": 96, "n_layer": 3, "n_head": 6, "vocab_size": 211, "n_positions": 64}
_OPT = {
    "hidden_size": 96,
    "ffn_dim": 160,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "vocab_size": 211,
    "max_position_embeddings": 64,
    "word_embed_proj_dim": 96,
}

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("gpt2", _GPT),
    "gpt2 with a head and a width of its own": ("gpt2", {**_GPT, "n_inner": 224, "tie_word_embeddings": False}),
    "llama": ("llama", _SIZES),
    "llama 3.1": ("llama", {**_SIZES, "rope_parameters": _LLAMA3}),
    "llama with biases": ("llama", {**_SIZES, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    "llama, linear": ("llama", {**_SIZES, "rope_parameters": _LINEAR}),
    "qwen2": ("qwen2", _SIZES),
    "qwen2, yarn": ("qwen2", {**_SIZES, "rope_parameters": _YARN}),
    "qwen2, windows": (
        "qwen2", {**_SIZES, "use_sliding_window": True, "sliding_window": 5, "max_window_layers": 0},
    ),
    "qwen3": ("qwen3", {**_SIZES, "head_dim": 32, "tie_word_embeddings": True}),
    "mistral": ("mistral", {**_SIZES, "sliding_window": 5, "head_dim": 24}),
    "gemma": ("gemma", {**_SIZES, "head_dim": 24}),
    "gemma2": ("gemma2", {**_SIZES, "head_dim": 24, "query_pre_attn_scalar": 16, "sliding_window": 5,
                          "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}),
    "gemma3": ("gemma3_text", {
        **_SIZES, "head_dim": 24, "query_pre_attn_scalar": 20, "sliding_window": 5, "num_hidden_layers": 7,
        "rope_parameters": {
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    }),
    "phi3": ("phi3", {**_SIZES, "sliding_window": 7, "pad_token_id": 0}),
    "opt": ("opt", _OPT),
    "qwen3 of experts": ("qwen3_moe", {
        **_SIZES, "head_dim": 32, "num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 48,
        "norm_topk_prob": True,
    }),
    "mixtral": ("mixtral", {**_SIZES, "num_local_experts": 4}),
}  # fmt: skip
"""``model_type`` and fields, by what they show."""


def write_model(kind: str, fields: dict[str, Any], folder: Path, seed: int = 5) -> Any:
    """A model of transformers with random weights, saved to a folder by itself."""
    ids = {"bos_token_id": None, "eos_token_id": None}
    config = AutoConfig.for_model(kind, **{"pad_token_id": None, **ids, **fields})
    model: Any = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    filled(model, kind, seed)
    model.save_pretrained(folder)
    return model


def filled(model: Any, kind: str, seed: int = 5) -> None:
    """Random weights for a model of transformers, its layers all different."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            spread = 1.5 * parameter.shape[-1] ** -0.5 if parameter.dim() >= 2 else 0.2
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
            if parameter.dim() == 1 and name.endswith("weight") and not kind.startswith("gemma"):
                parameter.add_(1.0)
    model.tie_weights()
