"""Compiled: skips whole periods where a graph is in the state of an earlier cycle (docs/how-it-works/max-plus.md).

All processes are further on in their programs then.  Both states are those right after a cycle: every visit up to it
is done and none after it.  So nothing of what follows happens at that cycle or before, and a time that asks for no
more than that is as good as none.  Processes and FIFOs that did nothing in between hold no time that moved, and are
let alone.
"""

from typing import Any

import numpy as np

from sttest.core.machine_code import kept_on_disk
from sttest.sim.maxplus.arrays import (
    BEFORE_TIME,
    NEVER_FULL,
    PIPELINE,
    READ_PORT,
    UNKNOWN,
    Net,
    Records,
    Snapshot,
    Wholes,
)
from sttest.sim.maxplus.kernel import earliest, next_row
from sttest.sim.maxplus.kernel_port import arrival, channel_of, compiled, entry_point, inlined, occupancy, place_for

FOR_EVER = 1 << 60
"""More periods than any run has."""
_NEVER = 1 << 61


# --- Compiled: whether the state of an earlier cycle has come again


@compiled
def _periods_of_fifos(net: Net, past: Snapshot, cycle: int) -> int:
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
def _processes_recur(net: Net, past: Snapshot, cycles: int) -> bool:
    """Whether the clocks of all that did something moved by so many cycles."""
    for i in range(net.processes.size):
        now, old = net.processes[i], past.processes[i]
        if now.visits != old.visits and now.clock - old.clock != cycles:
            return False
    return True


@compiled
def _ports_recur(net: Net, past: Snapshot, cycle: int) -> bool:
    """Whether the bursts in flight of every memory port that did something are where they were."""
    for number in range(net.ports.size):
        port, old = net.ports[number], past.ports[number]
        tokens = net.processes[port.process].visits - past.processes[port.process].visits
        requests = port.requested - old.requested
        if requests * port.burst_bytes != tokens * port.token_bytes or requests % port.lanes != 0:
            return False
        if requests == 0:
            continue
        if not _asks_at_once(port) or not _asks_at_once(old):
            return False
        first = _first_in_flight(net, number)
        if first < requests or old.requested == 0:
            return False
        # A port that waits since before the cycle waits for memory first, then for its FIFO: when memory was ready
        # counts from its clock on.
        waits = max(0, cycle - net.processes[port.process].clock)
        for burst in range(first, port.requested):
            channel = net.channels[channel_of(net, number, burst)]
            row, old_row = net.bursts[port.burst_first + burst], net.bursts[port.burst_first + burst - requests]
            now, was = row.start, old_row.start
            lasts = 1 if port.writes else occupancy(net, number, burst) // channel.beats_num + 3
            if now != UNKNOWN and row.due + lasts <= cycle - waits and old_row.due + lasts <= past.cycle - waits:
                continue
            if channel.members > 1 and (now == UNKNOWN or was > past.cycle):
                # A turn was not taken before its cycle, and may have been since.
                if now != UNKNOWN or was <= past.cycle:
                    return False
            elif (
                now - was != cycle - past.cycle
                or row.due - old_row.due != now - was
                or row.rest != old_row.rest
                or row.late != old_row.late
            ):
                return False
        last = port.burst_first + port.requested - 1
        if max(0, net.bursts[last].request - cycle) != max(0, net.bursts[last - requests].request - past.cycle):
            return False
    return True


@inlined
def _asks_at_once(port: Any) -> bool:
    """Whether what a port waits for is compared: early ones, and those with one ID or a hash, wait for more."""
    if port.early or (port.lanes > 1 and (port.random or port.one_id)):
        return False
    return port.lanes == 1 or not port.writes or port.ready == port.requested


@compiled
def _first_in_flight(net: Net, number: int) -> int:
    """The first burst of a port whose start still matters; negative where the first bursts have not mattered yet."""
    port = net.ports[number]
    process = net.processes[port.process]
    first = process.visits * port.token_bytes // port.burst_bytes
    return first if process.kind == READ_PORT else first - port.window


