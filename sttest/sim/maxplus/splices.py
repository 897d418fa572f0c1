"""What was jumped over in a run, and how to put it back in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sttest.sim.maxplus.arrays import UNKNOWN, Net


@dataclass(frozen=True)
class Splice:
    """A jump over periods: of each FIFO ``periods`` of ``cycles`` cycles, of ports ``port_periods``, ``port_cycles``.

    ``written``, ``read``: tokens of each FIFO before it; ``writes``, ``reads``: per period; ``requested``,
    ``requests``: bursts of each port before it, and per period.
    """

    periods: np.ndarray
    cycles: np.ndarray
    written: np.ndarray
    read: np.ndarray
    writes: np.ndarray
    reads: np.ndarray
    requested: np.ndarray
    requests: np.ndarray
    port_periods: int
    port_cycles: int

    def fill_in(self, net: Net) -> None:
        """Writes the times that were skipped; earlier jumps must have been filled in."""
        for first, before, passed in (
            ("write_first", self.written, self.writes),
            ("read_first", self.read, self.reads),
        ):
            for fifo in np.flatnonzero(passed).tolist():
                start = int(net.fifos[first][fifo] + before[fifo])
                _repeat(net.times, start, int(passed[fifo]), int(self.periods[fifo]), int(self.cycles[fifo]))
        for port in np.flatnonzero(self.requests).tolist():
            self._fill_in_bursts(net, port)

    def _fill_in_bursts(self, net: Net, port: int) -> None:
        """Starts that are known already stay: images of bursts that waited for their turn at the jump got it later."""
        count, periods = int(self.requests[port]), self.port_periods
        first = int(net.ports["burst_first"][port] + self.requested[port])
        _repeat(net.bursts["request"], first, count, periods, self.port_cycles)
        starts = net.bursts["start"]
        skipped = starts[first : first + periods * count]
        known = skipped.copy()
        _repeat(starts, first, count, periods, self.port_cycles)
        skipped[:] = np.where(known == UNKNOWN, skipped, known)


def _repeat(times: np.ndarray, first: int, count: int, periods: int, cycles: int) -> None:
    """What comes from ``first`` on is what is before it, later and later."""
    later = cycles * np.arange(1, periods + 1)
    times[first : first + periods * count] = (later[:, None] + times[first - count : first]).ravel()
