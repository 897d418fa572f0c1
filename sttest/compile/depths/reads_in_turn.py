"""Processes that leave one FIFO aside while they read another, and what FIFOs must hold because of them.

What is left aside piles up on its way: in FIFOs, and in flight in the pipelines
between them.  Hardware whose stages are fewer than the model's, and the C
simulation of the emitted code, keep nothing in flight.  So that a design finishes
there too, its FIFOs are made to hold all of it: a token counts as written in
the first stage of its iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from sttest.sim.graph import Event, Loop, Pipeline, Process, When


def reads_in_turn(process: Process) -> bool:
    """Whether two FIFOs are read in different iterations of a loop."""
    loops = process.loops if isinstance(process, Pipeline) else ()
    return any(_are_apart(*pair, loop) for loop in loops for pair in _pairs(loop))


def nothing_in_flight(process: Process) -> Process:
    """The same process with all writes in the first stage of their iterations; a trace stays as it is."""
    if not isinstance(process, Pipeline):
        return process
    return replace(process, loops=tuple(map(_at_once, process.loops)))


def _at_once(loop: Loop) -> Loop:
    events = (replace(event, stage=0) if event.op == "write" else event for event in loop.events)
    return replace(loop, events=tuple(events))


def _pairs(loop: Loop) -> Iterator[tuple[Event, Event]]:
    """Reads of different FIFOs that are not made in every iteration."""
    reads = [event for event in loop.events if event.op == "read" and any(each is not None for each in event.when)]
    return ((one, other) for one, other in combinations(reads, 2) if one.fifo != other.fifo)


def _are_apart(one: Event, other: Event, loop: Loop) -> bool:
    """Whether there is a loop dim at whose indices only one of the two happens, all before those of the other."""
    ranges = zip(map(_range, one.when, loop.trips), map(_range, other.when, loop.trips), strict=True)
    return any(left[1] < right[0] or right[1] < left[0] for left, right in ranges)


def _range(when: When, trip: int) -> tuple[int, int]:
    if when is None:
        return 0, trip - 1
    return (when[0], when[1]) if isinstance(when, tuple) else (when, when)
