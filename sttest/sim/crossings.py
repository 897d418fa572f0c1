"""Registers at SLR boundaries in a timed graph: on the way from the writer of a FIFO to the FIFO.

Each is a FIFO of the least depth and a process that passes its tokens on.  A *relay* is a process of the kernel; the
registers of a DMA's *bus* are outside of the kernel, and stand at the FIFO that the DMA fills or empties.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sttest.core.errors import InputError
from sttest.sim.graph import MIN_DEPTH, Event, Fifo, Loop, MemoryPort, Pipeline, Process, TimedGraph

RELAY, BUS = "relay", "bus"
"""Kinds of registers."""
CATEGORIES = {RELAY: "crossing", BUS: "bus-crossing"}
"""Categories of their processes."""


def register_names(fifo: str, number: int, kind: str = RELAY) -> tuple[str, str]:
    """A register on the way of a FIFO's tokens, counted from the writer: its process, and the FIFO that it reads.

    >>> register_names("a__b", 1)
    ('relay_a__b_1', 'a__b__relay_1')
    """
    return f"{kind}_{fifo}_{number}", f"{fifo}__{kind}_{number}"


def with_registers(graph: TimedGraph, kind: str, registers: Mapping[str, int], tokens: Mapping[str, int]) -> TimedGraph:
    """The graph with registers before some of its FIFOs.

    Args:
        graph: timed graph of one run.
        kind: ``relay`` or ``bus``.
        registers: number of them by FIFO.
        tokens: tokens that each of these FIFOs carries in a run.

    Raises:
        InputError: a FIFO is not there, or its writer is an actor or a trace.
    """
    unknown = sorted(registers.keys() - graph.fifo_index.keys())
    if unknown:
        raise InputError("unknown-fifo", f"no FIFO '{unknown[0]}'", where=graph.name)
    moved = {name: register_names(name, 0, kind)[1] for name in registers}
    fifos, processes = list(graph.fifos), [writing_to(process, moved) for process in graph.processes]
    for name, count in registers.items():
        bits = graph.fifos[graph.fifo_index[name]].bits
        fifos += [Fifo(register_names(name, n, kind)[1], MIN_DEPTH, bits, impl="srl") for n in range(count)]
        processes += [_register(kind, name, n, count, tokens[name]) for n in range(count)]
    return replace(graph, fifos=tuple(fifos), processes=tuple(processes))


def register_ends(process: Process) -> tuple[str, str] | None:
    """The FIFOs that a register reads and writes; None for any other process."""
    if not isinstance(process, Pipeline) or process.category not in CATEGORIES.values():
        return None
    of = {event.op: event.fifo for event in process.loops[0].events}
    return of["read"], of["write"]


def behind_registers(graph: TimedGraph) -> dict[str, str]:
    """The FIFO that tokens come to at last, by every FIFO that a register reads."""
    return _last(graph.processes)


def kernel_graph(graph: TimedGraph) -> TimedGraph:
    """A graph with crossings as the kernel alone is, without the registers of buses."""
    buses = [each for each in graph.processes if each.category == CATEGORIES[BUS]]
    last = _last(buses)
    processes = tuple(writing_to(each, last) for each in graph.processes if each.category != CATEGORIES[BUS])
    fifos = tuple(each for each in graph.fifos if each.name not in last)
    return replace(graph, fifos=fifos, processes=processes) if buses else graph


def _last(processes: Sequence[Process]) -> dict[str, str]:
    """The FIFO behind all of these registers, by every FIFO that one of them reads."""
    last = {ends[0]: ends[1] for ends in map(register_ends, processes) if ends is not None}
    for fifo in reversed(last):  # those of one FIFO stand in order
        last[fifo] = last.get(last[fifo], last[fifo])
    return last


def _register(kind: str, fifo: str, number: int, count: int, tokens: int) -> Pipeline:
    """Takes and passes on in one cycle; the cycle of delay is that of the FIFO that it reads."""
    name, reads = register_names(fifo, number, kind)
    writes = register_names(fifo, number + 1, kind)[1] if number + 1 < count else fifo
    events = (Event(reads, "read", 0), Event(writes, "write", 0))
    return Pipeline(name, (Loop((tokens,), 1, 1, events),), category=CATEGORIES[kind])


def writing_to(process: Process, moved: Mapping[str, str]) -> Process:
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
