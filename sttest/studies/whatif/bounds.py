"""A block by formula: bytes over bandwidth and MACs over rate, which no run can beat, and the dependence chain.

Nothing here is simulated; the numbers stand beside the simulation so that either can be doubted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from sttest.boards.board import FpgaBoard
from sttest.compile.compiler import CompiledDesign
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.linalg.contraction import work
from sttest.compile.schedule.operators import payload_operators
from sttest.compile.sharing.layers import LaunchCounts
from sttest.sim.bursts import memory_and_number
from sttest.sim.graph import Event, Loop, MemoryPort, Pipeline, TimedGraph, When

# --- The dependence chain of a design: when it would be done if every process kept its own pace


_GATHER = "gather"
"""What puts slices together waits, as the ports behind it, for whom it feeds."""


@dataclass(frozen=True)
class Span:
    """Cycles at which a process gives its first and its last result."""

    first: float
    last: float


def chain_cycles(graph: TimedGraph) -> float | None:
    """Cycles from the first load to the last store; None where processes wait for each other, as shared engines do."""
    chain = _Chain(graph)
    try:
        order = [*TopologicalSorter(chain.sources()).static_order()]
    except CycleError:
        return None
    return max(chain.span(name).last for name in order)


@dataclass
class _Chain:
    graph: TimedGraph
    _spans: dict[str, Span] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name = {process.name: process for process in self.graph.processes}
        self._channels = {channel.name: channel for channel in self.graph.channels}
        self._fifos = {fifo.name: fifo for fifo in self.graph.fifos}
        self._writer = {fifo: name for name, writes, fifo in self._accesses() if writes}
        # Tokens that are there at the start are space on its way back, not data.
        self._reads: dict[str, list[str]] = {name: [] for name in self._by_name}
        for name, writes, fifo in self._accesses():
            if not writes and not self._fifos[fifo].initial_tokens:
                self._reads[name].append(fifo)

    def _accesses(self) -> list[tuple[str, bool, str]]:
        found: dict[tuple[str, bool, str], None] = {}
        for process in self.graph.processes:
            if isinstance(process, MemoryPort):
                found[process.name, process.op == "read", process.fifo] = None
            elif isinstance(process, Pipeline):
                for event in (event for loop in process.loops for event in loop.events):
                    found[process.name, event.op == "write", event.fifo] = None
        return list(found)

    def sources(self) -> dict[str, list[str]]:
        """The processes that each one reads from."""
        return {name: [self._writer[fifo] for fifo in fifos] for name, fifos in self._reads.items()}

    def span(self, name: str) -> Span:
        """First and last result of a process; those that it reads from come before it."""
        self._spans[name] = self._of(name)
        return self._spans[name]

    def _of(self, name: str) -> Span:
        process = self._by_name[name]
        sources = [self._spans[self._writer[fifo]] for fifo in self._reads[name]]
        begin = max((span.first for span in sources), default=0.0)
        end = max((span.last for span in sources), default=0.0)
        if isinstance(process, MemoryPort):
            latency = self._channels[process.channels[0]].delay(writes=process.op == "write")
            # A read waits for whom it feeds: its bytes count there.
            return Span(latency, latency) if process.op == "read" else Span(begin + latency, end + latency)
        assert isinstance(process, Pipeline)
        if process.category == _GATHER:
            return Span(begin, begin)
        return self._pipeline(process, sources, begin, end)

    def _pipeline(self, process: Pipeline, sources: list[Span], begin: float, end: float) -> Span:
        loop = process.loops[0]
        once = loop.length + loop.entry_gap
        steps = once * process.repeat - loop.entry_gap
        pace = max(steps, self._transfer_cycles(process.name, begin))
        first = _first_write(loop)
        offset = _index(first, loop) * loop.ii + first.stage if first else steps
        # The share of its input that is in when its first result comes out.
        pushed = _index(first, loop) + 1 + loop.latency / loop.ii if first else loop.iterations
        share = min(loop.iterations, pushed) / (loop.iterations * process.repeat)
        arrivals = [span.first + share * (span.last - span.first) + loop.latency for span in sources]
        return Span(max(begin + offset * pace / steps, *arrivals, 0.0), max(begin + pace, end + loop.latency))

    def _transfer_cycles(self, name: str, begin: float) -> float:
        """Cycles that the slowest memory port of a process still needs when the process begins."""
        return max((self._port_cycles(port, begin) for port in self._ports(name)), default=0.0)

    def _ports(self, name: str) -> Iterator[MemoryPort]:
        """The memory ports that a process reads, those of slices through their gather."""
        for fifo in self._reads[name]:
            writer = self._by_name[self._writer[fifo]]
            if isinstance(writer, MemoryPort):
                yield writer
            elif writer.category == _GATHER:
                yield from self._ports(writer.name)

    def _port_cycles(self, port: MemoryPort, begin: float) -> float:
        channel = self._channels[port.channels[0]]
        lanes = 1 if port.pattern == "sequential" and port.ids == "one" else len(port.channels)
        rate = lanes * float(channel.bytes_per_cycle())
        total = port.tokens * port.token_bytes
        held = port.outstanding * port.burst_bytes
        held += self._fifos[port.fifo].depth * port.token_bytes
        ahead = min(held, rate * max(0.0, begin - channel.latency))
        return max(0.0, total - ahead) / rate


def _first_write(loop: Loop) -> Event | None:
    writes = [event for event in loop.events if event.op == "write"]
    return min(writes, key=lambda event: (_index(event, loop), event.stage), default=None)


def _index(event: Event | None, loop: Loop) -> int:
    """The first iteration of a flattened loop in which an event happens."""
    index = 0
    whens = event.when if event and event.when else (None,) * len(loop.trips)
    for when, trips in zip(whens, loop.trips, strict=True):
        index = index * trips + _first_of(when)
    return index


def _first_of(when: When) -> int:
    if when is None:
        return 0
    return when if isinstance(when, int) else when[0]


_MAC = "mac_"


@dataclass(frozen=True)
class Bounds:
    """Times of one launch, in microseconds."""

    memory_us: float  # bytes that the ports move over what their memory sustains, of the slower memory
    compute_us: float  # multiply-accumulates over the rate of all lanes that multiply
    chain_us: float | None  # the dependence chain, each link at its own lanes and channels; None: it closes on itself

    @property
    def roofline_us(self) -> float:
        """Memory or compute, whichever takes longer."""
        return max(self.memory_us, self.compute_us)

    @property
    def formula_us(self) -> float:
        """The longest of those that there are."""
        return max(self.roofline_us, self.chain_us or 0.0)


def bounds(design: CompiledDesign, graph: TimedGraph, board: FpgaBoard) -> Bounds:
    """The bounds of a design that runs as ``graph`` on ``board``."""
    macs, lanes = _macs_and_lanes(design)
    clock_mhz = graph.clock_mhz
    memory_cycles = max((moved / _rate(board, memory) for memory, moved in moved_per_memory(graph).items()), default=0)
    chain = chain_cycles(graph)
    chain_us = None if chain is None else chain / clock_mhz
    return Bounds(memory_cycles / clock_mhz, macs / lanes / clock_mhz, chain_us)


def moved_bytes(graph: TimedGraph) -> int:
    """Bytes through all memory ports in one run."""
    return sum(port.tokens * port.token_bytes for port in graph.processes if isinstance(port, MemoryPort))


def moved_per_memory(graph: TimedGraph) -> dict[str, int]:
    """The same by the memory that the ports are linked to."""
    moved = Counter[str]()
    for port in graph.processes:
        if isinstance(port, MemoryPort):
            moved[memory_and_number(port.channels[0])[0]] += port.tokens * port.token_bytes
    return dict(moved)


def _rate(board: FpgaBoard, memory: str) -> float:
    """Bytes per cycle of the board's clock that all channels of a memory sustain."""
    tier = board.tier(memory)
    return tier.bytes_per_cycle(board.clock_mhz.value) * tier.channels


def _macs_and_lanes(design: CompiledDesign) -> tuple[int, int]:
    macs = lanes = 0
    launches = LaunchCounts(only_kernel(design.module, "what-if", design.name))
    for op in design.module.walk():
        if not isinstance(op, df.TaskOp):
            continue
        each = sum(count for name, count in payload_operators(op).items() if name.startswith(_MAC))
        macs += each * work(op) * launches.of_node(op)
        lanes += each * min(op.lane_count, op.tile_points)
    return macs, max(1, lanes)
