"""What follows the last layer: final norm, product with the vocabulary, and greedy choice of a token."""

import torch
from torch import Tensor, nn

from sttest.models.blocks import DecodeBlock
from sttest.models.config import DecoderConfig
from sttest.models.language_model import LanguageModel
from sttest.models.layers import Linear, SoftCap, TiedHead, f32, norm
from sttest.models.tables import HEAD_TILE, head_columns
from sttest.reference.graph import Array

_LEAST_TILES = 4
"""Tiles into which even the smallest vocabulary is split."""


class Choice(nn.Module):
    """Greedy choice without index arithmetic: a table gives the token of each column.

    The best of each tile is found while the product computes the next tile, so that after the last logit only one
    value per tile is left to compare.
    """

    def forward(self, logits: Tensor, token_ids: Tensor) -> Tensor:
        """Logits [n, columns] and token ids [columns], float32, to the most likely token [n]; ties go to the first."""
        tile = min(HEAD_TILE, len(token_ids) // _LEAST_TILES)
        tiles = logits.view(len(logits), -1, tile)
        best = tiles.amax(-1)
        first = _first_of_best(tiles, best, token_ids.view(-1, tile), len(token_ids))
        return _first_of_best(best, best.amax(-1), first, len(token_ids))


def _first_of_best(values: Tensor, best: Tensor, tokens: Tensor, count: int) -> Tensor:
    """The lowest token along the last axis whose value is the best one."""
    return torch.where(values < best.unsqueeze(-1), tokens + f32(count), tokens).amin(-1)


class Head(nn.Module):
    """Final norm, product and choice; :func:`head_weight` gives the weight."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.norm = norm(config, config.hidden)
        self.proj = Linear(config.hidden, head_columns(config), bias=False)
        self.cap = SoftCap(config.logit_cap)
        self.choice = Choice()

    def forward(self, x: Tensor, token_ids: Tensor) -> tuple[Tensor, Tensor]:
        """x [n, hidden] to logits [n, columns] and tokens [n]."""
        logits = self.cap(self.proj(self.norm(x)))
        return logits, self.choice(logits, token_ids)


class DecodeBlockWithHead(DecodeBlock):
    """The decode block followed by the head, which runs once in a launch over several layers."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config)
        self.head = Head(config)

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride] - a block that gives more
        self,
        x: Tensor,
        mask: Tensor,
        k_cache: Tensor,
        v_cache: Tensor,
        token_ids: Tensor,
        rope: Tensor | None = None,
        mask_new: Tensor | None = None,
        **tables: Tensor,
    ) -> tuple[Tensor, ...]:
        """Arguments of the block and token ids [columns] to the block's results, logits [n, columns], tokens [n]."""
        made = super().forward(x, mask, k_cache, v_cache, rope, mask_new, **tables)
        return (*made, *self.head(made[0], token_ids))


def head_weight(config: DecoderConfig, weight: Tensor) -> Tensor:
    """Pad the model's head weight [hidden, vocab], or the scales of its columns, to [hidden, columns].

    Columns past the vocabulary repeat the first token's, so that they tie with it to the bit and are never chosen.
    """
    surplus = head_columns(config) - config.vocab
    return torch.cat([weight, weight[:, :1].expand(-1, surplus)], 1)


def head_parameters(model: LanguageModel) -> dict[str, Array]:
    """Parameters of the head by the names of a design, from a model that is quantized as the design is."""
    config, head = model.config, model.head
    tied = isinstance(head, TiedHead)
    tensors = {"weight": model.embedding.tokens.detach().T} if tied else head.state_dict()
    by_column = {"weight", "weight_scale"}
    found = {f"norm.{name}": tensor for name, tensor in model.norm.state_dict().items()}
    for name, tensor in tensors.items():
        found[f"proj.{name}"] = head_weight(config, tensor) if name in by_column else tensor
    return {f"head.{name}": tensor.contiguous().numpy() for name, tensor in found.items()}
