"""Numbers as text: so many decimals per column that its points stand under each other."""

from __future__ import annotations

import math
from collections.abc import Iterable

SHOWN_DIGITS = 4
LEAST_DIGITS = 2
MOST_DIGITS = 5
_WIDEST = 1e7
_MOST_OFF = 0.05


def decimals_of(values: Iterable[float]) -> int | None:
    """Decimals that show all of ``values``; None where they are too far apart for one number of decimals.

    The lower quartile keeps four digits and the smallest number two, as long as the largest has no more than five.

    >>> decimals_of([193.78, 1517.99]), decimals_of([2, 12000]), decimals_of([1e-9, 1e6])
    (1, 0, None)
    """
    sizes = sorted(abs(value) for value in values if value)
    if all(size.is_integer() for size in map(float, sizes)):
        return 0
    if sizes[-1] / sizes[0] > _WIDEST:
        return None
    wanted = max(SHOWN_DIGITS - _digits(sizes[len(sizes) // 4]), LEAST_DIGITS - _digits(sizes[0]))
    return max(min(wanted, MOST_DIGITS - max(_digits(sizes[-1]), 0)), 0)


def number_text(value: float | None, decimals: int | None) -> str:
    """A number with a comma per thousand; a dash where there is none.

    One that so many decimals would put off by more than 5 % keeps two digits instead.

    >>> number_text(1517.991, 1), number_text(0.01114, 2), number_text(-1.234e-6, None), number_text(None, 0)
    ('1,518.0', '0.011', '−1.234e-06', '–')
    """
    if value is None:
        return "–"
    if not value:
        return "0"
    if decimals is None:
        text = f"{value:.4g}"
    else:
        is_off = abs(round(value, decimals) / value - 1) > _MOST_OFF
        text = f"{value:,.{LEAST_DIGITS - _digits(abs(value)) if is_off else decimals}f}"
    return f"−{text[1:]}" if text.startswith("-") else text


def error_text(error: float | None) -> str:
    """A relative error in percent, with its sign.

    >>> error_text(0.0938), error_text(-8e-7), error_text(1234.5)
    ('+9.4\\u2009%', '−0.0\\u2009%', '+123,450\\u2009%')
    """
    if error is None:
        return ""
    percent = 100 * error
    text = f"{percent:+,.0f}" if abs(percent) >= 1000 else f"{percent:+.1f}"
    return f"{text.replace('-', '−')}\N{THIN SPACE}%"


def _digits(size: float) -> int:
    """Digits before the point; less than 1 where the first digit stands behind it."""
    return math.floor(math.log10(size)) + 1
