"""What is lowered: a module, its named inputs and what is to be said of it in the text."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sttest.core.errors import InputError
from sttest.models.cards import check_cards, on_card, share_of
from sttest.models.config import DecoderConfig
from sttest.models.families import families_of, family_of
from sttest.models.tables import head_columns

if TYPE_CHECKING:
    from torch import Tensor, nn

Phase = Literal["prefill", "decode"]
MAX_STEP_TOKENS = 128
"""Rows of a decode step: its products keep all of them in one tile."""


@dataclass(frozen=True)
class BlockShape:
    """Phase of a block, tokens of a sequence that enter it, tokens in its cache, sequences, and cards."""

    phase: Phase
    tokens: int
    context: int = 0
    batch: int = 1
    cards: int = 1


@dataclass(frozen=True)
class TorchProgram:
    """A module to lower.

    Args:
        module: called with ``inputs`` as keywords.
        inputs: example tensors by argument name; meta tensors will do.
        caches: names of the inputs that are read from a cache.
        results: names of what the module returns.
        attributes: further facts for the text, each becomes ``sttest.<name>``.
    """

    module: "nn.Module"
    inputs: "Mapping[str, Tensor]"
    caches: tuple[str, ...] = ()
    results: tuple[str, ...] = ("y",)
    attributes: Mapping[str, str | int | tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedProgram:
    """A graph that was exported elsewhere, whose placeholders are all inputs; see `sttest.frontend.module_graph`."""

    path: str  # path of what ``torch.export.save`` wrote
    # names of arguments and results, by position
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    results: tuple[str, ...]
    places: Mapping[int, str]  # operation, file and line, and module, by number of the node
    caches: tuple[str, ...] = ()
    attributes: Mapping[str, str | int | tuple[str, ...]] = field(default_factory=dict)


def check_shape(config: DecoderConfig, phase: str, tokens: int, context: int, batch: int = 1) -> None:
    """Refuse what no block can be built for.

    Raises:
        InputError: unknown phase, or tokens, context or sequences out of range.
    """
    if phase not in ("prefill", "decode"):
        raise InputError(
            "unknown-phase", f"there is no phase '{phase}'", where="phase", hints=["choose prefill or decode"]
        )
    if tokens < 1:
        raise InputError("bad-tokens", f"{tokens} tokens asked for", where="tokens", hints=["ask for at least 1"])
    if phase == "prefill" and context != 0:
        raise InputError(
            "bad-context",
            f"a prefill starts from an empty cache, not from {context} tokens",
            where="context",
            hints=["set context to 0"],
        )
    if phase == "decode" and tokens > MAX_STEP_TOKENS:
        raise InputError(
            "bad-tokens",
            "a decode step takes few tokens of one sequence",
            where="tokens",
            demand=tokens,
            bound=MAX_STEP_TOKENS,
            unit="tokens",
            hints=["take fewer tokens", "compile a prefill"],
        )
    if phase == "decode" and context < 1:
        raise InputError(
            "bad-context",
            f"decode needs cached tokens, not {context}",
            where="context",
            hints=["set context to at least 1"],
        )
    _check_batch(phase, tokens, batch)
    for family in families_of(config):
        family.check_shape(config, phase, tokens, batch)
    if tokens + context > config.max_context:
        raise InputError(
            "context-too-long",
            f"context past the limit of {config.public_name}",
            where=config.name,
            demand=tokens + context,
            bound=config.max_context,
            unit="tokens",
            hints=["shorten the context"],
        )


def _check_batch(phase: str, tokens: int, batch: int) -> None:
    if batch < 1:
        raise InputError("bad-batch", f"{batch} sequences asked for", where="batch", hints=["ask for at least 1"])
    if phase != "decode" or batch == 1:
        return
    if batch > MAX_STEP_TOKENS:
        raise InputError(
            "bad-batch",
            "a decode step takes few sequences",
            where="batch",
            demand=batch,
            bound=MAX_STEP_TOKENS,
            unit="sequences",
            hints=["take fewer sequences"],
        )
    if tokens > 1:
        raise InputError(
            "bad-batch",
            f"a decode step of a batch takes one token of each sequence, not {tokens}",
            where="batch",
            hints=["set tokens to 1", "set batch to 1"],
        )


def size_of(phase: str, tokens: int, context: int, batch: int = 1, cards: int = 1) -> str:
    """A block's shape as part of a name.

    >>> size_of("prefill", 32, 0), size_of("decode", 1, 64), size_of("decode", 4, 64), size_of("decode", 1, 64, 4)
    ('n32', 'c64', 'c64-n4', 'c64-b4')
    >>> size_of("decode", 1, 64, cards=2)
    'c64-2cards'
    """
    size = f"n{tokens}" if phase == "prefill" else f"c{context}" if tokens == 1 else f"c{context}-n{tokens}"
    size = size if batch == 1 else f"{size}-b{batch}"
    return size if cards == 1 else f"{size}-{cards}cards"


def check_head(phase: str) -> None:
    """Refuse a head behind all tokens of a prompt, of which only the last is asked for.

    Raises:
        InputError: another phase than decode.
    """
    if phase != "decode":
        raise InputError(
            "head-of-prefill",
            "the head follows one token, a prefill has many",
            where="head",
            hints=["compile a decode step with the head", "leave the head of a prefill to the host"],
        )


def block_program(
    config: DecoderConfig,
    phase: Phase,
    tokens: int,
    context: int,
    *,
    head: bool = False,
    batch: int = 1,
    cards: int = 1,
) -> TorchProgram:
    """One decoder block on the meta device: shapes, no weights.

    With ``head`` what follows the last of them comes behind it.  A batch has ``tokens`` of each sequence.  Of several
    cards each has arguments and results of its own (:mod:`sttest.models.cards`).

    Raises:
        InputError: see :func:`check_shape` and :func:`check_cards`; the head of a prefill.
    """
    check_shape(config, phase, tokens, context, batch)
    check_cards(config, cards, head=head)
    if head:
        check_head(phase)
    family = family_of(config)
    own_program = family.own_program(config, context, head=head)
    if own_program is not None:
        return own_program
    import torch

    from sttest.models.blocks import DecodeBlock, PrefillBlock
    from sttest.models.card_blocks import CardBlocks
    from sttest.models.head import DecodeBlockWithHead

    prefill, rows = phase == "prefill", batch * tokens
    sequences = () if batch == 1 else (batch,)
    kind = PrefillBlock if prefill else DecodeBlockWithHead if head else DecodeBlock
    with torch.device("meta"):
        module = kind(config) if cards == 1 else CardBlocks(config, cards, PrefillBlock if prefill else DecodeBlock)
        inputs = {"x": torch.empty(rows, config.hidden)}
        inputs["mask"] = torch.empty(*sequences, *_mask_shape(phase, tokens, context))
        if config.rope_theta is not None:
            inputs["rope"] = torch.empty(rows, 2, 2, config.head_dim // 2)
        if not prefill:
            cache_shape = (*sequences, share_of(config, cards).kv_heads, context, config.head_dim)
            inputs |= {name: torch.empty(cache_shape) for name in ("k_cache", "v_cache")}
            if tokens > 1:
                inputs["mask_new"] = torch.empty(tokens, tokens)
        if head:
            inputs["token_ids"] = torch.empty(head_columns(config))
    attributes: dict[str, str | int | tuple[str, ...]] = {
        "model": config.name,
        "phase": phase,
        "tokens": tokens,
        "context": context,
    }
    if batch > 1:
        attributes["batch"] = batch
    if cards > 1:
        attributes["cards"] = cards
    own = _of_cards([name for name in inputs if name in config.inputs_per_layer], cards)
    if own:
        attributes["inputs_per_layer"] = own
    caches = () if prefill else _of_cards(("k_cache", "v_cache"), cards)
    results = _of_cards(("y", "k_new", "v_new", *(("logits", "token") if head else ())), cards)
    taken = {on_card(name, card): tensor for card in range(cards) for name, tensor in inputs.items()}
    return family.added(config, TorchProgram(module.eval(), taken, caches, results, attributes))


def _of_cards(names: Iterable[str], cards: int) -> tuple[str, ...]:
    return tuple(on_card(name, card) for card in range(cards) for name in names)


def _mask_shape(phase: Phase, tokens: int, context: int) -> tuple[int, ...]:
    if phase == "prefill":
        return tokens, tokens
    return (context,) if tokens == 1 else (tokens, context)
