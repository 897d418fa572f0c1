"""Compiled: whether a graph is in the state of an earlier cycle, all processes further on in their programs.

Both states are those right after a cycle: every visit up to it is done and none after it.
So nothing of what follows happens at that cycle or before, and a time that asks for no
more than that is as good as none.  Processes and FIFOs that did nothing in between
hold no time that moved, and are let alone.
"""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import NEVER_FULL, READ_PORT, UNKNOWN, Records, Wholes
from sttest.sim.maxplus.kernel_channel import channel_of, occupancy

FOR_EVER = 1 << 60
"""More periods than any run has."""


@njit
def periods_of_fifos(fifos: Records, old_fifos: Records, times: Wholes, cycle: int, old_cycle: int) -> int:
    """For how many periods to come every FIFO holds its ends back as in the last one; -1 where one didn't.

    A FIFO that fills or drains from period to period must hold nobody back.
    """
    periods = FOR_EVER
    for i in range(fifos.size):
        fifo, old = fifos[i], old_fifos[i]
        written, read = fifo.written - old.written, fifo.read - old.read
        if written == read and written > 0:
            if not fifo_recurs(fifos, old_fifos, times, i, cycle, old_cycle):
                return -1
        elif written != read:
            periods = min(periods, _periods_apart(fifos, old_fifos, times, i, cycle, old_cycle))
            if periods < 1:
                return -1
    return periods


@njit
def fifo_recurs(fifos: Records, old_fifos: Records, times: Wholes, index: int, cycle: int, old_cycle: int) -> bool:
    """Whether the times in a FIFO that holds as much as before bind its ends as they did."""
    fifo, old = fifos[index], old_fifos[index]
    held = fifo.written - fifo.read
    last, old_last = fifo.write_first + fifo.written - 1, fifo.write_first + old.written - 1
    if not _times_recur(times, last, old_last, held, fifo.raw - cycle, fifo.raw - old_cycle):
        return False
    if fifo.depth >= NEVER_FULL:
        return True
    last, old_last = fifo.read_first + fifo.read - 1, fifo.read_first + old.read - 1
    reads = min(old.read, fifo.depth - held)
    if not _times_recur(times, last, old_last, reads, fifo.war - cycle, fifo.war - old_cycle):
        return False
    return reads == min(fifo.read, fifo.depth - held) or times[last - reads] + fifo.war <= cycle


