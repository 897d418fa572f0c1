"""The door of block families: what sets one kind of decoder block apart from the others, in one place.

    Offer("families", "my-block", "my_package.family:FAMILY")

is a :class:`BlockFamily`.  A configuration is of one family that makes its block, and of any that change something of
it, such as linear layers in two factors.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sttest.core.errors import InputError
from sttest.core.extensions import HOW_TO_INSTALL, Offer, all_loaded
from sttest.models.config import OF_FAMILIES, DecoderConfig

__depends__ = ("sttest/built_in/families.py", "sttest/models/*_family.py")

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor, nn

    from sttest.models.program import TorchProgram

Shapes = dict[str, tuple[int, int]]
Block = TypeVar("Block", bound="nn.Module")


class BlockFamily:
    """What a family says; as it stands, one that changes nothing of a block with attention and one network behind it.

    Nothing here needs PyTorch but what makes modules, which imports it.
    """

    name = "dense"
    knows: tuple[str, ...] = ()  # fields of a configuration that it alone reads, of OF_FAMILIES
    makes_block = True  # whether a block is of this family alone; else it changes those of others
    takes_many_tokens = True  # whether several tokens, of one sequence or more, go through the same weights
    case = "sttest.crosscheck.case:make_case"  # what makes weights, inputs and golden results

    def takes(self, config: DecoderConfig) -> bool:
        """Whether a configuration is of this family; of several that make blocks the last that is known has it."""
        return True

    def check_shape(self, config: DecoderConfig, phase: str, tokens: int, batch: int) -> None:
        """Refuse what no block can be built for, with an InputError."""

    def check_cards(self, config: DecoderConfig, cards: int) -> None:
        """Refuse cards, 2 or more, that cannot share a block, with an InputError."""

    # --- Weights

    def linear_layers(self, config: DecoderConfig) -> Shapes:
        """Inputs and outputs of linear layers by name, but of those of which a token has parts."""
        hidden, ffn = config.hidden, config.ffn
        if config.gated:
            network = {"mlp.gate_proj": (hidden, ffn), "mlp.up_proj": (hidden, ffn), "mlp.down_proj": (ffn, hidden)}
        else:
            network = {"mlp.fc1": (hidden, ffn), "mlp.fc2": (ffn, hidden)}
        return attention_layers(config) | network

    def other_parameters(self, config: DecoderConfig) -> int:
        """Numbers of a block's parameters besides the matrices of its linear layers."""
        ups = 2 if config.gated else 1
        return attention_vectors(config) + config.mlp_bias * (ups * config.ffn + config.hidden)

    def matrices(self, config: DecoderConfig, whole: Shapes) -> Shapes:
        """The matrices of linear layers, from those of whole layers."""
        return whole

    def whole(self, config: DecoderConfig) -> DecoderConfig:
        """The configuration whose weights a checkpoint has, or that random ones are drawn for."""
        return config

    def of_whole(self, block: "Block", config: DecoderConfig) -> "Block":
        """The block of a configuration from that of the :meth:`whole` one, with weights."""
        return block

    def take_tensors(
        self, config: DecoderConfig, state: "Mapping[str, Tensor]"
    ) -> "tuple[dict[str, Tensor], Mapping[str, Tensor]]":
        """Of a layer's tensors under the names of Hugging Face those that are its own, under ours, and the others."""
        return {}, state

    def small_sizes(self, config: DecoderConfig, sizes: dict[str, int]) -> dict[str, int]:
        """Sizes of a small configuration, from those of one with attention and one network."""
        return sizes

    # --- The block and what is lowered

    def feed_forward(self, config: DecoderConfig) -> "nn.Module":
        """What follows attention, [n, hidden] to [n, hidden], or to a tuple with more results behind it."""
        from sttest.models.feed_forward import GatedMlp, Mlp

        return GatedMlp(config) if config.gated else Mlp(config)

    def finish(self, block: "nn.Module", config: DecoderConfig) -> None:
        """Change a block without weights in place."""

    def tables(self, config: DecoderConfig) -> "dict[str, NDArray[np.float32]]":
        """Inputs beside those of attention that are the same for all tokens, by argument name."""
        return {}

    def own_program(self, config: DecoderConfig, context: int, *, head: bool) -> "TorchProgram | None":
        """What is lowered, where that is no attention with something behind it."""
        return None

    def added(self, config: DecoderConfig, program: "TorchProgram") -> "TorchProgram":
        """What is lowered, from a block of attention with :meth:`feed_forward` behind it."""
        return program

    def load_case(self) -> Callable[..., Any]:
        """The function that makes a case of configuration, shape, scheme, source, chunk and maximum."""
        return Offer("families", self.name, self.case).load()


DENSE = BlockFamily()


@cache
def families() -> dict[str, BlockFamily]:
    """All that are known by name, those of installed extensions last.

    Raises:
        InputError: what an extension offers is no family, or has another name.
    """
    return all_loaded("families", BlockFamily)


def family_of(config: DecoderConfig) -> BlockFamily:
    """The family that makes a configuration's block.

    Raises:
        InputError: see :func:`families_of`.
    """
    return families_of(config)[0]


def families_of(config: DecoderConfig) -> tuple[BlockFamily, ...]:
    """The family that makes a configuration's block, and those that change something of it.

    Raises:
        InputError: the configuration has what no family that is installed knows.

    >>> from sttest.models.registry import model_config
    >>> [each.name for each in families_of(model_config("small-mixtral-8x7b"))]
    ['experts']
    """
    known = families().values()
    makes = next(each for each in reversed(known) if each.makes_block and each.takes(config))
    found = (makes, *(each for each in known if not each.makes_block and each.takes(config)))
    for field in OF_FAMILIES:
        if getattr(config, field) and not any(field in each.knows for each in found):
            raise InputError(
                "unknown-family",
                f"no family of blocks that is installed knows '{field}'",
                where=config.name,
                hints=[f"the one of sttest's repository is in {HOW_TO_INSTALL}"],
            )
    return found


def whole_of(config: DecoderConfig) -> DecoderConfig:
    """The configuration whose weights a checkpoint has, or that random ones are drawn for."""
    for each in families_of(config):
        config = each.whole(config)
    return config


def of_whole(block: "Block", config: DecoderConfig) -> "Block":
    """The block of a configuration from that of the whole one, with weights."""
    for each in families_of(config):
        block = each.of_whole(block, config)
    return block


# --- What all families with attention have


def attention_layers(config: DecoderConfig) -> Shapes:
    """Inputs and outputs of the linear layers of attention by name."""
    query, key, hidden = config.heads * config.head_dim, config.kv_heads * config.head_dim, config.hidden
    found = {"attn.q_proj": (hidden, query), "attn.k_proj": (hidden, key), "attn.v_proj": (hidden, key)}
    return found | {"attn.o_proj": (query, hidden)}


def attention_vectors(config: DecoderConfig) -> int:
    """Numbers in biases of attention and in norms."""
    query, key = config.heads * config.head_dim, config.kv_heads * config.head_dim
    vectors, count = 2 if config.norm == "layernorm" else 1, 4 if config.post_norms else 2
    norms = vectors * (count * config.hidden + config.qk_norm * 2 * config.head_dim)
    return norms + config.qkv_bias * (query + 2 * key) + config.o_bias * config.hidden
