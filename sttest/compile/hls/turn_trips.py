"""Trip counts of a task, or of the tasks that one function serves in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from sttest.compile.dialects.df import TaskOp
from sttest.compile.hls.timing import KernelTiming
from sttest.compile.hls.writer import CountedLoop
from sttest.errors import InputError


@dataclass(frozen=True)
class TurnTrips:
    """How often each tile loop runs: a number, or a parameter where the tasks differ.

    Attributes:
        members: one task, or those of an engine.
        timing: where their pipelines drain.
    """

    members: Sequence[TaskOp]
    timing: KernelTiming

    def is_loop(self, loop: int) -> bool:
        """Whether any of them iterates it."""
        return max(self._counts(loop)) > 1

    def last(self, loop: int) -> str:
        """The index of its last iteration."""
        return f"{self.name(loop)} - 1" if self.varies(loop) else str(self._counts(loop)[0] - 1)

    def varies(self, loop: int) -> bool:
        """Whether the tasks differ in it."""
        return len({*self._counts(loop)}) > 1

    def name(self, loop: int) -> str:
        """The parameter of a loop that varies."""
        return f"trips_{loop}"

    @property
    def varying(self) -> list[int]:
        """The loops that are told to a turn."""
        return [loop for loop in range(len(self.members[0].trip_counts)) if self.varies(loop)]

    @property
    def loops(self) -> tuple[list[CountedLoop], list[CountedLoop]]:
        """The tile loops that the pipeline is left for, and those inside it."""
        depth = self._left_loops()
        every = [self._loop(loop) for loop in range(len(self.members[0].trip_counts)) if self.is_loop(loop)]
        outside = sum(self.is_loop(loop) for loop in range(depth))
        return every[:outside], every[outside:]

    def _loop(self, loop: int) -> CountedLoop:
        counts = self._counts(loop)
        bound = self.name(loop) if self.varies(loop) else ""
        return CountedLoop(f"tiles_{loop}", f"t{loop}", max(counts), bound, min(counts))

    def _counts(self, loop: int) -> list[int]:
        return [member.trip_counts[loop] for member in self.members]

    def _left_loops(self) -> int:
        """As in the timed graph: the loops that any of them must leave."""
        return max(map(self._left_of, self.members))

    def _left_of(self, member: TaskOp) -> int:
        trips, passes = member.trip_counts, self.timing.passes[member.sym_name.data]
        return next((n for n in range(len(trips) + 1) if prod(trips[:n]) == passes), 0)


def largest(members: Sequence[TaskOp]) -> TaskOp:
    """The task whose arrays hold those of all others: running tiles are kept per iteration of some loops.

    Raises:
        InputError: there is none.
    """
    first = max(members, key=lambda task: [task.trip_counts[loop] for loop in task.held_loops])
    for member in members:
        sizes = zip(member.held_loops, first.held_loops, strict=False)
        same = len(member.held_loops) <= len(first.held_loops)
        if not same or any(m != f or member.trip_counts[m] > first.trip_counts[f] for m, f in sizes):
            raise InputError(
                "engine-arrays", "its tasks keep running tiles of different loops", where=_engine(member),
                levers=["share fewer tasks"],
            )  # fmt: skip
    return first


def _engine(task: TaskOp) -> str:
    return (task.engine or task.sym_name).data
