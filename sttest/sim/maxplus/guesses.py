"""Where to look for periods: how long the loops take that would be worth jumping over (docs/max-plus.md)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sttest.sim.maxplus.arrays import Net
from sttest.sim.maxplus.levels import LEVEL

_MOST_OF_LOOPS = 6
_MOST_LENGTHS = 10
_LEAST_SHARE = 1 / 64
NO_LEVELS = np.empty(0, LEVEL)


class Guess(NamedTuple):
    """``cycle``: from which on to compare states; ``lengths``: cycles of likely periods, ascending."""

    cycle: int
    lengths: list[int]


class Lately(NamedTuple):
    """Since the last good jump: ``cycles``, the visits of each process, int64[P], and how many of all were ``run``."""

    cycles: int
    visits: np.ndarray
    run: int


class Guesser:
    """Guesses periods of a net from the times of its writes."""

    def __init__(self, stamp: np.ndarray, net: Net, levels: np.ndarray, least_visits: int) -> None:
        """``levels``: the loops around accesses to its FIFOs; ``least_visits``: visits that looking costs."""
        self._stamp, self._net, self._levels, self._least = stamp, net, levels, least_visits
        self._loop_cycles = np.zeros(levels.size, np.int64)
        self._write_cycles, self._write_tokens = (np.zeros(net.fifos.size, np.int64) for _ in range(2))
        self._tried: dict[int, int] = {}

    def forget(self) -> None:
        """Begins anew, after a jump."""
        self._tried.clear()

    def guess(self, cycle: int, since: np.ndarray, lately: Lately) -> Guess | None:
        """Likely periods after a run up to a cycle; ``since``: per FIFO, the token from which on times are known."""
        most = lately.run * lately.cycles // int(lately.visits.sum())
        lengths = self._of_loops(since, lately, most)
        lengths = sorted({*lengths, *self._of_writes(since, min(most, 2 * max(lengths, default=most)))})
        if not lengths:
            return None
        for length in lengths:
            self._tried[length] = self._tried.get(length, 0) + 1
        return Guess(self._widest_gap(cycle, lengths[-1]), lengths)

    def _of_loops(self, since: np.ndarray, lately: Lately, most: int) -> list[int]:
        """Cycles, up to ``most``, of an iteration of those loops of which to jump over most would save most."""
        from sttest.sim.maxplus.kernel_period import find_cycles_of_levels

        net, levels = self._net, self._levels
        find_cycles_of_levels(self._stamp, net.fifos, net.times, since, levels, self._loop_cycles)
        seen = np.flatnonzero(
            (self._loop_cycles > 0) & (self._loop_cycles <= most) & (lately.visits[levels["process"]] > 0)
        )
        if seen.size == 0:
            return []
        cycles, process = self._loop_cycles[seen], levels["process"][seen]
        reach = cycles * (levels["around"][seen] // levels["tokens"][seen])
        # To see a period takes two, more where it was looked for in vain; to jump takes as long as some visits do.
        tries = np.array([self._tried.get(length, 0) for length in cycles.tolist()])
        look = self._least * lately.cycles / lately.visits.sum()
        worth = (reach - (2 + 2 * tries) * cycles) / (reach + look)
        best = np.lexsort((-cycles, worth, process))
        best = best[np.flatnonzero(np.diff(process[best], append=-1))]
        best = best[worth[best] > 0]
        weight = lately.visits[process[best]] * worth[best]
        found, index = np.unique(cycles[best], return_inverse=True)
        weights = np.bincount(index, weight, found.size)
        order = np.argsort(-weights, kind="stable")[:_MOST_OF_LOOPS]
        return found[order[weights[order] >= _LEAST_SHARE * weights.sum()]].tolist()

    def _of_writes(self, since: np.ndarray, most: int) -> list[int]:
        """The periods with which the writes to most FIFOs seem to recur, up to ``most`` cycles."""
        from sttest.sim.maxplus.kernel_period import find_periods

        net, cycles = self._net, self._write_cycles
        find_periods(self._stamp, net.fifos, net.times, since, cycles, self._write_tokens)
        found, count = np.unique(cycles[(cycles > 0) & (cycles <= most)], return_counts=True)
        return found[np.argsort(-count, kind="stable")][: _MOST_LENGTHS - _MOST_OF_LOOPS].tolist()

    def _widest_gap(self, cycle: int, length: int) -> int:
        """The first cycle from ``cycle`` on in the phase at which a FIFO of that period rests longest."""
        net = self._net
        by_loops, by_writes = np.flatnonzero(self._loop_cycles == length), np.flatnonzero(self._write_cycles == length)
        if by_loops.size:
            fifo, tokens = net.fifos[self._levels["fifo"][by_loops[0]]], int(self._levels["tokens"][by_loops[0]])
        else:
            fifo, tokens = net.fifos[by_writes[0]], int(self._write_tokens[by_writes[0]])
        last = int(fifo["write_first"] + fifo["written"])
        recent = net.times[last - tokens - 1 : last]
        mark = int(recent[1 + int(np.diff(recent).argmax())])
        return cycle + (mark - cycle) % length
