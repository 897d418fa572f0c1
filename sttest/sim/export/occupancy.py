"""How many tokens a FIFO held over time."""

from __future__ import annotations

import numpy as np


def window_cycles(cycles: int, samples: int) -> int:
    """Cycles per sample, where a run of ``cycles`` is shown by at most ``samples``."""
    return max(-(-cycles // samples), 1)


def occupancy(writes: np.ndarray, reads: np.ndarray, initial: int, cycles: int, samples: int) -> list[tuple[int, int]]:
    """First cycle of each window and the most tokens held in it; a token leaves in the cycle after its read.

    Args:
        writes: int64 cycles of the writes, in order.
        reads: int64 cycles of the reads, in order.
        initial: tokens that were there at the start.
        cycles: end of the run.
        samples: most windows.
    """
    window = window_cycles(cycles, samples)
    when = np.concatenate([writes, reads + 1])
    step = np.concatenate([np.ones(writes.size, np.int64), np.full(reads.size, -1, np.int64)])
    order = np.lexsort((step, when))
    when, held = when[order], initial + np.cumsum(step[order])
    last_at = np.append(when[1:] != when[:-1], True)[: when.size]
    when, held = when[last_at], held[last_at]
    number = -(-(cycles + 1) // window) + 1
    at_start = np.append(initial, held)[np.searchsorted(when, np.arange(number) * window)]
    most = at_start.copy()
    np.maximum.at(most, when // window, held)
    return [(int(index) * window, int(tokens)) for index, tokens in enumerate(most)]
