"""Arithmetic and functions of binary32 without subnormal numbers in PyTorch: docs/reference/values.md to the bit."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

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

LEAST = 2.0**-126
"""The least normal number."""
ROUNDS_TO_LEAST = 2.0**-126 - 2.0**-151
"""The least number whose significand of 24 bits is rounded up to `LEAST`."""

# --- Subnormal numbers are flushed


def flushing(operation: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
    """An operation of PyTorch's on two float32 numbers, one of them a tensor, without subnormal numbers."""

    def computed(left: Any, right: Any) -> Tensor:
        left, right = _flushed(left), _flushed(right)
        result = operation(left, right)
        if not _reaches_down_to_least(result):
            return result
        wide = operation(_wide(left), _wide(right)).abs()
        return torch.where(wide < ROUNDS_TO_LEAST, _zero_like(result), result)

    return computed


def _flushed(x: Any) -> Any:
    if not isinstance(x, Tensor) or not _reaches_down_to_least(x):
        return x
    return torch.where(x.abs() < LEAST, _zero_like(x), x)


def _reaches_down_to_least(x: Tensor) -> bool:
    magnitude = x.abs()
    return bool(((magnitude <= LEAST) & (magnitude > 0)).any())


def _wide(x: Any) -> Any:
    return x.double() if isinstance(x, Tensor) else x


def _zero_like(x: Tensor) -> Tensor:
    return torch.copysign(torch.zeros(()), x)


add = flushing(torch.add)
subtract = flushing(torch.sub)
divide = flushing(torch.div)

# --- Functions


def exp(x: Tensor) -> Tensor:
    """The power of two by the table of its fraction."""
    bits, exponent, fraction = _parts(x)
    dropped = (FRACTION_BITS + LOG2_E_BITS - EXP_FRACTION_BITS) - exponent
    # Numbers from 128 on are shifted as smaller ones; their results are chosen below.
    scaled = (fraction + (1 << FRACTION_BITS)) * LOG2_E >> dropped.clamp(22, 63)
    power = torch.where(bits < 0, -scaled, scaled)
    rest = power % (1 << EXP_FRACTION_BITS)
    bits_of_offset = EXP_FRACTION_BITS - EXP_INDEX_BITS
    significand = _significand(exp_table(), rest >> bits_of_offset, rest % (1 << bits_of_offset))
    result = (((power >> EXP_FRACTION_BITS) + 126) << FRACTION_BITS) + significand
    result = result.clamp(max=_bits(torch.inf))
    result = torch.where(result < _bits(LEAST), 0, result)
    beyond = torch.where(bits < 0, 0, _bits(torch.inf))
    return torch.where(torch.isnan(x), x, _number(torch.where(exponent > 6, beyond, result)))


def rsqrt(x: Tensor) -> Tensor:
    """The reciprocal of the square root by the table of its significand."""
    _, exponent, fraction = _parts(x)
    place = fraction + ((exponent & 1 ^ 1) << FRACTION_BITS)
    bits_of_offset = FRACTION_BITS + 1 - RSQRT_INDEX_BITS
    significand = _significand(rsqrt_table(), place >> bits_of_offset, place % (1 << bits_of_offset))
    found = _number(((125 - (exponent >> 1)) << FRACTION_BITS) + significand)
    found = torch.where(torch.isinf(x), 0.0, found)
    found = torch.where(x < 0, torch.nan, found)
    found = torch.where(exponent == -127, torch.copysign(torch.tensor(torch.inf), x), found)
    return torch.where(torch.isnan(x), x, found)


def tanh(x: Tensor) -> Tensor:
    """``1 - 2 / (exp(2 |x|) + 1)`` under the sign of x."""
    magnitude, one = x.abs(), torch.ones(())
    part = divide(torch.full((), 2.0), add(exp(add(magnitude, magnitude)), one))
    return torch.copysign(subtract(one, part), x)


def sigmoid(x: Tensor) -> Tensor:
    """``1 / (exp(-x) + 1)``."""
    one = torch.ones(())
    return divide(one, add(exp(-x), one))


def _parts(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The bits as an integer that is negative as x is, the exponent and the fraction."""
    bits = x.detach().contiguous().view(torch.int32).long()
    return bits, ((bits >> FRACTION_BITS) & 0xFF) - 127, bits & ((1 << FRACTION_BITS) - 1)


@cache
def _columns(table: Quadratics) -> Tensor:
    return torch.tensor(table.rows, dtype=torch.int64).T.contiguous()


def _significand(table: Quadratics, interval: Tensor, offset: Tensor) -> Tensor:
    """Rounded to 23 bits behind the point; 2^24 stands for 2."""
    constant, first, second = (column[interval] for column in _columns(table))
    slope = first + (second * offset >> table.offset_bits)
    return constant + (slope * offset >> table.offset_bits) + (1 << GUARD_BITS >> 1) >> GUARD_BITS


def _bits(number: float) -> int:
    return int(torch.tensor(number).view(torch.int32))


def _number(bits: Tensor) -> Tensor:
    return bits.to(torch.int32).view(torch.float32)
