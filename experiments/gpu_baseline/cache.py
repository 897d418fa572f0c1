"""A static key-value cache whose position the caller owns, so that a step can be repeated or captured as it is."""

from __future__ import annotations

from typing import Any

from torch import Tensor


class PositionedCache:
    """What transformers asks of a cache, over fixed tensors.

    transformers' own static cache counts its tokens itself: the same step run twice
    would write two positions, and a window must repeat *identical* work.  Here a prompt
    goes to the front and a decoded token to ``position``, which the caller moves.

    Args:
        keys, values: one [1, kv_heads, length, head_dim] per layer.
        position: int64 [1] on the device, where a decoded token is written.
    """

    is_compileable = True

    def __init__(self, keys: list[Tensor], values: list[Tensor], position: Tensor) -> None:
        self.keys = keys
        self.values = values
        self.position = position

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor]:
        """Writes [1, kv_heads, n, head_dim] and gives what is attended to: the prompt itself, or the whole cache."""
        keys, values = self.keys[layer_idx], self.values[layer_idx]
        tokens = key_states.shape[2]
        if tokens > 1:
            keys[:, :, :tokens].copy_(key_states)
            values[:, :, :tokens].copy_(value_states)
            return key_states, value_states
        keys.index_copy_(2, self.position, key_states)
        values.index_copy_(2, self.position, value_states)
        return keys, values

    def get_seq_length(self, *_: Any) -> int:
        """0: positions and masks are always given with the call."""
        return 0

    def get_mask_sizes(self, *_: Any) -> tuple[int, int]:
        """Length and offset of the mask; masks are given with the call, so only the length counts."""
        return self.keys[0].shape[2], 0
