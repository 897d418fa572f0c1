"""Compiled: whether a graph is in the state of an earlier cycle, all processes further on in their programs.

Both states are those right after a cycle: every visit up to it is done and none after it.
So nothing of what follows happens at that cycle or before, and a time that asks for no
more than that is as good as none.  Processes and FIFOs that did nothing in between
hold no time that moved, and are let alone.
"""

import numpy as np
from numba import njit

from sttest.sim.maxplus.arrays import NEVER_FULL, READ_PORT, UNKNOWN, Net, Records, Snapshot, Wholes
from sttest.sim.maxplus.kernel_port import channel_of, compiled, entry_point, occupancy

FOR_EVER = 1 << 60
"""More periods than any run has."""


@compiled
def periods_of_fifos(net: Net, past: Snapshot, cycle: int) -> int:
    """For how many periods to come every FIFO holds its ends back as in the last one; -1 where one didn't.

    A FIFO that fills or drains from period to period must hold nobody back.
    """
    periods = FOR_EVER
    for i in range(net.fifos.size):
        fifo, old = net.fifos[i], past.fifos[i]
        written, read = fifo.written - old.written, fifo.read - old.read
        if written == read and written > 0:
            if not fifo_recurs(net, past.fifos, i, cycle, past.cycle):
                return -1
        elif written != read:
            periods = min(periods, _periods_apart(net, past, i, cycle))
            if periods < 1:
                return -1
    return periods


@compiled
def fifo_recurs(net: Net, old_fifos: Records, index: int, cycle: int, old_cycle: int) -> bool:
    """Whether the times in a FIFO that holds as much as before bind its ends as they did."""
    fifo, old = net.fifos[index], old_fifos[index]
    held = fifo.written - fifo.read
    last, old_last = fifo.write_first + fifo.written - 1, fifo.write_first + old.written - 1
    if not _times_recur(net.times, last, old_last, held, fifo.raw - cycle, fifo.raw - old_cycle):
        return False
    if fifo.depth >= NEVER_FULL:
        return True
    last, old_last = fifo.read_first + fifo.read - 1, fifo.read_first + old.read - 1
    reads = min(old.read, fifo.depth - held)
    if not _times_recur(net.times, last, old_last, reads, fifo.war - cycle, fifo.war - old_cycle):
        return False
    return reads == min(fifo.read, fifo.depth - held) or net.times[last - reads] + fifo.war <= cycle


