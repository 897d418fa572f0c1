"""Lowers depths one FIFO at a time, as long as a design does what it must."""

from collections.abc import Callable, Sequence

import numpy as np

from sttest.sim.graph import TimedGraph, srl_depth

IsEnough = Callable[[np.ndarray], bool]
"""Whether a depth vector, int64[F], does what it must."""


def least_depth(is_enough: Callable[[int], bool], low: int, high: int, threshold: int = 0) -> int:
    """The least depth in [low, high] that is enough, where ``high`` is.

    Deeper is as good on either side of ``threshold``, but not across it: up to there a FIFO is a
    shift register, which passes its tokens a cycle sooner than a RAM.
    """
    if low >= high or is_enough(low):
        return min(low, high)
    if low < threshold < high and is_enough(threshold):
        high = threshold
    elif low < threshold < high:
        low = threshold
    while high - low > 1:
        middle = (low + high) // 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


def reduce_depths(
    start: np.ndarray, lower: np.ndarray, is_enough: IsEnough, order: Sequence[int], thresholds: np.ndarray
) -> np.ndarray:
    """A local minimum: depths of which no single one can be lowered.

    Args:
        start: int64[F], enough.
        lower: int64[F], below which nothing is tried.
        is_enough: predicate that the depths must satisfy.
        order: FIFOs, those to be lowered first at the front.
        thresholds: int64[F], see :func:`least_depth`.
    """
    depths = start.copy()
    is_lowered = True
    while is_lowered:
        is_lowered = False
        for fifo in order:
            trial = depths.copy()

            def is_enough_with(depth: int, trial: np.ndarray = trial, fifo: int = fifo) -> bool:
                trial[fifo] = depth
                return is_enough(trial)

            high = int(depths[fifo])
            # Most FIFOs stay as they are in all passes but the first, which two trials tell.
            if high <= lower[fifo] or not _can_fall(is_enough_with, high, int(thresholds[fifo])):
                continue
            depths[fifo] = least_depth(is_enough_with, int(lower[fifo]), high, int(thresholds[fifo]))
            is_lowered |= depths[fifo] < high
    return depths


def _can_fall(is_enough: Callable[[int], bool], depth: int, threshold: int) -> bool:
    return is_enough(depth - 1) or (0 < threshold < depth - 1 and is_enough(threshold))


def srl_thresholds(graph: TimedGraph) -> np.ndarray:
    """The greatest depth at which a FIFO of kind ``auto`` is a shift register; 0 where its kind doesn't change."""
    return np.array([srl_depth(fifo.bits) if fifo.impl == "auto" else 0 for fifo in graph.fifos], np.int64)
