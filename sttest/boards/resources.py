"""What logic takes of an FPGA: the five resources that a design is built of, and how they add up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from sttest.boards.part import Fabric, Slr

# A CLB of UltraScale+ has 8 LUTs and 16 flip-flops (AMD UG574); shells are given in LUTs alone.
FF_PER_LUT = 2


@dataclass(frozen=True)
class Resources:
    """Amounts of programmable logic; halves of a DSP are instances that share one.

    Attributes:
        dsp: DSP slices.
        lut: 6-input LUTs, those used as memory included.
        ff: flip-flops.
        bram18: block memories of 18 Kib.
        uram: UltraRAM blocks of 288 Kib.
    """

    dsp: float = 0
    lut: float = 0
    ff: float = 0
    bram18: float = 0
    uram: float = 0

    def __add__(self, other: Resources) -> Resources:
        # Spelled out, as searches add up many.
        return Resources(
            self.dsp + other.dsp, self.lut + other.lut, self.ff + other.ff,
            self.bram18 + other.bram18, self.uram + other.uram,
        )  # fmt: skip

    def __mul__(self, factor: float) -> Resources:
        return Resources(
            self.dsp * factor, self.lut * factor, self.ff * factor, self.bram18 * factor, self.uram * factor
        )

    def __iter__(self) -> Iterator[float]:
        # astuple would copy every number, and searches add up many.
        return iter((self.dsp, self.lut, self.ff, self.bram18, self.uram))

    def shares_of(self, budget: Resources) -> Resources:
        """Each amount over that of ``budget``; infinite where there is none of what is asked for."""
        return Resources(
            _share(self.dsp, budget.dsp), _share(self.lut, budget.lut), _share(self.ff, budget.ff),
            _share(self.bram18, budget.bram18), _share(self.uram, budget.uram),
        )  # fmt: skip

    @property
    def largest(self) -> float:
        """The largest of the five amounts: of shares, the resource that runs out first."""
        return max(self)


KINDS = tuple(field.name for field in fields(Resources))
"""Names of the resources, in the order in which they are reported."""


def total(parts: Iterable[Resources]) -> Resources:
    """The sum of all parts; nothing at all is zero."""
    return sum(parts, start=Resources())


def slr_capacity(slr: Slr) -> Resources:
    """What an SLR has for kernels, the shell taken off and no margin kept."""
    lut = slr.lut.count
    return Resources(slr.dsp.count, lut, FF_PER_LUT * lut, slr.bram18.count, slr.uram.count)


def slr_budgets(fabric: Fabric) -> tuple[Resources, ...]:
    """What a design may fill of each SLR and still be expected to route: capacity times ``resource_threshold``."""
    return tuple(slr_capacity(slr) * fabric.resource_threshold.value for slr in fabric.slrs)


def _share(amount: float, bound: float) -> float:
    if amount == 0:
        return 0.0
    return amount / bound if bound else float("inf")
