"""Attention in linalg text: the ops between its scores and what it gives out, found by what they compute."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue

from sttest.compile.linalg.contraction import is_contraction
from sttest.compile.linalg.iteration import IterationSpace, dims_of, is_view, shape_of
from sttest.compile.quantisation.patterns import reduction_loops, softmax_scores, sums_its_input
from sttest.errors import InputError


@dataclass(frozen=True)
class Attention:
    """A softmax whose exponentials are summed, and mixed with values.

    Attributes:
        scores: positions are the last dim.
        peak: the maximum along the positions.
        joint: the larger one of that and of the score of the token itself; None where that is among the positions.
        weights: ``exp(scores - maximum)``.
        denominator: the sum of the weights.
        mix: the contraction of the weights, its first factor, with values.
    """

    scores: SSAValue
    peak: GenericOp
    joint: GenericOp | None
    weights: GenericOp
    denominator: GenericOp
    mix: GenericOp


def attention_of(function: func.FuncOp) -> Attention:
    """The only softmax of a function over several positions.

    Raises:
        InputError: there is none, there are several, or one whose weights are read otherwise.
    """
    found = [op for op in function.body.block.ops if isinstance(op, GenericOp) and _peak_of(op) is not None]
    if len(found) != 1:
        raise InputError(
            "attention-form", f"{len(found)} softmaxes over positions, one pass is for one",
            where=f"func.func @{function.sym_name.data}",
            levers=["take one token per step" if found else "compile a block with attention", "take three-pass"],
        )  # fmt: skip
    return _attention(found[0])


def _attention(weights: GenericOp) -> Attention:
    scores, peak = softmax_scores(weights.results[0]), _peak_of(weights)
    assert scores is not None
    assert peak is not None
    maximum = next(value for value in weights.inputs if value is not scores[0]).owner
    assert isinstance(maximum, GenericOp)
    readers = [use.operation for use in weights.results[0].uses]
    sums = [op for op in readers if isinstance(op, GenericOp) and sums_its_input(op)]
    mixes = [op for op in readers if isinstance(op, GenericOp) and _mixes(op, weights.results[0])]
    if len(readers) != 2 or len(sums) != 1 or len(mixes) != 1:
        raise InputError(
            "attention-form", "softmax weights are read otherwise than by their sum and by one mix",
            where="one-pass-attention", levers=["take three-pass"],
        )  # fmt: skip
    return Attention(scores[0], peak, None if maximum is peak else maximum, weights, sums[0], mixes[0])


def _peak_of(weights: GenericOp) -> GenericOp | None:
    """The maximum along the last dim of the scores that softmax weights are of; None of an op that gives none."""
    found = softmax_scores(weights.results[0]) if len(weights.results) == 1 else None
    if found is None or dims_of(found[1]) != list(range(len(shape_of(found[0])))):
        return None
    for use in found[0].uses:
        op = use.operation
        if isinstance(op, GenericOp) and len(op.inputs) == 1 and not is_view(op) and _reduces_last(op):
            return op
    return None


def _reduces_last(op: GenericOp) -> bool:
    positions = len(shape_of(op.inputs[0])) - 1
    in_order = dims_of(op.indexing_maps.data[0].data) == list(range(positions + 1))
    return in_order and reduction_loops(op) == {positions}


def _mixes(op: GenericOp, weights: SSAValue) -> bool:
    return op.inputs[0] is weights and is_contraction(op, IterationSpace(op)) and len(reduction_loops(op)) == 1
