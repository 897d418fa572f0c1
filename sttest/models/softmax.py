"""The steps between queries, keys and values and what attention gives out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from sttest.models.config import DecoderConfig, Maximum
from sttest.models.head_axes import cache_beside, over_heads, own_beside
from sttest.models.layers import SoftCap, f32
from sttest.models.quant.quantizers import QuantizedTensor

Part = tuple[Tensor, Tensor, Tensor]
"""Weights, values and mask of some positions."""


class Scores(nn.Module):
    """Scaled, capped, masked products of queries and keys."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.scale, self.cap = f32(config.score_scale), SoftCap(config.attention_cap)

    def forward(self, q: Tensor, k: Tensor, mask: Tensor) -> Tensor:
        """q [n, kv, (group,) d], k [kv, m, d], mask broadcasting to the scores [n, kv, (group,) m].

        Of several sequences q [s, n, kv, (group,) d] and k [s, kv, m, d].
        """
        if not torch.compiler.is_exporting():
            return self.cap(torch.einsum(over_heads("nh...d,hmd->nh...m", k), q, k) * self.scale) + mask
        # Product and sum fuse to one loop nest over the operands as they lie; a matmul would transpose both.
        return self.cap((q.unsqueeze(-2) * cache_beside(k, q)).sum(-1) * self.scale) + mask


class OwnScore(nn.Module):
    """Scaled, capped product of each token's query with its own key."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.scale, self.cap = f32(config.score_scale), SoftCap(config.attention_cap)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """q [..., n, kv, (group,) d] and k [..., n, kv, d] to [..., n, kv, (group)]."""
        return self.cap((q * own_beside(k, q)).sum(-1) * self.scale)


class Mix(nn.Module):
    """Contraction of weights [n, kv, (group,) m] with values [kv, m, d] to outputs [n, kv, (group,) d].

    Of several sequences [s, n, kv, (group,) m] with [s, kv, m, d].
    """

    def forward(self, p: Tensor, v: Tensor, mask: Tensor, *more: Part) -> Tensor:
        """See the class; the ``mask`` of the scores is for whoever quantizes the weights.

        ``more`` are weights, values and mask of further positions, which are added.
        """
        mixed = self._mixed(p, v)
        for weights, values, _ in more:
            mixed = mixed + self._mixed(weights, values)
        return mixed

    @staticmethod
    def _mixed(p: Tensor, v: Tensor) -> Tensor:
        if not torch.compiler.is_exporting():
            return torch.einsum(over_heads("nh...m,hmd->nh...d", v), p, v)
        return (p.unsqueeze(-1) * cache_beside(v, p)).sum(-2)


class Softmax(nn.Module):
    """Unnormalized softmax: exponentials and their sum; the division follows the contraction with the values."""

    def forward(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """[..., m] to exponentials [..., m] and denominators [...]."""
        exponentials = torch.exp(scores - scores.amax(-1).unsqueeze(-1))
        return exponentials, exponentials.sum(-1)


class JointSoftmax(nn.Module):
    """Unnormalized softmax over groups of scores, without joining them in one tensor."""

    def forward(self, cached: Tensor, new: Tensor, earlier: Tensor | None = None) -> tuple[Tensor, ...]:
        """[..., c], [...] and [..., m] to exponentials of the first two, denominators [...], exponentials of the last.

        ``earlier`` are scores of tokens of the same step; without them there are three results.
        """
        peak = joint_peak(cached, new, earlier)
        p_cached, p_new = torch.exp(cached - peak.unsqueeze(-1)), torch.exp(new - peak)
        if earlier is None:
            return p_cached, p_new, p_cached.sum(-1) + p_new
        p_earlier = torch.exp(earlier - peak.unsqueeze(-1))
        return p_cached, p_new, p_cached.sum(-1) + p_earlier.sum(-1) + p_new, p_earlier


def joint_peak(cached: Tensor, new: Tensor, earlier: Tensor | None) -> Tensor:
    """The largest score of each query, [...]."""
    peak = torch.maximum(cached.amax(-1), new)
    return peak if earlier is None else torch.maximum(peak, earlier.amax(-1))


class Normalize(nn.Module):
    """Division of the mixed values by the softmax's denominators, own value added before where there is one."""

    def forward(
        self, mixed: Tensor, denominator: Tensor, p_new: Tensor | None = None, v: Tensor | None = None
    ) -> Tensor:
        """mixed [..., n, kv, (group,) d], denominator and p_new [..., n, kv, (group)], v [..., n, kv, d] to mixed."""
        if p_new is not None and v is not None:
            mixed = mixed + p_new.unsqueeze(-1) * own_beside(v, mixed)
        return mixed / denominator.unsqueeze(-1)


# --- The softmax of attention chunk by chunk of its positions, as a design with attention in one pass computes it


Total = Callable[[Tensor], Tensor]


