"""Tables of the functions that a payload may call, as docs/reference/values.md defines them: integers only.

All engines share these facts, and each computes with them in its own way.  The coefficients come from decimal
arithmetic of `PRECISION` digits, whose square roots and exponentials are correctly rounded, so they are the same on
every machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cache

PRECISION = 40
"""Decimal digits while coefficients are computed."""
FRACTION_BITS = 23
"""Bits of a binary32 significand behind the point."""
GUARD_BITS = 6
"""Bits of a value behind those of its significand, which is rounded to nearest, halves upwards."""
EXP_FRACTION_BITS = 28
"""Bits behind the point of ``x * log2(e)``."""
LOG2_E_BITS = 33
"""Bits behind the point of `LOG2_E`."""
LOG2_E = 12392656037
"""``log2(e)``, rounded."""
EXP_INDEX_BITS = 7
"""The upper bits of the fraction of ``x * log2(e)`` choose the interval."""
RSQRT_INDEX_BITS = 8
"""The lowest bit of the exponent and the upper bits of the fraction choose the interval."""

Row = tuple[int, int, int]
"""Coefficients of ``c0 + c1 t + c2 t^2``."""


@dataclass(frozen=True)
class Quadratics:
    """A function between 1 and 2 on intervals of equal length, a quadratic in integers on each.

    At an offset ``t``, an integer of `offset_bits` bits,

        slope = c1 + floor(c2 * t / 2^offset_bits)
        value = c0 + floor(slope * t / 2^offset_bits)

    is the function in units of ``2^-(FRACTION_BITS + GUARD_BITS)``.
    """

    offset_bits: int
    rows: tuple[Row, ...]

    def coefficient_bits(self, power: int) -> int:
        """Bits of the largest coefficient of that power in two's complement."""
        return max((row[power] if row[power] >= 0 else ~row[power]).bit_length() for row in self.rows) + 1


@cache
def exp_table() -> Quadratics:
    """``2^f`` over ``f`` from 0 to 1, by its upper bits."""
    intervals = 1 << EXP_INDEX_BITS
    with localcontext(Context(prec=PRECISION)):
        log_2 = Decimal(2).ln()
        rows = tuple(_quadratic(lambda u, n=n: ((n + u) / intervals * log_2).exp()) for n in range(intervals))
    return Quadratics(EXP_FRACTION_BITS - EXP_INDEX_BITS, rows)


@cache
def rsqrt_table() -> Quadratics:
    """``2 / sqrt(m)``, first over ``m`` from 2 to 4 (even biased exponents), then from 1 to 2."""
    intervals = 1 << (RSQRT_INDEX_BITS - 1)
    with localcontext(Context(prec=PRECISION)):
        rows = tuple(
            _quadratic(lambda u, n=n, scale=scale: 2 / (scale * (1 + (n + u) / intervals)).sqrt())
            for scale in (2, 1)
            for n in range(intervals)
        )
    return Quadratics(FRACTION_BITS - RSQRT_INDEX_BITS + 1, rows)


def _quadratic(function: Callable[[Decimal], Decimal]) -> Row:
    """The quadratic through a function's values at the three Chebyshev nodes between 0 and 1, in integers."""
    half = Decimal(1) / 2
    reach = Decimal(3).sqrt() / 4
    low, middle, high = (function(half + step * reach) for step in (-1, 0, 1))
    # In v = (u - 1/2) / reach the values belong to -1, 0 and 1.
    slope, bend = (high - low) / 2, (high + low) / 2 - middle
    second = bend / (reach * reach)
    first = slope / reach - second
    constant = middle - slope / (2 * reach) + second / 4
    c0, c1, c2 = (round(each * (1 << (FRACTION_BITS + GUARD_BITS))) for each in (constant, first, second))
    return c0, c1, c2
