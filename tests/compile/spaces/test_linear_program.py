"""A linear program whose first way gives up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from sttest.compile.spaces import fifo_sizing as linear_program
from sttest.compile.spaces.fifo_sizing import Entries, solve_lp
from sttest.core.errors import SttestError

# At least 3 in sum, the second twice as dear.
COSTS, ROWS, LIMITS, BOUNDS = (
    np.array([1.0, 2.0]),
    Entries(np.array([0, 0]), np.array([0, 1]), np.array([-1.0, -1.0]), (1, 2)),
    np.array([-3.0]),
    [(0.0, 2.0), (0.0, 9.0)],
)


def test_the_cheapest_point_is_found() -> None:
    np.testing.assert_allclose(solve_lp(COSTS, ROWS, LIMITS, BOUNDS, "test"), [2.0, 1.0])


def test_another_way_is_tried_where_the_first_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    solve, tried = linear_program._solved, []

    def gives_up_at_first(program: Any, solver: str, presolve: str) -> Any:
        tried.append(solver)
        return ("Unknown", None) if len(tried) == 1 else solve(program, solver, presolve)

    monkeypatch.setattr(linear_program, "_solved", gives_up_at_first)
    np.testing.assert_allclose(solve_lp(COSTS, ROWS, LIMITS, BOUNDS, "test"), [2.0, 1.0])
    assert len(tried) == 2


def test_entries_may_come_in_any_order() -> None:
    """As scipy's own reader of the same program sees it."""
    source = np.random.default_rng(0)
    dense = source.integers(-2, 3, (6, 5)).astype(float)
    rows, columns = np.nonzero(dense)
    order = source.permutation(rows.size)
    rows, columns = rows[order], columns[order]
    entries = Entries(rows, columns, dense[rows, columns], (6, 5))
    costs, limits, bounds = source.normal(size=5), source.uniform(1, 3, 6), [(0.0, 4.0)] * 5
    weights = source.normal(size=6)
    np.testing.assert_allclose(entries.times(weights), weights @ dense)
    expected = linprog(costs, A_ub=dense, b_ub=limits, bounds=bounds)
    assert costs @ solve_lp(costs, entries, limits, bounds, "test") == pytest.approx(expected.fun)


def test_what_has_no_solution_is_an_error_with_the_reason() -> None:
    with pytest.raises(SttestError, match=r"no depths: Infeasible"):
        solve_lp(COSTS, ROWS, np.array([-100.0]), BOUNDS, "no depths")
