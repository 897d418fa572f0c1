"""One decoder block with seeded inputs and what it must give: the smallest run that shows whether a design is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sttest.models.design_memory import BlockMemory, BlockResult, CacheSide
from sttest.models.tables import decode_inputs, prefill_mask, rope_table
from sttest.sim.functional.element_types import Array, Bytes

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class SeededBlock:
    """Inputs and the golden results.

    Attributes:
        inputs: images of all loads but the parameters'.
        golden: of the fake-quantised block in the order of a design, to the bit.
        tokens: of the results.
    """

    inputs: dict[str, Bytes]
    golden: BlockResult
    tokens: int


def seeded_prefill(memory: BlockMemory, block: nn.Module, tokens: int, seed: int) -> SeededBlock:
    """A prompt of random activations.

    Args:
        memory: of the design with the block's parameters.
        block: the fake-quantised prefill block.
        tokens: of the prompt, at most what the design has.
        seed: of the activations.

    Raises:
        InputError: a design without so much room.
    """
    x = _activations(memory, tokens, seed)
    images = memory.prefill(x)
    golden = _golden_prefill(memory, block, x)
    return SeededBlock(_without_parameters(memory, images), _plain(golden), tokens)


def seeded_decode(memory: BlockMemory, block: nn.Module, context: int, seed: int, *, tokens: int = 1) -> SeededBlock:
    """Tokens, one or as many as the design has, that follow ``context`` random ones; see :func:`seeded_prefill`."""
    import torch

    from sttest.models.defined_order import DefinedOrder
    from sttest.models.quant.block import decode_twin

    x = _activations(memory, context + tokens, seed)
    before, now = x[:context], x[context:]
    _, keys, values = _golden_prefill(memory, block, before)
    tables = decode_inputs(memory.config, context, tokens, memory.layer_kind)
    with torch.no_grad(), DefinedOrder():
        golden = decode_twin(memory.config, block)(
            x=torch.from_numpy(now), k_cache=keys, v_cache=values,
            **{name: torch.from_numpy(table) for name, table in tables.items()},
        )  # fmt: skip
    images = memory.decode(now, _side(keys), _side(values))
    return SeededBlock(_without_parameters(memory, images), _plain(golden), tokens)


def largest_difference(found: BlockResult, golden: BlockResult) -> float:
    """Of all elements of a block's results: 0 where they are the same to the bit."""
    pairs = [(found.y, golden.y)]
    for ours, theirs in ((found.k_new, golden.k_new), (found.v_new, golden.v_new)):
        pairs.append((ours.values, theirs.values))
        if theirs.scales is not None and ours.scales is not None:
            pairs.append((ours.scales, theirs.scales))
    return max(float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max()) for a, b in pairs)


def _activations(memory: BlockMemory, tokens: int, seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal((tokens, memory.config.hidden), np.float32)


def _golden_prefill(memory: BlockMemory, block: nn.Module, x: Array) -> Any:
    import torch

    from sttest.models.defined_order import DefinedOrder

    mask = torch.from_numpy(prefill_mask(memory.config, len(x), memory.layer_kind))
    with torch.no_grad(), DefinedOrder():
        return block(x=torch.from_numpy(x), mask=mask, **_rope(memory, range(len(x))))


def _rope(memory: BlockMemory, positions: Any) -> dict[str, Any]:
    import torch

    if memory.config.rope_theta is None:
        return {}
    return {"rope": torch.from_numpy(rope_table(memory.config, positions, memory.layer_kind))}


def _plain(result: Any) -> BlockResult:
    """Tensors of PyTorch as arrays."""
    y, keys, values = result
    return BlockResult(y.numpy(), _side(keys), _side(values))


def _side(side: Any) -> CacheSide:
    if hasattr(side, "scales"):
        return CacheSide(side.values.numpy(), side.scales.numpy())
    return CacheSide(side.numpy())


def _without_parameters(memory: BlockMemory, images: dict[str, Bytes]) -> dict[str, Bytes]:
    return {name: image for name, image in images.items() if name not in memory.parameter_images}
