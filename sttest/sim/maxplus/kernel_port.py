"""Compiled: memory ports on their local clocks."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

from sttest.core.machine_code import kept_on_disk
from sttest.sim.maxplus.arrays import READER_WAITS, UNKNOWN, WRITER_WAITS, Net, Records

# References are not counted: of a tuple of arrays each would be at every call.  Callers of entry points hold them.
_WITHOUT_COUNTS: dict[str, Any] = {"_nrt": False, "no_cfunc_wrapper": True}

_njit: Any = njit  # its types know none of these options

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """A function that is called by compiled ones only."""
    return _njit(no_cpython_wrapper=True, **_WITHOUT_COUNTS)(function)


def inlined(function: Function) -> Function:
    """A compiled function that runs once per event: a call would put every array of a net on the stack."""
    return _njit(no_cpython_wrapper=True, forceinline=True, **_WITHOUT_COUNTS)(function)


def allocating(function: Function) -> Function:
    """A function that makes arrays, and is called by compiled ones only."""
    return _njit(no_cpython_wrapper=True, **_WITHOUT_COUNTS | {"_nrt": True})(function)


def entry_point(function: Function) -> Function:
    """A compiled function that Python calls, kept on disk."""
    return kept_on_disk(function, **_WITHOUT_COUNTS)


# --- Compiled: tokens come into FIFOs and leave them


@inlined
def push(net: Net, index: int) -> None:
    """Notes that a process may be able to go on."""
    if net.processes[index].is_queued == 0:
        net.processes[index].is_queued = 1
        net.todo[0] += 1
        net.todo[net.todo[0]] = index


@inlined
def write_tokens(net: Net, index: int, tokens: int, cycle: int) -> None:
    """Writes one token or more; a reader that waits may go on."""
    fifo = net.fifos[index]
    at = fifo.write_first + fifo.written
    net.times[at] = cycle
    for i in range(at + 1, at + tokens):
        net.times[i] = cycle
    fifo.written += tokens
    if fifo.waits & READER_WAITS:
        fifo.waits ^= READER_WAITS
        push(net, fifo.reader)


@inlined
def read_tokens(net: Net, index: int, tokens: int, cycle: int) -> None:
    """Reads one token or more; a writer that waits may go on."""
    fifo = net.fifos[index]
    at = fifo.read_first + fifo.read
    net.times[at] = cycle
    for i in range(at + 1, at + tokens):
        net.times[i] = cycle
    fifo.read += tokens
    if fifo.waits & WRITER_WAITS:
        fifo.waits ^= WRITER_WAITS
        push(net, fifo.writer)


# --- Compiled: bursts on memory channels, and turns on those that ports share


@inlined
def channel_of(net: Net, number: int, burst: int) -> int:
    """The channel that a burst of a port goes to."""
    port = net.ports[number]
    # Dividing takes as long as all the rest.
    return net.lanes[port.lane_first + (0 if port.lanes == 1 else burst % port.lanes)]


@inlined
def cycles_for(channels: Records, index: int, beats: int) -> int:
    """Cycles that a channel takes for so many beats."""
    channel = channels[index]
    return -(-beats * channel.beats_den // channel.beats_num)


@inlined
def occupancy(net: Net, number: int, burst: int) -> int:
    """Cycles for which a burst occupies its channel."""
    port = net.ports[number]
    channel = channel_of(net, number, burst)
    size = min(port.burst_bytes, port.tokens * port.token_bytes - burst * port.burst_bytes)
    return cycles_for(net.channels, channel, (size - 1) // net.channels[channel].beat_bytes + 1)


@inlined
def request(net: Net, number: int, cycle: int) -> None:
    """Requests a port's next burst; a channel of its own takes it as soon as it is free."""
    port = net.ports[number]
    burst = port.requested
    net.bursts[port.burst_first + burst].request = cycle
    port.requested += 1
    channel = net.channels[channel_of(net, number, burst)]
    if channel.members == 1:
        start_burst(net, number, burst, max(cycle, channel.free_at))


@inlined
def start_burst(net: Net, number: int, burst: int, cycle: int) -> None:
    """A channel takes a burst."""
    net.bursts[net.ports[number].burst_first + burst].start = cycle
    channel = net.channels[channel_of(net, number, burst)]
    channel.free_at = cycle + occupancy(net, number, burst)


