"""Compiled: memory ports in parts that jump alone: that no burst comes late, and the requests made on the way.

A port that never waits for memory asks for bursts as its tokens pass.  When a shared channel serves
them is decided later, in order with the requests of everybody else; here it is enough that they are
served in time in any case.  A burst waits for those of its own port that are before it, then for at
most one that is being served and one of each other port: every port has a turn before one has two.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sttest.sim.maxplus.arrays import READ_PORT, UNKNOWN, Records, Wholes
from sttest.sim.maxplus.kernel_channel import channel_of, cycles_for, occupancy, request
from sttest.sim.maxplus.kernel_port import last_token


@njit
def fit_ports(
    processes: Records,
    fifos: Records,
    times: Wholes,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    members: Records,
    part: Wholes,
    old_processes: Records,
    cycles: Wholes,
    cycle: int,
    periods: Wholes,
) -> bool:
    """Shortens periods until no port would wait for memory; whether it had to."""
    was_late = False
    for number in range(ports.size):
        which = part[ports[number].process]
        if which < 0 or periods[which] == 0:
            continue
        process = processes[ports[number].process]
        passed = process.visits - old_processes[which, ports[number].process].visits
        if passed == 0:
            continue
        late = _first_late_token(
            processes, fifos, times, ports, lanes, bursts, channels, members, number, cycle, passed, cycles[which],
            process.visits + periods[which] * passed,
        )  # fmt: skip
        if late >= 0:
            periods[which] = (late - process.visits) // passed
            was_late = True
    return was_late


@njit
def _first_late_token(
    processes: Records,
    fifos: Records,
    times: Wholes,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    members: Records,
    number: int,
    cycle: int,
    passed: int,
    cycles: int,
    after: int,
) -> int:
    """The first token before ``after`` that may have to wait for memory; -1 if there is none."""
    port = ports[number]
    process = processes[port.process]
    is_read = process.kind == READ_PORT
    behind = 0 if is_read else port.window  # a write port needs the place of the burst a window earlier
    begin = max(0, process.visits * port.token_bytes // port.burst_bytes - behind)
    end = max(begin, (after * port.token_bytes - 1) // port.burst_bytes + 1 - behind)
    latest = np.empty(end - begin, np.int64)  # per burst, when it starts at the latest
    asked = 0 if port.requested == 0 else bursts[port.burst_first + port.requested - 1].request
    for burst in range(begin, end):
        if burst >= port.requested:
            asked = _request_cycle(fifos, times, ports, processes, number, burst, asked, passed, cycles)
        latest[burst - begin] = _latest_start(
            ports, lanes, bursts, channels, members, number, burst, asked, cycle, latest, begin
        )
        channel = channel_of(ports, lanes, number, burst)
        done = latest[burst - begin] + occupancy(ports, lanes, channels, number, burst) + channels[channel].latency
        token = max((burst + behind) * port.burst_bytes // port.token_bytes, process.visits)
        if token >= after:
            return -1
        since = process.clock
        if token > process.visits:
            since = _passes_at(fifos, times, ports, processes, number, token - 1, passed, cycles) + 1
        if done + (0 if is_read else 1) > since:
            return token
    return -1


@njit
def _latest_start(
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    members: Records,
    number: int,
    burst: int,
    asked: int,
    cycle: int,
    latest: Wholes,
    begin: int,
) -> int:
    """When a burst starts at the latest, exact on a channel of its own; ``latest``: of those from ``begin`` on."""
    port = ports[number]
    row = bursts[port.burst_first + burst]
    if burst < port.requested and row.start != UNKNOWN:
        return row.start
    index = channel_of(ports, lanes, number, burst)
    channel = channels[index]
    ready = max(row.request if burst < port.requested else asked, channel.free_at)
    before = burst - 1
    while before >= begin and channel_of(ports, lanes, number, before) != index:
        before -= 1
    if before >= begin:
        ready = max(ready, latest[before - begin] + occupancy(ports, lanes, channels, number, before))
    if channel.members == 1:
        return ready
    ready = max(ready, cycle)
    for i in range(channel.member_first, channel.member_first + channel.members):
        beats = (ports[members[i].port].burst_bytes - 1) // channel.beat_bytes + 1
        ready += cycles_for(channels, index, beats)
    # One of these is this port's own: it stands for what is being served, which is no longer than the longest.
    return ready + _longest(ports, channels, members, index)


@njit
def _longest(ports: Records, channels: Records, members: Records, index: int) -> int:
    """Cycles of the longest burst on a channel."""
    channel = channels[index]
    longest = 0
    for i in range(channel.member_first, channel.member_first + channel.members):
        beats = (ports[members[i].port].burst_bytes - 1) // channel.beat_bytes + 1
        longest = max(longest, cycles_for(channels, index, beats))
    return longest


@njit
def _passes_at(
    fifos: Records, times: Wholes, ports: Records, processes: Records, number: int, token: int, passed: int, cycles: int
) -> int:
    """When a port passes a token, as it will be where the last period repeats."""
    process = processes[ports[number].process]
    fifo = fifos[ports[number].fifo]
    first = fifo.read_first
    if process.kind == READ_PORT:
        first = fifo.write_first + fifo.written - process.visits
    if token < process.visits:
        return times[first + token]
    back = (token - process.visits) // passed + 1
    return times[first + token - back * passed] + back * cycles


@njit
def _request_cycle(
    fifos: Records,
    times: Wholes,
    ports: Records,
    processes: Records,
    number: int,
    burst: int,
    asked: int,
    passed: int,
    cycles: int,
) -> int:
    """When a port requests a burst; ``asked``: when the one before."""
    port = ports[number]
    cycle = asked + 1 if burst > 0 else port.begin
    is_read = processes[port.process].kind == READ_PORT
    frees = burst - port.window if is_read else burst
    if frees < 0:
        return cycle
    token = last_token(ports, number, frees)
    passes = _passes_at(fifos, times, ports, processes, number, token, passed, cycles)
    return max(cycle, passes + 1 if is_read else passes)


@njit
def make_requests(
    processes: Records,
    fifos: Records,
    times: Wholes,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    number: int,
    passed: int,
    cycles: int,
    periods: int,
) -> None:
    """Makes the requests of a port that passes so many periods; to be called before it has moved."""
    port = ports[number]
    process = processes[port.process]
    after = process.visits + periods * passed
    behind = port.window if process.kind == READ_PORT else 0
    asked = 0 if port.requested == 0 else bursts[port.burst_first + port.requested - 1].request
    while port.requested < port.bursts:
        burst = port.requested
        if burst >= behind and last_token(ports, number, burst - behind) >= after:
            return
        asked = _request_cycle(fifos, times, ports, processes, number, burst, asked, passed, cycles)
        request(ports, lanes, bursts, channels, number, asked)
