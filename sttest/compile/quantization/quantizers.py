"""The quantizers of docs/how-it-works/quantization.md as loop nests, every operation in its order.

scale      = round_to_scale_type(peak / qmax)
reciprocal = 1 / scale
q          = clamp(round_half_even(x * reciprocal))
"""

from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType, TensorType, f16, f32, i8, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from sttest.compile.linalg.iteration import shape_of
from sttest.compile.linalg.tensor_build import Named, constant, dims_map, generic
from sttest.compile.quantization.grouping import QuantizedValue, ScaleSharing

INT8_MAX = 127.0
_LARGEST_POWER = 2.0**15
"""The largest power of two that FP16 has."""
_ONE_OVER_127 = float(np.float32(1.0) / np.float32(INT8_MAX))
# Per scale type: no scale is under the first bound or over the second.  FP16 may be subnormal; of FP32 the reciprocal
# must be finite, and 127 scales too.
_LEAST = {f16: 2.0**-24, f32: 2.0**-126}
_LARGEST = {f16: 65504.0, f32: 2.0**121}


@dataclass(frozen=True)
class Integers:
    """To which integers a tensor is rounded, and under which scales."""

    bits: int = 8  # width of the integers
    scale_type: Attribute = f32  # f32 for activations, f16 for keys and values
    powers: bool = False  # whether scales are the next powers of two

    @property
    def largest(self) -> float:
        """The largest integer; the least is its negative."""
        return float((1 << self.bits - 1) - 1)


def quantize_dynamic(place: ScaleSharing, to: Integers, source: str) -> QuantizedValue:
    """A scale per group, from the largest magnitude in it: a barrier.

    Args:
        place: f32 tensor and the dims that share a scale.
        to: integers and scales.
        source: the module that writes the tensor.
    """
    rank, kept = len(shape_of(place.value)), place.kept
    sizes = [shape_of(place.value)[dim] for dim in kept]
    loops, scalars = dims_map(rank, range(rank)), dims_map(len(kept), range(len(kept)))
    peak = generic(
        [(place.value, loops)],
        (TensorType(i32, sizes), dims_map(rank, kept)),
        lambda x, peak: larger_bits(bits_of(math.AbsFOp(x).result), peak),
        Named(source, "peak"),
        place.shared,
    )
    scale = generic(
        [(peak, scalars)],
        (TensorType(to.scale_type, sizes), scalars),
        lambda bits, _: _scale(number_of(bits), to),
        Named(source, "scale"),
    )
    reciprocal = reciprocal_of(scale, source)
    return QuantizedValue(_integers(place.value, reciprocal, dims_map(rank, kept), to, source), scale, kept)


def halve(value: SSAValue, source: str) -> QuantizedValue:
    """Rounded to FP16, without a scale."""
    loops = dims_map(len(shape_of(value)), range(len(shape_of(value))))
    halves = generic(
        [(value, loops)],
        (TensorType(f16, shape_of(value)), loops),
        lambda x, _: arith.TruncFOp(x, f16).result,
        Named(source, "halve"),
    )
    return QuantizedValue(halves, None)


def quantize_static(value: SSAValue, scale: SSAValue, to: Integers, source: str) -> QuantizedValue:
    """One scale for all, [1] of f32, known before the first element: no barrier."""
    only = AffineMap(len(shape_of(value)), 0, (AffineExpr.constant(0),))
    return QuantizedValue(_integers(value, reciprocal_of(scale, source), only, to, source), scale)


def quantize_softmax(weights: SSAValue, source: str) -> QuantizedValue:
    """Unnormalized softmax weights in [0, 1] under the constant 1 / 127: no barrier."""
    loops = dims_map(len(shape_of(weights)), range(len(shape_of(weights))))
    values = generic(
        [(weights, loops)],
        (TensorType(i8, shape_of(weights)), loops),
        lambda x, _: rounded_softmax(x),
        Named(source, "quantize"),
    )
    return QuantizedValue(values, None)


def rounded_softmax(x: SSAValue) -> SSAValue:
    """A scalar in [0, 1] as int8 under 1 / 127."""
    return rounded(arith.MulfOp(x, constant(INT8_MAX)).result)


