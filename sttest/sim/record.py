"""What an engine hands back: every access time, and how far each process came."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Stalls:
    """Cycles that a process stood still, by what held it: its input, its output, or external memory."""

    input_cycles: int = 0
    output_cycles: int = 0
    memory_cycles: int = 0

    @property
    def total(self) -> int:
        """All cycles that the process stood still."""
        return self.input_cycles + self.output_cycles + self.memory_cycles


@dataclass(frozen=True)
class RunRecord:
    """A run of a graph, in the order of its processes and FIFOs.

    ``finish``: cycle, None where a process never does; ``visits``: stage visits done (``sttest.sim.stages``);
    ``writes``, ``reads``: int64 cycles per FIFO, without the tokens that were there at the start;
    ``claims``: int64 cycles at which an actor claimed the space of a token, for FIFOs that actors write;
    ``bursts``: int64[n, 2] per memory port, cycles of each burst's request and of its channel's start;
    ``peaks``: most tokens that each FIFO held, and ``events``, how many writes and reads there were, from an engine
    that doesn't hand back all their times.
    """

    finish: list[int | None]
    visits: list[int]
    stalls: list[Stalls]
    writes: list[np.ndarray]
    reads: list[np.ndarray]
    claims: dict[int, np.ndarray] = field(default_factory=dict)
    bursts: dict[str, np.ndarray] = field(default_factory=dict)
    peaks: list[int] | None = None
    events: int | None = None

    @property
    def fifo_events(self) -> int:
        """Writes and reads in all."""
        return sum(times.size for times in (*self.writes, *self.reads)) if self.events is None else self.events
