"""Which linear layers of a block are of low rank, ``x @ u @ v`` instead of ``x @ weight``, and what that moves.

A rank belongs to a layer of the block, and is the same in all layers of the model.
"""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from sttest.core.errors import InputError, did_you_mean
from sttest.models.config import DecoderConfig
from sttest.models.parameters import linear_layers

SHARE_MULTIPLE = 16
"""A rank that is given as a share is rounded down to a multiple of this, which tiles divide."""
_WHERE = "ranks (--rank)"


def with_ranks(config: DecoderConfig, entries: Sequence[str]) -> DecoderConfig:
    """The model with some linear layers in two factors.

    Args:
        config: model with whole weights.
        entries: ``RANK`` for all linear layers or ``NAME=RANK`` for those that a pattern names, a later entry over an
            earlier one; a rank is a number, or a share of the full rank such as ``25%``.

    Raises:
        InputError: no such layer, no rank, or one that is none of the layer's.

    >>> from sttest.models.registry import model_config
    >>> with_ranks(model_config("small-gpt2"), ["32", "mlp.*=50%", "attn.?_proj=16"]).ranks[-2:]
    (('mlp.fc1', 32), ('mlp.fc2', 32))
    """
    layers = linear_layers(config)
    found: dict[str, int] = {}
    for entry in entries:
        pattern, _, asked = entry.rpartition("=")
        named = [name for name in layers if fnmatchcase(name, pattern or "*")]
        if not named:
            hints = [did_you_mean(pattern, layers), f"its linear layers: {', '.join(layers)}"]
            raise InputError("unknown-layer", f"no linear layer is called '{pattern}'", where=_WHERE, hints=hints)
        found |= {name: _rank(asked, name, layers[name]) for name in named}
    return replace(config, ranks=tuple((name, found[name]) for name in layers if name in found))


def _rank(asked: str, name: str, shape: tuple[int, int]) -> int:
    number = asked.removesuffix("%")
    if not (number.isascii() and number.isdigit()):
        what = f"'{asked:.40}' is neither a rank nor a share"
        raise InputError("bad-rank", what, where=_WHERE, hints=["write a number, or a share such as 25%"])
    most, rank = min(shape), int(number)
    if asked.endswith("%"):
        share = most * rank // 100
        rank = share // SHARE_MULTIPLE * SHARE_MULTIPLE or share
    if not 1 <= rank <= most or (asked.endswith("%") and int(number) > 100):
        raise InputError(
            "bad-rank",
            f"{name}, {shape[0]} x {shape[1]}, cannot have the rank {asked}",
            where=_WHERE,
            demand=rank,
            bound=most,
            unit="rank",
            hints=[f"take a rank from 1 to {most}"],
        )
    return rank
