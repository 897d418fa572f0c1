"""Compiled: skips whole periods where a graph is in the state of an earlier cycle (docs/explanation/max-plus.md)."""

from numba import njit

from sttest.sim.maxplus.arrays import BEFORE_TIME, NEVER_FULL, PIPELINE, READ_PORT, UNKNOWN, Records, Wholes
from sttest.sim.maxplus.kernel import earliest
from sttest.sim.maxplus.kernel_port import arrival, place_for
from sttest.sim.maxplus.kernel_state import (
    FOR_EVER,
    channels_recur,
    first_in_flight,
    periods_of_fifos,
    ports_recur,
    processes_recur,
    repeated_visits,
    seek,
)

_NEVER = 1 << 61


@njit(cache=True)
def skip_periods(
    sources: Wholes,
    processes: Records,
    fifos: Records,
    times: Wholes,
    gap: Wholes,
    pattern: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    segments: Records,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    members: Records,
    old_processes: Records,
    old_fifos: Records,
    old_ports: Records,
    old_channels: Records,
    old_members: Records,
    cycle: int,
    old_cycle: int,
    least: int,
) -> int:
    """Jumps over as many periods as are sure to follow, and says how many; -1 where that isn't worth it, 0 for none.

    Args, after ``sources``: fields of ``Net`` as they are after ``cycle``, copies of them as they were after
    ``old_cycle``, and the visits that are worth a jump.
    """
    cycles = cycle - old_cycle
    periods = periods_of_fifos(fifos, old_fifos, times, cycle, old_cycle)
    if not (
        periods > 0
        and processes_recur(processes, old_processes, cycles)
        and ports_recur(processes, old_processes, ports, old_ports, lanes, bursts, channels, cycle, old_cycle)
        and channels_recur(
            ports, old_ports, lanes, bursts, channels, old_channels, members, old_members, cycle, old_cycle
        )
    ):
        return 0
    periods = min(periods, _periods_ahead(processes, old_processes, gap, pattern, segments, ports, old_ports, least))
    for i in range(processes.size):
        if processes[i].visits == old_processes[i].visits:
            asleep = _periods_asleep(processes, fifos, old_fifos, pattern, pointer, op, tokens, i)
            if asleep < 0:
                wakes = _wakes_at(
                    processes, fifos, times, pattern, pointer, op, tokens, ports, lanes, bursts, channels, i
                )
                asleep = (wakes - 1 - cycle) // cycles
            periods = min(periods, asleep)
    # What fills is fullest in the last period, which is left to be run: how full is to be known.
    periods -= _fills(fifos, old_fifos)
    visits = 0
    for i in range(processes.size):
        visits += processes[i].visits - old_processes[i].visits
    if visits == 0 or periods <= 0:
        return 0
    if periods * visits < least:
        return -1
    _move_channels(ports, old_ports, channels, members, periods, cycles)
    _move_ports(processes, ports, old_ports, bursts, periods, cycles)
    _move_fifos(fifos, old_fifos, times, periods, cycles)
    for i in range(processes.size):
        move_process(processes, old_processes, gap, segments, i, periods, cycles)
    return periods


