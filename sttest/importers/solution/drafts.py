"""Processes while they are put together: their accesses in order, and the tokens by which one waits for another's end.

Such a token is put in the last cycle but one, for it can be read a cycle later.  What a process does in its last cycle
may still hold it up: where it accesses a FIFO then, it puts a second token, which is read a cycle behind the first.
Where it waits in its last cycle for others, whoever waits for it waits for these as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from sttest.sim.graph import MAX_CYCLES

Key: TypeAlias = tuple[str | int, ...]
"""Of a FIFO: ("channel", number, pointer), or a kind of token with the numbers of its ends."""


@dataclass(eq=False)
class Draft:
    """A process that is being put together, or one run of it; events are (stage, whether it writes, FIFO)."""

    number: int
    name: str
    start: int
    origin: str = ""
    starter: "Draft | None" = None  # who puts the token with which it begins
    events: list[tuple[int, bool, Key]] = field(default_factory=list[tuple[int, bool, Key]])
    first: int = MAX_CYCLES  # earliest stage of an event
    end: int = 0  # stage, counted like those of events
    waiter: int | None = None  # number of the process that waits for its end, the first one of several
    waited: "list[tuple[int, End]]" = field(default_factory=list["tuple[int, End]"])  # stages of waits, and for what

    def add(self, stage: int, key: Key, *, is_write: bool) -> None:
        """Adds an event."""
        self.events.append((stage, is_write, key))
        self.first = min(self.first, stage)

    def add_run(self, run: "Draft") -> int:
        """Adds a further run behind the last one, and returns by how much its stages moved."""
        offset = self.end + 1 - run.start
        for stage, is_write, key in run.events:
            self.add(stage + offset, key, is_write=is_write)
        self.end = run.end + offset
        return offset

    def wait(self, stage: int, ends: "Iterable[End]") -> None:
        """Waits at a stage for the ends of other processes."""
        for each in ends:
            if each.stage > each.begin:
                self._take(each.draft, each.stage - 1, stage)
            self.waited.append((stage, each))

    def open_ends(self) -> "list[End]":
        """Of a process whose end is known: those for which whoever waits for it has to wait as well."""
        waited, self.waited = self.waited, []
        for stage, each in waited:
            if stage < self.end and each.has_access:
                self._take(each.draft, each.stage, stage + 1)
        return [each for stage, each in waited if stage + each.has_access >= self.end]

    def _take(self, other: "Draft", put: int, taken: int) -> None:
        """Has another process put a token at one of its stages, which this one takes at one of its own."""
        other.waiter = self.number if other.waiter is None else other.waiter
        key = ("done", other.number) if other.waiter == self.number else ("done", other.number, self.number)
        other.add(put, key, is_write=True)
        self.add(taken, key, is_write=False)

    @property
    def has_access_at_end(self) -> bool:
        """Whether it accesses a FIFO of the design in its last cycle."""
        return any(stage >= self.end and key[0] == "channel" for stage, _, key in self.events)


@dataclass(frozen=True)
class End:
    """The end of a process, or of a run of it: first and last stage, and whether it accesses a FIFO in the last."""

    draft: Draft
    begin: int
    stage: int
    has_access: bool
