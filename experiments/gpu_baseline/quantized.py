"""Weight-only quantized linear layers from PyTorch's own operators, for the GPU rows with small weights.

INT4: asymmetric groups along K, ``aten::_weight_int4pack_mm`` (tinygemm).  INT8: symmetric
per output channel, dequantized inside the matrix product, which only a compiler fuses.
Both follow the public gpt-fast recipe (https://github.com/pytorch-labs/gpt-fast); the
language model's head is quantized with the rest, the embedding is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

Weights = Literal["int4", "int8"]

_GROUP = 128
_SMALL_GROUP = 32
_ROW_MULTIPLE = 16
_K_PER_TILE = 16
_TOLERANCE = 0.02


def quantize_linears(model: nn.Module, weights: Weights) -> None:
    """Replaces every linear layer of a transformers model, its head included.

    Raises:
        ValueError: a kernel does not compute what its weights say.
    """
    from transformers.pytorch_utils import Conv1D

    for parent in list(model.modules()):
        for name, layer in list(parent.named_children()):
            if isinstance(layer, Conv1D):
                setattr(parent, name, quantized(layer.weight.T, layer.bias, weights))
            elif isinstance(layer, nn.Linear):
                setattr(parent, name, quantized(layer.weight, layer.bias, weights))


def quantized(weight: Tensor, bias: Tensor | None, weights: Weights) -> nn.Module:
    """The layer ``x @ weight.T + bias`` with quantized ``weight`` [n, k], its kernel checked on a random row.

    Raises:
        ValueError: the kernel is more than 2 % off the same weights dequantized.
    """
    layer = Int4Linear(weight.detach(), bias) if weights == "int4" else Int8Linear(weight.detach(), bias)
    x = torch.randn(1, weight.shape[1], device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        found = layer.product(x).float()
        wanted = x.float() @ layer.dequantized(weight).T
    error = float((found - wanted).norm() / wanted.norm())
    if not error < _TOLERANCE:
        raise ValueError(f"the {weights} kernel is {error:.3g} off its own weights")
    return layer


class _WeightOnly(nn.Module, ABC):
    """Rows and bias; ``product`` multiplies, ``dequantized`` says by what, for the check."""

    def __init__(self, rows: int, bias: Tensor | None) -> None:
        super().__init__()
        self.rows = rows
        self.bias = bias

    @abstractmethod
    def product(self, x: Tensor) -> Tensor:
        """[m, k] to [m, n]."""

    @abstractmethod
    def dequantized(self, weight: Tensor) -> Tensor:
        """The float32 weights [n, k] that the codes of ``weight`` stand for."""

    def forward(self, x: Tensor) -> Tensor:
        """[..., k] to [..., n]."""
        out = self.product(x.reshape(-1, x.shape[-1])).reshape(*x.shape[:-1], self.rows)
        return out if self.bias is None else out + self.bias


class Int4Linear(_WeightOnly):
    """INT4 weights with a scale and a middle per group of 128 along K (32 where 128 does not divide it)."""

    packed: Tensor
    scales: Tensor

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight.shape[0], bias)
        self.group = _GROUP if weight.shape[1] % _GROUP == 0 else _SMALL_GROUP
        codes, scale, middle = self._codes(weight)
        scales = torch.stack([scale, middle], -1).transpose(0, 1).contiguous()
        self.register_buffer("packed", _packed(codes))
        self.register_buffer("scales", scales)

    def product(self, x: Tensor) -> Tensor:
        """See the base class."""
        if x.device.type == "cpu":
            out = torch.ops.aten._weight_int4pack_mm_for_cpu(x, self.packed, self.group, self.scales)
        else:
            out = torch.ops.aten._weight_int4pack_mm(x, self.packed, self.group, self.scales)
        return out[:, : self.rows]

    def dequantized(self, weight: Tensor) -> Tensor:
        """See the base class."""
        codes, scale, middle = self._codes(weight)
        grouped = (codes - 8).reshape(len(codes), -1, self.group) * scale.float()[..., None]
        return (grouped + middle.float()[..., None]).reshape(codes.shape)[: self.rows]

    def _codes(self, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Codes 0..15 int32 [n', k], scale and middle [n', k / group]; n' is n padded for the kernel."""
        padded = functional.pad(weight, (0, 0, 0, -len(weight) % _ROW_MULTIPLE))
        grouped = padded.float().reshape(len(padded), -1, self.group)
        low, high = grouped.amin(-1), grouped.amax(-1)
        scale = ((high - low).clamp(min=1e-6) / 15).to(weight.dtype)
        codes = ((grouped - low[..., None]) / scale.float()[..., None]).round().clamp(0, 15)
        middle = (low + 8 * scale.float()).to(weight.dtype)
        return codes.to(torch.int32).reshape(padded.shape), scale, middle


class Int8Linear(_WeightOnly):
    """INT8 weights with a scale per output channel."""

    codes: Tensor
    scale: Tensor

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight.shape[0], bias)
        full = weight.float()
        scale = (full.abs().amax(1) / 127).clamp(min=1e-8).to(weight.dtype)
        self.register_buffer("codes", (full / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8))
        self.register_buffer("scale", scale)

    def product(self, x: Tensor) -> Tensor:
        """See the base class."""
        return functional.linear(x, self.codes.to(x.dtype)) * self.scale

    def dequantized(self, weight: Tensor) -> Tensor:
        """See the base class."""
        del weight
        return self.codes.float() * self.scale.float()[:, None]


def _packed(codes: Tensor) -> Tensor:
    """INT4 codes [n, k] in the order that the device's kernel reads."""
    if codes.device.type == "cpu":
        return torch.ops.aten._convert_weight_to_int4pack_for_cpu(codes, 1)
    pairs = (codes[:, ::2] << 4 | codes[:, 1::2]).to(torch.uint8).contiguous()
    tiles = next(tiles for tiles in (8, 4, 2) if codes.shape[1] % (tiles * _K_PER_TILE) == 0)
    return torch.ops.aten._convert_weight_to_int4pack(pairs, tiles)
