"""What stands around the blocks: embedding before them, the tied head and the choice of a token after them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from sttest.models.config import DecoderConfig
from sttest.models.layers import f32


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
