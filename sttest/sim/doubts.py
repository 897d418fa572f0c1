"""What a timed graph says and no design means: notes beside a verdict, which holds for the graph as it is written."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from sttest.sim.graph import MAX_DEPTH, Actor, Loop, MemoryPort, Pipeline, Process, TimedGraph

OPEN_SIZE = "size $"
"""How the origin of a FIFO begins whose size is to be filled in."""
MOST_NAMED = 5
"""Notes of a kind; of more, their number is told."""


def doubts(graph: TimedGraph, *, is_done: bool) -> list[str]:
    """Notes on a graph that was run, a sentence each.

    Args:
        graph: the graph.
        is_done: whether all its processes finished, so that what is left in a FIFO stays there.
    """
    kinds = [_wide_tokens(graph), _open_sizes(graph)]
    if is_done and not graph.is_endless:
        kinds.append(_unread(graph))
    found = list[str]()
    for notes in map(list, kinds):
        found += notes[:MOST_NAMED]
        if len(notes) > MOST_NAMED:
            found.append(f"{len(notes) - MOST_NAMED:,} more like this")
    return found


def _ports(graph: TimedGraph) -> Iterator[MemoryPort]:
    return (process for process in graph.processes if isinstance(process, MemoryPort))


def _wide_tokens(graph: TimedGraph) -> Iterator[str]:
    for port in _ports(graph):
        bits = graph.fifos[graph.fifo_index[port.fifo]].bits
        if port.token_bytes > -(-bits // 8):
            yield (
                f"port '{port.name}' moves tokens of {port.token_bytes:,} bytes, of which FIFO '{port.fifo}' carries "
                f"{bits:,} bits"
            )


def _open_sizes(graph: TimedGraph) -> Iterator[str]:
    for fifo in graph.fifos:
        if fifo.origin.startswith(OPEN_SIZE) and fifo.depth == MAX_DEPTH:
            yield f"FIFO '{fifo.name}' is taken as never full: {fifo.origin} is no number, which --depth can give"


def _unread(graph: TimedGraph) -> Iterator[str]:
    left = Counter[str]()
    for process in graph.processes:
        for name, op, tokens in _moved(graph, process):
            left[name] += tokens if op == "write" else -tokens
    for fifo in graph.fifos:
        if left[fifo.name] > 0:
            tokens = "1 token that is" if left[fifo.name] == 1 else f"{left[fifo.name]:,} tokens that are"
            yield f"FIFO '{fifo.name}' keeps {tokens} written and never read"


def _moved(graph: TimedGraph, process: Process) -> Iterator[tuple[str, str, int]]:
    """FIFO, operation and tokens of all accesses that a process makes."""
    if isinstance(process, MemoryPort):
        yield process.fifo, "write" if process.op == "read" else "read", process.tokens
    elif isinstance(process, Actor):
        yield from _fired(process)
    else:
        yield from ((name, op, tokens * process.repeat) for name, op, tokens in _of_one_run(graph, process))


def _fired(actor: Actor) -> Iterator[tuple[str, str, int]]:
    rounds, rest = divmod(actor.firings or 0, len(actor.phases))
    for number, phase in enumerate(actor.phases):
        times = rounds + (number < rest)
        yield from ((name, "read", tokens * times) for name, tokens in phase.reads.items())
        yield from ((name, "write", tokens * times) for name, tokens in phase.writes.items())


def _of_one_run(graph: TimedGraph, pipeline: Pipeline) -> Iterator[tuple[str, str, int]]:
    if pipeline.trace is not None:
        counts = np.bincount(pipeline.trace.op, minlength=0)
        for op in np.flatnonzero(counts).tolist():
            yield graph.fifos[op // 2].name, "write" if op % 2 else "read", int(counts[op])
    for loop in pipeline.loops:
        for event in loop.events:
            yield event.fifo, event.op, event.tokens * _times(loop, event.when)


def _times(loop: Loop, when: tuple[int | tuple[int, int, int] | None, ...]) -> int:
    """Iterations of a loop in which an event happens."""
    if not when:
        return loop.iterations
    count = 1
    for each, trips in zip(when, loop.trips, strict=True):
        first, last, step = each if isinstance(each, tuple) else (0, trips - 1, 1) if each is None else (each, each, 1)
        count *= (last - first) // step + 1
    return count
