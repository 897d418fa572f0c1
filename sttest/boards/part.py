"""The parts that an FPGA board is composed of.

Each docstring says where the shipped numbers of the part come from; the value
itself, with its own source, is in ``data/<board>.yaml``.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sttest.core.results import Kind

# --- A number that says what it is: value, unit, source and kind


class Quantity(BaseModel):
    """One physical quantity with its provenance."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]  # a finite number, never negative
    # unit of ``value``, for example ``GB/s``; ``count`` and ``ratio`` have no dimension
    unit: Annotated[str, Field(min_length=1)]
    source: Annotated[str, Field(min_length=1)]  # the public document, log or reasoning that it comes from
    kind: Kind  # how far to trust it

    @property
    def count(self) -> int:
        """The value as a whole number; fields declared as such are checked when they are loaded."""
        return int(self.value)

    def __str__(self) -> str:
        """Short rendering: ``14.375 GB/s (datasheet)``."""
        shown = f"{self.count:,}" if self.value.is_integer() else f"{self.value:g}"
        unit = "" if self.unit in ("count", "ratio") else f" {self.unit}"
        return f"{shown}{unit} ({self.kind})"


SENSIBLE: Mapping[str, tuple[float, float]] = {
    # from the slowest soft clock to a thousand times the fastest transistors in use
    "MHz": (1e-3, 1e6),
    # from a serial line to a hundred times the 20 PB/s of the SRAM on a whole wafer (WSE-2)
    "GB/s": (1e-6, 1e9),
    "Gb/s": (1e-6, 1e9),
    # up to a million whole wafers of 10^12 transistors each
    "count": (0, 1e18),
    "bits": (0, 1e18),
    "bytes": (0, 1e18),
    "MB": (0, 1e12),
    "GB": (0, 1e9),
    "TOPS": (0, 1e9),
    # up to a day
    "ns": (0, 1e14),
    "us": (0, 1e11),
    "W": (0, 1e9),
    "nm": (0, 1e6),
    "ratio": (0, 1e9),
}
"""Least, apart from 0, and most of a quantity of a board, by its unit; nothing real is near either."""
MOST_CHANNELS = 256
"""Channels of a memory, as many as a timed graph may have; an HBM3E system of eight stacks has 256 pseudo-channels."""


def in_unit(unit: str, *, whole: bool = False, positive: bool = True, most: float | None = None) -> AfterValidator:
    """A check for a field: the quantity is in ``unit``, sensible and, on request, whole, above 0, at most that."""
    least, usual = SENSIBLE.get(unit, (0, math.inf))
    bound = usual if most is None else most

    def check(quantity: Quantity) -> Quantity:
        if quantity.unit != unit:
            raise ValueError(f"unit '{quantity.unit}' where '{unit}' is expected")
        if whole and not quantity.value.is_integer():
            raise ValueError(f"{quantity.value:g} {unit} is not a whole number")
        if positive and quantity.value == 0:
            raise ValueError("must be greater than 0")
        if quantity.value > bound or 0 < quantity.value < least:
            raise ValueError(f"{quantity.value:g} {unit} where anything real has {least:g} to {bound:g}")
        return quantity

    return AfterValidator(check)


Count = Annotated[Quantity, in_unit("count", whole=True)]
Channels = Annotated[Quantity, in_unit("count", whole=True, most=MOST_CHANNELS)]
CountOrNone = Annotated[Quantity, in_unit("count", whole=True, positive=False)]
Bytes = Annotated[Quantity, in_unit("bytes", whole=True)]
Bits = Annotated[Quantity, in_unit("bits", whole=True)]
Ratio = Annotated[Quantity, in_unit("ratio")]
Megahertz = Annotated[Quantity, in_unit("MHz")]
GigabytesPerSecond = Annotated[Quantity, in_unit("GB/s")]
GigabitsPerSecond = Annotated[Quantity, in_unit("Gb/s")]
Megabytes = Annotated[Quantity, in_unit("MB")]
Gigabytes = Annotated[Quantity, in_unit("GB")]
Nanoseconds = Annotated[Quantity, in_unit("ns")]
Microseconds = Annotated[Quantity, in_unit("us")]
Nanometres = Annotated[Quantity, in_unit("nm")]
Watts = Annotated[Quantity, in_unit("W")]
TeraOpsPerSecond = Annotated[Quantity, in_unit("TOPS")]


BRAM36_BYTES = 36 * 1024 // 8
URAM_BYTES = 288 * 1024 // 8


