"""The family of blocks with linear layers in two factors, :mod:`sttest_systems.low_rank.factors`: with ``ranks``."""

from dataclasses import replace
from typing import TYPE_CHECKING

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.families import Block, BlockFamily, Shapes

if TYPE_CHECKING:
    from torch import nn


class LowRankFamily(BlockFamily):
    """A block of another family, some of whose linear layers are ``x @ u @ v``."""

    name = "low-rank"
    makes_block = False
    knows = ("ranks",)

    def takes(self, config: DecoderConfig) -> bool:
        """Whether a layer has a rank."""
        return bool(config.ranks)

    def check_cards(self, config: DecoderConfig, cards: int) -> None:
        """Nobody cuts what lies between the factors."""
        raise InputError(
            "bad-cards",
            "a linear layer in two factors is on one card",
            where=config.name,
            hints=["leave out --rank", "leave out --cards"],
        )

    def matrices(self, config: DecoderConfig, whole: Shapes) -> Shapes:
        """Two for each layer that has a rank."""
        ranks, found = dict(config.ranks), Shapes()
        for name, (inputs, outputs) in whole.items():
            if name in ranks:
                found |= {f"{name}.u": (inputs, ranks[name]), f"{name}.v": (ranks[name], outputs)}
            else:
                found[name] = (inputs, outputs)
        return found

    def whole(self, config: DecoderConfig) -> DecoderConfig:
        """The configuration without ranks."""
        return replace(config, ranks=())

    def of_whole(self, block: Block, config: DecoderConfig) -> Block:
        """A copy with the truncated decomposition of its weights."""
        from sttest_systems.low_rank.factors import factored

        return factored(block, config.ranks)

    def finish(self, block: "nn.Module", config: DecoderConfig) -> None:
        """Two factors without weights in place of each layer that has a rank."""
        from sttest_systems.low_rank.factors import in_factors

        in_factors(block, config.ranks)


LOW_RANK = LowRankFamily()
