"""Layers that quantize what they contract; each stands in for one of the same interface in floating point."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.models.experts import ExpertLinear, beside
from sttest.models.layers import Linear
from sttest.models.quant import contraction
from sttest.models.quant.quantizers import (
    QuantizedTensor,
    quantize_folded,
    quantize_kv,
    quantize_p,
    quantize_under,
    quantize_vectors,
    tensor_scale,
)
from sttest.models.quant.released.kept import kept_of, plain_weight, rounded_weight
from sttest.models.quant.scheme import QuantScheme, ValueScales
from sttest.models.softmax import Mix, Normalize, OwnScore, Scores, joint_peak

ActivationQuantizer = Callable[[Tensor], QuantizedTensor | Tensor]
QUERY_MAX = 127


def activation_quantizer(
    scheme: QuantScheme, peak: float | None, where: str, layer: nn.Module | None = None
) -> ActivationQuantizer:
    """What is done to the input of a linear layer.

    Args:
        scheme: activations are integers, FP16, or as they are.
        peak: largest magnitude seen in calibration, for constant scales.
        where: the layer, for the error.
        layer: the layer itself, whose checkpoint may have a constant scale.

    Raises:
        InputError: a static scale is asked for without calibration.
    """
    kept = kept_of(layer) if layer is not None and scheme.activations == "static" else None
    if kept is not None and kept.input_scale is not None:
        return StaticQuantizer(kept.input_scale, scheme.input_max)
    return _quantizer(scheme, peak, where, scheme.input_max)


def query_quantizer(scheme: QuantScheme, peak: float | None, where: str) -> ActivationQuantizer:
    """What makes int8 of queries, whatever the inputs of linear layers are; raises as :func:`activation_quantizer`."""
    return _quantizer(scheme, peak, where, QUERY_MAX)


def _quantizer(scheme: QuantScheme, peak: float | None, where: str, qmax: int) -> ActivationQuantizer:
    if scheme.activations == "none":
        return in_fp16 if scheme.input_bits == 16 else as_it_is
    if scheme.activations == "dynamic":
        return partial(quantize_vectors, qmax=qmax)
    if peak is None:
        hints = ["pass the peaks of observe_peaks", "take a scheme with dynamic activations"]
        raise InputError("no-calibration", "a static scale needs calibration", where=where, hints=hints)
    return StaticQuantizer(tensor_scale(peak, qmax), qmax)


def in_fp16(x: Tensor) -> Tensor:
    """The numbers of ``x`` rounded to FP16, in float32."""
    return x.half().float()


def as_it_is(x: Tensor) -> Tensor:
    """``x``."""
    return x


class StaticQuantizer:
    """One constant scale, FP32 [], for all inputs."""

    def __init__(self, scale: Tensor, qmax: int = QUERY_MAX) -> None:
        self.scale, self.qmax = scale, qmax

    def __call__(self, x: Tensor) -> QuantizedTensor:
        """Integers of ``x``, saturating beyond the largest."""
        return quantize_under(x, self.scale, self.qmax)


def _keep_input_scale(layer: nn.Module, quantize: ActivationQuantizer) -> None:
    """A constant scale is a parameter of the layer, FP32 [1]: ``input_scale``."""
    if isinstance(quantize, StaticQuantizer):
        layer.register_buffer("input_scale", quantize.scale.view(1))


class QuantLinear(nn.Module):
    """A linear layer with weights [K, N] and inputs of a scheme: integers under scales, or floating point."""

    weight: Tensor
    weight_scale: Tensor

    def __init__(self, linear: Linear, scheme: QuantScheme, quantize: ActivationQuantizer) -> None:
        super().__init__()
        rows = len(linear.weight)
        if rows > contraction.MAX_SUMMANDS:
            raise InputError(
                "sum-too-long",
                "integer sums could overflow int32",
                where="linear layer",
                demand=rows,
                bound=contraction.MAX_SUMMANDS,
                unit="inputs",
                hints=["use smaller groups"],
            )
        self.group = scheme.rows_per_scale(rows)
        self.has_scales = scheme.has_integer_weights
        if scheme.has_integer_weights:
            quantized = rounded_weight(linear, scheme, self.group)
            self.register_buffer("weight", quantized.values)
            self.register_buffer("weight_scale", quantized.scales)
        else:
            plain = plain_weight(linear, scheme)
            self.register_buffer("weight", plain.half() if scheme.weights == "fp16" else plain)
        self.bias = linear.bias
        self.quantize = quantize
        _keep_input_scale(self, quantize)

    def forward(self, x: Tensor) -> Tensor:
        """[n, inputs] to [n, outputs]."""
        weight = QuantizedTensor(self.weight, self.weight_scale) if self.has_scales else self.weight.float()
        y = contraction.product(self.quantize(x), weight, self.group)
        return y if self.bias is None else y + self.bias

    def dequantized_weight(self) -> Tensor:
        """The weight that the integers stand for, float32 [K, N]."""
        if not self.has_scales:
            return self.weight.float()
        scales = self.weight_scale.float().repeat_interleave(self.group, 0)[: len(self.weight)]
        return self.weight.float() * scales


class QuantExpertLinear(nn.Module):
    """Linear layers of all experts with integer weights [experts, K, N] and scales [experts, groups, N]."""

    weight: Tensor
    weight_scale: Tensor

    def __init__(self, layers: ExpertLinear, scheme: QuantScheme, quantize: ActivationQuantizer) -> None:
        super().__init__()
        self.group, self.by_rows, self.quantize = (
            scheme.rows_per_scale(layers.weight.shape[1]),
            layers.by_rows,
            quantize,
        )
        if not scheme.has_integer_weights:
            raise InputError(
                "weights-of-experts",
                f"experts have no {scheme.weights} weights",
                where=f"scheme '{scheme.name}'",
                hints=["take a scheme with integer weights", "take fp32"],
            )
        found = rounded_weight(layers, scheme, self.group)
        self.register_buffer("weight", found.values)
        self.register_buffer("weight_scale", found.scales)
        _keep_input_scale(self, quantize)

    def forward(self, x: Tensor, chosen: Sequence[int]) -> Tensor:
        """See :class:`~sttest.models.experts.ExpertLinear`; groups of rows are those of each expert."""
        weight, scale = (beside(each, chosen, by_rows=self.by_rows) for each in (self.weight, self.weight_scale))
        return contraction.product(self.quantize(x), QuantizedTensor(weight, scale), self.group)


class Fp16CacheLayout(nn.Module):
    """Keys or values [(s,) n, kv, d] as the cache has them: FP16 [(s,) kv, n, d]."""

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return x.transpose(-3, -2).half()


class QuantCacheLayout(nn.Module):
    """Keys or values [(s,) n, kv, d] as the cache has them: integers [(s,) kv, n, d] with scales [(s,) kv, n]."""

    def __init__(self, scheme: QuantScheme) -> None:
        super().__init__()
        self.scheme = scheme

    def forward(self, x: Tensor) -> QuantizedTensor:
        """See the class."""
        return in_cache(x.transpose(-3, -2), self.scheme)


def in_cache(x: Tensor, scheme: QuantScheme) -> QuantizedTensor:
    """Keys or values [..., d] as integers of the cache."""
    return quantize_kv(x, scheme.kv_max, scheme.kv_scales)


# --- Attention in floating point over a cache of fewer bits: its numbers are what they stand for


def seen(entries: Tensor | QuantizedTensor) -> Tensor:
    """Keys or values of a cache in float32."""
    return entries.float() if isinstance(entries, Tensor) else QuantizedTensor(*entries).dequantized()


def rounded_as_cached(x: Tensor, scheme: QuantScheme) -> Tensor:
    """Keys or values [..., d] as the cache will have them, in float32."""
    return in_cache(x, scheme).dequantized() if scheme.has_integer_cache else in_fp16(x)


class SeenScores(Scores):
    """Scaled, capped, masked products of queries with keys of a cache."""

    def __init__(self, exact: Scores) -> None:
        nn.Module.__init__(self)
        self.scale, self.cap = exact.scale, exact.cap

    def forward(self, q: Tensor, k: Tensor | QuantizedTensor, mask: Tensor) -> Tensor:
        """See :class:`~sttest.models.softmax.Scores`."""
        return super().forward(q, seen(k), mask)


class SeenOwnScore(OwnScore):
    """Scaled, capped product of each token's query with its own key as the cache will have it."""

    def __init__(self, exact: Scores, scheme: QuantScheme) -> None:
        nn.Module.__init__(self)
        self.scale, self.cap, self.scheme = exact.scale, exact.cap, scheme

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """See :class:`~sttest.models.softmax.OwnScore`."""
        return super().forward(q, rounded_as_cached(k, self.scheme))


