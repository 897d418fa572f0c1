"""What lies between the processes of a placed design: registers at SLR boundaries, buses to the HBM, DMA buffers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sttest.boards.resources import HBM_SLR, LUTRAM_MAX_WORDS, Resources, memory_resources
from sttest.compile.assumptions import REGISTERS_PER_BOUNDARY
from sttest.compile.channels.bursts_ahead import BurstsAhead, port_of
from sttest.compile.dialects import df
from sttest.compile.sharing.processes import process_name
from sttest.compile.spaces.partition import HANDSHAKE_WIRES, ProcessFacts, WireFacts
from sttest.core.errors import InputError
from sttest.sim.graph import MIN_DEPTH, Event, Fifo, Loop, MemoryPort, Pipeline, Process, TimedGraph

# --- Registers on FIFOs that cross SLRs, put back into the timed graph


def with_crossings(graph: TimedGraph, boundaries: Mapping[str, int], tokens: Mapping[str, int]) -> TimedGraph:
    """The graph with register slices on the FIFOs that cross.

    Args:
        graph: timed graph of one run.
        boundaries: crossed by each FIFO; one that is not named crosses none.
        tokens: tokens that each crossing FIFO carries in a run.

    Raises:
        InputError: a FIFO is not there, or its writer is an actor or a trace.
    """
    crossing = {name: count for name, count in boundaries.items() if count > 0}
    unknown = sorted(crossing.keys() - graph.fifo_index.keys())
    if unknown:
        raise InputError("unknown-fifo", f"no FIFO '{unknown[0]}'", where=graph.name)
    moved = {name: _slice_name(name, 0) for name in crossing}
    fifos, processes = list(graph.fifos), [_writing_to(process, moved) for process in graph.processes]
    for name, count in crossing.items():
        slices = count * REGISTERS_PER_BOUNDARY
        bits = graph.fifos[graph.fifo_index[name]].bits
        fifos += [Fifo(_slice_name(name, n), MIN_DEPTH, bits, impl="srl") for n in range(slices)]
        processes += [_slice(name, n, slices, tokens[name]) for n in range(slices)]
    return replace(graph, fifos=tuple(fifos), processes=tuple(processes))


def _slice_name(fifo: str, number: int) -> str:
    return f"{fifo}__slr_{number}"


def _slice(fifo: str, number: int, slices: int, tokens: int) -> Pipeline:
    """Takes and passes on in one cycle; the cycle of delay is that of the FIFO that it reads."""
    to = _slice_name(fifo, number + 1) if number + 1 < slices else fifo
    events = (Event(_slice_name(fifo, number), "read", 0), Event(to, "write", 0))
    return Pipeline(f"{fifo}__slr_register_{number}", (Loop((tokens,), 1, 1, events),), category="crossing")


def _writing_to(process: Process, moved: Mapping[str, str]) -> Process:
    """The process with its writes to FIFOs in ``moved`` renamed."""
    if isinstance(process, MemoryPort):
        writes = process.op == "read" and process.fifo in moved
        return replace(process, fifo=moved[process.fifo]) if writes else process
    if isinstance(process, Pipeline) and process.trace is None:
        return replace(process, loops=tuple(_loop_writing_to(loop, moved) for loop in process.loops))
    raise InputError("no-crossing", "only pipelines of loops and memory ports cross SLRs", where=process.name)


def _loop_writing_to(loop: Loop, moved: Mapping[str, str]) -> Loop:
    events = (
        replace(event, fifo=moved[event.fifo]) if event.op == "write" and event.fifo in moved else event
        for event in loop.events
    )
    return replace(loop, events=tuple(events))


# --- The buses between DMAs and the HBM, which only one SLR is beside


HBM = ProcessFacts("hbm", Resources(), HBM_SLR)
"""The end of all buses."""

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
        MemoryBus(WireFacts(f"{port.name}__bus", HBM.name, port.name, _bits(port, port_bits)), port.fifo)
        for port in ports
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