@njit
def _periods_apart(fifos: Records, old_fifos: Records, times: Wholes, index: int, cycle: int, old_cycle: int) -> int:
    """For how many periods the ends of a FIFO that fills or drains don't meet.

    All tokens read in a period are there, readable, when it begins, and so is the space for all that are written.
    """
    fifo, old = fifos[index], old_fifos[index]
    written, read = fifo.written - old.written, fifo.read - old.read
    more, held = written - read, old.written - old.read
    periods = FOR_EVER
    if read > 0:
        fresh = max(
            _later_than(times, fifo.write_first, fifo.written, cycle - fifo.raw),
            _later_than(times, fifo.write_first, old.written, old_cycle - fifo.raw),
        )
        spare = held - read - fresh
        if spare < 0:
            return 0
        if more < 0:
            periods = min(periods, spare // -more)
    if written > 0 and fifo.depth < NEVER_FULL:
        fresh = max(
            _later_than(times, fifo.read_first, fifo.read, cycle - fifo.war),
            _later_than(times, fifo.read_first, old.read, old_cycle - fifo.war),
        )
        spare = fifo.depth - held - written - fresh
        if spare < 0:
            return 0
        if more > 0:
            periods = min(periods, spare // more)
    return periods


@njit
def _later_than(times: Wholes, first: int, count: int, cycle: int) -> int:
    """How many of ``count`` ascending times are later than a cycle."""
    later = 0
    while later < count and times[first + count - 1 - later] > cycle:
        later += 1
    return later


@njit
def _times_recur(times: Wholes, last: int, old_last: int, count: int, plus: int, old_plus: int) -> bool:
    """Whether of ``count`` times up to two places, those still to come, as seen from two cycles, are the same."""
    for back in range(count):
        now = max(0, times[last - back] + plus)
        if now != max(0, times[old_last - back] + old_plus):
            return False
        if now == 0:
            return True
    return True


@njit
def processes_recur(processes: Records, old_processes: Records, cycles: int) -> bool:
    """Whether the clocks of all that did something moved by so many cycles."""
    for i in range(processes.size):
        now, old = processes[i], old_processes[i]
        if now.visits != old.visits and now.clock - old.clock != cycles:
            return False
    return True


@njit
def ports_recur(
    processes: Records,
    old_processes: Records,
    ports: Records,
    old_ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    cycle: int,
    old_cycle: int,
) -> bool:
    """Whether the bursts in flight of every memory port that did something are where they were."""
    for number in range(ports.size):
        port, old = ports[number], old_ports[number]
        tokens = processes[port.process].visits - old_processes[port.process].visits
        requests = port.requested - old.requested
        if requests * port.burst_bytes != tokens * port.token_bytes or requests % port.lanes != 0:
            return False
        if requests == 0:
            continue
        first = first_in_flight(processes, ports, number)
        if first < requests or old.requested == 0:
            return False
        for burst in range(first, port.requested):
            channel = channels[channel_of(ports, lanes, number, burst)]
            at = port.burst_first + burst
            now, was = bursts[at].start, bursts[at - requests].start
            done = channel.latency + occupancy(ports, lanes, channels, number, burst) + 1
            if now != UNKNOWN and now + done <= cycle and was + done <= old_cycle:
                continue
            if channel.members > 1 and (now == UNKNOWN or was > old_cycle):
                # A turn was not taken before its cycle, and may have been since.
                if now != UNKNOWN or was <= old_cycle:
                    return False
            elif now - was != cycle - old_cycle:
                return False
        last = port.burst_first + port.requested - 1
        if max(0, bursts[last].request - cycle) != max(0, bursts[last - requests].request - old_cycle):
            return False
    return True


@njit
def first_in_flight(processes: Records, ports: Records, number: int) -> int:
    """The first burst of a port whose start still matters; negative where the first bursts have not mattered yet."""
    port = ports[number]
    process = processes[port.process]
    first = process.visits * port.token_bytes // port.burst_bytes
    return first if process.kind == READ_PORT else first - port.window


@njit
def channels_recur(
    ports: Records,
    old_ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    old_channels: Records,
    members: Records,
    old_members: Records,
    cycle: int,
    old_cycle: int,
) -> bool:
    """Whether every channel that was used is free as soon as it was, with the same requests and the same turn."""
    for index in range(channels.size):
        channel, old = channels[index], old_channels[index]
        used = False
        for i in range(channel.member_first, channel.member_first + channel.members):
            number = members[i].port
            used = used or ports[number].requested != old_ports[number].requested
            if channel.members > 1 and not _member_recurs(
                ports, old_ports, lanes, bursts, members, old_members, index, i, cycle - old_cycle
            ):
                return False
        if used and channel.served != old.served:
            return False
        if used and max(0, channel.free_at - cycle) != max(0, old.free_at - old_cycle):
            return False
    return True


@njit
def _member_recurs(
    ports: Records,
    old_ports: Records,
    lanes: Wholes,
    bursts: Records,
    members: Records,
    old_members: Records,
    channel: int,
    index: int,
    cycles: int,
) -> bool:
    """Whether the open requests of a port on a shared channel are those that it had; none, if it did nothing."""
    number = members[index].port
    port, head = ports[number], members[index].head
    back = port.requested - old_ports[number].requested
    if head - old_members[index].head != back or (back == 0 and head < port.requested):
        return False
    for burst in range(head, port.requested):
        if channel_of(ports, lanes, number, burst) != channel:
            continue
        at = port.burst_first + burst
        if bursts[at].request - bursts[at - back].request != cycles:
            return False
    return True
