"""Layers of a decoder block, written so that each becomes a few clean loops.

Every scalar is exact in float32 (:func:`f32`), else the lowering carries it
in double precision.  Sums drop their axis and get it back where they are
used, so that what is computed once per row stays one value per row.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from sttest.models.config import Activation, DecoderConfig


def f32(value: float) -> float:
    """``value`` rounded to float32."""
    return float(np.float32(value))


class Linear(nn.Module):
    """``x @ weight + bias``, the weight stored [inputs, outputs] so that no transposition is needed."""

    def __init__(self, inputs: int, outputs: int, *, bias: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.empty(outputs)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """[n, inputs] to [n, outputs]."""
        y = x @ self.weight
        return y if self.bias is None else y + self.bias


class LayerNorm(nn.Module):
    """Ba et al., arXiv 1607.06450, over the last axis; the variance is the mean square less the squared mean.

    Both sums so take one pass over the data, side by side.  Where the mean is beyond some thousand times the
    deviation, float32 has few digits left of the difference; what is below zero counts as zero.
    """

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))
        self.bias = nn.Parameter(torch.empty(width))
        self.eps, self.scale = f32(eps), f32(1.0 / width)

    def forward(self, x: Tensor) -> Tensor:
        """Same shape as ``x``."""
        mean = (x * self.scale).sum(-1)
        variance = torch.relu((x * x).sum(-1) * self.scale - mean * mean)
        deviations = (x - mean.unsqueeze(-1)) * torch.rsqrt(variance + self.eps).unsqueeze(-1)
        return deviations * self.weight + self.bias


class RMSNorm(nn.Module):
    """Zhang and Sennrich, arXiv 1910.07467, over the last axis; ``plus_one`` scales by 1 + weight (Gemma)."""

    def __init__(self, width: int, eps: float, *, plus_one: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))
        self.eps, self.scale, self.plus_one = f32(eps), f32(1.0 / width), plus_one

    def forward(self, x: Tensor) -> Tensor:
        """Same shape as ``x``."""
        mean_square = (x * x).sum(-1) * self.scale
        normalized = x * torch.rsqrt(mean_square + self.eps).unsqueeze(-1)
        return normalized * (1.0 + self.weight if self.plus_one else self.weight)


class GeluTanh(nn.Module):
    """Tanh form of GELU (Hendrycks and Gimpel, arXiv 1606.08415), written out."""

    def forward(self, x: Tensor) -> Tensor:
        """Same shape as ``x``."""
        inner = (x + x * x * x * f32(0.044715)) * f32(math.sqrt(2.0 / math.pi))
        return x * (torch.tanh(inner) + 1.0) * 0.5


class Silu(nn.Module):
    """``x * sigmoid(x)``."""

    def forward(self, x: Tensor) -> Tensor:
        """Same shape as ``x``."""
        return x * torch.sigmoid(x)


class Relu(nn.Module):
    """The larger of ``x`` and 0."""

    def forward(self, x: Tensor) -> Tensor:
        """Same shape as ``x``."""
        return torch.relu(x)


class SoftCap(nn.Module):
    """``cap * tanh(x / cap)``, which stays under ``cap`` (Gemma 2, arXiv 2408.00118); without a cap the identity."""

    def __init__(self, cap: float | None) -> None:
        super().__init__()
        self.cap = None if cap is None else f32(cap)
        self.inverse = None if cap is None else f32(1.0 / cap)

    def forward(self, x: Tensor) -> Tensor:
        """Same shape as ``x``."""
        if self.cap is None or self.inverse is None:
            return x
        return torch.tanh(x * self.inverse) * self.cap


class Gate(nn.Module):
    """Product of the activated gate and the up projection."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, gate: Tensor, up: Tensor) -> Tensor:
        """Same shape thrice."""
        return self.inner(gate) * up


class Residual(nn.Module):
    """Addition of what a branch computed to what it started from."""

    def forward(self, x: Tensor, branch: Tensor) -> Tensor:
        """Same shape thrice."""
        return x + branch


def norm(config: DecoderConfig, width: int) -> nn.Module:
    """The norm of the family over ``width`` elements."""
    if config.norm == "layernorm":
        return LayerNorm(width, config.eps)
    return RMSNorm(width, config.eps, plus_one=config.norm == "rmsnorm_plus_one")


def activation(kind: Activation) -> nn.Module:
    """The nonlinearity of the feed-forward network."""
    return {"gelu_tanh": GeluTanh, "silu": Silu, "relu": Relu}[kind]()


# --- What stands around the blocks: embedding before them, the tied head and the choice of a token after them


class Embedding(nn.Module):
    """Token embeddings, plus learned positions where the family has no rotary ones."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.tokens = nn.Parameter(torch.empty(config.vocab, config.hidden))
        learned = config.rope_theta is None
        self.positions = nn.Parameter(torch.empty(config.max_context, config.hidden)) if learned else None
        self.scale = embedding_scale(config)

    def forward(self, tokens: Sequence[int], first_position: int) -> Tensor:
        """Tokens by number, at consecutive positions, to [n, hidden]."""
        x = self.tokens[list(tokens)] * self.scale
        if self.positions is None:
            return x
        return x + self.positions[first_position : first_position + len(tokens)]


class TiedHead(nn.Module):
    """Language-model head whose weights are those of the embedding, which it is handed."""

    def forward(self, x: Tensor, tokens: Tensor) -> Tensor:
        """[n, hidden] and [vocab, hidden] to logits [n, vocab]."""
        return x @ tokens.T


def embedding_scale(config: DecoderConfig) -> float:
    """Gemma, the family whose norms scale by 1 + weight, multiplies embeddings by sqrt(hidden)."""
    return f32(config.hidden**0.5) if config.norm == "rmsnorm_plus_one" else 1.0


def greedy(logits: Tensor) -> int:
    """The most likely token, the first of equals; logits [vocab]."""
    return int((logits == logits.max()).nonzero()[0])
