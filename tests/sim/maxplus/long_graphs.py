"""Graphs with long loops, for the laws of periodic jumps."""

from __future__ import annotations

from hypothesis import strategies as st
from sim_graphs import channel_options, port_options, without_held_channels

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph

DEPTHS = st.sampled_from([1, 2, 2, 3, 5, 9, 40, 300])
SHAPES = {
    120: [(120,), (4, 30), (30, 4), (5, 4, 6)],
    60: [(60,), (2, 30), (15, 4), (3, 4, 5)],
    40: [(40,), (4, 10), (10, 4)],
}


def _graph(fifos, processes, channels=()) -> TimedGraph:
    return TimedGraph("long", 300.0, tuple(fifos), tuple(processes), tuple(channels))


@st.composite
def pipelines(draw, name: str, events, tokens: int) -> Pipeline:
    """A pipeline that makes every event ``tokens`` times, in one or two loops, once or repeatedly."""
    repeat = draw(st.sampled_from([1, 1, 2, 4]))
    each = tokens // repeat
    parts = [each] if draw(st.booleans()) else [each // 2, each - each // 2]
    loops = []
    for part in parts:
        latency = draw(st.integers(1, 7))
        shapes = SHAPES.get(part, [(part,)])
        made = tuple(Event(f, op, draw(st.integers(0, latency - 1)), (), n) for f, op, n in events)
        loops.append(
            Loop(draw(st.sampled_from(shapes)), draw(st.integers(1, 3)), latency, made, draw(st.integers(0, 3)))
        )
    return Pipeline(name, tuple(loops), start=draw(st.sampled_from([0, 0, 7])), repeat=repeat)


@st.composite
def converters(draw, name: str, source: str, sink: str, block: int, blocks: int, rate: int) -> Pipeline:
    """Reads a block, then writes a block of ``rate`` times as many tokens, for all blocks."""
    reads = Loop((block,), draw(st.integers(1, 2)), 2, (Event(source, "read", 0),), draw(st.integers(0, 2)))
    writes = Loop((block * rate,), draw(st.integers(1, 2)), 3, (Event(sink, "write", 2),))
    return Pipeline(name, (reads, writes), repeat=blocks)


@st.composite
def contractions(draw, name: str, source: str, sink: str, rows: int, row: int) -> Pipeline:
    """Reads ``rows`` x ``row`` tokens and writes one token per row, some iterations later."""
    latency = draw(st.integers(1, 9))
    events = (Event(source, "read", 0), Event(sink, "write", latency - 1, (None, row - 1)))
    return Pipeline(name, (Loop((rows, row), draw(st.integers(1, 3)), latency, events),))


@st.composite
def chains(draw) -> TimedGraph:
    """A source, some converters and contractions at different rates, side ways, and a sink; some deadlock late."""
    tokens = draw(st.sampled_from([240, 480]))
    processes, at = [], "f0"
    depth = {"f0": draw(DEPTHS)}
    source_events = [("f0", "write", 1)]
    passing = tokens
    for index in range(draw(st.integers(0, 3))):
        after = f"f{index + 1}"
        depth[after] = draw(DEPTHS)
        if draw(st.booleans()):
            block = draw(st.sampled_from([1, 2, 4, 8]))
            rate = draw(st.sampled_from([1, 1, 2]))
            processes.append(draw(converters(f"p{index}", at, after, block, passing // block, rate)))
            passing *= rate
        else:
            row = draw(st.sampled_from([2, 3, 5]))
            processes.append(draw(contractions(f"p{index}", at, after, passing // row, row)))
            passing //= row
        if passing % 120:
            return _finished(draw, depth, processes, source_events, [(after, "read", 1)], tokens, passing)
        at = after
    sink_events = [(at, "read", 1)]
    if passing == tokens and draw(st.booleans()):
        depth["side"] = draw(st.sampled_from([1, 3, 8, 20, 60, 200]))
        source_events.append(("side", "write", 1))
        sink_events.append(("side", "read", 1))
    return _finished(draw, depth, processes, source_events, sink_events, tokens, passing)


def _finished(draw, depth, processes, source_events, sink_events, tokens, passing) -> TimedGraph:
    processes.append(draw(pipelines("source", source_events, tokens)))
    short = draw(st.sampled_from([0, 0, 0, 0, 1]))
    sink = Pipeline(
        "sink",
        (Loop((passing + short,), draw(st.integers(1, 3)), 2, tuple(Event(f, op, 0) for f, op, _ in sink_events)),),
    )
    kinds = st.sampled_from(["srl", "ram"])
    fifos = [Fifo(name, places, 8, draw(kinds)) for name, places in depth.items()]
    return _graph(fifos, [*processes, sink])


@st.composite
def loops_back(draw) -> TimedGraph:
    """Two to four pipelines with FIFOs forwards and, with tokens, backwards; two tokens at a time on some."""
    count = draw(st.integers(2, 4))
    tokens = draw(st.sampled_from([120, 240]))
    events = [[] for _ in range(count)]
    fifos = []
    for index in range(draw(st.integers(1, 5))):
        writer, reader = draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))
        burst = draw(st.sampled_from([1, 1, 2]))
        places = draw(DEPTHS) + burst
        initial = draw(st.integers(burst, places)) if reader <= writer else 0
        fifos.append(Fifo(f"f{index}", places, 8, draw(st.sampled_from(["srl", "ram"])), initial))
        events[writer].append((f"f{index}", "write", burst))
        events[reader].append((f"f{index}", "read", burst))
    return _graph(fifos, [draw(pipelines(f"p{i}", events[i], tokens)) for i in range(count)])


@st.composite
def streams(draw) -> TimedGraph:
    """Read and write ports, some on channels that they share, around one or two pipelines."""
    tokens = draw(st.sampled_from([120, 240, 480]))
    number = draw(st.integers(1, 3))
    channels = [
        draw(
            channel_options(
                Channel(f"c{i}", draw(st.integers(0, 30)), 4, draw(st.integers(1, 3)), draw(st.integers(1, 3)))
            )
        )
        for i in range(number)
    ]
    events, fifos, processes = [], [], []
    for index in range(draw(st.integers(1, 4))):
        op = draw(st.sampled_from(["read", "write"]))
        fifos.append(Fifo(f"f{index}", draw(DEPTHS), 8, draw(st.sampled_from(["srl", "ram"]))))
        token_bytes, burst_bytes = draw(st.sampled_from([(4, 16), (4, 4), (6, 16), (16, 8), (5, 64), (8, 256)]))
        window = 1 + (token_bytes + burst_bytes - 1) // burst_bytes
        chosen = draw(st.lists(st.sampled_from([c.name for c in channels]), min_size=1, max_size=3, unique=True))
        outstanding = draw(st.integers(window, window + 4))
        port = MemoryPort(f"m{index}", op, f"f{index}", tokens, token_bytes, tuple(chosen), burst_bytes, outstanding)
        processes.append(draw(port_options(port)))
        events.append((f"f{index}", "write" if op == "write" else "read", 1))
    halves = [events] if draw(st.booleans()) or len(events) < 2 else [events[:1], events[1:]]
    for index, half in enumerate(halves):
        processes.append(draw(pipelines(f"p{index}", half, tokens)))
    return without_held_channels(_graph(fifos, draw(st.permutations(processes)), channels))


@st.composite
def crowds(draw) -> TimedGraph:
    """Two to five ports on one or two channels, each beside a pipeline of its own that changes its pace half-way."""
    tokens = draw(st.sampled_from([120, 240, 480]))
    channels = [
        draw(
            channel_options(
                Channel(f"c{i}", draw(st.integers(0, 40)), 4, draw(st.integers(1, 2)), draw(st.integers(1, 3)))
            )
        )
        for i in range(draw(st.integers(1, 2)))
    ]
    fifos, processes = [], []
    for index in range(draw(st.integers(2, 5))):
        op = draw(st.sampled_from(["read", "write"]))
        fifos.append(Fifo(f"f{index}", draw(DEPTHS), 8, draw(st.sampled_from(["srl", "ram"]))))
        chosen = draw(st.lists(st.sampled_from([c.name for c in channels]), min_size=1, max_size=3, unique=True))
        burst_bytes = draw(st.sampled_from([4, 4, 8, 12, 16]))
        outstanding = draw(st.integers(2, 9))
        start = draw(st.sampled_from([0, 0, 50]))
        port = MemoryPort(f"m{index}", op, f"f{index}", tokens, 4, tuple(chosen), burst_bytes, outstanding, start=start)
        processes.append(draw(port_options(port)))
        event = Event(f"f{index}", op, 0)
        paces = st.sampled_from([1, 1, 2, 3, 7, 12])
        loops = tuple(Loop((tokens // 2,), draw(paces), 1, (event,), 0) for _ in range(2))
        processes.append(Pipeline(f"p{index}", loops))
    return without_held_channels(_graph(fifos, draw(st.permutations(processes)), channels))


@st.composite
def sleepers(draw) -> TimedGraph:
    """A process that waits for a whole block, then makes a port ask for a channel that another port keeps busy."""
    block, blocks = draw(st.sampled_from([7, 30, 100])), draw(st.integers(2, 6))
    tokens = 3 * block * blocks
    depth, latency = block + draw(st.sampled_from([0, 1, 20])), draw(st.integers(0, 20))
    source = Loop((block * blocks,), draw(st.integers(1, 3)), 1, (Event("a", "write", 0),))
    events = (Event("a", "read", 0, (), block), Event("b", "write", 0, (), draw(st.integers(1, 3))))
    ports = (
        MemoryPort("out", "write", "b", blocks * events[1].tokens, 4, ("x",), 4, draw(st.integers(2, 6))),
        MemoryPort("in", "read", "c", tokens, 4, ("x",), 4, draw(st.integers(2, 6))),
    )
    pipelines = (
        Pipeline("source", (source,)),
        Pipeline("sleeper", (Loop((blocks,), 1, 1, events),)),
        Pipeline("sink", (Loop((tokens,), draw(st.integers(1, 4)), 1, (Event("c", "read", 0),)),)),
    )
    fifos = (Fifo("a", depth, 8, "srl"), Fifo("b", 4, 8, "srl"), Fifo("c", draw(DEPTHS), 8, "srl"))
    channel = Channel("x", latency, 4, 1, draw(st.integers(1, 4)))
    return _graph(fifos, draw(st.permutations([*ports, *pipelines])), [channel])


@st.composite
def drifts(draw) -> TimedGraph:
    """Two or three pipelines in a row, each fed by a port on the same channel, whose rows take different times."""
    rows, row = draw(st.sampled_from([30, 60, 120])), draw(st.sampled_from([2, 4, 8]))
    count = draw(st.integers(2, 3))
    fifos, processes = [], []
    for index in range(count):
        latency = draw(st.integers(1, 9))
        fifos.append(Fifo(f"m{index}", draw(DEPTHS), 8, draw(st.sampled_from(["srl", "ram"]))))
        events = [Event(f"m{index}", "read", 0)]
        if index > 0:
            events.append(Event(f"f{index - 1}", "read", 0, (draw(st.integers(0, row - 1)),)))
        if index < count - 1:
            fifos.append(Fifo(f"f{index}", draw(DEPTHS), 8, draw(st.sampled_from(["srl", "ram"]))))
            events.append(Event(f"f{index}", "write", latency - 1, (draw(st.integers(0, row - 1)),)))
        loop = Loop((row,), draw(st.integers(3, 5)), latency, tuple(events), draw(st.integers(0, 4)))
        processes.append(Pipeline(f"p{index}", (loop,), start=draw(st.sampled_from([0, 0, 100])), repeat=rows))
        burst_bytes, outstanding = draw(st.sampled_from([4, 16, 64])), draw(st.integers(2, 16))
        names = draw(st.sampled_from([("x",), ("x",), ("y",), ("x", "y"), ("y", "x")]))
        processes.append(
            MemoryPort(
                f"in{index}",
                "read",
                f"m{index}",
                rows * row,
                4,
                names,
                burst_bytes,
                outstanding,
                ids=draw(st.sampled_from(["one", "many"])),
            )
        )
    if draw(st.booleans()):
        fifos.append(Fifo("out", draw(DEPTHS), 8, "srl"))
        last = processes[-2]
        loop = last.loops[0]
        event = Event("out", "write", loop.latency - 1)
        processes[-2] = Pipeline(
            last.name,
            (Loop(loop.trips, loop.ii, loop.latency, (*loop.events, event), loop.entry_gap),),
            last.start,
            rows,
        )
        processes.append(MemoryPort("store", "write", "out", rows * row, 4, ("x",), 16, draw(st.integers(2, 8))))
    latency = st.integers(0, 30)
    channels = [Channel(name, draw(latency), 4, 1, draw(st.integers(1, 2))) for name in ("x", "y")]
    return _graph(fifos, draw(st.permutations(processes)), channels)


@st.composite
def nests(draw) -> TimedGraph:
    """Turns of many rows and a pause; a token of each row goes into a FIFO that fills, and is read late or slowly."""
    turns, rows, row = draw(st.integers(4, 12)), draw(st.integers(10, 40)), draw(st.sampled_from([2, 4]))
    latency, gap = draw(st.integers(1, 5)), draw(st.integers(0, 9))
    events = (Event("f", "write", latency - 1), Event("deep", "write", latency - 1, (None, row - 1)))
    walk = Loop((rows, row), draw(st.integers(1, 2)), latency, events, gap)
    pause = Loop((draw(st.integers(1, 9)),), draw(st.integers(1, 5)), 2, (Event("f", "write", 1),), gap)
    tokens = turns * rows
    start = draw(st.sampled_from([0, 50, tokens * row // 2, 2 * tokens * row]))
    pipelines = (
        Pipeline("p", (walk, pause), repeat=turns),
        Pipeline("q", (Loop((turns * (rows * row + pause.trips[0]),), 1, 1, (Event("f", "read", 0),)),)),
        Pipeline("late", (Loop((tokens,), draw(st.integers(1, 9)), 1, (Event("deep", "read", 0),)),), start=start),
    )
    depth = draw(st.sampled_from([5, rows, 3 * rows, tokens]))
    kinds = st.sampled_from(["srl", "ram"])
    fifos = (Fifo("f", draw(DEPTHS), 8, draw(kinds)), Fifo("deep", depth, 8, draw(kinds)))
    return _graph(fifos, draw(st.permutations(pipelines)))
