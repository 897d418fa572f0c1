"""Compiled: for how many periods parts of a net with periods of their own go on alone (docs/explanation/max-plus.md).

A part is a set of processes.  Its state is compared as that of a whole net is, but for FIFOs that
leave it: these must hold nobody back, neither in the last period nor in those jumped over, which
is seen token by token from the times that both ends would have.
"""

import numpy as np
from numba import njit

from sttest.sim.maxplus.arrays import NEVER_FULL, PIPELINE, READ_PORT, UNKNOWN, Records, Wholes
from sttest.sim.maxplus.kernel_port import channel_of, cycles_for, last_token, occupancy, request
from sttest.sim.maxplus.kernel_skip import copy_times, move_process
from sttest.sim.maxplus.kernel_state import FOR_EVER, fifo_recurs, repeated_visits

# --- Compiled: memory ports in parts that jump alone: that no burst comes late, and the requests made on the way


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


@njit(cache=True)
def periods_of_programs(
    sources: Wholes,
    processes: Records,
    gap: Wholes,
    pattern: Wholes,
    segments: Records,
    part: Wholes,
    old_processes: Records,
    cycles: Wholes,
    periods: Wholes,
    visits: Wholes,
) -> None:
    """Fills in for how many ``periods`` the programs of each part go on as in the last one, and its visits in that.

    Args, after ``sources``: ``part``: of each process, -1 for none; ``old_processes``: records[parts, processes], each
    part's as they were one period, ``cycles``, ago.
    """
    for which in range(cycles.size):
        periods[which], visits[which] = FOR_EVER, 0
    for i in range(processes.size):
        which = part[i]
        if which < 0:
            continue
        now, old = processes[i], old_processes[which, i]
        passed = now.visits - old.visits
        if passed == 0:
            continue
        visits[which] += passed
        # A port that waits for memory would need the state of its channels compared.
        alike = now.clock - old.clock == cycles[which] and now.stall_memory == old.stall_memory
        left = (now.all_visits - now.visits) // passed
        periods[which] = min(periods[which], left) if alike else 0
    for which in range(cycles.size):
        if visits[which] == 0:
            periods[which] = 0
    looked = 1
    while _walk_on(processes, gap, pattern, segments, part, old_processes, periods, looked):
        looked *= 4


@njit
def _walk_on(
    processes: Records,
    gap: Wholes,
    pattern: Wholes,
    segments: Records,
    part: Wholes,
    old_processes: Records,
    periods: Wholes,
    looked: int,
) -> bool:
    """Compares programs over so many periods; whether some part's may go on for longer."""
    is_longer = False
    for i in range(processes.size):
        which = part[i]
        if which < 0 or periods[which] == 0 or processes[i].kind != PIPELINE:
            continue
        passed = processes[i].visits - old_processes[which, i].visits
        if passed == 0:
            continue
        # One more, so that nothing comes earlier than it would have come in a further period.
        left = processes[i].all_visits - processes[i].visits
        most = min(left, 1 + passed * min(looked, periods[which]))
        alike = repeated_visits(processes, old_processes[which], gap, pattern, segments, i, most)
        if alike < most:
            periods[which] = max(0, alike - 1) // passed
        is_longer = is_longer or periods[which] > looked
    return is_longer


@njit(cache=True)
def fit_components(
    sources: Wholes,
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
    old_fifos: Records,
    cycles: Wholes,
    cycle: int,
    periods: Wholes,
    is_inside: Wholes,
    writes: Wholes,
    reads: Wholes,
) -> None:
    """Shortens ``periods`` to what FIFOs between parts and memory allow.

    Fills in the times of both ends, as they will be, of all FIFOs that are not inside one part.

    Args, after ``sources``: the net; ``part``, ``old_processes``, ``old_fifos`` as in ``periods_of_programs``;
    ``cycle``: until which the net has run; then, filled in per FIFO: whether it repeats together with both its ends,
    and tokens per period of its writer and of its reader, 0 where that one stays.
    """
    for i in range(fifos.size):
        by, to = part[fifos[i].writer], part[fifos[i].reader]
        writes[i] = fifos[i].written - old_fifos[by, i].written if by >= 0 else 0
        reads[i] = fifos[i].read - old_fifos[to, i].read if to >= 0 else 0
        is_inside[i] = (
            by >= 0
            and by == to
            and writes[i] == reads[i]
            and writes[i] > 0
            and fifo_recurs(fifos, old_fifos[by], times, i, cycle, cycle - cycles[by])
        )
        if is_inside[i]:
            continue
        if reads[i] > 0 and _first_late_read(fifos, times, i, fifos[i].read - reads[i], fifos[i].read) >= 0:
            periods[to] = 0
        if writes[i] > 0 and _first_late_write(fifos, times, i, fifos[i].written - writes[i], fifos[i].written) >= 0:
            periods[by] = 0
    _fit_counts(fifos, part, periods, is_inside, writes, reads)
    for i in range(fifos.size):
        if not is_inside[i]:
            by, to = part[fifos[i].writer], part[fifos[i].reader]
            written = _tokens_ahead(part, periods, fifos[i].writer, writes[i])
            read = _tokens_ahead(part, periods, fifos[i].reader, reads[i])
            fill_in_ahead(fifos, times, i, written, read, writes, reads, cycles[by], cycles[to])
    while _is_late(fifos, times, part, periods, is_inside, writes, reads) or fit_ports(
        processes, fifos, times, ports, lanes, bursts, channels, members, part, old_processes, cycles, cycle, periods
    ):
        _fit_counts(fifos, part, periods, is_inside, writes, reads)


