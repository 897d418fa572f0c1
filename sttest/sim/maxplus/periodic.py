"""Runs a net and jumps over what only repeats (docs/max-plus.md).

The run stops now and then, in ever longer steps, and looks at the last writes of each FIFO: if
they recur, it goes on for one such period and compares the two states.  If they are the same, all
that follows repeats until a process leaves its repetition, and is jumped over.  States at jumps
are kept: where one comes again, a longer period is found, of an outer loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, lcm

import numpy as np

from sttest.sim.flat import UNBOUNDED
from sttest.sim.maxplus.arrays import ACTOR, Net
from sttest.sim.maxplus.parts import jump_by_parts
from sttest.sim.maxplus.splices import Splice
from sttest.sim.maxplus.states import State, state_of

_STATES_KEPT = 32
_MULTIPLES = 4
_MARKS = 8
_ALWAYS_WORTH_IT = 16
_GOOD_GAIN = 3
_NOT_WORTH_IT = 1 << 60


@dataclass(frozen=True)
class Patience:
    """When to look for periods: first after so many cycles, and only for jumps over so many visits."""

    first_cycles: int = 1024
    least_visits: int = 1 << 15


def run_periodic(net: Net, patience: Patience) -> list[Splice]:
    """Runs a fresh net to its end; gives what was jumped over.

    Nets with actors are run event by event: firings that overtake each other have no order to recur.
    """
    from sttest.sim.maxplus.kernel import run_net, sources_stamp

    visits = int(net.processes["all_visits"].sum())
    if (net.processes["kind"] == ACTOR).any() or visits < 2 * patience.least_visits:
        run_net(sources_stamp(), *net)
        return []
    return _Run(net, patience).run()


class _Run:
    def __init__(self, net: Net, patience: Patience) -> None:
        from sttest.sim.maxplus.kernel import sources_stamp

        self._net = net
        self._patience = patience
        self._stamp = sources_stamp()
        self._kept: deque[State] = deque(maxlen=_STATES_KEPT)
        self._splices: list[Splice] = []
        self._period_cycles, self._period_tokens = (np.zeros(net.fifos.size, np.int64) for _ in range(2))
        self._begin_anew(int(net.processes["clock"].min()))

    def run(self) -> list[Splice]:
        span = self._patience.first_cycles
        while self._goes_on(self._since + span):
            found = self._guess(self._since + span) if self._has_seen_enough() else None
            cycle = self._try_to_jump(*found, limit=self._since + 3 * span) if found else self._since + span
            if cycle is None:
                break
            # After a jump, look again soon.
            span = (cycle - self._since) * 3 // 2 if cycle > self._since else self._patience.first_cycles
        return self._splices

    def _has_seen_enough(self) -> bool:
        """Whether looking for a period costs less than what was run since the last time that one began."""
        return self._visits() - self._visits_before >= self._patience.least_visits // 4

    def _visits(self) -> int:
        return int(self._net.processes["visits"].sum())

    def _begin_anew(self, cycle: int) -> None:
        self._since = cycle
        self._written_before = self._seen_from = self._net.fifos["written"].copy()
        self._spent = self._gained = 0
        self._visits_before = self._visits()

    def _goes_on(self, cycle: int) -> bool:
        """Runs all that happens up to a cycle; whether there is more."""
        from sttest.sim.maxplus.kernel import run_net

        net, size = self._net, self._net.processes.size
        net.limits[0] = cycle
        net.todo[0] = size
        net.todo[1:] = np.arange(size)[::-1]
        net.processes["is_queued"] = 1
        run_net(self._stamp, *net)
        if not net.limits[1]:
            net.limits[0] = UNBOUNDED
        return bool(net.limits[1])

    def _guess(self, cycle: int) -> tuple[int, int] | None:
        """A cycle from which on to compare, the same in every period, and the period; None where nothing recurs."""
        from sttest.sim.maxplus.kernel_period import find_periods

        net, cycles = self._net, self._period_cycles
        # Parts jump over inner loops at little cost each; where that does not help much, a longer period may.
        since = self._seen_from if self._gained < _GOOD_GAIN * self._spent else self._written_before
        find_periods(self._stamp, net.fifos, net.times, since, cycles, self._period_tokens)
        slowest = int(cycles.argmax())
        period = int(cycles[slowest])
        if period == 0:
            return None
        fifo = net.fifos[slowest]
        last = int(fifo["write_first"] + fifo["written"])
        recent = net.times[last - int(self._period_tokens[slowest]) - 1 : last]
        mark = int(recent[1 + int(np.diff(recent).argmax())])
        return cycle + (mark - cycle) % period, period

    def _try_to_jump(self, cycle: int, period: int, limit: int) -> int | None:
        """Runs on from a cycle, compares the states after one and more periods; the cycle reached, None at the end."""
        if not self._goes_on(cycle):
            return None
        before = self._state(cycle)
        lengths = self._frequent_periods()
        for periods in self._multiples(before, period, limit):
            cycle = before.cycle + periods * period
            marks = self._run_up_to(cycle, lengths if periods == 1 else [])
            if marks is None:
                return None
            recurs = self._recurs(before, cycle)
            if self._since < cycle and marks:
                self._parts_jump(marks, cycle)
            if recurs or self._since >= cycle:
                return max(self._since, cycle)
        return cycle

    def _frequent_periods(self) -> list[int]:
        """The periods with which the writes to most FIFOs seem to recur, longest first."""
        found, count = np.unique(self._period_cycles[self._period_cycles > 0], return_counts=True)
        chosen = found[np.argsort(-count, kind="stable")][:_MARKS]
        return sorted(chosen.tolist(), reverse=True)

    def _run_up_to(self, cycle: int, lengths: list[int]) -> dict[int, State] | None:
        """Runs up to a cycle; the states so many cycles before it, by length.  None at the end."""
        marks: dict[int, State] = {}
        for length in lengths:
            if not self._goes_on(cycle - length):
                return None
            marks[length] = self._state(cycle - length)
        return marks if self._goes_on(cycle) else None

    def _parts_jump(self, marks: dict[int, State], cycle: int) -> None:
        """Lets the parts of the net jump, each over periods of its own, where that is worth it."""
        least, run = self._least_visits() // 2, self._visits()
        jumped = jump_by_parts(self._stamp, self._net, marks, self._state(cycle), self._period_cycles, least)
        if jumped is not None:
            splice, reached = jumped
            self._splices.append(splice)
            seen_from = np.where(splice.writes > 0, self._net.fifos["written"], self._seen_from)
            spent, gained = self._spent + run - self._visits_before, self._gained + self._visits() - run
            self._begin_anew(reached)
            self._seen_from, self._spent, self._gained = seen_from, spent, gained

    def _least_visits(self) -> int:
        """Visits that are worth a jump: it hides longer periods, so many where little would be gained."""
        run = self._visits() - self._visits_before
        least = self._patience.least_visits
        return max(least, min(run // 2, _ALWAYS_WORTH_IT * least))

    def _multiples(self, before: State, period: int, limit: int) -> Iterator[int]:
        """1, then multiples in which all ports stream whole bursts, one per channel."""
        yield 1
        unit = lcm(1, *self._missing_factors(before))
        for multiple in range(unit, unit * (_MULTIPLES + 1), unit):
            if multiple > 1 and before.cycle + multiple * period <= limit:
                yield multiple

    def _missing_factors(self, before: State) -> Iterator[int]:
        ports, processes = self._net.ports, self._net.processes
        tokens = processes["visits"][ports["process"]] - before.processes["visits"][ports["process"]]
        rows = zip(ports["token_bytes"], ports["burst_bytes"] * ports["lanes"], tokens, strict=True)
        for token_bytes, turn_bytes, passed in ((int(a), int(b), int(c)) for a, b, c in rows):
            whole = lcm(token_bytes, turn_bytes) // token_bytes
            if passed:
                yield whole // gcd(whole, passed)

    def _recurs(self, before: State, cycle: int) -> bool:
        """Whether the state of ``before`` has come again; if it is worth it, jumps.

        Better still is a state kept at an earlier jump, if that has come again: its period is longer.
        """
        least = self._least_visits()
        now = self._state(cycle)
        if not now.may_be(before) or not self._jump(before, cycle, _NOT_WORTH_IT):
            return False
        alike = (old for old in reversed(self._kept) if now.may_be(old) and now.is_full_as(old))
        for old in (*alike, before):
            periods = self._jump(old, cycle, least)
            if periods > 0:
                if old is before:
                    self._kept.append(now)
                self._splices.append(_splice(old, now, periods))
                self._begin_anew(cycle + periods * (cycle - old.cycle))
                break
        return True

    def _jump(self, old: State, cycle: int, least: int) -> int:
        from sttest.sim.maxplus.kernel_jump import jump

        net = self._net
        return jump(
            self._stamp, net.processes, net.fifos, net.times, net.gap, net.pattern, net.pointer, net.op,
            net.tokens, net.segments, net.ports, net.lanes, net.bursts, net.channels, net.members, *old[1:], cycle,
            old.cycle, least,
        )  # fmt: skip

    def _state(self, cycle: int) -> State:
        return state_of(self._net, cycle)


def _splice(old: State, now: State, periods: int) -> Splice:
    size, cycles = now.fifos.size, now.cycle - old.cycle
    return Splice(
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
