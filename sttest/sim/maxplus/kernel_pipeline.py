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
    gap: Wholes,
    pattern: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    segments: Records,
    todo: Wholes,
    limits: Wholes,
    index: int,
) -> None:
    """Visits stages until one needs a time that isn't known yet, or would be after the last cycle to be run."""
    process = processes[index]
    stage, visits, clock, stages = process.stage, process.visits, process.clock, process.gap
    last_stage = segments[process.segment].last
    while visits < process.all_visits:
        first, last = pointer[pattern[stage]], pointer[pattern[stage] + 1]
        ready, is_output = earliest(fifos, times, op, tokens, first, last, clock + stages)
        if ready < 0:
            break
        if ready > limits[0]:
            limits[1] = 1
            break
        if is_output:
            process.stall_out += ready - clock - stages
        else:
            process.stall_in += ready - clock - stages
        clock = ready
        for i in range(first, last):
            if op[i] & 1:
                write_tokens(processes, fifos, times, todo, op[i] >> 1, tokens[i], clock)
            else:
                read_tokens(processes, fifos, times, todo, op[i] >> 1, tokens[i], clock)
        visits += 1
        if stage < last_stage:
            stage += 1
            stages = gap[stage]
        else:
            stage, stages = next_segment(processes, gap, segments, index)
            last_stage = segments[process.segment].last
    process.stage, process.visits, process.clock, process.gap = stage, visits, clock, stages
    if visits == process.all_visits:
        process.finish = clock + process.tail


@njit
def next_segment(processes: Records, gap: Wholes, segments: Records, index: int) -> tuple[int, int]:
    """The row after the last of a segment, and the stages to there."""
    process = processes[index]
    process.left -= 1
    if process.left > 0:
        return segments[process.segment].first, segments[process.segment].again
    is_rerun = process.segment == process.last
    process.segment = process.first if is_rerun else process.segment + 1
    process.left = segments[process.segment].times
    stage = segments[process.segment].first
    return stage, process.rerun if is_rerun else gap[stage]


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
