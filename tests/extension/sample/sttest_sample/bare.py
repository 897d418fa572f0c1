"""A family of blocks: attention with nothing behind it; and a model of it."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from sttest.models.config import DecoderConfig
from sttest.models.families import BlockFamily, Shapes, attention_layers, attention_vectors
from sttest.models.registry import get_config

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class BareConfig(DecoderConfig):
    """A decoder whose blocks are attention and nothing behind it."""


class BareFamily(BlockFamily):
    """What sets it apart: it has no feed-forward network, and so none of its weights."""

    name = "bare"

    def takes(self, config: DecoderConfig) -> bool:
        """Whether a model is made so."""
        return isinstance(config, BareConfig)

    def linear_layers(self, config: DecoderConfig) -> Shapes:
        """Those of attention."""
        return attention_layers(config)

    def other_parameters(self, config: DecoderConfig) -> int:
        """Those of attention and of norms."""
        return attention_vectors(config)

    def feed_forward(self, config: DecoderConfig) -> "nn.Module":
        """Gives back what it is given."""
        from torch import nn

        return nn.Identity()


BARE = BareFamily()
_GPT2 = get_config("gpt2")
BARE_GPT2 = BareConfig(**{**{each.name: getattr(_GPT2, each.name) for each in fields(_GPT2)}, "name": "bare-gpt2"})
