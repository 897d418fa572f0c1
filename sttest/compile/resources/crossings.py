"""Registers on FIFOs that cross SLRs, put back into the timed graph.

A boundary is crossed through dedicated registers on either side (AMD UG949, Laguna
sites).  Each is a register slice: it holds two tokens, passes one per cycle and a token
stays for one cycle, so that a crossing costs latency and no throughput.  Slices stand
between the writer and the FIFO, whose memory lies with its reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sttest.errors import InputError
from sttest.sim.graph import Event, Fifo, Loop, Memory, Pipeline, Process, TimedGraph

REGISTERS_PER_BOUNDARY = 2
_SLICE_DEPTH = 2


def with_crossings(graph: TimedGraph, boundaries: Mapping[str, int], tokens: Mapping[str, int]) -> TimedGraph:
    """The graph with register slices on the FIFOs that cross.

    Args:
        graph: of one run.
        boundaries: crossed by each FIFO; one that is not named crosses none.
        tokens: that each crossing FIFO carries in a run.

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
        fifos += [Fifo(_slice_name(name, n), _SLICE_DEPTH, bits, impl="srl") for n in range(slices)]
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
    if isinstance(process, Memory):
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
