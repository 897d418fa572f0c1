"""A timed graph whose memory ports use other channels than it was made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sttest.errors import InputError
from sttest.sim.graph import Memory, TimedGraph


def relinked(graph: TimedGraph, channel_of: Mapping[str, int]) -> TimedGraph:
    """The graph with one channel per port, all channels as the first one is.

    Args:
        graph: with memory ports.
        channel_of: number per port.

    Raises:
        InputError: a port without a channel.
    """
    ports = [process.name for process in graph.processes if isinstance(process, Memory)]
    missing = [name for name in ports if name not in channel_of]
    if missing:
        raise InputError("unlinked-port", f"port '{missing[0]}' has no channel", where=graph.name)
    processes = tuple(
        replace(process, channels=(channel_name(channel_of[process.name]),)) if isinstance(process, Memory) else process
        for process in graph.processes
    )
    used = sorted({channel_of[name] for name in ports})
    channels = tuple(replace(graph.channels[0], name=channel_name(number)) for number in used)
    return replace(graph, processes=processes, channels=channels)


def channel_name(number: int) -> str:
    """What compiled designs call a pseudo-channel."""
    return f"hbm{number}"


def channel_number(name: str) -> int:
    """The number in a name that :func:`channel_name` gave."""
    return int(name.removeprefix("hbm"))
