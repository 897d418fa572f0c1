"""Checks what an engine says, without an engine: only the graph, the programs spelled out, and the laws.

A finished run is right if every law of docs/reference/timed-graph.md holds and nothing happens later
than they ask.  Token times of pipelines are checked both ways, those of memory ports and actors
against the FIFO law.  Deadlocks are checked by ``sttest.sim.checker``.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from sttest.core.errors import EnginesDisagreeError, InputError
from sttest.sim.bursts import burst_plan
from sttest.sim.deadlock import Deadlock, Wait
from sttest.sim.graph import Actor, Fifo, MemoryPort, Pipeline, Process, TimedGraph
from sttest.sim.simulation import RunRecord, Simulation
from sttest.sim.stages import expand

# --- Checks the certificate of a deadlock against the graph, by a token game of its own


PAST_END = 1 << 62
"""Where a process stands that has finished; also the depth of a FIFO without limit."""


def check_deadlock(graph: TimedGraph, deadlock: Deadlock, *, unbounded: bool = False) -> list[str]:
    """What is wrong with a certificate, one line each; empty if it is right.

    Args:
        graph: graph that is said to deadlock.
        deadlock: why.
        unbounded: whether it is said to deadlock without limits of FIFOs.
    """
    game = _Game(graph, unbounded=unbounded)
    stands = game.play(game.depths, dict.fromkeys(game.ops, 0))
    told = {name: PAST_END if stage is None else stage for name, stage in deadlock.stands_at.items()}
    if told != stands:
        names = [name for name in {**stands, **told} if told.get(name) != stands.get(name)]
        return [f"{name} does not stand at stage {deadlock.stands_at.get(name)}" for name in names]
    if all(stage == PAST_END for stage in stands.values()):
        return ["every process finishes"]
    if not deadlock.cycle:
        return ["nobody is said to wait"]
    faults = [fault for wait in deadlock.cycle for fault in _wait_faults(game, stands, wait)]
    faults += _chain_faults(deadlock, stands)
    return faults + list(_fix_faults(game, stands, deadlock))


class _Game:
    """``stages[op]``: ascending stages at which a kind of access (2 * FIFO index + write) happens, int64."""

    def __init__(self, graph: TimedGraph, *, unbounded: bool) -> None:
        self.graph = graph
        self.depths = [PAST_END if unbounded else fifo.depth for fifo in graph.fifos]
        self.stages: dict[int, np.ndarray] = {}
        self.owner: dict[int, str] = {}
        self.ops: dict[str, list[int]] = {}
        for process in graph.processes:
            tick, op = _accesses(process, graph)
            self.ops[process.name] = np.unique(op).tolist()
            for kind in self.ops[process.name]:
                self.stages[kind], self.owner[kind] = tick[op == kind], process.name

    def passed(self, op: int, stands: Mapping[str, int]) -> int:
        """Accesses of a kind that lie before where its process stands, initial tokens counted as writes."""
        initial = self.graph.fifos[op // 2].initial_tokens if op % 2 else 0
        return initial + (int(np.searchsorted(self.stages[op], stands[self.owner[op]])) if op in self.stages else 0)

    def possible(self, op: int, depths: Sequence[int], stands: Mapping[str, int]) -> int:
        """Accesses of a kind that the other end allows, counted in the same way."""
        return self.passed(op ^ 1, stands) + (depths[op // 2] if op % 2 else 0)

    def blocked_at(self, op: int, depths: Sequence[int], stands: Mapping[str, int]) -> int:
        """Stage of the first access of a kind that the other end does not allow."""
        initial = self.graph.fifos[op // 2].initial_tokens if op % 2 else 0
        allowed = self.possible(op, depths, stands) - initial
        return int(self.stages[op][allowed]) if allowed < self.stages[op].size else PAST_END

    def play(self, depths: Sequence[int], start: Mapping[str, int]) -> dict[str, int]:
        """The stage that each process can't pass when nobody can go on; ``start`` is a state that can be reached."""
        stands, todo = dict(start), dict.fromkeys(self.ops)
        while todo:
            process, _ = todo.popitem()
            reached = min((self.blocked_at(op, depths, stands) for op in self.ops[process]), default=PAST_END)
            if reached > stands[process]:
                stands[process] = reached
                todo.update(dict.fromkeys(self.owner[op ^ 1] for op in self.ops[process] if op ^ 1 in self.owner))
        return stands


