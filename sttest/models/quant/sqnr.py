"""How far a quantised result is from the one in floating point."""

from __future__ import annotations

import math

from torch import Tensor

from sttest.errors import InputError


def sqnr_db(reference: Tensor, quantised: Tensor) -> float:
    """Signal to quantisation noise ratio in decibels, ``10 log10(sum(reference^2) / sum((reference - quantised)^2))``.

    Returns:
        Infinity where both agree.

    Raises:
        InputError: the shapes differ.
    """
    if reference.shape != quantised.shape:
        what = f"shapes {list(reference.shape)} and {list(quantised.shape)} cannot be compared"
        raise InputError("shape-mismatch", what, where="sqnr_db")
    signal = float((reference.double() ** 2).sum())
    noise = float(((reference.double() - quantised.double()) ** 2).sum())
    if noise == 0.0:
        return math.inf
    return 10.0 * math.log10(signal / noise) if signal else -math.inf
