"""A value's scale, which varies along the sum over positions, goes into the softmax weight that it meets.

With ``x = p * scale_v`` as what is rounded, the contraction adds plain integers.  The peak of ``x`` is not awaited: it
is at most the largest scale among the positions that the mask shows, which is known with the softmax's own maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, i8, i32
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from sttest.compile.ir.names import source_of
from sttest.compile.linalg.iteration import shape_of
from sttest.compile.linalg.linalg_build import Named, Operand, constant, dims_map, generic
from sttest.compile.quantisation.contractions import Factor
from sttest.compile.quantisation.grouping import Quantised
from sttest.compile.quantisation.patterns import over_dims, softmax_scores, summed_dims, writer_of
from sttest.compile.quantisation.quantisers import (
    as_f32,
    bits_of,
    larger_bits,
    reciprocal_of,
    rounded,
    scale_under_bound,
)

# As in the golden: a score under this is one that the mask hides.
_LEAST_SEEN = -(2.0**126)


@dataclass(frozen=True)
class Fold:
    """A contraction of softmax weights with values.

    Attributes:
        op: the contraction.
        number: which of its factors are the weights, in [0, 1].
        values: the other factor; its scales vary along the sum.
    """

    op: GenericOp
    number: int
    values: Factor

    @property
    def weights(self) -> SSAValue:
        """The softmax weights."""
        return self.op.inputs[self.number]

    @property
    def access(self) -> AffineMap:
        """How the contraction's loops index the weights."""
        return self.op.indexing_maps.data[self.number].data

    @property
    def scale(self) -> Operand:
        """The scales of the values over the dims of the weights."""
        assert self.values.scale is not None
        return self.values.scale[0], over_dims(self.values.scale[1], self.access)

    @property
    def kept(self) -> tuple[int, ...]:
        """The dims of the weights that are not summed."""
        summed = summed_dims(self.op, self.access)
        return tuple(dim for dim in range(len(shape_of(self.weights))) if dim not in summed)

    def factors(self, weights: Factor) -> tuple[Factor, Factor]:
        """The quantised weights and the values, in the order of the contraction."""
        return (weights, self.values) if self.number == 0 else (self.values, weights)


def quantise_folded(folds: Sequence[Fold]) -> list[Factor]:
    """Softmax weights as the integers that contractions sum, the scales of the values folded in.

    Contractions whose sums are added have rows of one scale.
    """
    source = source_of(folds[0].op)
    bound = _largest_of([_largest_seen(fold) for fold in folds], source)
    scales = scale_under_bound(bound, source)
    reciprocals = reciprocal_of(scales, source)
    return [_quantised(fold, scales, reciprocals) for fold in folds]


def _quantised(fold: Fold, scales: SSAValue, reciprocals: SSAValue) -> Factor:
    rank = len(shape_of(fold.weights))
    loops = dims_map(rank, range(rank))
    integers = generic(
        [(fold.weights, loops), fold.scale, (reciprocals, dims_map(rank, fold.kept))],
        (TensorType(i8, shape_of(fold.weights)), loops),
        lambda p, scale_v, reciprocal, _: rounded(_product(_product(p, as_f32(scale_v)), reciprocal)),
        Named(writer_of(fold.weights), "quantise"),
    )
    return Factor(Quantised(integers, scales, fold.kept), fold.access)


def _largest_seen(fold: Fold) -> SSAValue:
    """The largest of the scales that a row of weights meets, hidden positions left out, as bits: of the dims kept."""
    scores = softmax_scores(fold.weights)
    assert scores is not None
    sizes = shape_of(fold.weights)
    rank = len(sizes)
    return generic(
        [scores, fold.scale],
        (TensorType(i32, [sizes[dim] for dim in fold.kept]), dims_map(rank, fold.kept)),
        lambda score, scale_v, peak: larger_bits(bits_of(_seen(score, as_f32(scale_v))), peak),
        Named(source_of(fold.op), "peak"),
        set(range(rank)) - set(fold.kept),
    )


def _largest_of(bounds: Sequence[SSAValue], source: str) -> SSAValue:
    if len(bounds) == 1:
        return bounds[0]
    rank = len(shape_of(bounds[0]))
    loops = dims_map(rank, range(rank))
    return generic(
        [(bound, loops) for bound in bounds],
        (TensorType(i32, shape_of(bounds[0])), loops),
        lambda *scalars: reduce(larger_bits, scalars[:-1]),
        Named(source, "joint_peak"),
    )


def _seen(score: SSAValue, scale: SSAValue) -> SSAValue:
    hidden = arith.CmpfOp(score, constant(_LEAST_SEEN), "olt")
    return arith.SelectOp(hidden, constant(0.0), scale).result


def _product(left: SSAValue, right: SSAValue) -> SSAValue:
    return arith.MulfOp(left, right).result
