"""A die partition by simulated annealing: where budgets and long lines are tight, it finds what one pass does not.

Kirkpatrick et al., Science 220 (1983): single processes move to another SLR; what makes an
assignment worse is kept with a probability that falls.  What is beyond a budget or the long
lines costs little at first, so that large processes move, and many times what is within at
the end.  Each start has its own seed, so that the same design has the same assignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from itertools import accumulate

import numpy as np

from sttest.compile.spaces.partition_facts import Die, ProcessFacts, WireFacts

_MOVES = 400_000
_HEATS = ((0.3, 0.5), (0.1, 2.0), (0.05, 0.5))
"""Of each start in turn: heat at the beginning, and what is beyond a bound costs then, against the same within."""
_COLD = 0.0003
_BEYOND = 20.0
_STARTS = 9


def annealed_slrs(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die, starts: int = _STARTS,
    *, any_will_do: bool = False,
) -> Iterator[dict[str, int]]:  # fmt: skip
    """The SLR of every process in the best assignment that each start met; it fits if any did that the start met.

    Args:
        processes: pinned ones stay where they are.
        wires: between them.
        die: that they lie on.
        starts: to make.
        any_will_do: a start ends with the first assignment that fits.
    """
    pinned = np.array([process.pinned or 0 for process in processes], dtype=np.int64)
    movable = np.array([n for n, process in enumerate(processes) if process.pinned is None], dtype=np.int64)
    if not movable.size or len(die.budgets) < 2:
        yield {process.name: slr for process, slr in zip(processes, pinned.tolist(), strict=True)}
        return
    # Late: numba takes its time.
    from sttest.compile.spaces.annealing_kernel import anneal

    needs, (first, other, share) = _needs(processes, die), _neighbours(processes, wires, die)
    for seed in range(starts):
        hot, beyond = _HEATS[seed % len(_HEATS)]
        found = anneal(
            needs, first, other, share, pinned.copy(), movable, die.balance_weight, _MOVES, (hot, _COLD),
            (beyond, _BEYOND), seed, any_will_do,
        )  # fmt: skip
        yield {process.name: int(slr) for process, slr in zip(processes, found, strict=True)}


def _needs(processes: Sequence[ProcessFacts], die: Die) -> np.ndarray:
    """Shares of the budgets by process, SLR and resource."""
    return np.array(
        [[[*map(float, astuple(each.resources.shares_of(budget)))] for budget in die.budgets] for each in processes]
    )


def _neighbours(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each process's neighbours begin, their numbers, and the share of the long lines between the two."""
    position = {process.name: number for number, process in enumerate(processes)}
    shares: list[dict[int, float]] = [{} for _ in processes]
    for wire in wires:
        ends = position[wire.source], position[wire.target]
        for one, other in (ends, ends[::-1]):
            if one != other:
                shares[one][other] = shares[one].get(other, 0.0) + wire.wires / die.sll_per_boundary
    first = [0, *accumulate(map(len, shares))]
    others = [other for each in shares for other in each]
    return (
        np.array(first, dtype=np.int64), np.array(others, dtype=np.int64),
        np.array([share for each in shares for share in each.values()], dtype=np.float64),
    )  # fmt: skip
