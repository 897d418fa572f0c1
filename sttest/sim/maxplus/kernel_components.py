"""Compiled: for how many periods parts of a net with periods of their own go on alone (docs/how-it-works/max-plus.md).

A part is a set of processes.  Its state is compared as that of a whole net is, but for FIFOs that
leave it: these must hold nobody back, neither in the last period nor in those jumped over, which
is seen token by token from the times that both ends would have.
"""

from sttest.sim.maxplus.arrays import (
    NEVER_FULL,
    PIPELINE,
    READ_PORT,
    UNKNOWN,
    Components,
    Net,
    PastOfParts,
    Records,
    RepeatLinks,
    Wholes,
)
from sttest.sim.maxplus.kernel_port import channel_of, compiled, entry_point, last_token, occupancy, request
from sttest.sim.maxplus.kernel_skip import FOR_EVER, copy_times, fifo_recurs, move_process, repeated_visits

# --- Compiled: memory ports in parts that jump alone: that no burst comes late, and the requests made on the way


@compiled
def _fit_ports(net: Net, parts: Components, past: PastOfParts, cycle: int) -> bool:
    """Shortens periods until no port would wait for memory; whether it had to."""
    was_late = False
    for number in range(net.ports.size):
        which = parts.part[net.ports[number].process]
        if which < 0 or parts.periods[which] == 0:
            continue
        process = net.processes[net.ports[number].process]
        passed = process.visits - past.processes[past.state[which], net.ports[number].process].visits
        if passed == 0:
            continue
        after = process.visits + parts.periods[which] * passed
        late = _first_late_token(net, number, cycle, passed, parts.cycles[which], after)
        if late >= 0:
            parts.periods[which] = (late - process.visits) // passed
            was_late = True
    return was_late


