"""Shapes of language models around a known one: how many parameters, what loss to expect, and which is chosen.

The loss is a published law of parameters and tokens.  It knows no shape: of two models with as many parameters it has
one opinion, so that what it is good for here is how many parameters a latency buys.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import exp

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.parameters import block_parameters

CHINCHILLA = "Hoffmann et al., Training compute-optimal large language models, arXiv 2203.15556, equation 10"
_FLOOR, _OF_PARAMETERS, _OF_TOKENS = 1.69, (406.4, 0.34), (410.7, 0.28)
FFN_MULTIPLE = 128
"""Widths of feed-forward networks are whole groups of rows under a scale."""


@dataclass(frozen=True)
class LayerShape:
    """What a layer is made of; every layer of a model is alike."""

    hidden: int
    kv_heads: int
    ffn: int

    def config(self, base: DecoderConfig) -> DecoderConfig:
        """A model of this shape with the head size, vocabulary and everything else of another.

        Raises:
            InputError: heads do not divide the width, or do not share keys and values evenly.
        """
        if self.hidden % base.head_dim:
            raise InputError(
                "bad-config",
                f"heads of {base.head_dim} do not divide a width of {self.hidden}",
                where="architecture",
                hints=[f"take a multiple of {base.head_dim}"],
            )
        name = f"{base.name}-{self.hidden}-{self.kv_heads}-{self.ffn}"
        return replace(
            base,
            name=name,
            public_name=name,
            hidden=self.hidden,
            heads=self.hidden // base.head_dim,
            kv_heads=self.kv_heads,
            ffn=self.ffn,
            ffn_padding=0,
            source=f"shape of a sweep around {base.public_name}",
        )


def layer_shapes(base: DecoderConfig, widths: Sequence[int], ratios: Sequence[float]) -> Iterator[LayerShape]:
    """All combinations of widths, of shared keys and values, and of feed-forward ratios.

    Keys and values are those of each query head, of every second one, or there are two of them.

    Args:
        base: the model that the head size is taken from.
        widths: widths of the residual stream.
        ratios: width of the feed-forward network over that of the residual stream, rounded to 128.
    """
    for hidden, ratio in product(widths, ratios):
        heads = hidden // base.head_dim
        ffn = max(1, round(hidden * ratio / FFN_MULTIPLE)) * FFN_MULTIPLE
        for kv_heads in sorted({heads, heads // 2, 2}):
            yield LayerShape(hidden, kv_heads, ffn)


def model_parameters(config: DecoderConfig) -> int:
    """Parameters of a whole model with rotary positions: layers, embeddings (once if tied), the last norm.

    >>> from sttest.models.registry import get_config
    >>> model_parameters(get_config("qwen"))
    494032768
    """
    tables = (1 if config.tied_embeddings else 2) * config.vocab * config.hidden
    return config.layers * block_parameters(config) + tables + config.hidden


def expected_loss(parameters: float, tokens: float) -> float:
    """Loss per token in nats by the law of Hoffmann et al., as published: 1.69 + 406.4 / N^0.34 + 410.7 / D^0.28.

    >>> round(expected_loss(70e9, 1.4e12), 3)
    1.937
    """
    (a, alpha), (b, beta) = _OF_PARAMETERS, _OF_TOKENS
    return _FLOOR + a / parameters**alpha + b / tokens**beta


@dataclass(frozen=True)
class Candidate:
    """A model with its latencies."""

    shape: LayerShape
    layers: int
    parameters: int
    simulated_us: float
    roofline_us: float

    @property
    def label(self) -> str:
        """As tables name it."""
        each = self.shape
        return f"{each.hidden} wide, {self.layers} layers, {each.kv_heads} KV heads, FFN {each.ffn:,}"


def front(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that no other one beats in both simulated latency and parameters, the fastest first."""
    kept: list[Candidate] = []
    for each in sorted(candidates, key=lambda one: (one.simulated_us, -one.parameters)):
        if not kept or each.parameters > kept[-1].parameters:
            kept.append(each)
    return kept


def largest(candidates: Sequence[Candidate], budget_us: float, *, by_roofline: bool = False) -> Candidate:
    """The model with most parameters, and so the least expected loss, within a latency; the faster of equal ones.

    Raises:
        InputError: none is within it.
    """

    def latency(each: Candidate) -> float:
        return each.roofline_us if by_roofline else each.simulated_us

    within = [each for each in candidates if latency(each) <= budget_us]
    if not within:
        raise InputError(
            "no-architecture",
            "no architecture is that fast",
            where="architectures",
            demand=budget_us,
            bound=min(map(latency, candidates)),
        )
    return max(within, key=lambda each: (each.parameters, -latency(each)))


@dataclass(frozen=True)
class Regret:
    """What it costs to choose by the roofline the fastest model of a size."""

    chosen: Candidate
    best: Candidate
    of: int  # models of that size

    @property
    def share(self) -> float:
        """How much longer the chosen one takes in simulation; 0 is nothing."""
        return self.chosen.simulated_us / self.best.simulated_us - 1


def regret(candidates: Sequence[Candidate], parameters: float, within: float) -> Regret:
    """The regret among models whose parameters are as many, give or take a share.

    Args:
        candidates: all models.
        parameters: number of parameters asked for.
        within: share by which a model may have more or fewer.

    Raises:
        InputError: there is none.
    """
    alike = [each for each in candidates if abs(each.parameters / parameters - 1) <= within]
    if not alike:
        raise InputError(
            "no-architecture",
            f"no architecture has about {parameters:,.0f} parameters",
            where="architectures",
            hints=["ask for more or fewer, or take a larger share"],
        )
    chosen = min(alike, key=lambda each: (each.roofline_us, each.simulated_us))
    return Regret(chosen, min(alike, key=lambda each: each.simulated_us), len(alike))


def perplexity_saved(ours: int, theirs: int) -> float:
    """Share by which perplexity is lower with more parameters and as many tokens, whose term cancels."""
    return 1 - exp(expected_loss(ours, 1e10) - expected_loss(theirs, 1e10))
