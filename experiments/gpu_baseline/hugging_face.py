"""A decoder configuration as a causal language model of transformers, with random weights."""

from __future__ import annotations

from typing import Any

import torch
import transformers

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig


def build_model(config: DecoderConfig, device: str, dtype: str, attention: str = "sdpa") -> Any:
    """The model in evaluation mode, initialized at random by transformers itself.

    Args:
        dtype: a name of torch, "bfloat16" for example.
        attention: transformers' name of an attention implementation.
    """
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with torch.device(device):
            return transformers_model(config, attention).eval()
    finally:
        torch.set_default_dtype(before)


def transformers_model(config: DecoderConfig, attention: str) -> Any:
    """The causal language model of transformers that ``config`` describes, on the default device and in its type."""
    if config.family not in ("gpt2", "qwen2", "llama", "gemma3_text"):
        raise InputError("unknown-family", f"no baseline of the family {config.family}", where=config.name)
    if config.norm == "layernorm":
        return transformers.GPT2LMHeadModel(_gpt2(config, attention))
    common: dict[str, Any] = {
        "vocab_size": config.vocab,
        "hidden_size": config.hidden,
        "intermediate_size": config.ffn,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "max_position_embeddings": config.max_context,
        "rms_norm_eps": config.eps,
        "tie_word_embeddings": config.tied_embeddings,
        "attn_implementation": attention,
    }
    rope = {"rope_type": "default", "rope_theta": config.rope_theta}
    if config.post_norms:
        return transformers.Gemma3ForCausalLM(_gemma3(config, common, rope))
    if config.qkv_bias:
        return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**common, rope_parameters=rope))
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**common, rope_parameters=rope))


def _gpt2(config: DecoderConfig, attention: str) -> Any:
    options: dict[str, Any] = {"attn_implementation": attention}
    return transformers.GPT2Config(
        vocab_size=config.vocab,
        n_positions=config.max_context,
        n_embd=config.hidden,
        n_layer=config.layers,
        n_head=config.heads,
        n_inner=config.ffn,
        layer_norm_epsilon=config.eps,
        bos_token_id=None,
        eos_token_id=None,
        **options,
    )


def _gemma3(config: DecoderConfig, common: dict[str, Any], rope: dict[str, Any]) -> Any:
    local = {"rope_type": "default", "rope_theta": config.local_rope_theta}
    kinds = {"global": "full_attention", "local": "sliding_attention"}
    return transformers.Gemma3TextConfig(
        **common,
        hidden_activation="gelu_pytorch_tanh",
        query_pre_attn_scalar=config.head_dim,
        sliding_window=config.sliding_window,
        layer_types=[kinds[config.layer_kind(layer)] for layer in range(config.layers)],
        rope_parameters={"full_attention": rope, "sliding_attention": local},
    )
