"""A batch of sequences in PyTorch: each is padded in front to the room of all, and has its own mask and positions."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from sttest.models.blocks import tensors_of
from sttest.models.config import DecoderConfig, LayerKind
from sttest.models.quant.quantizers import QuantizedTensor
from sttest.models.tables import decode_inputs, of_batch, prefill_inputs

Side = Tensor | QuantizedTensor


def run_prefill_batch(
    block: nn.Module, config: DecoderConfig, prompts: Sequence[Tensor], room: int, layer_kind: LayerKind = "global"
) -> Any:
    """Run a prefill block over the prompts of a batch.

    Args:
        block: prefill block.
        config: model configuration.
        prompts: activations of each, [tokens, hidden].
        room: tokens of each sequence, padding included.
        layer_kind: kind of the layer.

    Returns:
        y [sequences * room, hidden], keys and values [sequences, kv_heads, room, head_dim].
    """
    tables = [prefill_inputs(config, room, layer_kind, padding=room - len(prompt)) for prompt in prompts]
    x = torch.cat([_in_front(prompt, room - len(prompt), -2) for prompt in prompts])
    return block(x=x, **tensors_of(of_batch(tables)))


def run_decode_batch(
    block: nn.Module,
    config: DecoderConfig,
    x: Sequence[Tensor],
    caches: Sequence[tuple[Side, Side]],
    room: int,
    layer_kind: LayerKind = "global",
) -> Any:
    """Run a decode block over the next token of each sequence of a batch.

    Args:
        block: decode block.
        config: model configuration.
        x: activations of each, [1, hidden].
        caches: keys and values of each, [kv_heads, positions, head_dim].
        room: cached positions of each sequence, padding included.
        layer_kind: kind of the layer.

    Returns:
        y [sequences, hidden], new keys and values [sequences, kv_heads, 1, head_dim].
    """
    free = [room - _positions(keys) for keys, _ in caches]
    tables = [decode_inputs(config, room, 1, layer_kind, padding=count) for count in free]
    keys, values = (
        _stacked([_longer(side, count) for side, count in zip(sides, free, strict=True)])
        for sides in zip(*caches, strict=True)
    )
    return block(x=torch.cat(list(x)), k_cache=keys, v_cache=values, **tensors_of(of_batch(tables)))


def _positions(side: Side) -> int:
    return (side if isinstance(side, Tensor) else side.values).shape[-2]


def _longer(side: Side, count: int) -> Side:
    if isinstance(side, Tensor):
        return _in_front(side, count, -2)
    return QuantizedTensor(_in_front(side.values, count, -2), _in_front(side.scales, count, -1, value=1))


def _stacked(sides: Sequence[Side]) -> Side:
    tensors = [side for side in sides if isinstance(side, Tensor)]
    if tensors:
        return torch.stack(tensors)
    pairs = [side for side in sides if isinstance(side, QuantizedTensor)]
    return QuantizedTensor(torch.stack([pair.values for pair in pairs]), torch.stack([pair.scales for pair in pairs]))


def _in_front(values: Tensor, count: int, axis: int, value: float = 0) -> Tensor:
    shape = list(values.shape)
    shape[axis] = count
    return torch.cat([torch.full(shape, value, dtype=values.dtype), values], axis)
