"""A block by formula: bytes over bandwidth and MACs over rate, which no run can beat, and the dependence chain.

Nothing here is simulated; the numbers stand beside the simulation so that either can be doubted.
"""

from __future__ import annotations

from dataclasses import dataclass

from experiments.whatif.chain import chain_cycles
from sttest.boards.board import FpgaBoard
from sttest.compile.compiler import Design
from sttest.compile.dialects.df import TaskOp
from sttest.compile.linalg.task_facts import work
from sttest.compile.timing.cost_model import payload_operators
from sttest.sim.graph import Memory, TimedGraph

_MAC = "mac_"


@dataclass(frozen=True)
class Bounds:
    """Times of one block, in microseconds.

    Attributes:
        memory_us: bytes that the ports move over the sustained bandwidth of all channels.
        compute_us: multiply-accumulates over the rate of all lanes that multiply.
        chain_us: the dependence chain, each link at its own lanes and channels.
    """

    memory_us: float
    compute_us: float
    chain_us: float

    @property
    def roofline_us(self) -> float:
        """Memory or compute, whichever takes longer."""
        return max(self.memory_us, self.compute_us)

    @property
    def formula_us(self) -> float:
        """The longest of the three."""
        return max(self.roofline_us, self.chain_us)


def bounds(design: Design, graph: TimedGraph, board: FpgaBoard) -> Bounds:
    """The bounds of a design that runs as ``graph`` on ``board``."""
    macs, lanes = _macs_and_lanes(design)
    moved = moved_bytes(graph)
    clock_mhz = graph.clock_mhz
    channel = board.hbm_bytes_per_cycle_per_channel(sustained=True)
    total_rate = channel * board.hbm.pseudo_channels.count
    return Bounds(moved / total_rate / clock_mhz, macs / lanes / clock_mhz, chain_cycles(graph) / clock_mhz)


def moved_bytes(graph: TimedGraph) -> int:
    """Bytes through all memory ports in one run."""
    return sum(port.tokens * port.token_bytes for port in graph.processes if isinstance(port, Memory))


def _macs_and_lanes(design: Design) -> tuple[int, int]:
    macs = lanes = 0
    for op in design.module.walk():
        if not isinstance(op, TaskOp):
            continue
        each = sum(count for name, count in payload_operators(op).items() if name.startswith(_MAC))
        macs += each * work(op)
        lanes += each * min(op.lane_count, op.tile_points)
    return macs, max(1, lanes)
