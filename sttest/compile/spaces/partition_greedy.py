"""A die partition by one pass over the processes: what the program is held against, and where it finds nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sttest.boards.resources import Resources
from sttest.compile.spaces.partition_facts import Die, ProcessFacts, WireFacts


def greedy_slrs(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die
) -> dict[str, int] | None:  # fmt: skip
    """The SLR of every process: pinned ones first, each other one in order where it costs least.

    What it costs are the wires to neighbours that are placed already, and the fullest share
    of the SLR that it joins.  None where one fits nowhere; long lines are not looked at.
    """
    neighbours = _neighbours(processes, wires)
    used = [Resources() for _ in die.budgets]
    slr_of: dict[str, int] = {}
    for process in sorted(processes, key=lambda each: each.pinned is None):
        best = _best(process, neighbours[process.name], slr_of, used, die)
        if best is None:
            return None
        slr_of[process.name] = best
        used[best] = used[best] + process.resources
    return slr_of


def _neighbours(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts]) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {process.name: [] for process in processes}
    for wire in wires:
        found[wire.source].append((wire.target, wire.wires))
        found[wire.target].append((wire.source, wire.wires))
    return found


def _best(
    process: ProcessFacts, neighbours: Sequence[tuple[str, int]], slr_of: Mapping[str, int],
    used: Sequence[Resources], die: Die,
) -> int | None:  # fmt: skip
    costs: dict[int, float] = {}
    for slr in range(len(die.budgets)) if process.pinned is None else (process.pinned,):
        fullest = (used[slr] + process.resources).shares_of(die.budgets[slr]).largest
        if fullest > 1:
            continue
        wires = sum(count * abs(slr - slr_of[name]) for name, count in neighbours if name in slr_of)
        costs[slr] = wires / die.sll_per_boundary + die.balance_weight * fullest
    return min(costs, key=lambda slr: (costs[slr], slr)) if costs else None
