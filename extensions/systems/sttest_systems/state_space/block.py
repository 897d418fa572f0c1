"""The block of Mamba-2 (Dao and Gu, arXiv 2405.21060): a decode step over a state that does not grow with the context.

``y = out(norm(C h + D x, gated))`` with ``h = exp(dt a) h + dt x B`` for each head, where gate, ``x``, ``B``, ``C`` and
``dt`` are projections of the normed input, ``x``, ``B`` and ``C`` through a short causal convolution.  Heads lie as
[groups, heads of a group, head_dim]: those of a group share ``B`` and ``C``, as query heads share keys and values.

The last inputs of the convolution and the state ``h`` are caches in memory.  Each of the former has a buffer to itself,
so that a step writes the newest in place of the oldest and moves nothing; the latter is read and written whole.  A
prompt goes through decode steps.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from sttest.models.config import DecoderConfig
from sttest.models.families import families_of
from sttest.models.layers import Linear, Residual, RMSNorm, Silu, f32

_CONVOLVED = ("conv_x", "conv_b", "conv_c")
SSM = "ssm_state"
RESULTS = ("y", *(f"{name}_new" for name in _CONVOLVED), "ssm_new")
"""Names of the block's results: the newest inputs of the convolutions [1, channels], and the whole next state."""


def state_shapes(config: DecoderConfig) -> dict[str, tuple[int, ...]]:
    """Shapes of a block's caches by argument name: ``conv_x_2`` is what ``conv_x`` had two tokens ago.

    >>> from sttest.models.registry import model_config
    >>> state_shapes(model_config("mamba2"))["ssm_state"]
    (1, 24, 64, 128)
    """
    shared = config.kv_heads * config.state
    channels = dict(zip(_CONVOLVED, (config.heads * config.head_dim, shared, shared), strict=True))
    ago = range(1, config.conv_kernel)
    found: dict[str, tuple[int, ...]] = {f"{name}_{n}": (1, width) for name, width in channels.items() for n in ago}
    return found | {SSM: (config.kv_heads, config.group, config.head_dim, config.state)}


def empty_state(config: DecoderConfig) -> dict[str, Tensor]:
    """What a layer keeps before the first token, float32: zeros."""
    return {name: torch.zeros(shape) for name, shape in state_shapes(config).items()}