@njit
def _first_late_read(fifos: Records, times: Wholes, index: int, first: int, after: int) -> int:
    """The first token, of some, for which its reader had to wait, or may have had to; -1 if there is none."""
    fifo = fifos[index]
    for token in range(first, after):
        if times[fifo.write_first + token] + fifo.raw >= times[fifo.read_first + token]:
            return token
    return -1


@njit
def _first_late_write(fifos: Records, times: Wholes, index: int, first: int, after: int) -> int:
    """The first token, of some, for whose place its writer had to wait, or may have had to; -1 if there is none."""
    fifo = fifos[index]
    if fifo.depth >= NEVER_FULL:
        return -1
    for token in range(max(first, fifo.depth), after):
        if times[fifo.read_first + token - fifo.depth] + fifo.war >= times[fifo.write_first + token]:
            return token
    return -1


@njit
def _tokens_ahead(part: Wholes, periods: Wholes, process: int, each: int) -> int:
    """Tokens that a process will have passed after its periods, ``each`` in one."""
    return each * periods[part[process]] if each > 0 else 0


@njit
def _fit_counts(
    fifos: Records, part: Wholes, periods: Wholes, is_inside: Wholes, writes: Wholes, reads: Wholes
) -> None:
    """Shortens periods until all tokens and places that are used are there at all."""
    is_settled = False
    while not is_settled:
        is_settled = True
        for i in range(fifos.size):
            if is_inside[i]:
                continue
            fifo = fifos[i]
            written = fifo.written + _tokens_ahead(part, periods, fifo.writer, writes[i])
            read = fifo.read + _tokens_ahead(part, periods, fifo.reader, reads[i])
            if written < read:
                periods[part[fifo.reader]] = (written - fifo.read) // reads[i]
                is_settled = False
            elif written - read > fifo.depth:
                periods[part[fifo.writer]] = (read + fifo.depth - fifo.written) // writes[i]
                is_settled = False


@njit
def fill_in_ahead(
    fifos: Records,
    times: Wholes,
    index: int,
    written: int,
    read: int,
    writes: Wholes,
    reads: Wholes,
    writer_cycles: int,
    reader_cycles: int,
) -> None:
    """The times that the ends of a FIFO will have while they pass ``written`` and ``read`` tokens more."""
    fifo = fifos[index]
    first = fifo.write_first + fifo.written
    for at in range(first, first + written):
        times[at] = times[at - writes[index]] + writer_cycles
    first = fifo.read_first + fifo.read
    for at in range(first, first + read):
        times[at] = times[at - reads[index]] + reader_cycles


@njit
def _is_late(
    fifos: Records, times: Wholes, part: Wholes, periods: Wholes, is_inside: Wholes, writes: Wholes, reads: Wholes
) -> bool:
    """Shortens periods until nobody would wait at a FIFO between parts; whether it had to."""
    was_late = False
    for i in range(fifos.size):
        if is_inside[i]:
            continue
        fifo = fifos[i]
        after = fifo.read + _tokens_ahead(part, periods, fifo.reader, reads[i])
        late = _first_late_read(fifos, times, i, fifo.read, after)
        if late >= 0:
            periods[part[fifo.reader]] = (late - fifo.read) // reads[i]
            was_late = True
        after = fifo.written + _tokens_ahead(part, periods, fifo.writer, writes[i])
        late = _first_late_write(fifos, times, i, fifo.written, after)
        if late >= 0:
            periods[part[fifo.writer]] = (late - fifo.written) // writes[i]
            was_late = True
    return was_late


# --- Compiled: parts of a net jump, each over periods of its own (docs/explanation/max-plus.md)


_FEW_TOKENS = 1 << 14


