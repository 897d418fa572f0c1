"""Which tile and which order the loops of a linalg op get, and the itensor types that follow.

Rules (streamtensor.md sections 1.1 and 2.1):
- one default tile size for all loops; a loop shorter than it is not tiled, a
  loop that it does not divide takes its largest divisor below it;
- parallel loops between tiles outside, reductions inside, unless an order is chosen (`loop_choices`);
- a contraction tiles one row loop, one column loop and one reduction loop, the
  longest of each kind; batch loops step one by one and lie outermost, except
  those that the op has behind its rows and columns (groups of the sum), and one over
  chunks of the sum, which lies between rows and columns;
- four tiles of columns at once are taken by sums in floating point without rows, as
  many as an adder has stages, and by those that read the columns of a cache across
  (values, a row per position): its rows then come in longer pieces;
- any other op takes tile and order of the producer of its largest operand, so
  that the edge between them needs no converter.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import gcd, prod

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from sttest.compile.assumptions import ADDER_STAGES, SHORT_EXTENT
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import loops_of, raw_loops, resized
from sttest.compile.linalg.contraction import Roles, factors_of, pairs_loops, roles_of, weight_of
from sttest.compile.linalg.iteration import Form, IterationSpace, LinalgAccess
from sttest.core.errors import InputError


@dataclass(frozen=True)
class LoopNest:
    """Tile loops of one op, outermost first."""

    space: IterationSpace  # the loops and accesses
    order: tuple[int, ...]  # loop numbers
    tile: Mapping[int, int]  # points per iteration of every loop
    reordered: bool = False  # whether the order is one that a user gave, or follows one

    @property
    def trips(self) -> list[int]:
        """Iterations of every loop in order."""
        return [self.space.extent(loop) // self.tile[loop] for loop in self.order]

    @property
    def tile_sizes(self) -> list[int]:
        """Points per iteration of every loop in order."""
        return [self.tile[loop] for loop in self.order]

    @property
    def kinds(self) -> list[str]:
        """``parallel`` or ``reduction`` for every loop in order."""
        return ["reduction" if self.space.loops[loop].reduction else "parallel" for loop in self.order]

    def input_type(self, access: LinalgAccess, dtype: Attribute) -> ITensorType:
        """The order in which an operand is streamed: all loops of the nest."""
        return self._itensor(access, self.order, dtype)

    def output_type(self, access: LinalgAccess, dtype: Attribute) -> ITensorType:
        """The order in which a result is streamed: the parallel loops of the nest, and reductions that index it."""
        indexed = access.loops()
        loops = [loop for loop in self.order if loop in indexed or not self.space.loops[loop].reduction]
        return self._itensor(access, loops, dtype)

    def element_map(self, access: LinalgAccess) -> AffineMap:
        """The element of the root tensor that belongs to a point of the loops, in order."""
        results = [self._scaled(form) for form in access.forms]
        return AffineMap(len(self.order), 0, tuple(results))

    def _scaled(self, form: Form) -> AffineExpr:
        terms = [
            _times(AffineExpr.dimension(self.order.index(loop)), factor)
            for loop, factor in sorted(form.items(), key=lambda term: -term[1])
        ]
        return sum(terms[1:], start=terms[0]) if terms else AffineExpr.constant(0)

    def _itensor(self, access: LinalgAccess, loops: Iterable[int], dtype: Attribute) -> ITensorType:
        loops = list(loops)
        steps = [self._step(access, loop) for loop in loops]
        element = [1 + sum(factor * (self.tile[loop] - 1) for loop, factor in form.items()) for form in access.forms]
        results = [self._offset(form, loops) for form in access.forms]
        trips = [self.space.extent(loop) // self.tile[loop] for loop in loops]
        return ITensorType.of(element, dtype, trips, steps, AffineMap(len(loops), 0, tuple(results)))

    def _step(self, access: LinalgAccess, loop: int) -> int:
        factors = [form[loop] for form in access.forms if loop in form]
        return self.tile[loop] * (factors[0] if factors else 1)

    @staticmethod
    def _offset(form: Form, loops: list[int]) -> AffineExpr:
        terms = [AffineExpr.dimension(loops.index(loop)) for loop in sorted(form, key=lambda loop: -form[loop])]
        return sum(terms[1:], start=terms[0]) if terms else AffineExpr.constant(0)


def _times(dim: AffineExpr, factor: int) -> AffineExpr:
    return dim if factor == 1 else dim * factor


def plan_nest(
    space: IterationSpace,
    producers: Mapping[SSAValue, ITensorType],
    default_tile: int,
    *,
    contracts: bool,
    reordered: Set[SSAValue] = frozenset(),
    whole: Set[int] = frozenset(),
) -> LoopNest:
    """Chooses tile and order.

    Args:
        space: the op's loops and accesses.
        producers: stream types of the roots that another op produces.
        default_tile: the one tile size, in points.
        contracts: whether the op sums products of its first two inputs.
        reordered: the roots whose order a user chose: who follows them keeps its reductions where they are.
        whole: loops that one tile takes whole, besides those that the size is for.
    """
    if contracts and pairs_loops(space):
        return _contraction(space, default_tile, whole)
    return _adopt(space, producers, default_tile, reordered, whole)


def refuse_oversized_tile(space: IterationSpace, tile_size: int, name: str) -> None:
    """Refuses a tile beyond the reduction or output extent of a product with a weight.

    The weight, [in, out], is a contraction's right factor where that is a rank-2 argument of the function.
    Sequence dims may be shorter than a tile: they are not tiled then.

    Raises:
        InputError: naming the op, the dim and its extent.
    """
    if not pairs_loops(space):
        return
    weight = weight_of(space)
    if weight is None:
        return
    for dim, extent in zip(("reduction", "output"), weight.shape, strict=True):
        if tile_size > extent:
            raise InputError(
                "tile-too-large",
                f"the tile is larger than the {dim} dim",
                where=name,
                demand=tile_size,
                bound=extent,
                unit="points",
                hints=[f"take a tile of at most {min(weight.shape)}", f"give it its own, --task-tile {name}=…"],
            )


def _contraction(space: IterationSpace, default_tile: int, whole: Set[int]) -> LoopNest:
    roles = roles_of(space)
    tile = {loop: space.extent(loop) if loop in whole else 1 for loop in space.order}
    wide = (not roles.rows and sums_floats(space)) or _reads_cache_across(space, roles)
    widest = default_tile * (ADDER_STAGES if wide else 1)
    for group, size in ((roles.rows, default_tile), (roles.columns, widest), (space.reductions(), default_tile)):
        for loop in sorted(set(group) - whole, key=lambda loop: (-space.extent(loop), -group.index(loop))):
            tile[loop] = tile_of(space.extent(loop), size)
            if is_dense(space, tile):
                break
            tile[loop] = 1
    if whole and not is_dense(space, tile):
        # Rows of a tensor that lies row after row in one dim: with all of them a tile has gaps, unless rows are whole.
        return _contraction(space, default_tile, frozenset())
    order = *roles.batch, *roles.rows, *roles.chunks, *roles.columns, *roles.groups, *space.reductions()
    # Whoever adds up the chunks of a row must do so as they come: all columns of one, then those of the next.
    return LoopNest(space, order, tile, reordered=bool(roles.chunks))


def _reads_cache_across(space: IterationSpace, roles: Roles) -> bool:
    """Whether the right factor is an argument by head whose rows are summed and whose columns stay."""
    right = factors_of(space)[1]
    if not isinstance(right.root, BlockArgument) or not roles.batch:
        return False
    *_, rows, columns = right.forms
    return set(rows) <= {*space.reductions(), *roles.chunks} and set(columns) <= set(roles.columns)


def sums_floats(space: IterationSpace) -> bool:
    """Whether the running values are in floating point."""
    kind = space.outputs[0].root.type
    return isinstance(kind, TensorType) and not isinstance(kind.get_element_type(), IntegerType)


def _adopt(
    space: IterationSpace,
    producers: Mapping[SSAValue, ITensorType],
    default_tile: int,
    reordered: Set[SSAValue],
    whole: Set[int],
) -> LoopNest:
    tile: dict[int, int] = {}
    order: list[int] = []
    keeps = False
    known = [access for access in space.inputs if access.root in producers]
    for access in sorted(known, key=lambda access: -prod(access.shape))[:1]:
        tile, order = _follow(space, access, producers[access.root])
        keeps = access.root in reordered and _keeps_sums(space, order)
    for loop in space.order:
        if loop not in tile:
            extent = space.extent(loop)
            tile[loop] = extent if loop in whole else tile_of(extent, default_tile) if extent > SHORT_EXTENT else 1
            order.append(loop)
    if not keeps:
        order.sort(key=lambda loop: space.loops[loop].reduction)
    # A loop of one trip may stand anywhere; it always stands in one place, so that equal streams have equal types.
    order.sort(key=lambda loop: loop not in whole or tile[loop] < space.extent(loop))
    for loop in sorted(tile, key=lambda loop: _coefficient(space, loop), reverse=True):
        if not is_dense(space, tile):
            tile[loop] = 1
    return LoopNest(space, tuple(order), tile, reordered=keeps)


def _keeps_sums(space: IterationSpace, order: Iterable[int]) -> bool:
    """Whether the reductions stand in the op's order, or sum no floating point."""
    found = [loop for loop in order if space.loops[loop].reduction]
    return found == [loop for loop in space.reductions() if loop in found] or not sums_floats(space)


