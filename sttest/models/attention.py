"""Attention of a decoder block: prefill over n tokens, decode of one or a few tokens over a cache.

Heads lie as [kv_heads, group, ...] (as [kv_heads, ...] where the group is one
head): the query heads that share a key-value head meet its keys and values in
one contraction, so these are never copied.  Activations stay token-major;
keys and values have the cache's layout [kv_heads, positions, head_dim].

A batch of s sequences has a cache each, [s, kv_heads, positions, head_dim], and
a mask each; its tokens come sequence by sequence, x [s * n, hidden], so that
everything but attention takes them as tokens of one.
"""

from torch import Tensor, nn

from sttest.models.config import DecoderConfig
from sttest.models.layers import Linear, norm
from sttest.models.softmax import (
    EarlierTokens,
    JointSoftmax,
    Mix,
    Normalize,
    OwnScore,
    RunningSoftmax,
    Scores,
    Softmax,
    joined_by,
)

AttentionOutput = tuple[Tensor, Tensor, Tensor]


class Rope(nn.Module):
    """Turns each head by the table's 2x2 rotations, with neither slices nor concatenation."""

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        """[n, heads, head_dim] with a table [n, 2, 2, head_dim / 2]."""
        n, heads, head_dim = x.shape
        halves = x.view(n, heads, 2, head_dim // 2)
        return (halves.unsqueeze(2) * table.unsqueeze(1)).sum(3).view(n, heads, head_dim)


class CacheLayout(nn.Module):
    """Keys or values [(s,) n, kv, d] as the cache has them, [(s,) kv, n, d]."""

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return x.transpose(-3, -2)


class Projections(nn.Module):
    """Linear layers of attention; queries and keys normed and turned as the family has it."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        width, kv_width = config.heads * config.head_dim, config.kv_heads * config.head_dim
        self.config = config
        self.q_proj = Linear(config.hidden, width, bias=config.qkv_bias)
        self.k_proj = Linear(config.hidden, kv_width, bias=config.qkv_bias)
        self.v_proj = Linear(config.hidden, kv_width, bias=config.qkv_bias)
        self.q_norm = norm(config, config.head_dim) if config.qk_norm else None
        self.k_norm = norm(config, config.head_dim) if config.qk_norm else None
        self.q_rope = Rope() if config.rope_theta is not None else None
        self.k_rope = Rope() if config.rope_theta is not None else None
        self.k_new, self.v_new = CacheLayout(), CacheLayout()
        self.o_proj = Linear(width, config.hidden, bias=config.o_bias)

    def project(self, x: Tensor, rope: Tensor | None) -> AttentionOutput:
        """[n, hidden] to q [n, kv, (group,) d] and k, v [n, kv, d]."""
        n, kv, d = x.shape[0], self.config.kv_heads, self.config.head_dim
        q, k = self.q_proj(x).view(n, -1, d), self.k_proj(x).view(n, kv, d)
        if self.q_norm is not None and self.k_norm is not None:
            q, k = self.q_norm(q), self.k_norm(k)
        if self.q_rope is not None and self.k_rope is not None:
            q, k = self.q_rope(q, rope), self.k_rope(k, rope)
        if self.config.group > 1:
            q = q.view(n, kv, -1, d)
        return q, k, self.v_proj(x).view(n, kv, d)

    def output(self, attended: Tensor, x: Tensor) -> Tensor:
        """What attention gives out [..., n, kv, (group,) d] to [tokens, hidden], as many as ``x`` has."""
        return self.o_proj(attended.reshape(len(x), -1))


class PrefillAttention(Projections):
    """Eager attention among n tokens."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config)
        self.scores, self.softmax, self.mix, self.normalize = Scores(config), Softmax(), Mix(), Normalize()

    def forward(self, x: Tensor, mask: Tensor, rope: Tensor | None) -> AttentionOutput:
        """[n, hidden] and mask [n, n] to y [n, hidden], k_new and v_new [kv, n, d].

        A batch: x [s * n, hidden], mask [s, n, n], k_new and v_new [s, kv, n, d].
        """
        q, k, v = self.project(x, rope)
        if mask.dim() == 3:
            q, k, v = (by_sequence(each, len(mask)) for each in (q, k, v))
        k_new, v_new = self.k_new(k), self.v_new(v)
        rows = _beside_heads(mask, q)
        scores = self.scores(q, k_new, rows)
        if isinstance(self.softmax, RunningSoftmax):
            p = self.softmax(scores)
            denominator = p.denominator
        else:
            p, denominator = self.softmax(scores)
        return self.output(self.normalize(self.mix(p, v_new, rows), denominator), x), k_new, v_new


class DecodeAttention(Projections):
    """Attention of tokens to c cached positions, to those of them that come before, and each to itself.

    The cache, the tokens before and the token itself are scored apart and joined
    by their common maximum and denominator: nothing is appended to the cache on
    the way.  Tokens before are weighted as the cache will have them, so that
    several tokens at once give what as many steps do, quantized to the bit.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config)
        self.scores, self.own_score, self.earlier_scores = Scores(config), OwnScore(config), Scores(config)
        self.softmax, self.mix, self.normalize = JointSoftmax(), Mix(), Normalize()

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        rope: Tensor | None,
        k_cache: Tensor,
        v_cache: Tensor,
        mask_new: Tensor | None = None,
    ) -> AttentionOutput:
        """Caches [kv, c, d] to y [n, hidden], k_new and v_new [kv, n, d].

        One token: x [1, hidden], mask [c].  Several: x [n, hidden], mask [n, c], mask_new [n, n] that hides from each
        all but the tokens before it.  A batch of one token each: x [s, hidden], mask [s, c], caches [s, kv, c, d],
        k_new and v_new [s, kv, 1, d].
        """
        projected = self.project(x, rope)
        if mask_new is not None:
            return self._several(x, projected, (mask, mask_new), (k_cache, v_cache))
        attended, k, v = self.attend(projected, mask, k_cache, v_cache)
        return self.output(attended, x), self.k_new(k), self.v_new(v)

    def attend(self, projected: AttentionOutput, mask: Tensor, k_cache: Tensor, v_cache: Tensor) -> AttentionOutput:
        """Attention of one token, or of one of each sequence of a batch, to the cache and to itself.

        Args:
            projected: what :meth:`project` gives.
            mask: as of :meth:`forward`.
            k_cache: keys of the cache.
            v_cache: values of the cache.

        Returns:
            what :meth:`output` takes, and the own keys and values, sequence by sequence.
        """
        q, k, v = projected
        if mask.dim() == 2:
            q, k, v = (by_sequence(each, len(mask)) for each in (q, k, v))
            mask = _beside_heads(mask.unsqueeze(1), q)
        scores, own_score = self.scores(q, k_cache, mask), self.own_score(q, k)
        if isinstance(self.softmax, RunningSoftmax):
            running = self.softmax(scores)
            mixed, denominator, p_new = joined_by(running, self.mix(running, v_cache, mask), own_score)
        else:
            p_cached, p_new, denominator = self.softmax(scores, own_score)
            mixed = self.mix(p_cached, v_cache, mask)
        return self.normalize(mixed, denominator, p_new, v), k, v

    def _several(
        self, x: Tensor, projected: AttentionOutput, masks: tuple[Tensor, Tensor], cache: tuple[Tensor, Tensor]
    ) -> AttentionOutput:
        q, k, v = projected
        k_new, v_new = self.k_new(k), self.v_new(v)
        mask, mask_new = (_beside_heads(each, q) for each in masks)
        cached, earlier = self.scores(q, cache[0], mask), self.earlier_scores(q, k_new, mask_new)
        own_score = self.own_score(q, k)
        if isinstance(self.softmax, RunningSoftmax):
            running, mix = self.softmax(cached), self.mix.get_submodule("mix")
            tokens = EarlierTokens(earlier, v_new, mask_new, self.softmax.total, mix)
            mixed, denominator, p_new = joined_by(running, self.mix(running, cache[1], mask), own_score, tokens)
        else:
            p_cached, p_new, denominator, p_earlier = self.softmax(cached, own_score, earlier)
            mixed = self.mix(p_cached, cache[1], mask, (p_earlier, v_new, mask_new))
        return self.output(self.normalize(mixed, denominator, p_new, v), x), k_new, v_new


def by_sequence(x: Tensor, sequences: int) -> Tensor:
    """[s * n, ...] to [s, n, ...]."""
    return x.view(sequences, -1, *x.shape[1:])


def _beside_heads(mask: Tensor, q: Tensor) -> Tensor:
    """[(s,) n, m] as scores [(s,) n, kv, (group,) m] take it."""
    return mask.view(*mask.shape[:-1], *[1] * (q.dim() - mask.dim()), -1)
