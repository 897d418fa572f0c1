"""Scales moved from activations into weights, so that a few large channels do not set the step of all (SmoothQuant).

What a linear layer reads is divided by a scale per channel, and its weights' rows are multiplied by it (Xiao et al.,
arXiv 2211.10438).  The division costs nothing: it is in the weights of what makes the channels, a norm, the values of
attention, or the up projection.  In floating point the model stays the same but for rounding.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sttest.models.blocks import run_prefill
from sttest.models.config import DecoderConfig
from sttest.models.language_model import LanguageModel
from sttest.models.layers import Linear, Relu, RMSNorm

STRENGTH = 0.5
"""Exponent by which a channel's range goes into the weights, as published."""
Peaks = dict[str, Tensor]
Progress = Callable[[str], None]


@torch.no_grad()
def smoothed(
    model: LanguageModel, windows: Sequence[Sequence[int]], progress: Progress = lambda _step: None
) -> LanguageModel:
    """A copy of a model that computes the same, and whose activations have more even channels.

    Args:
        model: model with weights, in floating point.
        windows: tokens of the calibration text, at least one window.
        progress: called with the layer that is run next.
    """
    made, streams = copy.deepcopy(model), [model.embedding(tokens, 0) for tokens in windows]
    for number, block in enumerate(model.layers):
        progress(f"layer {number + 1} of {len(model.layers)}, ranges")
        kind = model.config.layer_kind(number)
        peaks, hooks = _observed(block)
        streams = [run_prefill(block, model.config, x, kind)[0] for x in streams]
        for hook in hooks:
            hook.remove()
        for site in _sites(made.layers[number], model.config):
            site.move(peaks)
    return made


def _observed(block: nn.Module) -> tuple[Peaks, list[torch.utils.hooks.RemovableHandle]]:
    """Largest magnitudes of the inputs of each linear layer by channel, filled while the block runs."""
    peaks: Peaks = {}

    def record(name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        def hook(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            found = inputs[0].abs().amax(0)
            peaks[name] = torch.maximum(peaks[name], found) if name in peaks else found

        return hook

    named = [(name, module) for name, module in block.named_modules() if isinstance(module, Linear)]
    return peaks, [module.register_forward_pre_hook(record(name)) for name, module in named]


@dataclass(frozen=True)
class _Site:
    """What makes the channels that linear layers read."""

    source: nn.Module  # a norm, or a linear layer
    readers: dict[str, Linear]  # layers that read it, by name in the block
    copies: int = 1  # how often attention repeats each channel of a head, for its query heads
    width: int = 0  # channels that are repeated together, a head; 0 where nothing is repeated

    def move(self, peaks: Peaks) -> None:
        """Divide the channels by their scales, multiply the weights' rows."""
        read = torch.stack([self._shared(peaks[name]) for name in self.readers]).amax(0)
        rows = torch.stack([self._shared(each.weight.abs().amax(1)) for each in self.readers.values()]).amax(0)
        scales = _scales(read, rows)
        for reader in self.readers.values():
            reader.weight.mul_(self._repeated(scales).unsqueeze(-1))
        _divide(self.source, scales)

    def _shared(self, channels: Tensor) -> Tensor:
        """The largest of the channels that are copies of one."""
        if self.copies == 1:
            return channels
        return channels.view(-1, self.copies, self.width).amax(1).flatten()

    def _repeated(self, scales: Tensor) -> Tensor:
        if self.copies == 1:
            return scales
        return scales.view(-1, 1, self.width).expand(-1, self.copies, -1).flatten()


def _scales(read: Tensor, rows: Tensor) -> Tensor:
    """``read^s / rows^(1 - s)``, around one; channels that are never read or weighed keep theirs."""
    used = (read > 0) & (rows > 0)
    logs = torch.where(used, STRENGTH * torch.log(read) - (1 - STRENGTH) * torch.log(rows), torch.zeros(()))
    middle = logs.sum() / used.sum().clamp(min=1)
    return torch.where(used, torch.exp(logs - middle), torch.ones(()))


def _divide(source: nn.Module, scales: Tensor) -> None:
    weight, bias = source.get_parameter("weight"), getattr(source, "bias", None)
    if isinstance(source, RMSNorm) and source.plus_one:
        weight.copy_((1.0 + weight) / scales - 1.0)
    else:
        weight /= scales
    if bias is not None:
        bias /= scales


def _sites(block: nn.Module, config: DecoderConfig) -> Iterator[_Site]:
    linears = {name: module for name, module in block.named_modules() if isinstance(module, Linear)}

    def read_by(*names: str) -> dict[str, Linear]:
        return {name: linears[name] for name in names}

    yield _Site(block.get_submodule("attn_norm"), read_by("attn.q_proj", "attn.k_proj", "attn.v_proj"))
    yield _Site(linears["attn.v_proj"], read_by("attn.o_proj"), config.heads // config.kv_heads, config.head_dim)
    norm = block.get_submodule("mlp_norm")
    if config.gated:
        yield _Site(norm, read_by("mlp.gate_proj", "mlp.up_proj"))
        yield _Site(linears["mlp.up_proj"], read_by("mlp.down_proj"))
        return
    yield _Site(norm, read_by("mlp.fc1"))
    if isinstance(block.get_submodule("mlp.act"), Relu):  # scales of other functions do not pass
        yield _Site(linears["mlp.fc1"], read_by("mlp.fc2"))
