"""What a die partition is made of: processes, the FIFOs between them, the die, and what an assignment costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sttest.boards.resources import Resources, total

HANDSHAKE_WIRES = 2
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ProcessFacts:
    """A process to be placed.

    Attributes:
        name: unique.
        resources: with its memories.
        pinned: its SLR, if it can't be chosen.
    """

    name: str
    resources: Resources
    pinned: int | None = None


@dataclass(frozen=True)
class WireFacts:
    """A FIFO between two processes, with the bits of a token."""

    fifo: str
    source: str
    target: str
    bits: int

    @property
    def wires(self) -> int:
        """What a boundary between the two ends carries."""
        return self.bits + HANDSHAKE_WIRES


@dataclass(frozen=True)
class Die:
    """What the SLRs offer, in their order on the die.

    Attributes:
        budgets: per SLR, the margin already taken off.
        sll_per_boundary: super long lines between neighbours.
        balance_weight: of the fullest share, against wires over ``sll_per_boundary``.
    """

    budgets: tuple[Resources, ...]
    sll_per_boundary: int
    balance_weight: float = 1.0


@dataclass(frozen=True)
class Partition:
    """An assignment.

    Attributes:
        slr_of: per process.
        wires: over the boundary after each SLR but the last.
        shares: per SLR, of its budget.
        objective: see the module.
        proven_gap: how far a better assignment could be, relative; 1 where nothing is proven.
    """

    slr_of: Mapping[str, int]
    wires: tuple[int, ...]
    shares: tuple[Resources, ...]
    objective: float
    proven_gap: float

    def crossings(self, wire: WireFacts) -> int:
        """Boundaries between the two ends of a FIFO."""
        return abs(self.slr_of[wire.source] - self.slr_of[wire.target])


def assess(
    slr_of: Mapping[str, int], processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die,
    proven_gap: float = 1.0,
) -> Partition:  # fmt: skip
    """What an assignment costs; it need not fit."""
    crossing: Counter[int] = Counter()
    for wire in wires:
        ends = sorted((slr_of[wire.source], slr_of[wire.target]))
        for boundary in range(*ends):
            crossing[boundary] += wire.wires
    used = (
        total(process.resources for process in processes if slr_of[process.name] == slr)
        for slr in range(len(die.budgets))
    )
    shares = tuple(each.shares_of(budget) for each, budget in zip(used, die.budgets, strict=True))
    fullest = max(share.largest for share in shares)
    objective = crossing.total() / die.sll_per_boundary + die.balance_weight * fullest
    carried = tuple(crossing[boundary] for boundary in range(len(die.budgets) - 1))
    return Partition(dict(slr_of), carried, shares, objective, proven_gap)


def fits(partition: Partition, die: Die) -> bool:
    """Whether no SLR and no boundary is asked for more than it has."""
    full = any(share.largest > 1 + _TOLERANCE for share in partition.shares)
    return not full and all(wires <= die.sll_per_boundary for wires in partition.wires)
