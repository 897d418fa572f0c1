"""Runs a net and jumps over what only repeats (docs/how-it-works/max-plus.md).

The run stops now and then and guesses periods: how long iterations of the loops in its programs
took.  It goes on for the longest of them and compares the states.  If they are the same, all that
follows repeats until a process leaves its repetition, and is jumped over, by the whole net or by
parts.  States at jumps are kept: where one comes again, a longer period is found, of an outer loop.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from sttest.sim.maxplus.arrays import ACTOR, Mark, Net, Snapshot, snapshot_of
from sttest.sim.maxplus.components import Skip, skip_by_components
from sttest.sim.maxplus.rows import LEVEL
from sttest.sim.stages import UNBOUNDED

# --- Where to look for periods: how long loops take that are worth jumping over (docs/how-it-works/max-plus.md)


_MOST_OF_LOOPS = 6
_MOST_LENGTHS = 10
_LEAST_SHARE = 1 / 64
NO_LEVELS = np.empty(0, LEVEL)


class PeriodGuess(NamedTuple):
    """``cycle``: from which on to compare states; ``lengths``: cycles of likely periods, ascending."""

    cycle: int
    lengths: list[int]


class Lately(NamedTuple):
    """Since the last good jump: ``cycles``, the visits of each process, int64[P], and how many of all were ``run``."""

    cycles: int
    visits: np.ndarray
    run: int


class PeriodGuesser:
    """Guesses periods of a net from the times of its writes."""

    def __init__(self, stamp: np.ndarray, net: Net, levels: np.ndarray, least_visits: int) -> None:
        """``levels``: the loops around accesses to its FIFOs; ``least_visits``: visits that looking costs."""
        self._stamp, self._net, self._levels, self._least = stamp, net, levels, least_visits
        self._loop_cycles = np.zeros(levels.size, np.int64)
        self._write_cycles, self._write_tokens = (np.zeros(net.fifos.size, np.int64) for _ in range(2))
        self._tried: dict[int, int] = {}

    def forget(self) -> None:
        """Begins anew, after a jump."""
        self._tried.clear()

    def guess(self, cycle: int, since: np.ndarray, lately: Lately) -> PeriodGuess | None:
        """Likely periods after a run up to a cycle; ``since``: per FIFO, the token from which on times are known."""
        most = lately.run * lately.cycles // int(lately.visits.sum())
        lengths = self._of_loops(since, lately, most)
        lengths = sorted({*lengths, *self._of_writes(since, min(most, 2 * max(lengths, default=most)))})
        if not lengths:
            return None
        for length in lengths:
            self._tried[length] = self._tried.get(length, 0) + 1
        return PeriodGuess(self._widest_gap(cycle, lengths[-1]), lengths)

    def _of_loops(self, since: np.ndarray, lately: Lately, most: int) -> list[int]:
        """Cycles, up to ``most``, of an iteration of those loops of which to jump over most would save most."""
        from sttest.sim.maxplus.kernel_skip import find_cycles_of_loop_tokens

        net, levels = self._net, self._levels
        find_cycles_of_loop_tokens(self._stamp, net, since, levels, self._loop_cycles)
        seen = np.flatnonzero(
            (self._loop_cycles > 0) & (self._loop_cycles <= most) & (lately.visits[levels["process"]] > 0)
        )
        if seen.size == 0:
            return []
        cycles, process = self._loop_cycles[seen], levels["process"][seen]
        reach = cycles * (levels["around"][seen] // levels["tokens"][seen])
        # To see a period takes two, more where it was looked for in vain; to jump takes as long as some visits do.
        tries = np.array([self._tried.get(length, 0) for length in cycles.tolist()])
        look = self._least * lately.cycles / lately.visits.sum()
        worth = (reach - (2 + 2 * tries) * cycles) / (reach + look)
        best = np.lexsort((-cycles, worth, process))
        best = best[np.flatnonzero(np.diff(process[best], append=-1))]
        best = best[worth[best] > 0]
        weight = lately.visits[process[best]] * worth[best]
        found, index = np.unique(cycles[best], return_inverse=True)
        weights = np.bincount(index, weight, found.size)
        order = np.argsort(-weights, kind="stable")[:_MOST_OF_LOOPS]
        return found[order[weights[order] >= _LEAST_SHARE * weights.sum()]].tolist()

    def _of_writes(self, since: np.ndarray, most: int) -> list[int]:
        """The periods with which the writes to most FIFOs seem to recur, up to ``most`` cycles."""
        from sttest.sim.maxplus.kernel_skip import find_periods

        net, cycles = self._net, self._write_cycles
        find_periods(self._stamp, net, since, cycles, self._write_tokens)
        found, count = np.unique(cycles[(cycles > 0) & (cycles <= most)], return_counts=True)
        return found[np.argsort(-count, kind="stable")][: _MOST_LENGTHS - _MOST_OF_LOOPS].tolist()

    def _widest_gap(self, cycle: int, length: int) -> int:
        """The first cycle from ``cycle`` on in the phase at which a FIFO of that period rests longest."""
        net = self._net
        by_loops, by_writes = np.flatnonzero(self._loop_cycles == length), np.flatnonzero(self._write_cycles == length)
        if by_loops.size:
            fifo, tokens = net.fifos[self._levels["fifo"][by_loops[0]]], int(self._levels["tokens"][by_loops[0]])
        else:
            fifo, tokens = net.fifos[by_writes[0]], int(self._write_tokens[by_writes[0]])
        last = int(fifo["write_first"] + fifo["written"])
        recent = net.times[last - tokens - 1 : last]
        mark = int(recent[1 + int(np.diff(recent).argmax())])
        return cycle + (mark - cycle) % length


_STATES_KEPT = 32
_MULTIPLES = 4
_ALWAYS_WORTH_IT = 16
_MOST_BETWEEN_LOOKS = 4
_NOT_WORTH_IT = 1 << 60
# A net of fewer visits, in least ones, is run in the time that looking for its periods takes.
_FEW = 16


@dataclass(frozen=True)
class PeriodSearchLimits:
    """When to look for periods: first after so many cycles, and only for jumps over so many visits."""

    first_cycles: int = 1024
    least_visits: int = 1 << 15


def run_periodic(
    net: Net, patience: PeriodSearchLimits, levels: Callable[[], np.ndarray] = lambda: NO_LEVELS
) -> list[Skip]:
    """Runs a fresh net to its end; gives what was jumped over.

    Args:
        net: the net to run.
        patience: when to look for periods.
        levels: gives the loops around accesses to its FIFOs (``of_leads``); without them, periods show in writes only.

    Nets with actors are run event by event: firings that overtake each other have no order to recur.
    """
    from sttest.sim.maxplus.kernel import run_net, sources_stamp

    visits = int(net.processes["all_visits"].sum())
    if (net.processes["kind"] == ACTOR).any() or visits < _FEW * patience.least_visits:
        run_net(sources_stamp(), net)
        return []
    return _Run(net, patience, levels()).run()


class _Run:
    def __init__(self, net: Net, patience: PeriodSearchLimits, levels: np.ndarray) -> None:
        from sttest.sim.maxplus.kernel import sources_stamp

        self._net = net
        self._patience = patience
        self._stamp = sources_stamp()
        self._guesser = PeriodGuesser(self._stamp, net, levels, patience.least_visits)
        self._kept: deque[Snapshot] = deque(maxlen=_STATES_KEPT)
        self._splices: list[Skip] = []
        self._begin_anew(int(net.processes["clock"].min()))

    def run(self) -> list[Skip]:
        cycle = self._since + self._patience.first_cycles
        while self._goes_on(cycle):
            found = self._guess(cycle)
            reached = self._try_to_jump(found, limit=cycle + (cycle - self._since) // 2) if found else cycle
            if reached is None:
                break
            cycle = self._look_again(reached)
        return self._splices

    def _look_again(self, cycle: int) -> int:
        """When to look next: soon after a jump, then where looking costs little beside what is run in between."""
        run, cycles = self._visits_run(), cycle - self._since
        if run <= 0 or cycles <= 0:
            return cycle + self._patience.first_cycles
        wait = min(max(self._patience.least_visits // 4, run // 2), _MOST_BETWEEN_LOOKS * self._patience.least_visits)
        return cycle + max(self._patience.first_cycles // 16, wait * cycles // run) + 1

    def _visits_run(self) -> int:
        """Visits since the last good jump, without those of short jumps."""
        return int((self._net.processes["visits"] - self._visits_before).sum()) - self._gained

    def _begin_anew(self, cycle: int) -> None:
        self._since = cycle
        self._known_from: np.ndarray = self._net.fifos["written"].copy()
        self._visits_before = self._net.processes["visits"].copy()
        self._gained = 0
        self._guesser.forget()

    def _goes_on(self, cycle: int) -> bool:
        """Runs all that happens up to a cycle; whether there is more."""
        from sttest.sim.maxplus.kernel import run_net

        net = self._net
        net.limits[0] = cycle
        run_net(self._stamp, net)
        if not net.limits[1]:
            net.limits[0] = UNBOUNDED
        return bool(net.limits[1])

    def _guess(self, cycle: int) -> PeriodGuess | None:
        """Likely periods, where looking for them costs less than what was run since the last jump."""
        if self._visits_run() < max(1, self._patience.least_visits // 4):
            return None
        visits = self._net.processes["visits"] - self._visits_before
        return self._guesser.guess(cycle, self._known_from, Lately(cycle - self._since, visits, self._visits_run()))

    def _try_to_jump(self, found: PeriodGuess, limit: int) -> int | None:
        """Runs on, compares the states after one and more periods; the cycle reached, None at the end."""
        if not self._goes_on(found.cycle):
            return None
        before = self._state(found.cycle)
        longest, cycle = found.lengths[-1], found.cycle
        for periods in self._multiples(before, longest, limit):
            cycle = before.cycle + periods * longest
            marks = self._run_up_to(cycle, found.lengths)
            if marks is None:
                return None
            recurs, reached = self._recurs(before, cycle)
            if reached == cycle:
                reached = self._parts_jump(marks, cycle)
            if recurs or reached > cycle:
                return reached
        return cycle

    def _run_up_to(self, cycle: int, lengths: list[int]) -> dict[int, Mark] | None:
        """Runs up to a cycle; the states so many cycles before it, by length.  None at the end."""
        marks: dict[int, Mark] = {}
        for length in reversed(lengths):
            if not self._goes_on(cycle - length):
                return None
            marks[length] = self._mark(cycle - length)
        return marks if self._goes_on(cycle) else None

    def _parts_jump(self, marks: dict[int, Mark], cycle: int) -> int:
        """Lets the parts of the net jump, each over periods of its own, where that is worth it; the cycle reached.

        A jump that skips little beside what was run is no reason to forget what was seen: a longer period may do.
        """
        run, now = self._visits_run(), self._mark(cycle)
        jumped = skip_by_components(self._stamp, self._net, marks, now, self._patience.least_visits)
        if jumped is None:
            return cycle
        splice, reached = jumped
        self._splices.append(splice)
        known_from: np.ndarray = np.where(splice.writes > 0, self._net.fifos["written"], self._known_from)
        gained = self._visits_run() - run
        self._gained += gained
        self._guesser.forget()
        if gained >= run:
            self._begin_anew(reached)
        self._known_from = known_from
        return reached

    def _least_visits(self) -> int:
        """Visits that are worth a jump: it hides longer periods, so many where little would be gained."""
        run = self._visits_run()
        least = self._patience.least_visits
        return max(least, min(run // 2, _ALWAYS_WORTH_IT * least))

    def _multiples(self, before: Snapshot, period: int, limit: int) -> Iterator[int]:
        """1, then multiples in which all ports stream whole bursts, one per channel."""
        yield 1
        unit = lcm(1, *self._missing_factors(before))
        for multiple in range(unit, unit * (_MULTIPLES + 1), unit):
            if multiple > 1 and before.cycle + multiple * period <= limit:
                yield multiple

    def _missing_factors(self, before: Snapshot) -> Iterator[int]:
        ports, processes = self._net.ports, self._net.processes
        tokens = processes["visits"][ports["process"]] - before.processes["visits"][ports["process"]]
        rows = zip(ports["token_bytes"], ports["burst_bytes"] * ports["lanes"], tokens, strict=True)
        for token_bytes, turn_bytes, passed in ((int(a), int(b), int(c)) for a, b, c in rows):
            whole = lcm(token_bytes, turn_bytes) // token_bytes
            if passed:
                yield whole // gcd(whole, passed)

    def _recurs(self, before: Snapshot, cycle: int) -> tuple[bool, int]:
        """Whether the state of ``before`` has come again; if it is worth it, jumps; the cycle reached.

        Better still is a state kept at an earlier jump, if that has come again: its period is longer.
        """
        least = self._least_visits()
        now = self._state(cycle)
        if not now.may_be(before) or not self._jump(before, cycle, _NOT_WORTH_IT):
            return False, cycle
        alike = (old for old in reversed(self._kept) if now.may_be(old))
        for old in (*alike, before):
            periods = self._jump(old, cycle, least)
            if periods > 0:
                if old is before:
                    self._kept.append(now)
                self._splices.append(_splice(old, now, periods))
                reached = cycle + periods * (cycle - old.cycle)
                self._begin_anew(reached)
                return True, reached
        return True, cycle

    def _jump(self, old: Snapshot, cycle: int, least: int) -> int:
        from sttest.sim.maxplus.kernel_skip import skip_periods

        return skip_periods(self._stamp, self._net, old, cycle, least)

    def _mark(self, cycle: int) -> Mark:
        return Mark(cycle, self._net.processes.copy(), self._net.fifos.copy())

    def _state(self, cycle: int) -> Snapshot:
        return snapshot_of(self._net, cycle)


def _splice(old: Snapshot, now: Snapshot, periods: int) -> Skip:
    size, cycles = int(now.fifos.size), now.cycle - old.cycle
    return Skip(
        periods=np.full(size, periods),
        cycles=np.full(size, cycles),
        written=now.fifos["written"],
        read=now.fifos["read"],
        writes=now.fifos["written"] - old.fifos["written"],
        reads=now.fifos["read"] - old.fifos["read"],
        requested=now.ports["requested"],
        requests=now.ports["requested"] - old.ports["requested"],
        port_periods=periods,
        port_cycles=cycles,
    )
