"""A microbenchmark of a memory as a timed graph: ports that move bursts, and what feeds or empties them.

Nothing here knows a law of its own: channels are the board's, ports are :class:`~sttest.sim.graph.MemoryPort`, and the
kernel behind them is a pipeline that takes a beat of each port per cycle, or less often where it needs more cycles per
transaction.  So what is measured is what a design meets.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sttest.boards.tiers import Tier
from sttest.compile.channels.memory_ports import memory_channels
from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.sim.bursts import channel_name
from sttest.sim.graph import Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph

Op = Literal["read", "write", "both"]
Direction = Literal["read", "write"]
Pattern = Literal["sequential", "random"]
Ids = Literal["one", "many"]

LONG_BYTES = 1 << 21
"""What a port moves where nothing says how much, in at least as many bursts as follow."""
LEAST_BURSTS, MOST_BURSTS = 384, 4096
_WINDOWS = 8
"""Windows of bursts in flight that a port moves at least."""
_MOST_RANGES = 8
_BEGINNING = 4
"""One part in so many of a long run is not counted."""
_FIFO_DEPTH = 4


@dataclass(frozen=True)
class Benchmark:
    """The conditions of a benchmark.

    ``op`` ``both`` gives each master a port that reads and one that writes.  Masters have channels of their own, next
    to each other, unless they are ``shared``: then all ports are on the channels of the first.
    """

    op: Op = "read"
    clock_mhz: float = 300.0
    port_bits: int = 512
    burst_bytes: int = 4096  # bytes of a transaction, which is one burst
    outstanding: int = 16  # transactions of a port that may be in flight
    masters: int = 1
    channels: int = 1  # channels of each master, or of each of its ports where they are not shared
    shared: bool = False
    pattern: Pattern = "sequential"
    ids: Ids = "one"
    kernel_cycles: int = 0  # least cycles of the kernel per transaction; a beat per cycle at most anyway
    gap: int | None = None  # cycles without data after a write burst; None for Vitis' m_axi adapter, 0 for RTL
    joined: bool = False  # one kernel moves what it reads to where it writes, so that each port waits for the others
    total_bytes: int = 0  # bytes of a port, timed from the first request to the end; 0 for a long run's pace
    write_outstanding: int = 0  # the same as ``outstanding`` of ports that write; 0 for as many

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Of a master's ports."""
        return ("read", "write") if self.op == "both" else (self.op,)

    @property
    def beat_bytes(self) -> int:
        """Bytes that a port moves per cycle at most."""
        return min(self.port_bits // 8, self.burst_bytes)

    @property
    def beats(self) -> int:
        """Beats of a transaction on its port."""
        return math.ceil(self.burst_bytes / self.beat_bytes)

    @property
    def channels_used(self) -> int:
        """Channels of the memory that all ports use."""
        return self.channels if self.shared else self.channels * self.masters * len(self.directions)

    def window(self, direction: Direction) -> int:
        """Transactions in flight of a port."""
        return self.write_outstanding or self.outstanding if direction == "write" else self.outstanding

    @property
    def transactions(self) -> int:
        """That a port moves."""
        if self.total_bytes:
            return max(1, self.total_bytes // self.burst_bytes)
        bursts = min(max(LONG_BYTES // self.burst_bytes, LEAST_BURSTS), MOST_BURSTS)
        if self.pattern == "sequential" and self.ids == "one":
            bursts *= min(self.channels, _MOST_RANGES)  # a range of each, which is long in what is measured
        return max(bursts, _WINDOWS * max(self.window(each) for each in self.directions))


@dataclass(frozen=True)
class Reached:
    """What a port reached."""

    direction: Direction
    gb_per_s: float
    transaction_ns: float  # time between the ends of two transactions
    latency_ns: float  # time from a request to its first data, from a write's last data to the response
    served_ns: float  # the same from when the channel took it


@dataclass(frozen=True)
class Measured:
    """What a benchmark gives."""

    ports: tuple[Reached, ...]

    @property
    def gb_per_s(self) -> float:
        """Of all ports together."""
        return sum(port.gb_per_s for port in self.ports)

    def of(self, direction: Direction) -> Reached:
        """The slowest port of a direction."""
        return min((each for each in self.ports if each.direction == direction), key=lambda port: port.gb_per_s)

    @property
    def slowest(self) -> Reached:
        """The slowest port of all."""
        return min(self.ports, key=lambda port: port.gb_per_s)


def measure(benchmark: Benchmark, tier: Tier, engine: str = "maxplus") -> Measured:
    """Simulates a benchmark on a memory.

    Raises:
        InputError: conditions that cannot be, or more channels than the memory has.
    """
    _check(benchmark, tier)
    if benchmark.masters > 1 and not benchmark.shared:  # all alike, and none in the way of another
        return Measured(measure(replace(benchmark, masters=1), tier, engine).ports * benchmark.masters)
    graph = benchmark_graph(benchmark, tier)
    run = simulate(graph, engine, record=True)
    assert run.record is not None, "it was asked for"
    ports, reads = [each for each in graph.processes if isinstance(each, MemoryPort)], run.read_times
    ends = [_ends(benchmark, each, run.record.bursts[each.name], reads[each.fifo]) for each in ports]
    if benchmark.total_bytes:
        finish = [run.finish[each.name] or 0 for each in ports]
        paces = [max(cycle, 1) / each.size for cycle, each in zip(finish, ends, strict=True)]
    else:
        paces = _paces(ends)
    pairs = zip(ports, paces, strict=True)
    return Measured(tuple(_reached(graph, each, pace, run.record.bursts[each.name]) for each, pace in pairs))


def alternating(benchmark: Benchmark, blocks: int, tier: Tier, engine: str = "maxplus") -> float:
    """GB/s of a kernel that reads blocks of ``total_bytes``, then writes one, then reads the next.

    Each block is a run of its own, to its end: nothing of the next is asked for before.

    Args:
        benchmark: the conditions of either port.
        blocks: how many are read before one is written.
        tier: memory.
        engine: simulation engine that computes the times.

    Raises:
        InputError: see :func:`measure`.
    """
    read, written = (measure(replace(benchmark, op=op), tier, engine).gb_per_s for op in ("read", "write"))
    return (blocks + 1) / (blocks / read + 1 / written)


def _ends(benchmark: Benchmark, port: MemoryPort, bursts: np.ndarray, reads: np.ndarray) -> np.ndarray:
    """Cycles in which the kernel has the last of each read burst, or each write was answered; int64[bursts], rising."""
    if port.op == "read":
        return reads[benchmark.beats - 1 :: benchmark.beats]
    return np.maximum.accumulate(bursts[:, 3])


def _paces(ends: list[np.ndarray]) -> list[float]:
    """Cycles per burst of each port while all are at work, without their beginning."""
    first = max(int(each[each.size // _BEGINNING]) for each in ends)
    last = min(int(each[-1]) for each in ends)
    found: list[float] = []
    for each in ends:
        inside = each[(each >= first) & (each <= last)]
        found.append(float(inside[-1] - inside[0]) / max(inside.size - 1, 1))
    return found


def _reached(graph: TimedGraph, port: MemoryPort, pace: float, bursts: np.ndarray) -> Reached:
    cycle_ns, late = 1e3 / graph.clock_mhz, bursts[len(bursts) // 2 :]
    first_beat = 1 if port.op == "read" else 0
    return Reached(
        "read" if port.op == "read" else "write",
        port.burst_bytes / (pace * cycle_ns),
        pace * cycle_ns,
        float((late[:, 3] - late[:, 0]).mean() + first_beat) * cycle_ns,
        float((late[:, 3] - late[:, 1]).mean() + first_beat) * cycle_ns,
    )


def benchmark_graph(benchmark: Benchmark, tier: Tier) -> TimedGraph:
    """Ports on channels of a memory, and the kernels that feed and empty them.

    Raises:
        InputError: conditions that cannot be, or more channels than the memory has.
    """
    _check(benchmark, tier)
    lanes = [channel_name(each, tier.name) for each in range(benchmark.channels_used)]
    fifos: list[Fifo] = []
    processes: list[MemoryPort | Pipeline] = []
    used = 0
    for master in range(benchmark.masters):
        names: list[str] = []
        for direction in benchmark.directions:
            name = f"{direction}{master}"
            own = lanes[used : used + benchmark.channels]
            used += 0 if benchmark.shared else benchmark.channels
            fifos.append(Fifo(f"{name}.beats", _FIFO_DEPTH, 8 * benchmark.beat_bytes))
            processes.append(_port(benchmark, tier, name, direction, own))
            names.append(name)
        processes += _kernels(benchmark, names, master)
    channels = memory_channels(tier, benchmark.clock_mhz, range(benchmark.channels_used))
    return TimedGraph(f"{tier.name}-{benchmark.op}", benchmark.clock_mhz, tuple(fifos), tuple(processes), channels)


def _port(benchmark: Benchmark, tier: Tier, name: str, direction: Direction, lanes: list[str]) -> MemoryPort:
    gap = tier.timing.write_gap_cycles if benchmark.gap is None else benchmark.gap
    return MemoryPort(
        name,
        direction,
        f"{name}.beats",
        benchmark.transactions * benchmark.beats,
        benchmark.beat_bytes,
        tuple(lanes),
        burst_bytes=benchmark.burst_bytes,
        outstanding=benchmark.window(direction),
        pattern=benchmark.pattern,
        ids=benchmark.ids,
        gap=gap if direction == "write" else 0,
    )


def _kernels(benchmark: Benchmark, names: list[str], number: int) -> Iterator[Pipeline]:
    """What is behind the ports of a master: one pipeline for all where they are joined, else one each.

    Kernels that don't ask all the time don't ask in step either: they begin at places of their own in a period.
    """
    groups = [names] if benchmark.joined else [[name] for name in names]
    count, spare = len(groups) * benchmark.masters, benchmark.kernel_cycles > benchmark.beats
    for place, together in enumerate(groups, start=number * len(groups)):
        start = place * benchmark.kernel_cycles // count if spare else 0
        yield Pipeline(f"kernel.{together[0]}", (_loop(benchmark, together),), start)


def _loop(benchmark: Benchmark, names: list[str]) -> Loop:
    """Takes a beat of each port per cycle; all of a transaction in the time of one where that is longer."""
    beats, cycles = benchmark.beats, max(benchmark.kernel_cycles, benchmark.beats)
    grain, interval = (1, 1) if cycles == beats else (beats, cycles)
    events = tuple(
        Event(f"{name}.beats", "read" if name.startswith("read") else "write", stage + (not name.startswith("read")))
        for stage in range(grain)
        for name in names
    )
    return Loop((benchmark.transactions * beats // grain,), interval, grain + 1, events)


def _check(benchmark: Benchmark, tier: Tier) -> None:
    """Refuses conditions that cannot be; graphs refuse the others."""
    if benchmark.port_bits % 8 or not 8 <= benchmark.port_bits <= 8192:
        what = f"a port of {benchmark.port_bits} bits"
        raise InputError("bad-port", what, where=tier.name, hints=["give whole bytes, 8 to 8192 bits"])
    if benchmark.burst_bytes % benchmark.beat_bytes:
        what = f"bursts of {benchmark.burst_bytes} bytes on {benchmark.port_bits} bits"
        raise InputError("bad-burst", what, where=tier.name, hints=["give whole beats"])
    if benchmark.channels_used > tier.channels:
        raise InputError(
            "too-many-channels",
            "more channels than the memory has",
            where=tier.name,
            demand=benchmark.channels_used,
            bound=tier.channels,
            unit="channels",
            hints=["give fewer masters, or fewer channels of each"],
        )