@compiled
def _first_late_token(net: Net, number: int, cycle: int, passed: int, cycles: int, after: int) -> int:
    """The first token before ``after`` that may have to wait for memory; -1 if there is none."""
    port = net.ports[number]
    process = net.processes[port.process]
    if port.early or port.lanes > 1:
        return process.visits  # their bursts wait for more than is looked at here
    if port.gap > 0 and passed * port.token_bytes % port.burst_bytes != 0:
        return process.visits  # a gap comes after each burst, not in each period
    is_read = process.kind == READ_PORT
    behind = 0 if is_read else port.window  # a write port needs the place of the burst a window earlier
    begin = max(0, process.visits * port.token_bytes // port.burst_bytes - behind)
    end = max(begin, (after * port.token_bytes - 1) // port.burst_bytes + 1 - behind)
    asked = 0 if port.requested == 0 else net.bursts[port.burst_first + port.requested - 1].request
    channel = net.channels[channel_of(net, number, 0)]
    free, rest = channel.free_at, channel.free_rest
    for burst in range(begin, end):
        if burst >= port.requested:
            asked = _request_cycle(net, number, burst, asked, passed, cycles)
        row = net.bursts[port.burst_first + burst]
        if burst < port.requested and row.start != UNKNOWN:
            latest, due, rests = row.start, row.due, row.rest
        else:
            latest = max(row.request if burst < port.requested else asked, free)
            if channel.members > 1:
                latest = max(latest, cycle) + _longest_wait(net, number)
            rests = rest if latest == free else 0
            if is_read:
                due = max(latest + channel.latency, free + channel.busy_latency)
            else:
                due = max(latest + channel.response, free + channel.busy_response)
            units = max(rests + occupancy(net, number, burst), channel.beats_num)
            free, rest = latest + units // channel.beats_num, units % channel.beats_num
            if channel.members > 1:
                due = latest + (channel.busy_latency if is_read else channel.busy_response)
        done = due
        if is_read:
            done += (rests + occupancy(net, number, burst) - 1) // channel.beats_num + 1
        token = max((burst + behind) * port.burst_bytes // port.token_bytes, process.visits)
        if token >= after:
            return -1
        since = process.clock
        if token > process.visits:
            since = _passes_at(net, number, token - 1, passed, cycles) + 1
        if done + (0 if is_read else 1) > since:
            return token
    return -1


@compiled
def _longest_wait(net: Net, number: int) -> int:
    """Cycles that a port waits at most for its turn on a channel that it shares, with what is being served."""
    channel = net.channels[channel_of(net, number, 0)]
    writes = net.ports[number].writes
    longest, own, others = 0, 0, 0
    for i in range(channel.member_first, channel.member_first + channel.members):
        port = net.ports[net.members[i].port]
        units = ((port.burst_bytes - 1) // channel.beat_bytes + 1) * max(channel.read_units, channel.write_units)
        units = max(units, channel.random_short, channel.random_long)
        longest = max(longest, units // channel.beats_num + 2)
        if port.writes == writes:
            own += 1
        else:
            others += 1
    if others > 0:
        turns, others = channel.read_turns, channel.write_turns
        if writes:
            turns, others = channel.write_turns, channel.read_turns
        own += (own // turns + 1) * others
    return (own + 1) * longest


@compiled
def _passes_at(net: Net, number: int, token: int, passed: int, cycles: int) -> int:
    """When a port passes a token, as it will be where the last period repeats."""
    process = net.processes[net.ports[number].process]
    fifo = net.fifos[net.ports[number].fifo]
    first = fifo.read_first
    if process.kind == READ_PORT:
        first = fifo.write_first + fifo.written - process.visits
    if token < process.visits:
        return net.times[first + token]
    back = (token - process.visits) // passed + 1
    return net.times[first + token - back * passed] + back * cycles


@compiled
def _request_cycle(net: Net, number: int, burst: int, asked: int, passed: int, cycles: int) -> int:
    """When a port requests a burst; ``asked``: when the one before."""
    port = net.ports[number]
    cycle = asked + 1 if burst > 0 else port.begin
    is_read = net.processes[port.process].kind == READ_PORT
    frees = burst - port.window if is_read else burst
    if frees < 0:
        return cycle
    token = last_token(net.ports, number, frees)
    passes = _passes_at(net, number, token, passed, cycles)
    return max(cycle, passes + 1 if is_read else passes)


@compiled
def _make_requests(net: Net, number: int, passed: int, cycles: int, periods: int) -> None:
    """Makes the requests of a port that passes so many periods; to be called before it has moved."""
    port = net.ports[number]
    process = net.processes[port.process]
    after = process.visits + periods * passed
    behind = port.window if process.kind == READ_PORT else 0
    asked = 0 if port.requested == 0 else net.bursts[port.burst_first + port.requested - 1].request
    while port.requested < port.bursts:
        burst = port.requested
        if burst >= behind and last_token(net.ports, number, burst - behind) >= after:
            return
        asked = _request_cycle(net, number, burst, asked, passed, cycles)
        request(net, number, asked)


@compiled
def _periods_of_programs(net: Net, parts: Components, past: PastOfParts) -> None:
    """Fills in for how many ``periods`` the programs of each part go on as in the last one, and its visits in that."""
    for which in range(parts.cycles.size):
        parts.periods[which], parts.visits[which] = FOR_EVER, 0
    for i in range(net.processes.size):
        which = parts.part[i]
        if which < 0:
            continue
        now, old = net.processes[i], past.processes[past.state[which], i]
        passed = now.visits - old.visits
        if passed == 0:
            continue
        parts.visits[which] += passed
        # A port that waits for memory would need the state of its channels compared.
        alike = now.clock - old.clock == parts.cycles[which] and now.stall_memory == old.stall_memory
        left = (now.all_visits - now.visits) // passed
        parts.periods[which] = min(parts.periods[which], left) if alike else 0
    for which in range(parts.cycles.size):
        if parts.visits[which] == 0:
            parts.periods[which] = 0
    looked = 1
    while _walk_on(net, parts, past, looked):
        looked *= 4


@compiled
def _walk_on(net: Net, parts: Components, past: PastOfParts, looked: int) -> bool:
    """Compares programs over so many periods; whether some part's may go on for longer."""
    is_longer = False
    for i in range(net.processes.size):
        which = parts.part[i]
        if which < 0 or parts.periods[which] == 0 or net.processes[i].kind != PIPELINE:
            continue
        passed = net.processes[i].visits - past.processes[past.state[which], i].visits
        if passed == 0:
            continue
        # One more, so that nothing comes earlier than it would have come in a further period.
        left = net.processes[i].all_visits - net.processes[i].visits
        most = min(left, 1 + passed * min(looked, parts.periods[which]))
        alike = repeated_visits(net, past.processes[past.state[which]], i, most)
        if alike < most:
            parts.periods[which] = max(0, alike - 1) // passed
        is_longer = is_longer or parts.periods[which] > looked
    return is_longer


@entry_point
def fit_components(
    sources: Wholes, net: Net, parts: Components, past: PastOfParts, cycle: int, links: RepeatLinks
) -> None:
    """Shortens ``periods`` to what FIFOs between parts and memory allow.

    Fills in ``links``, and of all FIFOs that are not inside one part the times that both ends will have; the net
    has run until ``cycle``.
    """
    for i in range(net.fifos.size):
        by, to = parts.part[net.fifos[i].writer], parts.part[net.fifos[i].reader]
        links.writes[i] = net.fifos[i].written - past.fifos[past.state[by], i].written if by >= 0 else 0
        links.reads[i] = net.fifos[i].read - past.fifos[past.state[to], i].read if to >= 0 else 0
        links.is_inside[i] = (
            by >= 0
            and by == to
            and links.writes[i] == links.reads[i]
            and links.writes[i] > 0
            and fifo_recurs(net, past.fifos[past.state[by]], i, cycle, cycle - parts.cycles[by])
        )
        if links.is_inside[i]:
            continue
        if links.reads[i] > 0 and _first_late(net, i, 0, net.fifos[i].read - links.reads[i], net.fifos[i].read) >= 0:
            parts.periods[to] = 0
        written = net.fifos[i].written
        if links.writes[i] > 0 and _first_late(net, i, 1, written - links.writes[i], written) >= 0:
            parts.periods[by] = 0
    _fit_counts(net, parts, links)
    for i in range(net.fifos.size):
        if not links.is_inside[i]:
            by, to = parts.part[net.fifos[i].writer], parts.part[net.fifos[i].reader]
            written = _tokens_ahead(parts, net.fifos[i].writer, links.writes[i])
            read = _tokens_ahead(parts, net.fifos[i].reader, links.reads[i])
            _fill_in_ahead(net, i, written, read, links, parts.cycles[by], parts.cycles[to])
    while _is_late(net, parts, links) or _fit_ports(net, parts, past, cycle):
        _fit_counts(net, parts, links)


@compiled
def _ends_of(fifo: Records, is_write: int) -> tuple[int, int, int, int]:
    """Where the times of one end lie, and of the other; how many tokens it is ahead of it, and cycles later."""
    if is_write:
        return fifo.write_first, fifo.read_first, fifo.depth, fifo.war
    return fifo.read_first, fifo.write_first, 0, fifo.raw


@compiled
def _first_late(net: Net, index: int, is_write: int, first: int, after: int) -> int:
    """The first token, of some, for which, or for whose place, an end had to wait, or may have had to; -1 if none."""
    here, there, ahead, cycles = _ends_of(net.fifos[index], is_write)
    for token in range(max(first, ahead), after):
        if net.times[there + token - ahead] + cycles >= net.times[here + token]:
            return token
    return -1


@compiled
def _tokens_ahead(parts: Components, process: int, each: int) -> int:
    """Tokens that a process will have passed after its periods, ``each`` in one."""
    return each * parts.periods[parts.part[process]] if each > 0 else 0


@compiled
def _fit_counts(net: Net, parts: Components, links: RepeatLinks) -> None:
    """Shortens periods until all tokens and places that are used are there at all."""
    is_settled = False
    while not is_settled:
        is_settled = True
        for i in range(net.fifos.size):
            if links.is_inside[i]:
                continue
            fifo = net.fifos[i]
            written = fifo.written + _tokens_ahead(parts, fifo.writer, links.writes[i])
            read = fifo.read + _tokens_ahead(parts, fifo.reader, links.reads[i])
            if written < read:
                parts.periods[parts.part[fifo.reader]] = (written - fifo.read) // links.reads[i]
                is_settled = False
            elif written - read > fifo.depth:
                parts.periods[parts.part[fifo.writer]] = (read + fifo.depth - fifo.written) // links.writes[i]
                is_settled = False


@compiled
def _fill_in_ahead(
    net: Net, index: int, written: int, read: int, links: RepeatLinks, writer_cycles: int, reader_cycles: int
) -> None:
    """The times that the ends of a FIFO will have while they pass ``written`` and ``read`` tokens more."""
    fifo = net.fifos[index]
    first = fifo.write_first + fifo.written
    for at in range(first, first + written):
        net.times[at] = net.times[at - links.writes[index]] + writer_cycles
    first = fifo.read_first + fifo.read
    for at in range(first, first + read):
        net.times[at] = net.times[at - links.reads[index]] + reader_cycles


@compiled
def _is_late(net: Net, parts: Components, links: RepeatLinks) -> bool:
    """Shortens periods until nobody would wait at a FIFO between parts; whether it had to."""
    was_late = False
    for i in range(net.fifos.size):
        if links.is_inside[i]:
            continue
        fifo = net.fifos[i]
        for is_write in range(2):
            process, done, each = fifo.reader, fifo.read, links.reads[i]
            if is_write:
                process, done, each = fifo.writer, fifo.written, links.writes[i]
            late = _first_late(net, i, is_write, done, done + _tokens_ahead(parts, process, each))
            if late >= 0:
                parts.periods[parts.part[process]] = (late - done) // each
                was_late = True
    return was_late


# --- Compiled: parts of a net jump, each over periods of its own (docs/how-it-works/max-plus.md)


_FEW_TOKENS = 1 << 14


@entry_point
def move_components(sources: Wholes, net: Net, parts: Components, past: PastOfParts, links: RepeatLinks) -> None:
    """Moves every part on by its periods, after ``fit_components``.

    Times of FIFOs that pass few tokens are filled in: longer periods show in them.  They count as outside then.
    """
    for number in range(net.ports.size):
        i = net.ports[number].process
        which = parts.part[i]
        if (
            which >= 0
            and parts.periods[which] > 0
            and net.processes[i].visits > past.processes[past.state[which], i].visits
        ):
            passed = net.processes[i].visits - past.processes[past.state[which], i].visits
            _make_requests(net, number, passed, parts.cycles[which], parts.periods[which])
    for i in range(net.fifos.size):
        by, to = parts.part[net.fifos[i].writer], parts.part[net.fifos[i].reader]
        if links.is_inside[i] and parts.periods[by] * links.writes[i] <= _FEW_TOKENS:
            written, read = parts.periods[by] * links.writes[i], parts.periods[to] * links.reads[i]
            _fill_in_ahead(net, i, written, read, links, parts.cycles[by], parts.cycles[to])
            links.is_inside[i] = 0
        elif links.is_inside[i]:
            _copy_live_times(net, i, links.writes[i], parts.periods[by], parts.cycles[by])
        if links.writes[i] > 0:
            net.fifos[i].written += parts.periods[by] * links.writes[i]
        if links.reads[i] > 0:
            net.fifos[i].read += parts.periods[to] * links.reads[i]
    for i in range(net.processes.size):
        which = parts.part[i]
        if which >= 0 and parts.periods[which] > 0:
            move_process(net, past.processes[past.state[which]], i, parts.periods[which], parts.cycles[which])


@compiled
def _copy_live_times(net: Net, index: int, tokens: int, periods: int, cycles: int) -> None:
    """The times in a FIFO inside a part that are still needed, where they will be looked for."""
    fifo = net.fifos[index]
    held = fifo.written - fifo.read
    copy_times(net.times, fifo.write_first, fifo.written, held, tokens, held, periods, cycles)
    if fifo.depth < NEVER_FULL:
        places = fifo.depth - held
        copy_times(net.times, fifo.read_first, fifo.read, min(fifo.read, places), tokens, places, periods, cycles)


# --- Compiled: which FIFOs held one of their ends back lately.  A guess at what belongs together; jumps check it


@entry_point
def find_components(
    sources: Wholes,
    net: Net,
    past: PastOfParts,
    since: int,
    cycle: int,
    parts: Components,
    links: RepeatLinks,
    notes: Wholes,
) -> int:
    """Fills in ``parts``, the busiest first, with what hung together after the cycle ``since``; gives their number.

    Their periods are for how long they may go on as they did since; 0 if FIFOs or memory do not allow one.

    Args, after ``sources``: ``past``: the one state right after ``since``; ``cycle``: how far the net has run;
    ``links``, ``notes``: any numbers; int64[3, P], but at least as many as parts.
    """
    first, work, periods = notes[0][: net.processes.size], notes[1][: net.processes.size], notes[2]
    _find_groups(net, past, since, first, work)
    count = _number_groups(parts.part, first, work, parts.cycles.size)
    if count == 0:
        return 0
    found = Components(parts.part, parts.cycles[:count], parts.periods[:count], parts.visits[:count])
    found.cycles[:] = cycle - since
    _periods_of_programs(net, found, past)
    for which in range(count):
        periods[which] = found.periods[which]
        found.periods[which] = min(found.periods[which], 1)
    # Whether FIFOs and memory allow one period says whether it is one at all.
    fit_components(sources, net, found, past, cycle, links)
    for which in range(count):
        found.periods[which] *= periods[which]
    return count


@compiled
def _find_groups(net: Net, past: PastOfParts, since: int, first: Wholes, work: Wholes) -> None:
    """Sets ``first`` of each process to the first of those that it hangs together with, by FIFOs that held it back.

    ``work``: the visits of all of them; 0 but for the first.
    """
    for i in range(first.size):
        first[i], work[i] = i, 0
    for i in range(net.fifos.size):
        by, to, old = net.fifos[i].writer, net.fifos[i].reader, past.fifos[0, i]
        if (
            net.processes[by].visits > past.processes[0, by].visits
            and net.processes[to].visits > past.processes[0, to].visits
            and (_waited(net, i, 0, old.read, since) or _waited(net, i, 1, old.written, since))
        ):
            one, other = _root(first, by), _root(first, to)
            first[max(one, other)] = min(one, other)
    for i in range(first.size):
        first[i] = _root(first, i)
        work[first[i]] += net.processes[i].visits - past.processes[0, i].visits


@compiled
def _number_groups(part: Wholes, first: Wholes, work: Wholes, most: int) -> int:
    """Numbers up to so many groups that did something, the busiest first; -1 for the processes of others."""
    for i in range(part.size):
        part[i] = -1
    for number in range(most):
        busiest = 0
        for i in range(work.size):
            if work[i] > work[busiest]:
                busiest = i
        if work[busiest] == 0:
            return number
        work[busiest] = 0
        for i in range(part.size):
            if first[i] == busiest:
                part[i] = number
    return most


@compiled
def _root(first: Wholes, index: int) -> int:
    while first[index] != index:
        first[index] = first[first[index]]
        index = first[index]
    return index


@compiled
def _waited(net: Net, index: int, is_write: int, first: int, since: int) -> bool:
    """Whether an end waited for the other after the cycle ``since``, for a token from ``first`` on or its place."""
    fifo = net.fifos[index]
    here, there, ahead, cycles = _ends_of(fifo, is_write)
    for token in range((fifo.written if is_write else fifo.read) - 1, max(first, ahead) - 1, -1):
        cycle = net.times[here + token]
        if cycle <= since:
            return False
        if cycle == net.times[there + token - ahead] + cycles:
            return True
    return False
