"""Streams through the memory model of a board and compares the bandwidth reached with the one declared."""

from dataclasses import dataclass

from sttest.boards.board import FpgaBoard
from sttest.compile.assumptions import DEFAULT_PORT_BITS
from sttest.compile.channels.memory_ports import bank_channels
from sttest.sim.api import simulate
from sttest.sim.bursts import channel_name
from sttest.sim.graph import Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph

_BEAT_BYTES = DEFAULT_PORT_BITS // 8
_FIFO_DEPTH = 512
# Long enough that the latency of the first burst is below one part in a hundred.
STREAM_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True)
class BandwidthCheck:
    """Bandwidth of all pseudo-channels together, in GB/s (1e9 bytes per second)."""

    channels: int
    streamed_bytes: int
    cycles: int
    reached_gb_per_s: float
    sustained_gb_per_s: float
    peak_gb_per_s: float
    ports_gb_per_s: float  # bandwidth of a kernel's ports: a beat per cycle through each

    @property
    def reached_over_sustained(self) -> float:
        """1 where the memory model gives what the board declares, but for the latency and 1/256 of a cycle per beat."""
        return self.reached_gb_per_s / self.sustained_gb_per_s

    @property
    def reached_over_peak(self) -> float:
        """Share of the declared peak."""
        return self.reached_gb_per_s / self.peak_gb_per_s


def bandwidth_graph(board: FpgaBoard, stream_bytes: int = STREAM_BYTES) -> TimedGraph:
    """One read port per pseudo-channel in sequential full bursts, each into a kernel that takes a beat per cycle.

    Args:
        board: a board with HBM.
        stream_bytes: per channel.

    Raises:
        InputError: the board has no HBM.
    """
    memory, clock_mhz = board.feed, board.clock_mhz.value
    beats = stream_bytes // _BEAT_BYTES
    numbers = range(memory.channels)
    ports = [
        MemoryPort(
            f"read{n}",
            "read",
            f"beats{n}",
            beats,
            _BEAT_BYTES,
            (channel_name(n),),
            burst_bytes=memory.burst_bytes,
            outstanding=memory.outstanding,
        )
        for n in numbers
    ]
    sinks = [Pipeline(f"sink{n}", (Loop((beats,), 1, 1, (Event(f"beats{n}", "read", 0),)),)) for n in numbers]
    return TimedGraph(
        f"{board.name}-bandwidth",
        clock_mhz,
        tuple(Fifo(f"beats{n}", _FIFO_DEPTH, 8 * _BEAT_BYTES) for n in numbers),
        (*ports, *sinks),
        bank_channels(board, _BEAT_BYTES, numbers),
    )


def check_bandwidth(board: FpgaBoard, engine: str = "maxplus", stream_bytes: int = STREAM_BYTES) -> BandwidthCheck:
    """Simulates :func:`bandwidth_graph`.

    Args:
        board: a board with HBM.
        engine: simulation engine that computes the times.
        stream_bytes: per channel.

    Raises:
        InputError: the board has no HBM.
    """
    graph = bandwidth_graph(board, stream_bytes)
    cycles = simulate(graph, engine).cycles
    assert cycles is not None, "ports into sinks cannot deadlock"
    streamed = sum(port.tokens * port.token_bytes for port in graph.processes if isinstance(port, MemoryPort))
    return BandwidthCheck(
        channels=len(graph.channels),
        streamed_bytes=streamed,
        cycles=cycles,
        reached_gb_per_s=streamed / cycles * graph.clock_mhz / 1e3,
        sustained_gb_per_s=board.sustained_bandwidth_gb_per_s,
        peak_gb_per_s=board.peak_bandwidth_gb_per_s,
        ports_gb_per_s=len(graph.channels) * _BEAT_BYTES * graph.clock_mhz / 1e3,
    )
