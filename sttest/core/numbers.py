"""What a text must look like to be a number: finite, in plain digits.

Python, pydantic and YAML read ``nan``, ``inf``, ``1e999`` and ``1_0``, too, and each of them something of its own.
Options of all verbs, JSON, YAML and CSV go by the rules of this module alone.
"""

import math
import re

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SHOWN_CHARS = 40
_MOST_DIGITS = 18
"""Digits of a whole number: what is counted fits into 64 bits."""


def whole(text: str) -> int:
    """A whole number, with spaces around it at most.

    >>> whole(" -12")
    -12

    Raises:
        ValueError: the text is something else, or has more digits than anything that is counted.
    """
    found = text.strip()
    if not _WHOLE.fullmatch(found):
        raise ValueError(f"'{text:.{_SHOWN_CHARS}}' is no whole number in plain digits")
    if len(found.lstrip("+-0")) > _MOST_DIGITS:
        raise ValueError(f"'{text:.{_SHOWN_CHARS}}' is a whole number of more than {_MOST_DIGITS} digits")
    return int(found)


def real(text: str) -> float:
    """A finite number, with spaces around it at most.

    >>> real("2.5e-3")
    0.0025

    Raises:
        ValueError: the text is something else, such as ``nan``, or too large.
    """
    number = float(text) if _REAL.fullmatch(text.strip()) else math.nan
    if not math.isfinite(number):
        raise ValueError(f"'{text:.{_SHOWN_CHARS}}' is no finite number in plain digits")
    return number


def is_disguised(text: str) -> bool:
    """Whether Python would take a text for a number that :func:`real` refuses.

    >>> [is_disguised(text) for text in ("1_0", "Infinity", "10", "ten")]
    [True, True, False, False]
    """
    try:
        number = float(text)
    except ValueError:
        return False
    return not (math.isfinite(number) and _REAL.fullmatch(text.strip()))
