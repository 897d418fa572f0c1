"""What a run of the hardware gave."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Blocked:
    """A process that stood still at the end: it needed ``need`` tokens or places of a FIFO that had ``have``.

    ``fifo`` is empty where it waited for memory.
    """

    process: str
    waits_to: str
    fifo: str
    need: int
    have: int


@dataclass(frozen=True)
class Violation:
    """A failed assertion: a reader got token ``got``, -1 for none, where ``expected`` was due."""

    fifo: str
    got: int
    expected: int
    cycle: int


@dataclass(frozen=True)
class RtlRun:
    """One graph, run.

    ``verdict``: ``done``, ``deadlock``, or ``limit`` where the clock edges did not suffice; ``cycles``: the latest
    finish, None unless done; ``finish``: cycle per process, None where it never did; ``writes``, ``reads``: int64
    cycles per FIFO, one entry per token; ``blocked``: who stood still in a deadlock; ``violations``: of the order
    of tokens; ``build_s``, ``run_s``: seconds, of the whole folder.
    """

    name: str
    simulator: str
    verdict: str
    cycles: int | None
    finish: dict[str, int | None]
    writes: dict[str, np.ndarray] = field(repr=False)
    reads: dict[str, np.ndarray] = field(repr=False)
    blocked: tuple[Blocked, ...] = ()
    violations: tuple[Violation, ...] = ()
    build_s: float = 0.0
    run_s: float = 0.0

    @property
    def fifo_events(self) -> int:
        """Tokens written and read."""
        return sum(times.size for times in (*self.writes.values(), *self.reads.values()))
