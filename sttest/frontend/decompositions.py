"""Stock layers of PyTorch in the operations that become streaming loop nests; imports PyTorch.

torch-mlir's own expansions take layer norm and attention through double precision, transpose the operands of every
product and carry the index of each maximum along.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x [..., in]`` by ``weight [out, in]``: one product of all rows; the transposition is resolved offline."""
    product = torch.mm(x if x.dim() == 2 else x.reshape(-1, x.shape[-1]), weight.t())
    product = product if bias is None else product + bias
    return product if x.dim() == 2 else product.reshape(*x.shape[:-1], weight.shape[0])


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """A product of matrices, or of batches of them, as one loop nest over the operands as they lie."""
    if b.dim() == 2 and a.dim() == 2:
        return torch.mm(a, b)
    if b.dim() == 2 and a.dim() > 2:
        return torch.mm(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[-1])
    if b.dim() == 1:
        return (a * b).sum(-1)
    if a.dim() == 1:
        return (a.unsqueeze(-1) * b).sum(-2)
    return (a.unsqueeze(-1) * b.unsqueeze(-3)).sum(-2)


def layer_norm(
    x: Tensor,
    shape: list[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """Mean, variance of the deviations, scale; all in the input's type."""
    dims = list(range(-len(shape), 0))
    deviation = x - x.mean(dims, keepdim=True)
    y = deviation * torch.rsqrt((deviation * deviation).mean(dims, keepdim=True) + eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def rms_norm(x: Tensor, shape: list[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """``x`` over the root of the mean of its squares."""
    dims = list(range(-len(shape), 0))
    y = x * torch.rsqrt((x * x).mean(dims, keepdim=True) + (torch.finfo(x.dtype).eps if eps is None else eps))
    return y if weight is None else y * weight


def softmax(x: Tensor, dim: int, half_to_float: bool = False) -> Tensor:
    """Exponentials of the distance to the maximum, over their sum."""
    e = torch.exp(x - torch.amax(x, dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


def gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    """GELU; torch-mlir's constant of the tanh form is rounded wrongly (error 5e-5)."""
    if approximate == "none":
        return 0.5 * x * (1 + torch.erf(x * math.sqrt(0.5)))
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


def reciprocal(x: Tensor) -> Tensor:
    """``1 / x`` as a division; torch-mlir's has an assertion about types."""
    return torch.ones((), dtype=x.dtype) / x


def cast(x: Tensor, *, dtype: torch.dtype | None = None, **_: Any) -> Tensor:
    """A cast to float64 stays in float32, which streams carry."""
    if dtype is torch.float64:
        return x.clone() if x.dtype is torch.float32 else x.to(torch.float32)
    return NotImplemented


def leaky_relu(x: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Another slope below zero."""
    return torch.where(x > 0, x, x * negative_slope)


def prelu(x: Tensor, weight: Tensor) -> Tensor:
    """Another slope below zero, of each channel (dim 1) or of all."""
    slope = weight.reshape(-1, *[1] * (x.dim() - 2)) if x.dim() > 1 and weight.numel() > 1 else weight
    return torch.where(x > 0, x, x * slope)


def variance(
    x: Tensor, dim: list[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Tensor:
    """Mean of the squared deviations, by the number of elements less the correction (1 if none is given)."""
    dims = list(range(x.dim())) if not dim else list(dim)
    deviation = x - x.mean(dims, keepdim=True)
    count = math.prod(x.shape[each] for each in dims)
    return (deviation * deviation).sum(dims, keepdim=keepdim) * (
        1 / (count - (1 if correction is None else correction))
    )


def group_norm(
    x: Tensor,
    groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Norm of groups of channels of ``x [n, c, ...]``."""
    rows = x.reshape(x.shape[0], groups, -1)
    y = layer_norm(rows, [rows.shape[-1]], eps=eps).reshape(x.shape)
    rest = [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.reshape(-1, *rest)
    return y if bias is None else y + bias.reshape(-1, *rest)


def vector_norm(x: Tensor, order: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Euclidean norm, sum or maximum of magnitudes."""
    dims: list[int] = list(range(x.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    if order == 2:
        return torch.sqrt((x * x).sum(dims, keepdim=keepdim))
    if order == 1:
        return x.abs().sum(dims, keepdim=keepdim)
    return x.abs().amax(dims, keepdim=keepdim) if order == math.inf else NotImplemented


def extremum(by: Callable[..., Tensor], position: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    """Values and positions apart, as few ask for both."""

    def both(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        return by(x, dim, keepdim), position(x, dim, keepdim)

    return both


def variance_and_mean(
    x: Tensor, dim: list[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Both of :func:`variance`'s."""
    dims = list(range(x.dim())) if not dim else list(dim)
    return variance(x, dim, correction=correction, keepdim=keepdim), x.mean(dims, keepdim=keepdim)


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Scaled dot-product attention: q ``[..., n, d]``, k and v ``[..., m, d]``; dropout is for training.

    As in PyTorch, a query that a mask hides everything from gives zeros.
    """
    if enable_gqa and k.shape[-3] != q.shape[-3]:
        groups = q.shape[-3] // k.shape[-3]
        folded = q.reshape(*q.shape[:-3], k.shape[-3], groups * q.shape[-2], q.shape[-1])
        if attn_mask is None and not is_causal and k.shape[-3] == v.shape[-3]:
            return attention(folded, k, v, scale=scale).reshape(*q.shape[:-1], v.shape[-1])
        k, v = (each.repeat_interleave(q.shape[-3] // each.shape[-3], -3) for each in (k, v))
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    seen = None  # whether a query sees anything
    if is_causal:  # it sees the first key
        attn_mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
    elif attn_mask is not None:
        shown = attn_mask if attn_mask.dtype == torch.bool else attn_mask > -math.inf
        seen = torch.where(shown, 1.0, 0.0).amax(-1, keepdim=True) > 0
        if attn_mask.dtype != torch.bool:  # a row of infinities has no maximum to subtract
            attn_mask = torch.clamp(attn_mask, min=torch.finfo(q.dtype).min)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill(~attn_mask, torch.finfo(q.dtype).min)
        scores = scores + attn_mask
    mixed = (softmax(scores, -1).unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)
    return mixed if seen is None else torch.where(seen, mixed, torch.zeros((), dtype=q.dtype))


def pad(x: Tensor, widths: list[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Padding by elements that are picked; PyTorch writes some of it into a tensor of no defined values."""
    if mode == "constant":
        return torch.constant_pad_nd(x, widths, 0.0 if value is None else value)
    for number, (before, after) in enumerate(zip(widths[::2], widths[1::2], strict=True)):
        dim = x.dim() - 1 - number
        size = x.shape[dim]
        index = torch.arange(-before, size + after)
        if mode == "replicate":
            index = index.clamp(0, size - 1)
        elif mode == "reflect":
            index = torch.remainder(index, max(2 * size - 2, 1))
            index = torch.minimum(index, 2 * size - 2 - index)
        x = torch.index_select(x, dim, torch.remainder(index, size))
    return x


def decompositions() -> dict[Any, Callable[..., Any]]:
    """torch-mlir's table with those above in their places."""
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    table = dict(get_decomposition_table())
    table |= {
        aten.linear.default: linear,
        aten.matmul.default: matmul,
        aten.bmm.default: matmul,
        aten.layer_norm.default: layer_norm,
        aten.rms_norm.default: rms_norm,
        aten.softmax.int: lambda x, dim, dtype=None: softmax(x, dim),
        aten._softmax.default: softmax,
        aten.gelu.default: gelu,
        aten.reciprocal.default: reciprocal,
        aten._to_copy.default: cast,
        aten.leaky_relu.default: leaky_relu,
        aten.prelu.default: prelu,
        aten._prelu_kernel.default: lambda x, weight: torch.where(x > 0, x, x * weight),
        aten.var.correction: variance,
        aten.group_norm.default: group_norm,
        aten.std.correction: lambda x, *args, **kwargs: torch.sqrt(variance(x, *args, **kwargs)),
        aten.var_mean.correction: variance_and_mean,
        aten.erfc.default: lambda x: 1 - torch.erf(x),
        aten.frac.default: lambda x: x - torch.trunc(x),
        aten.max.dim: extremum(torch.amax, torch.argmax),
        aten.min.dim: extremum(torch.amin, torch.argmin),
        aten.linalg_vector_norm.default: vector_norm,
        aten.scaled_dot_product_attention.default: attention,
        aten.pad.default: pad,
    }
    table.pop(aten.select_scatter.default, None)  # which is written as a part, like a slice
    return table
