"""A placed design in time: the clocks that it may reach, and its cycles at each of them.

What scales with the kernel's clock is all that is counted in its cycles.  The HBM has a clock of its own: at a slower
kernel a channel moves more bytes per cycle, up to the width of a port (at 225 MHz 64 bytes per cycle are 14.4 GB/s,
still all that a channel has), and answers after fewer cycles.  The hardware, its FIFO depths and the bursts that it
asks for ahead included, stays what was built.
"""

from collections import Counter
from dataclasses import dataclass, replace

from sttest.boards.board import FpgaBoard
from sttest.boards.frequency import ClockBand, clock_band
from sttest.compile.channels.memory_ports import channels_on
from sttest.compile.compiler import CompiledDesign
from sttest.compile.resources.placement import SlrPlacement
from sttest.sim import simulate
from sttest.sim.graph import TimedGraph


@dataclass(frozen=True)
class TimeAtClock:
    """A run at a clock."""

    case: str  # ``low``, ``middle`` or ``high``; ``compiled`` for the board's clock
    clock_mhz: float
    cycles: int | None  # None for a deadlock

    @property
    def us(self) -> float | None:
        """Of one launch on the card."""
        return None if self.cycles is None else self.cycles / self.clock_mhz

    def per_s(self, units: float) -> float | None:
        """How many of something a second has, such as tokens.

        Args:
            units: number of them in one launch.
        """
        return None if self.us is None else 1e6 * units / self.us


def placed_clocks(design: CompiledDesign, placed: SlrPlacement) -> ClockBand:
    """The clocks that a placed design may reach: by the LUTs of its fullest SLR, and its fuller boundary."""
    fabric = design.board.fabric
    luts = Counter[int]()
    for process, resources in placed.taken.by_node.items():
        luts[placed.partition.slr_of[process]] += round(resources.lut)
    per_slr = fabric.lut.value / len(fabric.slrs)
    wires = max(placed.partition.wires, default=0)
    return clock_band(max(luts.values(), default=0) / per_slr, wires / fabric.sll_per_boundary.value)


def graph_at(graph: TimedGraph, board: FpgaBoard, clock_mhz: float) -> TimedGraph:
    """The graph with the bytes per cycle and the latency that its channels have at another clock of the kernel."""
    clock = board.clock_mhz.model_copy(update={"value": clock_mhz})
    other = board.model_copy(update={"clock_mhz": clock})
    return replace(graph, clock_mhz=clock_mhz, channels=channels_on(other, graph.channels))


def times_at_clocks(design: CompiledDesign, placed: SlrPlacement, band: ClockBand) -> tuple[TimeAtClock, ...]:
    """A launch at every clock of the band, and at that which the design was compiled for."""
    board = design.board
    clocks = {"low": band.low, "middle": band.middle, "high": band.high}
    found = [
        TimeAtClock(case, mhz, simulate(graph_at(placed.graph, board, mhz)).cycles) for case, mhz in clocks.items()
    ]
    return *found, TimeAtClock("compiled", board.clock_mhz.value, placed.cycles[1])