def _accesses(process: Process, graph: TimedGraph) -> tuple[np.ndarray, np.ndarray]:
    """Stage and kind of each access; a port's stages are its tokens, an actor's its firings."""
    if isinstance(process, MemoryPort):
        kind = 2 * graph.fifo_index[process.fifo] + (process.op == "read")
        return np.arange(process.tokens, dtype=np.int64), np.full(process.tokens, kind, np.int32)
    if not isinstance(process, Actor):
        return expand(process, graph.fifo_index).whole()
    tick, op = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for number, phase in enumerate(process.phases):
        firings = np.arange(number, process.firings or 0, len(process.phases), dtype=np.int64)
        for is_write, rates in enumerate((phase.reads, phase.writes)):
            for fifo, tokens in rates.items():
                tick.append(np.repeat(firings, tokens))
                op.append(np.full(firings.size * tokens, 2 * graph.fifo_index[fifo] + is_write, np.int32))
    order = np.argsort(np.concatenate(tick), kind="stable")
    return np.concatenate(tick)[order], np.concatenate(op)[order]


def _wait_faults(game: _Game, stands: Mapping[str, int], wait: Wait) -> Iterator[str]:
    """Against the state: who waits, at which end of which FIFO, for which token, with how many in it."""
    index = game.graph.fifo_index.get(wait.fifo)
    if index is None or wait.waits_to not in ("read", "write"):
        yield f"{wait.process} waits to {wait.waits_to} on {wait.fifo}, which is not there"
        return
    op = 2 * index + (wait.waits_to == "write")
    if game.owner.get(op) != wait.process:
        yield f"{wait.process} never {wait.waits_to}s {wait.fifo}"
        return
    if game.blocked_at(op, game.depths, stands) != stands[wait.process]:
        yield f"{wait.process} does not wait to {wait.waits_to} {wait.fifo} at the stage at which it stands"
    occupancy = game.passed(2 * index + 1, stands) - game.passed(2 * index, stands)
    facts = {
        "token": game.possible(op, game.depths, stands),
        "depth": game.graph.fifos[index].depth,
        "occupancy": occupancy,
        "peer": game.owner.get(op ^ 1, wait.peer),
    }
    for what, value in facts.items():
        if getattr(wait, what) != value:
            yield f"{wait.process} on {wait.fifo}: {what} is {value}, not {getattr(wait, what)}"


def _chain_faults(deadlock: Deadlock, stands: Mapping[str, int]) -> Iterator[str]:
    """Each waits for the next; the last for the first, or for a process that has finished."""
    cycle = deadlock.cycle
    if len({wait.process for wait in cycle}) < len(cycle):
        yield "a process stands twice in the cycle"
    for wait, following in pairwise(cycle):
        if wait.peer != following.process:
            yield f"{wait.process} waits for {wait.peer}, not for {following.process}"
    last = cycle[-1].peer
    if deadlock.is_closed and last != cycle[0].process:
        yield f"the cycle is not closed: {cycle[-1].process} waits for {last}"
    if not deadlock.is_closed and stands.get(last) != PAST_END:
        yield f"the chain ends at {last}, which has not finished"


def _fix_faults(game: _Game, stands: Mapping[str, int], deadlock: Deadlock) -> Iterator[str]:
    """The graph finishes with a fix, and if it is said to be minimal with no FIFO less deep; without one it never does.

    Deeper FIFOs can go the same way as far as the dead state, so every run may begin there.
    """
    index, fix = game.graph.fifo_index, deadlock.fix
    if not fix:
        if _finishes(game, [PAST_END] * len(index), stands):
            yield "deeper FIFOs would help, but no fix is given"
        return
    if not fix.keys() <= index.keys() or any(depth <= game.depths[index[name]] for name, depth in fix.items()):
        yield "a fix must deepen FIFOs of the graph"
        return
    fixed = [fix.get(name, depth) for name, depth in zip(index, game.depths, strict=True)]
    if not _finishes(game, fixed, stands):
        yield "it does not finish with the fix"
        return
    for name, depth in fix.items() if deadlock.is_minimal else ():
        if _finishes(game, [*fixed[: index[name]], depth - 1, *fixed[index[name] + 1 :]], stands):
            yield f"{name} need not be {depth} deep"


