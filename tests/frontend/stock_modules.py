"""A corpus of modules of stock layers, with example inputs."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from compared import Function
from torch import Tensor, nn


class Mlp(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 64), nn.Linear(64, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.up(self.norm(x))))


class Unfolded(nn.Module):
    def forward(self, x):
        return x.unfold(1, 4, 2).sum(-1) * x.unfold(-1, 5, 1)[:, :3, 0, :1]


class Residual(Mlp):
    def forward(self, x: Tensor) -> Tensor:
        return x + super().forward(x)


class Attention(nn.Module):
    def __init__(self, *, causal: bool) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(32, 32, bias=False) for _ in range(4))
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        mixed = F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x), is_causal=self.causal)
        return self.o(mixed)


class Heads(nn.Module):
    """Four heads out of one projection to q, k and v."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x: Tensor) -> Tensor:
        parts = (each.view(-1, 4, 8).transpose(0, 1) for each in self.qkv(x).chunk(3, -1))
        return self.out(F.scaled_dot_product_attention(*parts).transpose(0, 1).reshape(-1, 32))


class Masked(Heads):
    """Heads under a mask that is the same for all of them."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        q, k, v = (each.view(1, 16, 4, 8).transpose(1, 2) for each in self.qkv(x).chunk(3, -1))
        weights = (q @ k.transpose(-1, -2) + mask).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(16, 32))


class OwnKeys(nn.Module):
    """Attention with a key and a value of its own, and with keys of zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4, add_zero_attn=True, add_bias_kv=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x, need_weights=False)[0]


