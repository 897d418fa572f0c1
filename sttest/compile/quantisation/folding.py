"""A value's scale, which varies along the sum over positions, goes into the softmax weight that it meets.

With ``x = p * scale_v`` as what is rounded, the contraction adds plain integers.  The peak of ``x`` is not awaited: it
is at most the largest scale among the positions that the mask shows, which is known with the softmax's own maximum.
Contractions that share a softmax (with the cache, and with tokens of the same step) share the scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, f32, i8
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from sttest.compile.iteration import shape_of
from sttest.compile.linalg_build import Named, Operand, constant, dims_map, generic
from sttest.compile.names import source_of
from sttest.compile.quantisation.contractions import Factor
from sttest.compile.quantisation.grouping import Quantised
from sttest.compile.quantisation.patterns import over_dims, softmax_scores, summed_dims, writer_of
from sttest.compile.quantisation.quantisers import as_f32, reciprocal_of, rounded, scale_under_bound

# As in the golden: a score under this is one that the mask hides.
_LEAST_SEEN = -(2.0**126)


@dataclass(frozen=True)
class Fold:
    """A contraction of softmax weights with values whose scales vary along the sum.

    Attributes:
        op: the contraction.
        number: which of its factors are the weights.
        values: the other factor.
    """

    op: GenericOp
    number: int
    values: Factor

    @property
    def weights(self) -> SSAValue:
        """In [0, 1]."""
        return self.op.inputs[self.number]

    @property
    def access(self) -> AffineMap:
        """How the contraction's loops index the weights."""
        return self.op.indexing_maps.data[self.number].data

    @property
    def kept(self) -> tuple[int, ...]:
        """The dims of the weights that are not summed: those of their scale."""
        summed = summed_dims(self.op, self.access)
        return tuple(dim for dim in range(len(shape_of(self.weights))) if dim not in summed)

    @property
    def scale(self) -> Operand:
        """The values' scale over the dims of the weights."""
        assert self.values.scale is not None
        return self.values.scale[0], over_dims(self.values.scale[1], self.access)


def common_scale(folds: Sequence[Fold]) -> SSAValue:
    """The scale of all weights of one softmax, f32 of their kept dims, named after the first contraction."""
    source = source_of(folds[0].op)
    bound = _largest_seen(folds[0])
    rank = len(shape_of(bound))
    loops = dims_map(rank, range(rank))
    for fold in folds[1:]:
        bound = generic(
            [(bound, loops), (_largest_seen(fold), loops)],
            (TensorType(f32, shape_of(bound)), loops),
            lambda left, right, _: arith.MaximumfOp(left, right).result,
            Named(source, "peak"),
        )
    return scale_under_bound(bound, source)


def quantise_folded(fold: Fold, scale: SSAValue) -> Factor:
    """Softmax weights as the integers that a contraction sums, the scales of the values folded in.

    Args:
        fold: what is contracted.
        scale: of the weights, from :func:`common_scale`.
    """
    weights, kept = fold.weights, fold.kept
    rank = len(shape_of(weights))
    loops = dims_map(rank, range(rank))
    integers = generic(
        [(weights, loops), fold.scale, (reciprocal_of(scale, source_of(fold.op)), dims_map(rank, kept))],
        (TensorType(i8, shape_of(weights)), loops),
        lambda p, scale_v, reciprocal, _: rounded(_product(_product(p, as_f32(scale_v)), reciprocal)),
        Named(writer_of(weights), "quantise"),
    )
    return Factor(Quantised(integers, scale, kept), fold.access)


def _largest_seen(fold: Fold) -> SSAValue:
    """The largest of the scales that a row of weights meets, hidden positions left out: f32 of the kept dims."""
    weights, kept = fold.weights, fold.kept
    scores = softmax_scores(weights)
    assert scores is not None
    rank, sizes = len(shape_of(weights)), shape_of(weights)
    return generic(
        [scores, fold.scale],
        (TensorType(f32, [sizes[dim] for dim in kept]), dims_map(rank, kept)),
        lambda score, scale_v, peak: arith.MaximumfOp(_seen(score, as_f32(scale_v)), peak).result,
        Named(source_of(fold.op), "peak"),
        set(range(rank)) - set(kept),
    )


def _seen(score: SSAValue, scale: SSAValue) -> SSAValue:
    hidden = arith.CmpfOp(score, constant(_LEAST_SEEN), "olt")
    return arith.SelectOp(hidden, constant(0.0), scale).result


def _product(left: SSAValue, right: SSAValue) -> SSAValue:
    return arith.MulfOp(left, right).result
