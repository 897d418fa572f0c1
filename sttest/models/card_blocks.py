"""The modules of a decoder block over several cards; see :mod:`sttest.models.cards`."""

from typing import Any, cast

import torch
from torch import Tensor, nn

from sttest.models.blocks import DecodeBlock, PrefillBlock
from sttest.models.cards import on_card, put_together, share_of, shared_out, split_state
from sttest.models.config import DecoderConfig
from sttest.models.layers import Linear
from sttest.models.quant.block import decode_twin
from sttest.models.quant.released.kept import refuse_kept


class PartialSums(nn.Module):
    """Adds partial sums to what they belong to, in the order of the cards."""

    def forward(self, x: Tensor, *partial: Tensor) -> Tensor:
        """Same shape as ``x``."""
        for each in partial:
            x = x + each
        return x


class CardBlocks(nn.Module):
    """A block over several cards; arguments and results are those of a block, card by card.

    Args:
        config: the whole model.
        cards: number of cards.
        kind: the block.
    """

    def __init__(self, config: DecoderConfig, cards: int, kind: type[PrefillBlock] | type[DecodeBlock]) -> None:
        super().__init__()
        share = share_of(config, cards)
        self.cards = nn.ModuleList(kind(share) for _ in range(cards))
        for number, block in enumerate(self.cards):
            block.attn_residual, block.mlp_residual = PartialSums(), PartialSums()
            if number:
                _without_late_biases(block)

    def forward(self, **inputs: Any) -> tuple[Any, ...]:
        """Inputs of each card by name to y, k_new and v_new of each."""
        cards = [cast("Any", block) for block in self.cards]
        x = [inputs[on_card("x", number)] for number in range(len(cards))]
        attended, new = [], []
        for number, (block, own) in enumerate(zip(cards, x, strict=True)):
            taken = {
                name: inputs[on_card(name, number)]
                for name in ("mask", "rope", "k_cache", "v_cache", "mask_new")
                if on_card(name, number) in inputs
            }
            partial, *entries = block.attn(block.attn_norm(own), rope=taken.pop("rope", None), **taken)
            attended.append(partial)
            new.append(entries)
        x = [block.attn_residual(own, *attended) for block, own in zip(cards, x, strict=True)]
        partial = [block.mlp(block.mlp_norm(own)) for block, own in zip(cards, x, strict=True)]
        y = [block.mlp_residual(own, *partial) for block, own in zip(cards, x, strict=True)]
        return tuple(result for own, entries in zip(y, new, strict=True) for result in (own, *entries))


def _without_late_biases(block: nn.Module) -> None:
    """The first card's partial sum has the bias behind the sum."""
    for name in ("attn.o_proj", "mlp.fc2", "mlp.down_proj"):
        owner, _, last = name.rpartition(".")
        layer = getattr(block.get_submodule(owner), last, None)
        if isinstance(layer, Linear):
            layer.bias = None


class WholeBlock(CardBlocks):
    """The same, called as a block of one card is, with its results."""

    def forward(self, **inputs: Any) -> tuple[Any, ...]:
        """Inputs of a block by name to y, k_new and v_new."""
        count = len(self.cards)
        results = super().forward(**shared_out(inputs, count))
        names = (on_card(name, card) for card in range(count) for name in ("y", "k_new", "v_new"))
        return tuple(put_together(dict(zip(names, results, strict=True)), torch.cat).values())


def split_block(block: nn.Module, config: DecoderConfig, cards: int) -> WholeBlock:
    """A prefill block in floating point over several cards, with its weights."""
    refuse_kept(block, "cards that share a layer")
    split = WholeBlock(config, cards, PrefillBlock)
    split.load_state_dict(split_state(block.state_dict(), cards))
    return split


def decode_twin_of_cards(config: DecoderConfig, prefill: WholeBlock) -> WholeBlock:
    """The decode block over as many cards that shares every weight of a prefill block, quantized or not."""
    cards = len(prefill.cards)
    with torch.device("meta"):
        twin = WholeBlock(config, cards, DecodeBlock)
    twin.cards = nn.ModuleList(decode_twin(share_of(config, cards), block) for block in prefill.cards)
    return twin
