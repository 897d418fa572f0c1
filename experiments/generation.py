"""A whole generation from the times of its blocks (docs/paper/gpt2.md).

Prefill of n tokens runs the block once per layer; every further token runs a
decode block per layer at its own context.  Blocks are simulated at some
contexts and interpolated linearly between them.  Every block pays a launch,
every generation pays the host once between prefill and decode.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from experiments.blocks import BlockTime

Lengths = tuple[int, int]
"""(input, output) tokens."""


@dataclass(frozen=True)
class Overheads:
    """Time outside the blocks: per launch in microseconds, per generation in milliseconds."""

    launch_us: float
    host_ms: float


@dataclass(frozen=True)
class Generation:
    """Latency of one [input:output] row and what it consists of.

    Attributes:
        ttft_ms: time to first token, the prefill.
        decode_ms: everything after it, ``output_len`` decode steps and the host's share.
        items_ms: both together, itemized; adds up to the latency.
    """

    input_len: int
    output_len: int
    ttft_ms: float
    decode_ms: float
    items_ms: Mapping[str, float]

    @property
    def latency_ms(self) -> float:
        """The paper's latency: TTFT + output_len / speed."""
        return self.ttft_ms + self.decode_ms

    @property
    def speed_tok_per_s(self) -> float:
        """Output tokens per second of decoding."""
        return 1e3 * self.output_len / self.decode_ms


def compose(
    input_len: int,
    output_len: int,
    layers: int,
    prefill: BlockTime,
    decode: Mapping[int, BlockTime],
    overheads: Overheads,
) -> Generation:
    """One row from its blocks.

    Args:
        layers: blocks per token.
        prefill: the block at ``input_len`` tokens.
        decode: simulated decode blocks by context; they must span ``input_len`` to ``input_len + output_len - 1``.
        overheads: launch and host.
    """
    launch_ms = overheads.launch_us / 1e3
    contexts = np.arange(input_len, input_len + output_len)
    items: defaultdict[str, float] = defaultdict(float, host=overheads.host_ms)
    for name, cycles in prefill.items.items():
        items[f"prefill, {name}"] += layers * cycles / prefill.clock_mhz / 1e3
    for name, total_us in _decode_items(contexts, decode).items():
        items[f"decode, {name}"] += layers * total_us / 1e3
    ttft_ms = layers * (prefill.microseconds / 1e3 + launch_ms)
    decode_ms = layers * (sum_over_contexts(contexts, {c: b.microseconds for c, b in decode.items()}) / 1e3)
    decode_ms += layers * output_len * launch_ms + overheads.host_ms
    items["launch"] += layers * (1 + output_len) * launch_ms
    return Generation(input_len, output_len, ttft_ms, decode_ms, dict(items))


def _decode_items(contexts: np.ndarray, decode: Mapping[int, BlockTime]) -> dict[str, float]:
    names = {name for block in decode.values() for name in block.items}
    return {
        name: sum_over_contexts(
            contexts, {c: block.items.get(name, 0) / block.clock_mhz for c, block in decode.items()}
        )
        for name in sorted(names)
    }


def sum_over_contexts(contexts: np.ndarray, by_context: Mapping[int, float]) -> float:
    """Sum over contexts of a value that is known at some of them, linear between those."""
    known = sorted(by_context)
    return float(np.interp(contexts, known, [by_context[context] for context in known]).sum())
