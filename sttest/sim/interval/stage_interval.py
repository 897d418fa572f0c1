"""Whether a design is live for all stages at which its accesses may sit, or dead for some.

Reports of HLS tools give the latency of a loop but not the stage of each access, and deadlocks
depend on the stages.  So the accesses of a FIFO in a loop may move, together and in their order, to
any offsets in [0, latency - 1]; in causal choices, writes that come after the reads of a FIFO in the graph
as given always do.  A trace has reads as early and writes as late as can be, so all reads of a FIFO may
be up to ``trace_window`` stages later and all its writes as much earlier.

No single choice is the worst: to be early makes an access hold up others, to be late makes
others wait for it, reads and writes alike.  ``sttest.sim.interval.game`` plays all of them at once, and
``sttest.sim.interval.search`` finds out whether some of them deadlocks.  The choice that does is played once more with
its stages fixed and is the witness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from sttest.errors import InputError
from sttest.sim.deadlock.certificate import Deadlock
from sttest.sim.deadlock.fix import explain
from sttest.sim.flat import flatten
from sttest.sim.graph import Actor, Pipeline, TimedGraph, Trace
from sttest.sim.interval.choices import Choice, Freedom
from sttest.sim.interval.game import Blocked, IntervalGame
from sttest.sim.interval.search import SearchGivenUpError, standing_cycle
from sttest.sim.report import deadlock_lines

LIVE_FOR_ALL = "live for all"
DEAD_FOR_SOME = "dead for some"
UNDECIDED = "undecided"
MAX_WITNESSES = 200
"""Choices whose deadlocks are mended, one after the other, in looking for depths that are enough for all."""


@dataclass(frozen=True)
class Offset:
    """Where accesses sit, in stages: offset of the first in an iteration of a loop, or what those of a trace moved."""

    process: str
    fifo: str
    op: str
    loop: int | None
    stages: int

    def to_text(self) -> str:
        """In words."""
        if self.loop is None:
            return f"{self.process} {self.op}s {self.fifo} {self.stages:+d} stages off its trace"
        return f"{self.process} {self.op}s {self.fifo} at offset {self.stages} of loop {self.loop}"


@dataclass(frozen=True)
class IntervalVerdict:
    """``live for all``, ``dead for some``, or ``undecided`` where the search had to be given up.

    Where it is dead for some, ``offsets`` are those of the loops in the cycle, ``witness`` is the graph with them,
    ``deadlock`` its certificate, and ``enough`` depths with which it would be live for all: a bound, fewer tokens may
    do; empty where no depths were found.
    """

    verdict: str
    offsets: list[Offset] = field(default_factory=list)
    witness: TimedGraph | None = None
    deadlock: Deadlock | None = None
    enough: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The verdict, and where some choice is dead its offsets, its certificate, and depths that are enough."""
        data: dict[str, Any] = {"verdict": self.verdict}
        if self.deadlock is not None:
            data["witness"] = [asdict(offset) for offset in self.offsets]
            data["deadlock"] = self.deadlock.to_json()
            data["enough"] = [{"fifo": name, "depth": depth} for name, depth in self.enough.items()]
        return data

    def to_text(self) -> str:
        """A few lines."""
        if self.deadlock is None:
            return f"stages not known: {self.verdict}"
        where = [f"  {offset.to_text()}" for offset in self.offsets]
        lines = [f"stages not known: {self.verdict}, as where", *where, *deadlock_lines(self.deadlock, self.witness)]
        if self.enough:
            depths = ", ".join(f"{name}={depth}" for name, depth in self.enough.items())
            lines.append(f"  it is live for all with depths {depths} (a bound: fewer tokens may do)")
        return "\n".join(lines)


def check_intervals(graph: TimedGraph, trace_window: int = 0, *, causal: bool = True) -> IntervalVerdict:
    """Looks for offsets of the accesses with which the graph deadlocks.

    Args:
        graph: what is played, with its depths.
        trace_window: stages by which the accesses of traces may be off.
        causal: only choices in which writes that come after all reads of a FIFO in an iteration still do.

    Raises:
        InputError: actors that fire for ever, or a window below 0.
    """
    if trace_window < 0:
        raise InputError("too-small", f"the window is {trace_window}, at least 0 is needed", where="--stage-interval")
    if any(isinstance(process, Actor) and process.firings is None for process in graph.processes):
        raise InputError("actors", "actors that fire for ever have no stages", where=graph.name)
    graph = _with_room(graph, trace_window)
    freedom = Freedom(graph, trace_window, causal=causal)
    found = _decided(graph, freedom)
    if found.deadlock is None:
        return found
    return replace(found, enough=_enough(graph, freedom, found.deadlock))


