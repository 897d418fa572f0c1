"""Integer contractions with a defined order of every floating-point operation.

Integer sums are exact and fit int32; what is in floating point is one IEEE
float32 operation after the other, never fused, in the order that the functions
state.  So another engine can agree to the last bit.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from sttest.models.head_axes import over_heads, own_beside, scales_beside
from sttest.models.quant import binary32
from sttest.models.quant.quantizers import QuantizedTensor, p_scale, quantize_p

# 127 * 128 * MAX_SUMMANDS_F32 <= 2^24: sums that float32 holds exactly, in whatever order they are added; -128 occurs
# in weights of released checkpoints.
MAX_SUMMANDS_F32 = 1_032
# 127 * 127 * MAX_SUMMANDS < 2^31: longer integer sums could overflow int32.
MAX_SUMMANDS = 133_144


def product(x: QuantizedTensor | Tensor, weight: QuantizedTensor | Tensor, group: int | None) -> Tensor:
    """Product of activations and weights, either of them integers or float32.

    Sums in floating point are in pairs (:class:`DefinedOrder`), of each group of rows by itself where weights have
    scales: ``y[m, n] = sum over groups g of (sum over k in g of x[m, k] * f32(q_w[k, n])) * scale_w[g, n]``.  Scales of
    activations follow: ``y * scale_x[m]``.  With integers on both sides see :func:`matmul`.

    Args:
        x: [m, K].
        weight: [K, n].
        group: rows that share a scale, None for all K.

    Returns:
        float32 [m, n].
    """
    if isinstance(x, QuantizedTensor) and isinstance(weight, QuantizedTensor):
        return matmul(x, weight, group)
    if isinstance(x, QuantizedTensor):
        assert isinstance(weight, Tensor)
        return (x.values.float() @ weight) * x.scales.float().unsqueeze(-1)
    if isinstance(weight, Tensor):
        return x @ weight
    rows = group or len(weight.values)
    parts = zip(x.split(rows, -1), weight.values.split(rows), weight.scales, strict=True)
    sums = [(left @ right.float()) * scale.float() for left, right, scale in parts]
    return reduce(operator.add, sums[1:], sums[0] if len(sums) == 1 else torch.zeros(()) + sums[0])


def matmul(x: QuantizedTensor, weight: QuantizedTensor, group: int | None) -> Tensor:
    """Product of activations and weights.

    ``y[m, n] = (sum over groups g of f32(acc[g, m, n]) * scale_w[g, n]) * scale_x[m]``
    with ``acc[g, m, n] = sum over k in g of q_x[m, k] * q_w[k, n]`` in int32.
    Each product is rounded, then added, from the first group to the last.

    Args:
        x: int8 [m, K], scales [m].
        weight: int8 [K, n], scales [groups, n].
        group: rows of a group, None for all K.

    Returns:
        float32 [m, n].
    """
    rows, columns = weight.values.shape
    total = torch.zeros(len(x.values), columns)
    parts = zip(x.values.split(group or rows, -1), weight.values.split(group or rows), weight.scales, strict=True)
    for left, right, scale in parts:
        exact = _exact_type(len(right))
        with torch._C.DisableTorchFunction():  # exact in any order
            sums = left.to(exact) @ right.to(exact)
        total = total + _as_f32(sums) * scale.float()
    return total * x.scales.float().unsqueeze(-1)


def scores(q: QuantizedTensor, k: QuantizedTensor) -> Tensor:
    """Products of queries and keys, ``f32(acc) * scale_q * scale_k`` from the left, neither scaled nor masked.

    Args:
        q: int8 [(s,) n, kv, (group,) d], scales [(s,) n, kv, (group)].
        k: int8 [(s,) kv, m, d], scales [(s,) kv, m].

    Returns:
        float32 [(s,) n, kv, (group,) m].
    """
    exact = _exact_type(q.values.shape[-1])
    equation = over_heads("nh...d,hmd->nh...m", k.values)
    with torch._C.DisableTorchFunction():
        sums = torch.einsum(equation, q.values.to(exact), k.values.to(exact))
    scale_k = scales_beside(k.scales.float(), q.values)
    return _as_f32(sums) * q.scales.float().unsqueeze(-1) * scale_k


def own_score(q: QuantizedTensor, k: QuantizedTensor) -> Tensor:
    """Product of each token's query with its own key, in the order of :func:`scores`.

    Args:
        q: int8 [..., n, kv, (group,) d], scales [..., n, kv, (group)].
        k: int8 [..., n, kv, d], scales [..., n, kv].

    Returns:
        float32 [..., n, kv, (group)].
    """
    exact = _exact_type(q.values.shape[-1])
    sums = (q.values.to(exact) * own_beside(k.values.to(exact), q.values)).sum(-1)
    scale_k = own_beside(k.scales.float().unsqueeze(-1), q.values).squeeze(-1)
    return _as_f32(sums) * q.scales.float() * scale_k


def mix(p: QuantizedTensor, values: Tensor) -> Tensor:
    """Values weighted by the softmax: ``f32(sum over positions m of q_p[m] * q_v[m, d]) * scale_p``.

    Args:
        p: int8 [(s,) n, kv, (group,) m] with the values' scales folded in, scales broadcasting to all but m.
        values: int8 [(s,) kv, m, d].

    Returns:
        float32 [(s,) n, kv, (group,) d].
    """
    exact = _exact_type(p.values.shape[-1])
    with torch._C.DisableTorchFunction():
        sums = torch.einsum(over_heads("nh...m,hmd->nh...d", values), p.values.to(exact), values.to(exact))
    return _as_f32(sums) * p.scales.unsqueeze(-1)


def mix_per_position(p: Tensor, v: QuantizedTensor) -> Tensor:
    """Values weighted by the softmax, each position under its own scale.

    ``(sum over positions m of f32(q_p[m] * q_v[m, d]) * scale_v[m]) * f32(1 / 127)``: each product is rounded, then
    they are added in pairs.

    Args:
        p: int8 [(s,) n, kv, (group,) m] under the scale 1 / 127.
        v: int8 [(s,) kv, m, d], scales [(s,) kv, m].

    Returns:
        float32 [(s,) n, kv, (group,) d].
    """

    def product(position: int) -> Tensor:
        value = scales_beside(v.values[..., position, :].float(), p)
        scale = scales_beside(v.scales[..., position].float().unsqueeze(-1), p)
        return p[..., position, None].float() * value * scale

    return pairwise(map(product, range(p.shape[-1]))) * p_scale()


def denominator(p: Tensor) -> Tensor:
    """Sum of softmax weights as int8 under 1 / 127: ``f32(sum of q_p in int32) * f32(1 / 127)``, [..., m] to [...]."""
    return quantize_p(p).sum(-1, dtype=torch.int32).float() * p_scale()


def _exact_type(summands: int) -> torch.dtype:
    """The type in which a sum of products of int8 is exact: floating point, for its matrix products are fast."""
    return torch.float32 if summands <= MAX_SUMMANDS_F32 else torch.float64


def _as_f32(exact: Tensor) -> Tensor:
    """Integer sums, held exactly, rounded to float32 as an int32 would be."""
    return exact.to(torch.float32)


# --- PyTorch computing in floating point as a compiled design does: docs/reference/values.md, to the bit


class DefinedOrder(TorchFunctionMode):
    """A context in which float32 is what a design computes: sums in pairs, its functions, no subnormal numbers.

    Concerns what blocks use: sums, differences, products and quotients of elements, ``sum`` along an axis, products of
    matrices, ``einsum`` of two tensors over one index, ``exp``, ``tanh``, ``rsqrt``, ``sigmoid``.  Sums of integers are
    exact in any order.

    >>> with DefinedOrder():
    ...     float(torch.tensor([1.0, 2.0**-24, 2.0**-24, 2.0**-24]).sum(-1))
    1.0000001192092896
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Exchanges the functions above; everything else is PyTorch's."""
        ours = _OURS.get(func)
        if ours is None or kwargs or next(each for each in args if isinstance(each, Tensor)).dtype != torch.float32:
            return func(*args, **(kwargs or {}))
        return ours(*args)


