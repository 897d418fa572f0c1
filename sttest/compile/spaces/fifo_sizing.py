"""FIFO sizing: from the timing of the kernels to a depth per FIFO.

After StreamTensor (arXiv 2509.13694, the FIFO sizing space): equalise the
kernels, solve for the delays, then count tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sttest.compile.spaces.fifo_delays import DelayEdge, solve_delays
from sttest.compile.spaces.fifo_tokens import EdgeRates, depth
from sttest.errors import InputError, did_you_mean


class Strategy(StrEnum):
    """At which speed the kernels are taken to run."""

    NORMAL = "normal"
    """Each at its own."""
    CONSERVATIVE = "conservative"
    """All at the slowest one's: smaller FIFOs for some latency."""


@dataclass(frozen=True)
class KernelTiming:
    """A kernel's run, in cycles."""

    name: str
    ii: int
    """Between two output tokens."""
    first_output_cycles: int
    """From the start to the first output token: D."""
    total_cycles: int
    """From the start to the last output token: L = D + (T - 1) II for T tokens."""

    def __post_init__(self) -> None:
        if self.ii < 1 or not 0 <= self.first_output_cycles <= self.total_cycles:
            raise InputError(
                "bad-kernel-timing",
                f"ii must be 1 or more and 0 <= first output <= total cycles in {self}",
                where=self.name,
                levers=["correct the timing of this kernel"],
            )

    @property
    def busy_cycles(self) -> int:
        """Between two runs that follow each other without a gap: T × II."""
        return self.total_cycles - self.first_output_cycles + self.ii

    @property
    def tokens(self) -> int:
        """Output tokens of one run, if they come at one rate.

        Raises:
            InputError: ``not-single-rate``.
        """
        if self.busy_cycles % self.ii:
            raise InputError(
                "not-single-rate",
                f"{self.total_cycles - self.first_output_cycles} cycles from the first to the last output token are"
                f" no multiple of the ii of {self.ii}",
                where=self.name,
                levers=["give the FIFOs of this kernel their own rates"],
            )
        return self.busy_cycles // self.ii


@dataclass(frozen=True)
class FifoFacts:
    """A FIFO; without rates of its own it runs at those of its two kernels."""

    name: str
    source: str
    target: str
    rates: EdgeRates | None = None


@dataclass(frozen=True)
class FifoSize:
    """The decision for one FIFO."""

    delay_cycles: int
    """From the source's start to the target's start."""
    depth: int


def equalise(kernels: Sequence[KernelTiming], strategy: Strategy) -> list[KernelTiming]:
    """The kernels at the speeds of a strategy.

    Normal leaves them alone.  Conservative stretches every II by the slowest
    kernel's busy cycles over its own, rounded down to whole cycles, so that no
    kernel becomes slower than the slowest; the first output stays where it is.
    """
    pace = _pace_cycles(kernels, strategy)
    return [_stretched(kernel, pace[kernel.name]) for kernel in kernels]


def size_fifos(
    kernels: Sequence[KernelTiming], fifos: Sequence[FifoFacts], strategy: Strategy = Strategy.NORMAL
) -> dict[str, FifoSize]:
    """Delay and depth per FIFO name, in the order given.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name``,
            ``duplicate-name``, or ``not-single-rate`` for a FIFO that has no
            rates of its own.
    """
    timing = {kernel.name: kernel for kernel in kernels}
    pace = _pace_cycles(kernels, strategy)
    rates = {fifo.name: _rates_at(fifo, timing, pace) for fifo in fifos}
    edges = [DelayEdge(fifo.name, fifo.source, fifo.target, rates[fifo.name].min_delay_cycles) for fifo in fifos]
    delays = solve_delays([kernel.name for kernel in kernels], edges)
    return {name: FifoSize(delay, depth(rates[name], delay)) for name, delay in delays.items()}


def _pace_cycles(kernels: Sequence[KernelTiming], strategy: Strategy) -> dict[str, int]:
    """Busy cycles that each kernel shall take."""
    own = {kernel.name: kernel.busy_cycles for kernel in kernels}
    if strategy == Strategy.NORMAL:
        return own
    return dict.fromkeys(own, max(own.values(), default=0))


def _stretched(kernel: KernelTiming, pace_cycles: int) -> KernelTiming:
    ii = kernel.ii * pace_cycles // kernel.busy_cycles
    streaming_cycles = (kernel.total_cycles - kernel.first_output_cycles) * ii // kernel.ii
    return replace(kernel, ii=ii, total_cycles=kernel.first_output_cycles + streaming_cycles)


def _rates_at(fifo: FifoFacts, timing: dict[str, KernelTiming], pace: dict[str, int]) -> EdgeRates:
    """The FIFO's rates when its two kernels keep their pace."""
    for name in (fifo.source, fifo.target):
        if name not in timing:
            raise InputError(
                "unknown-name",
                f"the FIFO names the unknown kernel '{name}'",
                where=fifo.name,
                levers=[did_you_mean(name, timing)],
            )
    source, target = timing[fifo.source], timing[fifo.target]
    own = fifo.rates or EdgeRates(source.tokens, source.ii, source.first_output_cycles, target.ii)
    return replace(
        own,
        source_ii=own.source_ii * pace[source.name] // source.busy_cycles,
        target_ii=own.target_ii * pace[target.name] // target.busy_cycles,
    )
