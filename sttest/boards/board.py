"""Boards: an FPGA card composed of parts, and a GPU given by its headline numbers."""

from collections.abc import Mapping
from typing import Literal

from pydantic import model_validator

from sttest.boards.base import DataSheet
from sttest.boards.energy import Energy, EnergyCosts
from sttest.boards.memories import Hbm, Tier
from sttest.boards.part import (
    Fabric,
    Gigabytes,
    GigabytesPerSecond,
    LaunchOverhead,
    Megabytes,
    Megahertz,
    Nanometres,
    Network,
    Pcie,
    Power,
    TeraOpsPerSecond,
    Toolchain,
    Watts,
)
from sttest.boards.tiers import CARD_TIERS, BoardMemory, TierName, tier_of
from sttest.core.errors import InputError


class FpgaBoard(DataSheet):
    """An FPGA card that dataflow kernels can be compiled for."""

    node_nm: Nanometres
    clock_mhz: Megahertz
    onchip_mb: Megabytes
    peak_int8_tops: TeraOpsPerSecond
    fabric: Fabric
    memory: BoardMemory
    power: Power
    launch: LaunchOverhead
    toolchain: Toolchain
    pcie: Pcie | None = None  # none where processor and kernels share the memory
    energy: EnergyCosts | None = None
    network: Network | None = None

    @model_validator(mode="after")
    def _host_behind_a_link(self) -> "FpgaBoard":
        if self.pcie is None and (self.memory.host or self.memory.flash):
            raise ValueError("memory of the host, or its flash, without the link 'pcie' to it")
        return self

    @property
    def target(self) -> "FpgaBoard | None":
        """Itself, unless it has nothing to feed kernels from."""
        return None if self.memory.hbm is None else self

    @property
    def tiers(self) -> Mapping[TierName, Tier]:
        """Its memories as kernels see them, those behind the link no faster than it."""
        return {name: self.tier(name) for name in self.memory.tiers}

    @property
    def links(self) -> Network:
        """The links of the board to other cards.

        Raises:
            InputError: the board has none.
        """
        if self.network is None:
            raise InputError(
                "board-without-links",
                f"board '{self.name}' has no links to other cards",
                where="network",
                hints=["extend u55c", "add the part 'network'"],
            )
        return self.network

    @property
    def platform(self) -> str:
        """The Vitis platform that kernels are linked to.

        Raises:
            InputError: Vitis has none for the board.
        """
        if self.toolchain.platform is None:
            raise InputError(
                "board-without-platform",
                f"Vitis has no platform for board '{self.name}'",
                where="toolchain.platform",
                hints=[
                    "name one of your own in a file that extends the board",
                    "take a board that has one, such as u55c",
                ],
            )
        return self.toolchain.platform

    @property
    def feed(self) -> Tier:
        """The memory that kernels are fed from, of whatever kind it is.

        Raises:
            InputError: the board has none.
        """
        if self.memory.hbm is None:
            raise InputError("board-without-hbm", f"board '{self.name}' has no HBM", where="memory.hbm")
        return self.tier("hbm")

    @property
    def hbm(self) -> Hbm:
        """The data sheet of the board's HBM; what holds for any memory that kernels are fed from is in :attr:`feed`.

        Raises:
            InputError: the board has none, or a memory of another kind in its place.
        """
        if isinstance(self.memory.hbm, Hbm):
            return self.memory.hbm
        raise InputError("board-without-hbm", f"board '{self.name}' has no HBM", where="memory.hbm")

    @property
    def energy_costs(self) -> EnergyCosts:
        """What the board draws and what its events cost.

        Raises:
            InputError: the board's file has none.
        """
        if self.energy is None:
            raise InputError(
                "board-without-energy",
                f"board '{self.name}' has no energy costs",
                where="energy",
                hints=["extend u55c", "add the part 'energy'"],
            )
        ddr = self.memory.tiers.get("ddr")
        return self.energy if ddr is None else self.energy.model_copy(update={"ddr": ddr.energy})

    def tier(self, name: str) -> Tier:
        """One of its memories.

        Raises:
            InputError: no such memory, or the board has none.
        """
        return tier_of(self.memory, self.pcie, name, self.name)

    def bank(self, number: int) -> tuple[TierName, int]:
        """The tier of a bank and the channel there: kernels number those of the HBM first, then those of the DDR."""
        channels = self.feed.channels
        # A design can be read for a board with fewer pseudo-channels than it uses.
        beyond = self.memory.ddr is not None and number >= channels
        return ("ddr", number - channels) if beyond else ("hbm", number)

    def banks(self, tier: TierName) -> range:
        """The numbers of a tier's banks; none for one that is not on the card, or not on this."""
        if tier not in CARD_TIERS or getattr(self.memory, tier) is None:
            return range(0)
        first = 0 if tier == "hbm" else self.feed.channels
        return range(first, first + self.tier(tier).channels)

    @property
    def clock_ns(self) -> float:
        """Period of the kernel clock."""
        return 1e3 / self.clock_mhz.value

    @property
    def peak_bandwidth_gb_per_s(self) -> float:
        """Declared bandwidth of the HBM, all pseudo-channels together."""
        return self.feed.channels * self.feed.peak_gb_per_s_per_channel

    @property
    def sustained_bandwidth_gb_per_s(self) -> float:
        """Sequential bandwidth of one pseudo-channel times the pseudo-channels."""
        return self.feed.channels * self.feed.sustained_gb_per_s_per_channel

    def hbm_bytes_per_cycle_per_channel(self, clock_mhz: float | None = None, *, sustained: bool = False) -> float:
        """Bytes per kernel cycle and pseudo-channel; the clock defaults to the board's."""
        clock = self.clock_mhz.value if clock_mhz is None else clock_mhz
        return self.hbm.bytes_per_cycle_per_channel(clock, sustained=sustained)


