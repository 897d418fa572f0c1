"""The token game in which accesses hold up from their earliest stage on and take effect after their latest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sttest.sim.graph import Loop, Pipeline, Process, TimedGraph
from sttest.sim.program import expand
from sttest.sim.stages import stage_table

NEVER = 1 << 62


class Place(NamedTuple):
    """What has one offset: event ``event`` of loop ``loop``, or (loop -1) the accesses of kind ``event`` in a trace."""

    process: int
    loop: int
    event: int


@dataclass(frozen=True)
class Choice:
    """A place and its offsets: the stage of an event, or by how much a trace's accesses move."""

    place: Place
    lowest: int
    highest: int


@dataclass(frozen=True)
class Accesses:
    """All accesses of one kind, int64 each, ascending: earliest and latest stage of the n-th.

    ``low_place`` and ``high_place``: number of the choice that puts it there, -1 where there is none.
    ``is_ordered``: whether the same access is the n-th in every choice, before the next unless in one stage with it;
    ``has_offsets``: whether they are events of loops.
    """

    low: np.ndarray
    high: np.ndarray
    low_place: np.ndarray
    high_place: np.ndarray
    is_ordered: bool
    has_offsets: bool = False

    def held_up_by_own(self, blocked: int) -> int:
        """Accesses that come before access ``blocked`` in every choice."""
        if blocked >= self.low.size:
            return self.low.size
        return int(np.searchsorted(self.low if self.is_ordered else self.high, self.low[blocked]))


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
        causal: whether an iteration of a loop writes no earlier than it has read all that it reads.
    """

    def __init__(self, graph: TimedGraph, trace_window: int, *, causal: bool) -> None:
        self.graph = graph
        self.causal = causal
        self.choices: list[Choice] = []
        self.accesses: dict[int, Accesses] = {}
        self.owner: dict[int, int] = {}
        self.ops: list[list[int]] = []
        for number, process in enumerate(graph.processes):
            made = dict(self._accesses(number, process, trace_window))
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

    def _progress(self, process: int) -> Iterator[tuple[int, int]]:
        """Of each kind the number of accesses that have taken effect while the other ends are as they are."""
        ops = self.ops[process]
        lows = {is_write: sorted((self._low(op), op) for op in ops if op % 2 == is_write) for is_write in (0, 1)}
        for op in ops:
            earliest = [next(((low, other) for low, other in side if other != op), None) for side in lows.values()]
            held_up_by = [(self._low(op), op), *filter(None, earliest)]
            yield op, min(self._passed(op, other, low) for low, other in held_up_by)

    def _passed(self, op: int, blocked: int, low: int) -> int:
        """Accesses of kind ``op`` that come before the one of kind ``blocked`` at ``low``, in every choice."""
        accesses = self.accesses[op]
        if op == blocked:
            return accesses.held_up_by_own(self._allowed(op))
        if self.causal and accesses.has_offsets and blocked % 2 > op % 2:
            return int(np.searchsorted(accesses.low, low))
        return int(np.searchsorted(accesses.high, low))

    def _low(self, op: int) -> int:
        """Earliest stage of the first access of a kind that can't happen yet."""
        allowed, low = self._allowed(op), self.accesses[op].low
        return int(low[allowed]) if allowed < low.size else NEVER

    def _allowed(self, op: int) -> int:
        """Accesses of a kind that the other end allows."""
        fifo = self.graph.fifos[op // 2]
        other = self.effective.get(op ^ 1, 0)
        return other + fifo.depth - fifo.initial_tokens if op % 2 else other + fifo.initial_tokens

    def _accesses(self, number: int, process: Process, trace_window: int) -> Iterator[tuple[int, Accesses]]:
        if not isinstance(process, Pipeline):
            yield from _fixed(self.graph, process)
        elif process.trace is not None:
            yield from self._of_trace(number, process, trace_window)
        else:
            yield from self._of_loops(number, process)

    def _choice(self, place: Place, lowest: int, highest: int) -> int:
        self.choices.append(Choice(place, lowest, highest))
        return len(self.choices) - 1

    def _of_trace(self, number: int, pipeline: Pipeline, window: int) -> Iterator[tuple[int, Accesses]]:
        tick, op = expand(pipeline, self.graph.fifo_index).whole()
        for kind in np.unique(op).tolist():
            stages = tick[op == kind]
            early = min(window, int(stages[0])) if kind % 2 else 0
            late = 0 if kind % 2 else window
            place = np.full(stages.size, self._choice(Place(number, -1, kind), -early, late))
            yield kind, Accesses(stages - early, stages + late, place, place, is_ordered=True)

    def _of_loops(self, number: int, pipeline: Pipeline) -> Iterator[tuple[int, Accesses]]:
        parts: dict[int, list[tuple[int, np.ndarray, int]]] = {}
        loops_of: dict[int, list[int]] = {}
        for loop_number, loop in enumerate(pipeline.loops):
            for event_number, event in enumerate(loop.events):
                kind = 2 * self.graph.fifo_index[event.fifo] + (event.op == "write")
                stages = _stages_at_offset_zero(self.graph, pipeline, loop_number, event_number)
                choice = self._choice(Place(number, loop_number, event_number), 0, loop.latency - 1)
                parts.setdefault(kind, []).append((choice, stages, loop.latency - 1))
                loops_of.setdefault(kind, []).append(loop_number)
        for kind, found in parts.items():
            stages = np.concatenate([part[1] for part in found])
            last_offset = np.concatenate([np.full(part[1].size, part[2]) for part in found])
            place = np.concatenate([np.full(part[1].size, part[0]) for part in found])
            low = np.argsort(stages, kind="stable")
            high = np.argsort(stages + last_offset, kind="stable")
            ordered = len(set(loops_of[kind])) == len(loops_of[kind])
            yield kind, Accesses(stages[low], (stages + last_offset)[high], place[low], place[high], ordered, True)


def _stages_at_offset_zero(graph: TimedGraph, pipeline: Pipeline, loop_number: int, event_number: int) -> np.ndarray:
    """Stages of one event in the whole program, were its offset 0."""

    def only(number: int, loop: Loop) -> Loop:
        chosen = (replace(loop.events[event_number], stage=0),) if number == loop_number else ()
        return replace(loop, events=chosen)

    loops = tuple(only(number, loop) for number, loop in enumerate(pipeline.loops))
    return expand(replace(pipeline, loops=loops), graph.fifo_index).whole()[0]


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
            place = np.full(stages.size, -1)
            yield kind, Accesses(stages, stages, place, place, is_ordered=True)
