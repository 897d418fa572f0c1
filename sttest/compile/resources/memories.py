"""What lies between the processes of a placed design: registers at SLR boundaries, buses to the HBM, DMA buffers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sttest.boards.resources import LUTRAM_MAX_WORDS, Resources, memory_resources
from sttest.compile.assumptions import REGISTERS_PER_BOUNDARY
from sttest.compile.channels.bursts_ahead import BurstsAhead, port_of
from sttest.compile.dialects import df
from sttest.compile.sharing.processes import process_name
from sttest.compile.spaces.partition import HANDSHAKE_WIRES, WireFacts
from sttest.sim.crossings import BUS, RELAY, with_registers
from sttest.sim.graph import MemoryPort, TimedGraph

# --- Registers on FIFOs and buses that cross SLRs, put back into the timed graph


@dataclass(frozen=True)
class Crossings:
    """What crosses SLRs in a placed design: boundaries by FIFO; one that is not named crosses none."""

    fifos: Mapping[str, int]  # crossings between two processes, by FIFO
    buses: Mapping[str, int] = field(default_factory=dict)  # crossings of the DMA at an end of the FIFO, there and back

    @property
    def relays(self) -> dict[str, int]:
        """Relays on the way of each FIFO's tokens."""
        return _registers(self.fifos)

    @property
    def bus_registers(self) -> dict[str, int]:
        """Registers of buses, by the DMA's FIFO."""
        return _registers(self.buses)


def with_crossings(graph: TimedGraph, crossings: Crossings, tokens: Mapping[str, int]) -> TimedGraph:
    """The graph with registers on what crosses.

    Args:
        graph: timed graph of one run.
        crossings: boundaries that are crossed.
        tokens: tokens that each crossing FIFO carries in a run.

    Raises:
        InputError: a FIFO is not there, or its writer is an actor or a trace.
    """
    on_buses = with_registers(graph, BUS, crossings.bus_registers, tokens)
    return with_registers(on_buses, RELAY, crossings.relays, tokens)


def _registers(boundaries: Mapping[str, int]) -> dict[str, int]:
    return {fifo: count * REGISTERS_PER_BOUNDARY for fifo, count in boundaries.items() if count > 0}


# --- The buses between DMAs and the HBM, which only one SLR is beside


HBM = "hbm"
"""The end of all buses, as a process of the die partition."""

# Of an AXI4 master of Vitis HLS, by channel, but for what is constant; data, strobes and handshakes apart.
_ADDRESS = 64 + 8
_LAST, _RESPONSE = 1, 2
# A request goes one way, data or a response the other.
WAYS = 2


@dataclass(frozen=True)
class MemoryBus:
    """What joins a DMA to the HBM."""

    wire: WireFacts  # the FIFO as an edge of the die partition
    fifo: str  # the FIFO that the DMA fills or empties


def memory_buses(graph: TimedGraph, port_bits: int) -> tuple[MemoryBus, ...]:
    """The buses of all DMAs of a graph.

    Args:
        graph: timed graph of the design.
        port_bits: width of their data.
    """
    ports = [process for process in graph.processes if isinstance(process, MemoryPort)]
    return tuple(
        MemoryBus(WireFacts(f"{port.name}__bus", HBM, port.name, _bits(port, port_bits)), port.fifo) for port in ports
    )


def _bits(port: MemoryPort, port_bits: int) -> int:
    """Wires of a bus but for one handshake, which every wire of a partition has."""
    if port.op == "read":
        return port_bits + _LAST + _RESPONSE + _ADDRESS + HANDSHAKE_WIRES
    return port_bits + port_bits // 8 + _LAST + _RESPONSE + _ADDRESS + 2 * HANDSHAKE_WIRES


# --- The buffers of a design's DMAs for data on the way


def buffer_words(kernel: df.KernelOp, in_flight: int, port_bits: int) -> dict[str, int]:
    """Words of the buffer of every DMA: of what it asks for ahead, as many as the largest tensor of its port at most.

    Args:
        kernel: kernel at the stream level whose DMAs have channels.
        in_flight: words that a port has in flight in each direction.
        port_bits: width of a memory word, bits.
    """
    ahead, bits, largest = BurstsAhead(kernel), Counter[str](), Counter[tuple[int, bool]]()
    for dma in ahead.dmas:
        stream = df.itensor_of(dma.port)
        bits[process_name(dma)] += stream.tokens * stream.token_bits
        largest[port_of(dma)] = max(largest[port_of(dma)], bits[process_name(dma)])
    return {
        process_name(dma): min(ahead.of(dma, in_flight), -(-largest[port_of(dma)] // port_bits)) for dma in ahead.dmas
    }


def buffer_resources(words: int, bits: int) -> Resources:
    """The buffer of a port for data on the way: in LUTs where it is short, as any memory of the tool."""
    return memory_resources("lutram" if words <= LUTRAM_MAX_WORDS else "bram", words, bits)
