"""Whole models from transformers, small, with random weights, as the reference."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from experiments.gpu_baseline.hugging_face import transformers_model
from sttest.models.config import DecoderConfig

# Tensors this small are slower on several threads.
torch.set_num_threads(1)


def whole_model(config: DecoderConfig, seed: int = 11) -> Any:
    """The causal language model of transformers that ``config`` describes."""
    model = transformers_model(config, "eager").eval()
    generator = torch.Generator().manual_seed(seed)
    # Layers that say more than the embedding does, or a tied head repeats its input for ever.
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            embeds = any(part in name for part in ("embed", "wte", "wpe", "lm_head"))
            spread = (0.25 if embeds else 2.0) * parameter.shape[-1] ** -0.5 if parameter.dim() == 2 else 0.3
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
            if parameter.dim() == 1 and name.endswith("weight") and config.norm != "rmsnorm_plus_one":
                parameter.add_(1.0)
    return model


def continued(model: Any, prompt: list[int], new_tokens: int) -> tuple[list[int], Tensor]:
    """Greedy tokens and the logits that they were chosen from, by transformers' own cache."""
    chosen, seen, cache = [], [], None
    tokens = torch.tensor([prompt])
    with torch.no_grad():
        for _ in range(new_tokens):
            out = model(tokens, past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            seen.append(out.logits[0, -1])
            chosen.append(int(seen[-1].argmax()))
            tokens = torch.tensor([chosen[-1:]])
    return chosen, torch.stack(seen)
