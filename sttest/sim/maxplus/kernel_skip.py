"""Compiled: skips whole periods where a graph is in the state of an earlier cycle (docs/explanation/max-plus.md)."""

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
from sttest.sim.maxplus.kernel import earliest
from sttest.sim.maxplus.kernel_port import arrival, compiled, entry_point, place_for
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
    periods = periods_of_fifos(net, past, cycle)
    if not (
        periods > 0
        and processes_recur(net, past, cycles)
        and ports_recur(net, past, cycle)
        and channels_recur(net, past, cycle)
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
        seek(net, index)


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
            copy_times(net.times, fifo.write_first, fifo.written, held, written, wanted, periods, cycles)
        if read > 0 and fifo.depth < NEVER_FULL:
            kept = min(fifo.read, fifo.depth - held)
            copy_times(net.times, fifo.read_first, fifo.read, kept, read, fifo.depth - wanted, periods, cycles)
        fifo.written += periods * written
        fifo.read += periods * read


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
    """To be called before the processes have moved."""
    for number in range(net.ports.size):
        port = net.ports[number]
        requests = port.requested - past.ports[number].requested
        if requests == 0:
            continue
        after = port.requested + periods * requests
        first = first_in_flight(net, number)
        # One at least: the next request comes after the last one.
        for burst in range(min(max(first + periods * requests, port.requested), after - 1), after):
            back = (burst - port.requested) // requests + 1
            one, image = port.burst_first + burst, port.burst_first + burst - back * requests
            net.bursts[one].request = net.bursts[image].request + back * cycles
            if net.bursts[image].start != UNKNOWN:
                net.bursts[one].start = net.bursts[image].start + back * cycles
            elif back < periods:
                net.bursts[one].start = net.bursts[image - requests].start + (back + 1) * cycles
        # What waits for its turn gets it within the jump, one period after its image.
        for burst in range(max(first, port.requested - requests), port.requested):
            one = port.burst_first + burst
            if net.bursts[one].start == UNKNOWN:
                net.bursts[one].start = net.bursts[one - requests].start + cycles
        port.requested = after


@compiled
def _move_channels(net: Net, past: Snapshot, periods: int, cycles: int) -> None:
    """To be called before the ports have moved."""
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
