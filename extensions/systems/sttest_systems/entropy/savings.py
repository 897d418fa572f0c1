"""What entropy coding saves: exponents of normal numbers in closed form, and integers of quantized weights."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sttest_systems.entropy.coding.huffman import entropy_bits, prefix_code

_BIAS = 127


def normal_exponents(deviation: float) -> NDArray[np.float64]:
    """The share of normal numbers with each exponent once they are rounded to bfloat16, zeros at exponent 0."""
    # What is less than half a step below a power of two is rounded to it; the step below has 8 bits less.
    powers = 2.0 ** np.arange(1 - _BIAS, 256 - _BIAS)
    bounds = np.concatenate([[0.0], powers * (1 - 2.0**-9), [np.inf]])
    return np.diff(2 * ndtr(bounds / deviation) - 1)


def share_entropy(shares: NDArray[np.float64]) -> float:
    """Entropy of probabilities, bits."""
    seen = shares[shares > 0]
    return float(-(seen * np.log2(seen)).sum())


def integer_shares(bits: int, most: float) -> NDArray[np.float64]:
    """The share of normal numbers of deviation 1 that become each integer.

    Args:
        bits: bits of an integer, symmetric about 0.
        most: number that becomes the largest integer; greater ones do as well.
    """
    largest = 2 ** (bits - 1) - 1
    bounds = (np.arange(-largest, largest) + 0.5) * most / largest
    return np.diff(np.concatenate([[0.0], ndtr(bounds), [1.0]]))


def quantized(values: NDArray[np.float64], bits: int, group: int) -> NDArray[np.int64]:
    """Integers of groups of weights, each scaled by its largest magnitude."""
    grouped = values.reshape(-1, group)
    largest = 2 ** (bits - 1) - 1
    return np.rint(grouped / np.abs(grouped).max(1, keepdims=True) * largest).astype(np.int64).ravel()


def integer_code_bits(values: NDArray[np.int64], longest: int) -> tuple[float, float]:
    """Entropy and mean codeword of integers, bits."""
    counts = np.bincount(values - values.min())
    return entropy_bits(counts), prefix_code(counts, longest).mean_bits(counts)


def rate_bound(lanes: int, symbols: int, channel_bits: float, weight_bits: float) -> float:
    """Weights per cycle of a decoder behind a channel: what the lanes decode, or what the channel brings."""
    return min(lanes * symbols, channel_bits / weight_bits)


def offload_tokens_per_s(
    held_bytes: float, room_bytes: float, hbm_gb_per_s: float, copy: Callable[[int], float]
) -> float:
    """Tokens per second of a model of which the HBM holds a part, the rest copied from the host for each token.

    Args:
        held_bytes: weights.
        room_bytes: HBM.
        hbm_gb_per_s: bandwidth of the HBM.
        copy: seconds that copying so many bytes takes.
    """
    missing = max(0.0, held_bytes - room_bytes)
    return 1 / max(held_bytes / hbm_gb_per_s / 1e9, copy(round(missing)) if missing else 0.0)
