"""A decode step of a batch in nano-batches: parts that go through the block beside each other, on the same weights.

After NanoFlow (Zhu et al., OSDI 2025, arXiv 2408.12757): while attention of one part reads its caches, products with
weights of another compute.  The parts are written stage by stage: all projections first, then the rest of each part.
Tasks that share an engine take turns in this order, so that attention of a part has the time of all that the parts
before it still have to compute.  Every part reads the weights for itself, which is what overlap is paid with.

Arguments and results of part k are called ``x_part0``, ``k_cache_part1`` and so on; part 0 has the first sequences.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.models.blocks import DecodeBlock
from sttest.models.config import DecoderConfig
from sttest.models.families import family_of
from sttest.models.program import TorchProgram, check_shape

PER_TOKEN, PER_SEQUENCE = ("x", "rope"), ("mask", "k_cache", "v_cache")
"""Inputs whose first dimension is a token each, or a sequence each; of one token per sequence these are the same."""
RESULTS = ("y", "k_new", "v_new")


def of_part(name: str, part: int) -> str:
    """The name of an argument or a result of a part.

    >>> of_part("k_cache", 1)
    'k_cache_part1'
    """
    return f"{name}_part{part}"


class NanoBatches(nn.Module):
    """A decode block over the parts of a batch; see the module.

    Args:
        config: model configuration, of which tokens share the weights.
        parts: number of nano-batches.
        kept: whether the parts have one set of weights; else each has arguments of its own for them, which are given
            the same buffers.
    """

    def __init__(self, config: DecoderConfig, parts: int, *, kept: bool = False) -> None:
        super().__init__()
        self.parts = parts
        self.blocks = nn.ModuleList(DecodeBlock(config) for _ in range(1 if kept else parts))

    def forward(self, **inputs: Tensor) -> tuple[Tensor, ...]:
        """Inputs of each part by name, shapes as of a batch of its size, to y, k_new and v_new of each part."""
        x = [inputs[of_part("x", part)] for part in range(self.parts)]
        blocks: list[Any] = [self.blocks[part % len(self.blocks)] for part in range(self.parts)]
        projected = [
            block.attn.project(block.attn_norm(own), inputs.get(of_part("rope", part)))
            for part, (block, own) in enumerate(zip(blocks, x, strict=True))
        ]
        results: list[Tensor] = []
        for part, (block, own) in enumerate(zip(blocks, x, strict=True)):
            mask, keys, values = (inputs[of_part(name, part)] for name in PER_SEQUENCE)
            attended, k, v = block.attn.attend(projected[part], mask, keys, values)
            entries = block.attn.output(attended, own), block.attn.k_new(k), block.attn.v_new(v)
            results.extend(block.finish(own, entries))
        return tuple(results)


def check_parts(config: DecoderConfig, batch: int, parts: int) -> None:
    """Refuse a number of nano-batches that a batch can't be cut into.

    Raises:
        InputError: parts of different sizes or of one sequence; a model whose tokens do not share weights.
    """
    if not family_of(config).takes_many_tokens:
        raise InputError(
            "nano-tokens",
            "tokens of a batch have weights of their own",
            where="nano-batches",
            hints=["take a model with one network for all tokens"],
        )
    if parts < 1 or batch % parts or batch // parts < 2:
        raise InputError(
            "nano-batches",
            f"{batch} sequences in {parts} nano-batches",
            where="nano-batches",
            hints=["give a divisor of the batch that leaves each part two sequences or more"],
        )


def split_inputs(inputs: Mapping[str, Any], parts: int) -> dict[str, Any]:
    """The inputs of a batch's decode block as the parts take them, by slices of the first dimension."""
    size = {name: len(tensor) // parts for name, tensor in inputs.items()}
    return {
        of_part(name, part): tensor[part * size[name] : (part + 1) * size[name]]
        for part in range(parts)
        for name, tensor in inputs.items()
    }


def nano_program(config: DecoderConfig, context: int, batch: int, parts: int, *, kept: bool = False) -> TorchProgram:
    """A decode step of a batch, a token of each sequence, in nano-batches, on the meta device.

    Args:
        config: model configuration.
        context: cached positions of each sequence.
        batch: sequences in all.
        parts: nano-batches, 1 for the batch in one.
        kept: see :class:`NanoBatches`.

    Raises:
        InputError: see :func:`check_parts` and :func:`check_shape`.
    """
    check_parts(config, batch, parts)
    check_shape(config, "decode", 1, context, batch)
    cache = (batch, config.kv_heads, context, config.head_dim)
    with torch.device("meta"):
        module = NanoBatches(config, parts, kept=kept)
        inputs = {"x": torch.empty(batch, config.hidden), "mask": torch.empty(batch, context)}
        if config.rope_theta is not None:
            inputs["rope"] = torch.empty(batch, 2, 2, config.head_dim // 2)
        inputs |= {name: torch.empty(cache) for name in ("k_cache", "v_cache")}
    names = [of_part(name, part) for part in range(parts) for name in ("k_cache", "v_cache")]
    results = tuple(of_part(name, part) for part in range(parts) for name in RESULTS)
    attributes: dict[str, str | int | tuple[str, ...]] = {
        "model": config.name,
        "phase": "decode",
        "tokens": 1,
        "context": context,
        "batch": batch,
    }
    return TorchProgram(module.eval(), split_inputs(inputs, parts), tuple(names), results, attributes)
