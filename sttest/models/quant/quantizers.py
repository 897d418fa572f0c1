"""From floating point to integers and scales: pure functions, exact to the bit.

One rule for all of them.  With ``peak`` the largest magnitude of the elements
that share a scale and ``qmax`` the largest integer,

    scale      = round_to_scale_type(peak / qmax)
    reciprocal = 1 / scale
    q          = clamp(round_half_even(x * reciprocal), -qmax, qmax)

each operation one IEEE float32 operation, the scale widened to float32 where it
is FP16.  A scale below the range of its type (SCALE_RANGE) becomes the least, so
that a group of zeros has integers 0 and there is no division by zero; one above
it becomes the largest, and the integers saturate.
The range is symmetric: -8 and -128 do not occur but where a released checkpoint has them.

Weights of fewer levels have rules of their own (:func:`quantize_weight`), by which they are made before a design runs.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from sttest.core.errors import InputError
from sttest.models.head_axes import scales_beside
from sttest.models.quant.scheme import CacheScales
from sttest.reference.weight_types import weight_types

# Unnormalized softmax weights lie in (0, 1]: 1 is the integer 127.
P_MAX = 127
# A mask under this hides its position: no score comes near.
LEAST_SEEN = -(2.0**126)
# FP16 scales may be subnormal.  FP32 ones not, for their reciprocal could overflow, nor so large that 127 of them do.
SCALE_RANGE = {torch.float16: (2.0**-24, 65504.0), torch.float32: (2.0**-126, 2.0**121)}
LARGEST_POWER = 2.0**15
"""The largest power of two that FP16 has."""


class QuantizedTensor(NamedTuple):
    """Integers and their scales."""

    values: Tensor  # int8, whatever the width of the integers
    scales: Tensor  # FP16 or FP32, one per vector along the last axis of ``values`` (weights: per group of rows)

    def dequantized(self) -> Tensor:
        """``values * scale`` in float32, for scales per vector along the last axis."""
        return self.values.float() * self.scales.float().unsqueeze(-1)


def quantize_weight(weight: Tensor, group: int | None, levels: int | str) -> QuantizedTensor:
    """Weights with a scale per output channel and group of rows.

    - ``int2``: -2 to 1, the element of largest magnitude being -2, so that the scale may be negative (as llama.cpp's
      Q4_0 uses all levels of 4 bits).
    - ``ternary``: -1, 0, 1 under the mean magnitude (BitNet b1.58, Ma et al., arXiv 2402.17764, section 2).
    - ``ternary-3:4``: of four outputs that lie next to each other the least in magnitude is 0, the others are signs
      (Sherry's 3:4 sparsity) under the mean magnitude of those; the outputs are a multiple of 4.

    Args:
        weight: [K, N] float32.
        group: rows that share a scale, the last group may have fewer; None is all K.
        levels: type of the integers, or the largest integer of a symmetric range: 7 for int4, 127 for int8.

    Returns:
        Integers int8 [K, N] and scales FP16 [ceil(K / group), N].

    Raises:
        InputError: a weight is not finite, or outputs do not come in fours.
    """
    rows = weight.shape[0]
    if isinstance(levels, int):
        quantize, most = symmetric, levels
    else:
        quantize, most = weight_types()[levels].load_quantizer(), weight_types()[levels].most
    parts = [quantize(part.T, most) for part in weight.float().split(group or rows)]
    values = torch.cat([part.values.T for part in parts])
    return QuantizedTensor(values.contiguous(), torch.stack([part.scales for part in parts]))


def symmetric(columns: Tensor, most: int) -> QuantizedTensor:
    """The nearest integers up to ``most`` in magnitude, of columns [N, rows] of a group, under FP16 scales [N]."""
    return _quantized(columns, most, torch.float16)


def full_range(columns: Tensor, most: int) -> QuantizedTensor:
    """-2 to 1, the element of largest magnitude of each of the columns [N, rows] being -2."""
    _require_finite(columns)
    peak = columns.gather(-1, columns.abs().argmax(-1, keepdim=True)).squeeze(-1)
    scales = _scale(peak.abs(), 2, torch.float16) * torch.where(peak > 0, -1.0, 1.0).to(torch.float16)
    reciprocal = (1.0 / scales.float()).unsqueeze(-1)
    return QuantizedTensor(torch.round(columns * reciprocal).clamp(-2, 1).to(torch.int8), scales)


def ternary(columns: Tensor, most: int) -> QuantizedTensor:
    """-1, 0, 1 under the mean magnitude of each of the columns [N, rows]."""
    _require_finite(columns)
    scales = _scale(columns.abs().mean(-1), 1, torch.float16)
    return QuantizedTensor(_integers(columns, (1.0 / scales.float()).unsqueeze(-1), 1), scales)


def three_of_four(columns: Tensor, most: int) -> QuantizedTensor:
    """-1, 0, 1 of columns [N, rows]: of four that lie next to each other, each row's least in magnitude is 0."""
    _require_finite(columns)
    outputs, rows = columns.shape
    if outputs % 4:
        raise InputError(
            "outputs-not-in-fours",
            "three of four ternary weights need outputs in fours",
            where="quantizer",
            demand=outputs,
            unit="outputs",
            hints=["take the scheme 'ternary'"],
        )
    fours = columns.view(outputs // 4, 4, rows)
    least = fours.abs().argmin(1, keepdim=True)
    signs = torch.where(fours < 0, -1, 1).to(torch.int8).scatter(1, least, 0).view(outputs, rows)
    kept = signs != 0
    mean = (columns.abs() * kept).sum(-1) / kept.sum(-1).clamp(min=1)
    return QuantizedTensor(signs, _scale(mean, 1, torch.float16))


def quantize_vectors(x: Tensor, qmax: int = 127) -> QuantizedTensor:
    """Activations with a scale per vector along the last axis: per token, or per token and head.

    Args:
        x: [..., K] float32.
        qmax: largest integer.

    Returns:
        Integers int8 [..., K] and scales FP32 [...].

    Raises:
        InputError: an activation is not finite.
    """
    return _quantized(x.float(), qmax, torch.float32)


def quantize_tensor(x: Tensor, peak: float, qmax: int = 127) -> QuantizedTensor:
    """Activations under one constant scale; what lies beyond ``peak`` saturates.

    Args:
        x: [..., K] float32.
        peak: largest magnitude that was seen in calibration.
        qmax: largest integer.

    Returns:
        Integers int8 [..., K] and scales FP32 [...], all equal.

    Raises:
        InputError: an activation is not finite.
    """
    return quantize_under(x, tensor_scale(peak, qmax), qmax)


def quantize_under(x: Tensor, scale: Tensor, qmax: int = 127) -> QuantizedTensor:
    """The same under a scale FP32 [] that is known."""
    _require_finite(x)
    return QuantizedTensor(_integers(x.float(), 1.0 / scale, qmax), scale.expand(x.shape[:-1]))


def tensor_scale(peak: float, qmax: int = 127) -> Tensor:
    """The constant scale, FP32 [], of a tensor whose magnitudes reach ``peak``."""
    return _scale(torch.tensor(peak, dtype=torch.float32), qmax, torch.float32)


def quantize_kv(x: Tensor, qmax: int = 127, scales: CacheScales = "fp16") -> QuantizedTensor:
    """Keys or values with a scale per head and position.

    Args:
        x: [..., head_dim] float32.
        qmax: largest integer.
        scales: kind of the scales; powers of two are the next above what a scale would be, so that a head's numbers
            have one exponent (block floating point).

    Returns:
        Integers int8 [..., head_dim] and scales FP16 [...], as they lie in the cache.

    Raises:
        InputError: an element is not finite.
    """
    if scales == "fp16":
        return _quantized(x.float(), qmax, torch.float16)
    peak = x.float().abs().amax(-1)
    _require_finite(peak)
    powers = next_power(_scale(peak, qmax, torch.float32)).clamp(SCALE_RANGE[torch.float16][0], LARGEST_POWER)
    powers = powers.to(torch.float16)
    return QuantizedTensor(_integers(x.float(), (1.0 / powers.float()).unsqueeze(-1), qmax), powers)


def next_power(x: Tensor) -> Tensor:
    """The least power of two that is not below a positive normal number; float32.

    >>> next_power(torch.tensor([0.3, 0.5, 3.0])).tolist()
    [0.5, 0.5, 4.0]
    """
    return (x.view(torch.int32) + 0x7FFFFF & -0x800000).view(torch.float32)


def quantize_p(p: Tensor) -> Tensor:
    """Unnormalized softmax weights in [0, 1] as int8 under the constant scale 1 / 127: no peak is awaited."""
    return _integers(p, torch.tensor(float(P_MAX)), P_MAX)


def quantize_folded(p: Tensor, value_scales: Tensor, mask: Tensor) -> QuantizedTensor:
    """Softmax weights times the scales of the values that they meet, so that the values themselves are integers.

    ``x = p * scale_v`` stays under ``bound``, the largest ``scale_v`` among the positions that the mask shows, which is
    known before ``p``.  With ``scale = max(bound, 2^-24) * f32(1 / 127)``, a product where a peak has a division,
    ``q = clamp(round_half_even(x * (1 / scale)))`` as ever.

    Args:
        p: float32 [(s,) n, kv, (group,) m] in [0, 1], 0 at positions that the mask hides.
        value_scales: FP16 [(s,) kv, m].
        mask: as it is added to the scores, broadcasting to ``p``, the same for all heads of a group.

    Returns:
        Integers int8 [(s,) n, kv, (group,) m] and scales FP32 that broadcast to all but m.
    """
    scales_v = scales_beside(value_scales.float(), p)
    seen = torch.where(mask < LEAST_SEEN, torch.zeros(()), scales_v)
    scales = seen.amax(-1).clamp(min=SCALE_RANGE[torch.float16][0]) * p_scale()
    return QuantizedTensor(_integers(p * scales_v, (1.0 / scales).unsqueeze(-1), P_MAX), scales)


def p_scale() -> Tensor:
    """1 / 127 in float32."""
    return 1.0 / torch.tensor(float(P_MAX))


def _quantized(x: Tensor, qmax: int, scale_type: torch.dtype) -> QuantizedTensor:
    peak = x.abs().amax(-1)
    _require_finite(peak)
    scales = _scale(peak, qmax, scale_type)
    return QuantizedTensor(_integers(x, (1.0 / scales.float()).unsqueeze(-1), qmax), scales)


def _scale(peak: Tensor, qmax: int, scale_type: torch.dtype) -> Tensor:
    least, largest = SCALE_RANGE[scale_type]
    # A tensor as divisor: PyTorch may multiply by the reciprocal of a plain number.
    return (peak / torch.tensor(float(qmax))).clamp(least, largest).to(scale_type)


def _integers(x: Tensor, reciprocal: Tensor, qmax: int) -> Tensor:
    # torch.round rounds halves to even.
    return torch.round(x * reciprocal).clamp(-qmax, qmax).to(torch.int8)


def _require_finite(x: Tensor) -> None:
    if not torch.isfinite(x).all():
        raise InputError(
            "not-finite",
            "NaN or infinity cannot be quantized",
            where="quantizer",
            hints=["check the weights and the inputs"],
        )


# --- How far a quantized result is from the one in floating point


def sqnr_db(reference: Tensor, quantized: Tensor) -> float:
    """Signal to quantization noise ratio in decibels, ``10 log10(sum(reference^2) / sum((reference - quantized)^2))``.

    Returns:
        Infinity where both agree.

    Raises:
        InputError: the shapes differ.
    """
    if reference.shape != quantized.shape:
        what = f"shapes {list(reference.shape)} and {list(quantized.shape)} cannot be compared"
        raise InputError("shape-mismatch", what, where="sqnr_db")
    signal = float((reference.double() ** 2).sum())
    noise = float(((reference.double() - quantized.double()) ** 2).sum())
    if noise == 0.0:
        return math.inf
    return 10.0 * math.log10(signal / noise) if signal else -math.inf
