"""What it takes to bring data from a lower memory into the HBM: an expert, a layer, a model.

A copy is a timed graph like any other: a load unit per channel of the lower memory, a FIFO, and a store unit over as
many pseudo-channels as keep up with it.  Bursts, windows and latencies follow the law of all other ports, so that
copies of a few bursts show what those cost.
"""

from dataclasses import dataclass

from sttest.boards.board import FpgaBoard
from sttest.boards.tiers import Tier
from sttest.compile.assumptions import DEFAULT_PORT_BITS
from sttest.compile.channels.memory_ports import bytes_per_cycle, tier_channels
from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.sim.bursts import ceil_div, channel_name
from sttest.sim.graph import Fifo, MemoryPort, TimedGraph

_BEAT_BYTES = DEFAULT_PORT_BITS // 8
_FIFO_DEPTH = 512


@dataclass(frozen=True)
class TierCopy:
    """One copy into the HBM."""

    source: Tier
    size_bytes: int
    cycles: int
    clock_mhz: float

    @property
    def seconds(self) -> float:
        """From the first request to the last response."""
        return self.cycles / self.clock_mhz / 1e6

    @property
    def gb_per_s(self) -> float:
        """Of the whole copy, waits included."""
        return self.size_bytes / self.seconds / 1e9


def copy_graph(board: FpgaBoard, source: str, size_bytes: int, chunk_bytes: int | None = None) -> TimedGraph:
    """Load and store units of a copy, a pair for each channel of the lower memory.

    Args:
        board: board with HBM.
        source: name of the lower memory.
        size_bytes: bytes; each channel has an equal part, in whole beats.
        chunk_bytes: bytes that lie together in the lower memory, and thus of a burst at most; None for all.

    Raises:
        InputError: no such memory on the board, the HBM itself, or no bytes.
    """
    if source == "hbm" or size_bytes < 1 or (chunk_bytes is not None and chunk_bytes < 1):
        raise InputError("no-copy", f"no copy of {size_bytes:,} bytes from '{source}'", hints=["name a lower memory"])
    lower, hbm, clock_mhz = board.tier(source), board.tier("hbm"), board.clock_mhz.value
    keeping_up = ceil_div(round(bytes_per_cycle(lower, clock_mhz, _BEAT_BYTES)), int(hbm.bytes_per_cycle(clock_mhz)))
    stores = min(keeping_up, hbm.channels // lower.channels)
    beats = ceil_div(size_bytes, lower.channels * _BEAT_BYTES)
    ports: list[MemoryPort] = []
    for number in range(lower.channels):
        into = tuple(channel_name(each) for each in range(number * stores, (number + 1) * stores))
        ports += [
            _port("load", number, beats, lower, (channel_name(number, lower.name),), chunk_bytes),
            _port("store", number, beats, hbm, into, None),
        ]
    fifos = tuple(Fifo(f"beats{number}", _FIFO_DEPTH, 8 * _BEAT_BYTES) for number in range(lower.channels))
    channels = (
        *tier_channels(lower, clock_mhz, _BEAT_BYTES, range(lower.channels)),
        *tier_channels(hbm, clock_mhz, _BEAT_BYTES, range(stores * lower.channels)),
    )
    return TimedGraph(f"{board.name}-{source}-to-hbm", clock_mhz, fifos, tuple(ports), channels)


def _port(
    name: str, number: int, beats: int, tier: Tier, channels: tuple[str, ...], chunk_bytes: int | None
) -> MemoryPort:
    return MemoryPort(
        f"{name}{number}",
        "read" if name == "load" else "write",
        f"beats{number}",
        beats,
        _BEAT_BYTES,
        channels,
        burst_bytes=min(tier.burst_bytes, chunk_bytes or tier.burst_bytes),
        outstanding=tier.outstanding * len(channels),
        ids="many",  # a unit of its own, that deals bursts to its channels in turn
    )


def copy_into_hbm(
    board: FpgaBoard, source: str, size_bytes: int, engine: str = "maxplus", *, chunk_bytes: int | None = None
) -> TierCopy:
    """Simulates a copy.

    Args:
        board: board with HBM.
        source: name of the lower memory.
        size_bytes: bytes.
        engine: simulation engine that computes the times.
        chunk_bytes: bytes that lie together in the lower memory; None for all.

    Raises:
        InputError: see :func:`copy_graph`.
    """
    graph = copy_graph(board, source, size_bytes, chunk_bytes)
    cycles = simulate(graph, engine).cycles
    assert cycles is not None, "a load unit into a store unit cannot deadlock"
    return TierCopy(board.tier(source), size_bytes, cycles, graph.clock_mhz)


def copy_seconds(board: FpgaBoard, source: str, size_bytes: int) -> float:
    """The closed form beside it: bytes over the sustained rate, and the latencies of both memories."""
    lower, hbm, clock_mhz = board.tier(source), board.tier("hbm"), board.clock_mhz.value
    rate = lower.channels * bytes_per_cycle(lower, clock_mhz, _BEAT_BYTES) * clock_mhz / 1e3
    return size_bytes / rate / 1e9 + (lower.latency_ns + hbm.response_ns) / 1e9
