"""The memories that a board can hold data in, from the one that kernels are fed from to the host's flash.

A board's file has a part per memory; a :class:`Tier` is what the rest of sttest knows of one.  Kernels address the
tiers of the card, whose channels are numbered as one row of banks, those of the HBM first.  Data of the others come
over PCIe, so none of them is faster than that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import model_validator

from sttest.boards.energy import Bracket, PicojoulesPerBit
from sttest.boards.part import BoardPart, Bytes, Channels, Count, GigabytesPerSecond, Hbm, Nanoseconds, Pcie
from sttest.core.errors import InputError, did_you_mean

TierName = Literal["hbm", "ddr", "host", "flash"]
TIERS: tuple[TierName, ...] = get_args(TierName)
"""From the fastest down."""
CARD_TIERS: tuple[TierName, ...] = ("hbm", "ddr")
"""Those that a kernel's ports can be linked to."""


class LowerMemory(BoardPart):
    """DIMMs of the card, memory of the host, or flash: channels that are alike."""

    channels: Channels
    bytes_per_channel: Bytes
    peak_gb_per_s_per_channel: GigabytesPerSecond
    sustained_gb_per_s_per_channel: GigabytesPerSecond
    read_ns: Nanoseconds  # from a request to its first byte, as the reader sees it
    max_burst_bytes: Bytes
    outstanding_bursts: Count
    energy: PicojoulesPerBit | None = None


class BoardMemory(BoardPart):
    """Memories outside the die."""

    hbm: Hbm | None = None
    ddr: LowerMemory | None = None
    host: LowerMemory | None = None
    flash: LowerMemory | None = None

    @model_validator(mode="after")
    def _ports_alike(self) -> "BoardMemory":
        """Ports of a kernel are built alike, whichever memory of the card they are linked to."""
        hbm, ddr = self.hbm, self.ddr
        if hbm is None or ddr is None:
            return self
        if (hbm.max_burst_bytes.count, hbm.outstanding_bursts.count) != (
            ddr.max_burst_bytes.count, ddr.outstanding_bursts.count,
        ):  # fmt: skip
            raise ValueError("bursts of hbm and ddr differ in max_burst_bytes or outstanding_bursts")
        return self


@dataclass(frozen=True)
class Tier:
    """One memory as its readers see it, whatever kind it is."""

    name: TierName
    channels: int
    bytes_per_channel: int
    gb_per_s_per_channel: float  # sustained
    latency_ns: float
    burst_bytes: int  # of the longest burst
    outstanding: int  # bursts in flight per channel
    energy: Bracket | None = None  # pJ/bit

    @property
    def size_bytes(self) -> int:
        """Capacity of all channels."""
        return self.channels * self.bytes_per_channel

    @property
    def gb_per_s(self) -> float:
        """What all channels sustain together."""
        return self.channels * self.gb_per_s_per_channel

    def bytes_per_cycle(self, clock_mhz: float) -> float:
        """What one channel sustains per cycle of a kernel."""
        return self.gb_per_s_per_channel * 1e3 / clock_mhz

    def latency_cycles(self, clock_mhz: float) -> int:
        """Latency of a read in whole cycles of a kernel, rounded up."""
        return math.ceil(self.latency_ns * clock_mhz / 1e3)


def banks_text(banks: Sequence[int], hbm_banks: int) -> str:
    """Neighbouring banks of the card as Vitis writes them.

    >>> banks_text((4, 5), 32), banks_text((33,), 32)
    ('HBM[4:5]', 'DDR[1]')
    """
    name, first = ("HBM", 0) if banks[0] < hbm_banks else ("DDR", hbm_banks)
    low, high = banks[0] - first, banks[-1] - first
    return f"{name}[{low}]" if low == high else f"{name}[{low}:{high}]"


def tier_of(memory: BoardMemory, pcie: Pcie | None, name: str, board: str) -> Tier:
    """A tier of a board.

    Args:
        memory: the board's memories.
        pcie: its link to the host; None where it has none, and then neither has it memory behind one.
        name: name of the tier.
        board: name of the board.

    Raises:
        InputError: no such tier (``unknown-tier``), or the board has none (``board-without-tier``).
    """
    if name not in TIERS:
        raise InputError("unknown-tier", f"unknown memory '{name:.80}'", hints=[did_you_mean(name, TIERS)])
    part: Hbm | LowerMemory | None = getattr(memory, name)
    if part is None:
        there = [each for each in TIERS if getattr(memory, each) is not None]
        raise InputError(
            "board-without-tier", f"board '{board}' has no {name}", where=f"memory.{name}",
            hints=[f"it has {', '.join(there)}", "take a board that has it, such as u280"],
        )  # fmt: skip
    if isinstance(part, Hbm):
        rate = min(part.sustained_gb_per_s_per_channel.value, part.axi_port_gb_per_s)
        return Tier(
            "hbm", part.pseudo_channels.count, part.bytes_per_channel.count, rate, part.read_latency_ns(),
            part.max_burst_bytes.count, part.outstanding_bursts.count,
        )  # fmt: skip
    rate, channels = part.sustained_gb_per_s_per_channel.value, part.channels.count
    if name not in CARD_TIERS and pcie is not None:
        rate = min(rate, pcie.host_to_card_gb_per_s.value / channels)
    return Tier(
        name, channels, part.bytes_per_channel.count, rate, part.read_ns.value, part.max_burst_bytes.count,
        part.outstanding_bursts.count, part.energy,
    )  # fmt: skip
