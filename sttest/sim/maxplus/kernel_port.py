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
def lane_of(port: Any, burst: int) -> int:
    """Which of its channels a burst of a port goes to, see ``sttest.sim.bursts.BurstPlan.lane``."""
    # Dividing takes as long as all the rest.
    if port.lanes == 1:
        return 0
    if port.random:
        return _scattered(burst) % port.lanes
    return burst * port.lanes // port.bursts if port.one_id else burst % port.lanes


@compiled
def _scattered(burst: int) -> int:
    mixed = burst & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    return mixed ^ (mixed >> 16)


@inlined
def channel_of(net: Net, number: int, burst: int) -> int:
    """The channel that a burst of a port goes to."""
    port = net.ports[number]
    return net.lanes[port.lane_first + lane_of(port, burst)]


@inlined
def occupancy(net: Net, number: int, burst: int) -> int:
    """Units of 1/``beats_num`` cycle for which a burst occupies its channel."""
    port = net.ports[number]
    channel = net.channels[channel_of(net, number, burst)]
    size = min(port.burst_bytes, port.tokens * port.token_bytes - burst * port.burst_bytes)
    units = ((size - 1) // channel.beat_bytes + 1) * (channel.write_units if port.writes else channel.read_units)
    if port.random:
        units = max(units, channel.random_short if size <= channel.random_bytes else channel.random_long)
    return units


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
    """A channel takes a burst, not before it is free."""
    port = net.ports[number]
    row = net.bursts[port.burst_first + burst]
    channel = net.channels[channel_of(net, number, burst)]
    row.start = cycle
    row.rest = channel.free_rest if channel.free_at == cycle else 0
    if port.writes:
        row.due = max(cycle + channel.response, channel.free_at + channel.busy_response)
        row.late = 0
    elif channel.free_at + channel.busy_latency < cycle + channel.latency:
        row.due, row.late = cycle + channel.latency, row.rest
    else:
        row.due, row.late = channel.free_at + channel.busy_latency, channel.free_rest
    units = row.rest + occupancy(net, number, burst)
    if units < channel.beats_num:
        units = channel.beats_num
    channel.free_at = cycle + units // channel.beats_num
    channel.free_rest = units % channel.beats_num
    if port.early:
        channel.held = 1 if row.whole == UNKNOWN else 0
        _let_go(channel, row)


@inlined
def _let_go(channel: Records, row: Records) -> None:
    """A burst whose last byte came late holds its channel until then, and is not answered before."""
    row.due = max(row.due, row.whole)
    if channel.free_at < row.whole:
        channel.free_at, channel.free_rest = row.whole, 0


@inlined
def turns_from(net: Net, number: int, burst: int) -> int:
    """When a port of several channels may request a burst as far as those before it go, -1 where it isn't known yet."""
    port = net.ports[number]
    if burst == 0:
        return 0
    rows, lane = port.burst_first, lane_of(port, burst)
    before = burst - 1
    if lane_of(port, before) != lane and port.one_id:
        row, channel = net.bursts[rows + before], net.channels[net.lanes[port.lane_first + lane_of(port, before)]]
        if row.start == UNKNOWN or (port.early and row.whole == UNKNOWN):
            return -1
        units = max(row.rest + occupancy(net, number, before), channel.beats_num)
        ends = row.start + (units - 1) // channel.beats_num + 1
        return max(_taken_before(net, number, burst), max(ends, row.whole) + channel.turn_cycles)
    return _taken_before(net, number, burst)


@inlined
def _taken_before(net: Net, number: int, burst: int) -> int:
    """When the channel of a burst took the port's last one there, -1 where it isn't known yet."""
    port = net.ports[number]
    lane = lane_of(port, burst)
    if port.random:
        before = burst - 1
        while before >= 0 and lane_of(port, before) != lane:
            before -= 1
    elif port.one_id:
        before = burst - 1 if lane_of(port, burst - 1) == lane else -1
    else:
        before = burst - port.lanes
    return net.bursts[port.burst_first + before].start if before >= 0 else 0


@compiled
def earliest_turn(net: Net) -> tuple[int, int]:
    """The shared channel that takes its next burst first, and when; -1 where none has a request."""
    best, best_cycle = -1, 0
    for index in range(net.channels.size):
        channel = net.channels[index]
        if channel.members < 2 or channel.held:
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
    """A port that waits at ``cycle`` gets the channel: of the direction whose turn it is the next after the last."""
    channel = net.channels[index]
    waits_to_read, waits_to_write = -1, -1
    for step in range(channel.members):
        turn = (channel.read_served + 1 + step) % channel.members
        if waits_to_read < 0 and _waits(net, channel.member_first + turn, cycle, 0):
            waits_to_read = turn
        turn = (channel.write_served + 1 + step) % channel.members
        if waits_to_write < 0 and _waits(net, channel.member_first + turn, cycle, 1):
            waits_to_write = turn
    writes = 1 if waits_to_read < 0 else 0
    if waits_to_read >= 0 and waits_to_write >= 0 and channel.writes >= 0:
        turns = channel.write_turns if channel.writes else channel.read_turns
        writes = channel.writes if channel.in_a_row < turns else 1 - channel.writes
    channel.in_a_row = channel.in_a_row + 1 if channel.writes == writes else 1
    channel.writes = writes
    turn = waits_to_write if writes else waits_to_read
    if writes:
        channel.write_served = turn
    else:
        channel.read_served = turn
    member = net.members[channel.member_first + turn]
    port = net.ports[member.port]
    start_burst(net, member.port, member.head, cycle)
    member.head += 1
    while member.head < port.bursts and channel_of(net, member.port, member.head) != index:
        member.head += 1
    push(net, port.process)


@inlined
def _waits(net: Net, index: int, cycle: int, writes: int) -> bool:
    """Whether a port of a direction has a request for a channel by a cycle."""
    port, burst = net.ports[net.members[index].port], net.members[index].head
    if port.writes != writes or burst >= port.requested:
        return False
    return net.bursts[port.burst_first + burst].request <= cycle


# --- Compiled: ports on their local clocks


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
        row = net.bursts[port.burst_first + burst]
        if row.start == UNKNOWN:
            return -1
        port.channel = channel_of(net, number, burst)
        port.begins, port.rest = row.due, row.late
        port.until = (burst + 1) * port.in_burst
        port.beats = 0
    until = (token + 1 - port.until + port.in_burst) * port.token_bytes
    channel = net.channels[port.channel]
    if until > port.beats * channel.beat_bytes:
        port.beats = (until - 1) // channel.beat_bytes + 1
        port.lasts = (port.rest + port.beats * channel.read_units - 1) // channel.beats_num + 1
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
        if port.lanes > 1:
            turn = turns_from(net, number, burst)
            if turn < 0:
                return written
            cycle = max(cycle, turn)
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
        row = net.bursts[port.burst_first + burst]
        if row.start == UNKNOWN:
            return -1
        channel = net.channels[channel_of(net, number, burst)]
        beats = (min(until, (burst + 1) * size) - 1 - burst * size) // channel.beat_bytes + 1
        arrived = max(arrived, row.due + (row.late + beats * channel.read_units - 1) // channel.beats_num + 1)
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
    keeps = port.early or port.lanes > 1
    if keeps:
        _request_ready(net, number)
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
        done = port.whole if keeps else port.requested  # bursts, without division
        if keeps:
            _note_data(net, number, process.visits, cycle)
            _request_ready(net, number)
        while (
            not keeps
            and port.requested < port.bursts
            and last_token(net.ports, number, port.requested) <= process.visits
        ):
            asked = cycle
            if port.requested > 0:
                asked = max(cycle, net.bursts[port.burst_first + port.requested - 1].request + 1)
            request(net, number, asked)
        process.visits += 1
        process.clock = cycle + 1
        if port.gap > 0 and process.visits < port.tokens:
            process.clock += port.gap * ((port.whole if keeps else port.requested) - done)
    finish = _last_response(net, number)
    if finish >= 0:
        process.finish = finish
        process.stall_memory += finish - process.clock


@compiled
def _note_data(net: Net, number: int, token: int, cycle: int) -> None:
    """Notes which bursts a token makes ready to be requested, and which are whole: these hold no channel any more."""
    port = net.ports[number]
    while port.whole < port.bursts and last_token(net.ports, number, port.whole) <= token:
        row = net.bursts[port.burst_first + port.whole]
        row.whole = cycle + 1
        if port.early and row.start != UNKNOWN:
            channel = net.channels[channel_of(net, number, port.whole)]
            channel.held = 0
            _let_go(channel, row)
        port.whole += 1
    until = port.bursts if token == port.tokens - 1 else ((token + 1) * port.token_bytes - 1) // port.burst_bytes + 1
    for burst in range(port.ready, until if port.early else port.whole):
        net.bursts[port.burst_first + burst].ready = cycle
    port.ready = until if port.early else port.whole


@compiled
def _request_ready(net: Net, number: int) -> None:
    """Requests what is ready, in order, while the channels of bursts before let it."""
    port = net.ports[number]
    while port.requested < port.ready:
        burst = port.requested
        cycle = net.bursts[port.burst_first + burst].ready
        if burst > 0:
            cycle = max(cycle, net.bursts[port.burst_first + burst - 1].request + 1)
        if port.lanes > 1:
            turn = turns_from(net, number, burst)
            if turn < 0:
                return
            cycle = max(cycle, turn)
        request(net, number, cycle)


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
    port = net.ports[number]
    row = net.bursts[port.burst_first + burst]
    if row.start == UNKNOWN or (port.early and row.whole == UNKNOWN):
        return -1
    return row.due
