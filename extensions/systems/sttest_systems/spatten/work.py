"""What a decode step of pruned attention does, head by head: which keys it reads, which twice, and which values.

A head reads the keys of the tokens that are left, their high bits first.  If its largest probability is below a
threshold, it reads their low bits too and computes its probabilities again.  It reads the values of its most probable
tokens alone.  Probabilities add up to the importance of tokens, magnitudes of outputs to that of heads; after a layer,
the most important ones go on to the next.  All three choices are searches of a top-k engine.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError
from sttest_systems.spatten.top_k import Integers, Selection, TopKFormat, select

PROBABILITY_BITS, IMPORTANCE_BITS = 16, 32
ONE = (1 << PROBABILITY_BITS) - 1
"""The probability 1."""


@dataclass(frozen=True)
class HeadWork:
    """A head of a layer."""

    again: bool  # whether it reads the low bits of its keys
    values: Integers  # tokens whose values it reads, rising
    search: Selection | None  # the search for them; None where all are read


@dataclass(frozen=True)
class LayerWork:
    """A layer."""

    tokens: Integers  # tokens whose keys its heads read, rising: places in the cache
    heads: tuple[HeadWork, ...]
    token_search: Selection | None = None  # the search for the tokens of the next layer, after the last head
    head_search: Selection | None = None  # the search for the heads of the next layer

    @property
    def keys(self) -> int:
        """Keys that each head reads."""
        return self.tokens.size


@dataclass(frozen=True)
class LayerCounts:
    """How much of a layer is left: a schedule of pruning."""

    heads: int  # heads
    keys: int  # tokens whose keys they read
    values: int  # values that each head reads
    again: int = 0  # heads that read low bits of keys

    def __post_init__(self) -> None:
        if not (0 < self.values <= self.keys and 0 <= self.again <= self.heads and self.heads > 0):
            raise InputError("bad-counts", f"{self}", where="pruning", hints=["keep at least one of each"])


def engine_of(scores: int, lanes: int, bits: int = PROBABILITY_BITS) -> TopKFormat:
    """An engine with room for so many scores."""
    return TopKFormat(lanes, -(-scores // lanes), bits)


def drawn_step(layers: Sequence[LayerCounts], context: int, lanes: int, seed: int, deviation: float) -> list[LayerWork]:
    """A step with given counts, over scores that are drawn: softmax of normal logits, and their sums.

    Args:
        layers: what is left of each layer.
        context: tokens in the cache.
        lanes: scores that the engines compare per cycle.
        seed: of the scores, and of what earlier steps have pruned.
        deviation: of the logits.

    Raises:
        InputError: a layer that has more tokens or heads than the one before.
    """
    rng = np.random.default_rng(seed)
    engine, wide = engine_of(context, lanes), engine_of(context, lanes, IMPORTANCE_BITS)
    tokens = np.sort(rng.permutation(context)[: layers[0].keys])
    importance, found = np.zeros(context, np.int64), list[LayerWork]()
    for number, counts in enumerate(layers):
        heads = list[HeadWork]()
        repeated = set(rng.permutation(counts.heads)[: counts.again].tolist())
        for head in range(counts.heads):
            scores = probabilities(rng.normal(0, deviation, counts.keys))
            importance[tokens] += scores
            search = select(scores, counts.values, engine) if counts.values < counts.keys else None
            heads.append(HeadWork(head in repeated, tokens if search is None else tokens[search.places], search))
        after = layers[number + 1] if number + 1 < len(layers) else counts
        if after.keys > counts.keys or after.heads > counts.heads:
            raise InputError("pruned-comes-back", f"layer {number + 1} has more than layer {number}", where="pruning")
        token_search = select(importance[tokens], after.keys, wide) if after.keys < counts.keys else None
        sums = rng.integers(0, ONE, counts.heads)
        head_search = select(sums, after.heads, engine_of(counts.heads, lanes)) if after.heads < counts.heads else None
        found.append(LayerWork(tokens, tuple(heads), token_search, head_search))
        tokens = tokens if token_search is None else tokens[token_search.places]
    return found


def probabilities(logits: NDArray[np.float64]) -> Integers:
    """Softmax as unsigned integers, 1 as :data:`ONE`."""
    shares = np.exp(logits - logits.max())
    return np.rint(shares / shares.sum() * ONE).astype(np.int64)


def dense_step(layers: int, heads: int, context: int) -> list[LayerWork]:
    """A step that reads all keys and all values of all heads."""
    tokens = np.arange(context)
    return [LayerWork(tokens, (HeadWork(False, tokens, None),) * heads) for _ in range(layers)]


@dataclass(frozen=True)
class Widths:
    """Bits of an element in memory."""

    key: int  # bits of the part of a key that is always read
    low: int  # bits of the part that is read on demand
    value: int

    def vector_bytes(self, dim: int) -> tuple[int, int, int]:
        """Bytes of a head's key, of its low part, and of its value."""
        return -(-self.key * dim // 8), -(-self.low * dim // 8), -(-self.value * dim // 8)


def bytes_read(step: Sequence[LayerWork], widths: Widths, dim: int) -> tuple[int, int, int]:
    """Bytes that a step needs of keys, of their low parts, and of values, whatever memory moves for them."""
    key, low, value = widths.vector_bytes(dim)
    keys = sum(layer.keys * len(layer.heads) for layer in step)
    again = sum(layer.keys * sum(head.again for head in layer.heads) for layer in step)
    values = sum(head.values.size for layer in step for head in layer.heads)
    return keys * key, again * low, values * value
