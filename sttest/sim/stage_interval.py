"""Whether a design is live for all stages at which its accesses may sit, or dead for some.

Reports of HLS tools give the latency of a loop but not the stage of each access, and deadlocks
depend on the stages.  So an access of a loop may be at any offset in [0, latency - 1], one offset per
event, and in causal choices no write before a read of its iteration.  A trace has reads as early and
writes as late as can be, so all reads of a FIFO may be up to ``trace_window`` stages later and all its
writes as much earlier.

No single choice is the worst: to be early makes an access hold up others, to be late makes
others wait for it, reads and writes alike.  So in the game played here every access holds up from its
earliest stage on and takes effect after its latest.  What can happen in it can happen with every
choice: if it finishes, the design is live for all.  If it stands still, a cycle of waits goes from process
to process, and in each one access holds up another.  A cycle that visits each process once asks only
that the one be as early and the other as late as it can.  That choice, played with its stages fixed, is
the witness.  Where it turns out to be live, choices are tried one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any, TypeVar

import numpy as np

from sttest.errors import InputError
from sttest.sim.deadlock import Deadlock
from sttest.sim.deadlock_fix import explain
from sttest.sim.flat import depths_of, flatten
from sttest.sim.graph import Actor, Pipeline, TimedGraph, Trace
from sttest.sim.interval_game import Blocked, Choice, IntervalGame
from sttest.sim.liveness import advance
from sttest.sim.report import deadlock_lines

LIVE_FOR_ALL = "live for all"
DEAD_FOR_SOME = "dead for some"
UNDECIDED = "undecided"
T = TypeVar("T")
MAX_TRIALS = 2048
"""Choices that are tried one by one where the game alone does not decide."""


@dataclass(frozen=True)
class Offset:
    """Where an access sits: the offset of an event of a loop, or the shift of a trace's accesses, in stages."""

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
    """``live for all``, ``dead for some`` or ``undecided``: live in all of ``trials`` choices that were tried.

    Where it is dead for some, ``offsets`` are those of the witness that matter or differ from the graph's,
    ``witness`` is the graph with them, and ``deadlock`` its certificate.
    """

    verdict: str
    trials: int = 0
    offsets: list[Offset] = field(default_factory=list)
    witness: TimedGraph | None = None
    deadlock: Deadlock | None = None

    def to_json(self) -> dict[str, Any]:
        """Verdict, trials, and where some choice is dead its offsets and certificate."""
        data: dict[str, Any] = {"verdict": self.verdict, "trials": self.trials}
        if self.deadlock is not None:
            data["witness"] = [asdict(offset) for offset in self.offsets]
            data["deadlock"] = self.deadlock.to_json()
        return data

    def to_text(self) -> str:
        """A few lines."""
        if self.deadlock is None:
            tried = f", {self.trials} choices tried" if self.trials else ""
            return f"stages not known: {self.verdict}{tried}"
        where = [f"  {offset.to_text()}" for offset in self.offsets]
        why = deadlock_lines(self.deadlock, self.witness)
        return "\n".join([f"stages not known: {self.verdict}, as where", *where, *why])


def check_intervals(graph: TimedGraph, trace_window: int = 0, *, causal: bool = True) -> IntervalVerdict:
    """Looks for offsets of the accesses with which the graph deadlocks.

    Args:
        graph: what is played, with its depths.
        trace_window: stages by which the accesses of traces may be off.
        causal: only choices in which an iteration of a loop writes no earlier than it has read all that it reads.

    Raises:
        InputError: actors that fire for ever, or a window below 0.
    """
    if trace_window < 0:
        raise InputError("too-small", f"the window is {trace_window}, at least 0 is needed", where="--stage-interval")
    if any(isinstance(process, Actor) and process.firings is None for process in graph.processes):
        raise InputError("actors", "actors that fire for ever have no stages", where=graph.name)
    graph = _with_room(graph, trace_window)
    game = IntervalGame(graph, trace_window, causal=causal)
    if game.play():
        return IntervalVerdict(LIVE_FOR_ALL)
    values = _extremes(game, game.wait_cycle())
    if _is_dead(graph, game.choices, values):
        return _dead(graph, game.choices, values, trials=1)
    return _try_choices(graph, game.choices, causal=causal)


def _with_room(graph: TimedGraph, window: int) -> TimedGraph:
    """Traces end so much later that their runs don't overlap whatever moves."""

    def longer(pipeline: Pipeline) -> Pipeline:
        assert pipeline.trace is not None
        tick = pipeline.trace.tick
        end = pipeline.end if pipeline.end is not None else int(tick[-1]) + 1 if tick.size else 0
        return replace(pipeline, end=end + window)

    processes = (longer(p) if isinstance(p, Pipeline) and p.trace is not None else p for p in graph.processes)
    return replace(graph, processes=tuple(processes)) if window else graph


def _extremes(game: IntervalGame, cycle: Sequence[Blocked]) -> dict[int, int]:
    """Choice number → offset: what holds up as early as it can be, what is held up as late."""
    values: dict[int, int] = {}
    for blocked in cycle:
        late = int(game.accesses[blocked.provides].high_place[blocked.provided])
        early = int(game.accesses[blocked.op].low_place[blocked.token])
        if late == early:
            continue
        read_behind_write = game.causal and blocked.op % 2 > blocked.provides % 2
        if late >= 0:
            choice = game.choices[late]
            values[late] = choice.lowest if read_behind_write and choice.place.loop >= 0 else choice.highest
        if early >= 0:
            values[early] = game.choices[early].lowest
    return _made_causal(game, values) if game.causal else values


