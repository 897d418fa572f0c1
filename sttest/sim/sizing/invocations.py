"""A design that is started again and again: the next invocation enters while the last still drains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sttest.errors import InputError
from sttest.sim.bursts import burst_plan
from sttest.sim.checks import check_whole
from sttest.sim.flat import flatten
from sttest.sim.graph import Actor, Channel, Memory, Process, TimedGraph

MAX_INVOCATIONS = 1 << 20


def back_to_back(graph: TimedGraph, invocations: int) -> TimedGraph:
    """The same design, every process of which runs its program so many times, as soon as it can.

    A memory port streams on: where a run of it doesn't end with a whole burst on its last channel, the bursts of
    the next one lie otherwise than in a run of its own, see :func:`inexact_ports`.

    Args:
        graph: finite.
        invocations: at least 1.

    Raises:
        InputError: a FIFO doesn't hold as many tokens after a run as before, or actors fire for ever.
    """
    check_whole(invocations, "number of invocations", graph.name, 1, MAX_INVOCATIONS)
    if invocations == 1:
        return graph
    if any(isinstance(process, Actor) and process.firings is None for process in graph.processes):
        raise InputError("endless", "actors that fire for ever have no invocations", where=graph.name)
    _check_balanced(graph)
    return replace(graph, processes=tuple(_repeated(process, invocations) for process in graph.processes))


def inexact_ports(graph: TimedGraph) -> list[str]:
    """Memory ports whose run doesn't end with a whole burst on the last of its channels."""
    channels = {channel.name: channel for channel in graph.channels}
    ports = [process for process in graph.processes if isinstance(process, Memory)]
    return [port.name for port in ports if not _ends_whole(_streaming_on(port, 1), channels)]


def _ends_whole(port: Memory, channels: dict[str, Channel]) -> bool:
    plan = burst_plan(port, channels)
    return plan.total_bytes % plan.burst_bytes == 0 and plan.bursts % len(plan.channels) == 0


def _check_balanced(graph: TimedGraph) -> None:
    tokens = flatten(graph).tokens
    wrong = np.flatnonzero(tokens[::2] != tokens[1::2])
    if wrong.size:
        fifo = int(wrong[0])
        what = f"a run writes {tokens[2 * fifo + 1]} tokens and reads {tokens[2 * fifo]}, so it can't be run again"
        raise InputError("unbalanced", what, where=f"{graph.name}: FIFO '{graph.fifos[fifo].name}'")


def _repeated(process: Process, invocations: int) -> Process:
    if isinstance(process, Memory):
        return _streaming_on(process, invocations)
    if isinstance(process, Actor):
        return replace(process, firings=(process.firings or 0) * invocations)
    return replace(process, repeat=process.repeat * invocations)


def _streaming_on(port: Memory, invocations: int) -> Memory:
    """A run of less than a burst keeps to bursts of its own."""
    run_bytes = port.tokens * port.token_bytes
    return replace(port, tokens=port.tokens * invocations, burst_bytes=min(port.burst_bytes, run_bytes))
