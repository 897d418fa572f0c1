"""What was jumped over in a run, and how to put it back in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sttest.sim.maxplus.arrays import UNKNOWN, Net


@dataclass(frozen=True)
class Splice:
    """A jump over ``periods`` periods of ``cycles`` cycles.

    ``written``, ``read``: tokens of each FIFO before it; ``writes``, ``reads``: per period; ``requested``,
    ``requests``: bursts of each port before it, and per period.
    """

    periods: int
    cycles: int
    written: np.ndarray
    read: np.ndarray
    writes: np.ndarray
    reads: np.ndarray
    requested: np.ndarray
    requests: np.ndarray

    def find_starts(self, net: Net) -> None:
        """Bursts that waited for their turn at the jump; to be called for the last jump first."""
        for port in np.flatnonzero(self.requests).tolist():
            count = int(self.requests[port])
            after = int(net.ports["burst_first"][port] + self.requested[port])
            starts, skipped = net.bursts["start"], self.periods * count
            open_turns = after - count + np.flatnonzero(starts[after - count : after] == UNKNOWN)
            starts[open_turns] = starts[open_turns + skipped] - self.periods * self.cycles

    def fill_in(self, net: Net) -> None:
        """Writes the times that were skipped; earlier jumps must have been filled in."""
        for first, before, passed in (
            ("write_first", self.written, self.writes),
            ("read_first", self.read, self.reads),
        ):
            for fifo in np.flatnonzero(passed).tolist():
                self._repeat(net.times, int(net.fifos[first][fifo] + before[fifo]), int(passed[fifo]))
        for port in np.flatnonzero(self.requests).tolist():
            first = int(net.ports["burst_first"][port] + self.requested[port])
            for name in ("request", "start"):
                self._repeat(net.bursts[name], first, int(self.requests[port]))

    def _repeat(self, times: np.ndarray, first: int, count: int) -> None:
        """What comes from ``first`` on is what is before it, later and later."""
        later = self.cycles * np.arange(1, self.periods + 1)
        times[first : first + self.periods * count] = (later[:, None] + times[first - count : first]).ravel()