def pairwise(terms: Iterable[Tensor]) -> Tensor:
    """Neighbors are added, then neighboring sums, from the last on; a first without a neighbor goes on as it is."""
    sums = list(terms)
    while len(sums) > 1:
        first = len(sums) % 2
        pairs = zip(sums[first::2], sums[first + 1 :: 2], strict=True)
        sums = sums[:first] + [binary32.add(left, right) for left, right in pairs]
    return sums[0]


def _summed(equation: str, left: Tensor, right: Tensor) -> Tensor:
    """An ``einsum`` of two tensors over one index, its products added in pairs; without a sum PyTorch's."""
    factors, out = equation.split("->")
    ends = factors.split(",")
    (index,) = {*ends[0]} & {*ends[1]} - {*out, "."}
    sides = [_along(end, index, each.detach()) for end, each in zip(ends, (left, right), strict=True)]
    single = f"{','.join(end.replace(index, '') for end in ends)}->{out}"
    with torch._C.DisableTorchFunction():
        products = [torch.einsum(single, *pair) for pair in zip(*sides, strict=True)]
        return pairwise(products)


def _along(end: str, index: str, x: Tensor) -> Sequence[Tensor]:
    """The slices of a tensor along an index of an ``einsum``."""
    before, after = end.split(index)
    return x.unbind(-1 - len(after) if "..." in before else len(before))


_ARITHMETIC = (
    torch.Tensor.add,
    torch.Tensor.__radd__,
    torch.Tensor.sub,
    torch.Tensor.__rsub__,
    torch.Tensor.mul,
    torch.Tensor.__rmul__,
    torch.Tensor.div,
    torch.Tensor.__rtruediv__,
)
_OURS: dict[Any, Callable[..., Tensor]] = {
    **{operation: binary32.flushing(operation) for operation in _ARITHMETIC},
    torch.exp: binary32.exp,
    torch.tanh: binary32.tanh,
    torch.rsqrt: binary32.rsqrt,
    torch.sigmoid: binary32.sigmoid,
    torch.Tensor.sum: lambda x, axis: pairwise(x.detach().unbind(axis)),
    torch.Tensor.matmul: lambda x, y: _summed("mk,kn->mn", x, y),
    torch.einsum: lambda equation, x, y: _summed(equation, x, y),
}
