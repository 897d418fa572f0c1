"""What crossing the switch in front of an HBM costs at the least: a bound by the vendor's description, not measured.

Four channels and four ports make a set; a port reaches the channels of another set over lateral links, of which a
boundary between sets has two per direction, each as fast as a port (AMD PG276, "Lateral AXI Switch Access Throughput
Loss").  What contention makes of them beyond that is not known in public.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sttest.boards.board import FpgaBoard
from sttest.boards.memories import Hbm


@dataclass(frozen=True)
class Reach:
    """What a port moves on a channel: from the AXI port of channel ``home`` to ``channel``."""

    home: int
    channel: int
    bytes: int
    writes: bool


@dataclass(frozen=True)
class Crossing:
    """Bytes that cross a boundary between sets at most, one way, and the cycles that its links need for them."""

    bytes: int
    cycles: float

    def text(self) -> str:
        """A line of a report."""
        if not self.bytes:
            return "none: every port is linked to the AXI port of its own channel"
        busiest = f"{self.bytes:,} bytes over the switch's busiest side"
        return f"{busiest}, {self.cycles:,.0f} cycles at least by PG276, unmeasured"


def crossing(reaches: Iterable[Reach], board: FpgaBoard) -> Crossing | None:
    """The bound of a design; None on a board whose switch is not described.

    Args:
        reaches: what its ports move in a run.
        board: board with the HBM, in cycles of whose clock the bound is.
    """
    hbm = board.memory.hbm
    if not isinstance(hbm, Hbm) or hbm.switch_channels is None or hbm.lateral_links is None:
        return None
    crossed = Counter[tuple[int, bool]]()
    for each in reaches:
        one, other = (number // hbm.switch_channels.count for number in (each.home, each.channel))
        # Data go from the port to the channel where they are written, and back where they are read.
        upwards = (one < other) == each.writes
        crossed.update({(side, upwards): each.bytes for side in range(min(one, other), max(one, other))})
    most = max(crossed.values(), default=0)
    per_cycle = hbm.lateral_links.count * hbm.axi_port_gb_per_s * 1e3 / board.clock_mhz.value
    return Crossing(most, most / per_cycle)