@njit(cache=True)
def move_components(
    sources: Wholes,
    processes: Records,
    fifos: Records,
    times: Wholes,
    gap: Wholes,
    segments: Records,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    part: Wholes,
    old_processes: Records,
    cycles: Wholes,
    periods: Wholes,
    is_inside: Wholes,
    writes: Wholes,
    reads: Wholes,
) -> None:
    """Moves every part on by its periods; arguments are those of ``fit_parts``, which has filled in the last four.

    Times of FIFOs that pass few tokens are filled in: longer periods show in them.  They count as outside then.
    """
    for number in range(ports.size):
        i = ports[number].process
        which = part[i]
        if which >= 0 and periods[which] > 0 and processes[i].visits > old_processes[which, i].visits:
            passed = processes[i].visits - old_processes[which, i].visits
            make_requests(
                processes, fifos, times, ports, lanes, bursts, channels, number, passed, cycles[which], periods[which]
            )
    for i in range(fifos.size):
        by, to = part[fifos[i].writer], part[fifos[i].reader]
        if is_inside[i] and periods[by] * writes[i] <= _FEW_TOKENS:
            fill_in_ahead(
                fifos, times, i, periods[by] * writes[i], periods[to] * reads[i], writes, reads, cycles[by], cycles[to]
            )
            is_inside[i] = 0
        elif is_inside[i]:
            _copy_live_times(fifos, times, i, writes[i], periods[by], cycles[by])
        if writes[i] > 0:
            fifos[i].written += periods[by] * writes[i]
        if reads[i] > 0:
            fifos[i].read += periods[to] * reads[i]
    for i in range(processes.size):
        which = part[i]
        if which >= 0 and periods[which] > 0:
            move_process(processes, old_processes[which], gap, segments, i, periods[which], cycles[which])


@njit
def _copy_live_times(fifos: Records, times: Wholes, index: int, tokens: int, periods: int, cycles: int) -> None:
    """The times in a FIFO inside a part that are still needed, where they will be looked for."""
    fifo = fifos[index]
    held = fifo.written - fifo.read
    copy_times(times, fifo.write_first, fifo.written, held, tokens, held, periods, cycles)
    if fifo.depth < NEVER_FULL:
        places = fifo.depth - held
        copy_times(times, fifo.read_first, fifo.read, min(fifo.read, places), tokens, places, periods, cycles)


# --- Compiled: which FIFOs held one of their ends back lately.  A guess at what belongs together; jumps check it


@njit(cache=True)
def find_ties(
    sources: Wholes, fifos: Records, times: Wholes, written: Wholes, read: Wholes, since: int, tied: Wholes
) -> None:
    """Sets ``tied`` to 1 for FIFOs one of whose ends waited for the other after the cycle ``since``, else to 0.

    Args, after ``sources``: ``written``, ``read``: per FIFO, its tokens at that cycle.
    """
    for i in range(fifos.size):
        tied[i] = _waited_for_token(fifos, times, i, read[i], since) or _waited_for_place(
            fifos, times, i, written[i], since
        )


@njit(cache=True)
def find_groups(sources: Wholes, fifos: Records, joins: Wholes, first: Wholes) -> None:
    """Sets ``first`` of each process to the first of those that it hangs together with, by the FIFOs that join.

    Args, after ``sources``: ``joins``: per FIFO, whether it joins its ends; ``first``: any numbers, int64[P].
    """
    for i in range(first.size):
        first[i] = i
    for i in range(fifos.size):
        if joins[i]:
            one, other = _root(first, fifos[i].writer), _root(first, fifos[i].reader)
            first[max(one, other)] = min(one, other)
    for i in range(first.size):
        first[i] = _root(first, i)


@njit
def _root(first: Wholes, index: int) -> int:
    while first[index] != index:
        first[index] = first[first[index]]
        index = first[index]
    return index


@njit
def _waited_for_token(fifos: Records, times: Wholes, index: int, first: int, since: int) -> bool:
    fifo = fifos[index]
    for token in range(fifo.read - 1, first - 1, -1):
        cycle = times[fifo.read_first + token]
        if cycle <= since:
            return False
        if cycle == times[fifo.write_first + token] + fifo.raw:
            return True
    return False


@njit
def _waited_for_place(fifos: Records, times: Wholes, index: int, first: int, since: int) -> bool:
    fifo = fifos[index]
    if fifo.depth >= NEVER_FULL:
        return False
    for token in range(fifo.written - 1, max(first, fifo.depth) - 1, -1):
        cycle = times[fifo.write_first + token]
        if cycle <= since:
            return False
        if cycle == times[fifo.read_first + token - fifo.depth] + fifo.war:
            return True
    return False
