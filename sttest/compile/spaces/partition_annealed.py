"""A die partition by simulated annealing: where budgets and long lines are tight, it finds what one pass does not.

Kirkpatrick et al., Science 220 (1983): single processes move to another SLR; what makes an
assignment worse is kept with a probability that falls.  What is beyond a budget or the long
lines costs many times what is within.  The generator has a fixed seed, so that the same
design has the same assignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from math import exp
from random import Random

from sttest.compile.spaces.partition_facts import Die, ProcessFacts, WireFacts

_STEPS = 40_000
_HOT, _COLD = 0.3, 0.0005
# Of what is beyond a bound, against the same share within.
_BEYOND = 20.0


def annealed_slrs(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die, seed: int = 0
) -> dict[str, int]:
    """The SLR of every process in the best assignment that was met; it need not fit.

    Args:
        processes: pinned ones stay where they are.
        wires: between them.
        die: that they lie on.
        seed: of the moves.
    """
    state, choose = _State.of(processes, wires, die), Random(seed)
    movable = [number for number, process in enumerate(processes) if process.pinned is None]
    best, best_cost = list(state.slrs), state.cost
    for step in range(_STEPS if movable and len(die.budgets) > 1 else 0):
        heat = _HOT * (_COLD / _HOT) ** (step / _STEPS)
        number = choose.choice(movable)
        before = state.slrs[number]
        after = (before + choose.randrange(1, len(die.budgets))) % len(die.budgets)
        cost = state.cost
        state.move(number, after)
        if state.cost > cost and choose.random() >= exp((cost - state.cost) / heat):
            state.move(number, before)
        elif state.cost < best_cost:
            best, best_cost = list(state.slrs), state.cost
    return {process.name: slr for process, slr in zip(processes, best, strict=True)}


@dataclass
class _State:
    """An assignment with what it takes, kept up to date move by move.

    Attributes:
        needs: per process, shares of the budgets of every SLR by resource.
        neighbours: per process, the others that it has wires to, and how many as a share of the long lines.
        slrs: per process.
        used: per SLR, shares by resource.
        crossing: per boundary, share of its long lines.
    """

    needs: list[list[tuple[float, ...]]]
    neighbours: list[list[tuple[int, float]]]
    slrs: list[int]
    balance_weight: float
    used: list[list[float]] = field(default_factory=list)
    crossing: list[float] = field(default_factory=list)
    cost: float = 0.0

    @staticmethod
    def of(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> _State:
        """All processes in the first SLR, but those that are pinned elsewhere."""
        position = {process.name: number for number, process in enumerate(processes)}
        neighbours: list[list[tuple[int, float]]] = [[] for _ in processes]
        for wire in wires:
            source, target, share = position[wire.source], position[wire.target], wire.wires / die.sll_per_boundary
            neighbours[source].append((target, share))
            neighbours[target].append((source, share))
        needs = [
            [tuple(map(float, astuple(process.resources.shares_of(budget)))) for budget in die.budgets]
            for process in processes
        ]
        state = _State(needs, neighbours, [each.pinned or 0 for each in processes], die.balance_weight)
        state.used = [[0.0] * len(needs[0][0]) for _ in die.budgets] if needs else []
        for number, slr in enumerate(state.slrs):
            state.used[slr] = [a + b for a, b in zip(state.used[slr], needs[number][slr], strict=True)]
        state.crossing = [0.0] * (len(die.budgets) - 1)
        for wire in wires:
            state.carry(
                state.slrs[position[wire.source]], state.slrs[position[wire.target]], wire.wires / die.sll_per_boundary
            )
        state.cost = state.assessed()
        return state

    def move(self, number: int, slr: int) -> None:
        """Takes a process to an SLR."""
        before = self.slrs[number]
        for other, share in self.neighbours[number]:
            self.carry(before, self.slrs[other], -share)
            self.carry(slr, self.slrs[other], share)
        self.used[before] = [a - b for a, b in zip(self.used[before], self.needs[number][before], strict=True)]
        self.used[slr] = [a + b for a, b in zip(self.used[slr], self.needs[number][slr], strict=True)]
        self.slrs[number] = slr
        self.cost = self.assessed()

    def carry(self, one: int, other: int, share: float) -> None:
        """Adds wires between two SLRs to the boundaries between them."""
        for boundary in range(min(one, other), max(one, other)):
            self.crossing[boundary] += share

    def assessed(self) -> float:
        """The objective of a partition, and what is beyond a bound many times."""
        fullest = [max(shares) for shares in self.used]
        beyond = sum(max(0.0, share - 1) for share in (*fullest, *self.crossing))
        return sum(self.crossing) + self.balance_weight * max(fullest, default=0.0) + _BEYOND * beyond
