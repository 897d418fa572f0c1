"""Greedy generation whose blocks run elsewhere: on a card, in a C simulation, or in another engine.

The host embeds tokens before the layers; it also computes final norm, head and choice after them, unless the engine
has a head.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from sttest.models.batch import run_decode_batch, run_prefill_batch
from sttest.models.blocks import run_decode, run_prefill
from sttest.models.language_model import GeneratedTokens, LanguageModel, check_request
from sttest.models.layers import greedy
from sttest.models.quant.block import decode_twin
from sttest.models.quant.contraction import DefinedOrder
from sttest.reference.graph import Array, Bytes
from sttest.runtime.design_memory import BlockMemory, BlockResult, CacheSide, SequenceStep


class NextToken(NamedTuple):
    """The next token from an engine with a head: logits [vocab], and the most likely token."""

    logits: Array
    token: int


class BlockRunner(Protocol):
    """Runs the decoder blocks of one generation and keeps the cache of every layer."""

    def prefill(self, layer: int, x: Array) -> Array:
        """Run the prompt through a layer: float32 [tokens, hidden] to the same shape."""
        ...

    def decode(self, layer: int, x: Array) -> Array:
        """Run the next token through a layer, whose cache has all before it: float32 [1, hidden] to the same shape."""
        ...

    @property
    def chosen(self) -> NextToken | None:
        """Result of the head after the last layer; None where the host has the head."""
        ...


def generate_with(
    model: LanguageModel, runner: BlockRunner, prompt: Sequence[int], new_tokens: int, *, by_decode: bool = False
) -> GeneratedTokens:
    """Continue a prompt by its most likely tokens, as `sttest.models.language_model.generate` does.

    Args:
        model: model, quantized as the blocks are; its layers are not used.
        runner: engine that runs the blocks.
        prompt: token ids.
        new_tokens: tokens to generate, at least 1; the first comes from the prefill.
        by_decode: process the prompt in decode steps, token by token, instead of a prefill.

    Raises:
        InputError: an empty prompt, a token that is not in the vocabulary, or more positions than the model has.
    """
    check_request(model.config, prompt, new_tokens)

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
    return GeneratedTokens(tuple(token for _, token in steps), torch.stack([logits for logits, _ in steps]))


# --- One decoder block with seeded inputs and its golden results: the smallest run that shows whether a design is right


@dataclass(frozen=True)
class SeededBlock:
    """Inputs of a block and its golden results."""

    inputs: dict[str, Bytes]  # images of all loads but the parameters'
    golden: BlockResult  # results of the fake-quantized block in the order of a design, to the bit
    tokens: int  # tokens of each sequence in the results


def seeded_prefill(memory: BlockMemory, block: nn.Module, tokens: int, seed: int) -> SeededBlock:
    """A prefill of random activations.

    Args:
        memory: memory of the design with the block's parameters.
        block: fake-quantized prefill block.
        tokens: tokens of the prompt, at most what the design has room for.
        seed: seed of the activations.

    Raises:
        InputError: the design has no room for so many tokens.
    """
    config, kind, prompts = memory.config, memory.layer_kind, _activations(memory, tokens, seed)
    with torch.no_grad(), DefinedOrder():
        if memory.batch is None:
            golden = run_prefill(block, config, prompts[0], kind)
        else:
            golden = run_prefill_batch(block, config, prompts, tokens, kind)
    return _seeded(memory, memory.prefill(*(prompt.numpy() for prompt in prompts)), golden, tokens)


def seeded_decode(memory: BlockMemory, block: nn.Module, context: int, seed: int, *, tokens: int = 1) -> SeededBlock:
    """A decode step of random tokens after ``context`` random ones; see :func:`seeded_prefill`."""
    config, kind = memory.config, memory.layer_kind
    before, now = zip(
        *(each.split([context, tokens]) for each in _activations(memory, context + tokens, seed)), strict=True
    )
    twin = decode_twin(config, block)
    with torch.no_grad(), DefinedOrder():
        caches = [run_prefill(block, config, each, kind)[1:3] for each in before]
        if memory.batch is None:
            golden = run_decode(twin, config, now[0], caches[0], context, kind)
        else:
            golden = run_decode_batch(twin, config, now, caches, context, kind)
    steps = [SequenceStep(x.numpy(), *map(CacheSide.of, cache)) for x, cache in zip(now, caches, strict=True)]
    return _seeded(memory, memory.decode_batch(steps), golden, tokens)


def _activations(memory: BlockMemory, tokens: int, seed: int) -> list[Tensor]:
    """Of every sequence, float32 [tokens, hidden]."""
    random = np.random.default_rng(seed)
    shape = (tokens, memory.config.hidden)
    return [torch.from_numpy(random.standard_normal(shape, np.float32)) for _ in range(memory.batch or 1)]


def _seeded(memory: BlockMemory, images: dict[str, Bytes], golden: Any, tokens: int) -> SeededBlock:
    inputs = {name: image for name, image in images.items() if name not in memory.parameter_images}
    return SeededBlock(inputs, BlockResult.of(golden), tokens)


def largest_difference(found: BlockResult, golden: BlockResult) -> float:
    """Largest absolute difference of any element of two block results; 0 where they are equal to the bit."""
    pairs = [(array, golden.named[name]) for name, array in found.named.items() if name in golden.named]
    return max(float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max()) for a, b in pairs)
