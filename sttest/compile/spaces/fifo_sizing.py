"""FIFO sizing: from the timing of the kernels to a depth per FIFO.

After StreamTensor (arXiv 2509.13694, the FIFO sizing space): equalise the
kernels, solve for the delays, then count tokens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from sttest.compile.spaces.fifo_delays import solve_delays
from sttest.compile.spaces.fifo_graph import DelayEdge
from sttest.compile.spaces.fifo_schedule import schedule_delays
from sttest.compile.spaces.fifo_tokens import EdgeRates, depth
from sttest.errors import InputError, did_you_mean


class Strategy(StrEnum):
    """At which speed the kernels are taken to run."""

    NORMAL = "normal"
    """Each at its own."""
    CONSERVATIVE = "conservative"
    """All built for the slowest one's: smaller FIFOs for some latency."""
    THROTTLED = "throttled"
    """Ours: each built for its own, but held back to the slowest one's pace.

    A stalling pipeline that starves does not drain: to bring out its first
    token it must read as many as fit into its latency, however long these
    take to come.  So its first output moves with the pace too.  Sized as
    normal, such a design can deadlock where a slow kernel feeds a fast one
    beside a shorter path; sized as throttled it does not.
    """


class Delays(StrEnum):
    """Which linear program gives the delays."""

    PATHS = "paths"
    """The paper's: every directed path is long enough."""
    SCHEDULE = "schedule"
    """Ours: one start per kernel, safe for sources that meet in several places too."""


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

    Normal leaves them alone.  The others stretch every II by the slowest
    kernel's busy cycles over its own, rounded down to whole cycles, so that no
    kernel becomes slower than the slowest.  Throttled stretches the first
    output likewise, rounded up; conservative leaves it where it is.
    """
    speeds = _speeds(kernels, strategy)
    return [_stretched(kernel, speeds[kernel.name]) for kernel in kernels]


def size_fifos(
    kernels: Sequence[KernelTiming],
    fifos: Sequence[FifoFacts],
    strategy: Strategy = Strategy.NORMAL,
    *,
    delays: Delays = Delays.PATHS,
    read_after_write_cycles: int = 0,
) -> dict[str, FifoSize]:
    """Delay and depth per FIFO name, in the order given.

    Args:
        kernels: facts per kernel.
        fifos: facts per FIFO, with unique names.
        strategy: the kernels' speed.
        delays: the linear program.
        read_after_write_cycles: least time from a write to its read, the same
            for all FIFOs: 0 in the paper's token model, 1 for shift-register
            and 2 for RAM FIFOs.  It adds to the delay of every hop, so a path
            of fewer hops needs deeper FIFOs to make up for it.

    Raises:
        InputError: ``cyclic-graph`` (names the cycle), ``unknown-name``,
            ``duplicate-name``, or ``not-single-rate`` for a FIFO that has no
            rates of its own.
    """
    timing = {kernel.name: kernel for kernel in kernels}
    speeds = _speeds(kernels, strategy)
    rates = {fifo.name: _rates_at(fifo, timing, speeds) for fifo in fifos}
    hop = {name: own.min_delay_cycles + read_after_write_cycles for name, own in rates.items()}
    edges = [DelayEdge(fifo.name, fifo.source, fifo.target, hop[fifo.name]) for fifo in fifos]
    if delays == Delays.PATHS:
        found = solve_delays([kernel.name for kernel in kernels], edges)
    else:
        found = schedule_delays({kernel.name: kernel.total_cycles for kernel in equalise(kernels, strategy)}, edges)
    return {name: FifoSize(delay, depth(rates[name], delay)) for name, delay in found.items()}


@dataclass(frozen=True)
class _Speed:
    """How much slower than by itself a kernel is taken to run."""

    factor: Fraction
    stretches_first_output: bool

    def ii(self, own: int) -> int:
        return math.floor(own * self.factor)

    def first_write_cycles(self, own: int) -> int:
        return math.ceil(own * self.factor) if self.stretches_first_output else own

    def first_read_cycles(self, own: int) -> int:
        return math.floor(own * self.factor) if self.stretches_first_output else own


def _speeds(kernels: Sequence[KernelTiming], strategy: Strategy) -> dict[str, _Speed]:
    if strategy == Strategy.NORMAL:
        return {kernel.name: _Speed(Fraction(1), stretches_first_output=False) for kernel in kernels}
    slowest_cycles = max((kernel.busy_cycles for kernel in kernels), default=0)
    throttled = strategy == Strategy.THROTTLED
    return {kernel.name: _Speed(Fraction(slowest_cycles, kernel.busy_cycles), throttled) for kernel in kernels}


def _stretched(kernel: KernelTiming, speed: _Speed) -> KernelTiming:
    ii = speed.ii(kernel.ii)
    first_output_cycles = speed.first_write_cycles(kernel.first_output_cycles)
    streaming_cycles = (kernel.total_cycles - kernel.first_output_cycles) * ii // kernel.ii
    return KernelTiming(kernel.name, ii, first_output_cycles, first_output_cycles + streaming_cycles)


def _rates_at(fifo: FifoFacts, timing: Mapping[str, KernelTiming], speeds: Mapping[str, _Speed]) -> EdgeRates:
    """The FIFO's rates when its two kernels run at these speeds."""
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
    return EdgeRates(
        tokens=own.tokens,
        source_ii=speeds[source.name].ii(own.source_ii),
        first_write_cycles=speeds[source.name].first_write_cycles(own.first_write_cycles),
        target_ii=speeds[target.name].ii(own.target_ii),
        first_read_cycles=speeds[target.name].first_read_cycles(own.first_read_cycles),
    )
