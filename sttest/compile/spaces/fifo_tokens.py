"""The token model: how many tokens one FIFO holds at most.

After StreamTensor (arXiv 2509.13694, the FIFO sizing space).  Times are in
cycles.  A *delay* is the time from the start of a FIFO's source to the start
of its target.
"""

from __future__ import annotations

from dataclasses import dataclass

from sttest.errors import InputError

MIN_DEPTH = 2
"""A shift-register FIFO of depth 1 passes a token only every second cycle."""


@dataclass(frozen=True)
class EdgeRates:
    """When the two ends of a FIFO touch it, each at a rate of its own.

    The n-th write is at ``first_write_cycles + n * source_ii`` after the
    source's start, the n-th read at ``first_read_cycles + n * target_ii``
    after the target's start, unless it has to wait.
    """

    tokens: int
    source_ii: int
    first_write_cycles: int
    target_ii: int
    first_read_cycles: int = 0

    def __post_init__(self) -> None:
        if min(self.tokens, self.source_ii, self.target_ii) < 1:
            raise InputError(
                "bad-edge-rates",
                f"tokens, source_ii and target_ii must be 1 or more in {self}",
                levers=["correct the rates of this FIFO"],
            )

    @property
    def min_delay_cycles(self) -> int:
        """The delay with which the first read does not wait; negative if the target reads late."""
        return self.first_write_cycles - self.first_read_cycles

    @property
    def last_write_cycles(self) -> int:
        """From the source's start to its last write: L of the paper."""
        return self.first_write_cycles + (self.tokens - 1) * self.source_ii


def max_tokens(rates: EdgeRates, delay_cycles: int) -> int:
    """The most tokens inside, by the closed form of the paper.

    A faster source (``source_ii < target_ii``) has the FIFO fullest at its
    last write, ``T - floor((L - delay) / II_t)``; else it is fullest at the
    first read, ``ceil((delay - D) / II_s)``; never more than T.  The delay
    counts to the first read, which is never before the first write.

    This covers the peak if a read in the same cycle counts before the write.
    """
    to_first_read = max(delay_cycles + rates.first_read_cycles, rates.first_write_cycles)
    if rates.source_ii < rates.target_ii:
        inside = rates.tokens - (rates.last_write_cycles - to_first_read) // rates.target_ii
    else:
        inside = -((rates.first_write_cycles - to_first_read) // rates.source_ii)
    return min(rates.tokens, inside)


def depth(rates: EdgeRates, delay_cycles: int) -> int:
    """Depth with which the FIFO never holds its source back.

    Ours: one more than :func:`max_tokens`, because a FIFO that is full takes
    no write in the cycle in which it is read, and never below 2.
    """
    return max(MIN_DEPTH, max_tokens(rates, delay_cycles) + 1)
