"""When each process of a compiled design accesses its FIFOs, if nothing holds it back."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np

from sttest.compile.spaces.fifo_curves import Curve, Nest, nest
from sttest.errors import InputError
from sttest.sim.graph import Channel, Event, Loop, Memory, Pipeline, Process, TimedGraph, When
from sttest.sim.program import Program, expand


def accesses(process: Process, graph: TimedGraph) -> dict[tuple[str, str], Curve]:
    """The curve per FIFO and op (``read`` or ``write``) of one unhindered run, from the process's start on.

    Raises:
        InputError: an actor, which compiled designs don't have.
    """
    if isinstance(process, Memory):
        return {(process.fifo, "write" if process.op == "read" else "read"): Curve((_port(process, graph),))}
    if not isinstance(process, Pipeline):
        raise InputError("actor-in-design", "compiled designs have no actors", where=process.name)
    if process.trace is not None:
        program = expand(process, graph.fifo_index)
        return {_end(op, graph): Curve((_repeated(program, op),)) for op in process.trace.ops_used}
    found: dict[tuple[str, str], list[Nest]] = {}
    entries, _, period = _extent(process)
    for loop, entry in zip(process.loops, entries, strict=True):
        for end, events in _by_end(loop).items():
            found.setdefault(end, []).append(_of_loop(loop, events, entry))
    return {end: Curve(_again(nests, process.repeat, period)) for end, nests in found.items()}


def span(process: Process, graph: TimedGraph) -> int:
    """Cycles of one unhindered run, at least 1."""
    if isinstance(process, Memory):
        return Curve((_port(process, graph),))[-1] + 1
    if not isinstance(process, Pipeline):
        raise InputError("actor-in-design", "compiled designs have no actors", where=process.name)
    if process.trace is not None:
        return max(1, expand(process, graph.fifo_index).last_stage)
    _, end, period = _extent(process)
    return max(1, (process.repeat - 1) * period + end)


def _end(op: int, graph: TimedGraph) -> tuple[str, str]:
    return graph.fifos[op // 2].name, "write" if op % 2 else "read"


def _extent(pipeline: Pipeline) -> tuple[list[int], int, int]:
    """Stages at which the loops of a run are entered, at which it ends, and from one run to the next."""
    entries, entry, end, gap = [], 0, 0, 0
    for loop in pipeline.loops:
        entries.append(entry)
        end, gap = entry + loop.length, loop.entry_gap
        entry = end + gap
    end = end if pipeline.end is None else pipeline.end
    return entries, end, end + gap


def _by_end(loop: Loop) -> dict[tuple[str, str], list[Event]]:
    found: dict[tuple[str, str], list[Event]] = {}
    for event in loop.events:
        found.setdefault((event.fifo, event.op), []).append(event)
    return found


def _of_loop(loop: Loop, events: Sequence[Event], entry: int) -> Nest:
    """The accesses of one end of a FIFO in a loop; spelled out where iterations in flight interleave."""
    offsets = np.sort(np.repeat([event.stage for event in events], [event.tokens for event in events]))
    first, steps = _iterations(loop, events[0].when)
    is_alike = all(event.when == events[0].when for event in events)
    if is_alike and offsets[-1] - offsets[0] <= _least_distance(steps):
        return nest(entry + first, steps, offsets)
    spelled = expand(Pipeline("", (_only(loop, events),)), {events[0].fifo: 0})
    return nest(entry, (), spelled.tick)


def _only(loop: Loop, events: Sequence[Event]) -> Loop:
    return Loop(loop.trips, loop.ii, loop.latency, tuple(events))


def _iterations(loop: Loop, when: Sequence[When]) -> tuple[int, list[tuple[int, int]]]:
    """Entry of the first iteration in which an event happens, and the steps to the others, in stages."""
    first, steps = 0, []
    for dim, chosen in enumerate(when or (None,) * len(loop.trips)):
        stages = loop.ii * prod(loop.trips[dim + 1 :])
        begin, last, step = chosen if isinstance(chosen, tuple) else _whole_range(chosen, loop.trips[dim])
        first += begin * stages
        steps.append(((last - begin) // step + 1, step * stages))
    return first, steps


def _whole_range(chosen: int | None, trip: int) -> tuple[int, int, int]:
    return (0, trip - 1, 1) if chosen is None else (chosen, chosen, 1)


def _least_distance(steps: Sequence[tuple[int, int]]) -> float:
    """Stages from an iteration to the next, at least; endless if there is but one."""
    found, inside = float("inf"), 0
    for count, stages in reversed(steps):
        if count > 1:
            found = min(found, stages - inside)
        inside += (count - 1) * stages
    return found


def _again(nests: Sequence[Nest], repeat: int, period: int) -> tuple[Nest, ...]:
    """The accesses of all runs; runs in which several loops take part are spelled out, once."""
    if repeat == 1:
        return tuple(nests)
    if len(nests) == 1:
        only = nests[0]
        return (nest(only.first, ((repeat, period), *only.steps), only.offsets),)
    one_run = Curve(tuple(nests))
    return (nest(0, ((repeat, period),), one_run.at(np.arange(len(one_run)))),)


def _repeated(program: Program, op: int) -> Nest:
    return nest(0, ((program.repeat, program.period),), program.tick[program.op == op])


def _port(port: Memory, graph: TimedGraph) -> Nest:
    """Tokens of a memory port that has its channels for itself; at most one token per cycle."""
    channels = {channel.name: channel for channel in graph.channels}
    rate = sum((_bytes_per_cycle(channels[name]) for name in port.channels), Fraction())
    interval = max(Fraction(1), Fraction(port.token_bytes) / rate)
    turn = min(interval.denominator, port.tokens)
    return Nest(
        first=channels[port.channels[0]].latency + 1,
        steps=((-(-port.tokens // turn), interval.numerator),),
        offsets=np.arange(turn, dtype=np.int64) * interval.numerator // interval.denominator,
        tokens=port.tokens,
    )


def _bytes_per_cycle(channel: Channel) -> Fraction:
    return Fraction(channel.beat_bytes * channel.beats_num, channel.beats_den)
