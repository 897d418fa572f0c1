"""How many parameters one decoder block has, from its configuration alone."""

from __future__ import annotations

from sttest.models.config import DecoderConfig


def block_parameters(config: DecoderConfig) -> int:
    """Weights and biases of one block: projections, feed-forward network, norms; embeddings are not part of it."""
    return _attention(config) + _mlp(config) + _norms(config)


def _attention(config: DecoderConfig) -> int:
    query, key = config.heads * config.head_dim, config.kv_heads * config.head_dim
    weights = config.hidden * (query + 2 * key) + query * config.hidden
    return weights + config.qkv_bias * (query + 2 * key) + config.o_bias * config.hidden


def _mlp(config: DecoderConfig) -> int:
    ups = 2 if config.gated else 1
    return (ups + 1) * config.hidden * config.ffn + config.mlp_bias * (ups * config.ffn + config.hidden)


def _norms(config: DecoderConfig) -> int:
    vectors = 2 if config.norm == "layernorm" else 1
    count = 4 if config.post_norms else 2
    return vectors * (count * config.hidden + config.qk_norm * 2 * config.head_dim)