class SeenMix(Mix):
    """Contraction of weights with values of a cache."""

    def forward(
        self,
        p: Tensor,
        v: Tensor | QuantizedTensor,
        mask: Tensor,
        *more: tuple[Tensor, Tensor | QuantizedTensor, Tensor],
    ) -> Tensor:
        """See :class:`~sttest.models.softmax.Mix`."""
        return super().forward(p, seen(v), mask, *((weights, seen(values), hidden) for weights, values, hidden in more))


class SeenNormalize(Normalize):
    """Division by the softmax's denominators; the token's own value is added as the cache will have it."""

    def __init__(self, scheme: QuantScheme) -> None:
        super().__init__()
        self.scheme = scheme

    def forward(
        self, mixed: Tensor, denominator: Tensor, p_new: Tensor | None = None, v: Tensor | None = None
    ) -> Tensor:
        """See :class:`~sttest.models.softmax.Normalize`."""
        return super().forward(mixed, denominator, p_new, None if v is None else rounded_as_cached(v, self.scheme))


# --- Attention of integers


class QuantScores(nn.Module):
    """Scaled, capped, masked products of queries, which it quantizes, and int8 keys."""

    def __init__(self, exact: "Scores | QuantScores", quantize: ActivationQuantizer) -> None:
        super().__init__()
        self.scale, self.cap, self.quantize = exact.scale, exact.cap, quantize
        _keep_input_scale(self, quantize)

    def forward(self, q: Tensor, k: QuantizedTensor, mask: Tensor) -> Tensor:
        """See :class:`~sttest.models.softmax.Scores`."""
        query = self.quantize(q)
        assert isinstance(query, QuantizedTensor)
        return self.cap(contraction.scores(query, QuantizedTensor(*k)) * self.scale) + mask


