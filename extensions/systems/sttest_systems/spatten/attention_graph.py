"""A step of pruned attention as a timed graph: counts, passes of the top-k engines and second readings by trace.

    tokens ─▶ fetch ─▶ q·k ─▶ exponents ─▶ normalize ─▶ importance ─▶ top-k of tokens ─▶ fetch of the next layer
                        ▲         └▶ decide ─┘  │
                        └── low bits ◀─┘        └▶ top-k of values ─▶ fetch ─▶ p·v ─▶ top-k of heads ─▶ fetch

A head's high bits are followed by those of the next head before what was decided about the first is awaited, so that
exponents and division do not hold back the products.  Latencies are ways between processes: what is on its way moves
on while a process waits, so that nothing that has been computed is held back by what has not.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sttest.core.errors import InputError
from sttest.sim.graph import Channel, Fifo, MemoryPort, Pipeline, Process, TimedGraph, Trace
from sttest_systems.spatten.top_k import Selection
from sttest_systems.spatten.top_k_timing import engine_process
from sttest_systems.spatten.work import HeadWork, LayerWork, Widths

PRODUCT_CYCLES, SUM_CYCLES = 11, 3
"""Latencies of q·k and of p·v, cycles (the authors' simulator, mit-han-lab/spatten, simulator/src/bert.cpp)."""
SCALE_CYCLES, EXP_CYCLES, ADD_CYCLES, DIVIDE_CYCLES, ROUND_CYCLES = 7, 21, 23, 29, 7
"""Latencies of the parts of softmax, cycles (as above)."""


@dataclass(frozen=True)
class Unit:
    """Lanes, engines and memory of the design."""

    channels: tuple[Channel, ...]  # a token is in the one of its number
    lanes: int = 8  # keys, and values, per cycle
    engine_lanes: int = 16  # scores that a top-k engine compares per cycle
    engines: int = 1  # top-k engines for values, which take turns
    dim: int = 64  # elements of a head
    outstanding: int = 64  # bursts of a port on their way
    shares: bool = False  # whether all channels hold keys and values; else half of them keys, half values
    gathers: bool = True  # whether a burst is a vector; else up to 4 KiB of the cache
    clock_mhz: float = 250.0

    def first_channels(self, kind: str) -> tuple[int, int]:
        """The first of the channels that hold a kind of vectors, and how many do."""
        count = len(self.channels) if self.shares else len(self.channels) // 2
        return 0 if self.shares or kind != "value" else count, count


@dataclass(frozen=True)
class Depths:
    """Depths of FIFOs, tokens."""

    exponents: int  # rows of a head's exponents, which wait for their sum, those on their way included
    vectors: int  # vectors of each channel's keys or values
    rows: int = 2  # everywhere else; what is on its way comes on top
    ahead: int = 2  # rows of probabilities before each top-k engine for values


def any_trace_depths(unit: Unit, context: int) -> Depths:
    """The depths with which every step of so many tokens ends.

    All accesses of a process for a row are in one cycle, and it does not begin another head's before it has the last
    of one's.  So a process waits only for what others have not yet done.  Go along the waiting: fetches wait for
    searches of the layer before, or for room before products.  Products wait for a decision that all their scores
    have been written for.  The chain of exponents, division, normalization, searches, sums of values has no way back
    but through these.  Only exponents are written before what lets them be read: the sum of a head comes with its last
    row, so that all of its rows must have room.  And a row takes up to ``lanes`` vectors of one channel in a cycle.
    """
    return Depths(-(-context // unit.lanes), unit.lanes, 1, 1)


def full_rate_depths(unit: Unit, context: int) -> Depths:
    """Depths that keep the pace: two heads of exponents, a head before each engine, vectors for uneven channels."""
    rows = -(-context // unit.lanes)
    return Depths(2 * rows + EXP_CYCLES, 4 * unit.lanes, 4, max(2, -(-context // unit.engine_lanes)))


@dataclass(frozen=True)
class _Job:
    """A head's keys, high or low bits, as the products take them."""

    layer: LayerWork
    head: HeadWork
    low: bool = False

    @property
    def is_last(self) -> bool:
        """Whether its probabilities are the head's."""
        return self.low or not self.head.again


def _jobs(layer: LayerWork, decides: bool) -> Iterator[_Job | HeadWork]:
    """The order of the products of a layer, and where they await a decision about a head."""
    before: HeadWork | None = None
    for head in (*layer.heads, None):
        if head is not None:
            yield _Job(layer, head)
        if before is not None and decides:
            yield before
            if before.again:
                yield _Job(layer, before, low=True)
        before = head


@dataclass
class _Builder:
    """FIFOs, and accesses of processes in local cycles."""

    fifos: list[Fifo] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    ticks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    ops: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    now: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def fifo(self, name: str, depth: int, bits: int, latency: int = 0) -> None:
        self.places[name] = len(self.fifos)
        self.fifos.append(Fifo(name, depth, bits, "srl", latency=latency))

    def way(self, name: str, depth: int, bits: int, latency: int) -> None:
        """A FIFO with as many places more as tokens are on their way."""
        self.fifo(name, depth + latency, bits, latency)

    def step(self, process: str, reads: Sequence[str] = (), writes: Sequence[str] = ()) -> None:
        """A cycle of a process with all these accesses."""
        for names, write in ((reads, 0), (writes, 1)):
            for name in names:
                self.ticks[process].append(self.now[process])
                self.ops[process].append(2 * self.places[name] + write)
        self.now[process] += 1

    def processes(self, category: str) -> list[Process]:
        return [
            Pipeline(
                name,
                end=self.now[name],
                category=category,
                trace=Trace(np.array(self.ticks[name], np.int64), np.array(self.ops[name], np.int32)),
            )
            for name in self.ticks
        ]


def attention_graph(name: str, step: Sequence[LayerWork], unit: Unit, widths: Widths, depths: Depths) -> TimedGraph:
    """The graph of a step.

    Args:
        name: name of the graph.
        step: what each layer does.
        unit: lanes, engines and memory.
        widths: bits of elements in memory; with ``low`` 0 nothing is decided, and nothing read again.
        depths: depths of FIFOs.

    Raises:
        InputError: searches of engines with other lanes.
    """
    _check_lanes(step, unit)
    if not widths.low:
        step = [replace(layer, heads=tuple(replace(head, again=False) for head in layer.heads)) for layer in step]
    build = _Builder()
    _make_fifos(build, unit, widths, depths, step)
    decides = widths.low > 0
    searches = list[Selection]()
    for number, layer in enumerate(step):
        _fetch(build, layer, step[number - 1] if number else None, unit)
        jobs = list(_jobs(layer, decides))
        _products(build, jobs, unit)
        heads = [job for job in jobs if isinstance(job, _Job)]
        _softmax(build, heads, unit, decides)
        final = [job for job in heads if job.is_last]
        _importance(build, layer, len(final), unit)
        for job in final:
            _values(build, job, len(searches) % unit.engines, unit)
            searches += [job.head.search] if job.head.search else []
        _outputs(build, layer, unit)
    engines = _engines(build, step, searches, unit)
    ports = _ports(step, unit, widths)
    used = {channel for port in ports for channel in port.channels}
    return TimedGraph(
        name,
        unit.clock_mhz,
        tuple(build.fifos),
        (*ports, *build.processes("attention"), *engines),
        tuple(channel for channel in unit.channels if channel.name in used),
    )


def _check_lanes(step: Sequence[LayerWork], unit: Unit) -> None:
    for layer in step:
        for search in (layer.token_search, layer.head_search, *(head.search for head in layer.heads)):
            if search is not None and search.lanes != unit.engine_lanes:
                raise InputError(
                    "other-lanes",
                    "a search of an engine with other lanes",
                    where="pruned attention",
                    demand=search.lanes,
                    bound=unit.engine_lanes,
                    unit="lanes",
                    hints=["make the step with the lanes of the unit's engines"],
                )


# --- FIFOs and memory


def _make_fifos(build: _Builder, unit: Unit, widths: Widths, depths: Depths, step: Sequence[LayerWork]) -> None:
    away = max(channel.latency for channel in unit.channels)
    key, low, value = widths.vector_bytes(unit.dim)
    row = 16 * unit.lanes
    for kind, size in (("key", key), ("low", low), ("value", value)):
        for channel in sorted(_of_channels(step, unit, kind)):
            build.fifo(f"{kind}{channel}", depths.vectors, 8 * size)
    build.way("asked_keys", depths.rows, 32, away)
    build.way("scores", depths.rows, row, PRODUCT_CYCLES + SCALE_CYCLES)
    build.fifo("exponents", depths.exponents, row, EXP_CYCLES)
    build.way("sums", depths.rows, 64, EXP_CYCLES + ADD_CYCLES)
    build.way("divided", depths.rows, 32, DIVIDE_CYCLES)
    build.way("importance", depths.rows, row, ROUND_CYCLES)
    build.way("probabilities", depths.rows, row, ROUND_CYCLES)
    build.way("asked_values", depths.rows, row, away)
    build.way("outputs", depths.rows, 16 * unit.dim, SUM_CYCLES)
    heads = [head for layer in step for head in layer.heads]
    if widths.low:
        build.way("decisions", depths.rows, 1, DIVIDE_CYCLES)
    if any(head.again for head in heads):
        build.way("again", depths.rows, 1, DIVIDE_CYCLES)
        build.way("asked_low", depths.rows, 32, away)
    if any(head.search is None for head in heads):
        build.fifo("passed", depths.rows, row)
    engine_row = 16 * unit.engine_lanes
    searched = sum(head.search is not None for head in heads)
    for engine in range(min(unit.engines, searched)):
        build.fifo(f"value_jobs{engine}", depths.rows, 32)
        build.fifo(f"value_rows{engine}", depths.ahead, engine_row)
        build.fifo(f"value_kept{engine}", depths.rows, 2 * engine_row)
    for kind in ("token", "head"):
        if any(getattr(layer, f"{kind}_search") is not None for layer in step):
            build.fifo(f"{kind}_jobs", depths.rows, 32)
            build.fifo(f"{kind}_rows", depths.rows, 2 * engine_row)
            build.fifo(f"{kind}_kept", depths.rows, 2 * engine_row)


def _of_channels(step: Sequence[LayerWork], unit: Unit, kind: str) -> dict[int, int]:
    """Vectors of a kind by the channel that they are in, of channels that have any."""
    first, count = unit.first_channels(kind)
    counts = np.zeros(count, np.int64)
    for layer in step:
        if kind == "value":
            for head in layer.heads:
                counts += np.bincount(head.values % count, minlength=count)
            continue
        heads = len(layer.heads) if kind == "key" else sum(head.again for head in layer.heads)
        counts += heads * np.bincount(layer.tokens % count, minlength=count)
    return {first + int(channel): int(counts[channel]) for channel in np.flatnonzero(counts)}


def _ports(step: Sequence[LayerWork], unit: Unit, widths: Widths) -> list[MemoryPort]:
    found = list[MemoryPort]()
    for kind, size in zip(("key", "low", "value"), widths.vector_bytes(unit.dim), strict=True):
        for channel, count in _of_channels(step, unit, kind).items() if size else ():
            burst = size if unit.gathers else 4096
            outstanding = unit.outstanding if unit.gathers else 16
            found.append(
                MemoryPort(
                    f"{kind}{channel}_port",
                    "read",
                    f"{kind}{channel}",
                    count,
                    size,
                    (unit.channels[channel].name,),
                    burst,
                    outstanding,
                    category="dma",
                )
            )
    return found


def _vectors(tokens: np.ndarray, kind: str, unit: Unit) -> Iterator[list[str]]:
    """FIFOs that each row of vectors comes from."""
    first, count = unit.first_channels(kind)
    names = [f"{kind}{first + channel}" for channel in (tokens % count).tolist()]
    return (names[row : row + unit.lanes] for row in range(0, len(names), unit.lanes))


# --- Processes, a layer at a time


def _fetch(build: _Builder, layer: LayerWork, before: LayerWork | None, unit: Unit) -> None:
    """Asks for keys, once it knows which tokens and heads are left."""
    for kind in ("token", "head"):
        search: Selection | None = getattr(before, f"{kind}_search", None)
        for _ in range(search.puts.size if search else 0):
            build.step("fetch", [f"{kind}_kept"])
    for _ in range(len(layer.heads) * _rows(layer.keys, unit.lanes)):
        build.step("fetch", [], ["asked_keys"])


def _products(build: _Builder, jobs: Sequence[_Job | HeadWork], unit: Unit) -> None:
    for job in jobs:
        if isinstance(job, HeadWork):
            build.step("products", ["decisions"])
            continue
        kind, asked = ("low", "asked_low") if job.low else ("key", "asked_keys")
        if job.low:
            build.step("fetch_low", ["again"])
        for vectors in _vectors(job.layer.tokens, kind, unit):
            if job.low:
                build.step("fetch_low", [], [asked])
            build.step("products", [asked, *vectors], ["scores"])


def _softmax(build: _Builder, jobs: Sequence[_Job], unit: Unit, decides: bool) -> None:
    for job in jobs:
        rows = _rows(job.layer.keys, unit.lanes)
        for row in range(rows):
            build.step("exponentiate", ["scores"], ["exponents", "sums"] if row == rows - 1 else ["exponents"])
        asks = ["decisions", *(["again"] if job.head.again else [])] if decides and not job.low else []
        build.step("divide", ["sums"], ["divided", *asks])
        build.step("normalize", ["divided"])
        for _ in range(rows):
            build.step("normalize", ["exponents"], ["importance", "probabilities"] if job.is_last else [])


def _importance(build: _Builder, layer: LayerWork, heads: int, unit: Unit) -> None:
    """Adds up probabilities; after the last head, the sums go to the search for tokens."""
    for _ in range(heads * _rows(layer.keys, unit.lanes)):
        build.step("accumulate", ["importance"])
    _ask(build, "accumulate", "token", layer.token_search)


def _ask(build: _Builder, process: str, kind: str, search: Selection | None) -> None:
    if search is None:
        return
    build.step(process, [], [f"{kind}_jobs"])
    for _ in range(search.rows):
        build.step(process, [], [f"{kind}_rows"])


def _values(build: _Builder, job: _Job, engine: int, unit: Unit) -> None:
    """Probabilities to an engine, the values that it keeps asked for, and multiplied."""
    keys, kept, search = job.layer.keys, job.head.values.size, job.head.search
    if search is None:
        for _ in range(_rows(keys, unit.lanes)):
            build.step("distribute", ["probabilities"], ["passed"])
            build.step("ask_values", ["passed"], ["asked_values"])
    else:
        build.step("distribute", [], [f"value_jobs{engine}"])
        _regroup(build, "distribute", ("probabilities", unit.lanes), (f"value_rows{engine}", unit.engine_lanes), keys)
        _regroup(build, "ask_values", (f"value_kept{engine}", unit.engine_lanes), ("asked_values", unit.lanes), kept)
    rows = list(_vectors(job.head.values, "value", unit))
    for number, vectors in enumerate(rows):
        build.step("sum_values", ["asked_values", *vectors], ["outputs"] if number == len(rows) - 1 else [])


def _regroup(build: _Builder, process: str, source: tuple[str, int], sink: tuple[str, int], count: int) -> None:
    """Passes so many scores on in rows of another size: a row is read when the next one cannot be written."""
    (reads, per_read), (writes, per_write), had, given = source, sink, 0, 0
    while given < count:
        takes = had - given < min(per_write, count - given)
        had = min(had + per_read, count) if takes else had
        full = had - given >= min(per_write, count - given)
        given += min(per_write, count - given) if full else 0
        build.step(process, [reads] if takes else [], [writes] if full else [])


def _outputs(build: _Builder, layer: LayerWork, unit: Unit) -> None:
    for _ in layer.heads:
        build.step("collect", ["outputs"])
    _ask(build, "collect", "head", layer.head_search)


def _rows(count: int, lanes: int) -> int:
    return -(-count // lanes)


def _engines(build: _Builder, step: Sequence[LayerWork], values: Sequence[Selection], unit: Unit) -> list[Process]:
    """The top-k engines; those for values take turns."""
    work = {("value", str(engine)): values[engine :: unit.engines] for engine in range(unit.engines)}
    for kind in ("token", "head"):
        work[kind, ""] = [search for layer in step if (search := getattr(layer, f"{kind}_search")) is not None]
    return [
        engine_process(
            f"{kind}_top_k{number}",
            searches,
            *(build.places[f"{kind}_{what}{number}"] for what in ("jobs", "rows", "kept")),
        )
        for (kind, number), searches in work.items()
        if searches
    ]