class BoardPart(BaseModel):
    """What every part has in common: immutable, and no key that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Slr(BoardPart):
    """What user logic may take of one super logic region, the shell already taken off."""

    lut: Count
    dsp: Count
    bram18: Count
    uram: Count


def _at_most_all(quantity: Quantity) -> Quantity:
    if quantity.value > 1:
        raise ValueError(f"a share of {quantity.value:g}, which is more than all")
    return quantity


Share = Annotated[Ratio, AfterValidator(_at_most_all)]


class Budget(BoardPart):
    """Shares that a design may fill of what the platform leaves of an SLR, and still be expected to route."""

    lut: Share
    ff: Share
    dsp: Share
    bram18: Share
    uram: Share
    super_long_lines: Share  # share of the lines of a boundary
    process: Share  # share of an SLR that one process may take, of any resource
    # whether the switch in front of the HBM is taken off before the shares are: 1, or 0
    hbm_switch: Annotated[Quantity, in_unit("ratio", whole=True, positive=False), AfterValidator(_at_most_all)]


class Budgets(BoardPart):
    """What ``--budget`` chooses from."""

    tight: Budget
    published: Budget
    all: Budget


BudgetName = Literal["tight", "published", "all"]


class Fabric(BoardPart):
    """Programmable logic of the die (AMD device tables), what kernels have of its SLRs, and how much they may fill."""

    lut: Count
    ff: Count
    dsp: Count
    bram36: Count
    uram: Count
    slrs: tuple[Slr, ...] = Field(min_length=1)
    hbm_slr: CountOrNone  # number of the SLR beside what kernels are fed from, where all buses of DMAs end
    sll_per_boundary: Count
    # what the switch in front of the HBM takes, per 512-bit port in use, of the SLR at the HBM; 0 where it is hard
    hbm_port_lut: CountOrNone
    hbm_port_ff: CountOrNone
    budgets: Budgets

    @model_validator(mode="after")
    def _hbm_at_an_slr(self) -> "Fabric":
        if self.hbm_slr.count >= len(self.slrs):
            raise ValueError(
                f"hbm_slr is {self.hbm_slr.count}, and the last of {len(self.slrs)} is {len(self.slrs) - 1}"
            )
        return self

    @property
    def onchip_bytes(self) -> int:
        """Bits of all BRAM36 and URAM blocks of the die, parity bits included, in bytes."""
        return self.bram36.count * BRAM36_BYTES + self.uram.count * URAM_BYTES

    @property
    def usable_onchip_bytes(self) -> int:
        """BRAM and URAM within the SLR budgets, in bytes, before any share is taken."""
        return sum(slr.bram18.count * BRAM36_BYTES // 2 + slr.uram.count * URAM_BYTES for slr in self.slrs)


class Pcie(BoardPart):
    """The link to the host: DMA rates as read by the board's own validation run."""

    generation: Count
    lanes: Count
    host_to_card_gb_per_s: GigabytesPerSecond
    card_to_host_gb_per_s: GigabytesPerSecond


class Network(BoardPart):
    """Serial links to other cards, as AMD's Aurora 64B/66B core (PG074) runs them; a credit is room for a token.

    Line rate and coding are AMD's; latency and the receive buffer are those of a public Aurora kernel for Alveo cards.
    """

    ports: Count
    lanes: Count
    lane_gb_per_s: GigabitsPerSecond
    coding: Ratio
    frame_bytes: Bytes
    frame_overhead_bytes: Bytes
    latency_ns: Nanoseconds
    receive_bytes: Bytes

    def bits_per_cycle(self, clock_mhz: float) -> float:
        """Payload that one port sends per cycle of a kernel at ``clock_mhz``."""
        return self.lanes.count * self.lane_gb_per_s.value * self.coding.value * 1e3 / clock_mhz

    def latency_cycles(self, clock_mhz: float) -> int:
        """Cycles from the sender's stream to the receiver's."""
        return math.ceil(self.latency_ns.value * clock_mhz / 1e3)


class Power(BoardPart):
    """Board power.

    ``load_*`` bracket a board that decodes: readings of comparable designs, low,
    central and high.  ``tdp_w`` is a limit, not a reading.
    """

    tdp_w: Watts
    idle_w: Watts
    load_low_w: Watts
    load_w: Watts
    load_high_w: Watts


class LaunchOverhead(BoardPart):
    """What starting a kernel costs the host.

    ``single_*`` bracket one launch whose end is awaited; ``back_to_back_us`` lies between
    two runs that follow each other; ``queued_us`` is the amortized cost with a full
    queue and thus no latency; ``token_gap_us`` is the idle time of the device between
    two tokens of a generation with its host work; ``reconfiguration_us`` loads another design.
    """

    single_low_us: Microseconds
    single_high_us: Microseconds
    back_to_back_us: Microseconds
    queued_us: Microseconds
    token_gap_us: Microseconds
    reconfiguration_us: Microseconds | None = None


class Toolchain(BoardPart):
    """Names that the vendor's tools need."""

    part: str
    platform: str | None = None  # Vitis platform; None where there is none, and `source` says what there is instead
    vitis: str
    source: str
    kind: Kind
