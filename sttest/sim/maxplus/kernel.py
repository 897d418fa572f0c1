"""Compiled: runs a net to its end.  Import it late, numba takes its time.

The first call on a machine compiles for some seconds; the result is kept on disk, for the
entry point only: numba asks whether its file has changed, not those of what it calls.
"""

import hashlib
from pathlib import Path

import numpy as np

from sttest.sim.maxplus.arrays import (
    ACTOR,
    PIPELINE,
    READ_PORT,
    READER_WAITS,
    WRITE_PORT,
    WRITER_WAITS,
    Net,
    Records,
    Wholes,
)
from sttest.sim.maxplus.kernel_port import (
    compiled,
    earliest_turn,
    entry_point,
    inlined,
    push,
    read_tokens,
    run_read_port,
    run_write_port,
    serve_turn,
    write_tokens,
)

__depends__ = ()

# --- Compiled: a pipeline on its local clock


@inlined
def run_pipeline(net: Net, index: int) -> None:
    """Visits stages until one needs a time that isn't known yet, or would be after the last cycle to be run."""
    process = net.processes[index]
    stage, visits, clock, stages = process.stage, process.visits, process.clock, process.gap
    if visits == process.all_visits:  # one without accesses has no segment
        process.finish = clock + process.tail
        return
    last_stage = net.segments[process.segment].last
    while visits < process.all_visits:
        first, last = net.pointer[net.pattern[stage]], net.pointer[net.pattern[stage] + 1]
        ready, is_output = earliest(net, first, last, clock + stages)
        if ready < 0:
            break
        if ready > net.limits[0]:
            net.limits[1] = 1
            break
        if is_output:
            process.stall_out += ready - clock - stages
        else:
            process.stall_in += ready - clock - stages
        clock = ready
        _pass_tokens(net, first, last, clock)
        visits += 1
        if stage < last_stage:
            stage += 1
            stages = net.gap[stage]
        else:
            process.segment, process.left, stage, stages = next_row(process, net, process.segment, process.left, stage)
            last_stage = net.segments[process.segment].last
    process.stage, process.visits, process.clock, process.gap = stage, visits, clock, stages
    if visits == process.all_visits:
        process.finish = clock + process.tail


@inlined
def next_row(process: Records, net: Net, segment: int, left: int, stage: int) -> tuple[int, int, int, int]:
    """Segment, walks left of it, row, and stages to there, one visit later."""
    if stage < net.segments[segment].last:
        return segment, left, stage + 1, net.gap[stage + 1]
    if left > 1:
        return segment, left - 1, net.segments[segment].first, net.segments[segment].again
    is_rerun = segment == process.last
    segment = process.first if is_rerun else segment + 1
    stage = net.segments[segment].first
    return segment, net.segments[segment].times, stage, process.rerun if is_rerun else net.gap[stage]


@inlined
def earliest(net: Net, first: int, last: int, base: int) -> tuple[int, bool]:
    """First cycle ≥ ``base`` at which the accesses [first, last) may all happen, and whether an output held it.

    -1 where that isn't known yet; the FIFO that it waits for is marked.
    """
    ready, is_output = base, False
    for i in range(first, last):
        fifo = net.fifos[net.op[i] >> 1]
        if net.op[i] & 1:
            at = fifo.written + net.tokens[i] - 1 - fifo.depth
            if at < 0:
                continue
            if at >= fifo.read:
                fifo.waits |= WRITER_WAITS
                return -1, True
            possible = net.times[fifo.read_first + at] + fifo.war
        else:
            at = fifo.read + net.tokens[i] - 1
            if at >= fifo.written:
                fifo.waits |= READER_WAITS
                return -1, False
            possible = net.times[fifo.write_first + at] + fifo.raw
        if possible > ready:
            ready, is_output = possible, (net.op[i] & 1) == 1
    return ready, is_output


# --- Compiled: an actor with a finite number of firings


@compiled
def run_actor(net: Net, index: int) -> None:
    """Starts firings until one needs a time that isn't known yet."""
    actor = net.processes[index]
    if actor.all_visits == 0:
        actor.finish = actor.clock
    while actor.visits < actor.all_visits:
        stage = actor.stage
        first, last = net.pointer[net.pattern[stage]], net.pointer[net.pattern[stage] + 1]
        readable, free = _possible(net, first, last, actor.clock)
        if readable < 0:
            return
        start = max(readable, free)
        actor.stall_in += readable - actor.clock
        actor.stall_out += start - readable
        _claim(net, first, last, start)
        end = start + net.duration[stage]
        if actor.is_ordered:
            _pass_tokens(net, first, last, end)
        else:
            row = net.ends[net.ends_open[0]]
            row.cycle, row.process, row.stage = end, index, stage
            net.ends_open[0] += 1
        actor.finish = max(actor.finish, end)
        actor.visits += 1
        actor.clock = start
        phases = net.segments[actor.first]
        actor.stage = phases.first if stage == phases.last else stage + 1


@compiled
def _possible(net: Net, first: int, last: int, base: int) -> tuple[int, int]:
    """First cycles ≥ ``base`` with all input tokens, and with all output space; -1 where they aren't known yet."""
    readable, free = base, base
    for i in range(first, last):
        fifo = net.fifos[net.op[i] >> 1]
        if net.op[i] & 1:
            at = fifo.claimed + net.tokens[i] - 1 - fifo.depth
            if at < 0:
                continue
            if at >= fifo.read:
                fifo.waits |= WRITER_WAITS
                return -1, -1
            free = max(free, net.times[fifo.read_first + at] + fifo.war)
        else:
            at = fifo.taken + net.tokens[i] - 1
            if at >= fifo.written:
                fifo.waits |= READER_WAITS
                return -1, -1
            readable = max(readable, net.times[fifo.write_first + at] + fifo.raw)
    return readable, free


