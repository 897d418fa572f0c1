"""How a task walks one tile: which points each step works on, when tokens come in and when they leave.

A tile is worked on in steps of so many lanes.  Reductions lie outside of parallel loops, steps and lanes alike:
the points of one result element keep their row-major order, so that its running sum is the chain of
docs/values.md, while neighbouring lanes belong to different results.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from sttest.compile.dialects.df import TaskOp
from sttest.compile.spaces.tiling import unroll_factors

Step = tuple[int, ...]
"""The number of a step in every loop of the task."""


@dataclass(frozen=True)
class TileSchedule:
    """The walk over a tile.

    Attributes:
        order: loop numbers from the outermost to the innermost: reductions, then parallel loops.
        steps: steps per loop.
        lanes: points of a step per loop.
    """

    order: tuple[int, ...]
    steps: tuple[int, ...]
    lanes: tuple[int, ...]

    @staticmethod
    def of(task: TaskOp) -> TileSchedule:
        """The walk of a task with its lanes.

        Raises:
            InputError: the lanes can't be spread over the tile.
        """
        reductions = [loop for loop, kind in enumerate(task.loop_kinds) if kind == "reduction"]
        parallel = [loop for loop, kind in enumerate(task.loop_kinds) if kind == "parallel"]
        tile = task.tile_sizes
        factors = list(unroll_factors(min(task.lane_count, task.tile_points), tile, reductions))
        _spend_inside_out(factors, tile, reductions)
        steps = tuple(size // factor for size, factor in zip(tile, factors, strict=True))
        return TileSchedule((*reductions, *parallel), steps, tuple(factors))

    @property
    def count(self) -> int:
        """Steps of a tile."""
        return math.prod(self.steps)

    def in_order(self) -> list[Step]:
        """All steps, first to last."""
        ranges = itertools.product(*(range(self.steps[loop]) for loop in self.order))
        return [self._by_loop(numbers) for numbers in ranges]

    def spans(self, coefficients: Sequence[Sequence[int]], step: Step) -> list[tuple[int, int]]:
        """The lowest and the highest element, per data dim, that a step touches of a tensor."""
        starts = [number * lanes for number, lanes in zip(step, self.lanes, strict=True)]
        found = []
        for row in coefficients:
            low = sum(factor * start for factor, start in zip(row, starts, strict=True))
            found.append((low, low + sum(factor * (lanes - 1) for factor, lanes in zip(row, self.lanes, strict=True))))
        return found

    def _by_loop(self, numbers: Sequence[int]) -> Step:
        by_loop = dict(zip(self.order, numbers, strict=True))
        return tuple(by_loop[loop] for loop in range(len(self.steps)))


def _spend_inside_out(factors: list[int], tile: Sequence[int], reductions: Sequence[int]) -> None:
    """Spreads the reductions' lanes so that points stay in row-major order: an outer one has lanes over whole ones."""
    left = math.prod(factors[loop] for loop in reductions)
    for loop in reversed(reductions):
        factors[loop] = math.gcd(left, tile[loop])
        left = left // factors[loop] if factors[loop] == tile[loop] else 1


def reading_steps(
    schedule: TileSchedule,
    coefficients: Sequence[Sequence[int]],
    shape: Sequence[int],
    offsets: Sequence[tuple[int, ...]],
) -> list[Step]:
    """Per token of a tile the step that reads it: no later than it is needed, in the order in which they come.

    Args:
        schedule: the walk.
        coefficients: per data dim of the tensor, how far each loop of the task moves.
        shape: of a token.
        offsets: where each token lies in the tile.
    """
    steps = schedule.in_order()
    latest = len(steps) - 1
    found = []
    for offset in reversed(offsets):
        latest = min(latest, _first(steps, schedule, coefficients, shape, offset))
        found.append(steps[latest])
    return found[::-1]


def writing_steps(
    schedule: TileSchedule,
    coefficients: Sequence[Sequence[int]],
    shape: Sequence[int],
    offsets: Sequence[tuple[int, ...]],
) -> list[Step]:
    """Per token of a result the step after which it is complete, in the order in which they leave."""
    steps = schedule.in_order()
    earliest = 0
    found = []
    for offset in offsets:
        last = len(steps) - 1 - _first(steps[::-1], schedule, coefficients, shape, offset)
        earliest = max(earliest, last)
        found.append(steps[earliest])
    return found


def _first(
    steps: Sequence[Step],
    schedule: TileSchedule,
    coefficients: Sequence[Sequence[int]],
    shape: Sequence[int],
    offset: tuple[int, ...],
) -> int:
    """The first of the steps that touches a token; lanes are taken for boxes, which may say a step too early."""
    for number, step in enumerate(steps):
        spans = schedule.spans(coefficients, step)
        if all(
            low < start + size and start <= high for (low, high), start, size in zip(spans, offset, shape, strict=True)
        ):
            return number
    return len(steps) - 1