@compiled
def _periods_apart(net: Net, past: Snapshot, index: int, cycle: int) -> int:
    """For how many periods the ends of a FIFO that fills or drains don't meet.

    All tokens read in a period are there, readable, when it begins, and so is the space for all that are written.
    """
    fifo, old = net.fifos[index], past.fifos[index]
    written, read = fifo.written - old.written, fifo.read - old.read
    more, held = written - read, old.written - old.read
    periods = FOR_EVER
    if read > 0:
        fresh = max(
            _later_than(net.times, fifo.write_first, fifo.written, cycle - fifo.raw),
            _later_than(net.times, fifo.write_first, old.written, past.cycle - fifo.raw),
        )
        spare = held - read - fresh
        if spare < 0:
            return 0
        if more < 0:
            periods = min(periods, spare // -more)
    if written > 0 and fifo.depth < NEVER_FULL:
        fresh = max(
            _later_than(net.times, fifo.read_first, fifo.read, cycle - fifo.war),
            _later_than(net.times, fifo.read_first, old.read, past.cycle - fifo.war),
        )
        spare = fifo.depth - held - written - fresh
        if spare < 0:
            return 0
        if more > 0:
            periods = min(periods, spare // more)
    return periods


@compiled
def _later_than(times: Wholes, first: int, count: int, cycle: int) -> int:
    """How many of ``count`` ascending times are later than a cycle."""
    later = 0
    while later < count and times[first + count - 1 - later] > cycle:
        later += 1
    return later


@compiled
def _times_recur(times: Wholes, last: int, old_last: int, count: int, plus: int, old_plus: int) -> bool:
    """Whether of ``count`` times up to two places, those still to come, as seen from two cycles, are the same."""
    for back in range(count):
        now = max(0, times[last - back] + plus)
        if now != max(0, times[old_last - back] + old_plus):
            return False
        if now == 0:
            return True
    return True


@compiled
def processes_recur(net: Net, past: Snapshot, cycles: int) -> bool:
    """Whether the clocks of all that did something moved by so many cycles."""
    for i in range(net.processes.size):
        now, old = net.processes[i], past.processes[i]
        if now.visits != old.visits and now.clock - old.clock != cycles:
            return False
    return True


@compiled
def ports_recur(net: Net, past: Snapshot, cycle: int) -> bool:
    """Whether the bursts in flight of every memory port that did something are where they were."""
    for number in range(net.ports.size):
        port, old = net.ports[number], past.ports[number]
        tokens = net.processes[port.process].visits - past.processes[port.process].visits
        requests = port.requested - old.requested
        if requests * port.burst_bytes != tokens * port.token_bytes or requests % port.lanes != 0:
            return False
        if requests == 0:
            continue
        first = first_in_flight(net, number)
        if first < requests or old.requested == 0:
            return False
        for burst in range(first, port.requested):
            channel = net.channels[channel_of(net, number, burst)]
            at = port.burst_first + burst
            now, was = net.bursts[at].start, net.bursts[at - requests].start
            done = channel.latency + occupancy(net, number, burst) + 1
            if now != UNKNOWN and now + done <= cycle and was + done <= past.cycle:
                continue
            if channel.members > 1 and (now == UNKNOWN or was > past.cycle):
                # A turn was not taken before its cycle, and may have been since.
                if now != UNKNOWN or was <= past.cycle:
                    return False
            elif now - was != cycle - past.cycle:
                return False
        last = port.burst_first + port.requested - 1
        if max(0, net.bursts[last].request - cycle) != max(0, net.bursts[last - requests].request - past.cycle):
            return False
    return True


@compiled
def first_in_flight(net: Net, number: int) -> int:
    """The first burst of a port whose start still matters; negative where the first bursts have not mattered yet."""
    port = net.ports[number]
    process = net.processes[port.process]
    first = process.visits * port.token_bytes // port.burst_bytes
    return first if process.kind == READ_PORT else first - port.window


@compiled
def channels_recur(net: Net, past: Snapshot, cycle: int) -> bool:
    """Whether every channel that was used is free as soon as it was, with the same requests and the same turn."""
    for index in range(net.channels.size):
        channel, old = net.channels[index], past.channels[index]
        used = False
        for i in range(channel.member_first, channel.member_first + channel.members):
            number = net.members[i].port
            used = used or net.ports[number].requested != past.ports[number].requested
            if channel.members > 1 and not _member_recurs(net, past, index, i, cycle - past.cycle):
                return False
        if used and channel.served != old.served:
            return False
        if used and max(0, channel.free_at - cycle) != max(0, old.free_at - past.cycle):
            return False
    return True


@compiled
def _member_recurs(net: Net, past: Snapshot, channel: int, index: int, cycles: int) -> bool:
    """Whether the open requests of a port on a shared channel are those that it had; none, if it did nothing."""
    number = net.members[index].port
    port, head = net.ports[number], net.members[index].head
    back = port.requested - past.ports[number].requested
    if head - past.members[index].head != back or (back == 0 and head < port.requested):
        return False
    for burst in range(head, port.requested):
        if channel_of(net, number, burst) != channel:
            continue
        at = port.burst_first + burst
        if net.bursts[at].request - net.bursts[at - back].request != cycles:
            return False
    return True


# --- Compiled: positions in a program, and for how long it goes on as it did before


@compiled
def repeated_visits(net: Net, then: Records, index: int, most: int) -> int:
    """How many visits of a pipeline, from now on, are those that it made from ``then`` on; ``most`` are looked at."""
    now, was = net.processes[index], then[index]
    segment, left, stage, stages = now.segment, now.left, now.stage, now.gap
    old_segment, old_left, old_stage, old_stages = was.segment, was.left, was.stage, was.gap
    most = min(most, now.all_visits - now.visits)
    count = 0
    while count < most:
        if stages != old_stages or net.pattern[stage] != net.pattern[old_stage]:
            return count
        if segment == old_segment and stage == old_stage:
            if left == old_left:
                return most  # the same place in an earlier run
            walks = min(left, old_left) - 1
            if walks > 0:
                first = net.segments[segment].first
                count += walks * (net.segments[segment].last + 1 - first)
                left, old_left = left - walks, old_left - walks
                stages = old_stages = net.segments[segment].again if stage == first else net.gap[stage]
                continue
        rows = min(most - count - 1, net.segments[segment].last - stage, net.segments[old_segment].last - old_stage)
        row = 0
        while (
            row < rows
            and net.gap[stage + row + 1] == net.gap[old_stage + row + 1]
            and net.pattern[stage + row + 1] == net.pattern[old_stage + row + 1]
        ):
            row += 1
        count, stage, old_stage = count + row, stage + row, old_stage + row
        segment, left, stage, stages = _next(now, net, segment, left, stage)
        old_segment, old_left, old_stage, old_stages = _next(now, net, old_segment, old_left, old_stage)
        count += 1
    return most


@compiled
def _next(process: Records, net: Net, segment: int, left: int, stage: int) -> tuple[int, int, int, int]:
    """Segment, walks left of it, row, and stages to there, one visit later."""
    if stage < net.segments[segment].last:
        return segment, left, stage + 1, net.gap[stage + 1]
    if left > 1:
        return segment, left - 1, net.segments[segment].first, net.segments[segment].again
    is_rerun = segment == process.last
    segment = process.first if is_rerun else segment + 1
    stage = net.segments[segment].first
    return segment, net.segments[segment].times, stage, process.rerun if is_rerun else net.gap[stage]


@compiled
def seek(net: Net, index: int) -> None:
    """Puts a pipeline where it stands after its ``visits``."""
    process = net.processes[index]
    run = 0
    for i in range(process.first, process.last + 1):
        run += (net.segments[i].last + 1 - net.segments[i].first) * net.segments[i].times
    rest = process.visits % run
    for i in range(process.first, process.last + 1):
        rows = net.segments[i].last + 1 - net.segments[i].first
        if rest >= rows * net.segments[i].times:
            rest -= rows * net.segments[i].times
            continue
        walked = rest // rows
        process.segment, process.left = i, net.segments[i].times - walked
        process.stage = net.segments[i].first + rest % rows
        process.gap = net.gap[process.stage]
        if rest % rows == 0 and walked > 0:
            process.gap = net.segments[i].again
        elif rest == 0 and i == process.first and process.visits > 0:
            process.gap = process.rerun
        return


# --- Compiled: after how many cycles the writes to each FIFO seem to recur.  A guess; jumps check the whole state


_MOST_TOKENS = 512
_LEAST_TOKENS = 4
_CONFIRMED_TOKENS = 64


@njit(cache=True)
def find_periods(sources: Wholes, net: Net, since: Wholes, cycles: Wholes, tokens: Wholes) -> None:
    """Fills in the period of each FIFO's last writes, in cycles and tokens; 0 where none shows twice.

    Args, after ``sources``: ``since``: per FIFO, the token from which on to look.
    """
    distance = np.empty(_MOST_TOKENS, np.int64)
    border = np.empty(_MOST_TOKENS, np.int64)
    for i in range(net.fifos.size):
        cycles[i] = tokens[i] = 0
        fifo = net.fifos[i]
        written = fifo.written - since[i]
        looked_at = min(written - written // 4, _MOST_TOKENS)
        if looked_at < _LEAST_TOKENS:
            continue
        last = fifo.write_first + fifo.written - 1
        for back in range(looked_at - 1):
            distance[back] = net.times[last - back] - net.times[last - back - 1]
        period = _period(distance, border, looked_at - 1)
        if period > 0:
            tokens[i] = period
            cycles[i] = net.times[last] - net.times[last - period]


@entry_point
def find_cycles_of_loop_tokens(sources: Wholes, net: Net, since: Wholes, levels: Records, cycles: Wholes) -> None:
    """Fills in how long the last iteration of each loop took; 0 where it isn't seen, or the one before began otherwise.

    Args, after ``sources``: ``since``: per FIFO, the token from which on to look; ``levels``: records of ``LEVEL``.
    """
    for i in range(levels.size):
        cycles[i] = 0
        fifo, tokens = net.fifos[levels[i].fifo], levels[i].tokens
        confirmed = min(tokens, _CONFIRMED_TOKENS)
        if fifo.written - since[levels[i].fifo] < tokens + confirmed:
            continue
        last = fifo.write_first + fifo.written - 1
        took = net.times[last] - net.times[last - tokens]
        back = 1
        while back < confirmed and net.times[last - back] - net.times[last - back - tokens] == took:
            back += 1
        if back == confirmed:
            cycles[i] = took


@compiled
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
