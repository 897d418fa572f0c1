"""Stream orders of concatenations: turn by turn, some tokens of each part.

The outermost loop of the whole that walks the concatenated dim counts through
the parts.  Each iteration of the loops around it is a turn: all tokens of the
first part in it, then those of the second, and so on.  So a part streams as the
whole does, with fewer trips of that one loop.
"""

from __future__ import annotations

from math import prod

from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import raw_loops


def turns(whole: ITensorType, dim: int) -> int:
    """How often the parts take turns along ``dim``."""
    loop = _counting_loop(whole, dim)
    return 1 if loop is None else prod(whole.trip_counts[:loop])


def resized(order: ITensorType, dim: int, size: int) -> ITensorType | None:
    """The same order with ``size`` elements along ``dim``; None where its counting loop does not end there.

    Of a whole it gives the order of a part, of a part that of the whole.
    """
    loop = _counting_loop(order, dim)
    if loop is None:
        return None
    step = raw_loops(order)[loop].strides[dim]
    if step < 1 or size % step:
        return None
    trips = [*order.trip_counts[:loop], size // step, *order.trip_counts[loop + 1 :]]
    found = ITensorType.of(order.element_shape, order.dtype, trips, order.step_sizes, order.map, vector=order.is_vector)
    return found if found.full_shape[dim] == size else None


def _counting_loop(order: ITensorType, dim: int) -> int | None:
    """The position of the outermost loop that walks ``dim``; None where no loop does."""
    walks = (position for position, loop in enumerate(raw_loops(order)) if loop.strides[dim])
    return next(walks, None)