def next_state(state: Mapping[str, Tensor], results: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What a layer keeps after a step: each buffer of a convolution is one older, the oldest goes.

    Args:
        state: caches by argument name.
        results: results of the block by name.
    """
    found: dict[str, Tensor] = {SSM: results["ssm_new"]}
    for name in state.keys() - {SSM}:
        conv, _, ago = name.rpartition("_")
        found[name] = results[f"{conv}_new"] if ago == "1" else state[f"{conv}_{int(ago) - 1}"]
    return found


_ATANH_TERMS = 8


class Softplus(nn.Module):
    """``log(1 + exp(x))`` without a logarithm: the larger of ``x`` and 0, and ``log1p(t)`` of ``t = exp(-|x|)``.

    ``log1p(t)`` is ``2 atanh(s)`` with ``s = t / (2 + t)``, which is at most 1/3: of its series, the first term left
    out is below 2e-9 of the sum.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Same shape as ``x``."""
        positive = torch.relu(x)
        t = torch.exp(x - positive - positive)
        s = t / (t + 2.0)
        square, series = s * s, torch.zeros_like(s)
        for power in range(2 * _ATANH_TERMS - 1, 0, -2):
            series = series * square + f32(1 / power)
        return positive + s * series * 2.0


class CausalConv(nn.Module):
    """A convolution of each channel over the last few tokens, and SiLU."""

    def __init__(self, channels: int, kernel: int) -> None:
        super().__init__()
        self.taps = [f"weight_{ago}" for ago in range(1, kernel)]  # of the tokens before, the last one first
        for name in ("weight", *self.taps, "bias"):
            self.register_parameter(name, nn.Parameter(torch.empty(channels)))
        self.act = Silu()

    def forward(self, x: Tensor, *before: Tensor) -> Tensor:
        """The token and those before it, the last one first, [1, channels] each, to [1, channels]."""
        weight, bias = self.get_parameter("weight"), self.get_parameter("bias")
        total = x * weight
        for name, each in zip(self.taps, before, strict=True):
            total = total + each * self.get_parameter(name)
        return self.act(total + bias)


class StateUpdate(nn.Module):
    """The recurrence of all heads, and what is read of it.

    What is read, ``C (exp(dt a) h + dt x B)``, is ``C (exp(dt a) h) + dt (C B) x``: so it does not wait for the next
    state.  All of it is in floating point, whatever the scheme has for projections.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.shape = (config.kv_heads, config.group)
        self.a = nn.Parameter(torch.empty(config.heads))  # below 0: ``-exp(A_log)`` of the checkpoint
        self.dt_bias = nn.Parameter(torch.empty(config.heads))
        self.d = nn.Parameter(torch.empty(config.heads))
        self.softplus = Softplus()

    def settle(self, generator: torch.Generator) -> None:
        """Decays, steps and skips as Mamba-2 begins: a step of 0.001 to 0.1, a decay of -1 to -16 per unit of it."""
        count = self.a.shape
        self.a.copy_(-1.0 - 15.0 * torch.rand(count, generator=generator))
        step = torch.exp(-6.9 + 4.6 * torch.rand(count, generator=generator))
        self.dt_bias.copy_(step + torch.log(-torch.expm1(-step)))
        self.d.copy_(1.0 + 0.1 * torch.randn(count, generator=generator))

    def forward(self, x: Tensor, b: Tensor, c: Tensor, dt: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """x [1, heads * head_dim], b and c [1, groups * state], dt [1, heads] to y like x, and the next state."""
        groups, group = self.shape
        step = self.softplus(dt.view(groups, group) + self.dt_bias.view(groups, group))
        decay = torch.exp(step * self.a.view(groups, group))
        heads = x.view(groups, group, -1)
        entering = (heads * step.unsqueeze(-1)).unsqueeze(-1) * b.view(groups, 1, 1, -1)
        beside = decay.unsqueeze(-1).unsqueeze(-1)
        updated = state * beside + entering
        # Sums of three factors, of which schemes make no integers.
        kept = (state * c.view(groups, 1, 1, -1) * beside).sum(-1)
        new = (b.view(groups, 1, -1) * step.unsqueeze(-1) * c.view(groups, 1, -1)).sum(-1)
        gain = new + self.d.view(groups, group)
        return (kept + heads * gain.unsqueeze(-1)).reshape(1, -1), updated


class GatedNorm(nn.Module):
    """RMS norm of ``x * silu(gate)``, over each group of channels."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        width = config.heads * config.head_dim
        self.groups = config.kv_heads
        self.act = Silu()
        self.weight = nn.Parameter(torch.empty(width))
        self.eps, self.scale = f32(config.eps), f32(self.groups / width)

    def settle(self, generator: torch.Generator) -> None:
        """About one."""
        self.weight.add_(1.0)

    def forward(self, x: Tensor, gate: Tensor) -> Tensor:
        """Same shape twice, [1, heads * head_dim]."""
        gated = (x * self.act(gate)).view(self.groups, -1)
        mean_square = (gated * gated).sum(-1) * self.scale
        normalized = gated * torch.rsqrt(mean_square + self.eps).unsqueeze(-1)
        return normalized.reshape(x.shape) * self.weight


class Mamba2(nn.Module):
    """Projections, convolutions, recurrence and gated norm."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        inner, shared = config.heads * config.head_dim, config.kv_heads * config.state
        self.gate_proj = Linear(config.hidden, inner, bias=False)
        self.x_proj = Linear(config.hidden, inner, bias=False)
        self.b_proj = Linear(config.hidden, shared, bias=False)
        self.c_proj = Linear(config.hidden, shared, bias=False)
        self.dt_proj = Linear(config.hidden, config.heads, bias=False)
        self.kernel = config.conv_kernel
        self.conv_x = CausalConv(inner, config.conv_kernel)
        self.conv_b = CausalConv(shared, config.conv_kernel)
        self.conv_c = CausalConv(shared, config.conv_kernel)
        self.ssm = StateUpdate(config)
        self.norm = GatedNorm(config)
        self.out_proj = Linear(inner, config.hidden, bias=False)

    def forward(self, x: Tensor, state: Mapping[str, Tensor]) -> tuple[Tensor, ...]:
        """x [1, hidden] to y [1, hidden], the newest inputs of the convolutions, and the next state."""
        new = dict(zip(_CONVOLVED, (self.x_proj(x), self.b_proj(x), self.c_proj(x)), strict=True))
        inner, b, c = (
            self.get_submodule(name)(each, *(state[f"{name}_{ago}"] for ago in range(1, self.kernel)))
            for name, each in new.items()
        )
        mixed, updated = self.ssm(inner, b, c, self.dt_proj(x), state[SSM])
        return self.out_proj(self.norm(mixed, self.gate_proj(x))), *new.values(), updated


class Mamba2Block(nn.Module):
    """A decode step of one layer: norm, Mamba-2, residual; there is no other feed-forward network."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.mixer_norm = RMSNorm(config.hidden, config.eps, plus_one=False)
        self.mixer = Mamba2(config)
        self.mixer_residual = Residual()
        for family in families_of(config):
            family.finish(self, config)

    def forward(self, x: Tensor, **state: Tensor) -> tuple[Tensor, ...]:
        """x [1, hidden] and caches as :func:`state_shapes` has them to the results of :data:`RESULTS`."""
        mixed, *new = self.mixer(self.mixer_norm(x), state)
        return self.mixer_residual(x, mixed), *new


def run_steps(block: nn.Module, config: DecoderConfig, x: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Run a block over tokens x [n, hidden], one after the other from nothing; y [n, hidden] and the state after."""
    state, found = empty_state(config), []
    for token in x.split(1):
        results = dict(zip(RESULTS, block(x=token, **state), strict=True))
        state = next_state(state, results)
        found.append(results["y"])
    return torch.cat([x[:0], *found]), state
