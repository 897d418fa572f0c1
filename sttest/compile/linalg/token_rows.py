"""Tokens that a function takes at once, where these are few: the rows of its products with weights.

A decode step of a few tokens has every row of them in one tile, so that a weight
is read once for all of them (docs/tiling.md).
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import func
from xdsl.dialects.linalg.ops import GenericOp

from sttest.compile.linalg.contraction import is_contraction, pairs_loops, roles_of, weight_of
from sttest.compile.linalg.iteration import IterationSpace, is_view

MAX_ROWS = 16
"""Rows that one tile has room for."""


def token_rows(function: func.FuncOp) -> int:
    """Rows of every product of few rows with a weight; 1 where they differ, or where there is none."""
    found: set[int] = set()
    for op in function.body.block.ops:
        if not isinstance(op, GenericOp) or is_view(op):
            continue
        space = IterationSpace(op)
        if is_contraction(op, space) and pairs_loops(space) and weight_of(space) is not None:
            found.add(prod(space.extent(loop) for loop in roles_of(space).rows))
    rows = found.pop() if len(found) == 1 else 1
    return rows if rows <= MAX_ROWS else 1


def row_loop(space: IterationSpace, rows: int) -> frozenset[int]:
    """The loop over so many tokens, the outermost one; none for a single token."""
    first = space.parallel()[:1]
    return frozenset(loop for loop in first if rows > 1 and space.extent(loop) == rows)
