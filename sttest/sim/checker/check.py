"""Checks what an engine says, without an engine: only the graph, the programs spelled out, and the laws.

A finished run is right if every law of docs/timed-graph.md holds and nothing happens later
than they ask.  Token times of pipelines are checked both ways, those of memory ports and actors
against the FIFO law.  Deadlocks are checked by ``sttest.sim.checker.check_deadlock``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sttest.errors import InputError
from sttest.sim.checker.check_deadlock import check_deadlock
from sttest.sim.graph import Actor, Fifo, Memory, Pipeline, TimedGraph
from sttest.sim.program import expand
from sttest.sim.record import RunRecord
from sttest.sim.simulation import Simulation

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
    if graph is None or any(isinstance(process, Actor) and process.firings is None for process in graph.processes):
        raise InputError(
            "not-checkable",
            "actors that fire for ever have no schedule to check",
            where=simulation.name,
            levers=["give them a number of firings"],
        )
    if simulation.deadlock is not None:
        return check_deadlock(graph, simulation.deadlock, unbounded=unbounded)
    if simulation.record is None:
        raise InputError("not-recorded", "no access times", where=simulation.name, levers=["simulate with record=True"])
    faults = check_schedule(graph, simulation.record, unbounded=unbounded)
    latest = max(finish or 0 for finish in simulation.record.finish)
    if simulation.cycles != latest:
        faults.append(f"{graph.name}: cycles is {simulation.cycles}, the latest finish is {latest}")
    return faults


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
        elif isinstance(process, Memory):
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
    for kind in np.unique(op).tolist():
        here = np.flatnonzero(op == kind)
        recorded = (record.writes if kind % 2 else record.reads)[kind // 2]
        if recorded.size != here.size:
            yield f"{pipeline.name}: {recorded.size} accesses of {graph.fifos[kind // 2].name}, not {here.size}"
            return
        cycle[here], bound[here] = recorded, _bounds(graph, record, kind, here.size, unbounded=unbounded)
    last_stage, last_cycle = 0, pipeline.start
    if tick.size:
        yield from _stage_faults(pipeline, tick, cycle, bound)
        last_stage, last_cycle = int(tick[-1]), int(cycle[-1])
    due = last_cycle + program.last_stage - last_stage
    if finish != due:
        yield f"{pipeline.name}: finishes in cycle {finish}, due in {due}"


def _stage_faults(pipeline: Pipeline, tick: np.ndarray, cycle: np.ndarray, bound: np.ndarray) -> Iterator[str]:
    """Of each access its stage, its cycle, and the earliest cycle that its FIFO allows; all int64[accesses]."""
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


def _bounds(graph: TimedGraph, record: RunRecord, kind: int, count: int, *, unbounded: bool) -> np.ndarray:
    """Earliest cycle of each of ``count`` accesses of a kind by the FIFO law, int64."""
    fifo, reads = graph.fifos[kind // 2], record.reads[kind // 2]
    if kind % 2 == 0:
        return _with_initial(fifo, record.writes[kind // 2])[:count] + fifo.read_after_write_cycles
    free = count if unbounded else min(count, fifo.depth - fifo.initial_tokens)
    return np.concatenate([np.full(free, BEFORE_TIME, np.int64), reads[: count - free] + 1])


def _port_faults(graph: TimedGraph, record: RunRecord, port: Memory) -> Iterator[str]:
    """Not before its start, at most one token per cycle, all of them."""
    times = (record.writes if port.op == "read" else record.reads)[graph.fifo_index[port.fifo]]
    if times.size != port.tokens:
        yield f"{port.name}: {times.size} tokens of {port.tokens}"
    if times.size and (times[0] < port.start or (np.diff(times) < 1).any()):
        yield f"{port.name}: tokens before its start, or two in one cycle"
