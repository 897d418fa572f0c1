"""How good a quantized language model still is: perplexity, divergence and agreement on a text, noise by layer.

Everything is of *windows*: stretches of a text, each run by itself from position 0 on, of which every token but the
first is predicted.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from sttest.core.errors import InputError
from sttest.models.blocks import run_prefill
from sttest.models.language_model import LanguageModel

_ROWS = 64
"""Positions whose logits are held at a time: of a vocabulary of 150,000, 40 MB a model."""


def windows_of(tokens: Sequence[int], windows: int, length: int, before: Sequence[int] = ()) -> list[list[int]]:
    """The first windows of a text, one after the other.

    Args:
        tokens: the text.
        windows: how many.
        length: tokens of each, ``before`` included.
        before: tokens that every window begins with, such as that of a text's beginning.

    Raises:
        InputError: a window of fewer than two tokens, or a text that is too short.
    """
    step = length - len(before)
    if length < 2 or step < 1 or windows < 1:
        hints = ["give --windows 1 or more and --window-length 2 or more"]
        raise InputError(
            "bad-window", f"{windows} windows of {length} tokens predict nothing", where="text", hints=hints
        )
    if len(tokens) < windows * step:
        raise InputError(
            "text-too-short",
            f"the text does not fill {windows} windows of {step} tokens",
            where="text",
            demand=windows * step,
            bound=len(tokens),
            unit="tokens",
            hints=["give a longer text", "ask for fewer"],
        )
    return [[*before, *tokens[start : start + step]] for start in range(0, windows * step, step)]


@dataclass
class _Noise:
    """Energies of a layer's output and of what quantization adds to it, summed over windows."""

    signal: float = 0.0
    noise: float = 0.0

    def add(self, wanted: Tensor, found: Tensor) -> None:
        self.signal += float((wanted.double() ** 2).sum())
        self.noise += float(((wanted - found).double() ** 2).sum())

    @property
    def sqnr_db(self) -> float:
        if self.noise == 0.0:
            return math.inf
        return 10.0 * math.log10(self.signal / self.noise) if self.signal else -math.inf


@dataclass(frozen=True)
class Quality:
    """A model on a text; what compares, compares with the model in floating point."""

    predictions: int  # tokens that were predicted
    perplexity: float  # e to the mean negative log-likelihood, in nats, of each next token
    reference_perplexity: float  # the same of the model in floating point
    kl_nats: float  # mean divergence of the predicted distributions from those in floating point
    agreement: float  # share of positions at which both hold the same token for the most likely one
    # decibels of the residual stream behind each layer, the first layer first
    sqnr_db: tuple[float, ...] = field(default=())

    @property
    def loss(self) -> float:
        """By how much perplexity grew, as a share: 0.03 is 3 %."""
        return self.perplexity / self.reference_perplexity - 1


def evaluate(
    model: LanguageModel,
    quantized: LanguageModel,
    windows: Sequence[Sequence[int]],
    progress: Callable[[str], None] = lambda _step: None,
) -> Quality:
    """Run both models over every window, layer by layer beside each other.

    Memory holds both models, the activations of one window, and the logits of 64 positions.

    Args:
        model: the model in floating point.
        quantized: its fake-quantized copy, or itself.
        windows: tokens, two at least in each.
        progress: called with the window, and its layer, that is run next.
    """
    layers = [_Noise() for _ in model.layers]
    predictions, nll, reference_nll, divergence, same = 0, 0.0, 0.0, 0.0, 0
    for number, tokens in enumerate(windows, 1):
        wanted, found = (each.embedding(tokens, 0).detach() for each in (model, quantized))
        for layer, noise in enumerate(layers):
            progress(f"window {number} of {len(windows)}, layer {layer + 1} of {len(layers)}")
            wanted = _layer(model, layer, wanted)
            found = wanted if quantized is model else _layer(quantized, layer, found)
            noise.add(wanted, found)
        progress(f"window {number} of {len(windows)}, logits")
        for rows in _parts(len(tokens) - 1):
            expected = _log_probabilities(model, wanted[rows])
            ours = expected if quantized is model else _log_probabilities(quantized, found[rows])
            following = torch.tensor(tokens[1:])[rows].unsqueeze(-1)
            predictions += len(following)
            nll -= float(ours.gather(-1, following).sum())
            reference_nll -= float(expected.gather(-1, following).sum())
            divergence += float((expected.exp() * (expected - ours)).sum())
            same += int((expected.argmax(-1) == ours.argmax(-1)).sum())
    return Quality(
        predictions,
        math.exp(nll / predictions),
        math.exp(reference_nll / predictions),
        divergence / predictions,
        same / predictions,
        tuple(noise.sqnr_db for noise in layers),
    )


def _layer(model: LanguageModel, number: int, x: Tensor) -> Tensor:
    with torch.no_grad():
        return run_prefill(model.layers[number], model.config, x, model.config.layer_kind(number))[0]


def _parts(count: int) -> Iterator[slice]:
    for start in range(0, count, _ROWS):
        yield slice(start, min(start + _ROWS, count))


def _log_probabilities(model: LanguageModel, x: Tensor) -> Tensor:
    """[n, hidden] to float64 [n, vocab]: sums over a vocabulary keep their digits."""
    with torch.no_grad():
        return torch.log_softmax(model.logits(x).double(), -1)
