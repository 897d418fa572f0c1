"""Compiled: a pipeline on its local clock."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import READER_WAITS, WRITER_WAITS, Records, Wholes
from sttest.sim.maxplus.kernel_fifo import read_tokens, write_tokens


@njit
def run_pipeline(
    processes: Records,
    fifos: Records,
    times: Wholes,
    tick: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    todo: Wholes,
    index: int,
) -> None:
    """Visits stages until one needs a time that isn't known yet."""
    process = processes[index]
    stage, visits, clock = process.stage, process.visits, process.clock
    while visits < process.all_visits:
        gap = tick[stage]
        if stage > process.first:
            gap -= tick[stage - 1]
        elif visits > 0:
            gap += process.period - tick[process.last]
        ready, is_output = earliest(fifos, times, op, tokens, pointer[stage], pointer[stage + 1], clock + gap)
        if ready < 0:
            break
        if is_output:
            process.stall_out += ready - clock - gap
        else:
            process.stall_in += ready - clock - gap
        clock = ready
        for i in range(pointer[stage], pointer[stage + 1]):
            if op[i] & 1:
                write_tokens(processes, fifos, times, todo, op[i] >> 1, tokens[i], clock)
            else:
                read_tokens(processes, fifos, times, todo, op[i] >> 1, tokens[i], clock)
        visits += 1
        stage = process.first if stage == process.last else stage + 1
    process.stage, process.visits, process.clock = stage, visits, clock
    if visits == process.all_visits:
        process.finish = clock + process.tail


@njit
def earliest(
    fifos: Records, times: Wholes, op: Wholes, tokens: Wholes, first: int, last: int, base: int
) -> tuple[int, bool]:
    """First cycle ≥ ``base`` at which the accesses [first, last) may all happen, and whether an output held it.

    -1 where that isn't known yet; the FIFO that it waits for is marked.
    """
    ready, is_output = base, False
    for i in range(first, last):
        fifo = fifos[op[i] >> 1]
        if op[i] & 1:
            at = fifo.written + tokens[i] - 1 - fifo.depth
            if at < 0:
                continue
            if at >= fifo.read:
                fifo.waits |= WRITER_WAITS
                return -1, True
            possible = times[fifo.read_first + at] + fifo.war
        else:
            at = fifo.read + tokens[i] - 1
            if at >= fifo.written:
                fifo.waits |= READER_WAITS
                return -1, False
            possible = times[fifo.write_first + at] + fifo.raw
        if possible > ready:
            ready, is_output = possible, (op[i] & 1) == 1
    return ready, is_output
