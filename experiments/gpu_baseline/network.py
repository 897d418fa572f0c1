"""Prefill and decode step of one model over static tensors: what the modes run, capture or compile."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from experiments.gpu_baseline.cache import PositionedCache
from sttest.models.config import DecoderConfig


class Network:
    """One model with one static cache, at batch 1.

    The next token is chosen greedily on the device and put where the next step reads it,
    so that no step waits for the host.

    Args:
        config: the model's sizes.
        model: its transformers implementation, on the device.
        length: positions of the cache, in tokens.
    """

    def __init__(self, config: DecoderConfig, model: Any, length: int) -> None:
        parameter = next(model.parameters())
        shape = (1, config.kv_heads, length, config.head_dim)
        options: dict[str, Any] = {"device": parameter.device, "dtype": parameter.dtype}
        self.config = config
        self.model = model
        self.length = length
        self.position = torch.zeros(1, dtype=torch.int64, device=parameter.device)
        self.token = torch.zeros(1, 1, dtype=torch.int64, device=parameter.device)
        self.prompt = torch.randint(config.vocab, (1, length), device=parameter.device)
        self.cache = PositionedCache(
            [torch.randn(shape, **options) for _ in range(config.layers)],
            [torch.randn(shape, **options) for _ in range(config.layers)],
            self.position,
        )

    def set_position(self, position: int) -> None:
        """Where the next decoded token is written; it attends to this position and all before it."""
        self.position.fill_(position)

    def prefill(self, tokens: int) -> Tensor:
        """Runs the first ``tokens`` of the prompt and keeps the token that follows; the logits of the last, [vocab]."""
        positions = torch.arange(tokens, device=self.position.device)
        logits = self._logits(self.prompt[:, :tokens], positions, positions)
        self.token.copy_(logits.argmax().view(1, 1))
        return logits

    def decode(self) -> Tensor:
        """Runs one step at ``position`` over the whole cache and keeps the next token; its logits, [vocab]."""
        keys = torch.arange(self.length, device=self.position.device)
        logits = self._logits(self.token, self.position, keys)
        self.token.copy_(logits.argmax().view(1, 1))
        return logits

    def advance(self) -> None:
        """Makes the next decode step write one position further."""
        self.position.add_(1)

    def _logits(self, tokens: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        """Logits [vocab] of the last of ``tokens`` [1, n] at positions ``queries`` [n] that sees ``keys`` [m]."""
        mask = keys[None, None, None, :] <= queries[None, None, :, None]
        masks: Any = mask
        if self.config.sliding_window is not None:
            near = keys[None, None, None, :] > queries[None, None, :, None] - self.config.sliding_window
            masks = {"full_attention": mask, "sliding_attention": mask & near}
        out = self.model(
            input_ids=tokens,
            attention_mask=masks,
            position_ids=queries[None],
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return out.logits[0, -1]
