"""Compiled: which FIFOs held one of their ends back lately.  A guess at what belongs together; jumps check it."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import NEVER_FULL, Records, Wholes


@njit(cache=True)
def find_ties(
    sources: Wholes, fifos: Records, times: Wholes, written: Wholes, read: Wholes, since: int, tied: Wholes
) -> None:
    """Sets ``tied`` to 1 for FIFOs one of whose ends waited for the other after the cycle ``since``, else to 0.

    Args, after ``sources``: ``written``, ``read``: per FIFO, its tokens at that cycle.
    """
    for i in range(fifos.size):
        tied[i] = _waited_for_token(fifos, times, i, read[i], since) or _waited_for_place(
            fifos, times, i, written[i], since
        )


@njit(cache=True)
def find_groups(sources: Wholes, fifos: Records, joins: Wholes, first: Wholes) -> None:
    """Sets ``first`` of each process to the first of those that it hangs together with, by the FIFOs that join.

    Args, after ``sources``: ``joins``: per FIFO, whether it joins its ends; ``first``: any numbers, int64[P].
    """
    for i in range(first.size):
        first[i] = i
    for i in range(fifos.size):
        if joins[i]:
            one, other = _root(first, fifos[i].writer), _root(first, fifos[i].reader)
            first[max(one, other)] = min(one, other)
    for i in range(first.size):
        first[i] = _root(first, i)


@njit
def _root(first: Wholes, index: int) -> int:
    while first[index] != index:
        first[index] = first[first[index]]
        index = first[index]
    return index


@njit
def _waited_for_token(fifos: Records, times: Wholes, index: int, first: int, since: int) -> bool:
    fifo = fifos[index]
    for token in range(fifo.read - 1, first - 1, -1):
        cycle = times[fifo.read_first + token]
        if cycle <= since:
            return False
        if cycle == times[fifo.write_first + token] + fifo.raw:
            return True
    return False


@njit
def _waited_for_place(fifos: Records, times: Wholes, index: int, first: int, since: int) -> bool:
    fifo = fifos[index]
    if fifo.depth >= NEVER_FULL:
        return False
    for token in range(fifo.written - 1, max(first, fifo.depth) - 1, -1):
        cycle = times[fifo.write_first + token]
        if cycle <= since:
            return False
        if cycle == times[fifo.read_first + token - fifo.depth] + fifo.war:
            return True
    return False
