"""Compiled: tokens come into FIFOs and leave them."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import READER_WAITS, WRITER_WAITS, Records, Wholes


@njit
def push(processes: Records, todo: Wholes, index: int) -> None:
    """Notes that a process may be able to go on."""
    if processes[index].is_queued == 0:
        processes[index].is_queued = 1
        todo[0] += 1
        todo[todo[0]] = index


@njit
def write_tokens(
    processes: Records, fifos: Records, times: Wholes, todo: Wholes, index: int, tokens: int, cycle: int
) -> None:
    """Writes tokens; a reader that waits may go on."""
    fifo = fifos[index]
    at = fifo.write_first + fifo.written
    for i in range(at, at + tokens):
        times[i] = cycle
    fifo.written += tokens
    if fifo.waits & READER_WAITS:
        fifo.waits ^= READER_WAITS
        push(processes, todo, fifo.reader)


@njit
def read_tokens(
    processes: Records, fifos: Records, times: Wholes, todo: Wholes, index: int, tokens: int, cycle: int
) -> None:
    """Reads tokens; a writer that waits may go on."""
    fifo = fifos[index]
    at = fifo.read_first + fifo.read
    for i in range(at, at + tokens):
        times[i] = cycle
    fifo.read += tokens
    if fifo.waits & WRITER_WAITS:
        fifo.waits ^= WRITER_WAITS
        push(processes, todo, fifo.writer)
