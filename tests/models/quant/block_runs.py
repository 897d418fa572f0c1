"""Small blocks with random weights, and how to run them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from sttest.models.blocks import DecodeBlock, PrefillBlock
from sttest.models.config import DecoderConfig
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_mask, prefill_mask, rope_table
from sttest.models.weights import randomise

FAMILIES = ("gpt2", "qwen", "llama", "gemma")


def blocks(name: str) -> tuple[DecoderConfig, PrefillBlock, DecodeBlock]:
    """Both phases of a small model, with the same weights."""
    config = small(get_config(name))
    first, then = PrefillBlock(config), DecodeBlock(config)
    randomise(first, seed=5)
    randomise(then, seed=5)
    return config, first, then


def tokens(config: DecoderConfig, count: int, seed: int = 1) -> Tensor:
    return torch.randn(count, config.hidden, generator=torch.Generator().manual_seed(seed))


def run_prefill(block: torch.nn.Module, config: DecoderConfig, x: Tensor) -> tuple[Any, Any, Any]:
    mask = torch.from_numpy(prefill_mask(config, len(x)))
    with torch.no_grad():
        return block(x=x, mask=mask, **_rope(config, range(len(x))))


def run_decode(
    block: torch.nn.Module, config: DecoderConfig, x: Tensor, k_cache: Any, v_cache: Any
) -> tuple[Any, Any, Any]:
    context = len(k_cache[0][0]) if isinstance(k_cache, tuple) else k_cache.shape[1]
    mask = torch.from_numpy(decode_mask(config, context))
    with torch.no_grad():
        return block(x=x, mask=mask, k_cache=k_cache, v_cache=v_cache, **_rope(config, [context]))


def _rope(config: DecoderConfig, positions: Any) -> dict[str, Tensor]:
    return {} if config.rope_theta is None else {"rope": torch.from_numpy(rope_table(config, positions))}
