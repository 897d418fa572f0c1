"""Arithmetic and functions of binary32 without subnormal numbers, on arrays: docs/reference/values.md to the bit."""

from collections.abc import Callable
from functools import cache

import numpy as np

from sttest.reference.function_tables import (
    EXP_FRACTION_BITS,
    EXP_INDEX_BITS,
    FRACTION_BITS,
    GUARD_BITS,
    LOG2_E,
    LOG2_E_BITS,
    RSQRT_INDEX_BITS,
    Quadratics,
    exp_table,
    rsqrt_table,
)
from sttest.reference.graph import Array

F32 = np.float32
_ONE, _TWO = np.array(1, F32), np.array(2, F32)
LEAST = 2.0**-126
"""The least normal number: what is smaller, but not 0, is subnormal."""
ROUNDS_TO_LEAST = 2.0**-126 - 2.0**-151
"""The least number whose significand of 24 bits is rounded up to `LEAST`."""
BIAS = 127
_INFINITY, _NAN, _LEAST_BITS = 0xFF << FRACTION_BITS, 0x1FF << (FRACTION_BITS - 1), 1 << FRACTION_BITS

# --- Subnormal numbers are flushed


def flushed(values: Array) -> Array:
    """The values, those that are subnormal as zeros of their sign."""
    if not _some_reach_down_to_least(values):
        return values
    return np.where(np.abs(values) < LEAST, np.copysign(F32(0), values), values)


def _some_reach_down_to_least(values: Array) -> bool:
    """Whether a value other than zero is at most `LEAST` in magnitude; it takes less time than to flush."""
    # Twice the bits lose the sign, and one less takes zero to the other end.
    bits = np.left_shift(np.asarray(values, F32).view(np.uint32), 1)
    return bool(np.subtract(bits, 1).min(initial=0xFFFFFFFF) < 2 * _LEAST_BITS)


def _flushing(operation: Callable[..., Array]) -> Callable[[Array, Array], Array]:
    """An operation that numpy rounds once, of operands that are flushed; so is what it rounds to."""

    def computed(left: Array, right: Array) -> Array:
        left, right = flushed(left), flushed(right)
        result = operation(left, right)
        if not _some_reach_down_to_least(result):
            return result
        with np.errstate(all="ignore"):
            # Exact where it is that small, but for quotients, none of which comes near the bound.
            wide = np.abs(operation(np.asarray(left, np.float64), np.asarray(right, np.float64)))
        return np.where(wide < ROUNDS_TO_LEAST, np.copysign(F32(0), result), result)

    return computed


add = _flushing(np.add)
subtract = _flushing(np.subtract)
multiply = _flushing(np.multiply)
divide = _flushing(np.divide)


def sqrt(x: Array) -> Array:
    """The square root, rounded once."""
    return np.sqrt(flushed(x))


# --- Functions by tables


def exp(x: Array) -> Array:
    """``2 ** (x * log2(e))``: the whole part is the exponent, the fraction goes through the table."""
    bits, biased, fraction = _parts(x)
    shift = FRACTION_BITS + LOG2_E_BITS - EXP_FRACTION_BITS + BIAS - biased
    least_shift = FRACTION_BITS + LOG2_E_BITS - EXP_FRACTION_BITS - 6
    magnitude = ((fraction | _LEAST_BITS) * LOG2_E) >> np.clip(shift, least_shift, 63)
    is_negative = bits >> 31 != 0
    exponent = np.where(is_negative, -magnitude, magnitude)
    offset_bits = EXP_FRACTION_BITS - EXP_INDEX_BITS
    index = (exponent >> offset_bits) & ((1 << EXP_INDEX_BITS) - 1)
    significand = _rounded(exp_table(), index, exponent & ((1 << offset_bits) - 1))
    result = (((exponent >> EXP_FRACTION_BITS) + (BIAS - 1)) << FRACTION_BITS) + significand
    result = np.where(result < _LEAST_BITS, 0, np.minimum(result, _INFINITY))
    result = np.where(biased >= BIAS + 7, np.where(is_negative, 0, _INFINITY), result)
    return _number(np.where(_is_nan(biased, fraction), _NAN, result))


def rsqrt(x: Array) -> Array:
    """The reciprocal of the square root: exponent halved, significand by the table."""
    bits, biased, fraction = _parts(x)
    offset_bits = FRACTION_BITS - RSQRT_INDEX_BITS + 1
    index = (bits >> offset_bits) & ((1 << RSQRT_INDEX_BITS) - 1)
    significand = _rounded(rsqrt_table(), index, bits & ((1 << offset_bits) - 1))
    result = ((BIAS + BIAS // 2 - 1 - ((biased + 1) >> 1)) << FRACTION_BITS) + significand
    sign = (bits >> 31) << 31
    result = np.where(biased == 0xFF, 0, np.where(sign != 0, _NAN, result))
    result = np.where((sign != 0) & (biased == 0xFF), _NAN, result)
    result = np.where(biased == 0, sign | _INFINITY, result)
    return _number(np.where(_is_nan(biased, fraction), _NAN, result))


def tanh(x: Array) -> Array:
    """``1 - 2 / (exp(2 |x|) + 1)`` with the sign of x, every operation rounded."""
    magnitude = np.abs(x)
    denominator = add(exp(add(magnitude, magnitude)), _ONE)
    return np.copysign(subtract(_ONE, divide(_TWO, denominator)), x)


def _parts(x: Array) -> tuple[Array, Array, Array]:
    """Bits, biased exponent and fraction."""
    bits = np.asarray(x, F32).view(np.uint32).astype(np.int64)
    return bits, (bits >> FRACTION_BITS) & 0xFF, bits & (_LEAST_BITS - 1)


def _is_nan(biased: Array, fraction: Array) -> Array:
    return (biased == 0xFF) & (fraction != 0)


def _rounded(table: Quadratics, index: Array, offset: Array) -> Array:
    """The significand that a table gives, from 2^23 to 2^24."""
    c0, c1, c2 = (np.take(each, index) for each in _columns(table))
    slope = c1 + ((c2 * offset) >> table.offset_bits)
    value = c0 + ((slope * offset) >> table.offset_bits)
    return (value + (1 << (GUARD_BITS - 1))) >> GUARD_BITS


@cache
def _columns(table: Quadratics) -> Array:
    return np.array(table.rows, np.int64).T


def _number(bits: Array) -> Array:
    return np.asarray(bits).astype(np.uint32).view(F32)
