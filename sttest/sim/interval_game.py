"""The token game in which accesses hold up from their earliest stage on and take effect after their latest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sttest.sim.graph import Loop, Pipeline, Process, TimedGraph, Trace
from sttest.sim.program import expand
from sttest.sim.stages import stage_table

NEVER = 1 << 62


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

    def not_with(self, blocked: int) -> int:
        """Accesses that come before access ``blocked``, and not in one stage with it."""
        return int(np.searchsorted(self.low, self.low[blocked])) if blocked < self.low.size else self.low.size


class Blocked(NamedTuple):
    """Access ``token`` of kind ``op`` holds up access ``provided`` of kind ``provides``; both of one process."""

    op: int
    token: int
    provides: int
    provided: int


class IntervalGame:
    """The game on a graph.

    Args:
        graph: what is played.
        trace_window: stages by which the accesses of a trace may be off.
        causal: whether writes that come after all reads of a FIFO in an iteration of a loop always do.
    """

    def __init__(self, graph: TimedGraph, trace_window: int, *, causal: bool) -> None:
        self.graph = graph
        self.choices: list[Choice] = []
        self.lead: dict[tuple[int, int], int] = {}
        self.accesses: dict[int, Accesses] = {}
        self.owner: dict[int, int] = {}
        self.ops: list[list[int]] = []
        for number, process in enumerate(graph.processes):
            made = dict(self._accesses(number, process, trace_window, causal=causal))
            self.accesses |= made
            self.owner |= dict.fromkeys(made, number)
            self.ops.append(list(made))
        self.effective = dict.fromkeys(self.accesses, 0)

    def play(self) -> bool:
        """Goes as far as it can; whether everything happens."""
        todo = dict.fromkeys(range(len(self.ops)))
        while todo:
            process, _ = todo.popitem()
            for op, count in self._progress(process):
                if count > self.effective[op]:
                    self.effective[op] = count
                    if op ^ 1 in self.owner:
                        todo[self.owner[op ^ 1]] = None
        return all(self.effective[op] == accesses.low.size for op, accesses in self.accesses.items())

    def wait_cycle(self) -> list[Blocked]:
        """After a game that stood still: the accesses that hold each other up; empty if tokens are missing anyway."""
        op = next(op for op, accesses in self.accesses.items() if self._allowed(op) < accesses.low.size)
        path: dict[int, Blocked] = {}
        while op not in path:
            provides = op ^ 1
            if provides not in self.owner or self.effective[provides] == self.accesses[provides].low.size:
                return []
            path[op] = blocked = self._hold_up(provides)
            op = blocked.op
        order = list(path)
        return [path[step] for step in order[order.index(op) :]]

    def _hold_up(self, provides: int) -> Blocked:
        """The earliest access that holds up the next one of a kind."""
        provided, ops = self.effective[provides], self.ops[self.owner[provides]]
        for low, op in sorted((low, op) for op in ops if (low := self._low(op)) < NEVER):
            if self._passed(provides, op, low) <= provided:
                return Blocked(op, self._allowed(op), provides, provided)
        raise AssertionError(f"nothing holds up access {provided} of kind {provides}")

    def _progress(self, process: int) -> list[tuple[int, int]]:
        """Of each kind the number of accesses that have taken effect while the other ends are as they are."""
        waiting = [(other, self._low(other)) for other in self.ops[process]]
        return [(op, min(self._passed(op, other, low) for other, low in waiting)) for op in self.ops[process]]

    def _passed(self, op: int, blocked: int, low: int) -> int:
        """Accesses of kind ``op`` that come before the next one of kind ``blocked``, at ``low``, in every choice."""
        accesses, token = self.accesses[op], self._allowed(blocked)
        if op == blocked:
            return accesses.not_with(token)
        lead = self._lead(op, blocked, token) if low < NEVER else None
        if lead is None:
            return int(np.searchsorted(accesses.high, low))
        return int(np.searchsorted(accesses.given, self.accesses[blocked].given[token] - lead))

    def _lead(self, op: int, blocked: int, token: int) -> int | None:
        """Stages by which an access may come nearer to those of kind ``op`` in its loop; None if that is free."""
        choice = int(self.accesses[blocked].choice[token])
        leads = (lead for (late, early), lead in self.lead.items() if late == choice and self.choices[early].op == op)
        return next(leads, None) if choice >= 0 else None

    def _low(self, op: int) -> int:
        """Earliest stage of the first access of a kind that can't happen yet."""
        allowed, low = self._allowed(op), self.accesses[op].low
        return int(low[allowed]) if allowed < low.size else NEVER

    def _allowed(self, op: int) -> int:
        """Accesses of a kind that the other end allows."""
        fifo = self.graph.fifos[op // 2]
        other = self.effective.get(op ^ 1, 0)
        return other + fifo.depth - fifo.initial_tokens if op % 2 else other + fifo.initial_tokens

    def _accesses(
        self, number: int, process: Process, trace_window: int, *, causal: bool
    ) -> Iterator[tuple[int, Accesses]]:
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
