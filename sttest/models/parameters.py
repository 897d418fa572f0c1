"""How many parameters one decoder block has, from its configuration alone."""

from sttest.models.config import DecoderConfig
from sttest.models.families import families_of, family_of


def linear_layers(config: DecoderConfig) -> dict[str, tuple[int, int]]:
    """Inputs and outputs of a block's linear layers by name, without those of which a token has parts.

    >>> from sttest.models.registry import model_config
    >>> linear_layers(model_config("small-gpt2"))["mlp.fc1"]
    (64, 128)
    """
    return family_of(config).linear_layers(config)


def weight_shapes(config: DecoderConfig) -> dict[str, tuple[int, int]]:
    """Shapes of the matrices of a block's linear layers by name, a layer in factors as two.

    >>> from sttest.models.ranks import with_ranks
    >>> from sttest.models.registry import model_config
    >>> weight_shapes(with_ranks(model_config("small-gpt2"), ["mlp.fc1=16"]))["mlp.fc1.v"]
    (16, 128)
    """
    found = linear_layers(config)
    for each in families_of(config):
        found = each.matrices(config, found)
    return found


def block_parameters(config: DecoderConfig) -> int:
    """Weights and biases of one block: projections, feed-forward network, norms; embeddings are not part of it."""
    matrices = sum(inputs * outputs for inputs, outputs in weight_shapes(config).values())
    return matrices + family_of(config).other_parameters(config)
