"""Tiling: how many lanes each kernel gets, and over which loops of its tile they are spread.

Intensity-aware unrolling after StreamTensor (arXiv 2509.13694, the tiling
space): a budget of lanes goes, step by step, to whatever kernel is slowest.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sttest.core.errors import DoesNotFitError, InputError


@dataclass(frozen=True)
class TilingFacts:
    """A kernel as the unroll allocation sees it."""

    name: str
    work: int
    """Scalar operations of one run."""
    choices: tuple[int, ...]
    """Admissible lane counts, ascending; the first one is where the kernel starts."""
    cost_lanes_weight: float = 1
    """What one lane takes from the budget; below 1 for a kernel whose lanes are cheaper than a MAC."""
    min_cycles: int = 0
    """Latency that lanes cannot shorten further, such as that of the kernel's memory traffic."""
    intervals: tuple[int, ...] = ()
    """Cycles between steps at each of the choices; 1 if not given.  More lanes may leave a running sum less time."""

    def latency_cycles(self, lanes: int) -> int:
        """Cycles of one run with so many lanes, which are one of the choices."""
        interval = self.intervals[self.choices.index(lanes)] if self.intervals else 1
        return max(-(-self.work // lanes) * interval, self.min_cycles)


def allocate_unroll(kernels: Sequence[TilingFacts], overall_unroll: int) -> dict[str, int]:
    """Lanes per kernel: raise the slowest kernel until the budget is used up.

    Every kernel starts at its first choice, charged.  The slowest (ties: the
    first given) is raised to its next choice that shortens it.  Since only the
    slowest is ever raised, the pace, which is the slowest kernel's latency, is
    the best that the budget allows.

    A kernel that has no such choice, or whose raise no longer fits, is
    retired, and the others go on.  That no longer helps the pace, but a
    decode step pays its dependent kernels one after the other, so the lanes
    that are left still shorten it.

    Args:
        kernels: facts, in program order.
        overall_unroll: the budget, in lanes.

    Returns:
        Lanes per kernel, in the order given.

    Raises:
        DoesNotFitError: ``unroll-budget-too-small``, not even the first choices fit.
        InputError: ``bad-tiling-facts``.
    """
    for kernel in kernels:
        _check_facts(kernel)
    weights = [Fraction(str(kernel.cost_lanes_weight)) for kernel in kernels]
    lanes = [kernel.choices[0] for kernel in kernels]
    left = overall_unroll - sum((w * first for w, first in zip(weights, lanes, strict=True)), Fraction())
    if left < 0:
        raise _budget_too_small(len(kernels), overall_unroll - left, overall_unroll)

    slowest_first = [(-kernel.latency_cycles(lanes[i]), i) for i, kernel in enumerate(kernels)]
    heapq.heapify(slowest_first)
    while slowest_first:
        _, i = heapq.heappop(slowest_first)
        raised = _next_choice(kernels[i], lanes[i])
        charge = weights[i] * (raised - lanes[i])
        if raised == lanes[i] or charge > left:
            continue
        left -= charge
        lanes[i] = raised
        heapq.heappush(slowest_first, (-kernels[i].latency_cycles(raised), i))
    return {kernel.name: count for kernel, count in zip(kernels, lanes, strict=True)}


def _budget_too_small(kernel_count: int, demand: Fraction, bound: int) -> DoesNotFitError:
    return DoesNotFitError(
        "unroll-budget-too-small",
        f"the overall unroll size does not cover the first lanes of {kernel_count} kernels",
        where="overall_unroll",
        demand=math.ceil(demand),
        bound=bound,
        unit="lanes",
        hints=["raise the overall unroll size", "fuse kernels"],
    )


def _next_choice(kernel: TilingFacts, lanes: int) -> int:
    """The next choice that shortens the kernel; ``lanes`` itself if there is none."""
    now_cycles = kernel.latency_cycles(lanes)
    better = (c for c in kernel.choices if c > lanes and kernel.latency_cycles(c) < now_cycles)
    return next(better, lanes)


def _check_facts(kernel: TilingFacts) -> None:
    ascending = all(low < high for low, high in pairwise(kernel.choices))
    if not kernel.choices or kernel.choices[0] < 1 or not ascending:
        _refuse(kernel, f"the lane choices {list(kernel.choices)} are not ascending from 1 or more")
    if kernel.intervals and (len(kernel.intervals) != len(kernel.choices) or min(kernel.intervals) < 1):
        _refuse(kernel, "intervals are 1 or more, one per lane choice")
    if kernel.work < 0 or kernel.min_cycles < 0 or kernel.cost_lanes_weight < 0:
        _refuse(kernel, "work, cost_lanes_weight and min_cycles must not be negative")


def _refuse(kernel: TilingFacts, what: str) -> None:
    raise InputError("bad-tiling-facts", what, where=kernel.name, hints=["correct the facts of this kernel"])


def lane_choices(trips: Sequence[int]) -> tuple[int, ...]:
    """The powers of two that :func:`unroll_factors` can spread over a tile of these trip counts.

    >>> lane_choices([4, 6])
    (1, 2, 4, 8)
    """
    points = math.prod(trips)
    return tuple(1 << bit for bit in range((points & -points).bit_length()))


def unroll_factors(lanes: int, trips: Sequence[int], reductions: Sequence[int] = ()) -> tuple[int, ...]:
    """Spread lanes over the loops of a tile: one unroll factor per loop, each a divisor of its trip count.

    Parallel loops take what they can, innermost first, since their lanes need
    no adder tree and the innermost index is the one that is contiguous in a
    token; what is left goes to the reductions, in the order given.

    >>> unroll_factors(32, [4, 16, 8], reductions=[2])
    (2, 16, 1)

    Args:
        lanes: product of the factors.
        trips: trip counts of the loops inside a tile, outermost first.
        reductions: positions of the reduction loops.

    Raises:
        InputError: ``lanes-do-not-divide``, exactly when ``lanes`` does not divide the tile's points.
    """
    factors = [1] * len(trips)
    left = lanes
    parallel = [dim for dim in reversed(range(len(trips))) if dim not in reductions]
    for dim in [*parallel, *reductions]:
        factors[dim] = math.gcd(left, trips[dim])
        left //= factors[dim]
    if left != 1:
        raise InputError(
            "lanes-do-not-divide",
            f"{lanes} lanes cannot be spread over a tile of {'x'.join(map(str, trips))} points",
            where="unroll_factors",
            hints=[f"take one of {', '.join(map(str, lane_choices(trips)))} lanes", "change the tile size"],
        )
    return tuple(factors)