def dequantize(seen: QuantizedValue, source: str) -> SSAValue:
    """``f32(q) * f32(scale)``, in f32; without a scale ``f32(x)``."""
    rank = len(shape_of(seen.values))
    loops = dims_map(rank, range(rank))
    if seen.scale is None:
        kind = TensorType(f32, shape_of(seen.values))
        return generic([(seen.values, loops)], (kind, loops), lambda x, _: as_f32(x), Named(source, "widen"))
    return generic(
        [(seen.values, loops), (seen.scale, dims_map(rank, seen.dims))],
        (TensorType(f32, shape_of(seen.values)), loops),
        lambda q, scale, _: arith.MulfOp(as_f32(q), as_f32(scale)).result,
        Named(source, "dequantize"),
    )


def as_f32(scalar: SSAValue) -> SSAValue:
    """An integer or an FP16 number in f32."""
    if isinstance(scalar.type, IntegerType):
        return arith.SIToFPOp(scalar, f32).result
    return scalar if scalar.type == f32 else arith.ExtFOp(scalar, f32).result


def bits_of(x: SSAValue) -> SSAValue:
    """The bits of a number that is not negative: as integers they are in the order of the numbers.

    The larger of two integers is there after one cycle, that of two numbers after three (operators.yaml), and a
    running one has to be back before the next.
    """
    return arith.BitcastOp(x, i32).result


def number_of(bits: SSAValue) -> SSAValue:
    """The number with these bits."""
    return arith.BitcastOp(bits, f32).result


def larger_bits(left: SSAValue, right: SSAValue) -> SSAValue:
    """The larger of two, both as bits."""
    return arith.MaxSIOp(left, right).result


def one_over_127() -> SSAValue:
    """The scale of softmax weights, in f32."""
    return constant(_ONE_OVER_127)


def scale_under_bound(bound: SSAValue, source: str) -> SSAValue:
    """``max(bound, least FP16) * f32(1 / 127)``: scales of groups that are known to stay under some FP16 scale, f32.

    Args:
        bound: the bound as bits.
        source: the module that sums under them.
    """
    rank = len(shape_of(bound))
    loops = dims_map(rank, range(rank))
    return generic(
        [(bound, loops)],
        (TensorType(f32, shape_of(bound)), loops),
        lambda bits, _: arith.MulfOp(arith.MaximumfOp(number_of(bits), constant(_LEAST[f16])), one_over_127()).result,
        Named(source, "scale"),
    )


def _scale(peak: SSAValue, to: Integers) -> SSAValue:
    share, largest = arith.DivfOp(peak, constant(to.largest)).result, _LARGEST[to.scale_type]
    if to.powers:
        share, largest = _next_power(arith.MaximumfOp(share, constant(_LEAST[f32])).result), _LARGEST_POWER
    below = arith.MinimumfOp(share, constant(largest))
    scale = arith.MaximumfOp(below, constant(_LEAST[to.scale_type])).result
    return scale if to.scale_type == f32 else arith.TruncFOp(scale, to.scale_type).result


def _next_power(x: SSAValue) -> SSAValue:
    """The least power of two that is not below a normal number above 0: its exponent, one more if a bit follows."""
    above = arith.AddiOp(bits_of(x), arith.ConstantOp.from_int_and_width((1 << 23) - 1, i32)).result
    return number_of(arith.AndIOp(above, arith.ConstantOp.from_int_and_width(-(1 << 23), i32)).result)


def reciprocal_of(scale: SSAValue, source: str) -> SSAValue:
    """``1 / scale`` in f32."""
    rank = len(shape_of(scale))
    loops = dims_map(rank, range(rank))
    return generic(
        [(scale, loops)],
        (TensorType(f32, shape_of(scale)), loops),
        lambda x, _: arith.DivfOp(constant(1.0), as_f32(x)).result,
        Named(source, "reciprocal"),
    )


def _integers(value: SSAValue, reciprocal: SSAValue, access: AffineMap, to: Integers, source: str) -> SSAValue:
    rank = len(shape_of(value))
    loops = dims_map(rank, range(rank))
    return generic(
        [(value, loops), (reciprocal, access)],
        (TensorType(IntegerType(to.bits), shape_of(value)), loops),
        lambda x, factor, _: rounded(arith.MulfOp(x, factor).result, to),
        Named(source, "quantize"),
    )


def rounded(x: SSAValue, to: Integers = Integers()) -> SSAValue:
    """A scalar to the nearest integer, halves to the even one, saturating."""
    whole = math.RoundEvenOp(x)
    clamped = arith.MaximumfOp(arith.MinimumfOp(whole, constant(to.largest)), constant(-to.largest))
    return arith.FPToSIOp(clamped, IntegerType(to.bits)).result


def extended(scalar: SSAValue) -> SSAValue:
    """A narrow integer in i32."""
    return arith.ExtSIOp(scalar, i32).result
