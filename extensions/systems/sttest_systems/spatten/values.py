"""Pruned attention with values: what a step keeps and reads again follows from its queries, keys and values.

Keys are integers whose high bits are read first.  Probabilities are integers of 16 bits, and what local pruning leaves
of them is not scaled up again, as in SpAtten.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError
from sttest_systems.spatten.top_k import Integers, Selection, largest, select
from sttest_systems.spatten.work import IMPORTANCE_BITS, ONE, HeadWork, LayerWork, engine_of, probabilities

Numbers = NDArray[np.float64]
HEAD_SCALE = 1 << 16
"""What the sum of magnitudes of a head's output is multiplied by before it becomes an integer."""


@dataclass(frozen=True)
class Cache:
    """A layer's query and its cache."""

    query: Numbers  # [heads, dim], scaled so that its product with a key is a logit
    keys: Integers  # [tokens, heads, dim]
    values: Numbers  # [tokens, heads, dim]


@dataclass(frozen=True)
class Rules:
    """What is pruned, and when keys are read again."""

    tokens: tuple[int, ...]  # tokens that are left, by layer
    heads: tuple[int, ...]  # heads that are left, by layer
    value_share: float  # share of the tokens that are left whose values a head reads
    low_bits: int  # bits of a key that are read on demand
    threshold: float  # a head whose largest probability is less reads them

    def values_of(self, keys: int) -> int:
        """Values that a head with so many keys reads."""
        return max(1, int(self.value_share * keys))


def attended_step(
    caches: Sequence[Cache], rules: Rules, lanes: int, importance: Integers
) -> tuple[list[LayerWork], list[Numbers]]:
    """Runs the layers of a step one after the other.

    Args:
        caches: query and cache of each layer.
        rules: what is pruned.
        lanes: scores that the top-k engines compare per cycle.
        importance: of all tokens after earlier steps; what this step adds is added to it.

    Returns:
        What each layer does, and its outputs [heads, dim], zeros of heads that are pruned.

    Raises:
        InputError: rules for another number of layers.
    """
    if not len(caches) == len(rules.tokens) == len(rules.heads):
        raise InputError("bad-rules", f"rules for {len(rules.tokens)} of {len(caches)} layers", where="pruning")
    tokens = largest(importance, rules.tokens[0])
    heads = np.arange(rules.heads[0])
    work, outputs = list[LayerWork](), list[Numbers]()
    for number, cache in enumerate(caches):
        output = np.zeros_like(cache.query)
        done = [_head(cache, head, tokens, rules, lanes, importance, output) for head in heads.tolist()]
        is_last = number + 1 == len(caches)
        left = (tokens.size, heads.size) if is_last else (rules.tokens[number + 1], rules.heads[number + 1])
        token_search = _search(importance[tokens], left[0], lanes)
        sums = np.rint(HEAD_SCALE * np.abs(output[heads]).sum(1)).astype(np.int64)
        head_search = _search(np.minimum(sums, (1 << IMPORTANCE_BITS) - 1), left[1], lanes)
        work.append(LayerWork(tokens, tuple(done), token_search, head_search))
        outputs.append(output)
        tokens = tokens if token_search is None else tokens[token_search.places]
        heads = heads if head_search is None else heads[head_search.places]
    return work, outputs


def _search(scores: Integers, kept: int, lanes: int) -> Selection | None:
    return select(scores, kept, engine_of(scores.size, lanes, IMPORTANCE_BITS)) if kept < scores.size else None


def _head(
    cache: Cache, head: int, tokens: Integers, rules: Rules, lanes: int, importance: Integers, output: Numbers
) -> HeadWork:
    """One head: writes its row of the output, and adds to the importance of tokens."""
    keys = cache.keys[tokens, head]
    scores = probabilities((keys >> rules.low_bits << rules.low_bits) @ cache.query[head])
    again = rules.low_bits > 0 and int(scores.max()) < rules.threshold * ONE
    if again:
        scores = probabilities(keys @ cache.query[head])
    importance[tokens] += scores
    kept = rules.values_of(tokens.size)
    search = select(scores, kept, engine_of(tokens.size, lanes)) if kept < tokens.size else None
    places = np.arange(tokens.size) if search is None else search.places
    output[head] = scores[places] / ONE @ cache.values[tokens[places], head]
    return HeadWork(again, tokens[places], search)


def drawn_caches(
    layers: int, heads: int, tokens: int, dim: int, key_bits: int, deviations: Sequence[float], seed: int
) -> list[Cache]:
    """Normal queries, keys and values, whose logits have a deviation by head.

    Args:
        layers: layers.
        heads: heads of each.
        tokens: tokens of each cache.
        dim: elements of a head.
        key_bits: bits of an element of a key, of which the largest magnitude is used.
        deviations: deviations of logits; heads take one after the other, over all layers.
        seed: of all numbers.
    """
    rng = np.random.default_rng(seed)
    most = (1 << (key_bits - 1)) - 1
    found = list[Cache]()
    for layer in range(layers):
        spread = np.array([deviations[(layer * heads + head) % len(deviations)] for head in range(heads)])
        keys = rng.normal(0, 1, (tokens, heads, dim))
        scale = most / np.abs(keys).max()
        query = rng.normal(0, 1, (heads, dim))
        query *= (spread / np.linalg.norm(query, axis=1) / scale)[:, None]
        found.append(Cache(query, np.rint(keys * scale).astype(np.int64), rng.normal(0, 1, (tokens, heads, dim))))
    return found