@njit
def _periods_ahead(
    processes: Records,
    old_processes: Records,
    gap: Wholes,
    pattern: Wholes,
    segments: Records,
    ports: Records,
    old_ports: Records,
    least: int,
) -> int:
    """Periods for which all programs go on as in the last one; a port's last burst, which may be short, is left out."""
    periods = FOR_EVER
    for number in range(ports.size):
        port = ports[number]
        requests = port.requested - old_ports[number].requested
        if requests > 0:
            periods = min(periods, (port.bursts - 1 - port.requested) // requests)
    looked = 0
    while looked < periods and (looked == 0 or least < FOR_EVER):
        looked = max(1, 4 * looked)  # far for one process is in vain where another leaves its repetition soon
        for i in range(processes.size):
            visits = processes[i].visits - old_processes[i].visits
            if visits == 0 or processes[i].kind != PIPELINE:
                continue
            left = processes[i].all_visits - processes[i].visits
            periods = min(periods, left // visits)
            if periods <= 0:
                return 0
            # One more, so that nothing comes earlier than it would have come in a further period.
            most = min(left, 1 + visits * min(looked, periods))
            alike = repeated_visits(processes, old_processes, gap, pattern, segments, i, most)
            if alike < most:
                periods = min(periods, (alike - 1) // visits)
    return max(0, periods)


@njit
def _periods_asleep(
    processes: Records,
    fifos: Records,
    old_fifos: Records,
    pattern: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    index: int,
) -> int:
    """For how many periods a process that did nothing waits for tokens or places to come; -1 if all are there.

    Ports need no answer: for one token they would not have waited through a period in which some came.
    """
    process = processes[index]
    if process.kind != PIPELINE or process.visits == process.all_visits:
        return -1
    periods = -1
    for i in range(pointer[pattern[process.stage]], pointer[pattern[process.stage] + 1]):
        fifo, old = fifos[op[i] >> 1], old_fifos[op[i] >> 1]
        if op[i] & 1:
            missing, more = fifo.written + tokens[i] - fifo.depth - fifo.read, fifo.read - old.read
        else:
            missing, more = fifo.read + tokens[i] - fifo.written, fifo.written - old.written
        if missing > 0:
            periods = max(periods, (missing - 1) // more if more > 0 else FOR_EVER)
    return periods


@njit
def _wakes_at(
    processes: Records,
    fifos: Records,
    times: Wholes,
    pattern: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    index: int,
) -> int:
    """When a process that did nothing will go on by itself; never, where it waits for tokens or space."""
    process = processes[index]
    if process.visits == process.all_visits:
        return _NEVER
    if process.kind == PIPELINE:
        first, last = pointer[pattern[process.stage]], pointer[pattern[process.stage] + 1]
        ready, _ = earliest(fifos, times, op, tokens, first, last, process.clock + process.gap)
        return ready if ready >= 0 else _NEVER
    fifo = fifos[ports[process.number].fifo]
    if process.kind == READ_PORT:
        freed = fifo.written - fifo.depth
        if freed >= fifo.read:
            return _NEVER
        passes = times[fifo.read_first + freed] + fifo.war if freed >= 0 else 0
        return max(process.clock, passes, arrival(ports, lanes, bursts, channels, process.number, process.visits))
    if fifo.read >= fifo.written:
        return _NEVER
    passes = times[fifo.write_first + fifo.read] + fifo.raw
    return max(process.clock, passes, place_for(ports, lanes, bursts, channels, process.number, process.visits))


@njit
def move_process(
    processes: Records, old_processes: Records, gap: Wholes, segments: Records, index: int, periods: int, cycles: int
) -> None:
    """Moves a process on by so many periods, if it did something in the last one."""
    process, old = processes[index], old_processes[index]
    visits = process.visits - old.visits
    if visits == 0:
        return
    process.visits += periods * visits
    process.clock += periods * cycles
    process.stall_in += periods * (process.stall_in - old.stall_in)
    process.stall_out += periods * (process.stall_out - old.stall_out)
    process.stall_memory += periods * (process.stall_memory - old.stall_memory)
    if process.kind == PIPELINE:
        seek(processes, gap, segments, index)


@njit
def _fills(fifos: Records, old_fifos: Records) -> int:
    """1 where some FIFO holds more than it did, else 0."""
    for i in range(fifos.size):
        if fifos[i].written - fifos[i].read > old_fifos[i].written - old_fifos[i].read:
            return 1
    return 0


@njit
def _move_fifos(fifos: Records, old_fifos: Records, times: Wholes, periods: int, cycles: int) -> None:
    """Counts on, and copies the times that are still needed to where they will be looked for."""
    for i in range(fifos.size):
        fifo, old = fifos[i], old_fifos[i]
        written, read = fifo.written - old.written, fifo.read - old.read
        held = fifo.written - fifo.read
        wanted = held + periods * (written - read)
        if written > 0:
            copy_times(times, fifo.write_first, fifo.written, held, written, wanted, periods, cycles)
        if read > 0 and fifo.depth < NEVER_FULL:
            kept = min(fifo.read, fifo.depth - held)
            copy_times(times, fifo.read_first, fifo.read, kept, read, fifo.depth - wanted, periods, cycles)
        fifo.written += periods * written
        fifo.read += periods * read


@njit
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


@njit
def _move_ports(
    processes: Records, ports: Records, old_ports: Records, bursts: Records, periods: int, cycles: int
) -> None:
    """To be called before the processes have moved."""
    for number in range(ports.size):
        port = ports[number]
        requests = port.requested - old_ports[number].requested
        if requests == 0:
            continue
        after = port.requested + periods * requests
        first = first_in_flight(processes, ports, number)
        # One at least: the next request comes after the last one.
        for burst in range(min(max(first + periods * requests, port.requested), after - 1), after):
            back = (burst - port.requested) // requests + 1
            one, image = port.burst_first + burst, port.burst_first + burst - back * requests
            bursts[one].request = bursts[image].request + back * cycles
            if bursts[image].start != UNKNOWN:
                bursts[one].start = bursts[image].start + back * cycles
            elif back < periods:
                bursts[one].start = bursts[image - requests].start + (back + 1) * cycles
        # What waits for its turn gets it within the jump, one period after its image.
        for burst in range(max(first, port.requested - requests), port.requested):
            one = port.burst_first + burst
            if bursts[one].start == UNKNOWN:
                bursts[one].start = bursts[one - requests].start + cycles
        port.requested = after


@njit
def _move_channels(
    ports: Records, old_ports: Records, channels: Records, members: Records, periods: int, cycles: int
) -> None:
    """To be called before the ports have moved."""
    for index in range(channels.size):
        channel = channels[index]
        used = False
        for i in range(channel.member_first, channel.member_first + channel.members):
            number = members[i].port
            requests = ports[number].requested - old_ports[number].requested
            used = used or requests > 0
            if channel.members > 1:
                members[i].head += periods * requests
        if used:
            channel.free_at += periods * cycles
