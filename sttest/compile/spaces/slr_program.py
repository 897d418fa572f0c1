"""The program of a die partition (:mod:`sttest.compile.spaces.partition`) as HiGHS takes it, all rows at once.

Its columns: per process and boundary whether the process lies at or before it, which must be whole; per wire and
boundary how much of the wire crosses it; the fullest share of an SLR.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from highspy import HighsLp, HighsVarType, MatrixFormat
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int64]
Real: TypeAlias = NDArray[np.float64]
_Rows: TypeAlias = tuple[Whole, Real, float]
"""Rows of equally many terms: columns [rows, terms], coefficients that broadcast to them, and what they are at most."""


@dataclass(frozen=True)
class SlrProgram:
    """P processes on S SLRs in a row, joined by W wires; K resources."""

    shares: Real  # [S, K, P], what each process takes of each SLR's budget
    ends: Whole  # [W, 2], the numbers of the processes that a wire joins
    wires: Whole  # [W], what each of them carries
    lines: int  # what a boundary carries at most
    pinned: Whole  # [P], the SLR of each process, -1 where it can be chosen

    @property
    def boundaries(self) -> int:
        """Boundaries between SLRs."""
        return len(self.shares) - 1

    @cached_property
    def below(self) -> Whole:
        """The column of each process and boundary, [P, S - 1]."""
        return np.arange(self.pinned.size * self.boundaries).reshape(self.pinned.size, self.boundaries)

    @cached_property
    def crosses(self) -> Whole:
        """The column of each wire and boundary, [W, S - 1]."""
        return self.below.size + np.arange(self.wires.size * self.boundaries).reshape(self.wires.size, self.boundaries)

    def as_lp(self, weight: float, balance_weight: float) -> HighsLp:
        """The program with its costs.

        Args:
            weight: factor of all costs; 0 where any assignment will do.
            balance_weight: weight of the fullest share, against wires over ``lines``.
        """
        program: Any = HighsLp()  # whose stubs know lists alone
        whole, crossing = self.below.size, self.crosses.size
        program.num_col_ = whole + crossing + 1
        costs = np.repeat(weight * self.wires / self.lines, self.boundaries)
        program.col_cost_ = np.concatenate([np.zeros(whole), costs, [weight * balance_weight]])
        must, may = self._bounds()
        program.col_lower_ = np.concatenate([must.ravel(), np.zeros(crossing + 1)])
        program.col_upper_ = np.concatenate([may.ravel(), np.ones(crossing + 1)])
        kinds = [HighsVarType.kInteger] * whole + [HighsVarType.kContinuous] * (crossing + 1)
        program.integrality_ = kinds
        self._put_rows(program)
        return program

    def _bounds(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each process must lie, and may lie, at or before the SLR ahead of each boundary."""
        pinned, boundary = self.pinned[:, None], np.arange(self.boundaries)
        before = pinned <= boundary
        return before & (pinned >= 0), before

    def _put_rows(self, program: Any) -> None:
        """All rows, the terms of each in the order of the columns."""
        columns, values, upper, sizes = [], [], [], []
        for where, coefficients, most in self._rows():
            order = where.argsort(axis=1)
            value = np.take_along_axis(np.broadcast_to(coefficients, where.shape), order, axis=1)
            columns.append(np.take_along_axis(where, order, axis=1)[value != 0])
            values.append(value[value != 0])
            sizes.append((value != 0).sum(1))
            upper.append(np.full(len(where), most))
        starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        program.num_row_ = len(starts) - 1
        program.row_upper_ = np.concatenate(upper)
        program.row_lower_ = np.full(program.num_row_, -np.inf)
        matrix = program.a_matrix_
        matrix.format_, matrix.num_row_, matrix.num_col_ = MatrixFormat.kRowwise, program.num_row_, program.num_col_
        matrix.start_, matrix.index_, matrix.value_ = starts, np.concatenate(columns), np.concatenate(values)

    def _rows(self) -> Iterator[_Rows]:
        yield from self._rising()
        yield self._crossing()
        for boundary in range(self.boundaries):
            yield self.crosses[None, :, boundary], self.wires.astype(np.float64), self.lines
        yield from self._full()

    def _rising(self) -> Iterator[_Rows]:
        """What lies at or before a boundary does so at the next one."""
        pairs = [self.below[:, [before, after]] for before, after in pairwise(range(self.boundaries))]
        if pairs:
            yield np.stack(pairs, axis=1).reshape(-1, 2), np.array([1.0, -1.0]), 0

    def _crossing(self) -> _Rows:
        """A wire crosses a boundary, either way, if only one of its ends lies before it; one from a process to itself
        does not.
        """
        one, other = self.below[self.ends[:, 0]], self.below[self.ends[:, 1]]
        where = np.stack([one, other, self.crosses], axis=-1).repeat(2, axis=1).reshape(-1, 3)
        signs = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]])
        apart = (self.ends[:, 0] != self.ends[:, 1]).repeat(2 * self.boundaries)
        coefficients = np.tile(signs, (len(where) // 2, 1))
        coefficients[:, :2] *= apart[:, None]
        return where, coefficients, 0

    def _full(self) -> Iterator[_Rows]:
        """What is taken of an SLR: by what lies before the boundary behind it, not before the one ahead."""
        fullest = self.below.size + self.crosses.size
        for slr, resources in enumerate(self.shares):
            ends = ((slr, 1.0), (slr - 1, -1.0))
            sides = [(self.below[:, at], sign) for at, sign in ends if 0 <= at < self.boundaries]
            where = np.concatenate([*(columns for columns, _ in sides), [fullest]])[None]
            for shares in resources:
                # Behind the last boundary lies what does not lie before it.
                always = sum(shares.tolist()) if slr == self.boundaries else 0.0
                yield where, np.concatenate([*(sign * shares for _, sign in sides), [-1.0]]), -always
