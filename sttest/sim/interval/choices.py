"""What is free where stages are not known: which accesses move together, how far, and in which order they stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sttest.sim.graph import Loop, Pipeline, Process, TimedGraph, Trace
from sttest.sim.program import expand
from sttest.sim.stages import stage_table


@dataclass(frozen=True)
class Choice:
    """What moves together: all accesses of kind ``op`` in loop ``loop`` (-1: in the trace) of a process.

    They may move by ``lowest`` to ``highest`` stages.  In the graph as given the first of them is at offset
    ``first`` of its iteration and the last at ``last``.
    """

    process: int
    loop: int
    op: int
    lowest: int
    highest: int
    first: int = 0
    last: int = 0

    @property
    def is_write(self) -> bool:
        """Whether the accesses are writes."""
        return self.op % 2 == 1


@dataclass(frozen=True)
class Accesses:
    """All accesses of one kind, int64 each, ascending: stage as given, earliest and latest stage.

    ``choice``: number of the choice that moves it, -1 where there is none.
    """

    given: np.ndarray
    low: np.ndarray
    high: np.ndarray
    choice: np.ndarray


class Freedom:
    """The accesses of a graph and how they may move.

    ``accesses`` by kind (2 * FIFO index + write), ``ops`` the kinds of each process, ``lead`` by the numbers of two
    choices, a write and a read of one loop: the stages by which the write may come nearer to the read.

    Args:
        graph: whose stages are not known.
        trace_window: stages by which the accesses of a trace may be off.
        causal: whether writes that come after all reads of a FIFO in an iteration of a loop always do.
    """

    def __init__(self, graph: TimedGraph, trace_window: int, *, causal: bool) -> None:
        self.graph = graph
        self.choices: list[Choice] = []
        self.lead: dict[tuple[int, int], int] = {}
        self.accesses: dict[int, Accesses] = {}
        self.ops: list[list[int]] = []
        for number, process in enumerate(graph.processes):
            made = dict(self._of(number, process, trace_window, causal=causal))
            self.accesses |= made
            self.ops.append(list(made))

    def _of(self, number: int, process: Process, trace_window: int, *, causal: bool) -> Iterator[tuple[int, Accesses]]:
        if not isinstance(process, Pipeline):
            yield from _fixed(self.graph, process)
            return
        begin = len(self.choices)
        if process.trace is not None:
            self.choices += _choices_of_trace(number, process.trace, trace_window)
        else:
            for loop_number, loop in enumerate(process.loops):
                made = _choices_of_loop(number, loop_number, loop, self.graph)
                self.choices += self._kept_causal(made, loop.latency) if causal else made
        tick, op, loop_of = _labelled(self.graph, process)
        number_of = {(c.loop, c.op): begin + index for index, c in enumerate(self.choices[begin:])}
        for kind in np.unique(op).tolist():
            here = op == kind
            choice = np.array([number_of[loop, kind] for loop in loop_of[here].tolist()], np.int64)
            lowest = np.array([c.lowest for c in self.choices])[choice]
            highest = np.array([c.highest for c in self.choices])[choice]
            yield kind, Accesses(tick[here], tick[here] + lowest, tick[here] + highest, choice)

    def _kept_causal(self, choices: list[Choice], latency: int) -> list[Choice]:
        """Choices of a loop without those that leave no room for writes after reads; notes how near they may come."""
        begin = len(self.choices)
        pairs = [
            (w, r)
            for w, write in enumerate(choices)
            for r, read in enumerate(choices)
            if write.is_write and not read.is_write and write.first >= read.last
        ]
        room = list(choices)
        for w, r in pairs:
            write, read = choices[w], choices[r]
            self.lead[begin + w, begin + r] = write.first - read.last
            latest_read = latency - 1 - (write.last - write.first) - read.last
            earliest_write = read.last - read.first - write.first
            room[r] = replace(room[r], highest=min(room[r].highest, latest_read))
            room[w] = replace(room[w], lowest=max(room[w].lowest, earliest_write))
        return room


def _choices_of_trace(number: int, trace: Trace, window: int) -> list[Choice]:
    """Reads up to ``window`` later, writes up to as much earlier."""
    choices = []
    for op in trace.ops_used:
        earliest = int(trace.tick[trace.op == op][0])
        choices.append(
            Choice(number, -1, op, -min(window, earliest), 0) if op % 2 else Choice(number, -1, op, 0, window)
        )
    return choices


def _choices_of_loop(number: int, loop_number: int, loop: Loop, graph: TimedGraph) -> list[Choice]:
    """One for the reads and one for the writes of each FIFO."""
    offsets: dict[int, list[int]] = {}
    for event in loop.events:
        offsets.setdefault(2 * graph.fifo_index[event.fifo] + (event.op == "write"), []).append(event.stage)
    return [
        Choice(number, loop_number, op, -min(found), loop.latency - 1 - max(found), min(found), max(found))
        for op, found in offsets.items()
    ]


def _labelled(graph: TimedGraph, pipeline: Pipeline) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stage, kind and loop (-1 for a trace) of each access, by stage."""
    if pipeline.trace is not None:
        tick, op = expand(pipeline, graph.fifo_index).whole()
        return tick, op, np.full(tick.size, -1)
    parts = []
    for number in range(len(pipeline.loops)):
        only = tuple(loop if i == number else replace(loop, events=()) for i, loop in enumerate(pipeline.loops))
        tick, op = expand(replace(pipeline, loops=only), graph.fifo_index).whole()
        parts.append((tick, op, np.full(tick.size, number)))
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
    tick, op, loop_of = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(tick, kind="stable")
    return tick[order], op[order], loop_of[order]


def _fixed(graph: TimedGraph, process: Process) -> Iterator[tuple[int, Accesses]]:
    """Of a memory port or an actor: the n-th token or firing is stage n."""
    table = stage_table(process, graph)
    stage_of = np.repeat(np.arange(table.tick.size), np.diff(table.pointer))
    for kind in np.unique(table.op).tolist():
        here = table.op == kind
        once = np.repeat(stage_of[here], table.count[here])
        runs = np.arange(table.runs, dtype=np.int64)[:, None] * table.tick.size
        stages = (runs + once).ravel()
        stages = stages[stages < table.visits]
        if stages.size:
            yield kind, Accesses(stages, stages, stages, np.full(stages.size, -1))
