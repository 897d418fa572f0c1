"""Kinds of memory: what a board's file says of one, and the law of time that follows from it.

    Offer("memories", "paged", "my_package.paged:Paged")

is a :class:`MemoryKind`.  A file names it by ``kind`` inside of a memory; without, a memory is of the kind of its own
name.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from sttest.boards.bursts import BurstTiming, Timing
from sttest.boards.energy import Bracket, PicojoulesPerBit
from sttest.boards.part import Bits, BoardPart, Bytes, Channels, Count, GigabytesPerSecond, Megahertz, Nanoseconds
from sttest.core.extensions import load_class, offer_named, offers

__depends__ = ("sttest/built_in/memories.py",)

Page = Literal["hit", "closed", "miss", "kernel"]
TierName = Literal["hbm", "ddr", "host", "flash"]
"""Where a board has memories; ``hbm`` is what kernels are fed from, of whatever kind."""


@dataclass(frozen=True)
class Tier:
    """One memory as its readers see it, whatever kind it is."""

    name: TierName  # what a board's file calls it, where the board has it
    channels: int
    bytes_per_channel: int
    peak_gb_per_s_per_channel: float
    sustained_gb_per_s_per_channel: float  # what the memory itself gives
    latency_ns: float
    burst_bytes: int  # bytes of the longest burst
    outstanding: int  # bursts in flight per channel
    ports: int  # masters of kernels that its channels take together
    energy: Bracket | None = None  # pJ/bit
    limit_gb_per_s_per_channel: float = math.inf  # what is in front of the memory lets through
    limit: str = ""  # what that is, and the key that says so
    timing: Timing = field(default_factory=Timing)  # what bursts meet beside rate and latency

    @property
    def gb_per_s_per_channel(self) -> float:
        """What its readers get of a channel."""
        return min(self.sustained_gb_per_s_per_channel, self.limit_gb_per_s_per_channel)

    @property
    def size_bytes(self) -> int:
        """Capacity of all channels."""
        return self.channels * self.bytes_per_channel

    @property
    def gb_per_s(self) -> float:
        """What all channels sustain together."""
        return self.channels * self.gb_per_s_per_channel

    @property
    def response_ns(self) -> float:
        """From the start of a write burst to its response; as late as a read where nothing is known."""
        return self.latency_ns if self.timing.response_ns is None else self.timing.response_ns

    def bytes_per_cycle(self, clock_mhz: float) -> float:
        """What one channel sustains per cycle of a kernel."""
        return self.gb_per_s_per_channel * 1e3 / clock_mhz

    def latency_cycles(self, clock_mhz: float) -> int:
        """Latency of a read in whole cycles of a kernel, rounded up."""
        return math.ceil(self.latency_ns * clock_mhz / 1e3)


class MemoryKind(BoardPart):
    """What all kinds have in common: identical channels, and a law."""

    kind: str | None = None  # its kind as its file names it; None for the kind of the memory's own name
    timing: BurstTiming | None = None

    @property
    def plain_timing(self) -> Timing:
        """What bursts meet, as plain numbers."""
        return Timing() if self.timing is None else self.timing.plain()

    @abstractmethod
    def tier(self, name: TierName) -> Tier:
        """The law: rate, latency and bursts of a channel, from whatever pages, switches and ports the kind has."""

    @staticmethod
    def of_kind(kind: object) -> "type[MemoryKind]":
        """The kind of a name.

        Raises:
            ValueError: there is none.
            InputError: what an extension offers is no kind of memory.
        """
        offer = offer_named("memories", kind) if isinstance(kind, str) else None
        if offer is None:
            raise ValueError(f"unknown kind of memory {kind!r:.80}, not one of {', '.join(offers('memories'))}")
        return load_class(offer, MemoryKind)

    @classmethod
    def of_place(cls, place: str, value: Any) -> "MemoryKind | None":
        """A memory as a board's file has it at a place, such as ``hbm``.

        Raises:
            ValueError: unknown kind, or whatever the kind refuses.
        """
        if value is None or isinstance(value, MemoryKind):
            return value
        keys = dict(value) if isinstance(value, Mapping) else value
        kind = keys.get("kind", place) if isinstance(keys, dict) else place
        if kind == place and isinstance(keys, dict):
            keys.pop("kind", None)
        return cls.of_kind(kind).model_validate(keys)

    @model_serializer(mode="wrap")
    def _as_in_a_file(self, serialized: SerializerFunctionWrapHandler) -> dict[str, Any]:
        keys = serialized(self)
        return keys if self.kind is not None else {key: value for key, value in keys.items() if key != "kind"}


class Hbm(MemoryKind):
    """High-bandwidth memory: identical pseudo-channels, each behind one AXI port, or behind several alike.

    Peaks and sizes are AMD's (UG1393, PG276); sustained bandwidth and page latencies
    are those of Shuhai (FCCM 2020) on a U280, second hand.
    """

    stacks: Count
    pseudo_channels: Channels
    bytes_per_channel: Bytes
    peak_gb_per_s_per_channel: GigabytesPerSecond
    sustained_gb_per_s_per_channel: GigabytesPerSecond
    page_hit_ns: Nanoseconds
    page_closed_ns: Nanoseconds
    page_miss_ns: Nanoseconds
    switch_ns: Nanoseconds
    kernel_read_ns: Nanoseconds
    axi_ports: Channels
    axi_port_bits: Bits
    axi_port_mhz: Megahertz
    switch_channels: Count | None = None  # channels that a port reaches without a lateral link
    lateral_links: Count | None = None  # links between two sets of them, per direction
    max_burst_bytes: Bytes
    outstanding_bursts: Count

    @property
    def size_bytes(self) -> int:
        """Capacity of all pseudo-channels."""
        return self.pseudo_channels.count * self.bytes_per_channel.count

    @property
    def peak_gb_per_s(self) -> float:
        """Declared bandwidth of all pseudo-channels together."""
        return self.pseudo_channels.value * self.peak_gb_per_s_per_channel.value

    @property
    def sustained_gb_per_s(self) -> float:
        """Sequential bandwidth of one channel times the channels: a ceiling, not one measurement."""
        return self.pseudo_channels.value * self.sustained_gb_per_s_per_channel.value

    @property
    def axi_port_gb_per_s(self) -> float:
        """What one AXI port can carry: width times clock."""
        return self.axi_port_bits.value / 8 * self.axi_port_mhz.value / 1e3

    @property
    def ports_per_channel(self) -> int:
        """AXI ports that take a pseudo-channel together; no kernel's port gets more than one of them carries."""
        return ports_per_channel(self.axi_ports.value, self.pseudo_channels.value)

    def bytes_per_cycle_per_channel(self, clock_mhz: float, *, sustained: bool = False) -> float:
        """Bytes that one pseudo-channel moves per cycle of a kernel at ``clock_mhz``.

        The peak is what the channel or its AXI ports allow, whichever is less.
        """
        rate = self.sustained_gb_per_s_per_channel if sustained else self.peak_gb_per_s_per_channel
        return min(rate.value, self.axi_port_gb_per_s * self.ports_per_channel) * 1e3 / clock_mhz

    def read_latency_ns(self, page: Page = "kernel") -> float:
        """Idle latency of one read.

        ``hit``, ``closed`` and ``miss`` are seen at the AXI port, one switch included;
        ``kernel`` is what an HLS kernel sees, its memory adapter included.
        """
        if page == "kernel":
            return self.kernel_read_ns.value
        pages = {"hit": self.page_hit_ns, "closed": self.page_closed_ns, "miss": self.page_miss_ns}
        return pages[page].value + self.switch_ns.value

    def read_latency_cycles(self, clock_mhz: float, page: Page = "kernel") -> int:
        """`read_latency_ns` in whole cycles of a kernel at ``clock_mhz``, rounded up."""
        return math.ceil(self.read_latency_ns(page) * clock_mhz / 1e3)

    def tier(self, name: TierName) -> Tier:
        """What a channel sustains, and no more than its AXI port carries; a kernel sees its own latency.

        Where several ports take a pseudo-channel, readers see a channel for each: its equal part, sizes rounded down.
        """
        parts = self.ports_per_channel
        return Tier(
            name,
            self.pseudo_channels.count * parts,
            self.bytes_per_channel.count // parts,
            self.peak_gb_per_s_per_channel.value / parts,
            self.sustained_gb_per_s_per_channel.value / parts,
            self.read_latency_ns(),
            self.max_burst_bytes.count,
            self.outstanding_bursts.count,
            self.axi_ports.count,
            limit_gb_per_s_per_channel=self.axi_port_gb_per_s,
            limit="its AXI port, axi_port_mhz",
            timing=self.plain_timing,
        )


def ports_per_channel(ports: float, channels: float) -> int:
    """How many of the AXI ports take a pseudo-channel together: 1, unless there are several for every channel."""
    each = ports // channels if channels else 1
    return int(each) if 1 <= each < math.inf else 1


class LowerMemory(MemoryKind):
    """DIMMs of the card, memory of the host, or flash: channels that are alike."""

    channels: Channels
    bytes_per_channel: Bytes
    peak_gb_per_s_per_channel: GigabytesPerSecond
    sustained_gb_per_s_per_channel: GigabytesPerSecond
    read_ns: Nanoseconds  # time from a request to its first byte, as the reader sees it
    max_burst_bytes: Bytes
    outstanding_bursts: Count
    energy: PicojoulesPerBit | None = None

    def tier(self, name: TierName) -> Tier:
        """What a channel sustains."""
        return Tier(
            name,
            self.channels.count,
            self.bytes_per_channel.count,
            self.peak_gb_per_s_per_channel.value,
            self.sustained_gb_per_s_per_channel.value,
            self.read_ns.value,
            self.max_burst_bytes.count,
            self.outstanding_bursts.count,
            self.channels.count,
            self.energy,
            timing=self.plain_timing,
        )
