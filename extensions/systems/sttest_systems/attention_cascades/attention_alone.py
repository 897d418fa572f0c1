"""Attention alone: queries, keys and values are given, nothing is projected, and no position is hidden.

What accelerators of attention are compared on (FLAT, Kao et al., arXiv 2107.06419; FuseMax, Nayak et al., arXiv
2406.10491): the scores of all pairs, their softmax, and the values mixed by it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sttest.models.head_axes import cache_beside
from sttest.models.layers import f32
from sttest.models.program import TorchProgram
from sttest.models.softmax import Mix, Normalize, Softmax


@dataclass(frozen=True)
class AttentionShape:
    """Queries of each head, and the positions that they attend to."""

    heads: int
    queries: int
    positions: int
    head_dim: int

    def __str__(self) -> str:
        return f"attention-h{self.heads}-q{self.queries}-m{self.positions}-d{self.head_dim}"

    @property
    def macs(self) -> int:
        """Multiply-accumulates of both products."""
        return 2 * self.pairs * self.head_dim

    @property
    def pairs(self) -> int:
        """Scores."""
        return self.heads * self.queries * self.positions


class PlainScores(nn.Module):
    """Scaled products of queries and keys, none hidden."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.scale = f32(head_dim**-0.5)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """q [n, h, d] and k [h, m, d] to [n, h, m]."""
        return (q.unsqueeze(-2) * cache_beside(k, q)).sum(-1) * self.scale


class OverCache(nn.Module):
    """Queries [n, h, d] over keys and values [h, m, d] to [n, h, d], in the modules that a quantizer knows."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.scores, self.softmax, self.mix, self.normalize = PlainScores(head_dim), Softmax(), Mix(), Normalize()

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """See the class."""
        weights, denominator = self.softmax(self.scores(q, k))
        return self.normalize(self.mix(weights, v, denominator), denominator)


class AttentionAlone(nn.Module):
    """Queries [n, h, d] over keys and values [h, m, d] to [n, h, d]."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.attn = OverCache(head_dim)

    def forward(self, q: Tensor, k_cache: Tensor, v_cache: Tensor) -> Tensor:
        """See the class."""
        return self.attn(q, k_cache, v_cache)


def attention_program(heads: int, queries: int, positions: int, head_dim: int) -> TorchProgram:
    """Attention on the meta device; keys and values lie in memory as a cache does."""
    with torch.device("meta"):
        cache = (heads, positions, head_dim)
        inputs = {"q": torch.empty(queries, heads, head_dim)}
        inputs |= {name: torch.empty(cache) for name in ("k_cache", "v_cache")}
        return TorchProgram(AttentionAlone(head_dim), inputs, ("k_cache", "v_cache"))
