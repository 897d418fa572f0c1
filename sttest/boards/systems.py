"""Systems that are no card with kernels: memories that compute, meshes of cores.  Studies make their graphs."""

import math
from typing import Annotated, Literal

from pydantic import Field

from sttest.boards.energy import PicojoulesPerBit
from sttest.boards.part import BoardPart, Bytes, Count, GigabytesPerSecond, Megahertz, Nanoseconds, Ratio, Watts

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]


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

    activation: PicojoulesPerBit  # per bit of an activated row
    column: PicojoulesPerBit  # per bit from the row to the MAC unit
    bus: PicojoulesPerBit  # per bit on a channel's bus
    mac_channel_w: Watts  # MAC units of a channel
    controller_w: Watts  # the controller's chip


class PimBoard(BoardPart):
    """Channels of DRAM whose banks have MAC units, and a controller that computes everything else."""

    device: Literal["pim"]
    name: Name
    title: str
    clock_mhz: Megahertz
    channels: Count
    banks_per_channel: Count
    bus_gb_per_s: GigabytesPerSecond  # of a channel, between banks and controller
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


class MeshBoard(BoardPart):
    """Cores on a square mesh, each with memory of its own and links to its neighbours."""

    device: Literal["mesh"]
    name: Name
    title: str
    clock_mhz: Megahertz
    cores: Count
    side: Count  # of the largest square that software uses
    core_bytes: Bytes  # memory of a core
    macs_per_cycle: Count  # of a core, on operands from its memory
    hop_cycles: Count  # from a core to its neighbour, words one after the other
    relay_cycles: Count  # more, where a core takes a word in, adds to it and sends it on
    power_over_a100: Ratio
