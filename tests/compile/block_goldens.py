"""Decoder blocks in PyTorch as goldens of compiled ones: the same weights and inputs, sums in stream order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from sttest.models.config import DecoderConfig
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_inputs, prefill_mask, rope_table, token_ids
from sttest.reference import ReferenceGraph, run
from sttest.reference.graph import Array
from sttest.runtime.design_memory import BlockMemory, BlockResult, CacheSide, export_parameters


@dataclass(frozen=True)
class Case:
    """A block at its test sizes or its published ones, under a scheme.

    ``tokens`` enter it, or lie in its cache; then ``step`` enter it.
    """

    model: str
    phase: str
    scheme: str
    tokens: int
    small: bool = True
    head: bool = False
    step: int = 1

    @property
    def config(self) -> DecoderConfig:
        config = get_config(self.model)
        return small(config) if self.small else config

    def __str__(self) -> str:
        head = f"{f'-step{self.step}' if self.step > 1 else ''}{'-head' if self.head else ''}"
        return f"{'small-' if self.small else ''}{self.model}-{self.phase}-{self.scheme}-{self.tokens}{head}"


def golden_and_found(case: Case, graph: ReferenceGraph) -> tuple[BlockResult, BlockResult]:
    """What the PyTorch block gives, and what its compiled design gives."""
    import torch

    from sttest.models.blocks import DecodeBlock, PrefillBlock
    from sttest.models.head import DecodeBlockWithHead
    from sttest.models.quant.block import observe_peaks, quantize_block
    from sttest.models.quant.quantizers import quantize_kv
    from sttest.models.quant.scheme import load_scheme
    from sttest.models.weights import randomize

    config, scheme, prefill = case.config, load_scheme(case.scheme), case.phase == "prefill"
    plain = (PrefillBlock if prefill else DecodeBlockWithHead if case.head else DecodeBlock)(config)
    randomize(plain, seed=5)
    source = torch.Generator().manual_seed(1)
    x = torch.randn(case.tokens if prefill else case.step, config.hidden, generator=source)
    caches = [torch.randn(config.kv_heads, case.tokens, config.head_dim, generator=source) for _ in range(2)]
    inputs: dict[str, Any] = {name: torch.from_numpy(table) for name, table in _tables(case).items()} | {"x": x}

    def called(block: torch.nn.Module, sides: list[Any]) -> Any:
        cached = {} if prefill else dict(zip(("k_cache", "v_cache"), sides, strict=True))
        return block(**inputs, **cached)

    block = quantize_block(plain, scheme, observe_peaks(plain, lambda: called(plain, caches)))
    memory = BlockMemory(graph, config, export_parameters(block))
    sides = [quantize_kv(cache) for cache in caches] if scheme.kv_bits == 8 else caches
    with torch.no_grad(), in_defined_order():
        y, k_new, v_new, *behind = called(block, sides)
    golden = BlockResult(y.numpy(), _side(k_new), _side(v_new), *(each.numpy() for each in behind))
    images = memory.prefill(x.numpy()) if prefill else memory.decode(x.numpy(), *map(_side, sides))
    return golden, memory.results(run(graph, images).results, len(x))


def _tables(case: Case) -> dict[str, Array]:
    """What the host computes, by argument."""
    if case.phase == "decode":
        tables = decode_inputs(case.config, case.tokens, case.step)
        return tables | ({"token_ids": token_ids(case.config)} if case.head else {})
    tables = {"mask": prefill_mask(case.config, case.tokens)}
    if case.config.rope_theta is not None:
        tables["rope"] = rope_table(case.config, range(case.tokens))
    return tables


def _side(side: Any) -> CacheSide:
    return CacheSide(*(part.numpy() for part in side)) if isinstance(side, tuple) else CacheSide(side.numpy())


@contextmanager
def in_defined_order() -> Iterator[None]:
    """Sums pairwise, and functions by their tables (docs/reference/values.md)."""
    import torch

    from sttest.models.quant import binary32

    plain_sum = torch.Tensor.sum

    def pairwise(values: torch.Tensor, dim: Any = None, **options: Any) -> torch.Tensor:
        if options or not values.is_floating_point():
            return plain_sum(values, dim, **options)
        if (count := values.shape[dim]) == 1:
            return values.select(dim, 0)
        half = 1 << ((count - 1).bit_length() - 1)
        return pairwise(values.narrow(dim, 0, count - half), dim) + pairwise(
            values.narrow(dim, count - half, half), dim
        )

    with (
        mock.patch.object(torch.Tensor, "sum", pairwise),
        mock.patch.object(torch, "exp", binary32.exp),
        mock.patch.object(torch, "tanh", binary32.tanh),
        mock.patch.object(torch, "rsqrt", binary32.rsqrt),
        mock.patch.object(torch, "sigmoid", lambda x: 1.0 / (1.0 + torch.exp(-x))),
    ):
        yield


def same_bits(left: BlockResult, right: BlockResult) -> bool:
    """Whether two results agree to the last bit, integers, scales and floating point."""
    pairs = [(left.y, right.y)]
    head = (left.logits, left.token), (right.logits, right.token)
    for first, second in ((left.k_new, right.k_new), (left.v_new, right.v_new), head):
        pairs += [(np.asarray(a), np.asarray(b)) for a, b in zip(first, second, strict=True) if a is not None]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def error(found: BlockResult, golden: BlockResult) -> float:
    """The largest difference of a result, relative to the largest value of it."""
    pairs = [(found.y, golden.y), (found.k_new.values, golden.k_new.values), (found.v_new.values, golden.v_new.values)]
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)
