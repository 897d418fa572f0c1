"""From a timed graph to FIFO depths: paces, curves, one schedule (docs/fix-a-deadlock/fifo-sizing.md).

A kernel never runs faster than what feeds it or drains it, so kernels that
exchange more than one token per run share one pace: that of the slowest of
them (``normal``), or that of the slowest kernel of the design
(``conservative``).  A full-tensor converter passes a single token, "the
tensor is here", and so separates two paces.

At its pace every process accesses its FIFOs at known times after its start.
The linear program gives each process a start such that no read comes before
its token; a FIFO is as deep as it is ever full in that schedule.  Credits that
flow backwards (``initial_tokens``) order nothing and are left out.  Where a
process reads FIFOs in turn, what is in flight counts as in the FIFO
(`reads_in_turn`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np

from sttest.compile.assumptions import CREDITED_WEIGHT, MOST_DEPTH_ROUNDS, STORED_TOKENS
from sttest.compile.spaces.fifo_curves import Curve, Nest, greatest_gap, most_held, nest
from sttest.compile.spaces.fifo_sizing import DelayEdge, schedule_delays
from sttest.compile.spaces.paper_fifo_sizing import EdgeRates, depth, solve_delays
from sttest.core.directed_graph import strong_parts
from sttest.core.errors import DeadlockError, InputError, did_you_mean
from sttest.sim import simulate
from sttest.sim.graph import (
    MAX_DEPTH,
    RAM_CYCLES,
    Event,
    Loop,
    MemoryPort,
    Pipeline,
    Process,
    TimedGraph,
    When,
    fifo_ends,
    full_rate_depth,
)
from sttest.sim.stages import AccessProgram, expand

# --- Processes that leave one FIFO aside while they read another, and what FIFOs must hold because of them


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


# --- FIFO depths of a design whose tasks share engines, by simulation


def shared_depths(graph: TimedGraph, apart: Mapping[str, int]) -> dict[str, int]:
    """Depths with which a design on shared engines loses nothing to full FIFOs.

    Args:
        graph: timed graph with its functional units.
        apart: depths of the same design without: least depths, and those behind DMAs and converters.

    Raises:
        DeadlockError: the design deadlocks with these depths.
    """
    room = dict.fromkeys(apart, MAX_DEPTH) | {
        name: max(apart[name], least) for name, least in _behind_storage(graph).items() if name in apart
    }
    runs = [simulate(each.with_depths(room)) for each in (graph, _without_stages(graph))]
    depths = {name: max(depth, *(run.max_occupancy[name] for run in runs)) for name, depth in apart.items()}
    if runs[0].deadlock is None:
        # It ended and held no more than these depths. Whether processes end depends on depths, not on times.
        return depths
    for _ in range(MOST_DEPTH_ROUNDS):
        run = simulate(graph.with_depths(depths))
        if run.deadlock is None:
            return depths
        depths |= dict(run.deadlock.fix)
    raise DeadlockError("sizing-deadlock", "a design on shared engines has no depths that end", where=graph.name)


def _behind_storage(graph: TimedGraph) -> dict[str, int]:
    """FIFOs behind DMAs, behind what puts the slices of several together, and behind converters; with least depths."""
    writers = [graph.processes[ends.writer].category for ends in fifo_ends(graph)]
    return {
        fifo.name: STORED_TOKENS[writer]
        for fifo, writer in zip(graph.fifos, writers, strict=True)
        if writer in STORED_TOKENS
    }


def _without_stages(graph: TimedGraph) -> TimedGraph:
    """Every pipeline passes on what it makes in the cycle in which it reads."""
    return replace(graph, processes=tuple(map(nothing_in_flight, graph.processes)))


# --- When each process of a compiled design accesses its FIFOs, if nothing holds it back


def accesses(process: Process, graph: TimedGraph) -> dict[tuple[str, str], Curve]:
    """The curve per FIFO and op (``read`` or ``write``) of one unhindered run, from the process's start on.

    Raises:
        InputError: an actor, which compiled designs don't have.
    """
    if isinstance(process, MemoryPort):
        return {(process.fifo, "write" if process.op == "read" else "read"): Curve((_port(process, graph),))}
    if not isinstance(process, Pipeline):
        raise InputError("actor-in-design", "compiled designs have no actors", where=process.name)
    if process.trace is not None:
        program = expand(process, graph.fifo_index)
        return {_end(op, graph): Curve((_repeated(program, op),)) for op in process.trace.ops_used}
    found: dict[tuple[str, str], list[Nest]] = {}
    entries, _, period = _extent(process)
    for loop, entry in zip(process.loops, entries, strict=True):
        for end, events in _by_end(loop).items():
            found.setdefault(end, []).append(_of_loop(loop, events, entry))
    return {end: Curve(_again(nests, process.repeat, period)) for end, nests in found.items()}


def span(process: Process, graph: TimedGraph) -> int:
    """Cycles of one unhindered run, at least 1."""
    if isinstance(process, MemoryPort):
        return Curve((_port(process, graph),))[-1] + 1
    if not isinstance(process, Pipeline):
        raise InputError("actor-in-design", "compiled designs have no actors", where=process.name)
    if process.trace is not None:
        return max(1, expand(process, graph.fifo_index).last_stage)
    _, end, period = _extent(process)
    return max(1, (process.repeat - 1) * period + end)


def _end(op: int, graph: TimedGraph) -> tuple[str, str]:
    return graph.fifos[op // 2].name, "write" if op % 2 else "read"


def _extent(pipeline: Pipeline) -> tuple[list[int], int, int]:
    """Stages at which the loops of a run are entered, at which it ends, and from one run to the next."""
    entries, entry, end, gap = [], 0, 0, 0
    for loop in pipeline.loops:
        entries.append(entry)
        end, gap = entry + loop.length, loop.entry_gap
        entry = end + gap
    end = end if pipeline.end is None else pipeline.end
    return entries, end, end + gap


def _by_end(loop: Loop) -> dict[tuple[str, str], list[Event]]:
    found: dict[tuple[str, str], list[Event]] = {}
    for event in loop.events:
        found.setdefault((event.fifo, event.op), []).append(event)
    return found


def _of_loop(loop: Loop, events: Sequence[Event], entry: int) -> Nest:
    """The accesses of one end of a FIFO in a loop; spelled out where iterations in flight interleave."""
    if all(event.tokens == 1 for event in events):
        offsets = np.array(sorted(event.stage for event in events), np.int64)
    else:
        offsets = np.sort(np.repeat([event.stage for event in events], [event.tokens for event in events]))
    first, steps = _iterations(loop, events[0].when)
    is_alike = all(event.when == events[0].when for event in events)
    if is_alike and offsets[-1] - offsets[0] <= _least_distance(steps):
        return nest(entry + first, steps, offsets)
    spelled = expand(Pipeline("", (_only(loop, events),)), {events[0].fifo: 0})
    return nest(entry, (), spelled.tick)


def _only(loop: Loop, events: Sequence[Event]) -> Loop:
    return Loop(loop.trips, loop.ii, loop.latency, tuple(events))


def _iterations(loop: Loop, when: Sequence[When]) -> tuple[int, list[tuple[int, int]]]:
    """Entry of the first iteration in which an event happens, and the steps to the others, in stages."""
    first, steps = 0, []
    for dim, chosen in enumerate(when or (None,) * len(loop.trips)):
        stages = loop.ii * prod(loop.trips[dim + 1 :])
        begin, last, step = chosen if isinstance(chosen, tuple) else _whole_range(chosen, loop.trips[dim])
        first += begin * stages
        steps.append(((last - begin) // step + 1, step * stages))
    return first, steps


def _whole_range(chosen: int | None, trip: int) -> tuple[int, int, int]:
    return (0, trip - 1, 1) if chosen is None else (chosen, chosen, 1)


def _least_distance(steps: Sequence[tuple[int, int]]) -> float:
    """Stages from an iteration to the next, at least; endless if there is but one."""
    found, inside = float("inf"), 0
    for count, stages in reversed(steps):
        if count > 1:
            found = min(found, stages - inside)
        inside += (count - 1) * stages
    return found


def _again(nests: Sequence[Nest], repeat: int, period: int) -> tuple[Nest, ...]:
    """The accesses of all runs; runs in which several loops take part are spelled out, once."""
    if repeat == 1:
        return tuple(nests)
    if len(nests) == 1:
        only = nests[0]
        return (nest(only.first, ((repeat, period), *only.steps), only.offsets),)
    one_run = Curve(tuple(nests))
    return (nest(0, ((repeat, period),), one_run.at(np.arange(len(one_run)))),)


def _repeated(program: AccessProgram, op: int) -> Nest:
    return nest(0, ((program.repeat, program.period),), program.tick[program.op == op])


def _port(port: MemoryPort, graph: TimedGraph) -> Nest:
    """Tokens of a memory port that has its channels for itself; at most one token per cycle.

    Over one channel none comes later, but for a busy channel's further latency, once. A port that is slower, such as
    one whose bursts end within a beat, holds all others back alike: the schedule stretched by as much needs no more.
    """
    channels = {channel.name: channel for channel in graph.channels}
    writes = port.op == "write"
    rates = [channels[name].bytes_per_cycle(writes=writes) for name in port.channels]
    in_turn = port.pattern == "random" or port.ids == "many"
    interval = max(
        1 + Fraction(port.gap * port.token_bytes, port.burst_bytes),
        Fraction(port.token_bytes) / (sum(rates) if in_turn else min(rates)),
    )
    turn = min(interval.denominator, port.tokens)
    return Nest(
        first=channels[port.channels[0]].latency + 1,
        steps=((-(-port.tokens // turn), interval.numerator),),
        offsets=np.arange(turn, dtype=np.int64) * interval.numerator // interval.denominator,
        tokens=port.tokens,
    )


STRATEGIES = ("normal", "conservative")


@dataclass(frozen=True)
class _Edge:
    """A FIFO with the access times of its two ends, each in its process's own time at full speed.

    ``fills`` are the times from which on tokens take up a place: those of ``writes``, or earlier ones.
    """

    name: str
    bits: int
    source: str
    target: str
    writes: Curve
    fills: Curve
    reads: Curve
    credited: bool
    latency: int = 0

    def at_pace(self, stretch: Mapping[str, Fraction]) -> "_Edge":
        """The same accesses at the paces of the two processes."""
        source, target = stretch[self.source], stretch[self.target]
        writes = self.writes.paced(source)
        fills = writes if self.fills is self.writes else self.fills.paced(source)
        return replace(self, writes=writes, fills=fills, reads=self.reads.paced(target))

    def delay_edge(self) -> DelayEdge:
        """Least delay with which no read comes before its token; ours: weighted with the bits that wait per cycle."""
        least = greatest_gap(self.writes, self.reads) + RAM_CYCLES + self.latency
        spread = max(1, self.writes[-1] - self.writes[0])
        weight = CREDITED_WEIGHT if self.credited else self.bits * len(self.writes) / spread
        return DelayEdge(self.name, self.source, self.target, least, weight)

    def depth(self, delay: int) -> int:
        """Tokens held at most, and never less than full rate takes."""
        full_rate = full_rate_depth(self.bits)
        return max(full_rate, most_held(self.fills, self.reads, delay))


def stream_depths(graph: TimedGraph, strategy: str, sizing: str = "schedule") -> dict[str, int]:
    """The depth per FIFO with which the paced schedule needs no wait.

    Args:
        graph: the design; the depths that it has are not looked at.
        strategy: ``normal`` or ``conservative``.
        sizing: ``schedule``, or ``paper`` for StreamTensor's program: one rate per end, delays over paths.

    Raises:
        InputError: unknown strategy, FIFOs without credits form a cycle, a FIFO is not emptied, or an actor.
    """
    if strategy not in STRATEGIES:
        raise InputError(
            "unknown-strategy",
            f"unknown strategy '{strategy}'",
            where="fifo sizing",
            hints=[did_you_mean(strategy, STRATEGIES)],
        )
    edges = _edges(graph)
    spans = {process.name: span(process, graph) for process in graph.processes}
    if sizing == "paper":
        return _paper_depths(spans, edges, strategy)
    stretch = _stretches(spans, edges, strategy)
    paced = [edge.at_pace(stretch) for edge in edges]
    totals = {name: int(cycles * stretch[name]) for name, cycles in spans.items()}
    delays = schedule_delays(totals, [edge.delay_edge() for edge in paced])
    return {edge.name: edge.depth(delays[edge.name]) for edge in paced}


def _paper_depths(spans: Mapping[str, int], edges: Sequence[_Edge], strategy: str) -> dict[str, int]:
    """Depths as published: every process at its own speed, or all at that of the slowest."""
    if strategy == "conservative":
        stretch = _stretches(spans, edges, strategy)
        edges = [edge.at_pace(stretch) for edge in edges]
    rates = {edge.name: _rates(edge) for edge in edges}
    hops = [DelayEdge(edge.name, edge.source, edge.target, rates[edge.name].min_delay_cycles) for edge in edges]
    delays = solve_delays(list(spans), hops)
    return {name: depth(own, delays[name]) for name, own in rates.items()}


def _rates(edge: _Edge) -> EdgeRates:
    """The mean rates of both ends, between their first and their last access, in whole cycles."""
    tokens = len(edge.writes)
    source, target = ((curve[-1] - curve[0]) // max(1, tokens - 1) for curve in (edge.writes, edge.reads))
    return EdgeRates(tokens, max(1, source), edge.writes[0], max(1, target), edge.reads[0])


def _edges(graph: TimedGraph) -> list[_Edge]:
    ends, fills = _ends(graph, graph.processes), {}
    if any(reads_in_turn(process) for process in graph.processes):
        fills = _ends(graph, [nothing_in_flight(process) for process in graph.processes])
    credited = {
        (ends[fifo.name, "read"][0], ends[fifo.name, "write"][0]) for fifo in graph.fifos if fifo.initial_tokens
    }
    edges = []
    for fifo in graph.fifos:
        if fifo.initial_tokens or (fifo.name, "write") not in ends:
            continue
        source, writes = ends[fifo.name, "write"]
        target, reads = ends[fifo.name, "read"]
        if len(writes) != len(reads):
            what = f"a run writes {len(writes)} tokens and reads {len(reads)}"
            raise InputError("unbalanced", what, where=f"{graph.name}: FIFO '{fifo.name}'")
        _, filled = fills.get((fifo.name, "write"), (source, writes))
        has_credits = (source, target) in credited
        edges.append(_Edge(fifo.name, fifo.bits, source, target, writes, filled, reads, has_credits, fifo.latency))
    return edges


def _ends(graph: TimedGraph, processes: Sequence[Process]) -> dict[tuple[str, str], tuple[str, Curve]]:
    """The process that makes the accesses of each FIFO and op, and their times."""
    return {end: (process.name, curve) for process in processes for end, curve in accesses(process, graph).items()}


def _stretches(spans: Mapping[str, int], edges: Sequence[_Edge], strategy: str) -> dict[str, Fraction]:
    """The factor by which each process runs slower at its pace than by itself."""
    if strategy == "conservative":
        slowest = max(spans.values(), default=1)
        return {name: Fraction(slowest, cycles) for name, cycles in spans.items()}
    names = list(spans)
    number = {name: index for index, name in enumerate(names)}
    coupled = [edge for edge in edges if len(edge.writes) > 1]
    ends = [(number[edge.source], number[edge.target]) for edge in coupled]
    region = strong_parts(len(names), ends + [(target, source) for source, target in ends])
    pace: dict[int, int] = {}
    for name, where in zip(names, region, strict=True):
        pace[where] = max(pace.get(where, 1), spans[name])
    return {name: Fraction(pace[where], spans[name]) for name, where in zip(names, region, strict=True)}
