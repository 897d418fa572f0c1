"""Random timed graphs of every kind that the page describes, and of all kinds at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import gcd

import numpy as np
from hypothesis import strategies as st
from sim_graphs import fifo_ends, graph, shapes_of, whens

from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, Process, TimedGraph, Trace
from sttest.sim.stages import flatten

Ends = list[tuple[int, str]]
"""What a process does: number of the FIFO, and ``read`` or ``write``."""


@st.composite
def loop_pipelines(draw, name: str, ends: Ends) -> Pipeline:
    """One to three loops; every end is accessed in at least one of them, in some loops not in every iteration."""
    loops = []
    count = draw(st.integers(1, 3))
    for number in range(count):
        trips = draw(st.sampled_from(shapes_of(draw(st.integers(1, 6)))))
        latency = draw(st.integers(1, 5))
        events = []
        for fifo, op in ends:
            if number < count - 1 and draw(st.integers(0, 2)) == 0:
                continue
            when = tuple(draw(whens(trip)) for trip in trips) if draw(st.integers(0, 2)) == 0 else ()
            tokens = draw(st.sampled_from([1, 1, 1, 2]))
            events.append(Event(f"f{fifo}", op, draw(st.integers(0, latency - 1)), when, tokens))
        loops.append(Loop(trips, draw(st.integers(1, 3)), latency, tuple(events), draw(st.integers(0, 3))))
    end = None
    if draw(st.integers(0, 3)) == 0:
        end = sum(loop.length + loop.entry_gap for loop in loops) + draw(st.integers(0, 4))
    start, repeat = draw(st.sampled_from([0, 0, 4])), draw(st.sampled_from([1, 1, 2, 3]))
    return Pipeline(name, tuple(loops), start, repeat, end)


@st.composite
def traced_pipelines(draw, name: str, ends: Ends) -> Pipeline:
    """Accesses at any stages; every end is accessed at least once."""
    chosen = [*ends, *(draw(st.lists(st.sampled_from(ends), max_size=8)) if ends else [])]
    ticks = sorted(draw(st.integers(0, 12)) for _ in chosen)
    ops = [2 * fifo + (op == "write") for fifo, op in draw(st.permutations(chosen))]
    trace = Trace(np.array(ticks, np.int64), np.array(ops, np.int32))
    end = max(ticks, default=0) + draw(st.integers(0, 4)) if draw(st.booleans()) else None
    return Pipeline(name, (), draw(st.sampled_from([0, 0, 4])), draw(st.sampled_from([1, 1, 2])), end, trace)


@st.composite
def actors(draw, name: str, ends: Ends) -> Actor:
    """One to three phases of other times and rates, so that firings may overtake each other."""
    phases = []
    for number in range(draw(st.integers(1, 3))):
        rates: dict[str, dict[str, int]] = {"read": {}, "write": {}}
        for fifo, op in ends:
            rates[op][f"f{fifo}"] = draw(st.integers(1 if number == 0 else 0, 2))
        phases.append(ActorPhase(draw(st.integers(0, 5)), rates["read"], rates["write"]))
    return Actor(name, tuple(phases), draw(st.integers(0, 6)), draw(st.sampled_from([0, 0, 3])))


KINDS = {"loops": loop_pipelines, "trace": traced_pipelines, "actor": actors}


@st.composite
def mixed_graphs(draw, kinds=tuple(KINDS), *, most_fifos=5, most_ports=3, most_depth=6) -> TimedGraph:
    """Processes of several kinds, FIFOs forwards, backwards and from a process to itself, ports that share channels."""
    count = draw(st.integers(1, 4))
    ends = [draw(fifo_ends(count)) for _ in range(draw(st.integers(0 if most_ports else 1, most_fifos)))]
    ports = [draw(st.sampled_from(["read", "write"])) for _ in range(draw(st.integers(0, most_ports)))]
    mine: list[Ends] = [[] for _ in range(count)]
    for number, (writer, reader) in enumerate(ends):
        mine[writer].append((number, "write"))
        mine[reader].append((number, "read"))
    for number, op in enumerate(ports, len(ends)):
        mine[draw(st.integers(0, count - 1))].append((number, "write" if op == "write" else "read"))
    fifos = [draw(fifos_named(f"f{number}", most_depth)) for number in range(len(ends) + len(ports))]
    processes: list[Process] = [
        draw(KINDS[draw(st.sampled_from(kinds))](f"p{number}", some)) for number, some in enumerate(mine)
    ]
    for number, (writer, reader) in enumerate(ends):
        if isinstance(processes[writer], Actor) and isinstance(processes[reader], Actor):
            fifos[number] = replace(fifos[number], latency=0)
    channels = draw(st.lists(memory_channels(), min_size=1, max_size=3)) if ports else []
    channels = [replace(channel, name=f"c{number}") for number, channel in enumerate(channels)]
    names = [channel.name for channel in channels]
    for number, op in enumerate(ports, len(ends)):
        processes.insert(draw(st.integers(0, len(processes))), draw(memory_ports(number, op, names)))
    made = graph(fifos, without_holding(processes), channels)
    return balanced(made) if draw(st.integers(0, 7)) else made


@st.composite
def fifos_named(draw, name: str, most_depth: int) -> Fifo:
    """Of any kind; some of 400 bits, which are shift registers up to a depth of 2."""
    latency = draw(st.sampled_from([0, 0, 0, 3]))
    impl, bits = draw(st.sampled_from(["srl", "ram", "auto"])), draw(st.sampled_from([8, 400]))
    return Fifo(name, draw(st.integers(1, most_depth)), bits, impl, latency=latency)


@st.composite
def memory_channels(draw) -> Channel:
    rate = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    channel = Channel("c", draw(st.integers(0, 12)), draw(st.sampled_from([4, 8])), *rate)
    return draw(detailed_channels(channel))


@st.composite
def detailed_channels(draw, channel: Channel) -> Channel:
    """The same, in most graphs with some of the figures that have defaults."""
    response = draw(sometimes(st.integers(1, 15)))
    replies = channel.latency + 1 if response is None else response
    later = st.integers(0, 9)
    return replace(
        channel,
        write_den=draw(sometimes(st.integers(1, 5))),
        busy_latency=draw(sometimes(later.map(channel.latency.__add__))),
        response=response,
        busy_response=draw(sometimes(later.map(replies.__add__))),
        random_bytes=draw(st.sampled_from([0, 0, 4, 8, 20])),
        random_short=draw(st.sampled_from([0, 0, 3, 10])),
        random_long=draw(st.sampled_from([0, 0, 7, 20])),
        id_wait=draw(sometimes(later)),
        read_turns=draw(st.sampled_from([1, 1, 2, 3])),
        write_turns=draw(st.sampled_from([1, 1, 2, 3])),
    )


def sometimes(values: st.SearchStrategy[int]) -> st.SearchStrategy[int | None]:
    """Mostly None: what stands in no file."""
    return st.one_of(st.none(), st.none(), values)


@st.composite
def detailed_ports(draw, port: MemoryPort) -> MemoryPort:
    """The same, some with scattered bursts, several IDs, gaps or early requests."""
    writes = port.op == "write"
    return replace(
        port,
        pattern=draw(st.sampled_from(["sequential", "sequential", "random"])),
        ids=draw(st.sampled_from(["one", "many"])),
        gap=draw(st.sampled_from([0, 0, 0, 1, 6])) if writes else 0,
        early=writes and draw(st.sampled_from([False, False, True])),
    )


def without_holding(processes: Sequence[Process]) -> list[Process]:
    """The same, none of whose ports that share a channel requests bursts early, which may hold others off for ever."""
    ports = [process for process in processes if isinstance(process, MemoryPort)]
    users = Counter(channel for port in ports for channel in set(port.channels))
    shared = {port.name for port in ports if any(users[channel] > 1 for channel in port.channels)}
    return [replace(p, early=False) if isinstance(p, MemoryPort) and p.name in shared else p for p in processes]


@st.composite
def memory_ports(draw, fifo: int, op: str, channels: list[str]) -> MemoryPort:
    chosen = draw(st.lists(st.sampled_from(channels), min_size=1, max_size=3, unique=True))
    token_bytes, burst_bytes = draw(st.sampled_from([(4, 16), (4, 4), (6, 16), (16, 8), (3, 7), (5, 64)]))
    touched = (burst_bytes - gcd(token_bytes, burst_bytes) + token_bytes - 1) // burst_bytes + 1
    outstanding, start = draw(st.integers(touched, touched + 3)), draw(st.sampled_from([0, 0, 3]))
    tokens = draw(st.integers(1, 12))
    port = MemoryPort(
        f"m{fifo}", op, f"f{fifo}", tokens, token_bytes, tuple(chosen), burst_bytes, outstanding, start=start
    )
    return draw(detailed_ports(port))


@st.composite
def law_graphs(draw, *, holding=False) -> TimedGraph:
    """One to four ports of longer streams over shared channels, each with a pipeline of its own or all with one.

    What the memory does is most of what happens: bursts queue, carry fractions of cycles, turn to other channels.
    Where ``holding``, ports that write request early, also on shared channels, and may hold them for ever.
    """
    channels = draw(st.lists(memory_channels(), min_size=1, max_size=4))
    channels = [replace(channel, name=f"c{number}") for number, channel in enumerate(channels)]
    ports, fifos, ends = [], [], []
    tokens, together = draw(st.integers(1, 40)), draw(st.booleans())
    for number in range(draw(st.integers(1, 4))):
        op = draw(st.sampled_from(["read", "write"]))
        port = draw(memory_ports(number, op, [channel.name for channel in channels]))
        ports.append(replace(port, tokens=tokens if together else draw(st.integers(1, 40))))
        fifos.append(draw(fifos_named(f"f{number}", 20)))
        ends.append(Event(f"f{number}", op, 0))
    groups = [(tokens, ends)] if together else [(port.tokens, [end]) for port, end in zip(ports, ends, strict=True)]
    pipelines = []
    for number, (trips, events) in enumerate(groups):
        ii, latency = draw(st.sampled_from([1, 1, 1, 2, 5])), draw(st.integers(1, 4))
        events = [replace(event, stage=latency - 1 if event.op == "write" else 0) for event in events]
        start = draw(st.sampled_from([0, 0, 9]))
        pipelines.append(Pipeline(f"p{number}", (Loop((trips,), ii, latency, tuple(events)),), start))
    ports = [replace(port, early=port.op == "write") for port in ports] if holding else without_holding(ports)
    return graph(fifos, draw(st.permutations([*ports, *pipelines])), channels)


def balanced(design: TimedGraph) -> TimedGraph:
    """The same, where no FIFO lacks tokens: ports pass what the other end does, the rest is there before, or stays.

    Whether it deadlocks still hangs on depths and on the order of accesses.
    """
    tokens = flatten(design).tokens
    processes = tuple(
        replace(p, tokens=max(1, int(tokens[2 * design.fifo_index[p.fifo] + (p.op == "write")])))
        if isinstance(p, MemoryPort)
        else p
        for p in design.processes
    )
    # A write port reads what the other end writes: op 2 i + 1; a read port writes what is read.
    tokens = flatten(replace(design, processes=processes)).tokens
    fifos = []
    for number, fifo in enumerate(design.fifos):
        more = int(tokens[2 * number + 1] - tokens[2 * number])
        fifos.append(replace(fifo, initial_tokens=max(0, -more), depth=max(fifo.depth, abs(more))))
    return replace(design, fifos=tuple(fifos), processes=processes)


@st.composite
def endless_graphs(draw, *, plain=False) -> TimedGraph:
    """Actors of several phases in a chain and back, whose rates balance, with bounded FIFOs.

    Unless ``plain``, some begin with phases that put or take more than goes round, and some phases take no time.
    """
    count = draw(st.integers(2, 3) if plain else st.sampled_from([2, 3, 1, 4]))
    rounds = [draw(st.integers(1, 3)) for _ in range(count)]
    phases = [draw(st.integers(1, 3)) for _ in range(count)]
    pairs = [(n, n + 1) for n in range(count - 1)] + [(count - 1, 0)] * draw(st.integers(0, count > 1))
    pairs += [(n, n) for n in range(count) if draw(st.booleans())]
    pairs = pairs or [(0, 0)]
    rates: list[dict[str, list[dict[str, int]]]] = [
        {"reads": [{} for _ in range(n)], "writes": [{} for _ in range(n)]} for n in phases
    ]
    fifos = []
    for number, (writer, reader) in enumerate(pairs):
        common = int(np.lcm(rounds[writer], rounds[reader]))
        for side, end in (("writes", writer), ("reads", reader)):
            for part in draw(st.permutations(range(common // rounds[end]))):
                row = rates[end][side][part % phases[end]]
                row[f"f{number}"] = row.get(f"f{number}", 0) + 1
        depth = draw(st.integers(1, 8))
        initial = draw(st.integers(0, depth)) if reader <= writer else 0
        fifos.append(Fifo(f"f{number}", depth, 8, initial_tokens=initial))
    times = st.integers(1 if plain else draw(st.integers(0, 1)), 4)
    begins = not plain and draw(st.booleans())
    made = [
        Actor(
            f"x{n}",
            tuple(ActorPhase(draw(times), *row) for row in zip(*each.values(), strict=True)),
            initial_phases=draw(beginnings(n, pairs, times)) if begins else (),
        )
        for n, each in enumerate(rates)
    ]
    return graph(fifos, made)


@st.composite
def beginnings(draw, actor: int, pairs: list[tuple[int, int]], times: st.SearchStrategy[int]) -> tuple[ActorPhase, ...]:
    """Up to three initial phases of an actor, over FIFOs from writer to reader."""
    few, fewer = st.sampled_from([0, 1, 1, 2]), st.sampled_from([0, 0, 0, 1])
    phases = []
    for _ in range(draw(st.integers(0, 3))):
        reads, writes = (
            {f"f{n}": tokens for n, ends in enumerate(pairs) if ends[side] == actor and (tokens := draw(amount))}
            for side, amount in ((1, fewer), (0, few))
        )
        phases.append(ActorPhase(draw(times), reads, writes))
    return tuple(phases)


@st.composite
def turn_graphs(draw) -> TimedGraph:
    """Two or three ports on one channel; one pipeline, or two, take turns among them in bursts.

    What a FIFO holds ahead of its burst matters, and who asks sooner delays the rest.
    """
    count = draw(st.integers(2, 3))
    ops = [draw(st.sampled_from(["read", "read", "write"])) for _ in range(count)]
    tokens, programs = [0] * count, []
    for mine in draw(st.sampled_from([[range(count)], [range(1), range(1, count)]])):
        loops = []
        for number in [*mine, *draw(st.lists(st.sampled_from(list(mine)), max_size=4))]:
            trips, gap = draw(st.integers(1, 4)), draw(st.sampled_from([0, 0, 2, 9]))
            event = Event(f"f{number}", "read" if ops[number] == "read" else "write", 0)
            loops.append(Loop((trips,), draw(st.sampled_from([1, 1, 2, 5])), 1, (event,), gap))
            tokens[number] += trips
        programs.append(Pipeline(f"p{len(programs)}", tuple(loops), draw(st.sampled_from([0, 0, 9]))))
    fifos, ports = [], []
    for number, op in enumerate(ops):
        kind, outstanding = draw(st.sampled_from(["srl", "srl", "ram", "auto"])), draw(st.sampled_from([1, 1, 2, 4]))
        fifos.append(Fifo(f"f{number}", draw(st.integers(1, 6)), draw(st.sampled_from([8, 400])), kind))
        start = draw(st.sampled_from([0, 0, 9, 15]))
        port = MemoryPort(f"m{number}", op, f"f{number}", tokens[number], 4, ("c",), 4, outstanding, start=start)
        ports.append(draw(detailed_ports(port)))
    channel = Channel("c", draw(st.sampled_from([0, 1, 5])), 4, draw(st.sampled_from([1, 3])), draw(st.integers(1, 9)))
    return graph(fifos, [*without_holding(ports), *programs], [draw(detailed_channels(channel))])


@st.composite
def rival_graphs(draw) -> TimedGraph:
    """Two read ports on one channel, each with a pipeline of its own that reads in bursts: one delays the other."""
    fifos, processes = [], []
    for number, most in enumerate((3, 2)):
        loops = []
        for _ in range(draw(st.integers(1, most))):
            trips, ii = draw(st.integers(1, 6)), draw(st.sampled_from([1, 2, 4, 9, 11]))
            latency, gap = draw(st.sampled_from([1, 5, 9])), draw(st.sampled_from([0, 2, 12]))
            loops.append(Loop((trips,), ii, latency, (Event(f"f{number}", "read", 0),), gap))
        tokens, outstanding = sum(loop.iterations for loop in loops), draw(st.sampled_from([1, 2, 4]))
        begin, start = (draw(st.integers(0, 30)) * draw(st.integers(0, 1)) for _ in range(2))
        fifos.append(Fifo(f"f{number}", draw(st.integers(1, 6)), 8, "srl"))
        port = MemoryPort(f"m{number}", "read", f"f{number}", tokens, 4, ("c",), 4, outstanding, start=begin)
        processes.append(draw(detailed_ports(port)))
        processes.append(Pipeline(f"p{number}", tuple(loops), start))
    channel = Channel("c", draw(st.sampled_from([0, 3])), 4, draw(st.sampled_from([1, 3])), draw(st.integers(1, 9)))
    return graph(fifos, processes, [draw(detailed_channels(channel))])


@st.composite
def tangled_graphs(draw, most_fifos=3) -> TimedGraph:
    """Pipelines and actors that access their FIFOs in other orders at both ends, some of which are behind ports.

    Many deadlock, and need more depth in several FIFOs.
    """
    count, number_of_fifos = draw(st.integers(2, 3)), draw(st.integers(1, most_fifos))
    fifos, ports = [], []
    chunks: list[list[tuple[str, str, int]]] = [[] for _ in range(count)]
    for name in (f"f{number}" for number in range(number_of_fifos)):
        sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
        depth, kind = draw(st.integers(1, 3)), draw(st.sampled_from(["srl", "srl", "ram", "auto"]))
        writer, reader = draw(fifo_ends(count))
        initial = draw(st.integers(0, depth)) if reader <= writer else 0
        fifos.append(Fifo(name, depth, draw(st.sampled_from([8, 400])), kind, initial))
        op = draw(st.sampled_from(["read", "write"])) if draw(st.integers(0, 4)) == 0 else None
        if op:
            port = MemoryPort(f"m{name}", op, name, sum(sizes), 4, ("c",), 4, draw(st.integers(1, 3)))
            ports.append(draw(detailed_ports(port)))
        if op != "read":
            chunks[writer] += [(name, "write", size) for size in sizes]
        if op != "write":
            chunks[reader] += [(name, "read", size) for size in draw(st.permutations(sizes))]
    processes: list[Process] = []
    for number, mine in enumerate(chunks):
        order = draw(st.permutations(mine))
        if order and draw(st.booleans()):
            phases = tuple(
                ActorPhase(draw(st.integers(0, 4)), *({name: size} if op == side else {} for side in ("read", "write")))
                for name, op, size in order
            )
            processes.append(Actor(f"p{number}", phases, len(phases)))
            continue
        loops = []
        for name, op, size in order:
            trips, tokens = draw(st.sampled_from([(size, 1), (1, size)]))
            event = Event(name, op, 0, (), tokens)
            loops.append(Loop((trips,), draw(st.sampled_from([1, 1, 3])), 1, (event,), draw(st.sampled_from([0, 2]))))
        processes.append(Pipeline(f"p{number}", tuple(loops)))
    channel = draw(detailed_channels(Channel("c", draw(st.sampled_from([0, 5])), 4, 1, draw(st.integers(1, 3)))))
    return graph(fifos, [*without_holding(ports), *processes], [channel] if ports else [])
