"""Shares of faults with their 95 % confidence intervals: of one kind of site, and of a design that has several."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Share:
    """A share of the faults that were injected."""

    value: float
    low: float
    high: float
    count: int = 0  # faults that are meant, of ``of``
    of: int = 0

    @staticmethod
    def of_counts(count: int, of: int) -> "Share":
        """A binomial share with Wilson's score interval (Wilson, JASA 1927).

        >>> round(Share.of_counts(0, 100).high, 4)
        0.037
        """
        from scipy.stats import binomtest

        interval = binomtest(count, of).proportion_ci(CONFIDENCE, method="wilson")
        return Share(count / of, float(interval.low), float(interval.high), count, of)

    def to_json(self) -> dict[str, float | int]:
        """The share with its bounds and counts."""
        return {"share": self.value, "low": self.low, "high": self.high, "count": self.count, "of": self.of}


def weighted(shares: Mapping[str, Share], weights: Mapping[str, float]) -> Share:
    """The share of a whole whose parts were sampled apart, each with its weight.

    The interval is put together from those of the parts (MOVER: Zou and Donner, Statistics in Medicine 2008), which
    keeps them unsymmetrical.

    Args:
        shares: share by part.
        weights: weight by part, of any unit, such as bits.
    """
    total = sum(weights[name] for name in shares)
    parts = [(weights[name] / total, share) for name, share in shares.items()]
    value = sum(weight * share.value for weight, share in parts)
    below = sqrt(sum((weight * (share.value - share.low)) ** 2 for weight, share in parts))
    above = sqrt(sum((weight * (share.high - share.value)) ** 2 for weight, share in parts))
    count, of = (sum(getattr(share, name) for share in shares.values()) for name in ("count", "of"))
    return Share(value, max(value - below, 0.0), min(value + above, 1.0), count, of)
