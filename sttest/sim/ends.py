"""Which process writes and which reads each FIFO."""

from __future__ import annotations

from typing import NamedTuple

from sttest.sim.graph import Actor, Memory, Process, TimedGraph


class Ends(NamedTuple):
    """Places in ``graph.processes`` of a FIFO's writer and reader."""

    writer: int
    reader: int


def accesses_of(graph: TimedGraph, process: Process) -> tuple[set[str], set[str]]:
    """Names of the FIFOs that a process reads and of those that it writes."""
    if isinstance(process, Memory):
        return (set(), {process.fifo}) if process.op == "read" else ({process.fifo}, set())
    if isinstance(process, Actor):
        reads = {name for phase in process.phases for name in phase.reads}
        return reads, {name for phase in process.phases for name in phase.writes}
    if process.trace is not None:
        names = [(graph.fifos[op // 2].name, op % 2) for op in process.trace.ops_used]
        return {name for name, write in names if not write}, {name for name, write in names if write}
    events = [event for loop in process.loops for event in loop.events]
    return {e.fifo for e in events if e.op == "read"}, {e.fifo for e in events if e.op == "write"}


def fifo_ends(graph: TimedGraph) -> list[Ends]:
    """The ends of each FIFO, in the order of ``graph.fifos``."""
    writer: dict[str, int] = {}
    reader: dict[str, int] = {}
    for number, process in enumerate(graph.processes):
        reads, writes = accesses_of(graph, process)
        reader.update(dict.fromkeys(reads, number))
        writer.update(dict.fromkeys(writes, number))
    return [Ends(writer[fifo.name], reader[fifo.name]) for fifo in graph.fifos]


def joins_actors(graph: TimedGraph, ends: Ends) -> bool:
    """Whether a FIFO follows the SDF law: tokens and space pass from actor to actor within a cycle."""
    return isinstance(graph.processes[ends.writer], Actor) and isinstance(graph.processes[ends.reader], Actor)
