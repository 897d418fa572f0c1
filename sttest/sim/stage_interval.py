"""Whether a design is live for all stages at which its accesses may sit, or dead for some.

Reports of HLS tools give the latency of a loop but not the stage of each access, and deadlocks
depend on the stages.  So the accesses of a FIFO in a loop may move, together and in their order, to
any offsets in [0, latency - 1]; in causal choices, writes that come after the reads of a FIFO in the graph
as given always do.  A trace has reads as early and writes as late as can be, so all reads of a FIFO may
be up to ``trace_window`` stages later and all its writes as much earlier.

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
from typing import Any

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
MAX_TRIALS = 2048
"""Choices up to which all are tried where the game alone does not decide."""
MAX_SAMPLES = 256
"""Choices that are tried where there are more."""


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
        causal: only choices in which writes that come after all reads of a FIFO in an iteration still do.

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
    return _try_choices(graph, game)


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
    """Choice number → stages moved: what holds up as early as it can be, what is held up as late."""
    values: dict[int, int] = {}
    for blocked in cycle:
        late = int(game.accesses[blocked.provides].choice[blocked.provided])
        early = int(game.accesses[blocked.op].choice[blocked.token])
        if late == early:
            continue
        chosen = {number: game.choices[number].lowest for number in (early,) if number >= 0}
        chosen |= {number: game.choices[number].highest for number in (late,) if number >= 0}
        if (early, late) in game.lead:
            offset = _meeting_offset(game, early, late)
            chosen = {early: offset - game.choices[early].first, late: offset - game.choices[late].last}
        values |= chosen
    return _others_apart(game, values)


def _meeting_offset(game: IntervalGame, write: int, read: int) -> int:
    """Where a write can be as early as a read, with room for the other reads before that write."""
    reads = [game.choices[early] for late, early in game.lead if late == write]
    return max(game.choices[read].last, *(choice.last - choice.first for choice in reads))


def _others_apart(game: IntervalGame, values: dict[int, int]) -> dict[int, int]:
    """With all other reads of the loops concerned early and all other writes late, so that the choice is causal."""
    loops = {(game.choices[number].process, game.choices[number].loop) for number in values}
    apart = {
        number: choice.highest if choice.is_write else choice.lowest
        for number, choice in enumerate(game.choices)
        if choice.loop >= 0 and (choice.process, choice.loop) in loops
    }
    return (apart if game.lead else {}) | values


def is_causal(game: IntervalGame, moved: Sequence[int]) -> bool:
    """Whether what is to come after reads still does; ``moved`` is in the order of the choices."""
    return all(lead + moved[write] - moved[read] >= 0 for (write, read), lead in game.lead.items())


def _try_choices(graph: TimedGraph, game: IntervalGame) -> IntervalVerdict:
    """All choices where they are few, else some of extremes at random."""
    spans = [range(choice.lowest, choice.highest + 1) for choice in game.choices]
    total = int(np.prod([len(span) for span in spans], dtype=object))
    is_all = total <= MAX_TRIALS
    trials = 0
    for moved in product(*spans) if is_all else _samples(game, spans):
        if not is_causal(game, moved):
            continue
        trials += 1
        values = dict(enumerate(moved))
        if _is_dead(graph, game.choices, values):
            return _dead(graph, game.choices, values, trials)
    return IntervalVerdict(LIVE_FOR_ALL if is_all else UNDECIDED, trials)


def _samples(game: IntervalGame, spans: Sequence[range]) -> Iterator[list[int]]:
    """Each choice at one of its ends, reads and writes moved apart where they are not causal."""
    random = np.random.default_rng(0)
    for _ in range(MAX_SAMPLES):
        ends = random.integers(0, 2, len(spans)).tolist()
        moved = [span[-end] for span, end in zip(spans, ends, strict=True)]
        for (write, read), lead in game.lead.items():
            if lead + moved[write] - moved[read] < 0:
                moved[write], moved[read] = spans[write][-1], spans[read][0]
        yield moved


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
