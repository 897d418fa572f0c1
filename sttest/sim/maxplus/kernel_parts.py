"""Compiled: for how many periods the parts of a net, each with a period of its own, go on alone (docs/max-plus.md).

A part is a set of processes.  Its state is compared as that of a whole net is, but for FIFOs that
leave it: these must hold nobody back, neither in the last period nor in those jumped over, which
is seen token by token from the times that both ends would have.
"""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import NEVER_FULL, PIPELINE, Records, Wholes
from sttest.sim.maxplus.kernel_part_ports import fit_ports
from sttest.sim.maxplus.kernel_state import FOR_EVER, fifo_recurs
from sttest.sim.maxplus.kernel_walk import repeated_visits


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
def fit_parts(
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
