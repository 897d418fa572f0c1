"""How often a computation must go over the positions that it attends to: the passes of FuseMax's taxonomy.

Nayak et al. (arXiv 2406.10491) count a pass more wherever an element of a fiber meets something that only the whole
fiber gives, as a score does that is subtracted from the maximum of its row.  Such a row must be kept, or made again.
Here fibers are the positions of a cache, whole or cut into chunks.
"""

from dataclasses import dataclass

from xdsl.dialects import func, tensor
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from sttest.compile.ir.names import argument_kinds
from sttest.compile.linalg.iteration import reassociation, shape_of

Dims = frozenset[int]


@dataclass(frozen=True)
class Visited:
    """What a tensor has of the positions."""

    dims: Dims = frozenset()  # along which they lie; none of what whole rows gave
    passes: int = 0  # passes over them before all of the tensor is known, this one included


def position_passes(function: func.FuncOp, dim: int = -2) -> int:
    """Passes over the positions of the caches.

    Args:
        function: linalg text, before or after its rewriting to chunks or integers.
        dim: axis of the positions in a cache of keys or values; scales of positions have them last.
    """
    known: dict[SSAValue, Visited] = {}
    caches = [value for value, kind in argument_kinds(function).items() if kind == "cache"]
    widest = max((len(shape_of(value)) for value in caches), default=0)
    for value in caches:
        rank = len(shape_of(value))
        known[value] = Visited(frozenset({rank - 1 if rank < widest else rank + dim}), 1)
    for op in function.body.block.ops:
        _visit(op, known)
    return max((each.passes for each in known.values()), default=0)


def _visit(op: Operation, known: dict[SSAValue, Visited]) -> None:
    if isinstance(op, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
        source = known.get(op.operands[0], Visited())
        dims = _regrouped(source.dims, reassociation(op), expands=isinstance(op, tensor.ExpandShapeOp))
        known[op.results[0]] = Visited(dims, source.passes)
    elif isinstance(op, GenericOp):
        _visit_loops(op, known)


def _regrouped(dims: Dims, groups: list[list[int]], *, expands: bool) -> Dims:
    if expands:
        return frozenset(new for dim in dims for new in groups[dim])
    return frozenset(new for new, group in enumerate(groups) if dims & set(group))


def _visit_loops(op: GenericOp, known: dict[SSAValue, Visited]) -> None:
    inputs = [known.get(value, Visited()) for value in op.inputs]
    maps = [attribute.data for attribute in op.indexing_maps.data]
    loops = {loop for each, access in zip(inputs, maps, strict=False) for loop in _loops(access, each.dims)}
    # What whole rows gave meets their elements: the next pass.
    passes = max((each.passes + (not each.dims and each.passes > 0 and bool(loops)) for each in inputs), default=0)
    for result, access in zip(op.results, maps[len(op.inputs) :], strict=True):
        dims = frozenset(place for place, loop in enumerate(_dims(access)) if loop in loops)
        known[result] = Visited(dims, passes)


def _loops(access: AffineMap, dims: Dims) -> set[int]:
    return {loop for place, loop in enumerate(_dims(access)) if place in dims and loop is not None}


def _dims(access: AffineMap) -> list[int | None]:
    return [expr.position if isinstance(expr, AffineDimExpr) else None for expr in access.results]
