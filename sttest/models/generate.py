"""Greedy generation: the prompt by one prefill, or by decode steps; then one decode step per further token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sttest.errors import InputError
from sttest.models.config import DecoderConfig

if TYPE_CHECKING:
    from torch import Tensor

    from sttest.models.language_model import LanguageModel


@dataclass(frozen=True)
class Generation:
    """What a model said.

    Attributes:
        tokens: the generated ones, without the prompt.
        logits: [len(tokens), vocab], those that each token was chosen from.
    """

    tokens: tuple[int, ...]
    logits: Tensor


def generate(model: LanguageModel, prompt: Sequence[int], new_tokens: int, *, by_decode: bool = False) -> Generation:
    """Continue a prompt by its most likely tokens: the first comes from the prefill, each further one from a decode.

    Args:
        model: quantised or not.
        prompt: token numbers.
        new_tokens: how many to generate, at least 1.
        by_decode: no prefill; the prompt goes through decode steps, token by token.

    Raises:
        InputError: an empty prompt, a token that is not in the vocabulary, or more positions than the model has.
    """
    check_request(model.config, prompt, new_tokens)
    import torch

    from sttest.models.host import greedy

    logits, cache = model.prefill_by_decode(prompt) if by_decode else model.prefill(prompt)
    chosen, seen = [greedy(logits)], [logits]
    while len(chosen) < new_tokens:
        logits, cache = model.decode(chosen[-1], cache)
        chosen.append(greedy(logits))
        seen.append(logits)
    return Generation(tuple(chosen), torch.stack(seen))


def check_request(config: DecoderConfig, prompt: Sequence[int], new_tokens: int) -> None:
    """Refuses what no engine could generate.

    Raises:
        InputError: see :func:`generate`.
    """
    if not prompt:
        raise InputError("bad-prompt", "the prompt is empty", where="prompt", levers=["give at least one token"])
    if new_tokens < 1:
        raise InputError(
            "bad-tokens", f"{new_tokens} tokens asked for", where="new_tokens", levers=["ask for at least 1"]
        )
    strange = next((token for token in prompt if not 0 <= token < config.vocab), None)
    if strange is not None:
        levers = [f"use tokens from 0 to {config.vocab - 1}"]
        raise InputError("bad-prompt", f"there is no token {strange}", where=config.name, levers=levers)
    # The last token is chosen but never fed back.
    positions = len(prompt) + new_tokens - 1
    if positions > config.max_context:
        raise InputError(
            "context-too-long", f"context past the limit of {config.public_name}", where=config.name,
            demand=positions, bound=config.max_context, unit="tokens", levers=["shorten the prompt or the answer"],
        )  # fmt: skip
