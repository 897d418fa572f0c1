"""Whole models from transformers, small, with random weights, as the reference."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from sttest.models.config import DecoderConfig

# Tensors this small are slower on several threads.
torch.set_num_threads(1)


def whole_model(config: DecoderConfig, seed: int = 11) -> Any:
    """The causal language model of transformers that ``config`` describes."""
    model = _built(config).eval()
    generator = torch.Generator().manual_seed(seed)
    # Layers that say more than the embedding does, or a tied head repeats its input for ever.
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            embeds = any(part in name for part in ("embed", "wte", "wpe", "lm_head"))
            spread = (0.25 if embeds else 2.0) * parameter.shape[-1] ** -0.5 if parameter.dim() == 2 else 0.3
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
            if parameter.dim() == 1 and name.endswith("weight") and config.norm != "rmsnorm_plus_one":
                parameter.add_(1.0)
    return model


def continued(model: Any, prompt: list[int], new_tokens: int) -> tuple[list[int], Tensor]:
    """Greedy tokens and the logits that they were chosen from, by transformers' own cache."""
    chosen, seen, cache = [], [], None
    tokens = torch.tensor([prompt])
    with torch.no_grad():
        for _ in range(new_tokens):
            out = model(tokens, past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            seen.append(out.logits[0, -1])
            chosen.append(int(seen[-1].argmax()))
            tokens = torch.tensor([chosen[-1:]])
    return chosen, torch.stack(seen)


def _built(config: DecoderConfig) -> Any:
    import transformers

    if config.norm == "layernorm":
        return transformers.GPT2LMHeadModel(
            transformers.GPT2Config(
                vocab_size=config.vocab,
                n_positions=config.max_context,
                n_embd=config.hidden,
                n_layer=config.layers,
                n_head=config.heads,
                n_inner=config.ffn,
                layer_norm_epsilon=config.eps,
                bos_token_id=None,
                eos_token_id=None,
                attn_implementation="eager",
            )
        )
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
        "attn_implementation": "eager",
    }
    rope = {"rope_type": "default", "rope_theta": config.rope_theta}
    if config.post_norms:
        local = {"rope_type": "default", "rope_theta": config.local_rope_theta}
        kinds = {"global": "full_attention", "local": "sliding_attention"}
        return transformers.Gemma3ForCausalLM(
            transformers.Gemma3TextConfig(
                **common,
                hidden_activation="gelu_pytorch_tanh",
                query_pre_attn_scalar=config.head_dim,
                sliding_window=config.sliding_window,
                layer_types=[kinds[config.layer_kind(layer)] for layer in range(config.layers)],
                rope_parameters={"full_attention": rope, "sliding_attention": local},
            )
        )
    if config.qkv_bias:
        return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**common, rope_parameters=rope))
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**common, rope_parameters=rope))
