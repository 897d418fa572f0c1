"""Load a graph, run it."""

import re
import time
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import numpy as np

from sttest.core.errors import DoesNotFitError, InputError, did_you_mean, todays_engine
from sttest.core.files import STANDARD_INPUT, place_of, read_bytes
from sttest.core.plain_files import is_handed, why_no_file
from sttest.sim import simpy_engine
from sttest.sim.bursts import with_own_channels
from sttest.sim.deadlock import Deadlock, advance, explain, held_channel
from sttest.sim.fix_cost import cost_of
from sttest.sim.graph import MAX_PHASES, Actor, Ends, Fifo, TimedGraph, check_whole, fifo_ends, max_accesses
from sttest.sim.graph_json import SMALLER, parse_timed_graph
from sttest.sim.maxplus import engine as maxplus_engine
from sttest.sim.sdf3 import parse_sdf3, read_sdf3
from sttest.sim.simulation import RunRecord, Simulation, assemble
from sttest.sim.stages import UNBOUNDED, depths_of, flatten
from sttest.sim.throughput import SelfTimed


def load(path: str | Path) -> TimedGraph:
    """The graph of a timed-graph JSON file or of an SDF3 XML file, which is told from what the file holds.

    Args:
        path: a file; ``-`` is standard input.

    Raises:
        InputError: nothing there, or not a possible graph.
    """
    path = Path(path)
    if path != STANDARD_INPUT and not (path.is_file() or is_handed(path)):
        raise InputError(
            "no-such-file",
            why_no_file(path),
            where=str(path),
            hints=["name a timed graph, or what 'sttest compile' made"],
        )
    if path.suffix.lower() == ".xml":
        return read_sdf3(path)
    data = read_bytes(path, hints=SMALLER)
    start = _START.match(data)
    if start is None:
        hints = ["name a timed graph (JSON) or a graph of SDF3 (XML)"]
        raise InputError("not-json", "neither JSON nor XML", where=place_of(path), hints=hints)
    return parse_sdf3(data, place_of(path)) if start[1] == b"<" else parse_timed_graph(data, path)


_START = re.compile(rb"\s*([<{\[])")


