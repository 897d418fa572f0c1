"""Compiled: an actor with a finite number of firings."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import READER_WAITS, WRITER_WAITS, Records, Wholes
from sttest.sim.maxplus.kernel_fifo import push, read_tokens, write_tokens


@njit
def run_actor(
    processes: Records,
    fifos: Records,
    times: Wholes,
    pattern: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    segments: Records,
    duration: Wholes,
    todo: Wholes,
    ends: Records,
    ends_open: Wholes,
    index: int,
) -> None:
    """Starts firings until one needs a time that isn't known yet."""
    actor = processes[index]
    if actor.all_visits == 0:
        actor.finish = actor.clock
    while actor.visits < actor.all_visits:
        stage = actor.stage
        first, last = pointer[pattern[stage]], pointer[pattern[stage] + 1]
        readable, free = _possible(fifos, times, op, tokens, first, last, actor.clock)
        if readable < 0:
            return
        start = max(readable, free)
        actor.stall_in += readable - actor.clock
        actor.stall_out += start - readable
        _claim(fifos, times, op, tokens, first, last, start)
        end = start + duration[stage]
        if actor.is_ordered:
            _finish_firing(processes, fifos, times, op, tokens, todo, first, last, end)
        else:
            row = ends[ends_open[0]]
            row.cycle, row.process, row.stage = end, index, stage
            ends_open[0] += 1
        actor.finish = max(actor.finish, end)
        actor.visits += 1
        actor.clock = start
        phases = segments[actor.first]
        actor.stage = phases.first if stage == phases.last else stage + 1


@njit
def _possible(
    fifos: Records, times: Wholes, op: Wholes, tokens: Wholes, first: int, last: int, base: int
) -> tuple[int, int]:
    """First cycles ≥ ``base`` with all input tokens, and with all output space; -1 where they aren't known yet."""
    readable, free = base, base
    for i in range(first, last):
        fifo = fifos[op[i] >> 1]
        if op[i] & 1:
            at = fifo.claimed + tokens[i] - 1 - fifo.depth
            if at < 0:
                continue
            if at >= fifo.read:
                fifo.waits |= WRITER_WAITS
                return -1, -1
            free = max(free, times[fifo.read_first + at] + fifo.war)
        else:
            at = fifo.taken + tokens[i] - 1
            if at >= fifo.written:
                fifo.waits |= READER_WAITS
                return -1, -1
            readable = max(readable, times[fifo.write_first + at] + fifo.raw)
    return readable, free


@njit
def _claim(fifos: Records, times: Wholes, op: Wholes, tokens: Wholes, first: int, last: int, cycle: int) -> None:
    """A firing takes its input tokens and claims the space of its outputs."""
    for i in range(first, last):
        fifo = fifos[op[i] >> 1]
        if op[i] & 1:
            at = fifo.claim_first + fifo.claimed
            for j in range(at, at + tokens[i]):
                times[j] = cycle
            fifo.claimed += tokens[i]
        else:
            fifo.taken += tokens[i]


@njit
def _finish_firing(
    processes: Records,
    fifos: Records,
    times: Wholes,
    op: Wholes,
    tokens: Wholes,
    todo: Wholes,
    first: int,
    last: int,
    cycle: int,
) -> None:
    """A firing puts its output tokens and frees the space of its inputs."""
    for i in range(first, last):
        if op[i] & 1:
            write_tokens(processes, fifos, times, todo, op[i] >> 1, tokens[i], cycle)
        else:
            read_tokens(processes, fifos, times, todo, op[i] >> 1, tokens[i], cycle)


@njit
def earliest_end(ends: Records, count: int) -> int:
    """The firing, among those that others may overtake, that ends first; -1 if there is none."""
    best = -1
    for i in range(count):
        if best < 0 or ends[i].cycle < ends[best].cycle:
            best = i
    return best


@njit
def publish_end(
    processes: Records,
    fifos: Records,
    times: Wholes,
    pattern: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    todo: Wholes,
    ends: Records,
    ends_open: Wholes,
    which: int,
) -> None:
    """Ends a firing that no other can overtake any more."""
    cycle, index, stage = ends[which].cycle, ends[which].process, ends[which].stage
    ends_open[0] -= 1
    last = ends[ends_open[0]]
    ends[which].cycle, ends[which].process, ends[which].stage = last.cycle, last.process, last.stage
    accesses = pattern[stage]
    _finish_firing(processes, fifos, times, op, tokens, todo, pointer[accesses], pointer[accesses + 1], cycle)
    push(processes, todo, index)
