"""The token game in which accesses hold up from their earliest stage on and take effect after their latest.

What has taken effect in it has in every choice of stages.  A process that stands still stands at one access; where
it is open which, whatever comes before all that it may be counts.  Where that access is fixed, one choice
is the worst: this access as early and all others as late as can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sttest.sim.graph import Fifo
from sttest.sim.interval.choices import Accesses, Freedom


class Blocked(NamedTuple):
    """Access ``token`` of kind ``op`` holds up access ``provided`` of kind ``provides``; both of one process."""

    process: int
    op: int
    token: int
    provides: int
    provided: int


class IntervalGame:
    """The game on what is free in a graph, with FIFOs of any depths.

    Kinds of accesses are numbered by process here, K of them; ``tables`` are int64 arrays for compiled code: per
    process its first kind (P + 1), per kind its process, the kind at the other end of the FIFO (-1: none), tokens or
    places there at the start, its first access (K + 1); per access its stage as given, the earliest, the latest, its
    choice; and by choice and kind within the process the lead.
    """

    def __init__(self, freedom: Freedom, fifos: Sequence[Fifo]) -> None:
        self.op_of = [op for ops in freedom.ops for op in ops]
        self._kind_of = {op: kind for kind, op in enumerate(self.op_of)}
        found = [freedom.accesses[op] for op in self.op_of]
        sizes = [accesses.low.size for accesses in found]
        self.tables = (
            np.cumsum([0] + [len(ops) for ops in freedom.ops]),
            np.repeat(np.arange(len(freedom.ops)), [len(ops) for ops in freedom.ops]),
            np.array([self._kind_of.get(op ^ 1, -1) for op in self.op_of], np.int64),
            np.array([_slack(fifos[op // 2], op) for op in self.op_of], np.int64),
            np.cumsum([0, *sizes]),
            *(_joined(found, column) for column in ("given", "low", "high", "choice")),
            self._leads(freedom),
        )
        self.sizes = np.array(sizes, np.int64)
        self.looked_at = 0
        """Processes looked at so far, in all games."""

    def _leads(self, freedom: Freedom) -> np.ndarray:
        from sttest.sim.interval.kernel import FREE

        leads = np.full((len(freedom.choices) + 1, max(map(len, freedom.ops), default=0) + 1), FREE, np.int64)
        for (write, read), lead in freedom.lead.items():
            reads = freedom.choices[read]
            if reads.op in freedom.ops[reads.process]:
                leads[write, freedom.ops[reads.process].index(reads.op)] = lead
        return leads

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Nothing has taken effect, int64[K]; a process may stand at any of its accesses, bool[K]."""
        return np.zeros(len(self.op_of), np.int64), np.ones(len(self.op_of), np.bool_)

    def play(self, effective: np.ndarray, may_hold: np.ndarray, only: int = -1) -> np.ndarray:
        """How many accesses of each kind take effect, int64[K], from a state in which ``effective`` have.

        ``only``: the one process that can go on at first, if that is known.
        """
        from sttest.sim.interval.kernel import play_on

        reached = effective.copy()
        self.looked_at += play_on(self.tables, may_hold, reached, only)
        return reached

    def is_done(self, effective: np.ndarray) -> bool:
        """Whether everything has taken effect."""
        return bool((effective == self.sizes).all())

    def kinds(self, process: int) -> slice:
        """The kinds of accesses of a process."""
        return slice(int(self.tables[0][process]), int(self.tables[0][process + 1]))

    def holding(self, effective: np.ndarray, may_hold: np.ndarray, process: int) -> list[int]:
        """Kinds of accesses at which a process may stand and that can't all happen yet."""
        from sttest.sim.interval.kernel import allowed

        kinds = self.kinds(process)
        some = range(kinds.start, kinds.stop)
        return [kind for kind in some if may_hold[kind] and allowed(self.tables, effective, kind) < self.sizes[kind]]

    def cycle(self, effective: np.ndarray, may_hold: np.ndarray) -> list[Blocked]:
        """After a game that stood still: accesses that hold each other up; empty if tokens are missing anyway.

        One that passes each process once if one is found.
        """
        holds = {kind: self._hold_up(effective, may_hold, kind) for kind in self._held(effective)}
        following = {kind: int(self.tables[2][self._kind_of[held.op]]) for kind, held in holds.items()}
        if not holds.keys() >= set(following.values()):
            return []
        cycles = [[holds[kind] for kind in cycle] for cycle in _cycles(following)]
        return next((cycle for cycle in cycles if passed_twice(cycle) is None), cycles[0])

    def _held(self, effective: np.ndarray) -> list[int]:
        """Kinds of accesses that have not all taken effect."""
        return np.flatnonzero(effective < self.sizes).tolist()

    def _hold_up(self, effective: np.ndarray, may_hold: np.ndarray, kind: int) -> Blocked:
        """An access that holds up the next one of a kind, the earliest of several."""
        from sttest.sim.interval.kernel import allowed, passed

        process = int(self.tables[1][kind])
        some = self.holding(effective, may_hold, process)
        tokens = {blocked: int(allowed(self.tables, effective, blocked)) for blocked in some}
        low = self.tables[6]
        blocked = min(
            (b for b in some if passed(self.tables, kind, b, tokens[b]) <= effective[kind]),
            key=lambda b: (low[self.tables[4][b] + tokens[b]], b),
        )
        return Blocked(process, self.op_of[blocked], tokens[blocked], self.op_of[kind], int(effective[kind]))


def passed_twice(cycle: list[Blocked]) -> int | None:
    """The first process that a cycle passes twice, if there is one."""
    seen: set[int] = set()
    for blocked in cycle:
        if blocked.process in seen:
            return blocked.process
        seen.add(blocked.process)
    return None


def _cycles(following: dict[int, int]) -> list[list[int]]:
    """The cycles that one comes into from anywhere."""
    cycles: list[list[int]] = []
    passed: set[int] = set()
    for start in following:
        path: dict[int, None] = {}
        step = start
        while step not in path and step not in passed:
            path[step] = None
            step = following[step]
        passed |= path.keys()
        if step in path:
            order = list(path)
            cycles.append(order[order.index(step) :])
    return cycles


def _slack(fifo: Fifo, op: int) -> int:
    return fifo.depth - fifo.initial_tokens if op % 2 else fifo.initial_tokens


def _joined(found: list[Accesses], column: str) -> np.ndarray:
    return np.concatenate([np.empty(0, np.int64), *(getattr(accesses, column) for accesses in found)]).astype(np.int64)
