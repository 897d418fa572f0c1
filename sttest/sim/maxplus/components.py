"""Parts of a net, each with a period of its own, jump side by side (docs/how-it-works/max-plus.md).

A part is what FIFOs hold together: one end waits for the other now and then.  Where a FIFO holds
nobody back, its two ends may be in different parts and drift apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sttest.sim.maxplus.arrays import UNKNOWN, Components, Mark, Net, PastOfParts, RepeatLinks

# --- What was jumped over in a run, and how to put it back in


@dataclass(frozen=True)
class Skip:
    """A jump over periods: of each FIFO ``periods`` of ``cycles`` cycles, of ports ``port_periods``, ``port_cycles``.

    ``written``, ``read``: tokens of each FIFO before it; ``writes``, ``reads``: per period; ``requested``,
    ``requests``: bursts of each port before it, and per period.
    """

    periods: np.ndarray
    cycles: np.ndarray
    written: np.ndarray
    read: np.ndarray
    writes: np.ndarray
    reads: np.ndarray
    requested: np.ndarray
    requests: np.ndarray
    port_periods: int
    port_cycles: int

    def fill_in(self, net: Net) -> None:
        """Writes the times that were skipped; earlier jumps must have been filled in."""
        for first, before, passed in (
            ("write_first", self.written, self.writes),
            ("read_first", self.read, self.reads),
        ):
            for fifo in np.flatnonzero(passed).tolist():
                start = int(net.fifos[first][fifo] + before[fifo])
                _repeat(net.times, start, int(passed[fifo]), int(self.periods[fifo]), int(self.cycles[fifo]))
        for port in np.flatnonzero(self.requests).tolist():
            self._fill_in_bursts(net, port)

    def _fill_in_bursts(self, net: Net, port: int) -> None:
        """Starts that are known already stay: images of bursts that waited for their turn at the jump got it later."""
        count, periods = int(self.requests[port]), self.port_periods
        first = int(net.ports["burst_first"][port] + self.requested[port])
        _repeat(net.bursts["request"], first, count, periods, self.port_cycles)
        known = net.bursts["start"][first : first + periods * count] != UNKNOWN
        for name, cycles in (("start", self.port_cycles), ("due", self.port_cycles), ("rest", 0), ("late", 0)):
            times = net.bursts[name]
            there = times[first : first + periods * count]
            kept = there.copy()
            _repeat(times, first, count, periods, cycles)
            there[:] = np.where(known, kept, there)


def _repeat(times: np.ndarray, first: int, count: int, periods: int, cycles: int) -> None:
    """What comes from ``first`` on is what is before it, later and later."""
    later = cycles * np.arange(1, periods + 1)
    times[first : first + periods * count] = (later[:, None] + times[first - count : first]).ravel()


_MOST_PARTS = 16
_MINOR_SHARE = 1 / 8


def skip_by_components(
    stamp: np.ndarray, net: Net, marks: Mapping[int, Mark], now: Mark, least: int
) -> tuple[Skip, int] | None:
    """Moves all parts that repeat on by whole periods; None, and nothing moved, where that skips too little.

    Args:
        stamp: names the compiled code.
        net: the net, run up to the cycle of ``now``.
        marks: earlier states, by cycles before ``now``: likely periods.
        now: the present state.
        least: visits that are worth a jump.

    Returns:
        What was skipped, and the cycle up to which some part has come.
    """
    from sttest.sim.maxplus.kernel_components import move_components

    parts = _choose([_components_of(stamp, net, marks[length], now.cycle) for length in sorted(marks)])
    cycles, periods = parts.cycles, parts.periods
    if int(parts.gain.sum()) < least:
        return None
    np.minimum(periods, _common_reach(parts) // cycles, out=periods)
    old = _snapshots(parts, marks)
    links = _fit(stamp, net, parts, old, now.cycle)
    if int(parts.gain.sum()) < least:
        return None
    requested = net.ports["requested"].copy()
    move_components(stamp, net, parts, old, links)
    of_fifo = parts.part[net.fifos["writer"]]
    splice = Skip(
        periods=np.where(links.is_inside, periods[of_fifo], 0),
        cycles=np.where(links.is_inside, cycles[of_fifo], 0),
        written=now.fifos["written"],
        read=now.fifos["read"],
        writes=links.writes * links.is_inside,
        reads=links.reads * links.is_inside,
        requested=requested,
        requests=np.zeros_like(requested),
        port_periods=0,
        port_cycles=0,
    )
    return splice, now.cycle + int((periods * cycles).max())


def _snapshots(parts: Components, marks: Mapping[int, Mark]) -> PastOfParts:
    lengths, state = np.unique(parts.cycles, return_inverse=True)
    states = [marks[length] for length in lengths.tolist()]
    rows = (_stacked([each.processes for each in states]), _stacked([each.fifos for each in states]))
    return PastOfParts(state.astype(np.int64), *rows)


def _stacked(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Records one above the other; ``np.stack`` would first look for a type that holds every field of each."""
    found = np.empty((len(rows), rows[0].size), rows[0].dtype)
    for number, row in enumerate(rows):
        found[number] = row
    return found


