"""Compiled: parts of a net jump, each over periods of its own (docs/max-plus.md)."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import NEVER_FULL, Records, Wholes
from sttest.sim.maxplus.kernel_jump import copy_times, move_process
from sttest.sim.maxplus.kernel_part_ports import make_requests


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
    """Moves every part on by its periods; arguments are those of ``fit_parts``, which has filled in the last four."""
    for number in range(ports.size):
        i = ports[number].process
        which = part[i]
        if which >= 0 and periods[which] > 0 and processes[i].visits > old_processes[which, i].visits:
            passed = processes[i].visits - old_processes[which, i].visits
            make_requests(
                processes, fifos, times, ports, lanes, bursts, channels, number, passed, cycles[which], periods[which]
            )
    for i in range(fifos.size):
        fifo = fifos[i]
        by, to = part[fifo.writer], part[fifo.reader]
        if is_inside[i] and periods[by] > 0:
            held = fifo.written - fifo.read
            copy_times(times, fifo.write_first, fifo.written, held, writes[i], held, periods[by], cycles[by])
            if fifo.depth < NEVER_FULL:
                kept = min(fifo.read, fifo.depth - held)
                copy_times(
                    times, fifo.read_first, fifo.read, kept, reads[i], fifo.depth - held, periods[by], cycles[by]
                )
        if writes[i] > 0:
            fifo.written += periods[by] * writes[i]
        if reads[i] > 0:
            fifo.read += periods[to] * reads[i]
    for i in range(processes.size):
        which = part[i]
        if which >= 0 and periods[which] > 0:
            move_process(processes, old_processes[which], gap, segments, i, periods[which], cycles[which])
