"""A value's scale, which varies along the sum over positions, goes into the softmax weight that it meets.

With ``x = p * scale_v`` as what is rounded, the contraction adds plain integers.  The peak of ``x`` is not awaited: it
is at most the largest scale among the positions that the mask shows, which is known with the softmax's own maximum.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, f32, i8
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue

from sttest.compile.iteration import shape_of
from sttest.compile.linalg_build import Named, Operand, constant, dims_map, generic
from sttest.compile.names import source_of
from sttest.compile.quantisation.contractions import Factor
from sttest.compile.quantisation.grouping import Quantised
from sttest.compile.quantisation.patterns import over_dims, softmax_scores, summed_dims, writer_of
from sttest.compile.quantisation.quantisers import as_f32, reciprocal_of, rounded, scale_under_bound

# As in the golden: a score under this is one that the mask hides.
_LEAST_SEEN = -(2.0**126)


def quantise_folded(op: GenericOp, number: int, values: Factor) -> Factor:
    """Softmax weights as the integers that a contraction sums, the scales of the values folded in.

    Args:
        op: the contraction.
        number: which of its factors are the weights, in [0, 1].
        values: the other factor; its scales vary along the sum.
    """
    weights, access = op.inputs[number], op.indexing_maps.data[number].data
    assert values.scale is not None
    scale = values.scale[0], over_dims(values.scale[1], access)
    summed = summed_dims(op, access)
    rank, source = len(shape_of(weights)), source_of(op)
    kept = tuple(dim for dim in range(rank) if dim not in summed)
    scales = scale_under_bound(_largest_seen(weights, scale, kept, source), source)
    loops = dims_map(rank, range(rank))
    integers = generic(
        [(weights, loops), scale, (reciprocal_of(scales, source), dims_map(rank, kept))],
        (TensorType(i8, shape_of(weights)), loops),
        lambda p, scale_v, reciprocal, _: rounded(_product(_product(p, as_f32(scale_v)), reciprocal)),
        Named(writer_of(weights), "quantise"),
    )
    return Factor(Quantised(integers, scales, kept), access)


def _largest_seen(weights: SSAValue, scale: Operand, kept: tuple[int, ...], source: str) -> SSAValue:
    """The largest of the scales that a row of weights meets, hidden positions left out: f32 of the dims ``kept``."""
    scores = softmax_scores(weights)
    assert scores is not None
    rank, sizes = len(shape_of(weights)), shape_of(weights)
    return generic(
        [scores, scale],
        (TensorType(f32, [sizes[dim] for dim in kept]), dims_map(rank, kept)),
        lambda score, scale_v, peak: arith.MaximumfOp(_seen(score, as_f32(scale_v)), peak).result,
        Named(source, "peak"),
        set(range(rank)) - set(kept),
    )


def _seen(score: SSAValue, scale: SSAValue) -> SSAValue:
    hidden = arith.CmpfOp(score, constant(_LEAST_SEEN), "olt")
    return arith.SelectOp(hidden, constant(0.0), scale).result


def _product(left: SSAValue, right: SSAValue) -> SSAValue:
    return arith.MulfOp(left, right).result
