"""Energy of a run from what it did: power that is always there, and joules per bit, cycle and access.

What each event costs is in the board's YAML, with a low, a central and a high
case; what happened is an :class:`Activity`, counted by the engines and the
package's activity report (``energy_activity.py``).  docs/energy.md has the
formula, and how near it comes to boards that were measured.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from sttest.boards.bracket import Case, PicojoulesPerAccess, PicojoulesPerBit, PicojoulesPerCycle, WattsBracket
from sttest.boards.part import Part

RAM_WORD_BITS = 72
"""Width of one access to a BRAM36 or a URAM288, parity bits included (AMD UG573)."""
_PICO = 1e-12


class EnergyCosts(Part):
    """What a board draws and what its events cost.

    Attributes:
        static_w: board and shell, no design loaded.
        clocked_w: what a loaded design adds before it does anything: clock trees, control, memory controllers.
        hbm: a bit to or from the HBM, its controller and PHY included.
        dsp: a DSP slice in a cycle in which it works.
        bram, uram: an access of 72 bits.
        srl_fifo: a bit pushed into and popped from a FIFO of shift registers.
    """

    static_w: WattsBracket
    clocked_w: WattsBracket
    hbm: PicojoulesPerBit
    dsp: PicojoulesPerCycle
    bram: PicojoulesPerAccess
    uram: PicojoulesPerAccess
    srl_fifo: PicojoulesPerBit


@dataclass(frozen=True)
class Activity:
    """What a run did.

    Attributes:
        seconds: how long it took.
        hbm_bits: moved between HBM and fabric.
        dsp_work_cycles: cycles times DSP slices that computed something.
        dsp_enabled_cycles: cycles times DSP slices of processes that were not stalled, with or without work.
        bram_bits, uram_bits: written to or read from block memories.
        srl_bits: that went through FIFOs of shift registers.
    """

    seconds: float
    hbm_bits: float = 0.0
    dsp_work_cycles: float = 0.0
    dsp_enabled_cycles: float = 0.0
    bram_bits: float = 0.0
    uram_bits: float = 0.0
    srl_bits: float = 0.0

    def __add__(self, other: Activity) -> Activity:
        """One run after the other."""
        return Activity(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def times(self, count: float) -> Activity:
        """``count`` such runs."""
        return Activity(*(getattr(self, each.name) * count for each in fields(self)))


def idle(seconds: float) -> Activity:
    """A loaded design that waits: launches, the host."""
    return Activity(seconds)


@dataclass(frozen=True)
class Energy:
    """Joules of a run, itemised; ``case`` says with which costs."""

    case: Case
    seconds: float
    static_j: float
    clocked_j: float
    hbm_j: float
    dsp_j: float
    onchip_j: float

    @property
    def dynamic_j(self) -> float:
        """What the work itself cost."""
        return self.hbm_j + self.dsp_j + self.onchip_j

    @property
    def total_j(self) -> float:
        """All of it: the board's own input."""
        return self.static_j + self.clocked_j + self.dynamic_j

    @property
    def net_j(self) -> float:
        """Net of the idle board."""
        return self.total_j - self.static_j

    @property
    def power_w(self) -> float:
        """Mean power of the run."""
        return self.total_j / self.seconds


def energy(activity: Activity, costs: EnergyCosts, case: Case = "central") -> Energy:
    """Energy of a run.

    The high case charges DSP slices for every cycle in which their process is
    not stalled, the others for the cycles in which they have work: HLS gates a
    pipeline as a whole, and what an enabled slice without work toggles is unknown.
    """
    dsp_cycles = activity.dsp_enabled_cycles if case == "high" else activity.dsp_work_cycles
    onchip_pj = (
        activity.bram_bits / RAM_WORD_BITS * costs.bram.value(case)
        + activity.uram_bits / RAM_WORD_BITS * costs.uram.value(case)
        + activity.srl_bits * costs.srl_fifo.value(case)
    )
    return Energy(
        case=case,
        seconds=activity.seconds,
        static_j=costs.static_w.value(case) * activity.seconds,
        clocked_j=costs.clocked_w.value(case) * activity.seconds,
        hbm_j=activity.hbm_bits * costs.hbm.value(case) * _PICO,
        dsp_j=dsp_cycles * costs.dsp.value(case) * _PICO,
        onchip_j=onchip_pj * _PICO,
    )