def _made_causal(game: IntervalGame, values: dict[int, int]) -> dict[int, int]:
    """With the reads of a loop before an early write of it, and the writes after a late read."""
    made = dict(values)
    for chosen, value in values.items():
        place, is_write = game.choices[chosen].place, is_write_of(game.graph, game.choices[chosen])
        for number, choice in enumerate(game.choices):
            same_loop = place.loop >= 0 and choice.place[:2] == place[:2]
            if same_loop and is_write_of(game.graph, choice) != is_write:
                made.setdefault(number, choice.lowest if is_write or value == choice.lowest else choice.highest)
    return made


def is_write_of(graph: TimedGraph, choice: Choice) -> bool:
    """Whether a choice is of writes."""
    process = graph.processes[choice.place.process]
    if choice.place.loop < 0 or not isinstance(process, Pipeline):
        return choice.place.event % 2 == 1
    return process.loops[choice.place.loop].events[choice.place.event].op == "write"


def is_causal(graph: TimedGraph, choices: Sequence[Choice], offsets: Sequence[int]) -> bool:
    """Whether no loop writes before a read of the same iteration; offsets are in the order of ``choices``."""
    last_read: dict[tuple[int, int], int] = {}
    for choice, offset in zip(choices, offsets, strict=True):
        if not is_write_of(graph, choice):
            loop = choice.place[:2]
            last_read[loop] = max(offset, last_read.get(loop, 0))
    return all(
        choice.place.loop < 0 or offset >= last_read.get(choice.place[:2], 0) or not is_write_of(graph, choice)
        for choice, offset in zip(choices, offsets, strict=True)
    )


def _try_choices(graph: TimedGraph, choices: list[Choice], *, causal: bool) -> IntervalVerdict:
    """All choices where they are few, else some at random, of extremes."""
    spans = [range(choice.lowest, choice.highest + 1) for choice in choices]
    total = int(np.prod([len(span) for span in spans], dtype=object))
    is_all = total <= MAX_TRIALS
    trials = 0
    for offsets in product(*spans) if is_all else _samples(spans):
        if causal and not is_causal(graph, choices, offsets):
            continue
        trials += 1
        values = dict(enumerate(offsets))
        if _is_dead(graph, choices, values):
            return _dead(graph, choices, values, trials)
    return IntervalVerdict(LIVE_FOR_ALL if is_all else UNDECIDED, trials)


def _samples(spans: Sequence[range]) -> Iterator[list[int]]:
    random = np.random.default_rng(0)
    for _ in range(MAX_TRIALS):
        ends = random.integers(0, 2, len(spans)).tolist()
        yield [span[-end] for span, end in zip(spans, ends, strict=True)]


def _is_dead(graph: TimedGraph, choices: Sequence[Choice], values: dict[int, int]) -> bool:
    chosen = with_offsets(graph, choices, values)
    flat = flatten(chosen)
    return not advance(flat, depths_of(chosen)).is_done(flat)


def _dead(graph: TimedGraph, choices: Sequence[Choice], values: dict[int, int], trials: int) -> IntervalVerdict:
    witness = with_offsets(graph, choices, values)
    deadlock = explain(witness, flatten(witness))
    members = {wait.process for wait in deadlock.cycle}
    offsets = [_offset(graph, choices[number], value) for number, value in values.items()]
    return IntervalVerdict(DEAD_FOR_SOME, trials, [o for o in offsets if o.process in members], witness, deadlock)


def _offset(graph: TimedGraph, choice: Choice, value: int) -> Offset:
    process = graph.processes[choice.place.process]
    assert isinstance(process, Pipeline)
    if process.trace is not None:
        fifo, is_write = divmod(choice.place.event, 2)
        return Offset(process.name, graph.fifos[fifo].name, "write" if is_write else "read", None, value)
    event = process.loops[choice.place.loop].events[choice.place.event]
    return Offset(process.name, event.fifo, event.op, choice.place.loop, value)


def with_offsets(graph: TimedGraph, choices: Sequence[Choice], values: dict[int, int]) -> TimedGraph:
    """The graph with some of its choices made; the others stay as they are."""
    processes = list(graph.processes)
    for number, value in values.items():
        place = choices[number].place
        pipeline = processes[place.process]
        assert isinstance(pipeline, Pipeline)
        processes[place.process] = _moved(pipeline, place.loop, place.event, value)
    return replace(graph, processes=tuple(processes))


def _moved(pipeline: Pipeline, loop_number: int, event_number: int, value: int) -> Pipeline:
    if pipeline.trace is not None:
        tick = pipeline.trace.tick + np.where(pipeline.trace.op == event_number, value, 0)
        order = np.argsort(tick, kind="stable")
        return replace(pipeline, trace=Trace(tick[order], pipeline.trace.op[order]))
    loop = pipeline.loops[loop_number]
    event = replace(loop.events[event_number], stage=value)
    changed = replace(loop, events=_put(loop.events, event_number, event))
    return replace(pipeline, loops=_put(pipeline.loops, loop_number, changed))


def _put(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    return (*items[:index], item, *items[index + 1 :])
