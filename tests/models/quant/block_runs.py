"""Small blocks with random weights, and how to run them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from sttest.models.blocks import DecodeBlock, PrefillBlock
from sttest.models.config import DecoderConfig
from sttest.models.layers import Linear
from sttest.models.quant.quantizers import quantize_kv, quantize_vectors, quantize_weight
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_mask, prefill_mask, rope_table
from sttest.models.weights import randomize

# Tensors this small are slower on several threads.
torch.set_num_threads(1)

FAMILIES = ("gpt2", "qwen", "llama", "gemma")


def blocks(name: str) -> tuple[DecoderConfig, PrefillBlock, DecodeBlock]:
    """Both phases of a small model, with the same weights."""
    config = small(get_config(name))
    first, then = PrefillBlock(config), DecodeBlock(config)
    randomize(first, seed=5)
    randomize(then, seed=5)
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


def rounded(block: torch.nn.Module, group: int | None, qmax: int, *, folded: bool = True) -> torch.nn.Module:
    """The block in floating point, with hooks that round every operand of its contractions to what integers can hold.

    The other way to the same values: nothing here is contracted in integers.
    """

    def vectors(x: Tensor) -> Tensor:
        return quantize_vectors(x).dequantized()

    def kv(x: Tensor) -> Tensor:
        return quantize_kv(x).dequantized()

    def softmax(_: Any, __: Any, out: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        p, *own, _ = out
        return p, *own, ((p * 127).round() / 127).sum(-1) + (own[0] if own else 0.0)

    def mix(_: Any, inputs: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        p, v, mask = inputs
        if not folded:
            return (p * 127).round() / 127, v, mask
        scales = quantize_kv(v).scales.float().view(len(v), *[1] * (p.dim() - 3), -1)
        step = torch.where(mask < 0, 0.0, scales.unsqueeze(0)).amax(-1, keepdim=True) / 127
        return (p * scales / step).round() * step / scales, v, mask

    for module in block.modules():
        if isinstance(module, Linear):
            weight = quantize_weight(module.weight.detach(), group, qmax)
            scales = weight.scales.float().repeat_interleave(group or len(module.weight), 0)[: len(module.weight)]
            module.weight.data = weight.values * scales
            module.register_forward_pre_hook(lambda _, inputs: (vectors(inputs[0]),))
    attention = block.get_submodule("attn")
    for name in ("k_new", "v_new"):
        attention.get_submodule(name).register_forward_hook(lambda _, __, out: kv(out))
    attention.get_submodule("scores").register_forward_pre_hook(lambda _, inputs: (vectors(inputs[0]), *inputs[1:]))
    attention.get_submodule("softmax").register_forward_hook(softmax)
    attention.get_submodule("mix").register_forward_pre_hook(mix)
    if isinstance(block, DecodeBlock):
        block.attn.own_score.register_forward_pre_hook(lambda _, inputs: (vectors(inputs[0]), kv(inputs[1])))
        block.attn.normalize.register_forward_pre_hook(lambda _, inputs: (*inputs[:3], kv(inputs[3])))
    return block
