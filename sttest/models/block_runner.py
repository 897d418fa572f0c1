"""Greedy generation whose blocks run elsewhere: on a card, in a C simulation, or in any other engine.

The host's part stays here: embedding before the layers; final norm, head and choice of a token after them, unless
the engine has those too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sttest.models.generate import Generation, check_request
from sttest.sim.functional.element_types import Array

if TYPE_CHECKING:
    from torch import Tensor

    from sttest.models.language_model import LanguageModel


class Chosen(NamedTuple):
    """What an engine with a head says of the next token: logits [vocab], and the most likely."""

    logits: Array
    token: int


class BlockRunner(Protocol):
    """Decoder blocks of one generation; the runner keeps the cache of every layer."""

    def prefill(self, layer: int, x: Array) -> Array:
        """The prompt's tokens through a layer: float32 [tokens, hidden] to the same shape."""
        ...

    def decode(self, layer: int, x: Array) -> Array:
        """The next token through a layer, whose cache has all before it: float32 [1, hidden] to the same shape."""
        ...

    @property
    def chosen(self) -> Chosen | None:
        """What the head behind the last layer gave; None where the host has the head."""
        ...


def generate_with(
    model: LanguageModel, runner: BlockRunner, prompt: Sequence[int], new_tokens: int, *, by_decode: bool = False
) -> Generation:
    """Continues a prompt by its most likely tokens, as `sttest.models.generate.generate` does.

    Args:
        model: quantised as the blocks are; its layers are not used.
        runner: of the blocks.
        prompt: token numbers.
        new_tokens: how many to generate, at least 1; the first comes from the prefill.
        by_decode: the runner's prefill is not called; the prompt goes through decode steps, token by token.

    Raises:
        InputError: an empty prompt, a token that is not in the vocabulary, or more positions than the model has.
    """
    check_request(model.config, prompt, new_tokens)
    import torch

    from sttest.models.host import greedy

    def after(x: Tensor, run: Callable[[int, Array], Array]) -> tuple[Tensor, int]:
        values = x.numpy()
        for layer in range(model.config.layers):
            values = run(layer, values)
        if runner.chosen is not None:
            return torch.tensor(runner.chosen.logits), runner.chosen.token
        logits = model.logits(torch.from_numpy(values[-1:]))[0]
        return logits, greedy(logits)

    def step(token: int, position: int) -> tuple[Tensor, int]:
        return after(model.embedding([token], position), runner.decode)

    with torch.no_grad():
        if by_decode:
            steps = [[step(token, position) for position, token in enumerate(prompt)][-1]]
        else:
            steps = [after(model.embedding(prompt, 0), runner.prefill)]
        while len(steps) < new_tokens:
            steps.append(step(steps[-1][1], len(prompt) + len(steps) - 1))
    return Generation(tuple(token for _, token in steps), torch.stack([logits for logits, _ in steps]))
