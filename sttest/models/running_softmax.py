"""The softmax of attention chunk by chunk of its positions, as a design with attention in one pass computes it.

With ``m`` the running maximum, ``c`` a chunk's own, and sums that start at 0:

    m' = max(m, c);  a = exp(m - m');  b = exp(c - m')
    l' = l * a + b * (sum of the chunk's weights)
    o' = o * a + b * (values mixed by the chunk's weights)

every operation rounded on its own.  Chunks are counted from the last position: the first one may be short.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from sttest.models.quant.quantisers import Quantised

Total = Callable[[Tensor], Tensor]


class Running(NamedTuple):
    """A softmax in chunks.

    Attributes:
        weights: [..., m], each chunk's under its own maximum.
        denominator: under the last maximum, [...].
        kept, joined: what each chunk rescales the sums before it and its own by, [..., chunks].
        maximum: the last one, [...].
    """

    weights: Tensor
    denominator: Tensor
    kept: Tensor
    joined: Tensor
    maximum: Tensor


class RunningSoftmax(nn.Module):
    """Unnormalised softmax over chunks of positions; ``total`` sums the weights of a chunk."""

    def __init__(self, chunk: int, total: Total) -> None:
        super().__init__()
        self.chunk, self.total = chunk, total

    def forward(self, scores: Tensor) -> Running:
        """Scores [..., m]."""
        maximum = torch.full(scores.shape[:-1], -torch.inf)
        denominator = torch.zeros(scores.shape[:-1])
        weights, kept, joined = [], [], []
        for part in scores.split(chunk_sizes(scores.shape[-1], self.chunk), -1):
            own = part.amax(-1)
            larger = torch.maximum(maximum, own)
            kept.append(torch.exp(maximum - larger))
            joined.append(torch.exp(own - larger))
            weights.append(torch.exp(part - own.unsqueeze(-1)))
            denominator = denominator * kept[-1] + self.total(weights[-1]) * joined[-1]
            maximum = larger
        return Running(
            torch.cat(weights, -1), denominator, torch.stack(kept, -1), torch.stack(joined, -1), maximum
        )  # fmt: skip


class RunningMix(nn.Module):
    """Values mixed chunk by chunk by ``mix``, which takes weights, values and mask."""

    def __init__(self, chunk: int, mix: nn.Module) -> None:
        super().__init__()
        self.chunk, self.mix = chunk, mix

    def forward(self, running: Running, v: Tensor | Quantised, mask: Tensor) -> Tensor:
        """Values [kv, m, d], ``mask`` as the scores had it, to [n, kv, (group,) d]."""
        sizes = chunk_sizes(running.weights.shape[-1], self.chunk)
        mixed = torch.zeros(())
        parts = zip(running.weights.split(sizes, -1), _split(v, sizes), mask.split(sizes, -1), strict=True)
        for place, (p, values, hidden) in enumerate(parts):
            kept, joined = (factor[..., place].unsqueeze(-1) for factor in (running.kept, running.joined))
            mixed = mixed * kept + self.mix(p, values, hidden) * joined
        return mixed


def _split(v: Tensor | Quantised, sizes: list[int]) -> list[Tensor] | list[Quantised]:
    if isinstance(v, Tensor):
        return list(v.split(sizes, 1))
    return [Quantised(*parts) for parts in zip(v.values.split(sizes, 1), v.scales.split(sizes, 1), strict=True)]


def joined_by(running: Running, mixed: Tensor, own_score: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Both sums under the maximum that they share with the score of the token itself, and its weight.

    Args:
        running: the softmax over the cache.
        mixed: its values, [n, kv, (group,) d].
        own_score: [n, kv, (group)].

    Returns:
        Mixed values, denominator with the token's weight, the token's weight.
    """
    peak = torch.maximum(running.maximum, own_score)
    settle, p_new = torch.exp(running.maximum - peak), torch.exp(own_score - peak)
    return mixed * settle.unsqueeze(-1), running.denominator * settle + p_new, p_new


def chunk_sizes(positions: int, chunk: int) -> list[int]:
    """Positions of every chunk: what does not fill one comes first, as a design hides what it has too much there.

    >>> chunk_sizes(40, 16), chunk_sizes(32, 16)
    ([8, 16, 16], [16, 16])
    """
    first = positions % chunk
    return [*([first] if first else []), *[chunk] * (positions // chunk)]
