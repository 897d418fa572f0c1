"""The steps between queries, keys and values and what attention gives out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from sttest.models.config import DecoderConfig
from sttest.models.layers import f32

Part = tuple[Tensor, Tensor, Tensor]
"""Weights, values and mask of some positions."""


class Scores(nn.Module):
    """Scaled, masked products of queries and keys."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.scale = f32(config.score_scale)

    def forward(self, q: Tensor, k: Tensor, mask: Tensor) -> Tensor:
        """q [n, kv, (group,) d], k [kv, m, d], mask broadcasting to the scores [n, kv, (group,) m]."""
        if not torch.compiler.is_exporting():
            return torch.einsum("nh...d,hmd->nh...m", q, k) * self.scale + mask
        # Product and sum fuse to one loop nest over the operands as they lie; a matmul would transpose both.
        return (q.unsqueeze(-2) * _over_group(k, q.dim())).sum(-1) * self.scale + mask


class OwnScore(nn.Module):
    """Scaled product of each token's query with its own key."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.scale = f32(config.score_scale)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """q [n, kv, (group,) d] and k [n, kv, d] to [n, kv, (group)]."""
        return (q * _beside(k, q)).sum(-1) * self.scale


class Mix(nn.Module):
    """Contraction of weights [n, kv, (group,) m] with values [kv, m, d] to outputs [n, kv, (group,) d]."""

    def forward(self, p: Tensor, v: Tensor, mask: Tensor, *more: Part) -> Tensor:
        """See the class; the ``mask`` of the scores is for whoever quantises the weights.

        ``more`` are weights, values and mask of further positions, which are added.
        """
        mixed = self._mixed(p, v)
        for weights, values, _ in more:
            mixed = mixed + self._mixed(weights, values)
        return mixed

    @staticmethod
    def _mixed(p: Tensor, v: Tensor) -> Tensor:
        if not torch.compiler.is_exporting():
            return torch.einsum("nh...m,hmd->nh...d", p, v)
        return (p.unsqueeze(-1) * _over_group(v, p.dim())).sum(-2)


def _over_group(cache: Tensor, rank: int) -> Tensor:
    return cache.unsqueeze(1) if rank == 4 else cache


def _beside(x: Tensor, q: Tensor) -> Tensor:
    """[n, kv, d] with a group axis if ``q`` has one."""
    return x.unsqueeze(2) if q.dim() == 4 else x


class Softmax(nn.Module):
    """Unnormalised softmax: exponentials and their sum; the division follows the contraction with the values."""

    def forward(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """[..., m] to exponentials [..., m] and denominators [...]."""
        exponentials = torch.exp(scores - scores.amax(-1).unsqueeze(-1))
        return exponentials, exponentials.sum(-1)


class JointSoftmax(nn.Module):
    """Unnormalised softmax over groups of scores, without joining them in one tensor."""

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


class Normalise(nn.Module):
    """Division of the mixed values by the softmax's denominators, own value added before where there is one."""

    def forward(
        self, mixed: Tensor, denominator: Tensor, p_new: Tensor | None = None, v: Tensor | None = None
    ) -> Tensor:
        """mixed [n, kv, (group,) d], denominator and p_new [n, kv, (group)], v [n, kv, d] to [n, kv * group * d]."""
        if p_new is not None and v is not None:
            mixed = mixed + p_new.unsqueeze(-1) * _beside(v, mixed)
        return (mixed / denominator.unsqueeze(-1)).reshape(len(mixed), -1)