@compiled
def earliest_turn(net: Net) -> tuple[int, int]:
    """The shared channel that takes its next burst first, and when; -1 where none has a request."""
    best, best_cycle = -1, 0
    for index in range(net.channels.size):
        channel = net.channels[index]
        if channel.members < 2:
            continue
        for i in range(channel.member_first, channel.member_first + channel.members):
            port, burst = net.ports[net.members[i].port], net.members[i].head
            if burst >= port.requested:
                continue
            cycle = max(channel.free_at, net.bursts[port.burst_first + burst].request)
            if best < 0 or cycle < best_cycle:
                best, best_cycle = index, cycle
    return best, best_cycle


@compiled
def serve_turn(net: Net, index: int, cycle: int) -> None:
    """The next port after the last one served, among those that wait at ``cycle``, gets the channel."""
    channel = net.channels[index]
    for step in range(1, channel.members + 1):
        turn = (channel.served + step) % channel.members
        member = net.members[channel.member_first + turn]
        port, burst = net.ports[member.port], member.head
        if burst >= port.requested or net.bursts[port.burst_first + burst].request > cycle:
            continue
        channel.served = turn
        start_burst(net, member.port, burst, cycle)
        member.head += 1
        while channel_of(net, member.port, member.head) != index:
            member.head += 1
        push(net, port.process)
        return


@inlined
def run_read_port(net: Net, index: int) -> None:
    """Requests bursts and writes tokens until a time is needed that isn't known yet.

    Nearly all events of a large design are tokens of its memory ports, and dividing takes as long as all else that a
    token takes: what is the same for all tokens of a burst, or of a beat, is kept while it is.
    """
    process = net.processes[index]
    number = process.number
    port = net.ports[number]
    fifo = net.fifos[port.fifo]
    visits, clock = process.visits, process.clock
    ahead = fifo.written - visits  # tokens that were there at the start
    first = fifo.write_first + ahead
    stall_memory = stall_out = 0
    while True:
        if visits >= port.asks_at:
            port.asks_at = _request_ahead(net, number, visits, first)
        if visits == port.tokens:
            process.finish = clock
            break
        arrived = _arrives(net, number, visits)
        if arrived < 0:
            break
        freed = visits + ahead - fifo.depth
        if freed >= fifo.read:
            fifo.waits |= WRITER_WAITS
            break
        there = max(clock, arrived)
        cycle = there
        if freed >= 0:
            cycle = max(there, net.times[fifo.read_first + freed] + fifo.war)
        if cycle > net.limits[0]:
            net.limits[1] = 1
            break
        stall_memory += there - clock
        stall_out += cycle - there
        net.times[first + visits] = cycle
        visits += 1
        clock = cycle + 1
    if visits == process.visits:
        return
    process.visits, process.clock = visits, clock
    process.stall_memory += stall_memory
    process.stall_out += stall_out
    fifo.written = visits + ahead
    if fifo.waits & READER_WAITS:
        fifo.waits ^= READER_WAITS
        push(net, fifo.reader)


@inlined
def _arrives(net: Net, number: int, token: int) -> int:
    """Cycle at which all bytes of a port's next token are there, -1 where it isn't known yet."""
    port = net.ports[number]
    if port.in_burst == 0:
        return arrival(net, number, token)
    if token >= port.until:
        burst = token // port.in_burst
        begins = net.bursts[port.burst_first + burst].start
        if begins == UNKNOWN:
            return -1
        port.channel = channel_of(net, number, burst)
        port.begins = begins + net.channels[port.channel].latency
        port.until = (burst + 1) * port.in_burst
        port.beats = 0
    until = (token + 1 - port.until + port.in_burst) * port.token_bytes
    channel = net.channels[port.channel]
    if until > port.beats * channel.beat_bytes:
        port.beats = (until - 1) // channel.beat_bytes + 1
        port.lasts = cycles_for(net.channels, port.channel, port.beats)
    return port.begins + port.lasts


