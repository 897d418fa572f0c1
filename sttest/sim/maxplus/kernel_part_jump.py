"""Compiled: parts of a net jump, each over periods of its own (docs/max-plus.md)."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import NEVER_FULL, Records, Wholes
from sttest.sim.maxplus.kernel_jump import copy_times, move_process
from sttest.sim.maxplus.kernel_part_ports import make_requests
from sttest.sim.maxplus.kernel_parts import fill_in_ahead

_FEW_TOKENS = 1 << 14


@njit(cache=True)
def move_parts(
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
