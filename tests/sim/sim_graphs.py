"""Small graphs for tests, by hand and by hypothesis."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.sim.bursts import sharing_ports

STREAMHLS = Path(__file__).parents[1] / "data" / "streamhls"


def graph(fifos, processes, channels=(), name="g") -> TimedGraph:
    return TimedGraph(name, 300.0, tuple(fifos), tuple(processes), tuple(channels))


def source(fifo: str, tokens: int, *, name="src", ii=1, latency=1, **options) -> Pipeline:
    return Pipeline(name, (Loop((tokens,), ii, latency, (Event(fifo, "write", latency - 1),)),), **options)


def sink(fifo: str, tokens: int, *, name="dst", ii=1, latency=1, **options) -> Pipeline:
    return Pipeline(name, (Loop((tokens,), ii, latency, (Event(fifo, "read", 0),)),), **options)


def chain(depth: int, tokens: int = 40, impl="srl", **options) -> TimedGraph:
    """A source and a sink, both at one token per cycle."""
    return graph([Fifo("a", depth, 8, impl, **options)], [source("a", tokens), sink("a", tokens)])


def reconvergent(short_depth: int, latency: int = 10, tokens: int = 20) -> TimedGraph:
    """a feeds c directly and through b, which reads all before it writes: the short way needs ``tokens`` places."""
    fifos = [Fifo("ab", 4, 8, "srl"), Fifo("bc", 4, 8, "srl"), Fifo("ac", short_depth, 8, "srl")]
    a = Pipeline("a", (Loop((tokens,), 1, 1, (Event("ab", "write", 0), Event("ac", "write", 0))),), origin="aten.add")
    b = Pipeline(
        "b", (Loop((tokens,), 1, latency, (Event("ab", "read", 0),)), Loop((tokens,), 1, 1, (Event("bc", "write", 0),)))
    )
    c = Pipeline("c", (Loop((tokens,), 1, 1, (Event("bc", "read", 0), Event("ac", "read", 0))),))
    return graph(fifos, [a, b, c])


@st.composite
def fifo_ends(draw, count: int) -> tuple[int, int]:
    """Mostly forwards, so that not all graphs deadlock; also backwards and from a process to itself."""
    writer, reader = draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))
    return (writer, reader) if draw(st.integers(0, 2)) == 0 else (min(writer, reader), max(writer, reader))


@st.composite
def trip_lists(draw, iterations: int) -> list[tuple[int, ...]]:
    """Trips of loops that make ``iterations`` iterations together."""
    split = draw(st.integers(0, iterations - 1))
    parts = [part for part in (split, iterations - split) if part]
    return [draw(st.sampled_from(shapes_of(part))) for part in parts]


def shapes_of(iterations: int) -> list[tuple[int, ...]]:
    return [(iterations,)] + [(i, iterations // i) for i in range(2, iterations) if iterations % i == 0]


@st.composite
def pipeline_graphs(draw, *, impls=("srl", "ram", "auto"), unbalanced=True) -> TimedGraph:
    """Two to four pipelines, every FIFO accessed once per iteration at both ends, in some graphs not always."""
    count = draw(st.integers(2, 4))
    iterations = draw(st.integers(1, 8))
    unbalanced = unbalanced and draw(st.integers(0, 4)) == 0
    events: list[list[tuple[str, str, int]]] = [[] for _ in range(count)]
    fifos = []
    for index in range(draw(st.integers(1, 5))):
        writer, reader = draw(fifo_ends(count))
        tokens = draw(st.sampled_from([1, 1, 1, 2]))
        depth = draw(st.integers(tokens, 6))
        initial = draw(st.integers(0, depth)) if reader <= writer else 0
        fifos.append(Fifo(f"f{index}", depth, draw(st.sampled_from([8, 400])), draw(st.sampled_from(impls)), initial))
        events[writer].append((f"f{index}", "write", tokens))
        events[reader].append((f"f{index}", "read", tokens))
    processes = [draw(pipelines(f"p{i}", events[i], iterations, unbalanced)) for i in range(count)]
    return graph(fifos, processes)


@st.composite
def pipelines(draw, name: str, events, iterations: int, unbalanced: bool) -> Pipeline:
    repeat = draw(st.sampled_from([r for r in (1, 2, 3) if iterations % r == 0]))
    loops = []
    for trips in draw(trip_lists(iterations // repeat)):
        latency = draw(st.integers(1, 4))
        made = tuple(draw(loop_events(fifo, op, tokens, trips, latency, unbalanced)) for fifo, op, tokens in events)
        loops.append(Loop(trips, draw(st.integers(1, 3)), latency, made, draw(st.integers(0, 3))))
    return Pipeline(name, tuple(loops), start=draw(st.sampled_from([0, 0, 5])), repeat=repeat)


@st.composite
def loop_events(draw, fifo, op, tokens, trips, latency, unbalanced) -> Event:
    when = ()
    if unbalanced and draw(st.integers(0, 15)) == 0:
        when = tuple(draw(whens(trip)) for trip in trips)
    return Event(fifo, op, draw(st.integers(0, latency - 1)), when, tokens)


@st.composite
def whens(draw, trip: int):
    first = draw(st.integers(0, trip - 1))
    last = draw(st.integers(first, trip - 1))
    return draw(st.sampled_from([None, first, (first, last, draw(st.integers(1, 3)))]))


@st.composite
def memory_graphs(draw, *, held=False) -> TimedGraph:
    """Some read ports into one pipeline and out to some write ports, over channels that they may share.

    With ``held``, early bursts hold channels that other ports wait for, which may stop a run.
    """
    channels = [
        draw(
            channel_options(
                Channel(
                    f"c{i}",
                    draw(st.integers(0, 12)),
                    draw(st.sampled_from([4, 8])),
                    draw(st.integers(1, 4)),
                    draw(st.integers(1, 4)),
                )
            )
        )
        for i in range(draw(st.integers(1, 3)))
    ]
    tokens = draw(st.integers(1, 24))
    fifos, processes, events = [], [], []
    for index in range(draw(st.integers(1, 4))):
        op = draw(st.sampled_from(["read", "write"]))
        fifos.append(Fifo(f"f{index}", draw(st.integers(1, 4)), 8, draw(st.sampled_from(["srl", "ram"]))))
        processes.append(draw(memory_ports(f"m{index}", f"f{index}", op, tokens, [c.name for c in channels])))
        events.append((f"f{index}", "write" if op == "write" else "read"))
    latency = draw(st.integers(1, 5))
    made = tuple(Event(fifo, op, 0 if op == "read" else latency - 1) for fifo, op in events)
    compute = Pipeline("p", (Loop((tokens,), draw(st.integers(1, 3)), latency, made),), start=draw(st.integers(0, 9)))
    position = draw(st.integers(0, len(processes)))
    design = graph(fifos, [*processes[:position], compute, *processes[position:]], channels)
    return design if held else without_held_channels(design)


@st.composite
def channel_options(draw, channel: Channel) -> Channel:
    """The same channel; every second one with some of the figures that have defaults."""
    if draw(st.booleans()):
        return channel
    channel = replace(channel, response=draw(st.sampled_from([None, 1, 7])))
    later = st.sampled_from([None, 0, 3, 20])
    busy = draw(later), draw(later)
    return replace(
        channel,
        write_den=draw(st.sampled_from([None, 1, 5])),
        busy_latency=None if busy[0] is None else channel.latency + busy[0],
        busy_response=None if busy[1] is None else channel.delay(writes=True) + busy[1],
        random_bytes=draw(st.sampled_from([0, 4, 8])),
        random_short=draw(st.sampled_from([0, 5])),
        random_long=draw(st.sampled_from([0, 9])),
        id_wait=draw(st.sampled_from([None, 0, 5])),
        read_turns=draw(st.integers(1, 3)),
        write_turns=draw(st.integers(1, 3)),
    )


@st.composite
def memory_ports(draw, name: str, fifo: str, op: str, tokens: int, channels: list[str]) -> MemoryPort:
    chosen = draw(st.lists(st.sampled_from(channels), min_size=1, max_size=3, unique=True))
    token_bytes, burst_bytes = draw(st.sampled_from([(4, 16), (4, 4), (6, 16), (16, 8), (3, 7), (5, 64)]))
    window = 1 + (token_bytes + burst_bytes - 1) // burst_bytes
    outstanding = draw(st.integers(window, window + 4))
    start = draw(st.sampled_from([0, 0, 3]))
    port = MemoryPort(name, op, fifo, tokens, token_bytes, tuple(chosen), burst_bytes, outstanding, start=start)
    return draw(port_options(port))


@st.composite
def port_options(draw, port: MemoryPort) -> MemoryPort:
    """The same port, in some graphs with scattered bursts, many IDs, gaps behind bursts or early requests."""
    pattern, ids = draw(st.sampled_from(["sequential", "sequential", "random"])), draw(st.sampled_from(["one", "many"]))
    port = replace(port, pattern=pattern, ids=ids)
    if port.op == "read":
        return port
    return replace(port, gap=draw(st.sampled_from([0, 0, 1, 4])), early=draw(st.sampled_from([False, False, True])))


def without_held_channels(design: TimedGraph) -> TimedGraph:
    """The same graph, with no early bursts on channels that other ports use."""
    shared = sharing_ports(design)
    processes = tuple(
        replace(process, early=False) if isinstance(process, MemoryPort) and process.name in shared else process
        for process in design.processes
    )
    return replace(design, processes=processes)


@st.composite
def actor_graphs(draw) -> TimedGraph:
    """A ring or chain of two or three actors with self-loops or without, phases of equal or different times."""
    count = draw(st.integers(2, 3))
    iterations = draw(st.integers(1, 5))
    reads: list[dict[str, int]] = [{} for _ in range(count)]
    writes: list[dict[str, int]] = [{} for _ in range(count)]
    fifos = []
    for index in range(draw(st.integers(1, 5))):
        writer, reader = draw(fifo_ends(count))
        tokens = draw(st.integers(1, 2))
        depth = draw(st.integers(tokens, 6))
        initial = draw(st.integers(0, depth)) if reader <= writer else 0
        fifos.append(Fifo(f"f{index}", depth, 8, draw(st.sampled_from(["srl", "ram"])), initial))
        writes[writer][f"f{index}"] = tokens
        reads[reader][f"f{index}"] = tokens
    times = st.lists(st.integers(0, 5), min_size=1, max_size=3)
    actors = [
        Actor(
            f"x{i}", tuple(ActorPhase(t, reads[i], writes[i]) for t in draw(times)), iterations, draw(st.integers(0, 3))
        )
        for i in range(count)
    ]
    return graph(fifos, actors)