class GpuBoard(DataSheet):
    """A GPU of the baselines: enough for its row in a table, nothing to compile for.

    ``idle_w`` and ``load_w`` are absent where no reading of the card alone is published.
    """

    node_nm: Nanometres
    clock_mhz: Megahertz
    tdp_w: Watts
    idle_w: Watts | None = None
    load_w: Watts | None = None
    peak_int8_tops: TeraOpsPerSecond
    offchip_gb: Gigabytes
    offchip_gb_per_s: GigabytesPerSecond
    onchip_mb: Megabytes

    @property
    def peak_bandwidth_gb_per_s(self) -> float:
        """Declared bandwidth of the memory outside the die."""
        return self.offchip_gb_per_s.value


# --- Three ways to say what a run cost, which must never be mixed in one ratio


Rule = Literal["tdp", "drawn", "net"]
RULES: dict[Rule, str] = {
    "tdp": "power limit of the data sheet times time",
    "drawn": "what the board draws, modeled for the FPGA, read for GPUs",
    "net": "what it draws above its idle power",
}


def fpga_joules(board: FpgaBoard, used: Energy, rule: Rule) -> float:
    """Joules of a modeled run under a rule."""
    if rule == "tdp":
        return board.power.tdp_w.value * used.seconds
    return used.total_j if rule == "drawn" else used.net_j


def gpu_watts(board: GpuBoard, rule: Rule) -> float:
    """Power that a rule charges a GPU of which only published readings are at hand.

    Raises:
        InputError: no reading of this board is published.
    """
    if rule == "tdp":
        return board.tdp_w.value
    if board.load_w is None or board.idle_w is None:
        raise InputError(
            "no-power-reading",
            f"no reading of '{board.name}' under load is published",
            where=f"rule '{rule}'",
            hints=["take the rule 'tdp'"],
        )
    return board.load_w.value - (board.idle_w.value if rule == "net" else 0.0)
