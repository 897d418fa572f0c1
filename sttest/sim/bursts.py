"""How a memory port cuts its byte stream into bursts, where they go, and when each byte of one is there."""

from collections import Counter
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sttest.core.errors import InputError
from sttest.sim.graph import Channel, MemoryPort, Process, TimedGraph


def ceil_div(number: int, divisor: int) -> int:
    """Division of whole numbers, rounded up."""
    return -(-number // divisor)


_MASK = (1 << 32) - 1


def scattered(burst: int) -> int:
    """Where a burst of a random port goes, as a number of 32 bits: the same in every engine and in RTL."""
    mixed = burst & _MASK
    for _ in range(2):
        mixed = (mixed ^ mixed >> 16) * 0x45D9F3B & _MASK
    return mixed ^ mixed >> 16


@dataclass(frozen=True)
class Taken:
    """A burst that its channel has taken: in which ``cycle``, how many units of it later (``rest``), and when it is

    ``due``: a read from whose cycle on its beats come, so many units ``late``, of a write the cycle of its response.
    """

    cycle: int
    rest: int
    due: int
    late: int

    @classmethod
    def of(cls, row: np.ndarray) -> "Taken":
        """A row of ``RunRecord.bursts``."""
        return cls(*row[1:].tolist())


@dataclass(frozen=True)
class BurstPlan:
    """How a port's stream is cut: burst i holds bytes [i, i + 1) * ``burst_bytes`` of it."""

    tokens: int
    token_bytes: int
    burst_bytes: int
    window: int
    start: int
    channels: tuple[Channel, ...]
    writes: bool
    random: bool
    one_id: bool
    gap: int
    early: bool

    @property
    def total_bytes(self) -> int:
        """Bytes of the whole stream."""
        return self.tokens * self.token_bytes

    @cached_property
    def bursts(self) -> int:
        """Bursts of the whole stream; the last may be short."""
        return ceil_div(self.total_bytes, self.burst_bytes)

    def lane(self, burst: int) -> int:
        """Which of the port's channels a burst goes to."""
        lanes = len(self.channels)
        if lanes == 1:
            return 0
        if self.random:
            return scattered(burst) % lanes
        return burst * lanes // self.bursts if self.one_id else burst % lanes

    def lanes(self, bursts: int) -> np.ndarray:
        """:meth:`lane` of the first bursts, int64[n]."""
        if len(self.channels) == 1:
            return np.zeros(bursts, np.int64)
        return np.fromiter(map(self.lane, range(bursts)), np.int64, bursts)

    def channel(self, burst: int) -> Channel:
        """The channel that a burst goes to."""
        return self.channels[self.lane(burst)]

    def occupancy_units(self, burst: int) -> int:
        """Units of 1/``beats_num`` cycle for which a burst occupies its channel."""
        return self.units_on(self.channel(burst), self._size(burst))

    def units_on(self, channel: Channel, size: int) -> int:
        """The same of a burst of so many bytes on a channel."""
        units = ceil_div(size, channel.beat_bytes) * channel.units_per_beat(writes=self.writes)
        if not self.random:
            return units
        return max(units, channel.random_short if size <= channel.random_bytes else channel.random_long)

    def bursts_of(self, token: int) -> range:
        """The bursts that hold bytes of a token."""
        first = token * self.token_bytes // self.burst_bytes
        return range(first, ceil_div((token + 1) * self.token_bytes, self.burst_bytes))

    def bursts_done(self, tokens: int) -> int:
        """Bursts all of whose bytes lie in the first ``tokens`` tokens."""
        return self.bursts if tokens == self.tokens else tokens * self.token_bytes // self.burst_bytes

    def last_token(self, burst: int) -> int:
        """The token that holds the last byte of a burst."""
        return (min((burst + 1) * self.burst_bytes, self.total_bytes) - 1) // self.token_bytes

    def gap_before(self, token: int) -> int:
        """Cycles without data before a token, after the bursts that the one before completed."""
        return self.gap * (self.bursts_done(token) - self.bursts_done(token - 1)) if token > 0 else 0

    def gaps(self) -> np.ndarray:
        """:meth:`gap_before` of all tokens, int64[tokens]."""
        done = np.arange(self.tokens, dtype=np.int64) * self.token_bytes // self.burst_bytes
        return self.gap * np.diff(done, prepend=0)

    def arrival(self, burst: int, token: int, taken: Taken) -> int:
        """Cycle in which the last byte of a token that a read burst holds is there."""
        end = min((token + 1) * self.token_bytes, (burst + 1) * self.burst_bytes)
        channel = self.channel(burst)
        beats = (end - 1 - burst * self.burst_bytes) // channel.beat_bytes + 1
        return taken.due + ceil_div(taken.late + beats * channel.beats_den, channel.beats_num)

    def end(self, burst: int, taken: Taken) -> int:
        """First cycle by which the channel is done with a burst whose data were there."""
        units = taken.rest + self.occupancy_units(burst)
        return taken.cycle + max(1, ceil_div(units, self.channel(burst).beats_num))

    def _size(self, burst: int) -> int:
        return min(self.burst_bytes, self.total_bytes - burst * self.burst_bytes)


def burst_plan(port: MemoryPort, channels: Mapping[str, Channel]) -> BurstPlan:
    """The bursts of a memory port."""
    chosen = tuple(channels[name] for name in port.channels)
    is_random = port.pattern == "random"
    return BurstPlan(
        port.tokens, port.token_bytes, port.burst_bytes, port.outstanding, port.start, chosen,
        writes=port.op == "write", random=is_random, one_id=port.ids == "one",
        gap=port.gap, early=port.early,
    )  # fmt: skip


class ChannelClock:
    """When a channel is free: after its last burst, in units of 1/``beats_num`` cycle."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.free = NEVER * channel.beats_num

    @property
    def next_cycle(self) -> int:
        """The first cycle in which it may take a burst."""
        return max(0, self.free // self.channel.beats_num)

    def take(self, cycle: int, units: int, *, writes: bool) -> Taken:
        """Takes a burst that occupies it for so many units."""
        num = self.channel.beats_num
        free, begins = self.free, max(cycle * num, self.free)
        self.free = max(begins + units, (cycle + 1) * num)
        delay, busy = self.channel.delay(writes=writes), self.channel.busy_delay(writes=writes)
        # Units and all, or who asks later might be answered sooner.
        due, late = divmod(max(begins + delay * num, free + busy * num), num)
        return Taken(cycle, begins - cycle * num, due, 0 if writes else late)

    def hold(self, cycle: int) -> None:
        """Is not free before a cycle."""
        self.free = max(self.free, cycle * self.channel.beats_num)


NEVER = -(1 << 52)
"""When a channel became free for its first burst: longer ago than any delay."""


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