class QuantOwnScore(nn.Module):
    """Scaled, capped product of each token's query with its own key, both quantized as for the cache."""

    def __init__(self, exact: "Scores | QuantScores", quantize: ActivationQuantizer, scheme: QuantScheme) -> None:
        super().__init__()
        self.scale, self.cap, self.quantize, self.scheme = exact.scale, exact.cap, quantize, scheme
        _keep_input_scale(self, quantize)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """q [..., n, kv, (group,) d] and k [..., n, kv, d] to [..., n, kv, (group)]."""
        query = self.quantize(q)
        assert isinstance(query, QuantizedTensor)
        return self.cap(contraction.own_score(query, in_cache(k, self.scheme)) * self.scale)


class QuantSoftmax(nn.Module):
    """Unnormalized softmax whose denominator sums exponentials that are rounded to int8, as the mix rounds them."""

    def forward(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """[..., m] to exponentials [..., m] and denominators [...]."""
        p = torch.exp(scores - scores.amax(-1).unsqueeze(-1))
        return p, contraction.denominator(p)


class QuantJointSoftmax(nn.Module):
    """Unnormalized softmax over cached and earlier scores, whose exponentials it sums as int8, and the token's own."""

    def forward(self, cached: Tensor, new: Tensor, earlier: Tensor | None = None) -> tuple[Tensor, ...]:
        """See :class:`~sttest.models.softmax.JointSoftmax`."""
        peak = joint_peak(cached, new, earlier)
        p_cached, p_new = torch.exp(cached - peak.unsqueeze(-1)), torch.exp(new - peak)
        if earlier is None:
            return p_cached, p_new, contraction.denominator(p_cached) + p_new
        p_earlier = torch.exp(earlier - peak.unsqueeze(-1))
        return p_cached, p_new, contraction.denominator(torch.cat([p_cached, p_earlier], -1)) + p_new, p_earlier


class QuantMix(nn.Module):
    """Contraction of weights [(s,) n, kv, (group,) m], which it quantizes, with int8 values [(s,) kv, m, d].

    The values' scales vary along the sum: they go into the weights, or with ``per-position`` into every product.
    """

    def __init__(self, value_scales: ValueScales) -> None:
        super().__init__()
        self.value_scales = value_scales

    def forward(
        self, p: Tensor, v: QuantizedTensor, mask: Tensor, *more: tuple[Tensor, QuantizedTensor, Tensor]
    ) -> Tensor:
        """Outputs [(s,) n, kv, (group,) d]; ``mask`` as the scores had it; ``more`` positions as if they followed."""
        weights, sides, masks = zip((p, v, mask), *more, strict=True)
        values, scales = (torch.cat([side[part] for side in sides], part - 2) for part in (0, 1))
        joined = torch.cat(weights, -1)
        if self.value_scales == "per-position":
            return contraction.mix_per_position(quantize_p(joined), QuantizedTensor(values, scales))
        return contraction.mix(quantize_folded(joined, scales, torch.cat(masks, -1)), values)
