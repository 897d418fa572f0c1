"""Compiled: how full a FIFO gets.  Import it late, numba takes its time."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def peak_held(taken: np.ndarray, gone: np.ndarray, initial: int, gone_at_once: bool) -> int:
    """Most tokens held: ``taken`` and ``gone`` are ascending cycles; a token leaves in the cycle after, or at once."""
    peak, left = initial, 0
    for i in range(taken.size):
        until = taken[i] if gone_at_once else taken[i] - 1
        while left < gone.size and gone[left] <= until:
            left += 1
        peak = max(peak, initial + i + 1 - left)
    return peak
