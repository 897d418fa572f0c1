"""Greedy generation whose blocks run elsewhere: on a card, in a C simulation, or in any other engine.

The host's part stays here: embedding before the layers; final norm, head and choice of a token after them, unless
the engine has those too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from sttest.models.language_model import Generation, check_request
from sttest.models.tables import decode_inputs, prefill_mask, rope_table
from sttest.reference.graph import Array, Bytes
from sttest.runtime.design_memory import BlockMemory, BlockResult, CacheSide

if TYPE_CHECKING:
    from torch import Tensor, nn

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
    """Continues a prompt by its most likely tokens, as `sttest.models.language_model.generate` does.

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

    from sttest.models.layers import greedy

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


# --- One decoder block with seeded inputs and what it must give: the smallest run that shows whether a design is right


@dataclass(frozen=True)
class SeededBlock:
    """Inputs and the golden results.

    Attributes:
        inputs: images of all loads but the parameters'.
        golden: of the fake-quantised block in the order of a design, to the bit.
        tokens: of the results.
    """

    inputs: dict[str, Bytes]
    golden: BlockResult
    tokens: int


def seeded_prefill(memory: BlockMemory, block: nn.Module, tokens: int, seed: int) -> SeededBlock:
    """A prompt of random activations.

    Args:
        memory: of the design with the block's parameters.
        block: the fake-quantised prefill block.
        tokens: of the prompt, at most what the design has.
        seed: of the activations.

    Raises:
        InputError: a design without so much room.
    """
    x = _activations(memory, tokens, seed)
    images = memory.prefill(x)
    golden = _golden_prefill(memory, block, x)
    return SeededBlock(_without_parameters(memory, images), _plain(golden), tokens)


def seeded_decode(memory: BlockMemory, block: nn.Module, context: int, seed: int, *, tokens: int = 1) -> SeededBlock:
    """Tokens, one or as many as the design has, that follow ``context`` random ones; see :func:`seeded_prefill`."""
    import torch

    from sttest.models.quant.block import decode_twin
    from sttest.models.quant.contraction import DefinedOrder

    x = _activations(memory, context + tokens, seed)
    before, now = x[:context], x[context:]
    _, keys, values = _golden_prefill(memory, block, before)
    tables = decode_inputs(memory.config, context, tokens, memory.layer_kind)
    with torch.no_grad(), DefinedOrder():
        golden = decode_twin(memory.config, block)(
            x=torch.from_numpy(now), k_cache=keys, v_cache=values,
            **{name: torch.from_numpy(table) for name, table in tables.items()},
        )  # fmt: skip
    images = memory.decode(now, _side(keys), _side(values))
    return SeededBlock(_without_parameters(memory, images), _plain(golden), tokens)


def largest_difference(found: BlockResult, golden: BlockResult) -> float:
    """Of all elements of a block's results: 0 where they are the same to the bit."""
    pairs = [(found.y, golden.y)]
    for ours, theirs in ((found.k_new, golden.k_new), (found.v_new, golden.v_new)):
        pairs.append((ours.values, theirs.values))
        if theirs.scales is not None and ours.scales is not None:
            pairs.append((ours.scales, theirs.scales))
    return max(float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max()) for a, b in pairs)


def _activations(memory: BlockMemory, tokens: int, seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal((tokens, memory.config.hidden), np.float32)


def _golden_prefill(memory: BlockMemory, block: nn.Module, x: Array) -> Any:
    import torch

    from sttest.models.quant.contraction import DefinedOrder

    mask = torch.from_numpy(prefill_mask(memory.config, len(x), memory.layer_kind))
    with torch.no_grad(), DefinedOrder():
        return block(x=torch.from_numpy(x), mask=mask, **_rope(memory, range(len(x))))


def _rope(memory: BlockMemory, positions: Any) -> dict[str, Any]:
    import torch

    if memory.config.rope_theta is None:
        return {}
    return {"rope": torch.from_numpy(rope_table(memory.config, positions, memory.layer_kind))}


def _plain(result: Any) -> BlockResult:
    """Tensors of PyTorch as arrays."""
    y, keys, values = result
    return BlockResult(y.numpy(), _side(keys), _side(values))


def _side(side: Any) -> CacheSide:
    if hasattr(side, "scales"):
        return CacheSide(side.values.numpy(), side.scales.numpy())
    return CacheSide(side.numpy())


def _without_parameters(memory: BlockMemory, images: dict[str, Bytes]) -> dict[str, Bytes]:
    return {name: image for name, image in images.items() if name not in memory.parameter_images}
