"""A die partition as a mixed-integer program, row by row (the objective is in ``partition``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import coo_array

from sttest.boards.resources import KINDS
from sttest.compile.spaces.partition_facts import Die, ProcessFacts, WireFacts


class Program:
    """Columns: ``below`` per process and boundary, ``crosses`` per FIFO and boundary, then the fullest share.

    ``below`` is 1 where the process lies at or before the boundary's SLR; it rises along the
    boundaries, so that the SLR is one-hot by itself.
    """

    def __init__(self, processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
        self.processes, self.wires, self.die = processes, wires, die
        self.boundaries = len(die.budgets) - 1
        self.index = {process.name: position for position, process in enumerate(processes)}
        self.binaries = len(processes) * self.boundaries
        self.columns = self.binaries + len(wires) * self.boundaries + 1

    def below(self, process: int, boundary: int) -> int:
        """Column: whether a process lies at or before the SLR ahead of a boundary."""
        return process * self.boundaries + boundary

    def crosses(self, wire: int, boundary: int) -> int:
        """Column: whether a FIFO crosses a boundary."""
        return self.binaries + wire * self.boundaries + boundary

    def costs(self) -> np.ndarray:
        """The objective, per column."""
        costs = np.zeros(self.columns)
        for number, wire in enumerate(self.wires):
            for boundary in range(self.boundaries):
                costs[self.crosses(number, boundary)] = wire.wires / self.die.sll_per_boundary
        costs[-1] = self.die.balance_weight
        return costs

    def integrality(self) -> np.ndarray:
        """Only ``below`` must be whole: the rest follows."""
        return (np.arange(self.columns) < self.binaries).astype(int)

    def bounds(self) -> Bounds:
        """All columns lie in [0, 1]; those of pinned processes are fixed."""
        lower, upper = np.zeros(self.columns), np.ones(self.columns)
        for number, process in enumerate(self.processes):
            if process.pinned is not None:
                for boundary in range(self.boundaries):
                    fixed = float(process.pinned <= boundary)
                    lower[self.below(number, boundary)] = upper[self.below(number, boundary)] = fixed
        return Bounds(lower, upper)  # pyright: ignore[reportArgumentType]  # stubs know scalars only

    def constraints(self) -> list[LinearConstraint]:
        """All rows, as upper bounds."""
        rows = [*self._order(), *self._crossings(), *self._long_lines(), *self._shares()]
        if not rows:
            return []
        cells = [(number, column, value) for number, (_, entries) in enumerate(rows) for column, value in entries]
        at, columns, values = zip(*cells, strict=True)
        matrix = coo_array((values, (at, columns)), shape=(len(rows), self.columns)).tocsr()
        upper = np.array([bound for bound, _ in rows])
        return [LinearConstraint(matrix, ub=upper)]  # pyright: ignore[reportArgumentType]  # stubs know scalars only

    def _order(self) -> Iterator[_RowOf]:
        for number in range(len(self.processes)):
            for boundary in range(self.boundaries - 1):
                yield 0.0, [(self.below(number, boundary), 1.0), (self.below(number, boundary + 1), -1.0)]

    def _crossings(self) -> Iterator[_RowOf]:
        for number, wire in enumerate(self.wires):
            ends = self.index[wire.source], self.index[wire.target]
            for boundary in range(self.boundaries):
                one, other = (self.below(end, boundary) for end in ends)
                crosses = (self.crosses(number, boundary), -1.0)
                yield 0.0, [(one, 1.0), (other, -1.0), crosses]
                yield 0.0, [(one, -1.0), (other, 1.0), crosses]

    def _long_lines(self) -> Iterator[_RowOf]:
        for boundary in range(self.boundaries):
            entries = [(self.crosses(number, boundary), float(wire.wires)) for number, wire in enumerate(self.wires)]
            yield float(self.die.sll_per_boundary), entries

    def _shares(self) -> Iterator[_RowOf]:
        """Per SLR and resource: what its processes take of the budget is at most the fullest share."""
        for slr, budget in enumerate(self.die.budgets):
            for kind in KINDS:
                bound = getattr(budget, kind)
                offset, entries = 0.0, [(self.columns - 1, -1.0)]
                for number, process in enumerate(self.processes):
                    share = getattr(process.resources, kind) / bound if bound else 0.0
                    if slr < self.boundaries:
                        entries.append((self.below(number, slr), share))
                    else:
                        offset += share
                    if slr > 0:
                        entries.append((self.below(number, slr - 1), -share))
                yield -offset, entries

    def slr_of(self, solution: np.ndarray) -> dict[str, int]:
        """The SLR of every process in a solution."""
        below = np.rint(solution[: self.binaries]).reshape(len(self.processes), self.boundaries)
        return {p.name: self.boundaries - int(row.sum()) for p, row in zip(self.processes, below, strict=True)}


_RowOf = tuple[float, list[tuple[int, float]]]
"""Upper bound of a row, and its columns with their coefficients."""