@inlined
def _request_ahead(net: Net, number: int, written: int, first: int) -> int:
    """Makes all requests whose place in the window has a known cycle; ``first``: where the port's writes lie.

    Gives how many tokens must be written for the next one.
    """
    port = net.ports[number]
    while port.requested < port.bursts:
        burst = port.requested
        cycle = port.begin
        if burst > 0:
            cycle = net.bursts[port.burst_first + burst - 1].request + 1
        if burst >= port.window:
            token = last_token(net.ports, number, burst - port.window)
            if token >= written:
                return token + 1
            cycle = max(cycle, net.times[first + token] + 1)
        request(net, number, cycle)
    return port.tokens + 1


@inlined
def last_token(ports: Records, number: int, burst: int) -> int:
    """The token that holds the last byte of a burst."""
    port = ports[number]
    until = min((burst + 1) * port.burst_bytes, port.tokens * port.token_bytes)
    return (until - 1) // port.token_bytes


@inlined
def arrival(net: Net, number: int, token: int) -> int:
    """Cycle at which all bytes of a token are there, -1 where it isn't known yet."""
    port = net.ports[number]
    size = port.burst_bytes
    until = (token + 1) * port.token_bytes
    arrived = 0
    for burst in range(token * port.token_bytes // size, (until - 1) // size + 1):
        start = net.bursts[port.burst_first + burst].start
        if start == UNKNOWN:
            return -1
        channel = channel_of(net, number, burst)
        beats = (min(until, (burst + 1) * size) - 1 - burst * size) // net.channels[channel].beat_bytes + 1
        arrived = max(arrived, start + net.channels[channel].latency + cycles_for(net.channels, channel, beats))
    return arrived


@inlined
def run_write_port(net: Net, index: int) -> None:
    """Takes tokens and requests bursts until a time is needed that isn't known yet."""
    process = net.processes[index]
    number = process.number
    port = net.ports[number]
    fifo = net.fifos[port.fifo]
    if process.finish >= 0:
        return
    while process.visits < port.tokens:
        place = place_for(net, number, process.visits)
        if place < 0:
            return
        if fifo.read >= fifo.written:
            fifo.waits |= READER_WAITS
            return
        place = max(place, process.clock)
        cycle = max(place, net.times[fifo.write_first + fifo.read] + fifo.raw)
        if cycle > net.limits[0]:
            net.limits[1] = 1
            return
        process.stall_memory += place - process.clock
        process.stall_in += cycle - place
        read_tokens(net, port.fifo, 1, cycle)
        while port.requested < port.bursts and last_token(net.ports, number, port.requested) <= process.visits:
            asked = cycle
            if port.requested > 0:
                asked = max(cycle, net.bursts[port.burst_first + port.requested - 1].request + 1)
            request(net, number, asked)
        process.visits += 1
        process.clock = cycle + 1
    finish = _last_response(net, number)
    if finish >= 0:
        process.finish = finish
        process.stall_memory += finish - process.clock


@inlined
def place_for(net: Net, number: int, token: int) -> int:
    """First cycle with a place for all bytes of a token, -1 where it isn't known yet."""
    port = net.ports[number]
    free = 0
    for burst in range(token * port.token_bytes // port.burst_bytes, _bursts_until(port, token)):
        before = burst - port.window
        if before < 0:
            continue
        response = _response(net, number, before)
        if response < 0:
            return -1
        free = max(free, response + 1)
    return free


@inlined
def _bursts_until(port: Any, token: int) -> int:
    """Bursts that hold bytes of the tokens up to this one."""
    return ((token + 1) * port.token_bytes - 1) // port.burst_bytes + 1


@compiled
def _last_response(net: Net, number: int) -> int:
    """Cycle by which every response is back, -1 where it isn't known yet."""
    port = net.ports[number]
    finish = 0
    for burst in range(max(0, port.bursts - port.window), port.bursts):
        response = _response(net, number, burst)
        if response < 0:
            return -1
        finish = max(finish, response)
    return finish


@inlined
def _response(net: Net, number: int, burst: int) -> int:
    """Cycle of the response of a write burst, -1 where it isn't known yet."""
    start = net.bursts[net.ports[number].burst_first + burst].start
    if start == UNKNOWN:
        return -1
    latency = net.channels[channel_of(net, number, burst)].latency
    return start + occupancy(net, number, burst) + latency
