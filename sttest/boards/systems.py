"""Systems that are no card with kernels: memories that compute, meshes, two processors on a memory."""

import math

from sttest.boards.base import DataSheet
from sttest.boards.energy import PicojoulesPerBit
from sttest.boards.part import (
    BoardPart,
    Bytes,
    Count,
    GigabytesPerSecond,
    Megahertz,
    Nanoseconds,
    Ratio,
    TeraOpsPerSecond,
    Watts,
)


class PimBank(BoardPart):
    """A DRAM bank with a MAC unit: a row is activated, its columns are multiplied as they are read, it is closed."""

    row_bytes: Bytes
    multipliers: Count  # 16-bit operands of each, one of them from the row, per column access
    row_to_column_ns: Nanoseconds  # tRCD of a MAC command
    column_to_column_ns: Nanoseconds  # tCCD
    precharge_ns: Nanoseconds  # tRP
    row_to_write_ns: Nanoseconds  # tRCD of a write
    write_recovery_ns: Nanoseconds  # tWR
    refresh_interval_ns: Nanoseconds  # tREFI
    refresh_ns: Nanoseconds  # tRFC


class PimEnergy(BoardPart):
    """What computing in the memory costs; powers are drawn while their part works."""

    activation: PicojoulesPerBit  # energy per bit of an activated row
    column: PicojoulesPerBit  # energy per bit from the row to the MAC unit
    bus: PicojoulesPerBit  # energy per bit on a channel's bus
    mac_channel_w: Watts  # MAC units of a channel
    controller_w: Watts  # the controller's chip


class PimBoard(DataSheet):
    """Channels of DRAM whose banks have MAC units, and a controller that computes everything else."""

    clock_mhz: Megahertz
    channels: Count
    banks_per_channel: Count
    bus_gb_per_s: GigabytesPerSecond  # bandwidth of a channel, between banks and controller
    buffer_bytes: Bytes  # input vector that a channel holds for its banks
    bank: PimBank
    controller_adders: Count
    controller_multipliers: Count
    energy: PimEnergy

    @property
    def banks(self) -> int:
        """Banks of all channels."""
        return self.channels.count * self.banks_per_channel.count

    @property
    def inner_gb_per_s(self) -> float:
        """What all MAC units read together while every row is open."""
        per_access = self.bank.multipliers.count * 2
        return self.banks * per_access / self.bank.column_to_column_ns.value

    def cycles(self, time: Nanoseconds) -> int:
        """A time in whole cycles of the clock, rounded up."""
        return math.ceil(time.value * self.clock_mhz.value / 1e3 - 1e-9)


class MeshBoard(DataSheet):
    """Cores on a square mesh, each with memory of its own and links to its neighbors."""

    clock_mhz: Megahertz
    cores: Count
    side: Count  # side of the largest square that software uses
    core_bytes: Bytes  # memory of a core
    macs_per_cycle: Count  # products of a core, on operands from its memory
    hop_cycles: Count  # cycles from a core to its neighbor, words one after the other
    relay_cycles: Count  # more, where a core takes a word in, adds to it and sends it on
    power_over_a100: Ratio


class Processor(BoardPart):
    """What reads a memory and computes on what it reads."""

    peak_tflops: TeraOpsPerSecond  # peak on 16-bit numbers, two operations per multiply-accumulate
    memory_gb_per_s: GigabytesPerSecond  # what it sees of the memory

    @property
    def balance(self) -> float:
        """Operations per byte beyond which the arithmetic is what binds."""
        return self.peak_tflops.value * 1e3 / self.memory_gb_per_s.value

    def seconds(self, operations: float, moved_bytes: float) -> float:
        """The longer of computing and reading, as if they overlapped wholly."""
        return max(operations / self.peak_tflops.value / 1e12, moved_bytes / self.memory_gb_per_s.value / 1e9)


class DuplexBoard(DataSheet):
    """Devices with two processors on one memory: one for many operations per byte, one on the memory's logic die."""

    xpu: Processor
    logic_pim: Processor
    memory_bytes: Bytes  # bytes of a device
    link_gb_per_s: GigabytesPerSecond  # bandwidth between devices, one way
    link_ns: Nanoseconds


class RduTier(BoardPart):
    """A memory of a dataflow processor."""

    size_bytes: Bytes
    gb_per_s: GigabytesPerSecond


class RduBoard(DataSheet):
    """A reconfigurable dataflow processor with three memories; one socket."""

    compute_units: Count
    peak_tflops: TeraOpsPerSecond
    sram_bytes: Bytes  # bytes of its memory units, together
    hbm: RduTier
    ddr: RduTier

    def switch_seconds(self, model_bytes: float, sockets: int) -> float:
        """Bringing a model from the DDR of so many sockets into their HBM, each its share."""
        return model_bytes / sockets / min(self.ddr.gb_per_s.value, self.hbm.gb_per_s.value) / 1e9
