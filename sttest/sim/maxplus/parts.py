"""Parts of a net, each with a period of its own, jump side by side (docs/max-plus.md).

A part is what FIFOs hold together: one end waits for the other now and then.  Where a FIFO holds
nobody back, its two ends may be in different parts and drift apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sttest.sim.maxplus.arrays import Net
from sttest.sim.maxplus.splices import Splice
from sttest.sim.maxplus.states import State

_MOST_PARTS = 16
_MINOR_SHARE = 1 / 8


class Parts(NamedTuple):
    """``part``: int64[P], of each process, -1 for none; ``cycles``: int64[K], the guessed period of each part."""

    part: np.ndarray
    cycles: np.ndarray


def jump_by_parts(
    stamp: np.ndarray, net: Net, marks: Mapping[int, State], now: State, period: np.ndarray, least: int
) -> tuple[Splice, int] | None:
    """Moves all parts that repeat on by whole periods; None, and nothing moved, where that skips too little.

    Args:
        stamp: names the compiled code.
        net: what is run, up to the cycle of ``now``.
        marks: earlier states, by cycles before ``now``.
        now: the present state.
        period: int64[F], after how many cycles the writes to a FIFO seem to recur, 0 for unknown.
        least: visits that are worth a jump.

    Returns:
        What was skipped, and the cycle up to which some part has come.
    """
    from sttest.sim.maxplus.kernel_part_jump import move_parts
    from sttest.sim.maxplus.kernel_parts import fit_parts, periods_of_programs

    part, cycles = _find_parts(stamp, net, marks, now, period)
    if cycles.size == 0:
        return None
    old_processes, old_fifos = (
        np.stack([getattr(marks[length], name) for length in cycles.tolist()]) for name in ("processes", "fifos")
    )
    periods, visits = np.zeros(cycles.size, np.int64), np.zeros(cycles.size, np.int64)
    periods_of_programs(
        stamp, net.processes, net.gap, net.pattern, net.segments, part, old_processes, cycles, periods, visits
    )
    periods = np.minimum(periods, _common_reach(cycles, periods, visits) // cycles)
    if int((periods * visits).sum()) < least:
        return None
    is_inside, writes, reads = (np.zeros(net.fifos.size, np.int64) for _ in range(3))
    fit_parts(
        stamp, net.processes, net.fifos, net.times, net.ports, net.lanes, net.bursts, net.channels, net.members, part,
        old_processes, old_fifos, cycles, now.cycle, periods, is_inside, writes, reads,
    )  # fmt: skip
    if int((periods * visits).sum()) < least:
        return None
    move_parts(
        stamp, net.processes, net.fifos, net.times, net.gap, net.segments, net.ports, net.lanes, net.bursts,
        net.channels, part, old_processes, cycles, periods, is_inside, writes, reads,
    )  # fmt: skip
    of_fifo = part[net.fifos["writer"]]
    splice = Splice(
        periods=np.where(is_inside, periods[of_fifo], 0),
        cycles=np.where(is_inside, cycles[of_fifo], 0),
        written=now.fifos["written"],
        read=now.fifos["read"],
        writes=writes * is_inside,
        reads=reads * is_inside,
        requested=now.ports["requested"],
        requests=np.zeros_like(now.ports["requested"]),
        port_periods=0,
        port_cycles=0,
    )
    return splice, now.cycle + int((periods * cycles).max())


def _find_parts(stamp: np.ndarray, net: Net, marks: Mapping[int, State], now: State, period: np.ndarray) -> Parts:
    """What hung together since the earliest mark, where its period may be that of a mark."""
    from sttest.sim.maxplus.kernel_ties import find_ties

    tied, longest = np.zeros(net.fifos.size, np.int64), max(marks)
    old = marks[longest]
    find_ties(stamp, net.fifos, net.times, old.fifos["written"], old.fifos["read"], now.cycle - longest, tied)
    visits = now.processes["visits"] - old.processes["visits"]
    return group(net, tied, visits, np.where(np.isin(period, [*marks]), period, 0))


def group(net: Net, tied: np.ndarray, visits: np.ndarray, period: np.ndarray) -> Parts:
    """The busiest parts whose period may be known.

    Args:
        net: as far as it has run.
        tied: int64[F], whether one end of a FIFO waited for the other.
        visits: int64[P], what each process did lately.
        period: int64[F], after how many cycles the writes to a FIFO seem to recur, 0 for unknown.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    writer, reader = net.fifos["writer"], net.fifos["reader"]
    size = net.processes.size
    is_active = visits > 0
    joins = (tied > 0) & is_active[writer] & is_active[reader]
    links = coo_array((np.ones(int(joins.sum()), np.int8), (writer[joins], reader[joins])), (size, size))
    count, label = connected_components(links, directed=False)
    cycles = np.zeros(count, np.int64)
    np.maximum.at(cycles, label[writer], period)
    work = np.bincount(label, visits, count)
    chosen = np.flatnonzero((cycles > 0) & (work > 0))
    chosen = chosen[np.argsort(-work[chosen], kind="stable")][:_MOST_PARTS]
    number = np.full(count, -1, np.int64)
    number[chosen] = np.arange(chosen.size)
    return Parts(np.where(is_active, number[label], -1), cycles[chosen])


def _common_reach(cycles: np.ndarray, periods: np.ndarray, visits: np.ndarray) -> int:
    """Cycles for which the parts that make most visits go on; what makes few may stop earlier."""
    goes_on = np.flatnonzero(periods > 0)
    if goes_on.size == 0:
        return 0
    reach, rate = cycles[goes_on] * periods[goes_on], visits[goes_on] / cycles[goes_on]
    order = np.argsort(reach, kind="stable")
    share = np.cumsum(rate[order]) / rate.sum()
    return int(reach[order[np.searchsorted(share, _MINOR_SHARE, side="right")]])