@compiled
def _channels_recur(net: Net, past: Snapshot, cycle: int) -> bool:
    """Whether every channel that was used is free as soon as it was, with the same requests and the same turn."""
    for index in range(net.channels.size):
        channel, old = net.channels[index], past.channels[index]
        used = False
        for i in range(channel.member_first, channel.member_first + channel.members):
            number = net.members[i].port
            used = used or net.ports[number].requested != past.ports[number].requested
            if channel.members > 1 and not _member_recurs(net, past, index, i, cycle - past.cycle):
                return False
        if used and not _channel_recurs(channel, old, cycle, past.cycle):
            return False
    return True


@compiled
def _channel_recurs(channel: Records, old: Records, cycle: int, old_cycle: int) -> bool:
    """Whether a channel is free as it was, and whose turn it is."""
    if channel.members > 1:
        most = max(channel.read_turns, channel.write_turns)
        if (
            channel.read_served != old.read_served
            or channel.write_served != old.write_served
            or channel.writes != old.writes
            or min(channel.in_a_row, most) != min(old.in_a_row, most)
        ):
            return False
    # When it became free counts for as long as what it takes next comes later for it.
    busy = max(channel.busy_latency - channel.latency, channel.busy_response - channel.response)
    after, old_after = channel.free_at - cycle, old.free_at - old_cycle
    if max(-busy, after) != max(-busy, old_after):
        return False
    return after <= -busy or channel.free_rest == old.free_rest


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
        segment, left, stage, stages = next_row(now, net, segment, left, stage)
        old_segment, old_left, old_stage, old_stages = next_row(now, net, old_segment, old_left, old_stage)
        count += 1
    return most


@compiled
def _seek(net: Net, index: int) -> None:
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


# --- Compiled: the jump


@entry_point
def skip_periods(sources: Wholes, net: Net, past: Snapshot, cycle: int, least: int) -> int:
    """Jumps over as many periods as are sure to follow, and says how many; -1 where that isn't worth it, 0 for none.

    Args:
        sources: stamp that names the compiled code.
        net: net as it is after ``cycle``.
        past: its state after an earlier cycle.
        cycle: cycle up to which the net has run.
        least: visits that are worth a jump.
    """
    cycles = cycle - past.cycle
    periods = _periods_of_fifos(net, past, cycle)
    if not (
        periods > 0
        and _processes_recur(net, past, cycles)
        and _ports_recur(net, past, cycle)
        and _channels_recur(net, past, cycle)
    ):
        return 0
    periods = min(periods, _periods_ahead(net, past, least))
    for i in range(net.processes.size):
        if net.processes[i].visits == past.processes[i].visits:
            asleep = _periods_asleep(net, past, i)
            if asleep < 0:
                wakes = _wakes_at(net, i)
                asleep = (wakes - 1 - cycle) // cycles
            periods = min(periods, asleep)
    # What fills is fullest in the last period, which is left to be run: how full is to be known.
    periods -= _fills(net, past)
    visits = 0
    for i in range(net.processes.size):
        visits += net.processes[i].visits - past.processes[i].visits
    if visits == 0 or periods <= 0:
        return 0
    if periods * visits < least:
        return -1
    _move_channels(net, past, periods, cycles)
    _move_ports(net, past, periods, cycles)
    _move_fifos(net, past, periods, cycles)
    for i in range(net.processes.size):
        move_process(net, past.processes, i, periods, cycles)
    return periods


