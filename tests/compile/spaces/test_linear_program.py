"""A linear program whose first way gives up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from sttest.compile.spaces import fifo_sizing as linear_program
from sttest.compile.spaces.fifo_sizing import solve_lp
from sttest.core.errors import SttestError

# At least 3 in sum, the second twice as dear.
COSTS, ROWS, LIMITS, BOUNDS = (
    np.array([1.0, 2.0]),
    csr_array([[-1.0, -1.0]]),
    np.array([-3.0]),
    [(0.0, 2.0), (0.0, 9.0)],
)


def test_the_cheapest_point_is_found() -> None:
    np.testing.assert_allclose(solve_lp(COSTS, ROWS, LIMITS, BOUNDS, "test"), [2.0, 1.0])


def test_another_way_is_tried_where_the_first_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    solve, tried = linear_program.linprog, []

    def linprog(*given: Any, method: str, **options: Any) -> Any:
        tried.append(method)
        if len(tried) == 1:
            return SimpleNamespace(success=False, message="HiGHS Status 15: model_status is Unknown")
        return solve(*given, method=method, **options)

    monkeypatch.setattr(linear_program, "linprog", linprog)
    np.testing.assert_allclose(solve_lp(COSTS, ROWS, LIMITS, BOUNDS, "test"), [2.0, 1.0])
    assert len(tried) == 2


def test_what_has_no_solution_is_an_error_with_the_reason() -> None:
    with pytest.raises(SttestError, match=r"no depths: .*infeasible"):
        solve_lp(COSTS, ROWS, np.array([-100.0]), BOUNDS, "no depths")
