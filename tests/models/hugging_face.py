"""The same layers from transformers, with random weights, as the reference."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from sttest.models.config import DecoderConfig, LayerKind

_EAGER: dict[str, Any] = {"attn_implementation": "eager"}


class Reference:
    """One decoder layer of transformers and its rotary embedding."""

    def __init__(self, layer: nn.Module, rotary: nn.Module | None, layer_type: str | None) -> None:
        self.layer = layer.eval()
        self.rotary = rotary
        self.layer_type = layer_type
        generator = torch.Generator().manual_seed(7)
        with torch.no_grad():
            for parameter in layer.parameters():
                spread = max(parameter.shape) ** -0.5 if parameter.dim() == 2 else 0.3
                parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))

    def cos_sin(self, positions: list[int]) -> tuple[Tensor, Tensor]:
        """Rotary cosines and sines, [n, head_dim] each."""
        assert self.rotary is not None
        extra = () if self.layer_type is None else (self.layer_type,)
        cos, sin = self.rotary(torch.zeros(1, 1), torch.tensor([positions]), *extra)
        return cos[0], sin[0]

    def run(self, x: Tensor, mask: Tensor) -> Tensor:
        """[n, hidden] with an additive mask [n, n], positions from 0."""
        arguments: dict[str, Any] = {"attention_mask": mask[None, None]}
        if self.rotary is not None:
            arguments["position_embeddings"] = tuple(t[None] for t in self.cos_sin(list(range(len(x)))))
        with torch.no_grad():
            return self.layer(x[None], **arguments)[0]


def reference(config: DecoderConfig, kind: LayerKind = "global") -> Reference:
    """The layer of transformers that ``config`` describes."""
    if config.norm == "layernorm":
        return _gpt2(config)
    common: dict[str, Any] = {
        "hidden_size": config.hidden,
        "intermediate_size": config.ffn,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "num_hidden_layers": config.layers,
        "max_position_embeddings": config.max_context,
        "rms_norm_eps": config.eps,
        **_EAGER,
    }
    if config.post_norms:
        return _gemma3(config, common, kind)
    if config.qkv_bias:
        return _qwen2(config, common)
    return _llama(config, common)


def _gpt2(config: DecoderConfig) -> Reference:
    from transformers import GPT2Config
    from transformers.models.gpt2.modeling_gpt2 import GPT2Block

    sizes = {"n_embd": config.hidden, "n_inner": config.ffn, "n_head": config.heads}
    theirs = GPT2Config(**sizes, layer_norm_epsilon=config.eps, **_EAGER)
    return Reference(GPT2Block(theirs, layer_idx=0), None, None)


def _qwen2(config: DecoderConfig, common: dict[str, Any]) -> Reference:
    from transformers import Qwen2Config
    from transformers.models.qwen2.modeling_qwen2 import Qwen2DecoderLayer, Qwen2RotaryEmbedding

    rope = {"rope_type": "default", "rope_theta": config.rope_theta}
    theirs = Qwen2Config(**common, rope_parameters=rope)
    return Reference(Qwen2DecoderLayer(theirs, layer_idx=0), Qwen2RotaryEmbedding(theirs), None)


def _llama(config: DecoderConfig, common: dict[str, Any]) -> Reference:
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": config.rope_theta}
    if config.rope_scaling is not None:
        rope |= {
            "rope_type": "llama3",
            "factor": config.rope_scaling.factor,
            "low_freq_factor": config.rope_scaling.low,
            "high_freq_factor": config.rope_scaling.high,
            "original_max_position_embeddings": config.rope_scaling.original_context,
        }
    theirs = LlamaConfig(**common, rope_parameters=rope)
    return Reference(LlamaDecoderLayer(theirs, layer_idx=0), LlamaRotaryEmbedding(theirs), None)


def _gemma3(config: DecoderConfig, common: dict[str, Any], kind: LayerKind) -> Reference:
    from transformers import Gemma3TextConfig
    from transformers.models.gemma3.modeling_gemma3 import Gemma3DecoderLayer, Gemma3RotaryEmbedding

    layer_type = "full_attention" if kind == "global" else "sliding_attention"
    theirs = Gemma3TextConfig(
        **common,
        hidden_activation="gelu_pytorch_tanh",
        query_pre_attn_scalar=config.head_dim,
        sliding_window=config.sliding_window,
        layer_types=[layer_type] * config.layers,
        rope_parameters={
            "full_attention": {"rope_type": "default", "rope_theta": config.rope_theta},
            "sliding_attention": {"rope_type": "default", "rope_theta": config.local_rope_theta},
        },
    )
    return Reference(Gemma3DecoderLayer(theirs, layer_idx=0), Gemma3RotaryEmbedding(theirs), layer_type)
