"""A FIFO in simulated time: its token times, and at most one process waiting on either side."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from simpy import Environment, Event
from simpy.events import EventPriority

from sttest.sim.graph import Fifo

BEFORE_TIME = -(1 << 62)
"""Write time of tokens that are there at the start."""


class Wake(Event):
    """An event whose time is set once it is known."""

    def fire_at(self, cycle: int, priority: int = 1) -> None:
        """Triggers the event at ``cycle``, now or later; within a cycle, after those of lower ``priority``."""
        self._ok = True
        self._value = None
        self.env.schedule(self, EventPriority(priority), cycle - self.env.now)


def now_of(env: Environment) -> int:
    """The present cycle; all delays here are whole, so that it is."""
    return int(env.now)


def call_at(env: Environment, cycle: int, action: Callable[[], None]) -> None:
    """Calls ``action`` at ``cycle``, now or later."""
    wake = Wake(env)
    wake.callbacks.append(lambda _: action())
    wake.fire_at(cycle)


class FifoState:
    """Times of all writes and reads so far (of an actor: of its ends), under the FIFO law.

    ``taken`` and ``claimed`` count what actors have taken or claimed at the start of their firings.
    """

    __slots__ = (
        "claimed",
        "claims",
        "depth",
        "env",
        "raw",
        "reader",
        "reader_floor",
        "reader_need",
        "reads",
        "taken",
        "war",
        "writer",
        "writer_floor",
        "writer_need",
        "writes",
    )

    def __init__(self, env: Environment, fifo: Fifo, depth: int, between_actors: bool) -> None:
        self.env = env
        self.depth = depth
        self.raw = 0 if between_actors else fifo.read_after_write_cycles
        self.war = 0 if between_actors else 1
        self.writes = array("q", [BEFORE_TIME]) * fifo.initial_tokens
        self.reads = array("q")
        self.claims = array("q")
        self.taken = 0
        self.claimed = fifo.initial_tokens
        self.reader: Wake | None = None
        self.writer: Wake | None = None
        self.reader_need = self.reader_floor = self.writer_need = self.writer_floor = 0

    def await_tokens(self, need: int, floor: int) -> Wake:
        """Fires when ``need`` tokens have been written and the last of them is readable, not before ``floor``."""
        self.reader = Wake(self.env)
        self.reader_need, self.reader_floor = need, floor
        return self.reader

    def await_space(self, need: int, floor: int) -> Wake:
        """Fires when ``need`` tokens have been read and their space is usable, not before ``floor``."""
        self.writer = Wake(self.env)
        self.writer_need, self.writer_floor = need, floor
        return self.writer

    def wake_reader(self, now: int) -> None:
        """To be called after writes, where a reader waits."""
        if self.reader is not None and len(self.writes) >= self.reader_need:
            self.reader.fire_at(max(now + self.raw, self.reader_floor))
            self.reader = None

    def wake_writer(self, now: int) -> None:
        """To be called after reads, where a writer waits."""
        if self.writer is not None and len(self.reads) >= self.writer_need:
            self.writer.fire_at(max(now + self.war, self.writer_floor))
            self.writer = None
