"""FIFOs in hardware: which module, how large, and its wires."""

from __future__ import annotations

from math import prod

import numpy as np

from sttest.errors import InputError
from sttest.sim.ends import Ends, joins_actors
from sttest.sim.graph import Actor, Event, Fifo, Loop, Memory, Process, TimedGraph
from sttest.sim.rtl.verilog import identifier

MAX_PLACES = 1 << 24
"""Places of a FIFO whose memory a simulator is asked to hold, 4 bytes each."""


def fifo_instance(graph: TimedGraph, index: int, ends: Ends, number: int) -> str:
    """Wires and instance of FIFO ``index``, ``number`` in the log.

    Raises:
        InputError: more places than a simulator can hold.
    """
    fifo = graph.fifos[index]
    writer, reader = graph.processes[ends.writer], graph.processes[ends.reader]
    places = _places(graph, fifo, writer)
    wires = f"  logic [31:0] {', '.join(f'f{index}_{wire}' for wire in wires_of(graph, ends))};\n"
    name = identifier("fifo_", index, fifo.name)
    common = f".clk(clk), .id(32'd{number}), .now(now), .put(f{index}_put), .take(f{index}_take)"
    levels = f".space(f{index}_space), .avail(f{index}_avail)"
    if not isinstance(writer, Actor) and not isinstance(reader, Actor):
        lanes = f", .LANES({min(places, _most_at_once(graph, reader, index, 0))})" if fifo.kind == "ram" else ""
        parameters = f".DEPTH({places}), .INITIAL({fifo.initial_tokens}){lanes}"
        return f"{wires}  twin_{fifo.kind} #({parameters}) {name} ({common}, {levels});\n"
    inside = joins_actors(graph, ends)
    raw = 0 if inside else fifo.read_after_write_cycles
    parameters = f".DEPTH({places}), .INITIAL({fifo.initial_tokens}), .RAW({raw}), .WAR({int(not inside)})"
    more = f".tick(tick), .claim(f{index}_claim), .free(f{index}_free)"
    return f"{wires}  twin_actor_fifo #({parameters}) {name} ({common}, {more}, {levels});\n"


def wires_of(graph: TimedGraph, ends: Ends) -> tuple[str, ...]:
    """The wires of a FIFO; one with an actor also has those of claims and of freed places."""
    with_actor = any(isinstance(graph.processes[end], Actor) for end in ends)
    return ("put", "take", "space", "avail") + (("claim", "free") if with_actor else ())


def _places(graph: TimedGraph, fifo: Fifo, writer: Process) -> int:
    """Its depth, or as many tokens as ever pass where that is less: a place beyond them could never be used."""
    op = 2 * graph.fifo_index[fifo.name] + 1
    places = max(1, min(fifo.depth, fifo.initial_tokens + tokens_of(graph, writer, op)))
    if places > MAX_PLACES:
        raise InputError(
            "fifo-too-deep-for-rtl", "the twin would need too much memory for it",
            where=f"{graph.name}: FIFO '{fifo.name}'", demand=places, bound=MAX_PLACES, unit="places",
            levers=["give it another depth with --depth", "use sttest simulate"],
        )  # fmt: skip
    return places


def tokens_of(graph: TimedGraph, process: Process, op: int) -> int:
    """Tokens that a process moves over one FIFO side in all."""
    if isinstance(process, Memory):
        return process.tokens
    if isinstance(process, Actor):
        return (process.firings or 0) * max(_phase_tokens(graph, process, op))
    if process.trace is not None:
        return process.repeat * int((process.trace.op == op).sum())
    return process.repeat * sum(
        _happenings(loop, event) * event.tokens for loop in process.loops for event in _events(graph, loop, op)
    )


def _most_at_once(graph: TimedGraph, process: Process, index: int, write: int) -> int:
    """A bound on the tokens that a pipeline or port moves over a FIFO side in one cycle."""
    op = 2 * index + write
    if isinstance(process, Memory | Actor):
        return 1
    if process.trace is not None:
        ticks = process.trace.tick[process.trace.op == op]
        return int(np.unique(ticks, return_counts=True)[1].max())
    return max(sum(event.tokens for event in _events(graph, loop, op)) for loop in process.loops)


def _events(graph: TimedGraph, loop: Loop, op: int) -> list[Event]:
    name, kind = graph.fifos[op // 2].name, "write" if op % 2 else "read"
    return [event for event in loop.events if event.fifo == name and event.op == kind]


def _happenings(loop: Loop, event: Event) -> int:
    if not event.when:
        return loop.iterations
    return prod(
        trip if when is None else len(range(when[0], when[1] + 1, when[2])) if isinstance(when, tuple) else 1
        for trip, when in zip(loop.trips, event.when, strict=True)
    )


def _phase_tokens(graph: TimedGraph, actor: Actor, op: int) -> list[int]:
    name = graph.fifos[op // 2].name
    return [(phase.writes if op % 2 else phase.reads).get(name, 0) for phase in actor.phases]
