"""What binds a design, asked of the design itself: one thing is made a tenth faster, and the run is simulated again.

Cycles are whole numbers, so the whole graph is told in elevenths of a cycle first: every interval, latency and beat is
11 times as long, and what is made a tenth faster takes 10 of these instead.  Only times change; tokens, depths and the
order of all accesses stay.  With everything a tenth faster, so is the run.  A thing that binds alone gains near 10 %;
where two bind at once, neither gains by itself, and only the clock, which moves both, does.

One thing is not told in elevenths: the place of a token that was read is free one step later, whatever a step is.  So
FIFOs must be deep enough, as those of compiled designs are (they are within 0.1 %); a graph that waits for places is
refused.  With other intervals a process may read more before it writes, and deadlock: it then gets the depths that it
lacks, deep enough to lose nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from sttest.core.errors import DeadlockError, InputError
from sttest.sim.api import simulate
from sttest.sim.graph import (
    MAX_RATE,
    Actor,
    Channel,
    Fifo,
    Loop,
    MemoryPort,
    Pipeline,
    Process,
    TimedGraph,
    fifo_ends,
    joins_actors,
)

Thing = Literal["bandwidth", "ports", "lanes", "latency", "clock"]
THINGS: tuple[Thing, ...] = ("bandwidth", "ports", "lanes", "latency", "clock")
"""What the memory gives; what its ports take, and the processes behind them; what all others take per interval;
latencies of pipelines, FIFOs and memory; and the clock, which is all of these but the memory's."""
SLOW, FAST = 11, 10
_MOST_OFF = 0.05
"""Bursts that are not rounded up to whole cycles make up to 2 % of it."""
_PORTS = ("dma", "gather")
"""Categories of processes that pass on what a memory port gives."""


def gains(graph: TimedGraph, memory_rates: Mapping[str, Fraction] | None = None) -> dict[Thing, float]:
    """How much faster a tenth more of each thing makes the run of a graph, as parts: 0.1 is 10 %.

    Args:
        graph: graph to run.
        memory_rates: beats per cycle that the memory behind each channel sustains, which may be more than its port
            takes; those of the channels themselves if not given.

    Raises:
        DeadlockError: it does not finish.
        InputError: it waits for places in its FIFOs.
    """
    rates = {each.name: Fraction(each.beats_num, each.beats_den) for each in graph.channels}
    rates |= dict(memory_rates or {})
    cycles = simulate(graph).cycles
    if cycles is None:
        raise DeadlockError("deadlock", "it deadlocks, so nothing makes it faster", where=graph.name)
    slow = _cycles(_told_in_elevenths(graph, rates, None))
    if slow < SLOW * cycles * (1 - _MOST_OFF):
        raise InputError(
            "waits-for-places",
            "it waits for places in its FIFOs, so that what else would help cannot be told",
            where=graph.name,
            hints=["make its FIFOs deeper, see 'sttest size'"],
        )
    return {thing: slow / _cycles(_told_in_elevenths(graph, rates, thing)) - 1 for thing in THINGS}


def _cycles(graph: TimedGraph) -> int:
    """Cycles of a graph that finishes with other times, in FIFOs as deep as it takes."""
    run = simulate(graph)
    if run.deadlock is not None and run.deadlock.fix:
        cost = run.deadlock.cost
        run = simulate(graph.with_depths(run.deadlock.fix if cost is None else cost.enough))
    if run.cycles is None:
        raise DeadlockError("deadlock", "it deadlocks with other times, in FIFOs of any depth", where=graph.name)
    return run.cycles


def _told_in_elevenths(graph: TimedGraph, rates: Mapping[str, Fraction], fast: Thing | None) -> TimedGraph:
    """The graph with one thing, or nothing, a tenth faster, in elevenths of a cycle."""
    return replace(
        graph,
        fifos=tuple(_fifos(graph, _factor(fast, "latency", "clock"))),
        processes=tuple(_process(graph, each, fast) for each in graph.processes),
        channels=tuple(_channel(each, rates[each.name], fast) for each in graph.channels),
    )


def _factor(fast: Thing | None, *things: Thing) -> int:
    return FAST if fast in things else SLOW


def _fifos(graph: TimedGraph, factor: int) -> Iterator[Fifo]:
    """The FIFOs, those between actors as they are: tokens pass within a cycle there, however long one is."""
    for fifo, ends in zip(graph.fifos, fifo_ends(graph), strict=True):
        yield fifo if joins_actors(graph, ends) else _fifo(fifo, factor)


