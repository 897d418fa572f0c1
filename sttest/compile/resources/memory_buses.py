"""The buses between DMAs and the HBM, which only one SLR is beside.

A DMA may lie on any SLR: between an AXI master and a memory beside another one there is an AXI
register slice over the boundary (AMD PG373, multi SLR crossing; v++ puts them in where a
kernel and its memory are on different SLRs, Vitis_Accel_Examples, ``slr_assign``).  So a DMA is
placed as any process, and its bus takes long lines as a FIFO does.
"""

from __future__ import annotations

from dataclasses import dataclass

from sttest.boards.resources import Resources
from sttest.compile.spaces.partition_facts import ProcessFacts, WireFacts
from sttest.sim.graph import Memory, TimedGraph

HBM_SLR = 0
"""The SLR beside the HBM on all boards that are shipped (AMD UG1120)."""
HBM = ProcessFacts("hbm", Resources(), HBM_SLR)
"""The end of all buses."""

# Of an AXI4 master of Vitis HLS, by channel, but for what is constant; data, strobes and handshakes apart.
_ADDRESS = 64 + 8
_LAST, _RESPONSE = 1, 2
_HANDSHAKE = 2
# A request goes one way, data or a response the other.
WAYS = 2


@dataclass(frozen=True)
class MemoryBus:
    """What joins a DMA to the HBM.

    Attributes:
        wire: for a die partition.
        fifo: that the DMA fills or empties.
    """

    wire: WireFacts
    fifo: str


def memory_buses(graph: TimedGraph, port_bits: int) -> tuple[MemoryBus, ...]:
    """The buses of all DMAs of a graph.

    Args:
        graph: of the design.
        port_bits: width of their data.
    """
    ports = [process for process in graph.processes if isinstance(process, Memory)]
    return tuple(
        MemoryBus(WireFacts(f"{port.name}__bus", HBM.name, port.name, _bits(port, port_bits)), port.fifo)
        for port in ports
    )


def _bits(port: Memory, port_bits: int) -> int:
    """Wires of a bus but for one handshake, which every wire of a partition has."""
    if port.op == "read":
        return port_bits + _LAST + _RESPONSE + _ADDRESS + _HANDSHAKE
    return port_bits + port_bits // 8 + _LAST + _RESPONSE + _ADDRESS + 2 * _HANDSHAKE