def _components_of(stamp: np.ndarray, net: Net, old: Mark, cycle: int) -> Components:
    """What hung together since an earlier state, and for how long it may go on with that period."""
    from sttest.sim.maxplus.kernel_components import find_components

    size = net.processes.size
    part = np.empty(size, np.int64)
    parts = Components(part, *np.empty((3, _MOST_PARTS), np.int64))
    past = PastOfParts(np.zeros(_MOST_PARTS, np.int64), old.processes[None], old.fifos[None])
    notes = np.empty((3, max(size, _MOST_PARTS)), np.int64)
    count = find_components(stamp, net, past, old.cycle, cycle, parts, _links(net), notes)
    return Components(part, parts.cycles[:count], parts.periods[:count], parts.visits[:count])


def _links(net: Net) -> RepeatLinks:
    return RepeatLinks(*np.empty((3, net.fifos.size), np.int64))


def _fit(stamp: np.ndarray, net: Net, parts: Components, past: PastOfParts, cycle: int) -> RepeatLinks:
    """Shortens the periods of parts to what FIFOs and memory allow."""
    from sttest.sim.maxplus.kernel_components import fit_components

    links = _links(net)
    fit_components(stamp, net, parts, past, cycle, links)
    return links


def _choose(found: Sequence[Components]) -> Components:
    """Of the parts found with ever longer periods, those that jump over most; each process is in at most one."""
    chosen: list[tuple[np.ndarray, Components, int]] = []
    for parts in found:
        for which in np.flatnonzero(parts.gain).tolist():
            members = parts.part == which
            rivals = [other for other in chosen if (other[0] & members).any()]
            if int(parts.gain[which]) > sum(int(rival.gain[number]) for _, rival, number in rivals):
                chosen = [other for other in chosen if not (other[0] & members).any()]
                chosen.append((members, parts, which))
    chosen.sort(key=lambda each: -int(each[1].gain[each[2]]))
    chosen = chosen[:_MOST_PARTS]
    part = np.full(found[0].part.size, -1, np.int64)
    for number, (members, _, _) in enumerate(chosen):
        part[members] = number
    fields = [
        np.array([getattr(parts, name)[which] for _, parts, which in chosen], np.int64)
        for name in ("cycles", "periods", "visits")
    ]
    return Components(part, *fields)


def _common_reach(parts: Components) -> int:
    """Cycles for which the parts that make most visits go on; what makes few may stop earlier."""
    reach, rate = parts.cycles * parts.periods, parts.visits / parts.cycles
    order = np.argsort(reach, kind="stable")
    share = np.cumsum(rate[order]) / rate.sum()
    return int(reach[order[np.searchsorted(share, _MINOR_SHARE, side="right")]])
