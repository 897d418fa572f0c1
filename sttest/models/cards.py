"""A decoder block over several cards (Megatron-LM, arXiv 1909.08053): heads and columns in parallel.

Every card has the whole residual stream, its own copy of the norms, its share of the heads with their part of the
cache, and its share of the columns inside the feed-forward network.  After attention and after the feed-forward network
each card holds a partial sum.  Every card gets the partial sums of all, and adds them to its residual in the order of
the cards, so that all come to the same bits.

Card 0 has the block's own names; card r calls its arguments and results ``x_card1``, ``k_new_card1`` and so on, and its
modules ``cards.1.attn``.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.families import families_of

if TYPE_CHECKING:
    from torch import Tensor

_OWN = re.compile(r"(.+?)_card(\d+)(_scale)?")


def on_card(name: str, card: int) -> str:
    """The name of a card's own argument or result.

    >>> on_card("x", 0), on_card("k_cache", 2)
    ('x', 'k_cache_card2')
    """
    return f"{name}_card{card}" if card else name


def card_of(name: str) -> tuple[str, int]:
    """The name that an argument or result has on card 0, and its card.

    >>> card_of("k_cache_card2_scale"), card_of("x")
    (('k_cache_scale', 2), ('x', 0))
    """
    found = _OWN.fullmatch(name)
    return (f"{found[1]}{found[3] or ''}", int(found[2])) if found else (name, 0)


def check_cards(config: DecoderConfig, cards: int, *, head: bool = False) -> None:
    """Refuse cards that a block cannot be shared out to.

    Raises:
        InputError: fewer than one, unequal shares, or a block that does more with a sum than add it.
    """
    if cards < 1:
        raise InputError("bad-cards", f"{cards} cards asked for", where="cards", hints=["ask for at least 1"])
    for family in families_of(config) if cards > 1 else ():
        family.check_cards(config, cards)
    for what, count in (("key-value heads", config.kv_heads), ("columns of the feed-forward network", config.ffn)):
        if count % cards:
            raise InputError(
                "bad-cards",
                f"{count} {what} make no equal shares for {cards} cards",
                where=config.name,
                hints=["take a number of cards that divides both", "pad the model's configuration"],
            )
    if cards > 1 and (config.post_norms or head):
        what = "norms behind attention" if config.post_norms else "the head"
        raise InputError(
            "bad-cards",
            f"several cards share a block without {what}",
            where=config.name,
            hints=["leave out --head", "take a model without post_norms"],
        )


def share_of(config: DecoderConfig, cards: int) -> DecoderConfig:
    """The part of a block that each card has: all of the residual stream, its heads and its columns."""
    return replace(
        config, heads=config.heads // cards, kv_heads=config.kv_heads // cards, ffn=config.ffn // cards, ffn_padding=0
    )


# --- Inputs and results of the block and of its cards, by name; the axis of heads is before positions


_HEAD_AXES = {"k_cache": -3, "v_cache": -3, "k_new": -3, "v_new": -3}
_HEAD_AXES |= {f"{name}_scale": axis + 1 for name, axis in _HEAD_AXES.items()}


def shared_out(inputs: Mapping[str, Any], cards: int) -> dict[str, Any]:
    """Inputs of a block as its cards take them: each has its heads of the caches, and all of everything else.

    Args:
        inputs: arrays or tensors by argument name.
        cards: number of cards.
    """
    return {
        _own(name, card): _share(name, values, card, cards) for card in range(cards) for name, values in inputs.items()
    }


def _own(name: str, card: int) -> str:
    base = name.removesuffix("_scale")
    return on_card(base, card) + name[len(base) :]


def _share(name: str, values: Any, card: int, cards: int) -> Any:
    if name not in _HEAD_AXES:
        return values
    if isinstance(values, tuple):  # integers and their scales
        kinds = zip((name, f"{name}_scale"), values, strict=True)
        return type(values)(*(_share(kind, part, card, cards) for kind, part in kinds))
    axis = values.ndim + _HEAD_AXES[name]
    size = values.shape[axis] // cards
    return values[(slice(None),) * axis + (slice(card * size, (card + 1) * size),)]


def put_together(results: Mapping[str, Any], joined: Callable[..., Any]) -> dict[str, Any]:
    """Results of a block from those of its cards: the heads of all, and of the rest what card 0 has.

    Args:
        results: arrays or tensors by name.
        joined: concatenation of a list along an axis.
    """
    parts: dict[str, list[Any]] = {}
    for name, values in results.items():
        parts.setdefault(card_of(name)[0], []).append(values)
    return {name: _joined(name, values, joined) if name in _HEAD_AXES else values[0] for name, values in parts.items()}


def _joined(name: str, values: list[Any], joined: Callable[..., Any]) -> Any:
    if isinstance(values[0], tuple):
        kinds = zip((name, f"{name}_scale"), zip(*values, strict=True), strict=True)
        return type(values[0])(*(_joined(kind, list(part), joined) for kind, part in kinds))
    return joined(values, _HEAD_AXES[name])


# --- Weights


_ROWS, _COLUMNS = ("o_proj", "fc2", "down_proj"), ("q_proj", "k_proj", "v_proj", "fc1", "gate_proj", "up_proj")
"""Linear layers whose inputs, or whose outputs, are shared out."""


def split_state(state: "Mapping[str, Tensor]", cards: int) -> "dict[str, Tensor]":
    """Parameters of a block in floating point as those of :class:`sttest.models.card_blocks.CardBlocks`.

    A bias behind a sum over cards is part of the first card's partial sum.
    """
    found: dict[str, Tensor] = {}
    for name, tensor in state.items():
        module, _, leaf = name.rpartition(".")
        layer = module.rpartition(".")[2]
        if layer in _ROWS and leaf == "bias":
            found[f"cards.0.{name}"] = tensor
            continue
        shares = [tensor] * cards
        if layer in _ROWS + _COLUMNS:
            shares = [each.contiguous() for each in tensor.chunk(cards, 0 if layer in _ROWS else -1)]
        found |= {f"cards.{card}.{name}": share for card, share in enumerate(shares)}
    return found
