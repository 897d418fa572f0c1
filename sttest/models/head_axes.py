"""Axes of attention: [n, kv, (group,) ...] per query, [kv, m, ...] in a cache; of several sequences [s, ...] each.

Query heads that share a key-value head lie beside each other in the group's axis, which is there where they are more
than one.
"""

from torch import Tensor


def over_heads(equation: str, cache: Tensor) -> str:
    """An ``einsum`` of queries with a cache [kv, m, d], for one per sequence, [s, kv, m, d], where it is that.

    >>> import torch
    >>> over_heads("nh...d,hmd->nh...m", torch.empty(2, 3, 4, 5))
    'snh...d,shmd->snh...m'
    """
    if cache.dim() == 3:
        return equation
    queries, others = equation.split(",")
    cached, out = others.split("->")
    return f"s{queries},s{cached}->s{out}"


def cache_beside(cache: Tensor, queries: Tensor) -> Tensor:
    """Keys or values [(s,) kv, m, d] so that they broadcast to products [(s,) n, kv, (group,) m, d]."""
    return _beside(cache, queries, is_grouped=queries.dim() > cache.dim(), has_sequences=cache.dim() == 4)


def scales_beside(scales: Tensor, queries: Tensor) -> Tensor:
    """What a cache has per position, [(s,) kv, m], so that it broadcasts to [(s,) n, kv, (group,) m]."""
    return _beside(scales, queries, is_grouped=queries.dim() > scales.dim() + 1, has_sequences=scales.dim() == 3)


def own_beside(own: Tensor, queries: Tensor) -> Tensor:
    """What a token has per key-value head, [..., n, kv, d], so that it broadcasts to [..., n, kv, (group,) d]."""
    return own.unsqueeze(-2) if queries.dim() > own.dim() else own


def _beside(cache: Tensor, queries: Tensor, *, is_grouped: bool, has_sequences: bool) -> Tensor:
    tokens = cache.unsqueeze(1) if has_sequences else cache
    if not is_grouped:
        return tokens
    heads = 2 if has_sequences else 0
    return tokens.unsqueeze(heads + 1)
