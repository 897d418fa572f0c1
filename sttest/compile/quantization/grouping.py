"""Which elements of a tensor share a scale, and how integers and scales follow a tensor through views.

A scale belongs to whole dims of a tensor.  Seen through a reshape such dims may
be parts of others, so a tensor is quantized at the *place* nearest to its root at
which the dims are whole; every view below is then made again, of the
integers and of the scales.  A merge of dims is not undone: what is merged may be
cut elsewhere (14 heads of 64 channels into groups of 128), which integers in the
shape before could not follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, TensorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from sttest.compile.ir.names import source_of
from sttest.compile.linalg.iteration import dims_of, is_view, reassociation, shape_of, source_of_view
from sttest.compile.linalg.tensor_build import Named, collapsed, dims_map, element_of, expanded, generic
from sttest.core.errors import InputError


@dataclass(frozen=True)
class QuantizedValue:
    """Integers and the scales that they stand under."""

    values: SSAValue  # integers
    scale: SSAValue | None  # one per group, or None for the constant 1 / 127
    dims: tuple[int, ...] = ()  # the dim of ``values`` that each dim of ``scale`` belongs to; () for one scale of all


@dataclass(frozen=True)
class ScaleSharing:
    """A tensor and the dims along which its elements share a scale."""

    value: SSAValue
    shared: frozenset[int]

    @property
    def kept(self) -> tuple[int, ...]:
        """The dims of the scale."""
        return tuple(dim for dim in range(len(shape_of(self.value))) if dim not in self.shared)


def whole(value: SSAValue) -> ScaleSharing:
    """The place of a tensor with one scale."""
    return ScaleSharing(value, frozenset(range(len(shape_of(value)))))


def chain_of(value: SSAValue) -> list[SSAValue]:
    """The value, what it is a view of, and so on to the root."""
    chain = [value]
    while (source := source_of_view(chain[-1])) is not None:
        chain.append(source)
    return chain


def behind_merges(value: SSAValue) -> SSAValue:
    """The tensor nearest to the root that a value shows without a merge of dims."""
    for shown in chain_of(value):
        op = shown.owner
        if isinstance(op, tensor.CollapseShapeOp) and any(_merges(op, group) for group in reassociation(op)):
            return shown
    return chain_of(value)[-1]


def _merges(op: tensor.CollapseShapeOp, group: Sequence[int]) -> bool:
    return sum(shape_of(op.src)[dim] > 1 for dim in group) > 1


def nearest_to_root(value: SSAValue, shared: frozenset[int]) -> ScaleSharing:
    """The place at which the elements that share a scale in ``value`` are whole dims, seen from the root."""
    place = ScaleSharing(value, shared)
    while (nearer := _before_view(place)) is not None:
        place = nearer
    return place


def views_of(value: SSAValue) -> list[SSAValue]:
    """The value and everything that shows it through views."""
    found = [value]
    for shown in found:
        for use in shown.uses:
            op = use.operation
            if len(op.results) == 1 and source_of_view(op.results[0]) is shown:
                found.append(op.results[0])
    return found


def after(value: SSAValue) -> Builder:
    """A builder right behind a value, where ops that read it may stand."""
    owner = value.owner
    if isinstance(value, BlockArgument) and isinstance(owner, Block):
        return Builder(InsertPoint.at_start(owner))
    assert isinstance(owner, Operation)
    return Builder(InsertPoint.after(owner))


def through_view(view: Operation, seen: QuantizedValue) -> QuantizedValue:
    """The quantized tensor as ``view`` shows it.

    Raises:
        InputError: the view merges or splits what shares a scale with what does not.
    """
    with ImplicitBuilder(Builder(InsertPoint.before(view))):
        if isinstance(view, tensor.ExpandShapeOp):
            return _expand(view, seen)
        if isinstance(view, tensor.CollapseShapeOp):
            return _collapse(view, seen)
        assert isinstance(view, GenericOp)
        return _permute(view, seen)


def in_order(scale: SSAValue, dims: tuple[int, ...]) -> SSAValue:
    """The scales with their dims in the order of the dims that they belong to."""
    order = sorted(range(len(dims)), key=lambda dim: dims[dim])
    if order == list(range(len(dims))):
        return scale
    rank, shape = len(dims), shape_of(scale)
    place = [order.index(dim) for dim in range(rank)]
    kind = TensorType(element_of(scale), [shape[dim] for dim in order])
    return generic(
        [(scale, dims_map(rank, place))], (kind, dims_map(rank, range(rank))), lambda element, _: element, Named("")
    )


def _before_view(place: ScaleSharing) -> ScaleSharing | None:
    """The same grouping one view nearer to the root; None at the root, at a merge, or where dims are not whole."""
    op = place.value.owner
    if isinstance(op, tensor.ExpandShapeOp):
        parts = [{dim in place.shared for dim in group} for group in reassociation(op)]
        if any(len(part) > 1 for part in parts):
            return None
        return ScaleSharing(op.src, frozenset(dim for dim, part in enumerate(parts) if True in part))
    if isinstance(op, GenericOp) and is_view(op):
        source, target = (attr.data for attr in op.indexing_maps)
        if sorted(dims_of(source)) != list(range(source.num_dims)):
            return None
        loops = dims_of(target)
        shared = {loops[dim] for dim in place.shared}
        return ScaleSharing(op.inputs[0], frozenset(dim for dim, loop in enumerate(dims_of(source)) if loop in shared))
    return None


def _expand(view: tensor.ExpandShapeOp, seen: QuantizedValue) -> QuantizedValue:
    groups, shape = reassociation(view), shape_of(view.result)
    values = expanded(seen.values, groups, shape)
    if seen.scale is None or not seen.dims:
        return QuantizedValue(values, seen.scale)
    parts = [groups[dim] for dim in seen.dims]
    dims = tuple(dim for part in parts for dim in part)
    if all(len(part) == 1 for part in parts):
        return QuantizedValue(values, seen.scale, dims)
    scale = expanded(seen.scale, _numbered(parts), [shape[dim] for dim in dims])
    return QuantizedValue(values, scale, dims)


def _collapse(view: tensor.CollapseShapeOp, seen: QuantizedValue) -> QuantizedValue:
    groups = reassociation(view)
    values = collapsed(seen.values, groups)
    if seen.scale is None or not seen.dims:
        return QuantizedValue(values, seen.scale)
    kept = [[dim for dim in group if dim in seen.dims] for group in groups]
    mixed = any(part and part != list(group) for part, group in zip(kept, groups, strict=True))
    wanted = tuple(dim for part in kept for dim in part)
    if mixed or (wanted != seen.dims and any(len(part) > 1 for part in kept)):
        raise InputError(
            "scale-across-reshape",
            "a reshape merges elements under one scale with others",
            where="quantize",
            hints=["reshape before the tensor that is contracted", "compile with precision fp32"],
        )
    place = {dim: number for number, part in enumerate(kept) for dim in part}
    parts = [part for part in kept if part]
    if all(len(part) == 1 for part in parts):
        return QuantizedValue(values, seen.scale, tuple(place[dim] for dim in seen.dims))
    return QuantizedValue(values, collapsed(seen.scale, _numbered(parts)), tuple(place[part[0]] for part in parts))


def _numbered(parts: Sequence[Sequence[int]]) -> list[list[int]]:
    """The dims of all parts counted through: a reassociation."""
    numbers = iter(range(sum(map(len, parts))))
    return [[next(numbers) for _ in part] for part in parts]


def _permute(view: GenericOp, seen: QuantizedValue) -> QuantizedValue:
    """A transpose or a broadcast: scales need no view of their own, for their dims are named."""
    source, target = (attr.data for attr in view.indexing_maps)
    loops = dims_of(target)
    kind = view.results[0].type
    assert isinstance(kind, TensorType)
    values = generic(
        [(seen.values, source)],
        (TensorType(element_of(seen.values), kind.get_shape()), target),
        lambda element, _: element,
        Named(source_of(view)),
    )
    dims = []
    for dim in seen.dims:
        expr = source.results[dim]
        if not isinstance(expr, AffineDimExpr):
            raise InputError(
                "scale-across-reshape",
                "a broadcast drops a dim that has scales",
                where="quantize",
                hints=["compile with precision fp32"],
            )
        dims.append(loops.index(expr.position))
    return QuantizedValue(values, seen.scale, tuple(dims))


# --- What the quantizer recognizes in linalg text


def loop_of(expr: AffineExpr) -> int | None:
    """The loop that walks a dim; None where the dim has one element."""
    return expr.position if isinstance(expr, AffineDimExpr) else None


def reduction_loops(op: GenericOp) -> frozenset[int]:
    """Numbers of the loops that reduce."""
    kinds = [kind.data.value for kind in op.iterator_types]
    return frozenset(loop for loop, kind in enumerate(kinds) if kind == "reduction")


def summed_dims(op: GenericOp, access: AffineMap) -> frozenset[int]:
    """The dims of an operand along which a contraction sums."""
    reductions = reduction_loops(op)
    return frozenset(dim for dim, expr in enumerate(access.results) if loop_of(expr) in reductions)


def over_dims(access: AffineMap, of: AffineMap) -> AffineMap:
    """An access over the dims of a tensor that the loops index by ``of``, instead of over the loops."""
    place = {loop: dim for dim, loop in enumerate(dims_of(of))}
    results = (
        AffineExpr.dimension(place[expr.position]) if isinstance(expr, AffineDimExpr) else expr
        for expr in access.results
    )
    return AffineMap(len(of.results), 0, tuple(results))


def writer_of(value: SSAValue) -> str:
    """The module that computes a tensor; empty for an argument."""
    owner = value.owner
    return source_of(owner) if isinstance(owner, Operation) else ""


def sums_its_input(op: GenericOp) -> bool:
    """Whether an op only adds up elements of its one input, from 0."""
    last, fill = yielded(op), op.outputs[0].owner
    if len(op.inputs) != 1 or not reduction_loops(op) or not isinstance(last, arith.AddfOp):
        return False
    if set(last.operands) != set(op.body.block.args) or not isinstance(fill, FillOp):
        return False
    start = fill.inputs[0].owner
    return isinstance(start, arith.ConstantOp) and isinstance(start.value, FloatAttr) and start.value.value.data == 0.0


def yielded(op: GenericOp, result: int = 0) -> Operation | None:
    """The op whose result the body yields as that result; None where it yields an argument."""
    last = op.body.block.last_op
    owner = last.operands[result].owner if last is not None and last.operands else None
    return owner if isinstance(owner, Operation) else None