class Running(NamedTuple):
    """A softmax in chunks."""

    weights: Tensor  # [..., m], each chunk's under its own maximum or the running one.
    denominator: Tensor  # under the last maximum, [...].
    # kept, joined: what each chunk rescales the sums before it and its own by, [..., chunks]; under the running maximum
    # its own need no factor.
    kept: Tensor
    joined: Tensor | None
    maximum: Tensor  # the last one, [...].


class RunningSoftmax(nn.Module):
    """Unnormalized softmax over chunks of positions; ``total`` sums the weights of a chunk.

    A chunk's weights are under its own ``maximum`` and rescaled when they are added, or, as in the 1-pass cascade of
    FuseMax (Nayak et al., arXiv 2406.10491), under the largest score so far.
    """

    def __init__(self, chunk: int, total: Total, maximum: Maximum = "chunk") -> None:
        super().__init__()
        self.chunk, self.total, self.maximum = chunk, total, maximum

    def forward(self, scores: Tensor) -> Running:
        """Scores [..., m]."""
        maximum = torch.full(scores.shape[:-1], -torch.inf)
        denominator = torch.zeros(scores.shape[:-1])
        weights, kept, joined = [], [], []
        for part in scores.split(chunk_sizes(scores.shape[-1], self.chunk), -1):
            own = part.amax(-1)
            larger = torch.maximum(maximum, own)
            kept.append(torch.exp(maximum - larger))
            if self.maximum == "chunk":
                joined.append(torch.exp(own - larger))
                weights.append(torch.exp(part - own.unsqueeze(-1)))
                denominator = denominator * kept[-1] + self.total(weights[-1]) * joined[-1]
            else:
                weights.append(torch.exp(part - larger.unsqueeze(-1)))
                denominator = denominator * kept[-1] + self.total(weights[-1])
            maximum = larger
        factors = torch.stack(joined, -1) if joined else None
        return Running(torch.cat(weights, -1), denominator, torch.stack(kept, -1), factors, maximum)


class RunningMix(nn.Module):
    """Values mixed chunk by chunk by ``mix``, which takes weights, values and mask."""

    def __init__(self, chunk: int, mix: nn.Module) -> None:
        super().__init__()
        self.chunk, self.mix = chunk, mix

    def forward(self, running: Running, v: Tensor | QuantizedTensor, mask: Tensor) -> Tensor:
        """Values [(s,) kv, m, d], ``mask`` as the scores had it, to [(s,) n, kv, (group,) d]."""
        sizes = chunk_sizes(running.weights.shape[-1], self.chunk)
        mixed = torch.zeros(())
        parts = zip(running.weights.split(sizes, -1), _split(v, sizes), mask.split(sizes, -1), strict=True)
        for place, (p, values, hidden) in enumerate(parts):
            kept, part = running.kept[..., place].unsqueeze(-1), self.mix(p, values, hidden)
            mixed = mixed * kept + (part if running.joined is None else part * running.joined[..., place].unsqueeze(-1))
        return mixed


def _split(v: Tensor | QuantizedTensor, sizes: list[int]) -> list[Tensor] | list[QuantizedTensor]:
    if isinstance(v, Tensor):
        return list(v.split(sizes, -2))
    return [QuantizedTensor(*parts) for parts in zip(v.values.split(sizes, -2), v.scales.split(sizes, -1), strict=True)]


class EarlierTokens(NamedTuple):
    """Tokens of a step that come before others of it."""

    scores: Tensor  # [n, kv, (group,) n]
    values: Any  # their values as the cache will have them, [kv, n, d]
    mask: Tensor  # their mask as the scores had it
    total: Total  # sums their weights
    mix: nn.Module  # mixer of their weights, values and mask


def joined_by(
    running: Running, mixed: Tensor, own_score: Tensor, earlier: EarlierTokens | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Both sums under the maximum that they share with the scores that are not in the cache.

    Args:
        running: the softmax over the cache.
        mixed: its values, [n, kv, (group,) d].
        own_score: of the token itself, [n, kv, (group)].
        earlier: tokens of the same step before it, in three passes.

    Returns:
        Mixed values without the token's own, denominator with the token's weight, the token's weight.
    """
    peak = torch.maximum(running.maximum, own_score)
    if earlier is not None:
        peak = torch.maximum(peak, earlier.scores.amax(-1))
    settle, p_new = torch.exp(running.maximum - peak), torch.exp(own_score - peak)
    mixed, denominator = mixed * settle.unsqueeze(-1), running.denominator * settle
    if earlier is not None:
        weights = torch.exp(earlier.scores - peak.unsqueeze(-1))
        mixed = mixed + earlier.mix(weights, earlier.values, earlier.mask)
        denominator = denominator + earlier.total(weights)
    return mixed, denominator + p_new, p_new


def chunk_sizes(positions: int, chunk: int) -> list[int]:
    """Positions of every chunk: what does not fill one comes first, as a design hides what it has too much there.

    >>> chunk_sizes(40, 16), chunk_sizes(32, 16)
    ([8, 16, 16], [16, 16])
    """
    first = positions % chunk
    return [*([first] if first else []), *[chunk] * (positions // chunk)]
