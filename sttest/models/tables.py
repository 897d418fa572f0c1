"""Inputs of a block that the host computes: attention masks, rotary tables, which token a column of the head is."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig, LayerKind, RopeScaling

F32Array = NDArray[np.float32]

HEAD_TILE = 256
"""A head has whole multiples: the columns of the widest tile (`--gemv-lanes 8192`, docs/explanation/tiling.md)."""


def rope_table(config: DecoderConfig, positions: ArrayLike, layer_kind: LayerKind = "global") -> F32Array:
    """Rotation matrices of the rotary embedding (Su et al., RoFormer, arXiv 2104.09864).

    ``table[p, o, i, j]`` multiplies component j of half i of a head into half o,
    so that each pair of halves is turned by ``positions[p] / theta^(2j/head_dim)``.

    Args:
        config: a configuration with a rotary embedding.
        positions: position of each token, shape [n].
        layer_kind: local layers turn with ``local_rope_theta``.

    Returns:
        Shape [n, 2, 2, head_dim / 2].

    Raises:
        InputError: the model has no rotary embedding.
    """
    if config.rope_theta is None:
        raise InputError(
            "no-rope", f"{config.public_name} has no rotary embedding", where=config.name, hints=["leave rope out"]
        )
    theta = config.rope_theta
    if layer_kind == "local" and config.local_rope_theta is not None:
        theta = config.local_rope_theta
    frequencies = theta ** (-np.arange(0, config.head_dim, 2) / config.head_dim)
    if config.rope_scaling is not None:
        frequencies = _scaled(frequencies, config.rope_scaling)
    angles = np.asarray(positions, dtype=np.float64)[:, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1).astype(np.float32)


def _scaled(frequencies: NDArray[np.float64], scaling: RopeScaling) -> NDArray[np.float64]:
    turns = scaling.original_context * frequencies / (2 * math.pi)
    kept = np.clip((turns - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0)
    return frequencies * (kept + (1.0 - kept) / scaling.factor)


def prefill_mask(config: DecoderConfig, tokens: int, layer_kind: LayerKind = "global", *, padding: int = 0) -> F32Array:
    """Additive causal mask of a prefill.

    Args:
        config: its window applies on local layers.
        tokens: n, padding included.
        layer_kind: ``local`` hides what lies outside of the sliding window.
        padding: so many tokens at the start are hidden from all others.

    Returns:
        Shape [n, n], row = query; 0 where the key is seen, a large negative number where not.
    """
    query, key = np.arange(tokens)[:, None], np.arange(tokens)[None, :]
    seen = (key <= query) & _in_window(config, query - key, layer_kind)
    seen &= (key >= padding) | (key == query)
    return _additive(seen)


def decode_mask(
    config: DecoderConfig, context: int, layer_kind: LayerKind = "global", *, padding: int = 0, free: int = 0
) -> F32Array:
    """Additive mask over ``context`` cached positions for the token that follows them.

    Args:
        config: its window applies on local layers.
        context: cached positions, padding included.
        layer_kind: ``local`` hides what lies outside of the sliding window.
        padding: so many positions at the start are hidden.
        free: so many places after the cached positions have no entry yet and are hidden.

    Returns:
        Shape [context + free]; 0 where the key is seen, a large negative number where not.
    """
    key = np.arange(context + free)
    seen = (key >= padding) & (key < context)
    return _additive(_in_window(config, context - key, layer_kind) & seen)


def step_masks(
    config: DecoderConfig,
    context: int,
    tokens: int,
    layer_kind: LayerKind = "global",
    *,
    padding: int = 0,
    padding_tokens: int = 0,
) -> tuple[F32Array, F32Array]:
    """Additive masks of several tokens that follow ``context`` cached positions in one step.

    Args:
        config: its window applies on local layers.
        context: cached positions, padding included.
        tokens: n, padding included.
        layer_kind: ``local`` hides what lies outside of the sliding window.
        padding: so many positions at the start of the cache are hidden.
        padding_tokens: so many tokens at the start are hidden from all others.

    Returns:
        Shapes [n, context] over the cache and [n, n] over the tokens, row = query.  A token sees only those before it:
        its own score joins without a mask.
    """
    query, key, cached = np.arange(tokens)[:, None], np.arange(tokens)[None, :], np.arange(context)[None, :]
    distance = context - cached + np.maximum(query - padding_tokens, 0)
    over_cache = _in_window(config, distance, layer_kind) & (cached >= padding)
    over_tokens = _in_window(config, query - key, layer_kind) & (key < query) & (key >= padding_tokens)
    return _additive(over_cache), _additive(over_tokens)


def decode_inputs(
    config: DecoderConfig, context: int, tokens: int = 1, layer_kind: LayerKind = "global"
) -> dict[str, F32Array]:
    """What the host computes for a decode step of ``tokens`` tokens after ``context`` cached ones, by argument name."""
    tables: dict[str, F32Array] = {}
    if tokens == 1:
        tables["mask"] = decode_mask(config, context, layer_kind)
    else:
        tables["mask"], tables["mask_new"] = step_masks(config, context, tokens, layer_kind)
    if config.rope_theta is not None:
        tables["rope"] = rope_table(config, range(context, context + tokens), layer_kind)
    return tables


def _in_window(config: DecoderConfig, distance: NDArray[np.int_], layer_kind: LayerKind) -> NDArray[np.bool_]:
    if layer_kind == "global" or config.sliding_window is None:
        return np.ones_like(distance, dtype=np.bool_)
    return distance < config.sliding_window


def _additive(seen: NDArray[np.bool_]) -> F32Array:
    # Half of the range: a score added to it cannot overflow to -inf, whose difference is not a number.
    hidden = np.finfo(np.float32).min / 2
    return np.where(seen, 0.0, hidden).astype(np.float32)


def head_columns(config: DecoderConfig) -> int:
    """Columns of the head's product: the vocabulary in whole tiles.

    >>> from sttest.models.registry import get_config
    >>> head_columns(get_config("gpt2")), head_columns(get_config("llama"))
    (50432, 32000)
    """
    return -(-config.vocab // HEAD_TILE) * HEAD_TILE


def token_ids(config: DecoderConfig) -> F32Array:
    """The token of each column of the head [columns]; those past the vocabulary have numbers of no token.

    Float32 holds them exactly below 2^24.
    """
    return np.arange(head_columns(config), dtype=np.float32)
