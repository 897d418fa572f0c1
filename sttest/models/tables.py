"""Block inputs that the host computes: attention masks, positions' tables, and the token of each column of the head."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sttest.models.config import DecoderConfig, LayerKind
from sttest.models.rope import F32Array, rope_table

_ROWS = ("x", "rope")
EXPERTS = "experts"
"""The result that has the numbers of each token's experts, best first."""
HEAD_TILE = 256
"""Columns of the head are a multiple of this, the widest tile (`--gemv-lanes 8192`, docs/how-it-works/tiling.md)."""


def prefill_mask(config: DecoderConfig, tokens: int, layer_kind: LayerKind = "global", *, padding: int = 0) -> F32Array:
    """Additive causal mask of a prefill.

    Args:
        config: model configuration.
        tokens: n, padding included.
        layer_kind: ``local`` applies the sliding window.
        padding: tokens at the start that are hidden from all others.

    Returns:
        Shape [n, n], row = query; 0 where the key is visible, a large negative number elsewhere.
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
        config: model configuration.
        context: cached positions, padding included.
        layer_kind: ``local`` applies the sliding window.
        padding: positions at the start that are hidden.
        free: empty entries after the cached positions, which are hidden.

    Returns:
        Shape [context + free]; 0 where the key is visible, a large negative number elsewhere.
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
        config: model configuration.
        context: cached positions, padding included.
        tokens: n, padding included.
        layer_kind: ``local`` applies the sliding window.
        padding: cached positions at the start that are hidden.
        padding_tokens: tokens at the start that are hidden from all others.

    Returns:
        Masks [n, context] over the cache and [n, n] over the tokens, row = query.  The second shows a token only those
        before it, as its own score is added without a mask.
    """
    query, key, cached = np.arange(tokens)[:, None], np.arange(tokens)[None, :], np.arange(context)[None, :]
    distance = context - cached + np.maximum(query - padding_tokens, 0)
    over_cache = _in_window(config, distance, layer_kind) & (cached >= padding)
    over_tokens = _in_window(config, query - key, layer_kind) & (key < query) & (key >= padding_tokens)
    return _additive(over_cache), _additive(over_tokens)


def prefill_inputs(
    config: DecoderConfig, tokens: int, layer_kind: LayerKind = "global", *, padding: int = 0
) -> dict[str, F32Array]:
    """Tables that the host computes for a prefill, by argument name; arguments as of :func:`prefill_mask`."""
    positions = np.maximum(np.arange(tokens) - padding, 0)
    return {"mask": prefill_mask(config, tokens, layer_kind, padding=padding), **_rope(config, positions, layer_kind)}


def decode_inputs(
    config: DecoderConfig,
    context: int,
    tokens: int = 1,
    layer_kind: LayerKind = "global",
    *,
    padding: int = 0,
    padding_tokens: int = 0,
) -> dict[str, F32Array]:
    """Tables that the host computes for a decode step, by argument name; arguments as of :func:`step_masks`."""
    positions = context - padding + np.maximum(np.arange(tokens) - padding_tokens, 0)
    tables = _rope(config, positions, layer_kind)
    if tokens == 1:
        return {"mask": decode_mask(config, context, layer_kind, padding=padding), **tables}
    mask, mask_new = step_masks(config, context, tokens, layer_kind, padding=padding, padding_tokens=padding_tokens)
    return {"mask": mask, "mask_new": mask_new, **tables}


def of_batch(sequences: Sequence[Mapping[str, NDArray]]) -> dict[str, NDArray]:
    """Inputs of a batch from those of its sequences, by argument name.

    Args:
        sequences: inputs of each, of the same shapes: activations and rotary tables have a row per token, masks and
            caches are each sequence's own.

    Returns:
        Rows of all tokens, sequence by sequence; everything else with an axis of sequences in front.
    """
    return {
        name: (np.concatenate if name in _ROWS else np.stack)([each[name] for each in sequences])
        for name in sequences[0]
    }


def _rope(config: DecoderConfig, positions: ArrayLike, layer_kind: LayerKind) -> dict[str, F32Array]:
    return {} if config.rope_theta is None else {"rope": rope_table(config, positions, layer_kind)}


def _in_window(config: DecoderConfig, distance: NDArray[np.int_], layer_kind: LayerKind) -> NDArray[np.bool_]:
    if layer_kind == "global" or config.sliding_window is None:
        return np.ones_like(distance, dtype=np.bool_)
    return distance < config.sliding_window


def _additive(seen: NDArray[np.bool_]) -> F32Array:
    # Half of the range, so that adding a score cannot overflow to -inf, which would give NaN when subtracted.
    hidden = np.finfo(np.float32).min / 2
    return np.where(seen, 0.0, hidden).astype(np.float32)


def expert_tables(config: DecoderConfig) -> dict[str, F32Array]:
    """Numbers that a router chooses by, by argument name: those of experts and of places among the chosen; or none."""
    if not config.experts:
        return {}
    counts = {"expert_ids": config.experts, "expert_places": config.experts_per_token}
    return {name: np.arange(count, dtype=np.float32) for name, count in counts.items()}


def head_columns(config: DecoderConfig) -> int:
    """Columns of the head's product: the vocabulary rounded up to whole tiles.

    >>> from sttest.models.registry import get_config
    >>> head_columns(get_config("gpt2")), head_columns(get_config("llama"))
    (50432, 32000)
    """
    return -(-config.vocab // HEAD_TILE) * HEAD_TILE


def token_ids(config: DecoderConfig) -> F32Array:
    """Token id of each column of the head, [columns]; float32 is exact below 2^24."""
    return np.arange(head_columns(config), dtype=np.float32)