def _finishes(game: _Game, depths: Sequence[int], stands: Mapping[str, int]) -> bool:
    return all(stage == PAST_END for stage in game.play(depths, stands).values())


BEFORE_TIME = -(1 << 61)


def check(simulation: Simulation, *, unbounded: bool = False) -> list[str]:
    """What is wrong with a result, one line each; empty if it is right.

    Args:
        simulation: a run that was recorded, or a deadlock.
        unbounded: whether it was run without limits of FIFOs.

    Raises:
        InputError: access times were not kept, or actors fire for ever.
    """
    graph = simulation.graph
    if graph is None or graph.is_endless:
        raise InputError(
            "not-checkable",
            "actors that fire for ever have no schedule to check",
            where=simulation.name,
            hints=["give them a number of firings"],
        )
    if simulation.deadlock is not None:
        return check_deadlock(graph, simulation.deadlock, unbounded=unbounded)
    if simulation.record is None:
        raise InputError("not-recorded", "no access times", where=simulation.name, hints=["simulate with record=True"])
    faults = check_schedule(graph, simulation.record, unbounded=unbounded)
    latest = max(finish or 0 for finish in simulation.record.finish)
    if simulation.cycles != latest:
        faults.append(f"{graph.name}: cycles is {simulation.cycles}, the latest finish is {latest}")
    return faults


def require_correct(simulation: Simulation) -> None:
    """Checks a result.

    Raises:
        EnginesDisagreeError: there is a fault in it.
        InputError: access times were not kept, or actors fire for ever.
    """
    faults = check(simulation, unbounded=simulation.unbounded)
    if faults:
        raise EnginesDisagreeError(
            "check-failed",
            f"{len(faults)} faults in what the engine says, the first: {faults[0]}",
            where=f"{simulation.name} by {simulation.engine}",
            hints=["report it with the graph", "try the other --engine"],
        )


def check_schedule(graph: TimedGraph, record: RunRecord, *, unbounded: bool = False) -> list[str]:
    """What is wrong with the times of a finished run, at most one line per FIFO and per process."""
    faults: list[str] = []
    between_actors = _between_actors(graph)
    for index, fifo in enumerate(graph.fifos):
        slack = (0, 0) if index in between_actors else (fifo.read_after_write_cycles, 1)
        depth = None if unbounded else fifo.depth
        faults += _fifo_faults(fifo, record.writes[index], record.reads[index], slack, depth)
    if faults:
        return faults
    for process, finish in zip(graph.processes, record.finish, strict=True):
        if isinstance(process, Pipeline):
            faults += _pipeline_faults(graph, record, process, finish, unbounded=unbounded)
        elif isinstance(process, MemoryPort):
            faults += _port_faults(graph, record, process)
    return faults


def _between_actors(graph: TimedGraph) -> set[int]:
    """FIFOs between two actors, through which tokens and space pass within a cycle."""
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    read = {name for actor in actors for phase in actor.phases for name in phase.reads}
    written = {name for actor in actors for phase in actor.phases for name in phase.writes}
    return {graph.fifo_index[name] for name in read & written}


def _fifo_faults(
    fifo: Fifo, writes: np.ndarray, reads: np.ndarray, slack: tuple[int, int], depth: int | None
) -> Iterator[str]:
    """``slack``: least cycles from a write to its read, and from a read to the write into its place."""
    name = f"FIFO {fifo.name}"
    if (np.diff(writes) < 0).any() or (np.diff(reads) < 0).any():
        yield f"{name}: times fall"
    written = _with_initial(fifo, writes)
    if reads.size > written.size:
        yield f"{name}: {reads.size} reads of {written.size} tokens"
        return
    early = np.flatnonzero(reads < written[: reads.size] + slack[0])
    if early.size:
        token = int(early[0])
        yield f"{name}: token {token} is read in cycle {reads[token]}, written in {written[token]}"
    if depth is None or written.size <= depth:
        return
    if reads.size < written.size - depth:
        yield f"{name}: {written.size} tokens in, {reads.size} out, depth {depth}"
        return
    freed = reads[: written.size - depth]
    full = np.flatnonzero(written[depth:] < freed + slack[1])
    if full.size:
        token = int(full[0])
        yield f"{name}: token {token + depth} is written before token {token} has left, depth {depth}"


