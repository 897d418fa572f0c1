"""How a memory port cuts its byte stream into bursts, and when each byte of one is there."""

from collections import Counter
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace

from sttest.core.errors import InputError
from sttest.sim.graph import Channel, MemoryPort, Process, TimedGraph


def ceil_div(number: int, divisor: int) -> int:
    """Division of whole numbers, rounded up."""
    return -(-number // divisor)


@dataclass(frozen=True)
class BurstPlan:
    """Burst i holds bytes [i, i + 1) * ``burst_bytes`` of the stream and goes to ``channels[i % len(channels)]``."""

    tokens: int
    token_bytes: int
    burst_bytes: int
    window: int
    start: int
    channels: tuple[Channel, ...]

    @property
    def total_bytes(self) -> int:
        """Bytes of the whole stream."""
        return self.tokens * self.token_bytes

    @property
    def bursts(self) -> int:
        """Bursts of the whole stream; the last may be short."""
        return ceil_div(self.total_bytes, self.burst_bytes)

    def channel(self, burst: int) -> Channel:
        """The channel that a burst goes to."""
        return self.channels[burst % len(self.channels)]

    def beats(self, burst: int) -> int:
        """Beats that a burst takes on its channel."""
        size = min(self.burst_bytes, self.total_bytes - burst * self.burst_bytes)
        return ceil_div(size, self.channel(burst).beat_bytes)

    def occupancy_cycles(self, burst: int) -> int:
        """Cycles for which a burst occupies its channel."""
        return self._cycles(burst, self.beats(burst))

    def bursts_of(self, token: int) -> range:
        """The bursts that hold bytes of a token."""
        first = token * self.token_bytes // self.burst_bytes
        return range(first, ceil_div((token + 1) * self.token_bytes, self.burst_bytes))

    def bursts_done(self, tokens: int) -> int:
        """Bursts all of whose bytes lie in the first ``tokens`` tokens."""
        return self.bursts if tokens == self.tokens else tokens * self.token_bytes // self.burst_bytes

    def arrival_delay(self, burst: int, token: int) -> int:
        """Cycles from a burst's start on its channel to the arrival of the last byte of the token that it holds."""
        end = min((token + 1) * self.token_bytes, (burst + 1) * self.burst_bytes)
        last_beat = (end - 1 - burst * self.burst_bytes) // self.channel(burst).beat_bytes
        return self.channel(burst).latency + self._cycles(burst, last_beat + 1)

    def response_delay(self, burst: int) -> int:
        """Cycles from a write burst's start on its channel to its response."""
        return self.occupancy_cycles(burst) + self.channel(burst).latency

    def _cycles(self, burst: int, beats: int) -> int:
        channel = self.channel(burst)
        return ceil_div(beats * channel.beats_den, channel.beats_num)


def burst_plan(port: MemoryPort, channels: dict[str, Channel]) -> BurstPlan:
    """The bursts of a memory port."""
    chosen = tuple(channels[name] for name in port.channels)
    window = port.outstanding * len(chosen)
    return BurstPlan(port.tokens, port.token_bytes, port.burst_bytes, window, port.start, chosen)


# --- Memory ports that share channels, and timed graphs whose ports use other channels than they were made with


def sharing_ports(graph: TimedGraph) -> tuple[str, ...]:
    """The memory ports that share a channel with another port.

    A shared channel takes requests in the order in which they come, so that a deeper FIFO may make something later.
    """
    ports = [process for process in graph.processes if isinstance(process, MemoryPort)]
    users = Counter(name for port in ports for name in set(port.channels))
    return tuple(port.name for port in ports if any(users[name] > 1 for name in port.channels))


def with_own_channels(graph: TimedGraph) -> TimedGraph:
    """The same graph, each port with copies of its channels.

    Nothing happens later there: a burst waits for those of its own port alone, and all times are monotone.
    """
    if not sharing_ports(graph):
        return graph
    index = {channel.name: number for number, channel in enumerate(graph.channels)}
    channels: dict[str, Channel] = {}
    processes: list[Process] = []
    for number, process in enumerate(graph.processes):
        if isinstance(process, MemoryPort):
            own = tuple(f"{number}.{index[name]}" for name in process.channels)
            copies = {name: graph.channels[index[old]] for name, old in zip(own, process.channels, strict=True)}
            channels |= {name: replace(channel, name=name) for name, channel in copies.items()}
            process = replace(process, channels=own)
        processes.append(process)
    # Checked before; the limit of channels is for what somebody gives.
    changed = copy(graph)
    object.__setattr__(changed, "processes", tuple(processes))
    object.__setattr__(changed, "channels", tuple(channels.values()))
    return changed


def relinked(graph: TimedGraph, channel_of: Mapping[str, Channel]) -> TimedGraph:
    """The graph with one channel per port.

    Args:
        graph: graph with memory ports.
        channel_of: channel per port.

    Raises:
        InputError: a port without a channel.
    """
    ports = [process.name for process in graph.processes if isinstance(process, MemoryPort)]
    missing = [name for name in ports if name not in channel_of]
    if missing:
        raise InputError("unlinked-port", f"port '{missing[0]}' has no channel", where=graph.name)
    processes = tuple(
        replace(process, channels=(channel_of[process.name].name,)) if isinstance(process, MemoryPort) else process
        for process in graph.processes
    )
    used = {channel.name: channel for channel in (channel_of[name] for name in ports)}
    channels = tuple(used[name] for name in sorted(used, key=memory_and_number))
    return replace(graph, processes=processes, channels=channels)


# --- Names of channels: the memory that they are of, and their number there


HBM = "hbm"


def channel_name(number: int, memory: str = HBM) -> str:
    """What compiled designs call a channel of a memory."""
    return f"{memory}{number}"


def memory_and_number(name: str) -> tuple[str, int]:
    """What :func:`channel_name` made a name of.

    >>> memory_and_number("ddr1")
    ('ddr', 1)
    """
    memory = name.rstrip("0123456789")
    return memory, int(name.removeprefix(memory))