@compiled
def _claim(net: Net, first: int, last: int, cycle: int) -> None:
    """A firing takes its input tokens and claims the space of its outputs."""
    for i in range(first, last):
        fifo = net.fifos[net.op[i] >> 1]
        if net.op[i] & 1:
            at = fifo.claim_first + fifo.claimed
            for j in range(at, at + net.tokens[i]):
                net.times[j] = cycle
            fifo.claimed += net.tokens[i]
        else:
            fifo.taken += net.tokens[i]


@inlined
def _pass_tokens(net: Net, first: int, last: int, cycle: int) -> None:
    """A visit, or the end of a firing, puts its output tokens and frees the space of its inputs."""
    for i in range(first, last):
        if net.op[i] & 1:
            write_tokens(net, net.op[i] >> 1, net.tokens[i], cycle)
        else:
            read_tokens(net, net.op[i] >> 1, net.tokens[i], cycle)


@compiled
def earliest_end(ends: Records, count: int) -> int:
    """The firing, among those that others may overtake, that ends first; -1 if there is none."""
    best = -1
    for i in range(count):
        if best < 0 or ends[i].cycle < ends[best].cycle:
            best = i
    return best


@compiled
def publish_end(net: Net, which: int) -> None:
    """Ends a firing that no other can overtake any more."""
    cycle, index, stage = net.ends[which].cycle, net.ends[which].process, net.ends[which].stage
    net.ends_open[0] -= 1
    last = net.ends[net.ends_open[0]]
    net.ends[which].cycle, net.ends[which].process, net.ends[which].stage = last.cycle, last.process, last.stage
    accesses = net.pattern[stage]
    _pass_tokens(net, net.pointer[accesses], net.pointer[accesses + 1], cycle)
    push(net, index)


def _stamp_sources() -> np.ndarray:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return np.empty(0, [(f"sources_{digest.hexdigest()}", np.int8)])


# Taken when the sources are read: a file that changes later must not name code that was compiled from the older one.
_SOURCES = _stamp_sources()


def sources_stamp() -> np.ndarray:
    """An empty array whose type names the content of all kernel files, so that compiled code is kept per content."""
    return _SOURCES


@entry_point
def run_net(sources: Wholes, net: Net) -> None:
    """Lets every process go on until none can; then takes the earliest open decision, until there is none.

    Stops before what happens after ``limits[0]``, where there are no actors; ``limits[1]`` then is 1.
    """
    net.limits[1] = 0
    net.todo[0] = net.processes.size
    for i in range(net.processes.size):
        net.todo[1 + i] = net.processes.size - 1 - i
        net.processes[i].is_queued = 1
    while True:
        while net.todo[0] > 0:
            index = net.todo[net.todo[0]]
            net.todo[0] -= 1
            net.processes[index].is_queued = 0
            kind = net.processes[index].kind
            if kind == PIPELINE:
                run_pipeline(net, index)
            elif kind == ACTOR:
                run_actor(net, index)
            elif kind == READ_PORT:
                run_read_port(net, index)
            elif kind == WRITE_PORT:
                run_write_port(net, index)
        channel, cycle = earliest_turn(net)
        end = earliest_end(net.ends, net.ends_open[0])
        if channel < 0 and end < 0:
            return
        if channel < 0 or (end >= 0 and net.ends[end].cycle <= cycle):
            publish_end(net, end)
        elif cycle > net.limits[0]:
            net.limits[1] = 1
            return
        else:
            serve_turn(net, channel, cycle)


# --- Compiled: how full the FIFOs got, with the periods that were jumped over left out, in which nothing new happened


@entry_point
def find_peaks(
    sources: Wholes,
    net: Net,
    initial: Wholes,
    is_claimed: Wholes,
    gone_at_once: Wholes,
    jumps: Wholes,
    written: Wholes,
    read: Wholes,
    writes: Wholes,
    reads: Wholes,
    peaks: Wholes,
) -> None:
    """Fills in ``peaks``, the most tokens that each FIFO held; a token leaves in the cycle after its read, or at once.

    Args, after ``sources``: ``is_claimed``: by an actor, whose claims count instead of writes;
    ``jumps``: periods per jump and FIFO; ``written``, ``read``, ``writes``, ``reads``: per jump and
    FIFO, tokens before it, and tokens per period.
    """
    for i in range(net.fifos.size):
        fifo = net.fifos[i]
        begin, after = fifo.write_first, fifo.written
        if is_claimed[i]:
            begin, after = fifo.claim_first, fifo.claimed
        # The least depth that would have done so far: the place of the token so many before was free in time.
        peak, depth = initial[i], fifo.depth
        at, left = initial[i], 0
        later = 0 if gone_at_once[i] else 1
        for jump in range(jumps.shape[0] + 1):
            is_last = jump == jumps.shape[0]
            stop, left_stop = (after, fifo.read) if is_last else (written[jump, i], read[jump, i])
            for token in range(at, stop):
                if peak == depth:
                    break
                cycle = net.times[begin + token] - later
                # All that is read before a jump is read before what is written after it.
                while token - peak >= left and (
                    token - peak >= left_stop or net.times[fifo.read_first + token - peak] > cycle
                ):
                    peak += 1
            if not is_last:
                at, left = stop + jumps[jump, i] * writes[jump, i], left_stop + jumps[jump, i] * reads[jump, i]
        peaks[i] = peak