def _with_initial(fifo: Fifo, writes: np.ndarray) -> np.ndarray:
    return np.concatenate([np.full(fifo.initial_tokens, BEFORE_TIME, np.int64), writes])


def _pipeline_faults(
    graph: TimedGraph, record: RunRecord, pipeline: Pipeline, finish: int | None, *, unbounded: bool
) -> Iterator[str]:
    """Stage by stage: one cycle for all its accesses, and that as early as the laws allow."""
    program = expand(pipeline, graph.fifo_index)
    tick, op = program.whole()
    cycle, bound = np.empty_like(tick), np.empty_like(tick)
    for kind in map(int, np.unique(op)):
        here = np.flatnonzero(op == kind)
        recorded = (record.writes if kind % 2 else record.reads)[kind // 2]
        if recorded.size != here.size:
            yield f"{pipeline.name}: {recorded.size} accesses of {graph.fifos[kind // 2].name}, not {here.size}"
            return
        cycle[here], bound[here] = recorded, fifo_bounds(graph, record, kind, here.size, unbounded=unbounded)
    last_stage, last_cycle = 0, pipeline.start
    if tick.size:
        yield from _stage_faults(pipeline, tick, cycle, bound)
        last_stage, last_cycle = int(tick[-1]), int(cycle[-1])
    due = last_cycle + program.last_stage - last_stage
    if finish != due:
        yield f"{pipeline.name}: finishes in cycle {finish}, due in {due}"


def _stage_faults(pipeline: Pipeline, tick: np.ndarray, cycle: np.ndarray, bound: np.ndarray) -> Iterator[str]:
    """Checks each access's stage, cycle, and the earliest cycle that its FIFO allows; all int64[accesses]."""
    first = np.flatnonzero(np.diff(tick, prepend=-1))
    at_stage = np.maximum.reduceat(cycle, first)
    if (at_stage != np.minimum.reduceat(cycle, first)).any():
        yield f"{pipeline.name}: accesses of one stage in several cycles"
        return
    base = np.append(pipeline.start, at_stage[:-1]) + np.diff(tick[first], prepend=0)
    due = np.maximum(base, np.maximum.reduceat(bound, first))
    wrong = np.flatnonzero(at_stage != due)
    if wrong.size:
        stage = int(wrong[0])
        yield f"{pipeline.name}: stage {tick[first[stage]]} is in cycle {at_stage[stage]}, due in {due[stage]}"


def fifo_bounds(graph: TimedGraph, record: RunRecord, kind: int, count: int, *, unbounded: bool) -> np.ndarray:
    """Earliest cycle of each of ``count`` accesses of a kind by the FIFO law, int64."""
    fifo, reads = graph.fifos[kind // 2], record.reads[kind // 2]
    if kind % 2 == 0:
        return _with_initial(fifo, record.writes[kind // 2])[:count] + fifo.read_after_write_cycles
    free = count if unbounded else min(count, fifo.depth - fifo.initial_tokens)
    return np.concatenate([np.full(free, BEFORE_TIME, np.int64), reads[: count - free] + 1])


def _port_faults(graph: TimedGraph, record: RunRecord, port: MemoryPort) -> Iterator[str]:
    """Not before its start, at most one token per cycle and none in a gap, all of them."""
    times = (record.writes if port.op == "read" else record.reads)[graph.fifo_index[port.fifo]]
    if times.size != port.tokens:
        yield f"{port.name}: {times.size} tokens of {port.tokens}"
    if times.size and (times[0] < port.start or (np.diff(times) < 1).any()):
        yield f"{port.name}: tokens before its start, or two in one cycle"
        return
    gaps = burst_plan(port, {channel.name: channel for channel in graph.channels}).gaps()[: times.size]
    early = np.flatnonzero(np.diff(times, prepend=-1) < 1 + gaps)
    if early.size:
        token = int(early[0])
        yield f"{port.name}: token {token} is in cycle {times[token]}, in the gap of {gaps[token]} behind a burst"