def simulate(
    graph: TimedGraph,
    engine: str = "maxplus",
    depths: Mapping[str, int] | None = None,
    *,
    unbounded: bool = False,
    record: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Runs a graph to its end, or until it can't go on.

    Args:
        graph: graph to run.
        engine: ``maxplus``, compiled, or ``simpy``, the SimPy oracle; they give the same.
        depths: other depths for some FIFOs.
        unbounded: no FIFO is ever full; each keeps the kind (srl or ram) of its depth.
        record: keep the cycle of every write and read.
        progress: callback that gets the simulated cycle now and then; only the SimPy engine calls it.

    Raises:
        InputError: an engine or FIFO that is not there, or actors that fire for ever beside other processes.
        DeadlockError: it stops, or with other depths would, where an early burst holds a channel.
    """
    if depths:
        graph = graph.with_depths(depths)
    engine, engines = todays_engine(engine), _engines()
    if engine not in engines:
        raise InputError("unknown-engine", f"no engine '{engine}'", hints=[did_you_mean(engine, engines)])
    if graph.is_endless:
        return steady_state(graph, engine, unbounded=unbounded)
    began = time.perf_counter()
    run = engines[engine](graph, unbounded, record, progress)
    solve_s = time.perf_counter() - began
    deadlock = None
    if None in run.finish:
        deadlock = explain(graph, flatten(graph), unbounded=unbounded)
        if deadlock.fix:
            free_cycles, ideal = (_cycles(each, unbounded=True) for each in (graph, with_own_channels(graph)))
            assert ideal is not None, "what a fix helps finishes with FIFOs that are never full"
            if free_cycles is None or _cycles(graph.with_depths(deadlock.fix)) is None:
                raise held_channel(graph)
            cost = cost_of(graph, flatten(graph), deadlock.fix, _cycles, free_cycles, ideal)
            deadlock = replace(deadlock, cost=cost)
    return assemble(graph, engine, run, solve_s, deadlock, unbounded=unbounded, keep=record)


def _cycles(graph: TimedGraph, *, unbounded: bool = False) -> int | None:
    finish = maxplus_engine.run(graph, unbounded=unbounded, record=False).finish
    ended = [cycle for cycle in finish if cycle is not None]
    return max(ended) if len(ended) == len(finish) else None


Engine = Callable[[TimedGraph, bool, bool, "Callable[[int], None] | None"], RunRecord]


def _engines() -> dict[str, Engine]:
    return {"maxplus": _run_maxplus, "simpy": _run_simpy}


def _run_maxplus(graph: TimedGraph, unbounded: bool, record: bool, progress: Callable[[int], None] | None) -> RunRecord:
    return maxplus_engine.run(graph, unbounded=unbounded, record=record)


def _run_simpy(graph: TimedGraph, unbounded: bool, record: bool, progress: Callable[[int], None] | None) -> RunRecord:
    return simpy_engine.run(graph, unbounded=unbounded, progress=progress)


# --- What a simulation says of actors that fire for ever: their throughput, or why they deadlock


def steady_state(graph: TimedGraph, engine: str, *, unbounded: bool = False) -> Simulation:
    """Iterations of the repetition vector per cycle, exactly, or the certificate of a deadlock.

    Raises:
        InputError: rates that don't balance, processes that are no actors, or no bound on the rate.
    """

    began = time.perf_counter()
    run = SelfTimed(graph)
    events = run.iteration_accesses
    has_beginning = any(isinstance(actor, Actor) and actor.initial_phases for actor in graph.processes)
    if events <= max_accesses() or has_beginning:
        once = simulate(one_iteration(graph, run.repetitions), engine, unbounded=unbounded)
        if once.deadlock is not None:
            # What one iteration costs says nothing of a rate.
            return replace(once, graph=graph, deadlock=replace(once.deadlock, cost=None))
        events = once.fifo_events
    rate, deadlock = None, None
    try:
        rate = run.rate(None if unbounded else [fifo.depth for fifo in graph.fifos])
    except DoesNotFitError:  # a deadlock takes a schedule of a whole iteration to prove, and often few firings to show
        if (deadlock := _long_deadlock(graph, run.repetitions, unbounded=unbounded)) is None:
            raise
    if rate is not None and rate.throughput == 0:
        deadlock = _long_deadlock(graph, run.repetitions, unbounded=unbounded)
    solve_s = time.perf_counter() - began
    if rate is None or deadlock is not None:
        return Simulation(graph.name, engine, "deadlock", None, events, solve_s, deadlock=deadlock, graph=graph)
    scheduled = rate.firings if rate.scheduled else None
    return Simulation(
        graph.name, engine, "done", None, events, solve_s, rate.throughput, graph=graph, scheduled_firings=scheduled
    )


def _long_deadlock(graph: TimedGraph, repetitions: list[int], *, unbounded: bool) -> Deadlock | None:
    """Why an iteration that is too long to simulate does not come to its end, if it does not: without times."""
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    once = copy(graph)  # all but how often they fire has been checked
    processes = tuple(replace(actor, firings=n) for actor, n in zip(actors, repetitions, strict=True))
    object.__setattr__(once, "processes", processes)
    flat = flatten(once)
    depths = np.full(len(graph.fifos), UNBOUNDED) if unbounded else depths_of(graph)
    return None if advance(flat, depths).is_done(flat) else explain(once, flat, unbounded=unbounded)


def one_iteration(graph: TimedGraph, repetitions: list[int]) -> TimedGraph:
    """Actors that stop after one iteration, back where they began: they deadlock where the endless graph does.

    With initial phases, they stop after two and what is left over: the first begins with these, only the second where
    it ends.

    Raises:
        InputError: nothing makes up for what initial phases put or take.
    """
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    if not any(actor.initial_phases for actor in actors):
        stopped = (replace(actor, firings=n) for actor, n in zip(actors, repetitions, strict=True))
        return replace(graph, processes=tuple(stopped))
    more = _left_over(graph, actors)
    firings = [2 * n + left for n, left in zip(repetitions, more, strict=True)]
    return replace(graph, processes=tuple(map(_stopped, actors, firings)))


_MAX_PASSES = 1000


def _left_over(graph: TimedGraph, actors: list[Actor]) -> list[int]:
    """Firings of each actor that make up for initial phases: with them, no FIFO ends with fewer tokens than none.

    Nor with more than it holds, at the graph's own depths.  So nobody waits for tokens or places of an actor that has
    made all its firings.  Whole rounds of phases where these do.
    """
    ends = fifo_ends(graph)
    rows = [
        _row(fifo, end, actors[end.writer], actors[end.reader]) for fifo, end in zip(graph.fifos, ends, strict=True)
    ]
    rounds = [(end, [sum(put)], [sum(taken)], tokens, depth) for end, put, taken, tokens, depth in rows]
    if (more := _made_up(len(actors), rounds)) is not None:
        return [len(actor.phases) * count for actor, count in zip(actors, more, strict=True)]
    if (more := _made_up(len(actors), rows)) is not None:
        return more
    what = "nothing makes up for the tokens that initial phases put or take"
    raise InputError("initial-phases", what, where=graph.name, hints=["check the rates before the semicolons"])


_Row = tuple[Ends, list[int], list[int], int, int]
"""A FIFO: its ends, what they put and take in turn, its tokens behind all initial phases, and its depth."""


def _row(fifo: Fifo, ends: Ends, writer: Actor, reader: Actor) -> _Row:
    """Tokens are fewer than none where the reader's initial phases take more than there are."""
    name = fifo.name
    once = sum(phase.writes.get(name, 0) for phase in writer.initial_phases)
    once -= sum(phase.reads.get(name, 0) for phase in reader.initial_phases)
    put = [phase.writes.get(name, 0) for phase in writer.phases]
    return ends, put, [phase.reads.get(name, 0) for phase in reader.phases], fifo.initial_tokens + once, fifo.depth


def _made_up(actors: int, rows: list[_Row]) -> list[int] | None:
    """The fewest turns of each actor behind which every FIFO holds from no token to its depth, if any do."""
    more = [0] * actors
    for _ in range(_MAX_PASSES):
        before = more.copy()
        for (writer, reader), put, taken, tokens, depth in rows:
            more[writer] = max(more[writer], _turns(put, _moved(taken, more[reader]) - tokens))
            more[reader] = max(more[reader], _turns(taken, tokens + _moved(put, more[writer]) - depth))
        if more == before:
            return more
    return None


def _moved(amounts: list[int], turns: int) -> int:
    """What so many turns move, of which each moves the next amount, and the first one after the last."""
    rounds, rest = divmod(turns, len(amounts))
    return rounds * sum(amounts) + sum(amounts[:rest])


def _turns(amounts: list[int], tokens: int) -> int:
    """The fewest turns that move so many tokens."""
    if tokens <= 0:
        return 0
    rounds, rest = divmod(tokens - 1, sum(amounts))
    return rounds * len(amounts) + next(n for n, moved in enumerate(accumulate(amounts), 1) if moved > rest)


def _stopped(actor: Actor, firings: int) -> Actor:
    """The actor with so many firings behind its initial phases, which are spelled out with them."""
    if not actor.initial_phases:
        return replace(actor, firings=firings)
    check_whole(firings, "firings behind initial phases", f"actor '{actor.name}'", 0, MAX_PHASES)
    rounds, rest = divmod(firings, len(actor.phases))
    phases = (*actor.initial_phases, *(actor.phases * rounds), *actor.phases[:rest])
    return replace(actor, phases=phases, initial_phases=(), firings=len(phases))
