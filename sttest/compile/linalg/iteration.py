"""The loop nest of one linalg op, with every operand's access traced through views to the tensor that is streamed.

Transposes, broadcasts and reshapes move no data in a dataflow design: they
only change which slice an iteration touches.  So an operand is followed
through them to its *root*, a function argument or the result of a computing
op, and its access is kept as one linear form per data dim of the root.  A
reshape that merges dims makes a loop walk several data dims: that loop is
split in two (``k -> k_head, k_channel``) for all operands at once.  Where it
cannot be, since what was merged is cut elsewhere (7 heads of 64 channels into
groups of 128), no linear form says which data an iteration touches: the merged
tensor is the root, and has to be stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from sttest.core.errors import InputError

CHUNK_LOOP = "sttest.chunk_loop"
"""Attribute of a contraction: its loop over chunks of the sum, whose results are added up as they come."""
IN_TURN = "sttest.in_turn"
"""Attribute of an op whose sums are of few terms that come one after the other, as those of groups under scales."""
Form = dict[int, int]
"""A linear form: loop number to coefficient."""


@dataclass
class IterationLoop:
    """One loop: extent in points and whether it reduces."""

    extent: int
    reduction: bool


@dataclass
class LinalgAccess:
    """How the nest touches one operand: offset along each data dim of ``root`` as a form over the loops.

    The root is a function argument, the result of a computing op, or a merge of dims that the loops cut elsewhere.
    """

    root: SSAValue
    forms: list[Form]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the root tensor."""
        return shape_of(self.root)

    def loops(self) -> set[int]:
        """The loops that index the operand."""
        return {loop for form in self.forms for loop in form}


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Static shape of a tensor value."""
    if not isinstance(value.type, TensorType):
        raise InputError("not-a-tensor", f"expected a tensor, found {value.type}", where="linalg")
    return value.type.get_shape()


class IterationSpace:
    """Loops and accesses of one ``linalg.generic``; loop numbers stay valid when loops are split.

    Attributes:
        loops: all loops by number.
        order: loop numbers, parallel ones first, as the op has them.
        inputs, outputs: accesses in operand order.
        chunk_loop: see :data:`CHUNK_LOOP`; None where no loop is one.
    """

    def __init__(self, op: GenericOp) -> None:
        maps = [attr.data for attr in op.indexing_maps]
        kinds = [kind.data.value for kind in op.iterator_types]
        extents = _extents(op, maps, len(kinds))
        self.loops = [IterationLoop(extent, kind == "reduction") for extent, kind in zip(extents, kinds, strict=True)]
        self.order = sorted(range(len(kinds)), key=lambda loop: self.loops[loop].reduction)
        self._drop_unit_loops()
        arity = len(op.inputs)
        self._accesses = [
            LinalgAccess(value, self._forms(access)) for value, access in zip(op.operands, maps, strict=True)
        ]
        for access in self._accesses[:arity]:
            self._trace(access)
        self.inputs, self.outputs = self._accesses[:arity], self._accesses[arity:]
        chunk_loop = op.attributes.get(CHUNK_LOOP)
        self.chunk_loop = chunk_loop.value.data if isinstance(chunk_loop, IntegerAttr) else None
        self._check_results()

    def extent(self, loop: int) -> int:
        """Points of a loop."""
        return self.loops[loop].extent

    def parallel(self) -> list[int]:
        """Parallel loops in order."""
        return [loop for loop in self.order if not self.loops[loop].reduction]

    def reductions(self) -> list[int]:
        """Reduction loops in order."""
        return [loop for loop in self.order if self.loops[loop].reduction]

    def _drop_unit_loops(self) -> None:
        self.order = [loop for loop in self.order if self.loops[loop].extent > 1]

    def _forms(self, access: AffineMap) -> list[Form]:
        forms = [self._form(expr) for expr in access.results]
        walked = [loop for form in forms for loop in form]
        if len(walked) != len(set(walked)):
            raise InputError(
                "diagonal-access",
                f"one loop walks two dims of an operand: {access}",
                where="linalg",
                hints=["take the diagonal on the host"],
            )
        return forms

    def _form(self, expr: AffineExpr) -> Form:
        if isinstance(expr, AffineDimExpr):
            return {expr.position: 1} if self.loops[expr.position].extent > 1 else {}
        if isinstance(expr, AffineConstantExpr) and expr.value == 0:
            return {}
        raise InputError(
            "strided-access",
            f"an operand is indexed by {expr}, only plain loops can be streamed",
            where="linalg",
            hints=["rewrite windows and strides as reshapes"],
        )

    def _check_results(self) -> None:
        """Parallel loops index every result, reductions none, or all of them those that follow one without."""
        parallel, reductions = set(self.parallel()), set(self.reductions())
        for number, access in enumerate(self.outputs):
            reduced = access.loops() & reductions
            if reduced and (number == 0 or reduced != reductions):
                raise InputError(
                    "reduced-result",
                    "a reduction loop indexes the result",
                    where="linalg",
                    hints=["let all of them do, behind a result that none indexes: the running value"],
                )
            if access.loops() - reductions != parallel:
                raise InputError("partial-result", "a parallel loop does not index the result", where="linalg")

    def _trace(self, access: LinalgAccess) -> None:
        """Follows views until the root, one view a step."""
        while (step := self._through_view(access)) is not None:
            access.root, access.forms = step

    def _through_view(self, access: LinalgAccess) -> tuple[SSAValue, list[Form]] | None:
        op = access.root.owner
        if isinstance(op, tensor.ExpandShapeOp):
            groups = reassociation(op)
            shape = shape_of(op.result)
            return op.src, [self._gather([(access.forms[dim], shape[dim]) for dim in group]) for group in groups]
        if isinstance(op, tensor.CollapseShapeOp):
            groups, shape = reassociation(op), shape_of(op.src)
            if not all(
                self._splits(form, [shape[d] for d in dims]) for form, dims in zip(access.forms, groups, strict=True)
            ):
                return None
            forms: list[Form] = [{} for _ in shape]
            for position, group in enumerate(groups):
                for dim, form in zip(group, self._scatter(access, position, [shape[d] for d in group]), strict=True):
                    forms[dim] = form
            return op.src, forms
        if isinstance(op, GenericOp) and is_view(op):
            source, target = (attr.data for attr in op.indexing_maps)
            by_dim = dict(zip(dims_of(target), access.forms, strict=True))
            return op.inputs[0], [
                dict(by_dim[expr.position]) if isinstance(expr, AffineDimExpr) else {} for expr in source.results
            ]
        return None

    @staticmethod
    def _gather(parts: Sequence[tuple[Form, int]]) -> Form:
        """Row-major index of a group of dims: the forms scaled by the sizes inside them."""
        form: Form = {}
        scale = 1
        for part, size in reversed(parts):
            form |= {loop: factor * scale for loop, factor in part.items()}
            scale *= size
        return form

    def _splits(self, form: Form, sizes: Sequence[int]) -> bool:
        """Whether each loop of a row-major index is over one digit, or can be split into loops that are."""
        terms, scale = [(factor, self.extent(loop)) for loop, factor in form.items()], prod(sizes)
        for size in sizes:
            scale //= size
            for factor, extent in list(terms):
                if not factor < scale < factor * extent:
                    continue
                inner, left = divmod(scale, factor)
                if left or extent % inner:
                    return False
                terms.remove((factor, extent))
                terms += [(factor, inner), (scale, extent // inner)]
        return True

    def _scatter(self, access: LinalgAccess, position: int, sizes: Sequence[int]) -> list[Form]:
        """The digits of a row-major index; loops that cross a digit boundary are split first."""
        digits: list[Form] = [{} for _ in sizes]
        scale = prod(sizes)
        for digit, size in enumerate(sizes):
            scale //= size
            while (crossing := self._crossing(access.forms[position], scale)) is not None:
                self._split(crossing, scale // access.forms[position][crossing])
            form = access.forms[position]
            digits[digit] = {loop: factor // scale for loop, factor in form.items() if factor >= scale}
            access.forms[position] = {loop: factor for loop, factor in form.items() if factor < scale}
        return digits

    def _crossing(self, form: Form, scale: int) -> int | None:
        """The first loop that runs over a multiple of ``scale``."""
        return next((loop for loop, factor in form.items() if factor < scale < factor * self.extent(loop)), None)

    def _split(self, loop: int, inner_extent: int) -> None:
        """Loop ``l`` becomes ``outer * inner_extent + l`` in every access."""
        outer = len(self.loops)
        self.loops.append(IterationLoop(self.extent(loop) // inner_extent, self.loops[loop].reduction))
        self.loops[loop].extent = inner_extent
        self.order.insert(self.order.index(loop), outer)
        for access in self._accesses:
            for form in access.forms:
                if loop in form:
                    form[outer] = form[loop] * inner_extent


def dims_of(access: AffineMap) -> list[int]:
    """The loops that a map of plain dims names, in order."""
    return [expr.position for expr in access.results if isinstance(expr, AffineDimExpr)]


def reassociation(op: tensor.ExpandShapeOp | tensor.CollapseShapeOp) -> list[list[int]]:
    """Groups of dims of the side with the higher rank."""
    return [[index.value.data for index in group] for group in op.reassociation]


def is_view(op: GenericOp) -> bool:
    """Whether a generic only permutes or broadcasts its one input."""
    if len(op.inputs) != 1 or len(op.outputs) != 1:
        return False
    if any(kind.data.value != "parallel" for kind in op.iterator_types):
        return False
    last = op.body.block.last_op
    if last is None or list(op.body.block.ops) != [last] or last.operands[0] is not op.body.block.args[0]:
        return False
    source, target = (attr.data for attr in op.indexing_maps)
    return _is_permutation(target) and source.is_projected_permutation(allow_zero_in_results=True)


def source_of_view(value: SSAValue) -> SSAValue | None:
    """The tensor that a view shows; None for what is no view."""
    op = value.owner
    if isinstance(op, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
        return op.src
    if isinstance(op, GenericOp) and is_view(op):
        return op.inputs[0]
    return None


def _is_permutation(target: AffineMap) -> bool:
    return target.is_projected_permutation() and len(target.results) == target.num_dims


def _extents(op: GenericOp, maps: Sequence[AffineMap], rank: int) -> list[int]:
    extents = [1] * rank
    for value, access in zip(op.operands, maps, strict=True):
        if not isinstance(value.type, TensorType):
            continue
        for expr, size in zip(access.results, value.type.get_shape(), strict=True):
            if isinstance(expr, AffineDimExpr):
                extents[expr.position] = size
    return extents