def is_dense(space: IterationSpace, tile: Mapping[int, int]) -> bool:
    """Whether one iteration touches a slice without gaps of every operand.

    Where several loops walk one data dim, an outer one may only be tiled over
    inner ones that are taken whole.
    """
    return all(_is_dense_form(form, tile) for access in (*space.inputs, *space.outputs) for form in access.forms)


def _is_dense_form(form: Form, tile: Mapping[int, int]) -> bool:
    reach = 1
    for loop, factor in sorted(form.items(), key=lambda term: term[1]):
        if tile[loop] > 1 and factor != reach:
            return False
        reach *= tile[loop]
    return True


def _coefficient(space: IterationSpace, loop: int) -> int:
    """How far the loop moves at most along a data dim of an operand."""
    accesses = (*space.inputs, *space.outputs)
    return max((form.get(loop, 0) for access in accesses for form in access.forms), default=0)


def _follow(space: IterationSpace, access: LinalgAccess, source: ITensorType) -> tuple[dict[int, int], list[int]]:
    """Tile and order in which the producer streams the operand, in terms of the consumer's loops."""
    tile: dict[int, int] = {}
    for form, size in zip(access.forms, source.element_shape, strict=True):
        for loop, factor in sorted(form.items(), key=lambda term: term[1]):
            tile[loop] = tile_of(space.extent(loop), max(1, size // factor))
    order: list[int] = []
    for stream_loop in loops_of(source):
        for dim, stride in enumerate(stream_loop.strides):
            if stride:
                terms = sorted(access.forms[dim].items(), key=lambda term: -term[1])
                order += [loop for loop, _ in terms if loop not in order]
    return tile, order + [loop for loop in tile if loop not in order]


def tile_of(extent: int, tile: int) -> int:
    """The largest divisor of ``extent`` that is at most ``tile``.

    >>> tile_of(64, 16), tile_of(7, 16), tile_of(40, 16)
    (16, 7, 10)
    """
    return next(size for size in range(min(extent, tile), 0, -1) if extent % size == 0)


# --- In which order a concatenation streams: as its largest part is computed, where the other parts can follow


Shape = tuple[int, ...]


def plan_concat(
    shapes: Sequence[Shape], dim: int, dtype: Attribute, producers: Sequence[ITensorType | None], default_tile: int
) -> ITensorType:
    """The order of the whole.

    Args:
        shapes: shapes of the parts.
        dim: along which they lie one behind the other.
        dtype: element type.
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