def _decided(graph: TimedGraph, freedom: Freedom) -> IntervalVerdict:
    """Whether some choice deadlocks, with a witness; the freedom may be that of the graph with other depths."""
    try:
        cycle = standing_cycle(IntervalGame(freedom, graph.fifos))
    except SearchGivenUpError:
        return IntervalVerdict(UNDECIDED)
    return IntervalVerdict(LIVE_FOR_ALL) if cycle is None else _dead(graph, freedom, cycle)


def _dead(graph: TimedGraph, freedom: Freedom, cycle: Sequence[Blocked]) -> IntervalVerdict:
    values = _standing(freedom, cycle)
    witness = with_offsets(graph, freedom.choices, values)
    deadlock = explain(witness, flatten(witness))
    members = {wait.process for wait in deadlock.cycle}
    offsets = [_offset(graph, freedom.choices[number], value) for number, value in values.items()]
    return IntervalVerdict(DEAD_FOR_SOME, [o for o in offsets if o.process in members], witness, deadlock)


def _enough(graph: TimedGraph, freedom: Freedom, deadlock: Deadlock) -> dict[str, int]:
    """Deepens FIFOs by the fix of one witness after the other until there is none; empty if there is no end to it."""
    deepened: dict[str, int] = {}
    for _ in range(MAX_WITNESSES):
        if not deadlock.fix:
            return {}
        deepened |= deadlock.fix
        found = _decided(graph.with_depths(deepened), freedom)
        if found.deadlock is None:
            return deepened if found.verdict == LIVE_FOR_ALL else {}
        deadlock = found.deadlock
    return {}


def _with_room(graph: TimedGraph, window: int) -> TimedGraph:
    """Traces end so much later that their runs don't overlap whatever moves."""

    def longer(pipeline: Pipeline) -> Pipeline:
        assert pipeline.trace is not None
        tick = pipeline.trace.tick
        end = pipeline.end if pipeline.end is not None else int(tick[-1]) + 1 if tick.size else 0
        return replace(pipeline, end=end + window)

    processes = (longer(p) if isinstance(p, Pipeline) and p.trace is not None else p for p in graph.processes)
    return replace(graph, processes=tuple(processes)) if window else graph


def _standing(freedom: Freedom, cycle: Sequence[Blocked]) -> dict[int, int]:
    """Choice number → stages moved: in each loop of the cycle what holds up as early as can be, all others as late."""
    values: dict[int, int] = {}
    for blocked in cycle:
        early = int(freedom.accesses[blocked.op].choice[blocked.token])
        if early >= 0 and blocked.op != blocked.provides:
            values |= _one_early(freedom, early)
    return values


def _one_early(freedom: Freedom, early: int) -> dict[int, int]:
    """A loop's choices with one as early as it can be and all others late, but writes still after their reads."""
    first = freedom.choices[early]
    values = {}
    for number, choice in enumerate(freedom.choices):
        if (choice.process, choice.loop) == (first.process, first.loop):
            lead = freedom.lead.get((early, number))
            values[number] = choice.highest if lead is None else min(choice.highest, first.lowest + lead)
    return values | {early: first.lowest}


def is_causal(freedom: Freedom, moved: Sequence[int]) -> bool:
    """Whether what is to come after reads still does; ``moved`` is in the order of the choices."""
    return all(lead + moved[write] - moved[read] >= 0 for (write, read), lead in freedom.lead.items())


def _offset(graph: TimedGraph, choice: Choice, value: int) -> Offset:
    process, fifo = graph.processes[choice.process], graph.fifos[choice.op // 2]
    in_trace = choice.loop < 0
    op = "write" if choice.is_write else "read"
    return Offset(process.name, fifo.name, op, None if in_trace else choice.loop, choice.first + value)


def with_offsets(graph: TimedGraph, choices: Sequence[Choice], values: dict[int, int]) -> TimedGraph:
    """The graph with some of its choices made, in stages moved; the others stay as they are."""
    processes = list(graph.processes)
    for number, value in values.items():
        choice = choices[number]
        pipeline = processes[choice.process]
        assert isinstance(pipeline, Pipeline)
        if value:
            processes[choice.process] = _moved(pipeline, choice, graph.fifos[choice.op // 2].name, value)
    return replace(graph, processes=tuple(processes))


def _moved(pipeline: Pipeline, choice: Choice, fifo: str, value: int) -> Pipeline:
    if pipeline.trace is not None:
        tick = pipeline.trace.tick + np.where(pipeline.trace.op == choice.op, value, 0)
        order = np.argsort(tick, kind="stable")
        return replace(pipeline, trace=Trace(tick[order], pipeline.trace.op[order]))
    op, loop = "write" if choice.is_write else "read", pipeline.loops[choice.loop]
    events = tuple(
        replace(event, stage=event.stage + value) if (event.fifo, event.op) == (fifo, op) else event
        for event in loop.events
    )
    changed = replace(loop, events=events)
    loops = (*pipeline.loops[: choice.loop], changed, *pipeline.loops[choice.loop + 1 :])
    return replace(pipeline, loops=loops)