@compiled
def _periods_ahead(net: Net, past: Snapshot, least: int) -> int:
    """Periods for which all programs go on as in the last one; a port's last burst, which may be short, is left out."""
    periods = FOR_EVER
    for number in range(net.ports.size):
        port = net.ports[number]
        requests = port.requested - past.ports[number].requested
        if requests > 0:
            periods = min(periods, (port.bursts - 1 - port.requested) // requests)
    looked = 0
    while looked < periods and (looked == 0 or least < FOR_EVER):
        looked = max(1, 4 * looked)  # far for one process is in vain where another leaves its repetition soon
        for i in range(net.processes.size):
            visits = net.processes[i].visits - past.processes[i].visits
            if visits == 0 or net.processes[i].kind != PIPELINE:
                continue
            left = net.processes[i].all_visits - net.processes[i].visits
            periods = min(periods, left // visits)
            if periods <= 0:
                return 0
            # One more, so that nothing comes earlier than it would have come in a further period.
            most = min(left, 1 + visits * min(looked, periods))
            alike = repeated_visits(net, past.processes, i, most)
            if alike < most:
                periods = min(periods, (alike - 1) // visits)
    return max(0, periods)


@compiled
def _periods_asleep(net: Net, past: Snapshot, index: int) -> int:
    """For how many periods a process that did nothing waits for tokens or places to come; -1 if all are there.

    Ports need no answer: for one token they would not have waited through a period in which some came.
    """
    process = net.processes[index]
    if process.kind != PIPELINE or process.visits == process.all_visits:
        return -1
    periods = -1
    for i in range(net.pointer[net.pattern[process.stage]], net.pointer[net.pattern[process.stage] + 1]):
        fifo, old = net.fifos[net.op[i] >> 1], past.fifos[net.op[i] >> 1]
        if net.op[i] & 1:
            missing, more = fifo.written + net.tokens[i] - fifo.depth - fifo.read, fifo.read - old.read
        else:
            missing, more = fifo.read + net.tokens[i] - fifo.written, fifo.written - old.written
        if missing > 0:
            periods = max(periods, (missing - 1) // more if more > 0 else FOR_EVER)
    return periods


@compiled
def _wakes_at(net: Net, index: int) -> int:
    """When a process that did nothing will go on by itself; never, where it waits for tokens or space."""
    process = net.processes[index]
    if process.visits == process.all_visits:
        return _NEVER
    if process.kind == PIPELINE:
        first, last = net.pointer[net.pattern[process.stage]], net.pointer[net.pattern[process.stage] + 1]
        ready, _ = earliest(net, first, last, process.clock + process.gap)
        return ready if ready >= 0 else _NEVER
    fifo = net.fifos[net.ports[process.number].fifo]
    if process.kind == READ_PORT:
        freed = fifo.written - fifo.depth
        if freed >= fifo.read:
            return _NEVER
        passes = net.times[fifo.read_first + freed] + fifo.war if freed >= 0 else 0
        return max(process.clock, passes, arrival(net, process.number, process.visits))
    if fifo.read >= fifo.written:
        return _NEVER
    passes = net.times[fifo.write_first + fifo.read] + fifo.raw
    return max(process.clock, passes, place_for(net, process.number, process.visits))


@compiled
def move_process(net: Net, old_processes: Records, index: int, periods: int, cycles: int) -> None:
    """Moves a process on by so many periods, if it did something in the last one."""
    process, old = net.processes[index], old_processes[index]
    visits = process.visits - old.visits
    if visits == 0:
        return
    process.visits += periods * visits
    process.clock += periods * cycles
    process.stall_in += periods * (process.stall_in - old.stall_in)
    process.stall_out += periods * (process.stall_out - old.stall_out)
    process.stall_memory += periods * (process.stall_memory - old.stall_memory)
    if process.kind == PIPELINE:
        _seek(net, index)
    else:
        port = net.ports[process.number]
        port.asks_at = port.until = 0
        if port.gap > 0 and process.visits == port.tokens:
            # Its clock stood behind the gap of a burst that others follow; no gap follows the last.
            whole = port.tokens * port.token_bytes // port.burst_bytes
            process.clock -= port.gap * (whole - (port.tokens - 1) * port.token_bytes // port.burst_bytes)


@compiled
def _fills(net: Net, past: Snapshot) -> int:
    """1 where some FIFO holds more than it did, else 0."""
    for i in range(net.fifos.size):
        if net.fifos[i].written - net.fifos[i].read > past.fifos[i].written - past.fifos[i].read:
            return 1
    return 0


@compiled
def _move_fifos(net: Net, past: Snapshot, periods: int, cycles: int) -> None:
    """Counts on, and copies the times that are still needed to where they will be looked for."""
    for i in range(net.fifos.size):
        fifo, old = net.fifos[i], past.fifos[i]
        written, read = fifo.written - old.written, fifo.read - old.read
        held = fifo.written - fifo.read
        wanted = held + periods * (written - read)
        if written > 0:
            asked = max(wanted, _looked_back_at(net, fifo.writer))
            copy_times(net.times, fifo.write_first, fifo.written, held, written, asked, periods, cycles)
        if read > 0 and fifo.depth < NEVER_FULL:
            kept = min(fifo.read, fifo.depth - held)
            copy_times(net.times, fifo.read_first, fifo.read, kept, read, fifo.depth - wanted, periods, cycles)
        fifo.written += periods * written
        fifo.read += periods * read


@compiled
def _looked_back_at(net: Net, index: int) -> int:
    """Tokens that a read port looks back at to request its next burst, where that waits for the channels of others.

    These tokens were written before what it waits for, so that it is enough to know that.
    """
    process = net.processes[index]
    if process.kind != READ_PORT or net.ports[process.number].lanes == 1:
        return 0
    port = net.ports[process.number]
    return port.window * port.burst_bytes // port.token_bytes + 1


@compiled
def copy_times(
    times: Wholes, first: int, count: int, kept: int, passed: int, wanted: int, periods: int, cycles: int
) -> None:
    """Fills in the last ``wanted`` times after a jump, from the last ``kept`` before it.

    What was not kept, because nobody could need it any more, needs no time after the jump either.
    """
    after = count + periods * passed
    for to in range(max(count, after - wanted), after):
        back = (to - count) // passed + 1
        source = to - back * passed
        times[first + to] = times[first + source] + back * cycles if source >= count - kept else BEFORE_TIME


@compiled
def _move_ports(net: Net, past: Snapshot, periods: int, cycles: int) -> None:
    """Moves the ports; called before the processes have moved."""
    for number in range(net.ports.size):
        port = net.ports[number]
        requests = port.requested - past.ports[number].requested
        if requests == 0:
            continue
        after = port.requested + periods * requests
        first = _first_in_flight(net, number)
        # One on each channel at least: the next request there comes after the last one.
        for burst in range(max(port.requested, min(first + periods * requests, after - port.lanes)), after):
            back = (burst - port.requested) // requests + 1
            one, image = port.burst_first + burst, port.burst_first + burst - back * requests
            net.bursts[one].request = net.bursts[image].request + back * cycles
            if net.bursts[image].start != UNKNOWN:
                _copy_start(net, one, image, back * cycles)
            elif back < periods:
                _copy_start(net, one, image - requests, (back + 1) * cycles)
        # What waits for its turn gets it within the jump, one period after its image.
        for burst in range(max(first, port.requested - requests), port.requested):
            one = port.burst_first + burst
            if net.bursts[one].start == UNKNOWN:
                _copy_start(net, one, one - requests, cycles)
        port.requested = port.ready = port.whole = after


@compiled
def _copy_start(net: Net, one: int, image: int, cycles: int) -> None:
    """A burst is taken as another one was, later."""
    net.bursts[one].start = net.bursts[image].start + cycles
    net.bursts[one].due = net.bursts[image].due + cycles
    net.bursts[one].rest = net.bursts[image].rest
    net.bursts[one].late = net.bursts[image].late


@compiled
def _move_channels(net: Net, past: Snapshot, periods: int, cycles: int) -> None:
    """Moves the channels; called before the ports have moved."""
    for index in range(net.channels.size):
        channel = net.channels[index]
        used = False
        for i in range(channel.member_first, channel.member_first + channel.members):
            number = net.members[i].port
            requests = net.ports[number].requested - past.ports[number].requested
            used = used or requests > 0
            if channel.members > 1:
                net.members[i].head += periods * requests
        if used:
            channel.free_at += periods * cycles


# --- Compiled: after how many cycles the writes to each FIFO seem to recur.  A guess; jumps check the whole state


_MOST_TOKENS = 512
_LEAST_TOKENS = 4
_CONFIRMED_TOKENS = 64


@kept_on_disk
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
