"""Compiled: bursts on memory channels, and turns on those that ports share."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import Records, Wholes
from sttest.sim.maxplus.kernel_fifo import push


@njit
def channel_of(ports: Records, lanes: Wholes, number: int, burst: int) -> int:
    """The channel that a burst of a port goes to."""
    port = ports[number]
    # Dividing takes as long as all the rest.
    return lanes[port.lane_first + (0 if port.lanes == 1 else burst % port.lanes)]


@njit
def cycles_for(channels: Records, index: int, beats: int) -> int:
    """Cycles that a channel takes for so many beats."""
    channel = channels[index]
    return -(-beats * channel.beats_den // channel.beats_num)


@njit
def occupancy(ports: Records, lanes: Wholes, channels: Records, number: int, burst: int) -> int:
    """Cycles for which a burst occupies its channel."""
    port = ports[number]
    channel = channel_of(ports, lanes, number, burst)
    size = min(port.burst_bytes, port.tokens * port.token_bytes - burst * port.burst_bytes)
    return cycles_for(channels, channel, (size - 1) // channels[channel].beat_bytes + 1)


@njit
def request(ports: Records, lanes: Wholes, bursts: Records, channels: Records, number: int, cycle: int) -> None:
    """Requests a port's next burst; a channel of its own takes it as soon as it is free."""
    port = ports[number]
    burst = port.requested
    bursts[port.burst_first + burst].request = cycle
    port.requested += 1
    channel = channels[channel_of(ports, lanes, number, burst)]
    if channel.members == 1:
        start_burst(ports, lanes, bursts, channels, number, burst, max(cycle, channel.free_at))


@njit
def start_burst(
    ports: Records, lanes: Wholes, bursts: Records, channels: Records, number: int, burst: int, cycle: int
) -> None:
    """A channel takes a burst."""
    bursts[ports[number].burst_first + burst].start = cycle
    channel = channels[channel_of(ports, lanes, number, burst)]
    channel.free_at = cycle + occupancy(ports, lanes, channels, number, burst)


@njit
def earliest_turn(ports: Records, bursts: Records, channels: Records, members: Records) -> tuple[int, int]:
    """The shared channel that takes its next burst first, and when; -1 where none has a request."""
    best, best_cycle = -1, 0
    for index in range(channels.size):
        channel = channels[index]
        if channel.members < 2:
            continue
        for i in range(channel.member_first, channel.member_first + channel.members):
            port, burst = ports[members[i].port], members[i].head
            if burst >= port.requested:
                continue
            cycle = max(channel.free_at, bursts[port.burst_first + burst].request)
            if best < 0 or cycle < best_cycle:
                best, best_cycle = index, cycle
    return best, best_cycle


@njit
def serve_turn(
    processes: Records,
    todo: Wholes,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    members: Records,
    index: int,
    cycle: int,
) -> None:
    """The next port after the last one served, among those that wait at ``cycle``, gets the channel."""
    channel = channels[index]
    for step in range(1, channel.members + 1):
        turn = (channel.served + step) % channel.members
        member = members[channel.member_first + turn]
        port, burst = ports[member.port], member.head
        if burst >= port.requested or bursts[port.burst_first + burst].request > cycle:
            continue
        channel.served = turn
        start_burst(ports, lanes, bursts, channels, member.port, burst, cycle)
        member.head += 1
        while channel_of(ports, lanes, member.port, member.head) != index:
            member.head += 1
        push(processes, todo, port.process)
        return
