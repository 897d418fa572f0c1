"""A block family of an extension: parameters, blocks and programs are its own without an edit elsewhere."""

from dataclasses import dataclass, fields

import pytest

from sttest.core import extensions
from sttest.core.errors import InputError
from sttest.core.extensions import Extension, Offer
from sttest.models import families
from sttest.models.config import DecoderConfig
from sttest.models.families import BlockFamily, attention_layers, attention_vectors, family_of
from sttest.models.parameters import block_parameters
from sttest.models.ranks import with_ranks
from sttest.models.registry import model_config


@dataclass(frozen=True)
class BareConfig(DecoderConfig):
    """A decoder whose blocks are attention and nothing behind it."""


class BareFamily(BlockFamily):
    name = "bare"

    def takes(self, config):
        return isinstance(config, BareConfig)

    def linear_layers(self, config):
        return attention_layers(config)

    def other_parameters(self, config):
        return attention_vectors(config)

    def feed_forward(self, config):
        from torch import nn

        return nn.Identity()


BARE = BareFamily()


@pytest.fixture
def offered(monkeypatch):
    """Lets an extension offer a family of this module."""
    own = extensions.extensions()[0]

    def offer(name: str) -> None:
        found = (own, Extension("mine", (Offer("families", name, f"{__name__}:BARE"),)))
        monkeypatch.setattr(extensions, "extensions", lambda: found)
        families.families.cache_clear()

    yield offer
    monkeypatch.undo()
    families.families.cache_clear()


def bare() -> BareConfig:
    small = model_config("small-gpt2")
    return BareConfig(**{each.name: getattr(small, each.name) for each in fields(small)})


def test_one_family_makes_a_block():
    assert list(families.families()) == ["dense", "experts", "state-space", "low-rank"]
    names = {name: family_of(model_config(name)).name for name in ("small-gpt2", "small-mixtral-8x7b", "small-mamba2")}
    assert list(names.values()) == ["dense", "experts", "state-space"]


@pytest.mark.parametrize(("name", "field"), [("small-mamba2", "state"), ("small-gpt2", "ranks")])
def test_what_no_installed_family_knows_is_refused(monkeypatch, name, field):
    config = model_config(name)
    config = with_ranks(config, ["50%"]) if field == "ranks" else config
    monkeypatch.setattr(families, "families", lambda: {"dense": families.DENSE})
    with pytest.raises(InputError, match=f"installed knows '{field}'") as caught:
        family_of(config)
    assert "pip install extensions/systems" in caught.value.hints[0]


@pytest.mark.torch
def test_blocks_and_programs_are_those_of_the_family(offered):
    from sttest.models.blocks import PrefillBlock
    from sttest.models.program import block_program

    offered("bare")
    config, dense = bare(), model_config("small-gpt2")
    assert (family_of(config).name, family_of(dense).name) == ("bare", "dense")
    count = sum(each.numel() for each in PrefillBlock(config).parameters())
    assert count == block_parameters(config) < block_parameters(dense)
    program = block_program(config, "decode", 1, 64)
    assert not any(name.startswith("mlp.") for name in program.module.state_dict())


def test_one_of_another_name_is_refused(offered):
    offered("other")
    with pytest.raises(InputError, match="what is offered as 'other' is no BlockFamily so called"):
        families.families()
