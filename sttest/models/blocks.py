"""The decoder block of each family: the unit that is compiled and runs once per layer."""

from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sttest.models.attention import AttentionOutput, DecodeAttention, PrefillAttention
from sttest.models.config import DecoderConfig, LayerKind
from sttest.models.families import families_of, family_of
from sttest.models.layers import Residual, norm
from sttest.models.tables import decode_inputs, prefill_inputs


class _Block(nn.Module):
    """Norms, feed-forward network and residual additions, the same in both phases."""

    def __init__(self, config: DecoderConfig, attention: nn.Module) -> None:
        super().__init__()
        self.attn_norm = norm(config, config.hidden)
        self.attn = attention
        self.attn_post_norm = norm(config, config.hidden) if config.post_norms else nn.Identity()
        self.attn_residual = Residual()
        self.mlp_norm = norm(config, config.hidden)
        self.mlp = family_of(config).feed_forward(config)
        self.mlp_post_norm = norm(config, config.hidden) if config.post_norms else nn.Identity()
        self.mlp_residual = Residual()
        for family in families_of(config):
            family.finish(self, config)

    def finish(self, x: Tensor, attention: AttentionOutput, *tables: Tensor) -> tuple[Tensor, ...]:
        """Everything after attention: x [n, hidden] and what attention gives to the block's results.

        What the network gives besides comes last; ``tables`` are what it takes besides (``tables`` of its family).
        """
        attended, k_new, v_new = attention
        x = self.attn_residual(x, self.attn_post_norm(attended))
        made = self.mlp(self.mlp_norm(x), *tables)
        branch, *chosen = made if isinstance(made, tuple) else (made,)
        return self.mlp_residual(x, self.mlp_post_norm(branch)), k_new, v_new, *chosen


class PrefillBlock(_Block):
    """The block over n tokens at once."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config, PrefillAttention(config))

    def forward(self, x: Tensor, mask: Tensor, rope: Tensor | None = None) -> tuple[Tensor, ...]:
        """x [n, hidden], mask [n, n], rope [n, 2, 2, d/2] to y [n, hidden], k_new and v_new [kv, n, d].

        A batch: x [s * n, hidden], mask [s, n, n], rope [s * n, 2, 2, d/2]; k_new and v_new [s, kv, n, d].
        """
        return self.finish(x, self.attn(self.attn_norm(x), mask, rope))


class DecodeBlock(_Block):
    """The block over one token, or a few, that follow c cached ones."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config, DecodeAttention(config))

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        k_cache: Tensor,
        v_cache: Tensor,
        rope: Tensor | None = None,
        mask_new: Tensor | None = None,
        **tables: Tensor,
    ) -> tuple[Tensor, ...]:
        """Caches [kv, c, d] to y [n, hidden], k_new and v_new [kv, n, d].

        x [n, hidden], rope [n, 2, 2, d/2]; mask [c] for one token, for more mask [n, c] and mask_new [n, n].  A batch
        of one token each: x [s, hidden], rope [s, 2, 2, d/2], mask [s, c], caches [s, kv, c, d]; k_new and v_new
        [s, kv, 1, d].  ``tables`` are those of the block's family.
        """
        attention = self.attn(self.attn_norm(x), mask, rope, k_cache, v_cache, mask_new)
        return self.finish(x, attention, *tables.values())


# --- Running a block, fake-quantized or not, with the tables that the host computes


def run_prefill(block: nn.Module, config: DecoderConfig, x: Tensor, layer_kind: LayerKind = "global") -> Any:
    """Run a prefill block over x [n, hidden] from position 0 on; keys and values as the block returns them."""
    return block(x=x, **tensors_of(prefill_inputs(config, len(x), layer_kind)))


def run_decode(
    block: nn.Module,
    config: DecoderConfig,
    x: Tensor,
    cache: tuple[Any, Any],
    context: int,
    layer_kind: LayerKind = "global",
    *,
    padding: int = 0,
) -> Any:
    """Run a decode block over x [n, hidden], which follows a cache of ``context`` positions, padding included."""
    tables = decode_inputs(config, context, len(x), layer_kind, padding=padding)
    return block(x=x, k_cache=cache[0], v_cache=cache[1], **tensors_of(tables))


def tensors_of(tables: Mapping[str, NDArray]) -> dict[str, Tensor]:
    """Tables by argument name, as a block takes them."""
    return {name: torch.from_numpy(table) for name, table in tables.items()}
