"""In which order a concatenation streams: as its largest part is computed, where the other parts can follow.

Otherwise it has one loop per dim, with the tiles and the order of loops that are
nearest to it.  Along the concatenated dim a tile divides every part.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr, AffineMap

from sttest.compile.dialects.concat_order import resized
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import raw_loops
from sttest.compile.loops.loop_nest import tile_of

Shape = tuple[int, ...]


def plan_concat(
    shapes: Sequence[Shape], dim: int, dtype: Attribute, producers: Sequence[ITensorType | None], default_tile: int
) -> ITensorType:
    """The order of the whole.

    Args:
        shapes: of the parts.
        dim: along which they lie one behind the other.
        dtype: of an element.
        producers: the order in which each part is computed; None for an argument, which comes in any order.
        default_tile: points along each dim, where no part is computed.
    """
    sizes = [shape[dim] for shape in shapes]
    known = [each for each in producers if each is not None]
    nearest = max(known, key=lambda each: prod(each.full_shape), default=None)
    if nearest is not None:
        whole = resized(nearest, dim, sum(sizes))
        if whole is not None and all(resized(whole, dim, size) for size in sizes):
            return whole
    full = (*shapes[0][:dim], sum(sizes), *shapes[0][dim + 1 :])
    # A tile must divide what it tiles: along the dim, every part.
    divided = (*full[:dim], gcd(*sizes), *full[dim + 1 :])
    widest = nearest.element_shape if nearest is not None else (default_tile,) * len(full)
    element = [tile_of(size, most) for size, most in zip(divided, widest, strict=True)]
    loops = [each for each in _walked(nearest, len(full)) if each == dim or full[each] > 1]
    return _one_loop_per_dim(full, element, loops, dtype)


def _walked(order: ITensorType | None, rank: int) -> list[int]:
    """All dims: those that an order walks as it does, outermost first, then the others."""
    loops = raw_loops(order) if order is not None else []
    walked = [dim for loop in loops for dim, stride in enumerate(loop.strides) if stride]
    return list(dict.fromkeys([*walked, *range(rank)]))


def _one_loop_per_dim(full: Shape, element: Sequence[int], dims: Sequence[int], dtype: Attribute) -> ITensorType:
    offsets = [
        AffineExpr.dimension(dims.index(dim)) if dim in dims else AffineExpr.constant(0) for dim in range(len(full))
    ]
    trips, steps = [full[dim] // element[dim] for dim in dims], [element[dim] for dim in dims]
    return ITensorType.of(element, dtype, trips, steps, AffineMap(len(dims), 0, tuple(offsets)))
