"""A tree of a design's processes, so that people can read a graph of thousands: each level has few entries.

Processes belong together that come from the same operation of the model; a fork, converter or memory port belongs
to what it serves.  Without origins, names that differ in their numbers do; without those, neighbors in the order of
the dataflow.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from sttest.core.directed_graph import strong_parts
from sttest.sim import MemoryPort, TimedGraph
from sttest.sim.graph import fifo_ends

FLAT = 40
"""Processes up to which there are no groups."""
MOST = 40
"""Entries of a level."""
_NUMBERS = re.compile(r"[_\-.\[( ]*\d.*$")
MAX_LABEL_CHARS = 60


@dataclass(frozen=True)
class Group:
    """Processes (by their numbers) and groups under one label; ``about`` is the label in full."""

    label: str
    about: str
    entries: "tuple[int | Group, ...]"
    ends: tuple[str, str] | None = None  # first and last of neighbors put together

    def members(self) -> list[int]:
        """All processes below it."""
        return [number for entry in self.entries for number in _members(entry)]


Entry = int | Group


def tree(graph: TimedGraph, shown: Sequence[int]) -> tuple[Entry, ...]:
    """The top level.

    Args:
        graph: graph of the processes.
        shown: numbers of the processes that are shown.
    """
    level = _levels(graph)
    numbers = sorted(shown, key=lambda number: (level[number], number))
    if len(numbers) <= FLAT:
        return tuple(numbers)
    labels = _by_origin(graph) or _by_name(graph, numbers)
    if labels is None:
        return _in_chunks(graph, list(numbers))
    by_label: dict[str, list[Entry]] = {}
    for number in numbers:
        by_label.setdefault(labels[number], []).append(number)
    entries: list[Entry] = [
        members[0] if len(members) == 1 else Group(_short(label), label, _in_chunks(graph, members))
        for label, members in by_label.items()
    ]
    entries.sort(key=lambda entry: max(level[number] for number in _members(entry)))
    return _in_chunks(graph, entries)


def _members(entry: Entry) -> list[int]:
    return [entry] if isinstance(entry, int) else entry.members()


def _levels(graph: TimedGraph) -> list[int]:
    """FIFOs on the longest way to each process; processes of a cycle count as one."""
    ends = fifo_ends(graph)
    parts = strong_parts(len(graph.processes), ((end.writer, end.reader) for end in ends))
    level = [0] * (max(parts) + 1)
    # A part has a smaller number than those that lead to it.
    for source, target in sorted({(parts[end.writer], parts[end.reader]) for end in ends}, reverse=True):
        if source != target:
            level[target] = max(level[target], level[source] + 1)
    return [level[part] for part in parts]


def _by_origin(graph: TimedGraph) -> list[str] | None:
    """The operation of each process: its own, else of the nearest before it, else of the nearest after it."""
    labels = ["" if isinstance(process, MemoryPort) else process.origin for process in graph.processes]
    if len(set(labels) - {""}) < 2:
        return None
    after: list[list[int]] = [[] for _ in labels]
    before: list[list[int]] = [[] for _ in labels]
    for end in fifo_ends(graph):
        after[end.writer].append(end.reader)
        before[end.reader].append(end.writer)
    for neighbors in (after, before, after):
        _spread(labels, neighbors)
    return [label or "others" for label in labels]


def _spread(labels: list[str], neighbors: list[list[int]]) -> None:
    waiting = deque(number for number, label in enumerate(labels) if label)
    while waiting:
        number = waiting.popleft()
        for other in neighbors[number]:
            if not labels[other]:
                labels[other] = labels[number]
                waiting.append(other)


def _by_name(graph: TimedGraph, numbers: Sequence[int]) -> list[str] | None:
    """Names up to their first number, if those make groups."""
    stems = [_NUMBERS.sub("", process.name) or process.name for process in graph.processes]
    count = len({stems[number] for number in numbers})
    return stems if 2 <= count <= len(numbers) // 2 else None


def _in_chunks(graph: TimedGraph, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Neighbors put together until the level has few entries."""
    level = list(entries)
    while len(level) > MOST:
        size = max(2, min(MOST, -(-len(level) // MOST)))
        level = [_chunk(graph, level[first : first + size]) for first in range(0, len(level), size)]
    return tuple(level)


def _chunk(graph: TimedGraph, entries: Sequence[Entry]) -> Entry:
    if len(entries) == 1:
        return entries[0]
    ends = _ends(graph, entries[0])[0], _ends(graph, entries[-1])[1]
    label = " to ".join(ends)
    return Group(_short(label), label, tuple(entries), ends)


def _ends(graph: TimedGraph, entry: Entry) -> tuple[str, str]:
    if isinstance(entry, int):
        name = graph.processes[entry].name
        return name, name
    return entry.ends or (entry.label, entry.label)


def _short(label: str) -> str:
    """Of several operations the first and how many more, cut to a length that fits a box."""
    first, *more = label.split(", ")
    text = f"{first} and {len(more)} more" if more else label
    return text if len(text) <= MAX_LABEL_CHARS else f"{text[: MAX_LABEL_CHARS - 1]}…"
