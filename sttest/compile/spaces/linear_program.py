"""A linear program solved by HiGHS, which at times gives up on one that another of its ways solves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from sttest.errors import SttestError

# HiGHS's own choice first; the simplex without presolve and the interior point end where that reports "unknown".
_WAYS = (("highs", True), ("highs-ds", False), ("highs-ipm", True))


def least(
    costs: NDArray[np.float64],
    rows: csr_array,
    limits: NDArray[np.float64],
    bounds: Sequence[tuple[float, float]] | NDArray[np.float64],
    what: str,
) -> NDArray[np.float64]:
    """The point of least ``costs`` with ``rows @ point <= limits`` within ``bounds``.

    Args:
        costs: per column.
        rows, limits: of the inequalities.
        bounds: least and most of each column.
        what: is looked for, for the error.

    Raises:
        SttestError: ``lp-failed``, no way finds one.
    """
    message = ""
    for method, presolve in _WAYS:
        solution = linprog(costs, rows, limits, bounds=bounds, method=method, options={"presolve": presolve})
        if solution.success:
            return solution.x
        message = message or str(solution.message)
    raise SttestError("lp-failed", f"{what}: {message}", where="fifo sizing")
