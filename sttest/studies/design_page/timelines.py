"""What each process did over a run, and how long each FIFO was full, as far as a page draws it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sttest.sim import Actor
from sttest.sim.export import COMPUTE, KINDS, STALL_IN, Stretches, stretches
from sttest.sim.graph import fifo_ends
from sttest.studies.design_page.subject import Subject

FIRST = len(KINDS)
"""Kind of the slice in which a process waits for its first token."""
PARTS = ("busy", "stall_in", "stall_out", "memory", "first")
"""What the cycles of a process are spent on; ``first``, the wait for its first token, is part of ``stall_in``."""


@dataclass(frozen=True)
class DrawnTimeline:
    """A process over the run.

    ``shares``: cycles by :data:`PARTS`, none of actors, whose firings may overlap; ``slices``: its begin, then kind
    (an index into ``KINDS``, or ``FIRST``) and cycles of each slice, without gaps.
    """

    shares: dict[str, int] = field(default_factory=dict[str, int])
    slices: list[int] = field(default_factory=list[int])


def timelines(subject: Subject, most: int, say: Callable[[str], None]) -> list[DrawnTimeline]:
    """The timeline of each process, in the order of the graph.

    Args:
        subject: design and its run.
        most: slices per process; of more, sums over windows of time are kept.
        say: callback that gets a line of progress.
    """
    if subject.shown is None:
        return [DrawnTimeline() for _ in subject.graph.processes]
    made = list[DrawnTimeline]()
    for number, begun in enumerate(_first_accesses(subject)):
        say(f"drawing process {number + 1:,} of {len(subject.graph.processes):,}")
        made.append(_timeline(subject, number, begun, most))
    return made


def _timeline(subject: Subject, number: int, begun: int, most: int) -> DrawnTimeline:
    done = _stretches(subject, number)
    if isinstance(subject.graph.processes[number], Actor):
        return DrawnTimeline({}, _packed(done.slices(most)))
    if not (done.kind.size and done.kind[0] == STALL_IN and done.start[0] < begun):
        return DrawnTimeline(dict(zip(PARTS, [*done.totals(), 0], strict=True)), _packed(done.slices(most)))
    begin, end = int(done.start[0]), int(done.end[0])
    head = [(done.begin, begin, COMPUTE)] if begin > done.begin else []
    rest = replace(done, begin=end, start=done.start[1:], end=done.end[1:], kind=done.kind[1:])
    slices = [*head, (begin, end, FIRST), *rest.slices(most)]
    return DrawnTimeline(dict(zip(PARTS, [*done.totals(), end - begin], strict=True)), _packed(slices))


def _stretches(subject: Subject, number: int) -> Stretches:
    graph, run = subject.graph, subject.shown
    assert run is not None
    assert run.record is not None
    waits = () if run.deadlock is None else run.deadlock.cycle
    is_write = any(wait.waits_to == "write" for wait in waits if wait.process == graph.processes[number].name)
    return stretches(graph, run.record, number, subject.end, waits_to_write=is_write)


def _first_accesses(subject: Subject) -> list[int]:
    """Cycle of each process's first access to a FIFO; the end of the run where there is none."""
    assert subject.shown is not None
    assert subject.shown.record is not None
    first, record = [subject.end] * len(subject.graph.processes), subject.shown.record
    for end, writes, reads in zip(fifo_ends(subject.graph), record.writes, record.reads, strict=True):
        for number, times in ((end.writer, writes), (end.reader, reads)):
            if times.size:
                first[number] = min(first[number], int(times[0]))
    return first


def _packed(slices: Sequence[tuple[int, int, int]]) -> list[int]:
    return [slices[0][0], *(value for start, end, kind in slices for value in (kind, end - start))] if slices else []


def full_cycles(subject: Subject, index: int) -> int | None:
    """Cycles of the run in which a FIFO held as much as it can; None where no run is drawn.

    It is full from the write of each token to the cycle after the read of the one that came ``depth - 1`` before.
    """
    shown, fifo = subject.shown, subject.graph.fifos[index]
    if shown is None or shown.record is None:
        return None
    writes, reads = shown.record.writes[index], shown.record.reads[index]
    came = np.concatenate([np.zeros(fifo.initial_tokens, np.int64), writes])[fifo.depth - 1 :]
    left = np.concatenate([reads + 1, np.full(max(came.size - reads.size, 0), subject.end, np.int64)])[: came.size]
    return int(np.maximum(np.minimum(left, subject.end) - came, 0).sum())
