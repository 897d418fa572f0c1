"""How the terms of a reduction are joined (docs/reference/values.md, section Reductions).

- ``pairwise``: a sum in binary32 that is marked so.  Neighbors are added, then neighboring sums, and so on, from the
  last term on.  Steps of so many lanes add up a tree; the sums of steps are joined as a binary counter carries, which
  ends at all ones: the sum of 2 ** n steps waits in level n for that of the next 2 ** n.  No adder waits for its own
  result, and zeros in front change nothing.
- ``any``: a maximum, a minimum or a sum of integers, which no order changes: a tree over lanes, then a running value.
- ``chain``: everything else.  One term after the other is joined to the running value: lanes one behind the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import gcd, prod
from typing import Literal

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.spaces.tiling import unroll_factors

_EXTREMES = (arith.MaximumfOp, arith.MinimumfOp, arith.MaxSIOp, arith.MinSIOp)
_JOINS = (arith.AddfOp, arith.AddiOp, *_EXTREMES)


@dataclass(frozen=True)
class Reduction:
    """The order in which terms are joined."""

    order: Literal["chain", "any", "pairwise"]
    join: Operation | None = None  # the last operation of the payload, if it joins the running value and a term
    term: SSAValue | None = None  # what it joins to the running value

    @property
    def is_float_sum(self) -> bool:
        """Whether a chain has nothing but additions in binary32."""
        return isinstance(self.join, arith.AddfOp)


def reduction_of(task: df.TaskOp) -> Reduction | None:
    """The reduction of a task, None if it has none."""
    if "reduction" not in task.loop_kinds:
        return None
    running = task.payload.block.args[task.source_count]
    use = running.get_unique_use()
    if len(task.produced) != 1 or task.is_scanned(0) or use is None:
        return Reduction("chain")
    join = use.operation
    last = task.payload.block.last_op
    if type(join) not in _JOINS or not isinstance(last, df.YieldOp) or last.operands[0] is not join.results[0]:
        return Reduction("chain")
    term = next(operand for operand in join.operands if operand is not running)
    if not isinstance(join, arith.AddfOp):
        return Reduction("any", join, term)
    return Reduction("chain" if task.pairwise is None else "pairwise", join, term)


def can_be_pairwise(task: df.TaskOp) -> bool:
    """Whether a task is nothing but a sum in binary32 that starts at 0."""
    reduction = reduction_of(task)
    is_sum = reduction is not None and reduction.is_float_sum
    return is_sum and isinstance(task.init, FloatAttr) and task.init.value.data == 0


def free_order(task: df.TaskOp) -> Literal["points", "results", ""]:
    """What of a tile may be taken in any order, so that steps work on the tokens as they come.

    All points where a tile has one term of each result, and of a maximum, a minimum or a sum of integers, which is back
    a cycle after it was needed; but products keep to lanes that share a factor.  Of sums of neighbors, none of which
    waits for its own adder, results, while their terms keep their order.  Nothing else, where running values come round
    late or those of several tiles are held.
    """
    reduction = reduction_of(task)
    if reduction is None or prod(task.tile_sizes[loop] for loop in reduction_loops(task)) == 1:
        return "points"
    if prod(task.trip_counts[loop] for loop in task.held_loops) > 1:
        return ""
    is_integer_sum = isinstance(reduction.join, arith.AddiOp) and not task.is_contraction
    if is_integer_sum or isinstance(reduction.join, _EXTREMES):
        return "points"
    return "results" if reduction.order == "pairwise" else ""


# --- Lanes over the loops of a tile


def lane_factors(task: df.TaskOp, lanes: int) -> tuple[int, ...]:
    """The lanes of a step in every loop; their product may be less than was asked for.

    Parallel loops take what they can, innermost first, since their lanes share nothing.  Pairwise sums take lanes over
    the reductions first: a tree costs an adder per lane, a counter one per level and result.  Lanes over reductions
    are neighbors, so that terms keep their order: an outer loop has lanes over whole inner ones only.
    """
    by_pairs = task.pairwise is not None and (found := reduction_of(task)) is not None and found.order == "pairwise"
    return _lane_factors(lanes, task.tile_sizes, reduction_loops(task), by_pairs)


@lru_cache(maxsize=4096)
def _lane_factors(lanes: int, tile: tuple[int, ...], reductions: tuple[int, ...], by_pairs: bool) -> tuple[int, ...]:
    if by_pairs:
        factors = _neighbors(lanes, tile, reductions)
        parallel = unroll_factors(
            gcd(lanes // prod(factors), prod(tile) // prod(tile[loop] for loop in reductions)),
            [1 if loop in reductions else size for loop, size in enumerate(tile)],
        )
        return tuple(map(max, factors, parallel))
    spread = unroll_factors(lanes, tile, reductions)
    along = _neighbors(prod(spread[loop] for loop in reductions), tile, reductions)
    return tuple(along[loop] if loop in reductions else factor for loop, factor in enumerate(spread))


def _neighbors(lanes: int, tile: Sequence[int], reductions: Sequence[int]) -> tuple[int, ...]:
    """Lanes over reductions, inside out."""
    factors = [1] * len(tile)
    for loop in reversed(reductions):
        factors[loop] = gcd(lanes, tile[loop])
        lanes = lanes // factors[loop] if factors[loop] == tile[loop] else 1
    return tuple(factors)


def reduction_loops(task: df.TaskOp) -> tuple[int, ...]:
    """The reduction loops of a task, outermost first."""
    return _reductions_among(task.loop_kinds)


@cache
def _reductions_among(kinds: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(loop for loop, kind in enumerate(kinds) if kind == "reduction")


def lanes_per_result(task: df.TaskOp, lanes: int) -> int:
    """Lanes that work on one result element."""
    factors = lane_factors(task, lanes)
    return prod(factors[loop] for loop in reduction_loops(task))


def steps_of_tile(task: df.TaskOp, lanes: int) -> int:
    """Steps of one tile."""
    return task.tile_points // prod(lane_factors(task, lanes))


def levels(task: df.TaskOp, lanes: int) -> int:
    """Levels of the counter that joins the sums of steps: 0 where a result takes one step."""
    return (task.reduction_points // lanes_per_result(task, lanes) - 1).bit_length()


# --- Where running values wait for their next term


MEMORY_CYCLES = 2
"""What a memory adds to the way of a running value: one to read it, one to write it (AMD answer record 51269)."""
ADDER_CYCLES = 4
"""Latency of the adder in LUTs that short recurrences get (`boards/data/operators.yaml`: fadd_fabric)."""


def sum_distance(task: df.TaskOp, factors: Sequence[int]) -> int:
    """Steps from one update of a running value to the next, with lanes per loop."""
    parallel, reduction = _steps_by_kind(task, factors)
    return parallel * (task.iterations_per_sum if reduction == 1 else 1)


def waits_in_line(task: df.TaskOp, factors: Sequence[int]) -> bool:
    """Whether running values go round in a line of registers, one place per step.

    They do where one comes back before a memory could have it ready, and all come back after the same number of steps.
    """
    _, reduction = _steps_by_kind(task, factors)
    returns_evenly = reduction == 1 or not task.held_loops
    return returns_evenly and sum_distance(task, factors) < ADDER_CYCLES + MEMORY_CYCLES


def _steps_by_kind(task: df.TaskOp, factors: Sequence[int]) -> tuple[int, int]:
    """Steps of a tile over its parallel loops, and over its reductions."""
    steps = {"parallel": 1, "reduction": 1}
    for size, factor, kind in zip(task.tile_sizes, factors, task.loop_kinds, strict=True):
        steps[kind] *= size // factor
    return steps["parallel"], steps["reduction"]