class Lora(nn.Module):
    def __init__(self, rank: int = 16) -> None:
        super().__init__()
        self.base, self.a, self.b = nn.Linear(32, 32), nn.Linear(32, rank, bias=False), nn.Linear(rank, 32, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + 2.0 * self.b(self.a(x))


class Glu(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.both, self.down = nn.Linear(32, 128), nn.Linear(64, 32)

    def forward(self, x: Tensor) -> Tensor:
        gate, value = self.both(x).chunk(2, -1)
        return self.down(F.silu(gate) * value)


class StockGlu(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.both = nn.Linear(32, 64)

    def forward(self, x: Tensor) -> Tensor:
        return F.glu(self.both(x))


class Cat(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(32, 16), nn.Linear(32, 16)

    def forward(self, x: Tensor, z: Tensor) -> dict[str, Tensor]:
        return {"joined": torch.cat([self.left(x), self.right(z)], -1)}


def ragged(y: Tensor) -> Tensor:
    """What comes of rounding and of powers."""
    return y.floor() + y.ceil() * y.trunc() - y.frac() + y.round() + y**5 + y.abs() ** 1.5 + (1 + y.abs()) ** -2


def extrema(y: Tensor) -> Tensor:
    return y.max(-1).values - y.min(-1)[0] + y.erf().sum(-1) + y.exp2().mean(-1)


def transcendental(y: Tensor) -> Tensor:
    """Functions that no unit of the library computes."""
    z = y.abs() + 0.1
    logarithms = z.log() + z.log1p() * z.log2() - z.log10()
    return logarithms + y.sin() * y.cos() + y.expm1() + y.sinh() / y.cosh() + z**0.7 + y.tan().clamp(-2, 2)


def edited(y: Tensor) -> Tensor:
    """Elements picked, moved and written by position."""
    z = y.clone()
    z[0] = 2.0
    return F.pad(z.flip(-1), (1, 2))[:, 2:18] * y.roll(1, -1)[:, 4:20]


def every_other(y: Tensor) -> Tensor:
    """Every other element is written."""
    z = y * 1.5
    z[:, 1::2].mul_(3)
    return z


def blind(y: Tensor) -> Tensor:
    """Attention to what came before; the first query sees nothing."""
    return F.scaled_dot_product_attention(y, y, y, attn_mask=torch.ones(8, 8).tril(-1).bool())


def blind_by_infinity(y: Tensor) -> Tensor:
    """The same with a mask that is added."""
    mask = torch.zeros(8, 8).masked_fill(torch.ones(8, 8).triu().bool(), -torch.inf)
    return F.scaled_dot_product_attention(y, y, y, attn_mask=mask)


def rotated(y: Tensor) -> Tensor:
    """A rotary embedding by complex numbers."""
    angles = torch.arange(16).unsqueeze(1) * torch.arange(1, 5) / 7
    rotation = torch.polar(torch.ones(16, 4), angles).unsqueeze(1)
    return torch.view_as_real(torch.view_as_complex(y.reshape(1, 16, 4, 4, 2)) * rotation).flatten(3)


def signal(y: Tensor) -> Tensor:
    """Complex numbers that inputs make."""
    a, b = torch.complex(y, y * 2), torch.polar(y.abs() + 1, y)
    c = (a * b.conj() + 0.5 * a)[1:].transpose(0, 1) * y[:7].t()
    return c.real - c.imag * c.abs()


def x(*shape: int) -> Tensor:
    return torch.randn(*shape or (16, 32))


MODULES: dict[str, Callable[[], tuple[nn.Module, object]]] = {
    "linear": lambda: (nn.Linear(32, 48), x()),
    "linear-batch": lambda: (nn.Linear(32, 48), x(1, 16, 32)),
    "layer-norm": lambda: (nn.LayerNorm(32), x()),
    "rms-norm": lambda: (nn.RMSNorm(32), x()),
    "gelu-tanh": lambda: (nn.GELU("tanh"), x()),
    "silu": lambda: (nn.SiLU(), x()),
    "relu": lambda: (nn.ReLU(), x()),
    "softmax": lambda: (nn.Softmax(-1), x()),
    "mlp": lambda: (Mlp(), x()),
    "sequential": lambda: (nn.Sequential(nn.Linear(32, 64), nn.GELU("tanh"), nn.Linear(64, 32)), x()),
    "residual": lambda: (Residual(), x()),
    "attention": lambda: (Attention(causal=False), x()),
    "causal-attention": lambda: (Attention(causal=True), x()),
    "heads": lambda: (Heads(), x()),
    "masked": lambda: (Masked(), {"x": x(), "mask": torch.zeros(1, 1, 16, 16)}),
    "lora": lambda: (Lora(), x()),
    "glu": lambda: (Glu(), x()),
    "stock-glu": lambda: (StockGlu(), x()),
    "two-layers": lambda: (nn.Sequential(Residual(), Residual()), x()),
    "gelu": lambda: (nn.GELU(), x()),
    "convolution": lambda: (nn.Conv2d(3, 8, 3, padding=1, stride=2), x(1, 3, 8, 8)),
    "pooling": lambda: (nn.Sequential(nn.MaxPool2d(2), nn.AvgPool2d(2)), x(1, 4, 8, 8)),
    "padded-pooling": lambda: (nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), x(1, 4, 8, 8)),
    "ceil-pooling": lambda: (
        nn.Sequential(nn.AvgPool2d(3, 2, 1, True), nn.MaxPool2d(3, 2, 1, ceil_mode=True)),
        x(4, 8, 8),
    ),
    "volume-pooling": lambda: (nn.Sequential(nn.MaxPool3d(2), nn.AvgPool3d(2)), x(1, 2, 4, 4, 8)),
    "adaptive-pooling": lambda: (nn.AdaptiveAvgPool1d(5), x(1, 4, 16)),
    "response-norm": lambda: (nn.LocalResponseNorm(3), x(1, 8, 4, 4)),
    "unfold": lambda: (Unfolded(), x(2, 8, 5)),
    "transposed-convolution": lambda: (
        nn.ConvTranspose2d(4, 6, (3, 2), stride=2, padding=1, output_padding=1),
        x(1, 4, 5, 4),
    ),
    "grouped-transposed-convolution": lambda: (nn.ConvTranspose1d(4, 6, 3, stride=3, groups=2, dilation=2), x(2, 4, 5)),
    "grouped-convolution": lambda: (nn.Conv2d(4, 8, 3, groups=2), x(2, 4, 6, 6)),
    "windows": lambda: (nn.Unfold((2, 2)), x(1, 2, 4, 4)),
    "upsampling": lambda: (nn.Upsample(scale_factor=2, mode="bilinear"), x(1, 2, 4, 4)),
    "joined-constants": lambda: (OwnKeys(), x(8, 32)),
    "instance-norm": lambda: (nn.InstanceNorm1d(4), x(1, 4, 8)),
    "recurrence": lambda: (nn.GRU(8, 8), x(2, 8)),
    "prefix-sum": lambda: (Function(lambda y: y.cumsum(-1)), x(4, 8)),
    "ragged": lambda: (Function(ragged), x(4, 8)),
    "transcendental": lambda: (Function(transcendental), x(4, 16)),
    "log-softmax": lambda: (nn.Sequential(nn.Linear(32, 16), nn.LogSoftmax(-1)), x()),
    "softplus": lambda: (nn.Sequential(nn.Softplus(), nn.Mish()), x()),
    "extrema": lambda: (Function(extrema), x(4, 8)),
    "edited": lambda: (Function(edited), x()),
    "offline-sines": lambda: (Function(lambda y: y * torch.sin(torch.arange(32) / 7)), x()),
    "integer-positions": lambda: (Function(lambda y: y + torch.arange(32)), x()),
    "circular": lambda: (nn.CircularPad1d(2), x(1, 4, 8)),
    "padded": lambda: (nn.Sequential(nn.ReflectionPad1d(3), nn.ReplicationPad1d(2), nn.ConstantPad1d(1, 0.5)), x(2, 8)),
    "every-other": lambda: (Function(every_other), x(4, 8)),
    "positions-compared": lambda: (
        Function(lambda y, at: y * (at[:, None] == torch.arange(8))),
        (x(4, 8), x(4).round()),
    ),
    "product-with-constant": lambda: (Function(lambda y: y @ torch.ones(8, 4)), x(4, 8)),
    "nothing-given": lambda: (Function(lambda y, z: y * 2 if z is None else y + z), (x(4, 8), None)),
    "blind-query": lambda: (Function(blind), x(1, 2, 8, 8)),
    "blind-query-float": lambda: (Function(blind_by_infinity), x(1, 2, 8, 8)),
    "optional-result": lambda: (Function(lambda y: {"hidden": y * 2, "cache": None}), x()),
    "logic": lambda: (Function(lambda y: torch.where((y > 0) ^ ~(y.abs() < 1) | (y < -2), y, -y)), x()),
    "prime": lambda: (nn.Linear(17, 13), x(7, 17)),
    "complex-rotation": lambda: (Function(rotated), x(1, 16, 4, 8)),
    "complex-numbers": lambda: (Function(signal), x(8, 8)),
    "cat": lambda: (Cat(), {"x": x(), "z": x()}),
}
"""By name: makes a module and its example inputs."""