def _fifo(fifo: Fifo, factor: int) -> Fifo:
    """A FIFO whose tokens take so many times as long; the cycles that its kind takes anyway are part of that."""
    own = fifo.read_after_write_cycles - fifo.latency
    return replace(fifo, impl=fifo.kind, latency=factor * fifo.read_after_write_cycles - own)


def _channel(channel: Channel, rate: Fraction, fast: Thing | None) -> Channel:
    """A channel in elevenths: at most a beat a cycle goes through its port, whatever the memory sustains."""
    tenth = Fraction(SLOW, FAST)
    faster = tenth if fast == "bandwidth" else Fraction(1)
    taken = tenth if fast in ("ports", "clock") else Fraction(1)
    units = {
        "beats_den": 1 / min(rate * faster, taken),
        "write_den": 1 / min(rate * faster * channel.beats_den / channel.units_per_beat(writes=True), taken),
        "random_short": Fraction(channel.random_short, channel.beats_num) / faster,
        "random_long": Fraction(channel.random_long, channel.beats_num) / faster,
    }
    late = _factor(fast, "latency")
    delays = {
        "latency": channel.latency,
        "busy_latency": channel.busy_delay(writes=False),
        "response": channel.delay(writes=True),
        "busy_response": channel.busy_delay(writes=True),
        "id_wait": channel.turn_cycles,
    }
    # As fine as the largest number of units lets it be.
    num = max(1, min(_UNITS, int(MAX_RATE / (SLOW * max(units["beats_den"], units["write_den"])))))
    told = {name: round(cycles * SLOW * num) for name, cycles in units.items()}
    return replace(channel, beats_num=num, **told, **{name: cycles * late for name, cycles in delays.items()})


_UNITS = 4096
"""Units per cycle: what rounding to them loses is less than a part in a thousand."""


def _process(graph: TimedGraph, process: Process, fast: Thing | None) -> Process:
    pace = _factor(fast, "ports" if process.category in _PORTS else "lanes", "clock")
    if isinstance(process, MemoryPort):
        gap = _gap(process, graph.fifos[graph.fifo_index[process.fifo]], pace) if process.gap else 0
        return replace(process, start=process.start * SLOW, gap=gap)
    if isinstance(process, Actor):
        phases = tuple(replace(each, time=each.time * pace) for each in process.phases)
        return replace(process, start=process.start * SLOW, phases=phases)
    return _pipeline(process, pace, _factor(fast, "latency", "clock"))


def _gap(port: MemoryPort, fifo: Fifo, pace: int) -> int:
    """A gap of so many steps per cycle.

    The port takes a token per step: what it gains on those of a burst that wait in its FIFO is added to the gap.
    """
    waiting = min(Fraction(port.burst_bytes, port.token_bytes), Fraction(fifo.depth))
    return round(port.gap * pace + waiting * (pace - 1))


def _pipeline(pipeline: Pipeline, pace: int, late: int) -> Pipeline:
    """A pipeline whose intervals and whose other stages take so many elevenths; all of a trace counts as intervals."""
    start = pipeline.start * SLOW
    if pipeline.trace is not None:
        end = None if pipeline.end is None else pipeline.end * pace
        return replace(pipeline, start=start, end=end, trace=replace(pipeline.trace, tick=pipeline.trace.tick * pace))
    loops = tuple(_loop(each, pace, late) for each in pipeline.loops)
    end = None if pipeline.end is None else _length(loops) + (pipeline.end - _length(pipeline.loops)) * late
    return replace(pipeline, start=start, end=end, loops=loops)


def _length(loops: Sequence[Loop]) -> int:
    """Stages from the entry of the first loop to the end of the last."""
    return sum(each.length + each.entry_gap for each in loops) - (loops[-1].entry_gap if loops else 0)


def _loop(loop: Loop, pace: int, late: int) -> Loop:
    def told(stages: int) -> int:
        """Stages of one interval are steps of an iteration, those beyond it are how late it is."""
        steps = min(stages, loop.ii)
        return steps * pace + (stages - steps) * late

    events = tuple(replace(each, stage=told(each.stage)) for each in loop.events)
    return Loop(loop.trips, loop.ii * pace, told(loop.latency), events, loop.entry_gap * late)
