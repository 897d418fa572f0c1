"""Compiled: after how many cycles the writes to each FIFO seem to recur.  A guess; jumps check the whole state."""

from __future__ import annotations

import numpy as np
from numba import njit

from sttest.sim.maxplus.arrays import Records, Wholes

_MOST_TOKENS = 512
_LEAST_TOKENS = 4
_CONFIRMED_TOKENS = 64


@njit(cache=True)
def find_periods(sources: Wholes, fifos: Records, times: Wholes, since: Wholes, cycles: Wholes, tokens: Wholes) -> None:
    """Fills in the period of each FIFO's last writes, in cycles and tokens; 0 where none shows twice.

    Args, after ``sources``: ``since``: per FIFO, the token from which on to look.
    """
    distance = np.empty(_MOST_TOKENS, np.int64)
    border = np.empty(_MOST_TOKENS, np.int64)
    for i in range(fifos.size):
        cycles[i] = tokens[i] = 0
        fifo = fifos[i]
        written = fifo.written - since[i]
        looked_at = min(written - written // 4, _MOST_TOKENS)
        if looked_at < _LEAST_TOKENS:
            continue
        last = fifo.write_first + fifo.written - 1
        for back in range(looked_at - 1):
            distance[back] = times[last - back] - times[last - back - 1]
        period = _period(distance, border, looked_at - 1)
        if period > 0:
            tokens[i] = period
            cycles[i] = times[last] - times[last - period]


@njit(cache=True)
def find_cycles_of_levels(
    sources: Wholes, fifos: Records, times: Wholes, since: Wholes, levels: Records, cycles: Wholes
) -> None:
    """Fills in how long the last iteration of each loop took; 0 where it isn't seen, or the one before began otherwise.

    Args, after ``sources``: ``since``: per FIFO, the token from which on to look; ``levels``: records of ``LEVEL``.
    """
    for i in range(levels.size):
        cycles[i] = 0
        fifo, tokens = fifos[levels[i].fifo], levels[i].tokens
        confirmed = min(tokens, _CONFIRMED_TOKENS)
        if fifo.written - since[levels[i].fifo] < tokens + confirmed:
            continue
        last = fifo.write_first + fifo.written - 1
        took = times[last] - times[last - tokens]
        back = 1
        while back < confirmed and times[last - back] - times[last - back - tokens] == took:
            back += 1
        if back == confirmed:
            cycles[i] = took


@njit
def _period(distance: Wholes, border: Wholes, size: int) -> int:
    """The period of the longest beginning, at least half, that consists of two or more; 0 if there is none.

    ``border[i]``: length of the longest proper beginning of the first i + 1 that is also their end.
    """
    border[0] = 0
    length = 0
    for i in range(1, size):
        while length > 0 and distance[i] != distance[length]:
            length = border[length - 1]
        if distance[i] == distance[length]:
            length += 1
        border[i] = length
    for i in range(size - 1, size // 2 - 1, -1):
        period = i + 1 - border[i]
        if 2 * period <= i + 1:
            return period
    return 0
